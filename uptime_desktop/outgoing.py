"""Where alerts come from and where they lead: the store's outbox, the app's monitors, channels."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from uptime_desktop.domain.alert_rules import completed
from uptime_desktop.domain.alerts import (
    Alert,
    Decision,
    Delivery,
    Key,
    Subject,
    Told,
    Waiting,
)
from uptime_desktop.domain.maintenance import InForce
from uptime_desktop.domain.model import Site
from uptime_desktop.domain.status import Status
from uptime_desktop.engine.scheduler import Job
from uptime_desktop.store import deliveries, outbox
from uptime_desktop.store.db import Store
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.writer import Writer


class StoredOutbox:
    """Implements `domain.alerts.Outbox`. Reading works even where writing fails."""

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store = store
        self._writer = writer

    async def waiting(self, now: int) -> Waiting:
        return await asyncio.to_thread(self._store.read, outbox.waiting, now)

    async def decide(self, decision: Decision, now: int) -> None:
        await asyncio.wrap_future(self._writer.call(outbox.decide, decision, now))

    async def claim(self, now: int, busy: Collection[str]) -> Sequence[Delivery]:
        return await asyncio.wrap_future(self._writer.call(deliveries.claim, now, tuple(busy)))

    async def next_at(self, busy: Collection[str]) -> int | None:
        found = self._writer.call(deliveries.next_delivery_at, tuple(busy))
        return await asyncio.wrap_future(found)

    async def mark_sent(self, sent: Sequence[Delivery], now: int) -> None:
        await asyncio.wrap_future(self._writer.call(deliveries.mark_sent, _numbers(sent), now))

    async def mark_failed(self, failed: Sequence[Delivery], now: int, error: str) -> None:
        marked = self._writer.call(deliveries.mark_failed, _numbers(failed), now, error)
        await asyncio.wrap_future(marked)

    async def mark_told(self, told: Sequence[Told], now: int) -> None:
        await asyncio.wrap_future(self._writer.call(outbox.mark_told, tuple(told), now))

    async def opening(self, monitor_number: int, kind: Status, now: int) -> Alert | None:
        try:
            return await asyncio.to_thread(
                self._store.read, outbox.opening, monitor_number, kind, now
            )
        except StoreError:
            return None


def _numbers(found: Sequence[Delivery]) -> tuple[int, ...]:
    return tuple(one.number for one in found if one.number is not None)


class Acts(Protocol):
    """What of the app an answer to an alert can ask for."""

    @property
    def jobs(self) -> Sequence[Job]: ...

    @property
    def sites(self) -> Mapping[str, Site]: ...

    def on_redefined(self, listener: Callable[[], None]) -> Callable[[], None]: ...

    def check_now(self, job: Job) -> object: ...

    def maintenance_of(self, job: Job) -> InForce | None: ...

    async def acknowledge(self, job: Job) -> None: ...

    async def snooze(self, job: Job, for_ms: int | None) -> None: ...


class MonitorDesk:
    """Where alerts lead; implements `domain.alerts.Desk`."""

    def __init__(self, app: Acts) -> None:
        self._app = app
        self._by_number: dict[int, Job] = {}
        app.on_redefined(self._by_number.clear)

    def number_of(self, key: Key) -> int | None:
        job = self._job(key)
        return None if job is None else job.monitor.number

    def subject(self, monitor_number: int) -> Subject | None:
        if not self._by_number:
            self._by_number |= {job.monitor.number: job for job in self._app.jobs}
        job = self._by_number.get(monitor_number)
        if job is None:
            return None
        state, monitor = job.state, job.monitor
        site = self._app.sites[monitor.site_id]
        rule = completed(monitor.alert, site.alert)
        if monitor.is_passive and monitor.grace_ms is None:
            # What follows from others is not run, so no number of its runs can be waited for.
            rule = replace(rule, after=1)
        return Subject(
            job.key,
            monitor.name,
            state.next_run_at if state.running_since is None else None,
            state.incidents,
            site.name,
            rule,
            state.consecutive_failures,
            state.pause is not None,
            None if (planned := self._app.maintenance_of(job)) is None else planned.ends_at,
        )

    def check_now(self, key: Key) -> None:
        job = self._job(key)
        if job is not None:
            self._app.check_now(job)

    async def acknowledge(self, key: Key) -> None:
        job = self._job(key)
        if job is not None:
            await self._app.acknowledge(job)

    async def snooze(self, key: Key, for_ms: int) -> None:
        job = self._job(key)
        if job is not None:
            await self._app.snooze(job, for_ms)

    def _job(self, key: Key) -> Job | None:
        return next((job for job in self._app.jobs if job.key == key), None)
