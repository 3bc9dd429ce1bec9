"""The file that says what is watched, in words: what it is called and that it is edited there."""

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from uptime_desktop.app import App
from uptime_desktop.i18n import tr


def where_to_edit(app: App) -> str:
    """Why something cannot be changed here, and where it can be; nothing while no file decides."""
    if app.declared_in is None:
        return ""
    return tr("{file} decides about this. Edit it there.").format(file=app.declared_in.name)


def opening_problem(path: Path) -> str:
    """Open a file in the program that the desktop has for it; why not, if that cannot be."""
    if QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.absolute()))):
        return ""
    return tr("No program was found that opens {path}.").format(path=path)
