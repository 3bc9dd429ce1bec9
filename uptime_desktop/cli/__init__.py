"""The command line: `main` is what `uptime-desktop` runs.

Each group of commands is a module with `add_parser`, loaded only when one of its commands is
called. What a person typed stays text until that module hands it to the domain, whose refusals
end here as one line and exit code 2.
"""

import argparse
import importlib
import io
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Final, Protocol

from uptime_desktop import __version__
from uptime_desktop.cli.commands import Commands
from uptime_desktop.cli.output import let_go
from uptime_desktop.cli.parser import Parser, UsageError
from uptime_desktop.domain.refusal import Refused, RefusedFile, UserError
from uptime_desktop.domain.wording import one_line, words
from uptime_desktop.i18n import tr, use_language

PROGRAM: Final = "uptime-desktop"

_GROUPS: Final = {
    "run": ("run", words("open the app")),
    "add": ("add", words("add monitors")),
    "list": ("monitors", words("list the monitors and how they stand")),
    "show": ("monitors", words("show all that is known of a monitor")),
    "check": ("monitors", words("check monitors now, or an address once")),
    "pause": ("monitors", words("pause a monitor")),
    "resume": ("monitors", words("resume a paused monitor")),
    "hint": ("monitors", words("check a monitor at another pace for a while")),
    "remove": ("monitors", words("remove a monitor and its history")),
    "history": ("history", words("show the last runs of a monitor")),
    "incidents": ("incidents", words("show what was wrong, and say that you have seen it")),
    "maintenance": ("maintenance", words("plan work during which trouble is expected")),
    "events": ("history", words("show what happens, as it happens")),
    "channels": ("channels", words("say where alerts go beside the screen")),
    "secret": ("secrets", words("keep passwords by name, for settings to refer to")),
    "plan": ("declared", words("show how a configuration file differs from what is set")),
    "apply": ("declared", words("make what is set be what a configuration file says")),
    "export": ("exchange", words("write what is set, or all that is known, to a file")),
    "import": ("exchange", words("move in from another program, or restore a backup")),
    "preview": ("preview", words("show when a schedule would run")),
    "doctor": ("doctor", words("look whether all that is needed is there")),
}

_WORDS: Final = {
    "monitor": "MONITOR",
    "targets": "URL",
    "url": "URL",
    "host": "URL",
    "file": "FILE",
    "window": "WINDOW",
    "channel": "ID",
    "number": "NUMBER",
    "incident": "NUMBER",
    "note": "TEXT",
    "members": "MEMBERS",
}
"""Fields that are given by their place, not by a flag."""

_WORDS_OF: Final = {
    "secret": {"name": "NAME"},
    "channels": {"name": "ID"},
    "export": {"monitor": "--monitor"},
    "incidents": {"monitor": "--monitor"},
}
"""Where a command has them in another place than the rest."""


_ABOUT: Final = ("-h", "--help", "--version")


class _Group(Protocol):
    def add_parser(self, commands: Commands, name: str, summary: str) -> None: ...


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 well, 1 not, 2 misused.

    From `plan` 1 means that something differs, so all that fails is 2.
    """
    use_language()
    given = list(sys.argv[1:] if argv is None else argv)
    _prepare_process()
    try:
        for word in given:
            _require_text(word)
        given = _command_first(given)
        arguments = _parser(given).parse_args(given)
        code: int = arguments.command(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except Refused as refusal:
        field, problem = _flag(refusal.field, _called(given)), refusal.text(tr)
        return _complain(tr("{field}: {problem}").format(field=field, problem=problem), 2)
    except UsageError as error:
        return _complain(str(error), 2)
    except UserError as failure:
        return _explain(failure, _failed(given))
    except SystemExit as request:  # argparse ends --help and --version this way
        return request.code if isinstance(request.code, int) else 0
    except BrokenPipeError:
        let_go()
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _complain(f"{where}{error.strerror or error}", _failed(given))
    except KeyboardInterrupt:
        return 130
    return code


def _prepare_process() -> None:
    """Let SIGTERM end every command as Ctrl-C does, and no character end one with a traceback."""
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), _as_ctrl_c)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _as_ctrl_c(_number: int, _frame: object) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def _require_text(word: str) -> None:
    try:
        word.encode()
    except UnicodeEncodeError:
        problem = tr("{word} is not text; UTF-8 is expected")
        raise UsageError(problem.format(word=ascii(word))) from None


def _parser(given: list[str]) -> argparse.ArgumentParser:
    parser = Parser(
        prog=PROGRAM,
        description=tr("See whether your sites, services and cron jobs are up."),
        epilog=tr("Without a command it opens the app. 'COMMAND --help' tells about a command."),
        allow_abbrev=False,
    )
    version_help = tr("show program's version number and exit")
    parser.add_argument("--version", action="version", version=__version__, help=version_help)
    commands: Commands = parser.add_subparsers(
        metavar="COMMAND", title=tr("commands"), parser_class=Parser
    )
    for name, (module, summary) in _GROUPS.items():
        if name == _called(given):
            group: _Group = importlib.import_module(f"uptime_desktop.cli.{module}")
            group.add_parser(commands, name, tr(summary))
        else:
            commands.add_parser(name, help=tr(summary))
    if not _called(given):
        importlib.import_module("uptime_desktop.cli.run").add_demo(parser)
    return parser


def _command_first(given: list[str]) -> list[str]:
    """Options may stand before the command, and without one the app opens."""
    if given and (not given[0].startswith("-") or given[0] in _ABOUT):
        return given
    at = next((place for place, word in enumerate(given) if word in _GROUPS), None)
    return ["run", *given] if at is None else [given[at], *given[:at], *given[at + 1 :]]


def _called(given: list[str]) -> str:
    """The command that is meant, or none."""
    return given[0] if given and given[0] in _GROUPS else ""


def _failed(given: list[str]) -> int:
    """The exit code of what was not misused, and could not be done."""
    return 2 if _called(given) == "plan" else 1


def _flag(field: str, command: str) -> str:
    """How a field is written on the command line."""
    words = {**_WORDS, **_WORDS_OF.get(command, {})}
    return words.get(field) or "--" + field.replace("_", "-")


def _explain(failure: UserError, failed: int) -> int:
    first, *more = failure.lines(tr)
    if isinstance(failure, RefusedFile):
        # As compilers say it, for editors to jump there.
        return _print_lines((first, *more), 2)
    return _print_lines((f"{PROGRAM}: {first}", *more), failed)


def _complain(sentence: str, code: int) -> int:
    return _print_lines([f"{PROGRAM}: {sentence}"], code)


def _print_lines(lines: Sequence[str], code: int) -> int:
    for line in lines:
        print(one_line(line), file=sys.stderr)
    return code
