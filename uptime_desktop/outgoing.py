"""Where alerts come from and where their answers lead: the store's outbox, the app's monitors."""

import asyncio
from collections.abc import Sequence
from typing import Any, Protocol

from uptime_desktop.domain.alerts import Alert, Key, Subject
from uptime_desktop.domain.status import Status
from uptime_desktop.engine.scheduler import Job
from uptime_desktop.store import incidents, outbox, runs
from uptime_desktop.store.db import Store
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.incidents import Incident
from uptime_desktop.store.writer import Writer


class StoredOutbox:
    """Implements `domain.alerts.Outbox`."""

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store = store
        self._writer = writer

    async def claim(self, now: int) -> Sequence[Alert]:
        return await asyncio.wrap_future(self._writer.call(_claim, now))

    async def next_at(self) -> int | None:
        return await asyncio.wrap_future(self._writer.call(outbox.next_alert_at))

    async def mark_sent(self, alerts: Sequence[Alert], now: int) -> None:
        await asyncio.wrap_future(self._writer.call(_mark_sent, tuple(alerts), now))

    async def mark_failed(self, alerts: Sequence[Alert], now: int, error: str) -> None:
        await asyncio.wrap_future(self._writer.call(_mark_failed, tuple(alerts), now, error))

    async def opening(self, monitor_number: int, kind: Status, now: int) -> Alert | None:
        try:
            found = await asyncio.to_thread(
                self._store.read, incidents.newest_incidents, monitor_number, only_open=True
            )
        except StoreError:
            return None
        matching = (one for one in found if one.kind is kind)
        return next((_alert(one, False, one.opened_at, now) for one in matching), None)


def _claim(db: Any, now: int) -> list[Alert]:
    return [
        _alert(
            one.incident,
            one.is_recovery,
            one.happened_at,
            now,
            tries=_tries(db, one.incident),
            number=one.number,
        )
        for one in outbox.claim(db, now)
    ]


def _alert(
    incident: Incident,
    is_recovery: bool,
    happened_at: int,
    now: int,
    tries: int = 1,
    number: int | None = None,
) -> Alert:
    return Alert(
        incident.monitor_number,
        incident.kind,
        is_recovery,
        happened_at,
        incident.opened_at,
        incident.resolved_at,
        incident.reason,
        tries,
        incident.acknowledged_at is not None,
        incident.is_snoozed(now),
        number,
    )


def _tries(db: Any, incident: Incident) -> int:
    """How often the run tried that found the trouble: the last to start before it was known."""
    found = runs.newest_runs(db, incident.monitor_number, before=incident.opened_at + 1, limit=1)
    return found[0].attempts if found else 1


def _mark_sent(db: Any, alerts: Sequence[Alert], now: int) -> None:
    for one in alerts:
        if one.number is not None:
            outbox.mark_sent(db, one.number, now)
        else:
            outbox.mark_sent_from_memory(
                db, one.monitor_number, one.happened_at, now, is_recovery=one.is_recovery
            )


def _mark_failed(db: Any, alerts: Sequence[Alert], now: int, error: str) -> None:
    for one in alerts:
        if one.number is not None:
            outbox.mark_failed(db, one.number, now, error)


class Acts(Protocol):
    """What of the app an answer to an alert can ask for."""

    @property
    def jobs(self) -> Sequence[Job]: ...

    def check_now(self, job: Job) -> object: ...

    async def acknowledge(self, job: Job) -> None: ...

    async def snooze(self, job: Job, for_ms: int | None) -> None: ...


class MonitorDesk:
    """Where alerts lead; implements `domain.alerts.Desk`."""

    def __init__(self, app: Acts) -> None:
        self._app = app

    def number_of(self, key: Key) -> int | None:
        job = self._job(key)
        return None if job is None else job.monitor.number

    def subject(self, monitor_number: int) -> Subject | None:
        for job in self._app.jobs:
            if job.monitor.number == monitor_number:
                state = job.state
                next_run_at = state.next_run_at if state.running_since is None else None
                return Subject(job.key, job.monitor.name, next_run_at, state.incidents)
        return None

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
