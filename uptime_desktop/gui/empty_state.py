"""What stands where the list will be: a field for the first address, tried while it is typed."""

import asyncio
from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QPalette,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.app import App
from uptime_desktop.checks.registry import KINDS, definition_of, kind_for
from uptime_desktop.domain.model import Every, Setting
from uptime_desktop.domain.refusal import Refused, UserError
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.draft import targets_in, throwaway
from uptime_desktop.gui.dialogs.labels import LinkButton, ResultLine, ThemeLabel
from uptime_desktop.gui.figures import interval_text
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import ntr, tr

_DELAY_S: Final = 0.3
_MOST_LINES: Final = 8
_LONGEST_PREFILLED: Final = 2_048


class EmptyState(QWidget):
    """Enter adds what is typed; of several lines every one."""

    added = Signal(list)
    """The monitors that are watched now."""
    demo_asked = Signal()
    import_asked = Signal()
    editor_asked = Signal(str)
    """The form with every kind is wanted, to begin with this text."""

    def __init__(self, app: App, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        self._waiting: asyncio.TimerHandle | None = None
        self._probing: asyncio.Task[object] | None = None
        self._is_adding = False
        self._has_looked = False
        self.input = AddressInput()
        self.add_button = QPushButton(tr("&Watch it"))
        self.outcome = ResultLine()
        self.more_link = LinkButton(tr("More kinds…"))
        self.import_link = LinkButton(tr("Import from Uptime Kuma, Gatus, Healthchecks…"))
        self.demo_link = LinkButton(tr("Try the demo"))
        self._lay_out()
        self.setFocusProxy(self.input)
        self.input.textChanged.connect(self._edited)
        self.input.entered.connect(self.add)
        self.add_button.clicked.connect(self.add)
        self.more_link.clicked.connect(lambda: self.editor_asked.emit(self._single()))
        self.import_link.clicked.connect(self.import_asked)
        self.demo_link.clicked.connect(self.demo_asked)
        self._edited()

    # How it looks

    def _lay_out(self) -> None:
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        heading = QLabel(tr("What should be watched?"))
        heading.setFont(theme.title(heading.font()))
        interval = interval_text(Every(self._app.settings.default_interval_ms))
        text = tr("Paste an address. It is tried at once and then {interval}.")
        hint = ThemeLabel(text.format(interval=interval), lambda tokens: tokens.text_2)
        hint.setWordWrap(True)
        self.add_button.setDefault(True)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.input, 1)
        row.addWidget(self.add_button, 0, Qt.AlignmentFlag.AlignTop)
        self.add_button.setMinimumHeight(self.input.line_height())
        self.add_button.setMinimumWidth(self.fontMetrics().horizontalAdvance("0") * 12)
        self.outcome.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        links = QHBoxLayout()
        links.setSpacing(16)
        links.addWidget(self.more_link)
        links.addWidget(self.import_link)
        links.addWidget(self.demo_link)
        links.addStretch(1)
        column = QVBoxLayout()
        column.setSpacing(8)
        column.addStretch(2)
        column.addWidget(heading)
        column.addWidget(hint)
        column.addSpacing(4)
        column.addLayout(row)
        column.addWidget(self.outcome)
        column.addSpacing(4)
        column.addLayout(self._examples())
        column.addSpacing(8)
        column.addLayout(links)
        column.addStretch(3)
        middle = QWidget()
        middle.setLayout(column)
        middle.setMaximumWidth(self.fontMetrics().horizontalAdvance("0") * 68)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, theme.MARGIN)
        layout.addStretch(1)
        layout.addWidget(middle, 100)
        layout.addStretch(1)

    def _examples(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for number, (pattern, meaning) in enumerate(examples().values()):
            written = ThemeLabel(pattern, lambda tokens: tokens.text_2)
            written.setFont(theme.mono())
            grid.addWidget(written, number, 0)
            grid.addWidget(ThemeLabel(meaning, lambda tokens: tokens.text_2), number, 1)
        return grid

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        if not self._has_looked:
            self._has_looked = True
            self._prefill()
        self.input.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        """What nobody sees is not tried."""
        super().hideEvent(event)
        self._stop()

    def _prefill(self) -> None:
        """Begin with what was copied, if it can only be an address."""
        copied = QGuiApplication.clipboard().text().strip()
        if looks_like_address(copied) and not self.input.toPlainText():
            self.input.setPlainText(copied)
            self.input.selectAll()

    # What is typed

    def _single(self) -> str:
        """The one address that is typed, if it is one."""
        targets = targets_in(self.input.toPlainText())
        return targets[0] if len(targets) == 1 else ""

    def _edited(self) -> None:
        self._stop()
        self.outcome.clear()
        self.add_button.setEnabled(bool(targets_in(self.input.toPlainText())))
        if self.add_button.isEnabled():
            self._waiting = asyncio.get_running_loop().call_later(_DELAY_S, self._look)

    def _look(self) -> None:
        """Try the one address, or say how many there are."""
        self._waiting = None
        try:
            definitions = self._definitions()
        except Refused as refused:
            self._tell(refused)
            return
        if len(definitions) == 1:
            self.outcome.show_checking()
            self._probing = self._tasks.start(self._probe(definitions[0]))
        else:
            n = len(definitions)
            self.outcome.show_note(ntr("{n} address", "{n} addresses", n).format(n=n))

    async def _probe(self, definition: dict[str, Setting]) -> None:
        try:
            once = throwaway(definition, self._app.clock.wall())
            self.outcome.show_outcome(await self._app.check_once(once))
        except UserError as error:
            self._tell(error)

    def _definitions(self) -> list[dict[str, Setting]]:
        return [definition_of(target) for target in targets_in(self.input.toPlainText())]

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        if self._probing is not None:
            self._probing.cancel()
        self._waiting = self._probing = None

    # What is done

    def add(self) -> None:
        """Watch all that is typed, or none if one of it cannot be."""
        if self._is_adding or not targets_in(self.input.toPlainText()):
            return
        self._stop()
        try:
            definitions = self._definitions()
        except Refused as refused:
            self._tell(refused)
            return
        self._set_adding(True)
        self._tasks.start(self._add(definitions))

    async def _add(self, definitions: list[dict[str, Setting]]) -> None:
        try:
            monitors = await self._app.add(definitions)
        except UserError as error:
            self._set_adding(False)
            self._tell(error)
            return
        self._set_adding(False)
        self.input.clear()
        self.added.emit(monitors)

    def _set_adding(self, is_adding: bool) -> None:
        self._is_adding = is_adding
        self.input.setReadOnly(is_adding)
        self.add_button.setEnabled(not is_adding)

    def _tell(self, error: UserError) -> None:
        sentence = error.text(tr)
        self.outcome.show_problem(sentence)
        self.input.setAccessibleDescription(sentence)


class AddressInput(QPlainTextEdit):
    """One line that grows with what is pasted. Enter means it is complete."""

    entered = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Address to watch"))
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(7)
        self.document().clearUndoRedoStacks()
        self.textChanged.connect(self._grow)
        self._grow()

    def line_height(self) -> int:
        return self._height(1)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.entered.emit()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Leave Ctrl+Z to who has something to undo."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            undoes = event.matches(QKeySequence.StandardKey.Undo)
            if undoes and not self.document().isUndoAvailable():
                event.ignore()
                return False
        return super().event(event)

    def _grow(self) -> None:
        self.setAccessibleDescription("")
        lines = min(max(1, self.blockCount()), _MOST_LINES)
        self.setFixedHeight(self._height(lines))
        is_long = self.blockCount() > _MOST_LINES
        self.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAsNeeded
            if is_long
            else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )

    def _height(self, lines: int) -> int:
        spare = 2 * (self.frameWidth() + round(self.document().documentMargin()))
        return self.fontMetrics().lineSpacing() * lines + spare + 1


def examples() -> dict[str, tuple[str, str]]:
    """What can be typed, by kind: how it looks and what it means. Only of kinds there are."""
    known = {
        "http": ("https://…", tr("web page or API")),
        "tcp": ("host:port", tr("TCP service, for example nas.lan:445")),
        "ping": ("ping://host", tr("whether a computer answers, and how fast")),
        "dns": ("dns://name", tr("what a name resolves to")),
        "tls": ("tls://host", tr("certificate: who it is for and how long it lasts")),
        "websocket": ("wss://…", tr("WebSocket")),
        "grpc": ("grpc://host:port", tr("gRPC service with a health check")),
    }
    return {name: known[name] for name in KINDS if name in known}


def looks_like_address(text: str) -> bool:
    """Whether a text that was copied for who knows what is an address beyond doubt."""
    if not text or len(text) > _LONGEST_PREFILLED or len(text.split()) != 1:
        return False
    if not text.lower().startswith(("http://", "https://")) and kind_for(text).name == "http":
        return False
    try:
        definition_of(text)
    except Refused:
        return False
    return True
