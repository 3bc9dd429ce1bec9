"""The command line as a whole, in processes of its own."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command, running_app
from uptime_desktop import __version__
from uptime_desktop.cli import main
from uptime_desktop.cli.commands import Failed
from uptime_desktop.cli.run import _acquired

COMMAND = [sys.executable, "-m", "uptime_desktop"]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"{__version__}\n"


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    help_text = capsys.readouterr().out
    assert "run" in help_text
    assert "preview" in help_text


def test_an_unknown_command_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["frobnicate"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert "frobnicate" in printed.err


def test_options_may_stand_before_the_command(tmp_path: Path, command: Command) -> None:
    other = str(tmp_path / "other.db")
    assert command("--db", other, "add", "http://127.0.0.1:9/", "--name", "home").code == 0
    assert "home" in command("--db", other, "list").out
    assert "home" not in command("list").out
    assert command("--db").err == "uptime-desktop: argument --db: expected one argument\n"


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["show", "home"],
        ["history", "home"],
        ["incidents"],
        ["channels"],
        ["maintenance", "list"],
        ["secret", "list"],
        ["export"],
        ["plan", "{file}"],
        ["import", "{file}", "--dry-run"],
    ],
    ids=lambda words: words[0],
)
def test_to_look_leaves_nothing_behind(
    words: list[str], tmp_path: Path, database: Path, command: Command
) -> None:
    file = tmp_path / "file"
    file.write_text("version = 1" if words[0] == "plan" else '{"checks": []}')
    given = [word.format(file=file) for word in words]
    assert "no such file" not in command(*given).err.lower()
    assert not database.parent.exists()
    database.parent.mkdir()
    command(*given)
    assert list(database.parent.iterdir()) == []


def test_the_installed_command_is_the_same_program() -> None:
    script = Path(sys.executable).with_name("uptime-desktop")
    printed = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert printed.stdout == f"{__version__}\n"


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    words = [*COMMAND, "preview", "--every", "60s", "--count", "50000"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 0


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="these always have a display")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("words", [[], ["run"]])
def test_without_a_display_it_says_so_and_runs_until_told_to_stop(
    number: signal.Signals, words: list[str], database: Path
) -> None:
    screens = ("DISPLAY", "WAYLAND_DISPLAY")
    environment = {key: value for key, value in os.environ.items() if key not in screens}
    assert environment["UPTIME_DESKTOP_DB"] == str(database)
    with subprocess.Popen([*COMMAND, *words], stderr=subprocess.PIPE, env=environment) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"No display found, running headless. Ctrl-C ends it.\n"
        assert process.stderr.readline().endswith(b" Watching 0 monitors\n")
        process.send_signal(number)
        assert process.wait(30) == 0
        assert process.stderr.read() == b""


def test_one_without_a_window_cannot_show_it_to_a_second_start(database: Path) -> None:
    with running_app(database), pytest.raises(Failed, match="it is already running on"):
        _acquired(database, on_desktop=True)


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (["secret", "set"], "NAME"),
        (["channels", "test"], "ID"),
        (["incidents", "show"], "NUMBER"),
        (["add", "example.org", "--name", "a\x1bb"], "--name"),
    ],
)
@pytest.mark.usefixtures("database")
def test_a_refusal_names_a_value_by_its_place(
    words: list[str], place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.startswith(f"uptime-desktop: {place}: ")
