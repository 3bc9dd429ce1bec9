"""The app on a desktop: Qt and asyncio on one loop, from the first icon to the last write.

The icon comes first; whatever else is slow to load comes after it.
"""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
import traceback
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Final

from PySide6.QtWidgets import QApplication

from uptime_desktop.config import ConfigFile
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.gui import icons, theme
from uptime_desktop.gui.style import FlatFusion
from uptime_desktop.gui.tray import Tray
from uptime_desktop.server.instance import Instance
from uptime_desktop.slices import give_way_soon

RAISE: Final = "raise"
"""The command by which a second start brings the window of the first to the front."""

_log = logging.getLogger(__name__)


def run(
    database: Path,
    instance: Instance,
    was_told_to_stop: Callable[[], bool] = lambda: False,
    *,
    minimised: bool = False,
    listen: str | None = None,
    config: ConfigFile | None = None,
) -> int:
    """Run until told to quit; how many changes the disk did not take in the end.

    `was_told_to_stop` says whether that came before there was a loop to hear it.
    """
    os.environ.setdefault("QT_API", "pyside6")
    give_way_soon()
    qt = application()
    tray = Tray()
    import qasync  # noqa: PLC0415 - as is all that follows, after the icon

    loop = qasync.QEventLoop(qt)
    asyncio.set_event_loop(loop)
    told_to_stop = asyncio.Event()
    with loop, _loudly(loop), _signals(loop, told_to_stop):
        qt.commitDataRequest.connect(lambda _: told_to_stop.set())
        if was_told_to_stop():
            told_to_stop.set()

        async def run_once(config: ConfigFile | None) -> int:
            return await _run(
                qt,
                tray,
                database,
                instance,
                told_to_stop,
                minimised=minimised,
                listen=listen,
                config=config,
            )

        return int(loop.run_until_complete(_run_as_agreed(run_once, config, told_to_stop)))


async def _run_as_agreed(
    run_once: Callable[[ConfigFile | None], Awaitable[int]],
    config: ConfigFile | None,
    told_to_stop: asyncio.Event,
) -> int:
    """Run; if that cannot be, say why, and run in the way that a person agrees to."""
    while True:
        try:
            return await run_once(config)
        except UserError as error:
            from uptime_desktop.gui import start_box  # noqa: PLC0415

            config = await start_box.agreed(error, config, told_to_stop)
            if config is None:
                raise


async def _run(
    qt: QApplication,
    tray: Tray,
    database: Path,
    instance: Instance,
    told_to_stop: asyncio.Event,
    *,
    minimised: bool,
    listen: str | None,
    config: ConfigFile | None,
) -> int:
    from uptime_desktop.answering import answering  # noqa: PLC0415
    from uptime_desktop.app import opened  # noqa: PLC0415
    from uptime_desktop.gui.desktop import Desktop  # noqa: PLC0415
    from uptime_desktop.gui.translation import use_language  # noqa: PLC0415

    async with opened(database, has_coarse_timers=True) as app:
        use_language(qt, app.settings.language)
        if config is not None:
            await app.obey(config)
        desktop = Desktop(qt, app, tray, told_to_stop.set)
        app.start(listen)
        try:
            async with answering(app, instance, {RAISE: desktop.open}):
                desktop.begin(minimised=minimised or app.settings.start_minimised)
                _leave_alone()
                await told_to_stop.wait()
        finally:
            await desktop.close()
    return app.unwritten


def _leave_alone() -> None:
    """What is there by now stays: looking through it for garbage would only hold up the loop."""
    gc.collect()
    gc.freeze()


def application() -> QApplication:
    qt = QApplication(sys.argv[:1])
    qt.setApplicationName("uptime-desktop")
    qt.setApplicationDisplayName("Uptime Desktop")
    qt.setDesktopFileName("uptime-desktop")
    qt.setQuitOnLastWindowClosed(False)
    qt.setWindowIcon(icons.app_icon())
    if theme.is_fusion(qt):
        qt.setStyle(FlatFusion())
    theme.apply_palette(qt)
    return qt


@contextlib.contextmanager
def _loudly(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """What nobody catches is written down, wherever it was raised."""

    def write_down(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        _log.error("%s", context.get("message"), exc_info=context.get("exception"))

    def hook(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        _log.critical("%s", "".join(traceback.format_exception(kind, error, trace)))

    before, sys.excepthook = sys.excepthook, hook
    loop.set_exception_handler(write_down)
    try:
        yield
    finally:
        sys.excepthook = before


@contextlib.contextmanager
def _signals(loop: asyncio.AbstractEventLoop, told_to_stop: asyncio.Event) -> Iterator[None]:
    """Ctrl-C and SIGTERM quit, where the loop knows signals and where it does not."""
    numbers = [
        getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
    ]
    try:
        for number in numbers:
            loop.add_signal_handler(number, told_to_stop.set)
    except NotImplementedError:
        for number in numbers:
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(told_to_stop.set))
    yield
