"""Where jobs report to us, who may, and whether they can be heard now."""

import asyncio

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget
from shiboken6 import isValid

from uptime_desktop.app import App
from uptime_desktop.config import parse_listen
from uptime_desktop.domain.status import Status
from uptime_desktop.gui import icons, theme
from uptime_desktop.gui.dialogs.labels import ThemeLabel
from uptime_desktop.gui.dialogs.settings_changes import Changes
from uptime_desktop.gui.dialogs.settings_form import SettingsPage
from uptime_desktop.gui.dialogs.settings_listen_fields import ListenField, PingKeyField
from uptime_desktop.gui.own_addresses import is_loopback, place_text, reachable
from uptime_desktop.i18n import told, tr

_ICON = 14
_MOVING_S = 0.5


class HeartbeatsPage(SettingsPage):
    def __init__(self, changes: Changes, app: App) -> None:
        self._app = app
        super().__init__(changes)
        leave_faults = app.on_faults(lambda _: self._tell_soon())
        leave_definitions = app.on_redefined(self._tell_soon)

        def leave() -> None:
            leave_faults()
            leave_definitions()

        self.destroyed.connect(leave)

    def build(self) -> None:
        self.section(tr("Listener"), tr("for jobs and servers that report to this computer"))
        self._listen = self.add_tall(ListenField("listen", tr("&Listen on")))
        self.warning = ThemeLabel(
            tr(
                "Everyone on your network can then report to this computer."
                " The connection is not encrypted."
            ),
            lambda tokens: tokens.degraded,
        )
        self.warning.setFont(theme.small(self.warning.font()))
        self.warning.setWordWrap(True)
        self.warning.setContentsMargins(2, 0, 0, 0)
        self.add_line(self.warning)
        self._shape = QLabel()
        self.state = ThemeLabel("", lambda tokens: tokens.text)
        self.state.setWordWrap(True)
        self.state.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(2, 2, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self._shape, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.state, 1)
        self.add_line(row)
        self.section(tr("Ping key"), tr("for jobs that are called by their names"))
        self._key = self.add_tall(PingKeyField("ping_key", tr("&Key")))
        self._key.hint.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def explain(self) -> None:
        settings = self._changes.settings
        host, port = parse_listen(settings.listen)
        is_ours_alone = is_loopback(host)
        self.warning.setVisible(not is_ours_alone)
        self._listen.hint.setVisible(is_ours_alone)
        self._listen.say(
            tr("Only programs on this computer can report.")
            if is_ours_alone
            else self.warning.text()
        )
        shown = reachable(host)
        place = f"{f'[{shown}]' if ':' in shown else shown}:{port}"
        how = tr("Without a key, a job reports only to the ping URL of its own monitor.")
        if settings.ping_key:
            how = tr(
                "A job reports to http://{place}/KEY/NAME. With ?create=1 a new name makes"
                " a new monitor."
            ).format(place=place)
        self._key.say(how)
        self._tell_state()

    def _tell_soon(self) -> None:
        """Now, and once the listener had time to move."""
        if isValid(self):
            self._tell_state()
            asyncio.get_running_loop().call_later(_MOVING_S, self._tell_if_there)

    def _tell_if_there(self) -> None:
        if isValid(self):
            self._tell_state()

    def _tell_state(self) -> None:
        """Whether anything can be heard: listening, not needed, or why not."""
        status, text, fault = Status.UP, "", self._app.listener_fault
        place = self._app.listens_at()
        if fault is not None:
            status, text = Status.DOWN, told(fault)
        elif place is not None:
            text = tr("Listening on {place}").format(place=place_text(*place))
        else:
            status = Status.PAUSED
            text = tr("Not listening: no monitor waits for a job, and there is no ping key.")
        pixmap = icons.pixmap(icons.icon_name(status), _ICON, self.devicePixelRatioF())
        self._shape.setPixmap(pixmap)
        self._shape.setFixedHeight(max(_ICON, self.state.fontMetrics().lineSpacing()))
        is_bad = status is Status.DOWN
        self.state.use(lambda tokens: tokens.down if is_bad else tokens.text)
        self.state.setText(text)
