"""Every act by its name, with JSON in and JSON out: what the control API and commands speak."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, cast
from uuid import UUID

from uptime_desktop import channel_acts, incident_acts, maintenance_acts
from uptime_desktop.app import App, opened
from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.checks.group import members_of
from uptime_desktop.checks.redaction import is_secret_name
from uptime_desktop.checks.registry import KINDS, definition_of, kind_named, takes_members
from uptime_desktop.definitions import in_slices
from uptime_desktop.domain.definition import describe_monitor, describe_schedule
from uptime_desktop.domain.events import Event
from uptime_desktop.domain.model import (
    MAX_INTERVAL_MS,
    MIN_INTERVAL_MS,
    Hint,
    Monitor,
    Outcome,
    Site,
)
from uptime_desktop.domain.notation import LAST_INSTANT, instant_text, parse_whole
from uptime_desktop.domain.plan import DEFAULT_HINT_MS
from uptime_desktop.domain.refusal import Refused, Word, require_between
from uptime_desktop.domain.status import Status, worst
from uptime_desktop.engine.scheduler import Job
from uptime_desktop.i18n import tr
from uptime_desktop.server.instance import Instance

Answer = dict[str, object]
Arguments = dict[str, object]
Progress = Callable[[int, int], None]
"""Called with how much is done, and of how much."""

_MOST_RUNS: Final = 10_000
_LOCK_PATIENCE_S: Final = 10
_LOCK_PAUSE_S: Final = 0.05


class Busy(Exception):
    """Another program holds the database and does not let go."""


class Answering(Exception):
    """The app has just begun to run: it is for it to do."""


def unheard(_done: int, _total: int) -> None:
    """For who does not want to know how far it is."""


async def call(app: App, name: str, arguments: Arguments, progress: Progress = unheard) -> Answer:
    """Do what a command asks; refused if there is no such command."""
    if name in _BULK:
        return await _BULK[name](app, arguments, progress)
    if name in _OPERATIONS:
        return await _OPERATIONS[name](app, arguments)
    names = Word(", ".join(sorted((*_BULK, *_OPERATIONS))))
    raise Refused("command", "there is no command {value}", "{names}", value=name, names=names)


async def call_alone(
    database: Path, name: str, arguments: Arguments, progress: Progress = unheard
) -> Answer:
    """Do it on the database itself, with no program running."""
    instance = Instance(database)
    for _ in range(round(_LOCK_PATIENCE_S / _LOCK_PAUSE_S)):
        if instance.acquire():
            break
        if instance.endpoint() is not None:
            raise Answering
        await asyncio.sleep(_LOCK_PAUSE_S)
    else:
        problem = tr("another program holds {path}; try again")
        raise Busy(problem.format(path=database))
    try:
        async with opened(database, start_over=False) as app:
            app.start_timer_only()
            return await call(app, name, arguments, progress)
    finally:
        instance.release()


async def _add(app: App, arguments: Arguments, progress: Progress) -> Answer:
    keys = arguments.get("keys", {})
    if not isinstance(keys, dict):
        raise Refused("keys", "{value} is not a table", "keys and values", value=str(keys))
    targets = [str(target) for target in _list(arguments, "targets")] or [""]
    if "kind" in keys and takes_members(kind_named(str(keys["kind"]))):
        targets = [",".join(targets)]
    definitions = (definition_of(target, keys) for target in targets)
    site = arguments.get("site")
    if arguments.get("allow_secret_file"):
        app.agree_to_secret_file()
    added = await app.add(
        definitions,
        None if site is None else str(site),
        progress=lambda done: progress(done, len(targets)),
    )
    return {"monitors": [_view(app, app.job_of(monitor)) async for monitor in in_slices(added)]}


async def _listing(app: App, _: Arguments) -> Answer:
    return {"monitors": [_view(app, job) for job in app.jobs], **_fault(app)}


async def _show(app: App, arguments: Arguments) -> Answer:
    job = _job(app, arguments)
    definition = describe_monitor(job.monitor)
    for field in _fields(job.monitor):
        if field.key in definition:
            definition[field.key] = field.shown(definition[field.key])
    started_at, seen = job.state.last_attempt_at, None
    if started_at is not None:
        seen = await app.history.evidence(job.monitor.number, started_at)
    evidence = None if seen is None else _document(seen)
    return {
        **_view(app, job),
        **_members(app, job.monitor),
        "definition": definition,
        "evidence": evidence,
        **_fault(app),
    }


def _fields(monitor: Monitor) -> Sequence[FieldSpec]:
    """The settings of its kind; of one that is not installed any more by their names alone."""
    kind = KINDS.get(monitor.kind)
    if kind is not None:
        return kind.fields
    return [
        FieldSpec(key, FieldType.TEXT, "", is_password=is_secret_name(key))
        for key in monitor.settings
    ]


def _members(app: App, monitor: Monitor) -> Answer:
    """How those stand that a group follows."""
    standing = {job.monitor.id: job.state.status.value for job in app.jobs}
    members = {name: standing.get(name, "missing") for name in members_of(monitor)}
    return {"members": members} if members else {}


async def _check(app: App, arguments: Arguments, progress: Progress) -> Answer:
    """Check the named monitors, all, or an address that is not watched.

    All names are understood before anything is looked at, and groups are judged after those
    they follow.
    """
    names = [str(name) for name in _list(arguments, "monitors")]
    wanted: list[Job | Monitor] = [_named(app, name) for name in names] or list(app.jobs)
    jobs = _members_first(app, [one for one in wanted if isinstance(one, Job)])
    strangers = [one for one in wanted if isinstance(one, Monitor)]
    results: dict[int, Answer] = {}

    async def look(one: Job | Monitor) -> None:
        looked = _checked(app, one) if isinstance(one, Job) else _checked_once(app, one)
        results[id(one)] = await looked
        progress(len(results), len(jobs) + len(strangers))

    active = [job for job in jobs if not job.monitor.is_passive]
    await asyncio.gather(*map(look, active), *map(look, strangers))
    for job in jobs:
        if job.monitor.is_passive:
            await look(job)
    return {"results": [results[id(one)] for one in wanted]}


def _named(app: App, name: str) -> Job | Monitor:
    """What is watched by this name, or what would be if it were added."""
    try:
        return app.find(name)
    except Refused:
        if not any(mark in name for mark in ".:/"):
            raise
    given = definition_of(name, {})
    kind = kind_named(str(given["kind"]))
    settings = {key: value for key, value in given.items() if key not in ("name", "kind")}
    return Monitor("", "", 0, name=str(given["name"]), kind=kind.name, settings=settings)


def _members_first(app: App, jobs: Sequence[Job]) -> list[Job]:
    """These and the active ones that groups among them follow, each after its members."""
    known = {job.monitor.id: job for job in app.jobs}
    ordered: list[Job] = []
    seen: set[str] = set()
    # A chain of groups may be longer than Python's stack.
    ahead = [(job, False) for job in reversed(jobs)]
    while ahead:
        job, has_members_done = ahead.pop()
        if has_members_done:
            ordered.append(job)
        elif job.monitor.id not in seen:
            seen.add(job.monitor.id)
            members = [known[name] for name in members_of(job.monitor) if name in known]
            ahead.append((job, True))
            ahead += [(one, False) for one in members if one.state.pause is None]
    return ordered


async def _checked_once(app: App, monitor: Monitor) -> Answer:
    try:
        return _result(monitor, await app.check_once(monitor))
    except Refused as refused:
        # What it refers to is not there; the others are looked at all the same.
        return _result(monitor, Outcome(Status.UNKNOWN, refused.text()))


async def _checked(app: App, job: Job) -> Answer:
    over = app.check_now(job)
    try:
        outcome = await over
    except asyncio.CancelledError:
        if not over.cancelled():
            raise
        outcome = Outcome(Status.UNKNOWN, "the monitor was paused or removed meanwhile")
    return _result(job.monitor, outcome)


async def _pause(app: App, arguments: Arguments) -> Answer:
    if "site" in arguments:
        return await _switch(app, arguments, on=False)
    job = _job(app, arguments)
    app.pause(job, _whole(arguments, "until", LAST_INSTANT))
    return {**_view(app, job), **_fault(app)}


async def _resume(app: App, arguments: Arguments) -> Answer:
    if "site" in arguments:
        return await _switch(app, arguments, on=True)
    job = _job(app, arguments)
    app.resume(job)
    return {**_view(app, job), **_fault(app)}


async def _switch(app: App, arguments: Arguments, *, on: bool) -> Answer:
    return _site(app, await app.switch_site(str(arguments["site"]), on=on))


async def _hint(app: App, arguments: Arguments) -> Answer:
    job = _job(app, arguments)
    interval_ms = _whole(arguments, "interval_ms", MAX_INTERVAL_MS)
    run_at = _whole(arguments, "run_at", LAST_INSTANT)
    for_ms = _whole(arguments, "for_ms", MAX_INTERVAL_MS)
    hint = None
    if interval_ms is not None:
        require_between("every", interval_ms, MIN_INTERVAL_MS, MAX_INTERVAL_MS)
    if run_at is not None and run_at <= app.clock.wall():
        raise Refused("at", "{value} is past", "a time to come", value=instant_text(run_at))
    if interval_ms is not None or run_at is not None:
        expires_at = app.clock.wall() + (DEFAULT_HINT_MS if for_ms is None else for_ms)
        # One extra run is promised, so the hint lasts at least until then.
        hint = Hint(max(expires_at, (run_at or 0) + 1), interval_ms, run_at)
    app.hint(job, hint)
    return {**_view(app, job), **_fault(app)}


async def _remove(app: App, arguments: Arguments) -> Answer:
    job = _job(app, arguments)
    view = _view(app, job)
    await app.remove(job)
    return {**view, "status": "removed", "next_run_at": None}


async def _history(app: App, arguments: Arguments) -> Answer:
    job = _job(app, arguments)
    count = _whole(arguments, "count", _MOST_RUNS) or 20
    rows = await app.history.runs(job.monitor.number, limit=count)
    return {"monitor": job.monitor.id, "runs": [_document(row) for row in rows]}


async def _secret(app: App, arguments: Arguments) -> Answer:
    """Keep a secret by name, or forget it where none is given."""
    if arguments.get("allow_secret_file"):
        app.agree_to_secret_file()
    name, secret = str(arguments.get("name", "")), arguments.get("secret")
    await app.keep_secret(name, None if secret is None else str(secret))
    return {"name": name, "kept": secret is not None}


async def _secrets(app: App, _: Arguments) -> Answer:
    known = await app.known_secrets()
    return {"secrets": [{"name": name, "kept": kept} for name, kept in known.items()]}


_OPERATIONS: Final[dict[str, Callable[[App, Arguments], Awaitable[Answer]]]] = {
    "list": _listing,
    "show": _show,
    "pause": _pause,
    "resume": _resume,
    "hint": _hint,
    "remove": _remove,
    "history": _history,
    "secret": _secret,
    "secrets": _secrets,
    **channel_acts.ACTS,
    **incident_acts.ACTS,
    **maintenance_acts.ACTS,
}

_BULK: Final[dict[str, Callable[[App, Arguments, Progress], Awaitable[Answer]]]] = {
    "add": _add,
    "check": _check,
}


def _fault(app: App) -> Answer:
    """Said only when there is something to say."""
    return {} if app.fault is None else {"fault": app.fault}


def _job(app: App, arguments: Arguments) -> Job:
    return app.find(str(arguments.get("monitor", "")))


def _list(arguments: Arguments, key: str) -> list[object]:
    value = arguments.get(key, [])
    return value if isinstance(value, list) else [value]


def _whole(arguments: Arguments, key: str, highest: int) -> int | None:
    """A number from 0 on, if one is given."""
    value = arguments.get(key)
    return None if value is None else parse_whole(key, str(value), 0, highest)


def _view(app: App, job: Job) -> Answer:
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
        "next_run_at": _instant(state.next_run_at),
        "planned_slot_at": _instant(state.planned_slot_at),
        "source": state.source.value,
        "last_attempt_at": _instant(state.last_attempt_at),
        # What is stored may be of a run that ended with the program.
        "running_since": None if job.begun_at_boot is None else _instant(state.running_since),
        "paused_until": _instant(state.pause.until if state.pause else None),
        "hint_until": _instant(state.hint.expires_at if state.hint else None),
        "tags": list(monitor.tags),
        "plan_version": state.plan_version,
        "saved_at": _instant(state.saved_at or None),
    }


def _schedule(monitor: Monitor) -> str:
    if monitor.is_passive and monitor.grace_ms is None:
        return ""
    return ", ".join(f"{k} {v}" for k, v in describe_schedule(monitor.schedule).items())


def _ping_url(app: App, monitor: Monitor) -> Answer:
    url = app.ping_url_of(monitor)
    return {} if url is None else {"ping_url": url}


def _site(app: App, site: Site) -> Answer:
    statuses = [job.state.status for job in app.jobs if job.monitor.site_id == site.id]
    return {
        "id": site.id,
        "name": site.name,
        "is_active": site.is_active,
        "status": worst(statuses).value,
        "monitors": len(statuses),
    }


def _result(monitor: Monitor, outcome: Outcome) -> Answer:
    return {
        "id": monitor.id or None,
        "name": monitor.name,
        "status": outcome.status.value,
        "reason": outcome.reason,
        "response_ms": outcome.response_ms,
        "attempts": outcome.attempts,
        "evidence": None if outcome.evidence is None else _document(outcome.evidence),
    }


def event_document(event: Event, persisted: bool) -> Answer:
    return {
        "event": type(event).__name__,
        **cast("Answer", _document(event)),
        "persisted": persisted,
    }


def _document(value: object, name: str = "") -> object:
    """A frozen value as JSON: instants by their names, everything else as it is."""
    if is_dataclass(value):
        return {one.name: _document(getattr(value, one.name), one.name) for one in fields(value)}
    if isinstance(value, int) and (name.endswith("_at") or name in ("timestamp", "until")):
        return instant_text(value)
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, tuple | list):
        return [_document(one) for one in value]
    return value


def _instant(instant_ms: int | None) -> str | None:
    return None if instant_ms is None else instant_text(instant_ms)
