"""Whether everything that can be operated can be called by a name."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QLabel, QMenuBar, QTabBar, QWidget


def unnamed_controls(widget: QWidget) -> list[str]:
    """The controls in a widget, shown or not, that a screen reader would not know what to call,
    and the buttons without words that do not say what they are for when pointed at."""
    found = []
    for one in (widget, *widget.findChildren(QWidget)):
        if not _is_control(one):
            continue
        if not _name(one):
            found.append(f"{_path(one)} has no name")
        if isinstance(one, QAbstractButton) and not one.text() and not one.toolTip():
            found.append(f"{_path(one)} has neither words nor a tooltip")
    return found


def _is_control(widget: QWidget) -> bool:
    """What takes the keyboard, apart from what Qt puts into controls and around them, from what
    hands it on, and from labels, which are what they say."""
    parent = widget.parentWidget()
    is_qts = widget.objectName().startswith("qt_") or isinstance(parent, QTabBar)
    if is_qts or widget.focusProxy() is not None or isinstance(widget, QLabel | QMenuBar):
        return False
    is_inside_control = (
        parent is not None
        and parent.focusPolicy() is not Qt.FocusPolicy.NoFocus
        and parent.focusProxy() is None
        and bool(_name(parent))
        and not widget.accessibleName()
    )
    return widget.focusPolicy() is not Qt.FocusPolicy.NoFocus and not is_inside_control


def _name(widget: QWidget) -> str:
    """As told to a screen reader: a given name, the words on it, or its label."""
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name).strip()


def _path(widget: QWidget) -> str:
    parent = widget.parentWidget()
    here = widget.objectName() or type(widget).__name__
    return here if parent is None else f"{_path(parent)} > {here}"
