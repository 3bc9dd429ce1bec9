"""The parts that every section of the panel is made of: its heading, and text in a tone."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from uptime_desktop.gui import theme
from uptime_desktop.gui.theme import Tokens

Tone = Callable[[Tokens], QColor]


_BREAKS_AFTER = "/?&=,;"


def breakable(text: str) -> str:
    """Free to go on in the next line where an address or a value has its joints."""
    return "".join(f"{c}\u200b" if c in _BREAKS_AFTER else c for c in text)


def quiet(tokens: Tokens) -> QColor:
    return tokens.text_2


class TonedLabel(QLabel):
    """Text in a colour of the theme, plain, and kept so when the theme changes."""

    def __init__(self, font: QFont, tone: Tone = quiet, text: str = "") -> None:
        super().__init__(text)
        self._tone = tone
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(font)
        # On the base colour labels would take another role.
        self.setForegroundRole(QPalette.ColorRole.WindowText)
        self._colour()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._colour()

    def _colour(self) -> None:
        wanted = self._tone(theme.tokens())
        palette = self.palette()
        # Setting a palette is a change of it too.
        if palette.color(QPalette.ColorRole.WindowText) != wanted:
            palette.setColor(QPalette.ColorRole.WindowText, wanted)
            self.setPalette(palette)


class Heading(QWidget):
    """The name of a section, and at the right what can be said of it in a few words."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = QLabel(title)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setFont(theme.section(self.font()))
        self._summary = TonedLabel(theme.tabular(theme.small(self.font())))
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)
        self.row.setSpacing(theme.CELL_PADDING)
        self.row.addWidget(self._title)
        self.row.addStretch(1)
        self.row.addWidget(self._summary)

    @property
    def summary(self) -> str:
        return self._summary.text()

    def set_title(self, title: str) -> None:
        self._title.setText(title)

    def set_summary(self, summary: str) -> None:
        self._summary.setText(summary)
