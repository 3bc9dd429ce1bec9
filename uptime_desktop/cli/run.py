"""`run`: the app itself, in the foreground until it is told to stop."""

import asyncio
import contextlib
import logging
import os
import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import Final

from uptime_desktop.cli.commands import Commands, Failed, database_of, on_stop
from uptime_desktop.server.instance import Instance

_PATIENCE_S: Final = 10
_PAUSE_S: Final = 0.05


def add_parser(commands: Commands, name: str, summary: str) -> None:
    parser = commands.add_parser(
        name, help=summary, description="Open the app.", allow_abbrev=False
    )
    parser.add_argument("--headless", action="store_true", help="without a window or tray icon")
    parser.add_argument("--db", metavar="FILE", help="the database; default: your own")
    parser.add_argument("--verbose", action="store_true", help="log routine events too")
    parser.set_defaults(command=execute)


def execute(arguments: Namespace) -> int:
    database = database_of(arguments)
    instance = Instance(database)
    patience = time.monotonic() + _PATIENCE_S
    while not instance.acquire():
        # A command may hold the database for a moment; only an app says where it listens.
        if instance.endpoint() is not None or time.monotonic() > patience:
            raise Failed(f"it is already running on {database}")
        time.sleep(_PAUSE_S)
    notice = None
    if not arguments.headless and not _has_display():
        notice = "No display found, running headless. Ctrl-C ends it."
    level = logging.DEBUG if arguments.verbose else logging.INFO
    logging.basicConfig(level=level, format="%(asctime)s %(message)s", stream=sys.stderr)
    for noisy in ("asyncio", "peewee", "tzlocal"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    from uptime_desktop.store.errors import StoreError  # noqa: PLC0415 - not before the lock

    try:
        with contextlib.suppress(KeyboardInterrupt):
            return int(asyncio.run(_run(database, instance, notice)) > 0)
    except StoreError as error:
        raise Failed(str(error)) from error
    finally:
        instance.release()
    return 0


def _has_display() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY"))


async def _run(database: Path, instance: Instance, notice: str | None) -> int:
    """Run until Ctrl-C or SIGTERM; where the loop knows no signals, until Ctrl-C alone."""
    from uptime_desktop import headless  # noqa: PLC0415 - only the app itself needs all of it

    told_to_stop = asyncio.Event()
    on_stop(told_to_stop.set)
    if notice is not None:
        print(notice, file=sys.stderr, flush=True)
    return await headless.run(database, instance, told_to_stop)
