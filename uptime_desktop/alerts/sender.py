"""Sends what waits in the outbox, and what the disk did not take from memory; at least once.

One task does it all, one notice after the other, so nothing else ever waits for a desktop that
does not answer. Of each monitor one notice is shown at a time: the newest replaces the one before.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Final, Protocol
from uuid import UUID

from uptime_desktop.alerts.board import Board
from uptime_desktop.alerts.notice import (
    fault_notice,
    fault_over_notice,
    notice_about,
    test_notice,
)
from uptime_desktop.config import Settings
from uptime_desktop.domain.alerts import Alert, Desk, Outbox
from uptime_desktop.domain.events import CheckFinished, Event, IncidentOpened, IncidentResolved
from uptime_desktop.domain.model import MINUTE_MS, SECOND_MS
from uptime_desktop.domain.refusal import UserError

FAULT_HELD_MS: Final = 5 * SECOND_MS
"""A disk that fails for a moment is not worth a notice."""

_RETRY_MS: Final = 10 * SECOND_MS
_LONGEST_SLEEP_MS: Final = 5 * MINUTE_MS
_NEVER: Final = 1 << 62
_LEAVE_WITHIN_S: Final = 1.0
_log = logging.getLogger(__name__)


class Clock(Protocol):
    def wall(self) -> int: ...

    def zone(self) -> tzinfo: ...

    async def wait(self, at_most_ms: int, woken: asyncio.Event) -> None: ...


class Sender:
    def __init__(
        self,
        board: Board,
        outbox: Outbox,
        desk: Desk,
        clock: Clock,
        settings: Callable[[], Settings],
    ) -> None:
        self._board = board
        self._outbox = outbox
        self._desk = desk
        self._clock = clock
        self._settings = settings
        self._woken = asyncio.Event()
        self._must_look = True
        self._look_at = 0
        self._unkept: list[Alert] = []
        self._unkept_at = 0
        self._unmarked: list[Alert] = []
        self._tries: tuple[UUID | None, int] = None, 1
        self._fault: str | None = None
        self._fault_at = 0
        self._is_fault_told = False
        self._running = asyncio.get_running_loop().create_task(self._run())

    async def close(self) -> None:
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)
        # What was told a moment ago would else be told again after a restart.
        with contextlib.suppress(UserError, TimeoutError):
            async with asyncio.timeout(_LEAVE_WITHIN_S):
                await self._mark_sent(())
        await self._board.close()

    # What it hears

    def hear(self, event: Event, persisted: bool) -> None:
        """Something happened; what is on disk is found in the outbox."""
        match event:
            case CheckFinished() if not persisted:
                self._tries = event.correlation_id, event.outcome.attempts
            case IncidentOpened() | IncidentResolved() if persisted:
                self._look()
            case IncidentOpened() | IncidentResolved():
                self._hold(event)

    def hear_fault(self, sentence: str | None) -> None:
        """Results cannot be written, for this reason; or (None) all are on disk."""
        if sentence is not None and self._fault is None:
            self._fault_at = self._clock.wall() + FAULT_HELD_MS
        self._fault = sentence
        self._look()

    async def test(self) -> str | None:
        """Show a notice now; why it could not be shown, if so."""
        return await self._board.show(None, test_notice(has_sound=self._settings().sound), None)

    def hear_redefined(self) -> None:
        """Something else is watched than before."""
        self._woken.set()

    def _look(self) -> None:
        self._must_look = True
        self._woken.set()

    def _hold(self, event: IncidentOpened | IncidentResolved) -> None:
        number = self._desk.number_of((event.site_id, event.monitor_id))
        if number is None:
            return
        at = event.timestamp
        if isinstance(event, IncidentOpened):
            run, tries = self._tries
            tries = tries if run == event.correlation_id else 1
            alert = Alert(number, event.kind, False, at, at, reason=event.reason, tries=tries)
        else:
            alert = Alert(number, event.kind, True, at, None, resolved_at=at)
        self._unkept.append(alert)
        self._unkept_at = 0
        self._woken.set()

    # What it does

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            try:
                await self._send_unkept()
                await self._send_claimed()
                await self._tell_fault()
                await self._clear_removed()
            except Exception:  # noqa: BLE001 - one that cannot be told must not end all
                _log.exception("An alert could not be told")
            await self._clock.wait(self._sleep_ms(), self._woken)

    def _sleep_ms(self) -> int:
        due = [self._look_at]
        if self._unkept:
            due.append(self._unkept_at)
        if self._fault is not None and not self._is_fault_told:
            due.append(self._fault_at)
        return min(max(0, min(due) - self._clock.wall()), _LONGEST_SLEEP_MS)

    async def _send_claimed(self) -> None:
        """Send what is due in the outbox, unless the disk fails: then memory has what is new."""
        now = self._clock.wall()
        if not self._must_look and now < self._look_at:
            return
        self._must_look, self._look_at = False, now + _RETRY_MS
        try:
            await self._mark_sent(())
            claimed = await self._outbox.claim(now)
            self._forget_unkept(claimed)
            for alerts in _by_monitor(claimed):
                error = await self._tell(alerts)
                if error is None:
                    await self._mark_sent(alerts)
                else:
                    await self._outbox.mark_failed(alerts, self._clock.wall(), error)
            next_at = await self._outbox.next_at()
        except UserError as error:
            _log.debug("The outbox cannot be used now: %s", error)
            return
        self._look_at = _NEVER if next_at is None else next_at

    async def _mark_sent(self, alerts: Sequence[Alert]) -> None:
        """Mark these and all that could not be marked before, so that none is claimed again."""
        self._unmarked += alerts
        if self._unmarked:
            await self._outbox.mark_sent(self._unmarked, self._clock.wall())
            self._unmarked = []

    def _forget_unkept(self, claimed: Iterable[Alert]) -> None:
        """What has reached the disk and was never told is the outbox's from here on."""
        on_disk = {_identity(one) for one in claimed}
        self._unkept = [one for one in self._unkept if _identity(one) not in on_disk]

    async def _send_unkept(self) -> None:
        """Send what the disk did not take; it is marked once it is there."""
        now = self._clock.wall()
        if not self._unkept or now < self._unkept_at:
            return
        self._unkept_at = now + _RETRY_MS
        held, self._unkept = self._unkept, []
        for alerts in _by_monitor(held):
            whole = [await self._with_opening(one, alerts) for one in alerts]
            if await self._tell(whole) is None:
                self._unmarked += whole
                self._must_look = True
            else:
                self._unkept[:0] = alerts

    async def _with_opening(self, alert: Alert, others: Sequence[Alert]) -> Alert:
        """A recovery with what is known of the trouble that it ended."""
        if not alert.is_recovery:
            return alert
        openings = [
            one
            for one in (*self._unmarked, *others)
            if not one.is_recovery
            and (one.monitor_number, one.kind) == (alert.monitor_number, alert.kind)
        ]
        now = self._clock.wall()
        opening: Alert | None
        if openings:
            opening = openings[-1]
        else:
            opening = await self._outbox.opening(alert.monitor_number, alert.kind, now)
        if opening is None:
            return alert
        return replace(alert, opened_at=opening.opened_at, is_snoozed=opening.is_snoozed)

    async def _tell(self, alerts: Sequence[Alert]) -> str | None:
        """Say what there is to say about one monitor; why that failed, if it did."""
        number, settings = alerts[0].monitor_number, self._settings()
        subject = self._desk.subject(number)
        if subject is None or not settings.notifications:
            await self._board.clear(number)
            return None
        now, zone = self._clock.wall(), self._clock.zone()
        notice = notice_about(alerts, subject, settings, now, zone)
        if notice is not None:
            return await self._board.show(number, notice, subject.key)
        if any(one.is_recovery for one in alerts):
            await self._board.clear(number)
        return None

    async def _tell_fault(self) -> None:
        if self._fault is None and self._is_fault_told:
            self._is_fault_told = False
            await self._board.show(None, fault_over_notice(), None)
        elif self._fault is not None and not self._is_fault_told:
            now = self._clock.wall()
            if now >= self._fault_at:
                self._fault_at = now + _RETRY_MS
                if self._settings().notifications:
                    notice = fault_notice(self._fault)
                    self._is_fault_told = await self._board.show(None, notice, None) is None

    async def _clear_removed(self) -> None:
        """The buttons on a notice of a monitor that is gone would do nothing."""
        for place in self._board.places:
            if place is not None and self._desk.subject(place) is None:
                await self._board.clear(place)


def _by_monitor(alerts: Iterable[Alert]) -> list[list[Alert]]:
    groups: dict[int, list[Alert]] = {}
    for alert in alerts:
        groups.setdefault(alert.monitor_number, []).append(alert)
    return list(groups.values())


def _identity(alert: Alert) -> tuple[int, int, bool]:
    """The same for an alert told from memory and for its row on disk."""
    return alert.monitor_number, alert.happened_at, alert.is_recovery
