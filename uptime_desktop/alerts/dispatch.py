"""Sends what was decided on, to each channel at least once, and sees which cannot be reached.

Each channel has a task of its own while something is on its way there, so none waits for
another that does not answer.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from typing import Final

from uptime_desktop.alerts.health import Health
from uptime_desktop.alerts.lanes import CourierLane, Moment, ScreenLane
from uptime_desktop.alerts.message import Courier
from uptime_desktop.alerts.unkept import Unkept
from uptime_desktop.config import Settings
from uptime_desktop.domain.alert_telling import parcels
from uptime_desktop.domain.alerts import DESKTOP, Channels, Delivery, Desk, Outbox
from uptime_desktop.domain.model import SECOND_MS
from uptime_desktop.domain.refusal import UserError

RETRY_MS: Final = 10 * SECOND_MS
NEVER: Final = 1 << 62
_LEAVE_WITHIN_S: Final = 1.0
_log = logging.getLogger(__name__)


class Dispatch:
    """`screen` is None where there is none, `courier` where nothing goes anywhere else."""

    def __init__(
        self,
        screen: ScreenLane | None,
        outbox: Outbox,
        unkept: Unkept,
        desk: Desk,
        clock: Moment,
        settings: Callable[[], Settings],
        channels: Channels,
        courier: Courier | None,
        on_changed: Callable[[], None],
    ) -> None:
        self._screen = screen
        self._outbox = outbox
        self._unkept = unkept
        self._desk = desk
        self._clock = clock
        self._settings = settings
        self._channels = channels
        self._courier = courier
        self._on_changed = on_changed
        self.on_faults: Callable[[], None] = lambda: None
        self.health = Health()
        self._claim_at = 0
        self._unmarked: list[Delivery] = []
        self._lanes: dict[str, asyncio.Task[None]] = {}

    @property
    def on(self) -> tuple[str, ...]:
        """The channels that can be used."""
        has_screen = self._screen is not None and self._settings().notifications
        screen = (DESKTOP,) if has_screen else ()
        if self._courier is None:
            return screen
        return (*screen, *(one.id for one in self._channels.known if one.is_on))

    @property
    def next_at(self) -> int:
        """When there is something to do again."""
        retry_at = self._unkept.next_at()
        return self._claim_at if retry_at is None else min(self._claim_at, retry_at)

    async def close(self) -> None:
        tasks = tuple(self._lanes.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # What was told a moment ago would else be told again after a restart.
        with contextlib.suppress(UserError, TimeoutError):
            async with asyncio.timeout(_LEAVE_WITHIN_S):
                await self.mark()

    def lane_to(self, channel_id: str) -> CourierLane | None:
        """The way to a channel, be it on or off; None if there is none."""
        is_known = any(one.id == channel_id for one in self._channels.known)
        if self._courier is None or not is_known:
            return None
        return CourierLane(
            channel_id, self._channels, self._courier, self._desk, self._clock, self._settings
        )

    def claim_soon(self) -> None:
        """Something may be due in the outbox."""
        self._claim_at = 0

    async def send_due(self) -> None:
        """Have each channel that is free told what is due for it."""
        now = self._clock.wall()
        due: list[Delivery] = []
        if now >= self._claim_at:
            self._claim_at = now + RETRY_MS
            with contextlib.suppress(UserError):
                await self.mark()
                due += await self._outbox.claim(now, self._busy)
                next_at = await self._outbox.next_at({*self._busy, *(one.channel for one in due)})
                self._claim_at = NEVER if next_at is None else next_at
        due += self._unkept.due(now, self._busy)
        groups: dict[str, list[Delivery]] = {}
        for one in due:
            groups.setdefault(one.channel, []).append(one)
        for channel_id, deliveries in groups.items():
            task = asyncio.create_task(self._send(channel_id, deliveries))
            self._lanes[channel_id] = task

    async def mark(self) -> None:
        """Mark what was told and could not be marked before, so that none is claimed again."""
        now = self._clock.wall()
        deliveries, self._unmarked = self._unmarked, []
        try:
            if deliveries:
                await self._outbox.mark_sent(deliveries, now)
        except BaseException:
            self._unmarked[:0] = deliveries
            raise
        told = self._unkept.to_mark(self._busy)
        if told:
            await self._outbox.mark_told(told, now)
            self._unkept.marked(told)
            self._claim_at = 0

    def note(self, channel_id: str, error: str | None) -> None:
        """How a try to reach a channel ended."""
        if self.health.note(channel_id, error):
            self.on_faults()
            self._on_changed()

    @property
    def _busy(self) -> tuple[str, ...]:
        """Where nothing more can be sent now; what is for a screen waits until there is one."""
        return (*self._lanes, *(() if self._screen is not None else (DESKTOP,)))

    async def _send(self, channel_id: str, deliveries: Sequence[Delivery]) -> None:
        try:
            await self._send_parcels(channel_id, deliveries)
        except Exception:  # noqa: BLE001 - one that cannot be told must not end all
            _log.exception("An alert could not be told")
            for one in deliveries:
                self._unkept.failed(one, self._clock.wall() + RETRY_MS)
        finally:
            del self._lanes[channel_id]
            self._claim_at = 0
            self._on_changed()

    async def _send_parcels(self, channel_id: str, deliveries: Sequence[Delivery]) -> None:
        lane = self._screen if channel_id == DESKTOP else self.lane_to(channel_id)
        if channel_id != DESKTOP and channel_id not in self.on:
            # Switched off or removed meanwhile: there is nowhere to go.
            lane = None
            self.health.forget(channel_id)
        errors: list[str | None] = []
        for parcel in parcels(deliveries):
            error = None if lane is None else await lane.tell([one.alert for one in parcel])
            errors.append(error)
            await self._note_parcel(parcel, error)
        if lane is not None:
            has_failed = all(error is not None for error in errors)
            self.note(channel_id, errors[-1] if has_failed else None)

    async def _note_parcel(self, parcel: Sequence[Delivery], error: str | None) -> None:
        now = self._clock.wall()
        kept = [one for one in parcel if one.number is not None]
        for one in parcel:
            if one.number is None and error is None:
                self._unkept.arrived(one)
            elif one.number is None:
                self._unkept.failed(one, now + RETRY_MS)
        if error is None:
            self._unmarked += kept
        with contextlib.suppress(UserError):
            if error is None:
                await self.mark()
            elif kept:
                await self._outbox.mark_failed(kept, now, error)
