"""Where alerts go beside this computer: chat, mail, push; each can be tried."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from uptime_desktop.app import App
from uptime_desktop.domain.alerts import Channel
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.gui import theme
from uptime_desktop.gui.declared import where_to_edit
from uptime_desktop.gui.dialogs.channel_form import ChannelForm
from uptime_desktop.gui.dialogs.labels import Hint, ResultLine, Separator, ThemeLabel
from uptime_desktop.gui.dialogs.settings_changes import Changes
from uptime_desktop.gui.dialogs.settings_form import SettingsPage
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import told, tr


class ChannelsPage(SettingsPage):
    def __init__(self, changes: Changes, app: App, tasks: Tasks) -> None:
        self._app = app
        self._tasks = tasks
        self.rows: dict[str, ChannelRow] = {}
        self.form: ChannelForm | None = None
        super().__init__(changes)

    def build(self) -> None:
        self.section(tr("Channels"), tr("where alerts go beside this computer"))
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        self._list.setContentsMargins(0, 0, 0, 0)
        self.none = Hint(tr("None yet: alerts are shown on this computer only."))
        self.add_button = QPushButton(tr("&Add channel…"))
        self.add_button.clicked.connect(lambda _: self.open_form())
        whole = QWidget()
        layout = QVBoxLayout(whole)
        layout.setContentsMargins(2, 2, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.none)
        layout.addLayout(self._list)
        row = QHBoxLayout()
        row.addWidget(self.add_button)
        row.addStretch(1)
        layout.addLayout(row)
        self._place = layout
        self.add_wide(whole)
        self.show_channels()

    def explain(self) -> None:
        """Each channel says it all already."""

    @property
    def is_declared(self) -> bool:
        return self._app.declared_in is not None

    def lock(self) -> None:
        why = where_to_edit(self._app)
        self.add_button.setEnabled(not why)
        self.add_button.setToolTip(why)
        for row in self.rows.values():
            row.lock(why)

    def show_channels(self) -> None:
        """Those there are; a row that is there already keeps what it says."""
        known = {channel.id: channel for channel in self._app.channels.known}
        for gone in self.rows.keys() - known.keys():
            row = self.rows.pop(gone)
            row.hide()
            row.deleteLater()
        for channel_id, channel in known.items():
            if channel_id not in self.rows:
                self.rows[channel_id] = self._make_row(channel)
            self.rows[channel_id].show_channel(channel)
        self.lock()
        self.none.setVisible(not known)

    def open_form(self) -> None:
        """Ask for a new one, below those there are."""
        form = self.form = ChannelForm(self._app, self._tasks)
        form.saved.connect(self._added)
        form.left.connect(self._close_form)
        self._place.insertWidget(2, form)
        self.add_button.hide()
        form.name.setFocus()

    def _make_row(self, channel: Channel) -> "ChannelRow":
        row = ChannelRow(self._app, self._tasks, channel)
        row.changed.connect(self.show_channels)
        self._list.addWidget(row)
        return row

    def _added(self) -> None:
        self._close_form()
        self.show_channels()

    def _close_form(self) -> None:
        if self.form is not None:
            self.form.hide()
            self.form.deleteLater()
            self.form = None
        self.add_button.show()
        self.add_button.setFocus()


class ChannelRow(QWidget):
    """One channel: whether it is on, whether it works, and what can be done with it."""

    changed = Signal()

    def __init__(self, app: App, tasks: Tasks, channel: Channel) -> None:
        super().__init__()
        self._app = app
        self._tasks = tasks
        self._channel = channel
        self.form: ChannelForm | None = None
        self.box = QCheckBox()
        self.box.clicked.connect(self._switch)
        self.test = _button(tr("Send test"), self._begin_test)
        self.edit = _button(tr("Edit…"), self._open_form)
        self.outcome = ResultLine()
        self.outcome.headline.setFont(self.font())
        self.question = QWidget()
        self.remove = _button(tr("Remove"), self._ask)
        self.agree = _button(tr("Forget it"), self._begin_removal)
        self.keep = _button(tr("Keep it"), self.question.hide)
        self._lay_out()
        self.show_channel(channel)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(0, 6, 0, 6)
        top.setSpacing(6)
        top.addWidget(self.box, 1)
        for button in (self.test, self.edit, self.remove):
            top.addWidget(button)
        sentence = ThemeLabel(
            tr("Its address is forgotten, and nothing is sent there any more."),
            lambda tokens: tokens.degraded,
        )
        sentence.setFont(theme.small(self.font()))
        sentence.setWordWrap(True)
        asking = QHBoxLayout(self.question)
        asking.setContentsMargins(22, 0, 0, 6)
        asking.setSpacing(8)
        asking.addWidget(sentence, 1)
        asking.addWidget(self.keep)
        asking.addWidget(self.agree)
        self.question.hide()
        self.outcome.setContentsMargins(22, 0, 0, 6)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addLayout(top)
        self._layout.addWidget(self.question)
        self._layout.addWidget(self.outcome)
        self._layout.addWidget(Separator())

    def show_channel(self, channel: Channel) -> None:
        self._channel = channel
        self.box.setText(channel.name.replace("&", "&&"))
        self.box.setChecked(channel.is_on)
        for button, words in (
            (self.test, tr("Send a test to {name}")),
            (self.edit, tr("Edit {name}")),
            (self.remove, tr("Remove {name}")),
            (self.agree, tr("Forget {name}")),
            (self.keep, tr("Keep {name}")),
        ):
            button.setAccessibleName(words.format(name=channel.name))
        fault = self._app.channel_faults.get(channel.id)
        if fault is None:
            self._forget_outcome()
        else:
            self._say_problem(tr("Cannot be reached: {reason}").format(reason=told(fault)))

    def lock(self, why: str) -> None:
        """While a file decides it can only be tried."""
        for part in (self.box, self.edit, self.remove):
            part.setEnabled(not why and (part is not self.edit or self.form is None))
            part.setToolTip(why)

    def _switch(self, is_on: bool) -> None:
        self._tasks.start(self._change(is_on))

    async def _change(self, is_on: bool) -> None:
        try:
            await self._app.channels.edit(self._channel.id, is_on=is_on)
        except UserError as error:
            self._say_problem(error.text(tr))
        if isValid(self):
            self.changed.emit()

    def _begin_test(self) -> None:
        self.test.setEnabled(False)
        self.outcome.show_checking()
        self.outcome.headline.setText(tr("Sending…"))
        self.outcome.show()
        self._tasks.start(self._send_test())

    async def _send_test(self) -> None:
        problem = ""
        try:
            await self._app.test_channel(self._channel.id)
        except UserError as error:
            said = error.text(tr)
            problem = said[:1].upper() + said[1:]
        if not isValid(self):
            return
        self.test.setEnabled(True)
        if problem:
            self._say_problem(problem)
        else:
            self.outcome.show_good(tr("The test was taken. Look whether it arrived."))
            self.outcome.show()

    def _ask(self) -> None:
        self.question.show()
        self.keep.setFocus()

    def _begin_removal(self) -> None:
        self.question.setEnabled(False)
        self._tasks.start(self._remove())

    async def _remove(self) -> None:
        try:
            await self._app.channels.remove(self._channel.id)
        except UserError as error:
            if isValid(self):
                self.question.setEnabled(True)
                self._say_problem(error.text(tr))
            return
        if isValid(self):
            self.changed.emit()

    def _open_form(self) -> None:
        form = self.form = ChannelForm(self._app, self._tasks, self._channel)
        form.saved.connect(self._saved)
        form.left.connect(self._close_form)
        self._layout.insertWidget(1, form)
        self.edit.setEnabled(False)
        form.name.setFocus()

    def _saved(self) -> None:
        self._close_form()
        self.changed.emit()

    def _close_form(self) -> None:
        if self.form is not None:
            self.form.hide()
            self.form.deleteLater()
            self.form = None
        self.edit.setEnabled(True)
        self.edit.setFocus()

    def _say_problem(self, sentence: str) -> None:
        if isValid(self):
            self.outcome.show_problem(sentence)
            self.outcome.show()

    def _forget_outcome(self) -> None:
        self.outcome.clear()
        self.outcome.hide()


def _button(text: str, act: Callable[[], object]) -> QPushButton:
    button = QPushButton(text)
    button.clicked.connect(lambda _: act())
    return button
