"""What words and links look like."""

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from tests.gui.dialog_rig import activate
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.labels import LinkButton


def test_a_link_shows_that_it_has_the_focus(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    link, other = LinkButton("Open", window), QLineEdit(window)
    window.show()
    activate(window)

    def corner() -> QColor:
        return link.grab().toImage().pixelColor(0, 0)

    link.setFocus()
    assert corner() == theme.tokens().accent
    other.setFocus()
    assert corner() != theme.tokens().accent
