"""What is filled in, scrolled up and down; sideways too where the screen leaves it no other way."""

from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QStyle, QWidget

_SHARE: Final = 3
"""It may take one part in so many of the screen's width: more stands beside it."""


class Sheet(QScrollArea):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """What is inside became wider or narrower, and so must this."""
        if event.type() is QEvent.Type.LayoutRequest and watched is self.widget():
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._needed(), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        room = self.screen().availableSize().width() // _SHARE
        return QSize(min(room, self._needed()), super().minimumSizeHint().height())

    def _needed(self) -> int:
        """The width at which nothing is cut off."""
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        content = self.widget()
        return bar + 2 + (0 if content is None else content.minimumSizeHint().width())
