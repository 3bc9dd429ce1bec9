"""Starting at login, on all three systems, wherever the tests run."""

import plistlib
import sys
from pathlib import Path

import pytest

from uptime_desktop import autostart
from uptime_desktop.autostart import (
    DesktopFile,
    LaunchAgent,
    LoginEntry,
    RunKey,
    desktop_file_text,
    start_command,
)

COMMAND = ["/usr/bin/python3", "-m", "uptime_desktop", "run", "--minimised"]
EXEC_OF = [
    ("/opt/plain/python", "/opt/plain/python"),
    ("/opt/with space/python", '"/opt/with space/python"'),
    ("/opt/it's & more/python", '"/opt/it\'s & more/python"'),
    ("/opt/100%/python", "/opt/100%%/python"),
    # Escaped once for the quotes, and the backslash again for the file.
    ('/opt/"a"/python', r'"/opt/\\"a\\"/python"'),
    ("/opt/$HOME/`date`/python", r'"/opt/\\$HOME/\\`date\\`/python"'),
    (r"/opt/back\slash/python", r'"/opt/back\\\\slash/python"'),
    ("", '""'),
]


class MemoryRegistry:
    def __init__(self) -> None:
        self.values: dict[str, str | bytes] = {}

    def get(self, path: str, name: str) -> str | bytes | None:
        return self.values.get(f"{path}\\{name}")

    def put(self, path: str, name: str, text: str) -> None:
        self.values[f"{path}\\{name}"] = text

    def delete(self, path: str, name: str) -> None:
        self.values.pop(f"{path}\\{name}", None)


def entries(folder: Path) -> dict[str, LoginEntry]:
    return {
        "linux": DesktopFile(folder / "new" / "uptime-desktop.desktop"),
        "macos": LaunchAgent(folder / "new" / "uptime-desktop.plist"),
        "windows": RunKey(MemoryRegistry()),
    }


@pytest.mark.parametrize("system", ["linux", "macos", "windows"])
def test_it_is_off_until_turned_on_and_off_again_after(system: str, tmp_path: Path) -> None:
    entry = entries(tmp_path)[system]
    seen = [entry.is_on()]
    for act in (entry.turn_off, lambda: entry.turn_on(COMMAND), lambda: entry.turn_on(COMMAND)):
        act()
        seen.append(entry.is_on())
    entry.turn_off()
    assert [*seen, entry.is_on()] == [False, False, True, True, False]


@pytest.mark.parametrize(("argument", "written"), EXEC_OF)
def test_the_desktop_file_quotes_as_its_specification_says(argument: str, written: str) -> None:
    text = desktop_file_text([argument, "run"], Path("/i.svg"))
    assert f"\nExec={written} run\n" in text


@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled=false"])
def test_an_entry_that_another_program_disabled_is_off(line: str, tmp_path: Path) -> None:
    path = tmp_path / "entry.desktop"
    path.write_text(f"[Desktop Entry]\nType=Application\n{line}\n")
    assert not DesktopFile(path).is_on()


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff\xfe\x00", b"[Other]\na=b\n"])
def test_a_file_that_is_no_entry_is_off(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "entry"
    path.write_bytes(content)
    assert not DesktopFile(path).is_on()
    assert not LaunchAgent(path).is_on()


def test_the_launch_agent_runs_the_command_at_login(tmp_path: Path) -> None:
    path = tmp_path / "agent.plist"
    LaunchAgent(path).turn_on(COMMAND)
    agent = plistlib.loads(path.read_bytes())
    assert agent["ProgramArguments"] == COMMAND
    assert agent["RunAtLoad"] is True


def test_windows_gets_one_line_with_its_own_quotes() -> None:
    registry = MemoryRegistry()
    RunKey(registry).turn_on([r"C:\Program Files\Python\pythonw.exe", "-m", "uptime_desktop"])
    assert list(registry.values.values()) == [
        r'"C:\Program Files\Python\pythonw.exe" -m uptime_desktop'
    ]


def test_what_the_task_manager_disabled_is_off_until_turned_on_here() -> None:
    registry = MemoryRegistry()
    entry = RunKey(registry)
    entry.turn_on(COMMAND)
    (run,) = registry.values
    approved = run.replace(r"\Run", r"\Explorer\StartupApproved\Run")
    registry.values[approved] = bytes([3, *range(11)])
    assert not entry.is_on()
    entry.turn_on(COMMAND)
    assert entry.is_on()


def test_on_windows_no_console_opens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "pythonw.exe").touch()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python.exe"))
    assert start_command()[0] == str(tmp_path / "pythonw.exe")


def test_a_packed_program_is_started_as_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert start_command() == [sys.executable, "run", "--minimised"]


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="a folder of Linux")
def test_the_entry_is_where_the_desktop_looks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert not autostart.is_on()
    autostart.turn_on()
    assert autostart.is_on()
    text = (tmp_path / "autostart" / "uptime-desktop.desktop").read_text()
    assert "-m uptime_desktop run --minimised\n" in text
    autostart.turn_off()
    assert not autostart.is_on()
    assert list((tmp_path / "autostart").iterdir()) == []
