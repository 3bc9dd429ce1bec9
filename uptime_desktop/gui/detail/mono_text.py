"""Text as a program wrote it: in letters of one width, as high as it is long."""

from typing import Final

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit

from uptime_desktop.gui import theme

_MOST_LINES: Final = 8


class MonoText(QPlainTextEdit):
    """Text in figures of one width, as high as it is long, up to a few lines."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(theme.mono())
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.document().setDocumentMargin(0)

    def show_text(self, text: str) -> None:
        self.setPlainText(text)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """With room for a scroll bar only where a line is too long."""
        metrics, text = self.fontMetrics(), self.toPlainText()
        height = min(self.blockCount(), _MOST_LINES) * metrics.lineSpacing() + 2
        if max(map(metrics.horizontalAdvance, text.splitlines()), default=0) > self.width() - 2:
            height += self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(height)
