"""The first page of an import: which file it is, dropped, looked for or typed, and whose."""

from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.config import path_of
from uptime_desktop.exchange.programs import PROGRAMS
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.fields import CalmCombo
from uptime_desktop.gui.dialogs.form import Form
from uptime_desktop.gui.dialogs.import_words import sources
from uptime_desktop.gui.dialogs.labels import Hint, ResultLine, ThemeLabel
from uptime_desktop.i18n import tr

_BY_ITSELF = ""


class ChoicePage(QWidget):
    edited = Signal()
    taken = Signal()
    """A file was dropped or found, and wants to be looked into."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.place = _DropPlace()
        self.line = QLineEdit()
        self.line.setAccessibleName(tr("File or folder"))
        self.program = CalmCombo()
        self.program.setAccessibleName(tr("Program"))
        self.program.addItem(tr("recognised by itself"), _BY_ITSELF)
        for name, label in PROGRAMS.items():
            self.program.addItem(label, name)
        self.outcome = ResultLine()
        self._lay_out()
        self.setFocusProxy(self.place.file)
        self.place.dropped.connect(self.take)
        self.place.file.clicked.connect(lambda: self._browse(QFileDialog.FileMode.ExistingFile))
        self.place.folder.clicked.connect(lambda: self._browse(QFileDialog.FileMode.Directory))
        self.line.textChanged.connect(lambda _: self._edited())
        self.program.currentIndexChanged.connect(lambda _: self._edited())

    @property
    def path(self) -> Path | None:
        text = self.line.text().strip()
        return path_of(text) if text else None

    @property
    def chosen_program(self) -> str | None:
        """Whose it is said to be, if it was said."""
        return str(self.program.currentData()) or None

    def take(self, path: str) -> None:
        self.line.setText(path)
        self.taken.emit()

    def show_reading(self) -> None:
        self.outcome.show_checking()
        self.outcome.headline.setText(tr("Reading…"))

    def _edited(self) -> None:
        self.outcome.clear()
        self.edited.emit()

    def _browse(self, mode: QFileDialog.FileMode) -> None:
        title = tr("Import a folder") if mode is QFileDialog.FileMode.Directory else tr("Import")
        dialog = QFileDialog(self.window(), title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(mode)
        dialog.fileSelected.connect(self.take)
        dialog.open()

    def _lay_out(self) -> None:
        heading = QLabel(tr("What should be taken over?"))
        heading.setFont(theme.title(heading.font()))
        hint = ThemeLabel(
            tr("Nothing is changed before you have seen what will become of every field."),
            lambda tokens: tokens.text_2,
        )
        hint.setWordWrap(True)
        form = Form(gap=8)
        form.add(tr("F&ile or folder"), self.line)
        form.labels[0].setBuddy(self.line)
        form.add(tr("&Program"), self.program)
        form.labels[1].setBuddy(self.program)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, theme.MARGIN)
        layout.setSpacing(8)
        layout.addWidget(heading)
        layout.addWidget(hint)
        layout.addSpacing(4)
        layout.addWidget(self.place)
        layout.addSpacing(4)
        layout.addWidget(form)
        layout.addWidget(self.outcome)
        layout.addStretch(1)
        layout.addLayout(_known())


class _DropPlace(QFrame):
    """A frame to let a file fall into, with buttons for who has none in hand."""

    dropped = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(True)
        self._is_over = False
        self.file = QPushButton(tr("&Choose file…"))
        self.folder = QPushButton(tr("Choose f&older…"))
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.MARGIN, 2 * theme.MARGIN, theme.MARGIN, 2 * theme.MARGIN)
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(ThemeLabel(tr("Drop a file here, or"), lambda tokens: tokens.text_2))
        row.addWidget(self.file)
        row.addWidget(self.folder)
        row.addStretch(1)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        if _dropped_path(event):
            event.acceptProposedAction()
            self._show_over(is_over=True)

    def dragLeaveEvent(self, event: QEvent) -> None:  # noqa: N802
        event.accept()
        self._show_over(is_over=False)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        self._show_over(is_over=False)
        if path := _dropped_path(event):
            event.acceptProposedAction()
            self.dropped.emit(path)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        super().paintEvent(event)
        colours = theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(colours.selected if self._is_over else colours.base)
        border = colours.accent if self._is_over else colours.control_border
        painter.setPen(QPen(border, 1, Qt.PenStyle.DashLine))
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 3, 3)
        painter.end()

    def _show_over(self, *, is_over: bool) -> None:
        self._is_over = is_over
        self.update()


def _dropped_path(event: QDropEvent) -> str:
    """The first file or folder that is held, if one is."""
    urls = event.mimeData().urls()
    return next((url.toLocalFile() for url in urls if url.isLocalFile()), "")


def _known() -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(2)
    grid.setColumnStretch(1, 1)
    for row, (program, files) in enumerate(sources()):
        grid.addWidget(Hint(program), row, 0)
        grid.addWidget(Hint(files), row, 1)
    return grid
