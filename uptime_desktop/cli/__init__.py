"""The command line: `main` is what `uptime-desktop` runs.

Each group of commands is a module with `add_parser`; what a person typed stays text until
that module hands it to the domain, whose refusals end here as one line and exit code 2.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from uptime_desktop import __version__
from uptime_desktop.cli import preview, run
from uptime_desktop.domain.refusal import Refused

PROGRAM = "uptime-desktop"


class _Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        raise _UsageError(message)


class _UsageError(Exception):
    """The words on the command line do not fit together."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 well, 1 not, 2 misused."""
    try:
        arguments = _parser().parse_args(argv)
        code: int = arguments.command(arguments)
        sys.stdout.flush()
    except Refused as refusal:
        return _misused(f"{_flag(refusal.field)}: {refusal.text()}")
    except _UsageError as error:
        return _misused(_one_line(str(error)))
    except SystemExit as request:  # argparse ends --help and --version this way
        return request.code if isinstance(request.code, int) else 0
    except BrokenPipeError:
        # Whoever read us has seen enough; keep the interpreter from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    return code


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        description="See whether your sites, services and cron jobs are up.",
        epilog="Without a command it opens the app. 'COMMAND --help' tells about a command.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.set_defaults(command=run.execute, headless=False)
    commands = parser.add_subparsers(metavar="COMMAND", title="commands")
    for group in (run, preview):
        group.add_parser(commands)
    return parser


def _flag(field: str) -> str:
    return "--" + field.replace("_", "-")


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _misused(sentence: str) -> int:
    print(f"{PROGRAM}: {sentence}", file=sys.stderr)
    return 2
