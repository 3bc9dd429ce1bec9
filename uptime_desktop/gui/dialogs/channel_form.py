"""A channel to add or to change: its name, and its address, which is typed unseen."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from uptime_desktop.app import App, NoPlace
from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.domain.alerts import Channel
from uptime_desktop.domain.refusal import Refused, UserError
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.fields import STRETCH, Field
from uptime_desktop.gui.dialogs.form import Form
from uptime_desktop.gui.dialogs.labels import AllowFileButton, ResultLine
from uptime_desktop.gui.dialogs.written_fields import PasswordField, TextField
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import tr

_SERVICES = "https://github.com/caronc/apprise/wiki"


class ChannelForm(QWidget):
    """Without a channel it makes a new one."""

    saved = Signal()
    left = Signal()

    def __init__(self, app: App, tasks: Tasks, channel: Channel | None = None) -> None:
        super().__init__()
        self._app = app
        self._tasks = tasks
        self._channel = channel
        self.name = TextField(FieldSpec("name", FieldType.TEXT, "", label=tr("Name")), STRETCH)
        self.name.set_placeholder(tr("as in Team chat"))
        address = FieldSpec("url", FieldType.TEXT, "", is_password=True, label=tr("Apprise URL"))
        self.url = PasswordField(address)
        self.url.set_placeholder(tr("as in slack://… or mailto://…"))
        self.fields: dict[str, Field] = {"name": self.name, "url": self.url}
        if channel is not None:
            self.name.fill(channel.name)
            self.url.set_placeholder(tr("kept; type to replace it"))
        self.problem = ResultLine()
        self.problem.hide()
        self.allow_file = AllowFileButton()
        self.allow_file.hide()
        self.allow_file.clicked.connect(self._agree_to_file)
        self.save_button = QPushButton(tr("&Add") if channel is None else tr("Sa&ve"))
        self.save_button.clicked.connect(self.save)
        self.cancel_button = QPushButton(tr("Cancel"))
        self.cancel_button.clicked.connect(lambda _: self.left.emit())
        self._lay_out()
        for field in (self.name, self.url):
            field.changed.connect(self._forget_refusals)
            field.line.returnPressed.connect(self.save)

    def _lay_out(self) -> None:
        form = Form()
        form.add(self.name.title, self.name)
        form.add(self.url.title, self.url)
        link = QLabel()
        link.setFont(theme.small(self.font()))
        link.setText(_services_markup())
        link.setOpenExternalLinks(True)
        link.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        link.setWordWrap(True)
        link.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(link, 1)
        buttons.addWidget(self.cancel_button)
        buttons.addWidget(self.save_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 4)
        layout.setSpacing(6)
        layout.addWidget(form)
        layout.addWidget(self.problem)
        layout.addWidget(self.allow_file, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addLayout(buttons)

    def save(self) -> None:
        if self.isEnabled():
            self.setEnabled(False)
            self._tasks.start(self._save())

    async def _save(self) -> None:
        name, url = self.name.text().strip(), self.url.text().strip()
        channels = self._app.channels
        try:
            if self._channel is None:
                await channels.add(name, url)
            else:
                await channels.edit(self._channel.id, name=name, url=url or None)
        except UserError as error:
            self.setEnabled(True)
            self._tell(error)
            return
        self.saved.emit()

    def _tell(self, error: UserError) -> None:
        if isinstance(error, Refused) and error.field in self.fields:
            self.fields[error.field].refuse(error)
            self.fields[error.field].setFocus()
            return
        self.problem.show_problem(error.text(tr))
        self.problem.show()
        self.allow_file.setVisible(isinstance(error, NoPlace))

    def _agree_to_file(self) -> None:
        try:
            self._app.agree_to_secret_file()
        except UserError as error:
            self._tell(error)
            return
        self._forget_refusals()
        self.save()

    def _forget_refusals(self) -> None:
        self.problem.hide()
        self.allow_file.hide()
        for field in self.fields.values():
            field.refuse(None)


def _services_markup() -> str:
    """What can be written there, and where to read how."""
    colour = theme.tokens().link.name()
    style = f"color:{colour};text-decoration:none"
    link = f'<a href="{_SERVICES}" style="{style}">{tr("list of services")}</a>'
    text = tr("Chat, mail, push and more, each with an address of its own: {link}")
    return text.format(link=link)
