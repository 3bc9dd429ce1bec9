"""Takes the pictures of the README: the real window and tray menu, on the demo, off screen.

Run it from the root of the repository: `python packaging/screenshots.py [FOLDER]`.
"""

import asyncio
import os
import sys
from pathlib import Path
from typing import Final

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_API", "pyside6")
sys.path.insert(0, str(Path(__file__).parents[1]))

import qasync
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication, QWidget

from uptime_desktop.app import opened
from uptime_desktop.demo import demo
from uptime_desktop.gui import theme
from uptime_desktop.gui.desktop import Desktop
from uptime_desktop.gui.main_window import SIZE
from uptime_desktop.gui.run import application
from uptime_desktop.gui.style import FlatFusion
from uptime_desktop.gui.tray import Tray

_FOLDER: Final = Path(__file__).parents[1] / "resources" / "screenshots"
_SELECTED: Final = ("shop", "checkout-api")
_FONT: Final = "Inter"
_FONT_PIXELS: Final = 13
_FIRST_RESULTS_S: Final = 6.0
_REPAINT_S: Final = 1.5
_THEMES: Final = {"dark": Qt.ColorScheme.Dark, "light": Qt.ColorScheme.Light}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    qt = application()
    qt.setStyle(FlatFusion())
    if _FONT in QFontDatabase.families():
        font = QFont(_FONT)
        font.setPixelSize(_FONT_PIXELS)
        qt.setFont(font)
    loop = qasync.QEventLoop(qt)
    asyncio.set_event_loop(loop)
    with demo() as shown, loop:
        loop.run_until_complete(_take_all(qt, shown.database, folder))


async def _take_all(qt: QApplication, database: Path, folder: Path) -> None:
    async with opened(database, has_coarse_timers=True) as app:
        tray = Tray()
        desktop = Desktop(qt, app, tray, lambda: None)
        app.start()
        desktop.window.resize(SIZE)
        desktop.open_monitor(_SELECTED)
        await asyncio.sleep(_FIRST_RESULTS_S)
        for name, scheme in _THEMES.items():
            theme.ask_for(scheme, qt)
            await asyncio.sleep(_REPAINT_S)
            _take(desktop.window, folder / f"window-{name}.png")
        tray.menu.popup(QPoint(0, 0))
        await asyncio.sleep(_REPAINT_S)
        _take(tray.menu, folder / "tray.png")
        tray.menu.close()
        await desktop.close()


def _take(widget: QWidget, file: Path) -> None:
    if not widget.grab().save(str(file)):
        raise SystemExit(f"{file} could not be written")
    print(file)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else _FOLDER)
