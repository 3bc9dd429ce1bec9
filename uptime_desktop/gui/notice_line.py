"""One line above the list: an icon, a sentence, perhaps an act; never in the way."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from uptime_desktop.gui import icons, theme
from uptime_desktop.i18n import tr


class NoticeLine(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._act: Callable[[], None] | None = None
        self._icon = QLabel(self)
        self._text = QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setWordWrap(True)
        self._button = QPushButton(self)
        self._button.setFlat(True)
        self._button.clicked.connect(self._do)
        self._close = QToolButton(self)
        self._close.setText("×")
        self._close.setAutoRaise(True)
        self._close.setAccessibleName(tr("Close this message"))
        self._close.setToolTip(tr("Close this message"))
        self._close.clicked.connect(self.hide)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.CELL_PADDING * 2, 4, theme.CELL_PADDING, 4)
        layout.addWidget(self._icon)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._button)
        layout.addWidget(self._close)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text() if not self.isHidden() else ""

    def tell(
        self,
        sentence: str,
        icon: str = "status-degraded",
        act_name: str = "",
        act: Callable[[], None] | None = None,
    ) -> None:
        """Say this, in the place of what was said before."""
        self._act = act
        self._icon.setPixmap(icons.pixmap(icon, theme.ICON, self.devicePixelRatioF()))
        self._text.setText(sentence)
        self._button.setText(act_name)
        self._button.setVisible(act is not None)
        self.show()

    def _do(self) -> None:
        self.hide()
        if self._act is not None:
            self._act()
