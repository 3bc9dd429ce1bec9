"""Tells people of trouble, once somebody asks for that: on this screen and through channels."""

from collections.abc import Callable, Mapping
from typing import Protocol

from uptime_desktop.alerts.apprise_channel import AppriseCourier
from uptime_desktop.alerts.board import Board, Fallback
from uptime_desktop.alerts.notice import Notifier
from uptime_desktop.alerts.sender import Sender
from uptime_desktop.channel_book import ChannelBook
from uptime_desktop.checks.redaction import redacted
from uptime_desktop.config import Settings
from uptime_desktop.domain.alerts import DESKTOP, Faults, Key, Outbox
from uptime_desktop.domain.refusal import Unable
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.engine.bus import Bus
from uptime_desktop.engine.clock import Clock
from uptime_desktop.outgoing import Acts, MonitorDesk


class Watched(Acts, Protocol):
    """What of the app can give alarm, beside what an answer to an alert can ask for."""

    bus: Bus

    @property
    def faults(self) -> Faults: ...

    def on_faults(self, listener: Callable[[Faults], None]) -> Callable[[], None]: ...


def _nowhere(_title: str, _text: str) -> bool:
    """There is no other way to show a notice."""
    return False


class Alarm:
    def __init__(
        self,
        app: Watched,
        outbox: Outbox,
        channels: ChannelBook,
        clock: Clock,
        settings: Callable[[], Settings],
        faulty: Callable[[], None],
    ) -> None:
        self._app = app
        self._outbox = outbox
        self._channels = channels
        self._clock = clock
        self._settings = settings
        self._faulty = faulty
        self._sender: Sender | None = None

    def start(
        self,
        notifier: Notifier | None,
        *,
        on_open: Callable[[Key | None], None] = lambda _: None,
        fallback: Fallback = _nowhere,
    ) -> None:
        """Tell a person of trouble from now on; without this it is only in the log.

        Without a notifier it goes to the channels alone. `on_open` is asked to show a monitor or,
        with None, the program; `fallback` to show a title and a text where the desktop has no
        service for it.
        """
        desk = MonitorDesk(self._app)
        board = None if notifier is None else Board(notifier, desk, on_open, fallback)
        self._sender = Sender(
            board,
            self._outbox,
            desk,
            self._clock,
            self._settings,
            self._channels,
            AppriseCourier(redacted),
        )
        self._sender.on_channel_faults(self._faulty)
        self._app.bus.subscribe(self._sender.hear)
        self._sender.hear_faults(self._app.faults)
        self._app.on_faults(self._sender.hear_faults)
        self._app.on_redefined(self._sender.hear_redefined)

    async def close(self) -> None:
        if self._sender is not None:
            await self._sender.close()

    @property
    def channel_faults(self) -> Mapping[str, str]:
        """Why channels cannot be reached, in a sentence each, by their id."""
        return {} if self._sender is None else self._sender.channel_faults

    async def test_channel(self, channel_id: str) -> None:
        """Send a message to a channel; `Unable` with the reason where it does not get there."""
        if channel_id != DESKTOP:
            self._channels.named(channel_id)
        if self._sender is None:
            self.start(None)
        assert self._sender is not None
        problem = await self._sender.test_channel(channel_id)
        if problem is not None:
            raise Unable(Sentence("nothing could be sent: {reason}", reason=problem))

    async def test(self) -> None:
        """Show a notice for who wants to see one; `Unable` with the reason where none can be."""
        problem = None if self._sender is None else await self._sender.test()
        if problem is not None:
            raise Unable(Sentence("no notice can be shown: {reason}", reason=problem))
