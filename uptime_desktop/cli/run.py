"""`run`: the app itself, on the desktop or in a terminal, until it is told to stop."""

import asyncio
import contextlib
import logging
import os
import signal
import sys
import time
from argparse import Namespace, _ActionsContainer
from collections.abc import Callable
from pathlib import Path
from typing import Final

from uptime_desktop.cli.commands import (
    Commands,
    Failed,
    add_allow_secret_file,
    database_of,
    on_stop,
    sentence_of,
)
from uptime_desktop.cli.log import start_log
from uptime_desktop.cli.parser import UsageError
from uptime_desktop.config import ConfigFile, parse_listen
from uptime_desktop.domain.refusal import RefusedElsewhere
from uptime_desktop.i18n import tr
from uptime_desktop.server.client import ControlError, call
from uptime_desktop.server.instance import Instance

_PATIENCE_S: Final = 10
_PAUSE_S: Final = 0.05


def add_parser(commands: Commands, name: str, summary: str) -> None:
    parser = commands.add_parser(
        name, help=summary, description=sentence_of(summary), allow_abbrev=False
    )
    parser.add_argument("--headless", action="store_true", help=tr("without a window or tray icon"))
    parser.add_argument(
        "--minimised", action="store_true", help=tr("in the tray, without the window")
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--db", metavar="FILE", help=tr("the database; default: your own"))
    add_demo(where)
    parser.add_argument(
        "--listen", metavar="HOST:PORT", help=tr("where jobs report; default: as in the settings")
    )
    parser.add_argument(
        "--config", metavar="FILE", help=tr("the file that says what is watched; see: plan")
    )
    parser.add_argument(
        "--accept-changes",
        action="store_true",
        help=tr("have what is stored become what the file says"),
    )
    add_allow_secret_file(parser)
    parser.add_argument("--verbose", action="store_true", help=tr("log routine events too"))
    parser.set_defaults(command=execute)


def add_demo(parser: _ActionsContainer) -> None:
    parser.add_argument(
        "--demo",
        action="store_true",
        help=tr("show a made-up month of local monitors, then forget it"),
    )


def execute(arguments: Namespace) -> int:
    if not arguments.demo:
        return _open(arguments, database_of(arguments))
    from uptime_desktop.demo import demo  # noqa: PLC0415 - only a demo needs it

    with demo() as shown:
        demo_text = tr(
            "Demo: {n} monitors on a local server, {url}; nothing leaves this computer."
        ).format(n=shown.monitors, url=shown.url)
        reach = tr("Commands reach it with --db {path}").format(path=shown.database)
        print(demo_text, reach, sep="\n", file=sys.stderr, flush=True)
        return _open(arguments, shown.database)


def _open(arguments: Namespace, database: Path) -> int:
    if arguments.listen is not None:
        parse_listen(arguments.listen)
    config = _config(arguments)
    on_desktop = not arguments.headless and _has_display()
    level = logging.DEBUG if arguments.verbose else logging.INFO
    start_log(level)
    instance = _acquired(database, on_desktop=on_desktop)
    if instance is None:
        if config is not None or arguments.listen is not None:
            problem = tr("it is already running on {path}; end it first, to start it otherwise")
            raise Failed(problem.format(path=database))
        return 0
    try:
        if on_desktop:
            was_told_to_stop = _note_signals()
            # The icon comes first: nothing that it does not need is loaded before.
            from uptime_desktop.gui.run import run  # noqa: PLC0415

            minimised = arguments.minimised
            listen = arguments.listen
            unwritten = run(
                database,
                instance,
                was_told_to_stop,
                minimised=minimised,
                listen=listen,
                config=config,
            )
            return int(unwritten > 0)
        if not arguments.headless:
            print(tr("No display found, running headless. Ctrl-C ends it."), file=sys.stderr)
        with contextlib.suppress(KeyboardInterrupt):
            work = _run(database, instance, arguments.listen, config)
            return int(asyncio.run(work) > 0)
    finally:
        instance.release()
    return 0


def _note_signals() -> Callable[[], bool]:
    """Whether a signal to stop has come: raised as an exception it would end Qt in the middle."""
    told: list[int] = []
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda number, _frame: told.append(number))
    return lambda: bool(told)


def _acquired(database: Path, *, on_desktop: bool) -> Instance | None:
    """The right to run; None if another one runs and has shown its window instead."""
    instance = Instance(database)
    patience = time.monotonic() + _PATIENCE_S
    while not instance.acquire():
        # A command may hold the database for a moment; only an app says where it listens.
        endpoint = instance.endpoint()
        if endpoint is not None and on_desktop:
            # One without a window does not know this command.
            with contextlib.suppress(ControlError, RefusedElsewhere):
                call(endpoint, "raise", {})
                return None
        if endpoint is not None or time.monotonic() > patience:
            raise Failed(tr("it is already running on {path}").format(path=database))
        time.sleep(_PAUSE_S)
    return instance


def _has_display() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY"))


def _config(arguments: Namespace) -> ConfigFile | None:
    accept, allow = arguments.accept_changes, arguments.allow_secret_file
    if arguments.config is not None:
        return ConfigFile(Path(arguments.config).absolute(), accept, allow)
    for flag, is_given in (("--accept-changes", accept), ("--allow-secret-file", allow)):
        if is_given:
            raise UsageError(tr("{flag} has no meaning without --config").format(flag=flag))
    return None


async def _run(
    database: Path, instance: Instance, listen: str | None, config: ConfigFile | None
) -> int:
    """Run until Ctrl-C or SIGTERM; where the loop knows no signals, until Ctrl-C alone."""
    from uptime_desktop import headless  # noqa: PLC0415 - only the app itself needs all of it

    told_to_stop = asyncio.Event()
    on_stop(told_to_stop.set)
    return await headless.run(database, instance, told_to_stop, listen, config)
