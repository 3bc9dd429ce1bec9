"""Decides on what waits in the outbox, and on what the disk did not take, and has it sent.

What to decide stands in `domain.alerting`; nothing that happens waits for any of this.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final, Protocol
from uuid import UUID

from uptime_desktop.alerts.board import Board
from uptime_desktop.alerts.complaints import Complaints
from uptime_desktop.alerts.dispatch import NEVER, RETRY_MS, Dispatch
from uptime_desktop.alerts.lanes import Moment, ScreenLane
from uptime_desktop.alerts.message import Courier, test_message
from uptime_desktop.alerts.notice import rule_for_all, test_notice
from uptime_desktop.alerts.unkept import Unkept
from uptime_desktop.config import Settings
from uptime_desktop.domain.alert_quiet import parse_quiet_hours
from uptime_desktop.domain.alerting import Identity, Scene, decide
from uptime_desktop.domain.alerts import (
    DESKTOP,
    Alert,
    Channel,
    Channels,
    Decision,
    Desk,
    Faults,
    Key,
    Outbox,
    Subject,
    Waiting,
)
from uptime_desktop.domain.events import CheckFinished, Event, IncidentOpened, IncidentResolved
from uptime_desktop.domain.model import MINUTE_MS, Outcome
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.i18n import tr
from uptime_desktop.long_work import hear

_LONGEST_SLEEP_MS: Final = 5 * MINUTE_MS
_log = logging.getLogger(__name__)


class Clock(Moment, Protocol):
    async def wait(self, at_most_ms: int, woken: asyncio.Event) -> None: ...


class NoChannels:
    """Nothing but the screen; implements `domain.alerts.Channels`."""

    known: Sequence[Channel] = ()

    async def address(self, channel_id: str) -> str:
        raise LookupError(channel_id)


class Sender:
    def __init__(
        self,
        board: Board | None,
        outbox: Outbox,
        desk: Desk,
        clock: Clock,
        settings: Callable[[], Settings],
        channels: Channels | None = None,
        courier: Courier | None = None,
    ) -> None:
        """Without a board nothing is shown on this computer; without a courier nothing is sent
        anywhere else."""
        self._board = board
        self._outbox = outbox
        self._desk = desk
        self._clock = clock
        self._settings = settings
        self._channels: Channels = channels or NoChannels()
        self._woken = asyncio.Event()
        self._unkept = Unkept()
        self._screen = None if board is None else ScreenLane(board, desk, clock, settings)
        self._complaints = None if board is None else Complaints(board, clock, settings)
        self._dispatch = Dispatch(
            self._screen,
            outbox,
            self._unkept,
            desk,
            clock,
            settings,
            self._channels,
            courier,
            self._woken.set,
        )
        self._watching_since = clock.wall()
        self._seen_at = self._watching_since
        self._must_look = True
        self._look_at = 0
        self._unkept_at = 0
        self._ready_since: Mapping[Identity, int] = {}
        self._awaited: set[Key] = set()
        self._ended: tuple[UUID | None, Outcome] | None = None
        self._running = asyncio.get_running_loop().create_task(self._run())
        self._running.add_done_callback(hear)

    async def close(self) -> None:
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)
        await self._dispatch.close()
        if self._board is not None:
            await self._board.close()

    @property
    def channel_faults(self) -> Mapping[str, str]:
        """Why channels cannot be reached, in a sentence each, by their id."""
        return self._dispatch.health.faults

    def on_channel_faults(self, listener: Callable[[], None]) -> None:
        """Call this whenever `channel_faults` has changed."""
        self._dispatch.on_faults = listener

    # What it hears

    def hear(self, event: Event, persisted: bool) -> None:
        """Something happened; what is on disk is found in the outbox."""
        match event:
            case CheckFinished():
                if not persisted:
                    self._ended = event.correlation_id, event.outcome
                is_awaited = (event.site_id, event.monitor_id) in self._awaited
                if event.outcome.failed and (is_awaited or self._unkept.undecided):
                    self._look()
            case IncidentOpened() | IncidentResolved() if persisted:
                self._look()
            case IncidentOpened() | IncidentResolved():
                self._keep_in_mind(event)

    def hear_faults(self, faults: Faults) -> None:
        """What of the program itself does not work now."""
        if self._complaints is not None:
            self._complaints.hear_faults(faults)
        self._look()

    def hear_redefined(self) -> None:
        """Something else is watched than before, or by other rules, or incidents were answered."""
        self._look()

    async def test(self) -> str | None:
        """Show a notice now; why it could not be shown, if so."""
        if self._board is None:
            return tr("there is no screen to show it on")
        return await self._board.show(None, test_notice(has_sound=self._settings().sound), None)

    async def test_channel(self, channel_id: str) -> str | None:
        """Send a message to a channel now; why it did not get there, if so."""
        if channel_id == DESKTOP:
            return await self.test()
        lane = self._dispatch.lane_to(channel_id)
        if lane is None:
            return tr("there is no such channel")
        error = await lane.send(test_message())
        if error is None:
            self._dispatch.note(channel_id, None)
        return error

    def _look(self) -> None:
        self._must_look = True
        self._unkept_at = 0
        self._woken.set()

    def _keep_in_mind(self, event: IncidentOpened | IncidentResolved) -> None:
        number = self._desk.number_of((event.site_id, event.monitor_id))
        if number is None:
            return
        at = event.timestamp
        if isinstance(event, IncidentOpened):
            if event.cascade_reason is not None:
                return
            alert = Alert(number, event.kind, False, at, at, reason=event.reason)
            if event.is_held:
                alert = replace(alert, not_before=at + MINUTE_MS)
            if self._ended is not None and self._ended[0] == event.correlation_id:
                alert = _with_findings(alert, self._ended[1])
        else:
            alert = Alert(number, event.kind, True, at, None, resolved_at=at)
        self._unkept.add(alert)
        self._unkept_at = 0
        self._woken.set()

    # What it does

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            if self._clock.wall() < self._seen_at:
                # The clock was set back: what seemed far away may be due.
                self._look()
                self._dispatch.claim_soon()
            self._seen_at = self._clock.wall()
            try:
                await self._decide_unkept()
                await self._decide_kept()
                await self._dispatch.send_due()
                await self._show_what_is_wrong()
            except Exception:  # noqa: BLE001 - one that cannot be told must not end all
                _log.exception("An alert could not be told")
            await self._clock.wait(self._sleep_ms(), self._woken)

    def _sleep_ms(self) -> int:
        due = [self._look_at, self._dispatch.next_at]
        if self._unkept.undecided:
            due.append(self._unkept_at)
        if self._complaints is not None:
            due.append(self._complaints.next_at)
        return min(max(0, min(due) - self._clock.wall()), _LONGEST_SLEEP_MS)

    async def _show_what_is_wrong(self) -> None:
        if self._complaints is not None:
            await self._complaints.tell_faults()
            names = {one.id: one.name for one in self._channels.known}
            await self._complaints.tell_channels(self._dispatch.health, names)
        if self._screen is not None:
            await self._screen.clear_removed()

    # Deciding

    async def _decide_kept(self) -> None:
        """Decide on what is in the outbox."""
        now = self._clock.wall()
        if not self._must_look and now < self._look_at:
            return
        self._must_look, self._look_at = False, now + RETRY_MS
        if self._board is None and not self._dispatch.on:
            # It waits for a start with somebody to tell.
            self._look_at = NEVER
            return
        try:
            with contextlib.suppress(UserError):
                await self._dispatch.mark()
            found = await self._outbox.waiting(now)
            self._unkept.forget(one for one in found.alerts if one.not_before <= now)
            fresh = [one for one in found.alerts if not self._unkept.is_carried(one)]
            decision = self._decide(replace(found, alerts=fresh), now)
            await self._keep(decision, now)
        except UserError as error:
            _log.debug("The outbox cannot be used now: %s", error)
            return
        self._ready_since = decision.ready_since
        subjects = map(self._desk.subject, decision.awaited)
        self._awaited = {one.key for one in subjects if one is not None}
        self._unkept.forget(decision.settled)
        self._look_at = NEVER if decision.look_at is None else decision.look_at
        await self._take_down(decision, found.flapping)
        if decision.added or decision.told:
            # What was added may be told at once; what was told may have to be told again.
            self._look()

    async def _keep(self, decision: Decision, now: int) -> None:
        """Have it on disk; or tell from memory what the disk has, but cannot be told that."""
        if not (decision.told or decision.silent or decision.void or decision.added):
            return
        try:
            await self._outbox.decide(decision, now)
        except UserError:
            self._unkept.carry(decision.told, now)
            raise
        if decision.told:
            self._dispatch.claim_soon()

    async def _decide_unkept(self) -> None:
        """Decide on what the disk did not take."""
        now = self._clock.wall()
        if not self._unkept.undecided or now < self._unkept_at:
            return
        self._unkept_at = now + RETRY_MS
        whole = [await self._with_opening(one, now) for one in self._unkept.undecided]
        decision = self._decide(Waiting(whole), now)
        self._unkept.forget(decision.settled)
        self._unkept.carry(decision.told, now)
        self._ready_since = {**self._ready_since, **decision.ready_since}
        self._unkept_at = NEVER if decision.look_at is None else decision.look_at
        await self._take_down(decision)

    def _decide(self, waiting: Waiting, now: int) -> Decision:
        concerned = (*waiting.alerts, *waiting.lasting)
        numbers = {one.monitor_number for one in concerned} | waiting.flapping
        subjects: dict[int, Subject] = {}
        for number in numbers:
            subject = self._desk.subject(number)
            if subject is not None:
                subjects[number] = subject
        settings = self._settings()
        scene = Scene(
            now,
            self._watching_since,
            self._clock.zone(),
            rule_for_all(settings),
            self._dispatch.on,
            parse_quiet_hours("quiet_hours", settings.quiet_hours),
            self._ready_since,
        )
        return decide(waiting, subjects, scene)

    async def _take_down(self, decision: Decision, flapping: Collection[int] = frozenset()) -> None:
        """Trouble that is over, and that nobody hears of, is not left standing."""
        if self._screen is None:
            return
        for number in {one.monitor_number for one in decision.silent if one.is_recovery}:
            subject = self._desk.subject(number)
            if number not in flapping and (subject is None or not subject.incidents):
                await self._screen.clear(number)

    async def _with_opening(self, alert: Alert, now: int) -> Alert:
        """A recovery with what is known of the trouble that it ended."""
        if not alert.is_recovery:
            return alert
        openings = [
            one
            for one in self._unkept.told()
            if not one.is_recovery
            and (one.monitor_number, one.kind) == (alert.monitor_number, alert.kind)
        ]
        if openings:
            told_at: int | None = now
            opening: Alert | None = openings[-1]
        else:
            opening = await self._outbox.opening(alert.monitor_number, alert.kind, now)
            # Of what nobody knows the beginning, people may have been told.
            told_at = now if opening is None else opening.told_at
        if opening is None:
            return replace(alert, told_at=told_at)
        return replace(
            alert, opened_at=opening.opened_at, is_snoozed=opening.is_snoozed, told_at=told_at
        )


def _with_findings(alert: Alert, outcome: Outcome) -> Alert:
    unmet = outcome.evidence.unmet if outcome.evidence is not None else ()
    return replace(alert, tries=outcome.attempts, unmet=next(iter(unmet), None))
