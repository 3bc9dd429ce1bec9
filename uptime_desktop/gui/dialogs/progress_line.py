"""How far long work is: a bar, what is done of how much, and the way to end it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from uptime_desktop.gui.dialogs.labels import Hint
from uptime_desktop.i18n import tr


class ProgressLine(QWidget):
    cancel_asked = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bar = QProgressBar()
        self.bar.setAccessibleName(name)
        self.bar.setTextVisible(False)
        self.counts = Hint()
        self.cancel = QPushButton(tr("Cancel"))
        self.cancel.clicked.connect(lambda _: self.cancel_asked.emit())
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.bar, 1)
        row.addWidget(self.cancel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(row)
        layout.addWidget(self.counts)

    def begin(self) -> None:
        """It is not known yet how much there is."""
        self.bar.setRange(0, 0)
        self.counts.setText("")
        self.cancel.setEnabled(True)

    def show_progress(self, done: int, total: int) -> None:
        self.bar.setRange(0, max(1, total))
        self.bar.setValue(done if total else 1)
        self.counts.setText(tr("{done} of {n}").format(done=done, n=total))

    def show_ending(self) -> None:
        """It was cancelled, and what was done is being taken back."""
        self.cancel.setEnabled(False)
        self.bar.setRange(0, 0)
        self.counts.setText(tr("Taking it back…"))
