"""A line that is there to be copied, with the button that does it."""

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QWidget

from uptime_desktop.gui import theme
from uptime_desktop.i18n import tr


class CopyLine(QWidget):
    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.line = QLineEdit()
        self.line.setReadOnly(True)
        self.line.setFont(theme.mono())
        self.line.setAccessibleName(name)
        self.copy = QPushButton(tr("Copy"))
        self.copy.setAccessibleName(tr("Copy {what}").format(what=name))
        self.copy.clicked.connect(lambda: copy_text(self.line.text()))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.CELL_PADDING)
        row.addWidget(self.line, 1)
        row.addWidget(self.copy)

    @property
    def text(self) -> str:
        return self.line.text()

    def show_text(self, text: str) -> None:
        self.line.setText(text)
        self.line.setCursorPosition(0)
        self.line.setToolTip(text)


def copy_text(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
