"""What a file decides can be seen here, copied and followed, and not changed."""

from collections.abc import Collection

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.app import App
from uptime_desktop.gui import theme
from uptime_desktop.gui.declared import opening_problem, where_to_edit
from uptime_desktop.gui.dialogs.labels import LinkButton, Separator, ThemeLabel
from uptime_desktop.gui.dialogs.maintenance_week import WeekGrid
from uptime_desktop.gui.dialogs.monitors_field import Choices
from uptime_desktop.i18n import tr


class DeclaredNote(QFrame):
    """A line on top of what cannot be changed: where it can be. Not there while no file decides."""

    def __init__(self, app: App, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._path = app.declared_in
        self.sentence = ThemeLabel(where_to_edit(app), lambda tokens: tokens.text_2)
        self.sentence.setWordWrap(True)
        self.open_file = LinkButton(tr("Open file"))
        self.open_file.clicked.connect(self._open)
        row = QHBoxLayout()
        row.setContentsMargins(theme.MARGIN, 2, theme.MARGIN - theme.CELL_PADDING, 2)
        row.addWidget(self.sentence, 1)
        row.addWidget(self.open_file)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(Separator())
        for part in (self.sentence, self.open_file):
            part.setToolTip("" if self._path is None else str(self._path))
        self.setVisible(self._path is not None)

    def _open(self) -> None:
        if self._path is not None:
            problem = opening_problem(self._path)
            if problem:
                self.sentence.setText(problem)


def make_read_only(whole: QWidget, why: str, but: Collection[QWidget] = ()) -> None:
    """Have nothing in it be changed; texts can still be read to the end and copied, and what is
    folded away be opened. `but` are those that change nothing."""
    for part in whole.findChildren(QWidget):
        if part in but or isinstance(part.parent(), QComboBox | QAbstractSpinBox):
            continue
        match part:
            case QLineEdit() | QPlainTextEdit() | QAbstractSpinBox():
                part.setReadOnly(True)
                _Paper.put_under(part)
            case QToolButton() if part.arrowType() is not Qt.ArrowType.NoArrow:
                continue
            case QComboBox() | QAbstractButton() | WeekGrid():
                part.setEnabled(False)
            case _:
                continue
        part.setToolTip(why)
    for choices in whole.findChildren(Choices):
        choices.is_fixed = True


class _Paper(QObject):
    """Under what cannot be typed in lies the colour of the window, whichever that is."""

    @classmethod
    def put_under(cls, editor: QWidget) -> None:
        if editor.findChild(cls, options=Qt.FindChildOption.FindDirectChildrenOnly) is None:
            cls(editor)

    def __init__(self, editor: QWidget) -> None:
        super().__init__(editor)
        self._editor = editor
        editor.installEventFilter(self)
        self._colour()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.ApplicationPaletteChange):
            self._colour()
        return super().eventFilter(watched, event)

    def _colour(self) -> None:
        palette, wanted = self._editor.palette(), theme.tokens().window
        # Setting a palette is itself a change of palette.
        if palette.color(QPalette.ColorRole.Base) != wanted:
            palette.setColor(QPalette.ColorRole.Base, wanted)
            self._editor.setPalette(palette)
