"""What is done about incidents: by people, and by what lies upstream. All of it is written down."""

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from uptime_desktop.domain.refusal import Refused
from uptime_desktop.engine.clock import Clock
from uptime_desktop.engine.scheduler import Job
from uptime_desktop.long_work import soon
from uptime_desktop.store import incidents, outbox
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.incidents import Act, Incident
from uptime_desktop.store.writer import Writer


class Trouble:
    """Acts on the open incidents of a monitor; as `engine.cascade.Incidents` too."""

    def __init__(self, writer: Writer, clock: Clock) -> None:
        self._writer = writer
        self._clock = clock
        self.on_changed: Callable[[], None] = lambda: None

    async def acknowledge(self, job: Job) -> None:
        """A person has seen the trouble this monitor is in."""
        now = self._clock.wall()
        await self._with_open(job, lambda db, one: incidents.acknowledge(db, one.number, now))

    async def snooze(self, job: Job, for_ms: int | None = None) -> None:
        """No more alerts about the trouble this monitor is in, for a while or until it is over."""
        now = self._clock.wall()
        until = None if for_ms is None else now + for_ms
        await self._with_open(job, lambda db, one: incidents.snooze(db, one.number, until, now))

    async def acknowledge_one(self, number: int) -> None:
        await self._do(incidents.acknowledge, number, self._clock.wall())

    async def snooze_one(self, number: int, for_ms: int | None) -> None:
        now = self._clock.wall()
        await self._do(incidents.snooze, number, None if for_ms is None else now + for_ms, now)

    async def note(self, number: int, text: str) -> None:
        """Write something down about an incident, open or not."""
        if not text.strip():
            raise Refused("note", "it is empty", "what to remember about the incident")
        await self._do(incidents.write_note, number, text.strip(), self._clock.wall())

    def follow(self, job: Job, cascade_reason: str) -> None:
        now = self._clock.wall()

        def write(db: Any, one: Incident) -> None:
            incidents.set_cascade(db, one.number, cascade_reason)
            incidents.write_down(db, one.number, now, Act.FOLLOWS, cascade_reason)
            outbox.suppress(db, one.number, now)

        self._soon(job, write)

    def stand(self, job: Job) -> None:
        now = self._clock.wall()

        def write(db: Any, one: Incident) -> None:
            if one.cascade_reason is not None:
                incidents.set_cascade(db, one.number, None)
                incidents.write_down(db, one.number, now, Act.STANDS, one.cascade_reason)
            outbox.release(db, one.number, now)

        self._soon(job, write)

    async def _do(self, act: Callable[..., object], *args: object) -> None:
        await asyncio.wrap_future(self._writer.call(act, *args))
        self.on_changed()

    async def _with_open(self, job: Job, act: Callable[[Any, Incident], object]) -> None:
        await self._do(_each_open, job.monitor.number, act)

    def _soon(self, job: Job, act: Callable[[Any, Incident], object]) -> None:
        done = self._writer.call(_each_open, job.monitor.number, act)
        done.add_done_callback(soon(self._wrote))

    def _wrote(self, done: "Future[None]") -> None:
        # A disk that fails is told of elsewhere.
        with contextlib.suppress(StoreError):
            done.result()
            self.on_changed()


def _each_open(db: Any, monitor_number: int, act: Callable[[Any, Incident], object]) -> None:
    for one in incidents.newest_incidents(db, monitor_number, only_open=True):
        act(db, one)
