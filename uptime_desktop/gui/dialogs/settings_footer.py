"""The foot of the settings: what became of the last change, and the way back."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from uptime_desktop.domain.status import Status
from uptime_desktop.gui import icons, theme
from uptime_desktop.gui.dialogs.labels import Hint, LinkButton
from uptime_desktop.i18n import tr

_ICON = 14


class Footer(QWidget):
    restore_asked = Signal()
    undo_asked = Signal()
    close_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        restore = self._restore = QPushButton(tr("Restore &defaults"))
        restore.setToolTip(tr("All settings on this page"))
        restore.clicked.connect(lambda _: self.restore_asked.emit())
        self._icon = QLabel()
        self._state = Hint()
        self._undo = LinkButton(tr("Undo"))
        self._undo.setToolTip(tr("Undo the last change"))
        self._undo.setAccessibleDescription(tr("Undo the last change"))
        self._undo.clicked.connect(lambda _: self.undo_asked.emit())
        self._undo.hide()
        close = QPushButton(tr("&Close"))
        close.setDefault(True)
        close.clicked.connect(lambda _: self.close_asked.emit())
        self._layout = layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.MARGIN, 10, theme.MARGIN, 10)
        layout.setSpacing(8)
        layout.addWidget(restore)
        layout.addStretch(1)
        layout.addWidget(self._icon)
        layout.addWidget(self._state)
        layout.addWidget(self._undo)
        layout.addSpacing(8)
        layout.addWidget(close)
        self.show_saved()

    @property
    def state(self) -> str:
        return self._state.text()

    def show_restore(self, *, possible: bool) -> None:
        """Not everything has defaults."""
        self._restore.setVisible(possible)

    def show_undo(self, *, possible: bool) -> None:
        if not possible and self._undo.hasFocus():
            # Or the focus would go to whatever comes next, which is the button that closes.
            self.focusPreviousChild()
        self._undo.setVisible(possible)

    def show_saved(self) -> None:
        self._say(Status.UP, tr("Saved and in use"))

    def show_unused(self) -> None:
        self._say(Status.DEGRADED, tr("The marked value is not in use"))

    def show_problem(self, sentence: str) -> None:
        self._say(Status.DOWN, tr("Not saved: {problem}").format(problem=sentence))

    def _say(self, status: Status, sentence: str) -> None:
        name = icons.icon_name(status)
        self._icon.setPixmap(icons.pixmap(name, _ICON, self.devicePixelRatioF()))
        self._state.setText(sentence)
        # A reason may be long: it takes the room that is left, in as many lines as it needs.
        is_long = status is Status.DOWN
        self._state.setWordWrap(is_long)
        self._layout.setStretchFactor(self._state, 100 if is_long else 0)
