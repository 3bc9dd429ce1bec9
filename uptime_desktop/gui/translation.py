"""One language for us and for Qt's own words."""

import sys
from typing import Final

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from uptime_desktop import i18n

_installed: Final[list[QTranslator]] = []


def use_language(qt: QApplication, code: str) -> None:
    """Speak this language, or with an empty code that of the computer."""
    # Only on Windows and macOS the system itself knows better than the environment.
    asks_system = not code and sys.platform in ("win32", "darwin")
    i18n.use_language(*(QLocale.system().uiLanguages() if asks_system else [code]))
    for translator in _installed:
        qt.removeTranslator(translator)
    _installed.clear()
    spoken = QLocale(i18n.language())
    QLocale.setDefault(spoken)
    translator = QTranslator(qt)
    place = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if translator.load(spoken, "qtbase", "_", place):
        qt.installTranslator(translator)
        _installed.append(translator)
