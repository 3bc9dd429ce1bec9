"""`run`: the app itself, in the foreground until it is told to stop."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys

from uptime_desktop.cli.commands import Commands


def add_parser(commands: Commands) -> None:
    parser = commands.add_parser(
        "run", help="open the app", description="Open the app.", allow_abbrev=False
    )
    parser.add_argument("--headless", action="store_true", help="without a window or tray icon")
    parser.set_defaults(command=execute)


def execute(arguments: argparse.Namespace) -> int:
    notice = None
    if not arguments.headless and not _has_display():
        notice = "No display found, running headless. Ctrl-C ends it."
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_until_told_to_stop(notice))
    return 0


def _has_display() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY"))


async def _until_told_to_stop(notice: str | None) -> None:
    """Wait for Ctrl-C or SIGTERM; where the loop knows no signals, for Ctrl-C alone."""
    told = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, told.set)
    if notice is not None:
        print(notice, file=sys.stderr, flush=True)
    await told.wait()
