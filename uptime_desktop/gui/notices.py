"""What the window has to say of itself: above the list when it is news, below while it lasts."""

from collections.abc import Callable

from uptime_desktop.app import App
from uptime_desktop.gui.faults import channel_sentences
from uptime_desktop.gui.notice_line import NoticeLine
from uptime_desktop.gui.status_line import StatusLine
from uptime_desktop.i18n import told, tr


class Notices:
    def __init__(
        self, app: App, line: NoticeLine, status: StatusLine, open_channels: Callable[[], None]
    ) -> None:
        self._app = app
        self._line = line
        self._status = status
        self._open_channels = open_channels
        self._fault = ""
        self._broken: list[str] = []
        self._of_channels = ""
        self.say_fault(app.fault)
        self.say_channel_faults()

    def say_problem(self, sentence: str) -> None:
        self._line.tell(sentence)

    def say_no_tray(self) -> None:
        self._line.tell(_no_tray(), "status-unknown")

    def say_tray_is_there(self) -> None:
        self._take_back(_no_tray())

    def say_fault(self, sentence: str | None) -> None:
        """Results cannot be written, for this reason; or (None) they can again."""
        before, self._fault = self._fault, "" if sentence is None else told(sentence)
        if not self._fault:
            self._take_back(before)
        elif self._fault != before:
            self._line.tell(self._fault, "status-down")

    def say_channel_faults(self) -> None:
        """Which channels cannot be reached, if that is other than before."""
        broken = channel_sentences(self._app)
        news = [one for one in broken if one not in self._broken]
        self._broken = broken
        self._status.show_faults(broken)
        if news:
            self._of_channels = " · ".join(news)
            words = tr("Channels…")
            self._line.tell(self._of_channels, "status-degraded", words, self._open_channels)
        elif not broken:
            self._take_back(self._of_channels)

    def _take_back(self, sentence: str) -> None:
        if sentence and self._line.text == sentence:
            self._line.hide()


def _no_tray() -> str:
    return tr("This desktop shows no tray icons, so this window stays in the task bar.")
