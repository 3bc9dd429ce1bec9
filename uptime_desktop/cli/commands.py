"""What every group of commands shares: the database they work on, and who does the work."""

import asyncio
import contextlib
import signal
import sys
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from uptime_desktop.cli.output import progress_bar, visible
from uptime_desktop.config import database_path
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.domain.wording import Say
from uptime_desktop.i18n import told, tr
from uptime_desktop.server.client import ControlError, call
from uptime_desktop.server.instance import Instance

if TYPE_CHECKING:
    Commands: TypeAlias = _SubParsersAction[ArgumentParser]
else:
    # The class is generic to the type checker only.
    Commands = _SubParsersAction

Answer = dict[str, object]


class Failed(UserError):
    """The command could not be carried out; the message is one sentence for people."""

    def text(self, _say: Say = str) -> str:
        return str(self)


def sentence_of(summary: str) -> str:
    """What a command does, as a sentence of its own."""
    return tr("{sentence}.").format(sentence=summary[0].upper() + summary[1:])


def add_command(commands: Commands, name: str, summary: str) -> ArgumentParser:
    """A command on a database that can print JSON."""
    parser = commands.add_parser(
        name, help=summary, description=sentence_of(summary), allow_abbrev=False
    )
    parser.add_argument("--db", metavar="FILE", help=tr("the database; default: your own"))
    parser.add_argument("--json", action="store_true", help=tr("print JSON"))
    return parser


def add_allow_secret_file(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--allow-secret-file",
        action="store_true",
        help=tr("where there is no keyring, keep passwords in a file that only you can read"),
    )


def notation_help() -> str:
    return tr("Durations are written 500ms 30s 5m 1h 2d, instants 2026-03-29T01:00:00Z.")


def database_of(arguments: Namespace) -> Path:
    return database_path(arguments.db)


def ask(arguments: Namespace, command: str, **details: object) -> Answer:
    """Have the running program do it, or do it here if none runs."""
    database = database_of(arguments)
    given = {key: value for key, value in details.items() if value is not None}
    try:
        with progress_bar(command) as progress:
            answer = _have_done(database, command, given, progress)
    except ControlError as error:
        raise Failed(str(error)) from error
    if answer.get("fault"):
        print(visible(told(str(answer["fault"]))), file=sys.stderr)
    return answer


def _have_done(
    database: Path, command: str, details: dict[str, object], progress: Callable[[int, int], None]
) -> Answer:
    instance = Instance(database)
    endpoint = instance.endpoint()
    if endpoint is None:
        answer = _do_alone(database, command, details, progress)
        if answer is not None:
            return answer
        endpoint = instance.endpoint()
    if endpoint is None:
        raise Failed(tr("another program holds {path}; try again").format(path=database))
    return call(endpoint, command, details, progress)


def _do_alone(
    database: Path, command: str, details: dict[str, object], progress: Callable[[int, int], None]
) -> Answer | None:
    """Do it here; None if the app has begun to run meanwhile."""
    # Only a command that works on the database itself has to load what that takes.
    from uptime_desktop import operations  # noqa: PLC0415

    async def work() -> Answer:
        task = asyncio.current_task()
        if task is not None:
            on_stop(task.cancel)
        return await operations.call_alone(database, command, details, progress)

    try:
        return asyncio.run(work())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    except operations.Answering:
        return None
    except operations.Busy as error:
        raise Failed(str(error)) from error


def on_stop(act: Callable[[], object]) -> None:
    """Do this on Ctrl-C, SIGTERM or a closed terminal, where the running loop knows signals.

    It works where a shell's background made us deaf to Ctrl-C, too.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        # Windows has no such handlers, a thread may not set them.
        with contextlib.suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), act)
