"""Start when the person logs in: an entry where each system looks for such, and nowhere else.

The entry is the only truth, since other programs may remove it or switch it off too.
"""

import configparser
import plistlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol
from xml.parsers.expat import ExpatError

import platformdirs

from uptime_desktop.config import APP_NAME, resource
from uptime_desktop.domain.refusal import Unable
from uptime_desktop.domain.wording import Sentence

_TITLE: Final = "Uptime Desktop"
_SECTION: Final = "Desktop Entry"
_RUN: Final = r"Software\Microsoft\Windows\CurrentVersion\Run"
_APPROVED: Final = r"Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"


class LoginEntry(Protocol):
    """One place of one system; here, what cannot be read or written raises `OSError`."""

    def is_on(self) -> bool: ...
    def turn_on(self, command: Sequence[str]) -> None: ...
    def turn_off(self) -> None: ...


class Registry(Protocol):
    """The part of the Windows registry that belongs to the person."""

    def get(self, path: str, name: str) -> str | bytes | None: ...
    def put(self, path: str, name: str, text: str) -> None: ...
    def delete(self, path: str, name: str) -> None: ...


def is_on() -> bool:
    return _entry().is_on()


def turn_on(options: Sequence[str] = ()) -> None:
    with _told():
        _entry().turn_on(start_command(options))


def change_options(options: Sequence[str]) -> None:
    """Have the entry, if there is one, start it with other options."""
    with _told():
        if is_on():
            turn_on(options)


def turn_off() -> None:
    with _told():
        _entry().turn_off()


@contextmanager
def _told() -> Iterator[None]:
    """Why the entry could not be changed; the registry of Windows names no file."""
    try:
        yield
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        sentence = "start at login cannot be changed: {reason}"
        reason = f"{where}{error.strerror or error}"
        raise Unable(Sentence(sentence, reason=reason)) from error


def start_command(options: Sequence[str] = ()) -> list[str]:
    """What starts this very program, with no window and no console."""
    program = Path(sys.executable)
    if getattr(sys, "frozen", False):
        return [str(program), "run", "--minimised", *options]
    silent = program.with_name("pythonw.exe")
    if program.name.lower() == "python.exe" and silent.exists():
        program = silent
    return [str(program), "-m", "uptime_desktop", "run", "--minimised", *options]


def desktop_file_text(command: Sequence[str], icon: Path) -> str:
    """An entry as the Desktop Entry Specification of freedesktop.org has it."""
    lines = {
        "Type": "Application",
        "Name": _TITLE,
        "Icon": _escaped(str(icon)),
        "Exec": _escaped(" ".join(_exec_argument(one) for one in command)),
        "Terminal": "false",
        "X-GNOME-Autostart-enabled": "true",
    }
    return "\n".join([f"[{_SECTION}]", *(f"{key}={value}" for key, value in lines.items()), ""])


def launch_agent(command: Sequence[str]) -> bytes:
    """A property list for launchd of macOS."""
    return plistlib.dumps(
        {
            "Label": APP_NAME,
            "ProgramArguments": list(command),
            "RunAtLoad": True,
            "ProcessType": "Interactive",
        }
    )


class DesktopFile:
    """Linux and the like: a file in the autostart folder, which settings programs may disable."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def is_on(self) -> bool:
        entry = configparser.RawConfigParser(strict=False)
        try:
            entry.read_string(self._path.read_text(encoding="utf-8", errors="replace"))
        except (FileNotFoundError, configparser.Error):
            return False
        hidden = entry.get(_SECTION, "Hidden", fallback="false").lower() == "true"
        enabled = entry.get(_SECTION, "X-GNOME-Autostart-enabled", fallback="true").lower()
        return entry.has_section(_SECTION) and not hidden and enabled != "false"

    def turn_on(self, command: Sequence[str]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        text = desktop_file_text(command, resource("icons/app.svg"))
        self._path.write_text(text, encoding="utf-8")

    def turn_off(self) -> None:
        self._path.unlink(missing_ok=True)


class LaunchAgent:
    """macOS: a property list that launchd reads at login."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def is_on(self) -> bool:
        try:
            agent = plistlib.loads(self._path.read_bytes())
        except (FileNotFoundError, plistlib.InvalidFileException, ExpatError):
            return False
        return isinstance(agent, dict) and not agent.get("Disabled", False)

    def turn_on(self, command: Sequence[str]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_bytes(launch_agent(command))

    def turn_off(self) -> None:
        self._path.unlink(missing_ok=True)


class RunKey:
    """Windows: a value that the shell runs at login, unless the Task Manager disabled it."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def is_on(self) -> bool:
        approved = self._registry.get(_APPROVED, _TITLE)
        # An odd first byte is how the Task Manager notes that a person switched it off.
        disabled = isinstance(approved, bytes) and bool(approved) and approved[0] % 2 == 1
        return self._registry.get(_RUN, _TITLE) is not None and not disabled

    def turn_on(self, command: Sequence[str]) -> None:
        self._registry.put(_RUN, _TITLE, subprocess.list2cmdline(command))
        self._registry.delete(_APPROVED, _TITLE)

    def turn_off(self) -> None:
        self._registry.delete(_RUN, _TITLE)


def _entry() -> LoginEntry:
    if sys.platform == "win32":
        return RunKey(_PersonsRegistry())
    if sys.platform == "darwin":
        return LaunchAgent(Path.home() / "Library" / "LaunchAgents" / f"{APP_NAME}.plist")
    return DesktopFile(platformdirs.user_config_path() / "autostart" / f"{APP_NAME}.desktop")


def _exec_argument(argument: str) -> str:
    """One argument of an Exec line, in quotes where it needs them; a lone percent sign would
    begin a field."""
    quoted = argument
    for special in ("\\", '"', "`", "$"):
        quoted = quoted.replace(special, "\\" + special)
    is_plain = quoted == argument and argument and not set(argument) & set(" \t\n'><~|&;*?#()")
    return (argument if is_plain else f'"{quoted}"').replace("%", "%%")


def _escaped(text: str) -> str:
    """A value of a desktop file, in which a backslash begins an escape."""
    return text.replace("\\", "\\\\").replace("\n", "\\n")


if sys.platform == "win32":
    import winreg

    class _PersonsRegistry:
        def get(self, path: str, name: str) -> str | bytes | None:
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, path) as key:
                    value: str | bytes = winreg.QueryValueEx(key, name)[0]
            except FileNotFoundError:
                return None
            return value

        def put(self, path: str, name: str, text: str) -> None:
            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, path) as key:
                winreg.SetValueEx(key, name, 0, winreg.REG_SZ, text)

        def delete(self, path: str, name: str) -> None:
            access = winreg.KEY_SET_VALUE
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, path, 0, access) as key:
                    winreg.DeleteValue(key, name)
            except FileNotFoundError:
                return
