"""The ways that alerts take: to the screen of this computer, and to each channel elsewhere.

A lane tells what belongs in one message, and why nobody can know of it, if so.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import Final, Protocol

from uptime_desktop.alerts.board import Board
from uptime_desktop.alerts.digest import ON_SCREEN, Telling, digest_of
from uptime_desktop.alerts.message import Courier, Message, message_about
from uptime_desktop.alerts.notice import NotDelivered, digest_notice, notice_of, rule_for_all
from uptime_desktop.config import Settings
from uptime_desktop.domain.alert_rules import Rule, rule_of
from uptime_desktop.domain.alert_telling import by_monitor, worth_telling
from uptime_desktop.domain.alerts import Alert, Channels, Desk
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.i18n import tr

_DIGEST: Final = "digest"


class Moment(Protocol):
    def wall(self) -> int: ...

    def zone(self) -> tzinfo: ...


class ScreenLane:
    """Notices on the screen: of each monitor one at a time, the newest replaces the one before,
    and one for many."""

    def __init__(
        self, board: Board, desk: Desk, clock: Moment, settings: Callable[[], Settings]
    ) -> None:
        self._board = board
        self._desk = desk
        self._clock = clock
        self._settings = settings
        self._one_by_one = asyncio.Lock()
        self._digested: set[int] = set()

    async def tell(self, alerts: Sequence[Alert]) -> str | None:
        async with self._one_by_one:
            return await self._tell(alerts)

    async def clear(self, monitor_number: int) -> None:
        """What a notice says of a monitor is not so any more."""
        async with self._one_by_one:
            await self._take_down(monitor_number)

    async def clear_removed(self) -> None:
        """The buttons on a notice of a monitor that is gone would do nothing."""
        async with self._one_by_one:
            for place in self._board.places:
                if isinstance(place, int) and self._desk.subject(place) is None:
                    await self._take_down(place)

    async def _tell(self, alerts: Sequence[Alert]) -> str | None:
        now, zone, settings = self._clock.wall(), self._clock.zone(), self._settings()
        for_all = rule_for_all(settings)
        numbers = by_monitor(alerts)
        told = _tellings(alerts, self._desk, now, for_all, is_news=True)
        if not settings.notifications:
            told = {}
        for number in numbers.keys() - told.keys():
            if not settings.notifications or _is_over(numbers[number], self._desk, number):
                await self._take_down(number)
        if not told:
            return None
        sounds = (rule_of(one.rule, for_all).has_sound(settings.sound) for _, one in told.values())
        has_sound = any(sounds)
        if len(told) > 1:
            return await self._tell_many(told, has_sound)
        ((number, (alert, subject)),) = told.items()
        if alert.is_recovery:
            await self._leave_digest(number)
        notice = notice_of(alert, subject, now, zone, has_sound=has_sound)
        return await self._board.show(number, notice, subject.key)

    async def _tell_many(self, told: dict[int, Telling], has_sound: bool) -> str | None:
        notice = digest_notice(digest_of(list(told.values()), ON_SCREEN), has_sound=has_sound)
        error = await self._board.show(_DIGEST, notice, None)
        if error is None:
            self._digested = {one for one, (alert, _) in told.items() if not alert.is_recovery}
            for number in told:
                await self._board.clear(number)
        return error

    async def _take_down(self, number: int) -> None:
        await self._board.clear(number)
        await self._leave_digest(number)

    async def _leave_digest(self, number: int) -> None:
        """A digest goes with the last of its monitors that was in trouble."""
        if number in self._digested:
            self._digested.discard(number)
            if not self._digested:
                await self._board.clear(_DIGEST)


class CourierLane:
    """Messages to one channel."""

    def __init__(
        self,
        channel_id: str,
        channels: Channels,
        courier: Courier,
        desk: Desk,
        clock: Moment,
        settings: Callable[[], Settings],
    ) -> None:
        self._channel_id = channel_id
        self._channels = channels
        self._courier = courier
        self._desk = desk
        self._clock = clock
        self._settings = settings

    async def tell(self, alerts: Sequence[Alert]) -> str | None:
        now, zone = self._clock.wall(), self._clock.zone()
        told = _tellings(alerts, self._desk, now, rule_for_all(self._settings()), is_news=False)
        if not told:
            return None
        return await self.send(message_about(list(told.values()), now, zone))

    async def send(self, message: Message) -> str | None:
        try:
            address = await self._channels.address(self._channel_id)
            await self._courier.send(address, message)
        except UserError as error:
            return error.text(tr)
        except NotDelivered as problem:
            return str(problem)
        return None


def _tellings(
    alerts: Sequence[Alert], desk: Desk, now: int, for_all: Rule, *, is_news: bool
) -> dict[int, Telling]:
    """What is worth telling, by monitor."""
    found = {}
    for number, own in by_monitor(alerts).items():
        subject = desk.subject(number)
        if subject is None:
            continue
        notify_recovery = rule_of(subject.rule, for_all).notify_recovery
        alert = worth_telling(own, subject, now, notify_recovery=notify_recovery, is_news=is_news)
        if alert is not None:
            found[number] = alert, subject
    return found


def _is_over(alerts: Sequence[Alert], desk: Desk, number: int) -> bool:
    return desk.subject(number) is None or any(one.is_recovery for one in alerts)
