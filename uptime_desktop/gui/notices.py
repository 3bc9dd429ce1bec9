"""What the window has to say of itself: above the list when it is news, below while it lasts."""

from collections.abc import Callable

from uptime_desktop.app import App
from uptime_desktop.gui.faults import channel_sentences, own_sentences
from uptime_desktop.gui.notice_line import NoticeLine
from uptime_desktop.gui.status_line import StatusLine
from uptime_desktop.i18n import tr


class Notices:
    def __init__(
        self, app: App, line: NoticeLine, status: StatusLine, open_channels: Callable[[], None]
    ) -> None:
        self._app = app
        self._line = line
        self._status = status
        self._open_channels = open_channels
        self._own: list[str] = []
        self._broken: list[str] = []
        self._of_channels = ""
        self.say_faults()

    def say_problem(self, sentence: str) -> None:
        self._line.tell(sentence)

    def say_no_tray(self) -> None:
        self._line.tell(_no_tray(), "status-unknown")

    def say_tray_is_there(self) -> None:
        self._take_back(_no_tray())

    def say_faults(self) -> None:
        """What does not work, if that is other than before."""
        own, broken = own_sentences(self._app), channel_sentences(self._app)
        self._status.show_faults([*own, *broken])
        self._say_own(own)
        self._say_channels(broken)

    def _say_own(self, own: list[str]) -> None:
        before, self._own = self._own, own
        for sentence in before:
            if sentence not in own:
                self._take_back(sentence)
        news = [one for one in own if one not in before]
        if news:
            self._line.tell(news[0], "status-down")

    def _say_channels(self, broken: list[str]) -> None:
        before, self._broken = self._broken, broken
        news = [one for one in broken if one not in before]
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
