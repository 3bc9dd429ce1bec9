"""What is known, as JSON: monitors, sites, results, events."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import cast
from uuid import UUID

from uptime_desktop.app import App, Job
from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.checks.group import members_of
from uptime_desktop.checks.redaction import is_secret_name
from uptime_desktop.checks.registry import KINDS
from uptime_desktop.domain.definition import describe_monitor, describe_schedule
from uptime_desktop.domain.events import Event
from uptime_desktop.domain.model import Monitor, Outcome, Setting, Site
from uptime_desktop.domain.notation import duration_notation, instant_text
from uptime_desktop.domain.status import worst
from uptime_desktop.domain.uptime import Tally

Answer = dict[str, object]
Arguments = dict[str, object]
"""As acts are asked and answer: what JSON can hold."""


def monitor_view(app: App, job: Job) -> Answer:
    """What is known of a monitor, by the names of the stored fields."""
    monitor, state = job.monitor, job.state
    return {
        "id": monitor.id,
        "name": monitor.name,
        "kind": monitor.kind,
        "site": monitor.site_id,
        "target": app.target_of(monitor),
        **_ping_url(app, monitor),
        "status": state.status.value,
        "health": state.health.value,
        "reason": job.reason,
        "schedule": _schedule(monitor),
        "backoff_attempt": state.backoff_attempt,
        "consecutive_failures": state.consecutive_failures,
        "next_run_at": instant(state.next_run_at),
        "planned_slot_at": instant(state.planned_slot_at),
        "source": state.source.value,
        "last_attempt_at": instant(state.last_attempt_at),
        # What is stored may be of a run that ended with the program.
        "running_since": None if job.begun_at_boot is None else instant(state.running_since),
        "paused_until": instant(state.pause.until if state.pause else None),
        "hint_until": instant(state.hint.expires_at if state.hint else None),
        "tags": list(monitor.tags),
        "plan_version": state.plan_version,
        "saved_at": instant(state.saved_at or None),
    }


def _schedule(monitor: Monitor) -> str:
    if monitor.is_passive and monitor.grace_ms is None:
        return ""
    return ", ".join(f"{k} {v}" for k, v in describe_schedule(monitor.schedule).items())


def _ping_url(app: App, monitor: Monitor) -> Answer:
    url = app.ping_url_of(monitor)
    return {} if url is None else {"ping_url": url}


def definition_view(monitor: Monitor) -> dict[str, Setting]:
    """As a configuration file says it, without what is secret."""
    definition = describe_monitor(monitor)
    for field in _fields(monitor):
        if field.key in definition:
            definition[field.key] = field.shown(definition[field.key])
    return definition


def _fields(monitor: Monitor) -> Sequence[FieldSpec]:
    """The settings of its kind; of one that is not installed any more by their names alone."""
    kind = KINDS.get(monitor.kind)
    if kind is not None:
        return kind.fields
    return [
        FieldSpec(key, FieldType.TEXT, "", is_password=is_secret_name(key))
        for key in monitor.settings
    ]


def members_view(app: App, monitor: Monitor) -> Answer:
    """How those stand that a group follows."""
    standing = {job.monitor.id: job.state.status.value for job in app.jobs}
    members = {name: standing.get(name, "missing") for name in members_of(monitor)}
    return {"members": members} if members else {}


def site_view(app: App, site: Site) -> Answer:
    statuses = [job.state.status for job in app.jobs if job.monitor.site_id == site.id]
    return {
        "id": site.id,
        "name": site.name,
        "is_active": site.is_active,
        "status": worst(statuses).value,
        "monitors": len(statuses),
    }


def result_view(monitor: Monitor, outcome: Outcome) -> Answer:
    return {
        "id": monitor.id or None,
        "name": monitor.name,
        "status": outcome.status.value,
        "reason": outcome.reason,
        "response_ms": outcome.response_ms,
        "attempts": outcome.attempts,
        "evidence": None if outcome.evidence is None else document(outcome.evidence),
    }


def fault_view(app: App) -> Answer:
    """Said only when there is something to say."""
    return {} if app.fault is None else {"fault": app.fault}


def event_document(event: Event, persisted: bool) -> Answer:
    return {
        "event": type(event).__name__,
        **cast("Answer", document(event)),
        "persisted": persisted,
    }


def document(value: object, name: str = "") -> object:
    """A frozen value as JSON: instants by their names, everything else as it is."""
    if is_dataclass(value):
        return {one.name: document(getattr(value, one.name), one.name) for one in fields(value)}
    if isinstance(value, int) and (name.endswith("_at") or name in ("timestamp", "until")):
        return instant_text(value)
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, tuple | list):
        return [document(one) for one in value]
    return value


def instant(instant_ms: int | None) -> str | None:
    return None if instant_ms is None else instant_text(instant_ms)


def tally_view(span_ms: int, tally: Tally) -> Answer:
    """How often and how fast in the time up to now."""
    return {
        "span": duration_notation(span_ms),
        "runs": tally.runs,
        "up": tally.up,
        "degraded": tally.degraded,
        "down": tally.down,
        "unknown": tally.unknown,
        "uptime": tally.uptime,
        "mean_ms": tally.mean_ms,
        "median_ms": tally.percentile_ms(50),
        "p95_ms": tally.percentile_ms(95),
    }
