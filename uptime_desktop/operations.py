"""Every act by its name, with JSON in and JSON out: what the control API and commands speak."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

from uptime_desktop import (
    channel_acts,
    declared_acts,
    exchange_acts,
    incident_acts,
    maintenance_acts,
)
from uptime_desktop.app import App, opened
from uptime_desktop.checks.group import members_of
from uptime_desktop.checks.registry import definition_of, kind_named, takes_members
from uptime_desktop.config import APP_NAME
from uptime_desktop.domain.model import (
    DAY_MS,
    MAX_INTERVAL_MS,
    MIN_INTERVAL_MS,
    Hint,
    Monitor,
    Outcome,
)
from uptime_desktop.domain.notation import LAST_INSTANT, instant_text, parse_whole
from uptime_desktop.domain.plan import DEFAULT_HINT_MS
from uptime_desktop.domain.refusal import Refused, Word, require_between
from uptime_desktop.domain.status import Status
from uptime_desktop.engine.scheduler import Job
from uptime_desktop.i18n import tr
from uptime_desktop.long_work import Progress, unheard
from uptime_desktop.server.instance import Instance
from uptime_desktop.slices import in_slices
from uptime_desktop.views import (
    Answer,
    Arguments,
    definition_view,
    document,
    fault_view,
    members_view,
    monitor_view,
    result_view,
    site_view,
    tally_view,
)

_LOOKS: Final = (
    *("list", "show", "history", "incidents", "incident", "channels", "maintenance_list"),
    *("secrets", "plan", "export"),
)
_MOST_RUNS: Final = 10_000
_SPANS_MS: Final = (DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 365 * DAY_MS)
_LOCK_PATIENCE_S: Final = 10
_LOCK_PAUSE_S: Final = 0.05


class Busy(Exception):
    """Another program holds the database and does not let go."""


class Answering(Exception):
    """The app has just begun to run: it is for it to do."""


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
    if _only_looks(name, arguments) and not await asyncio.to_thread(database.exists):
        # Where nothing is, nothing is left behind by having looked.
        with tempfile.TemporaryDirectory(prefix=APP_NAME) as folder:
            return await _call_on(Path(folder) / database.name, name, arguments, progress)
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
        return await _call_on(database, name, arguments, progress)
    finally:
        instance.release()


async def _call_on(database: Path, name: str, arguments: Arguments, progress: Progress) -> Answer:
    async with opened(database, start_over=False) as app:
        if name == "check":
            app.start_timer_only()
        return await call(app, name, arguments, progress)


def _only_looks(name: str, arguments: Arguments) -> bool:
    """Whether everything is afterwards as it was."""
    return name in _LOOKS or (name == "import" and bool(arguments.get("dry_run")))


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
    views = [monitor_view(app, app.job_of(monitor)) async for monitor in in_slices(added)]
    return {"monitors": views}


async def _listing(app: App, _: Arguments) -> Answer:
    return {"monitors": [monitor_view(app, job) for job in app.jobs], **fault_view(app)}


async def _show(app: App, arguments: Arguments) -> Answer:
    job = _job(app, arguments)
    definition = definition_view(job.monitor)
    started_at, seen = job.state.last_attempt_at, None
    if started_at is not None:
        seen = await app.history.evidence(job.monitor.number, started_at)
    evidence = None if seen is None else document(seen)
    return {
        **monitor_view(app, job),
        **members_view(app, job.monitor),
        "definition": definition,
        "evidence": evidence,
        **fault_view(app),
    }


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
        return result_view(monitor, await app.check_once(monitor))
    except Refused as refused:
        # What it refers to is not there; the others are looked at all the same.
        return result_view(monitor, Outcome(Status.UNKNOWN, refused.text()))


async def _checked(app: App, job: Job) -> Answer:
    over = app.check_now(job)
    try:
        outcome = await over
    except asyncio.CancelledError:
        if not over.cancelled():
            raise
        outcome = Outcome(Status.UNKNOWN, "the monitor was paused or removed meanwhile")
    return result_view(job.monitor, outcome)


async def _pause(app: App, arguments: Arguments) -> Answer:
    if "site" in arguments:
        return await _switch(app, arguments, on=False)
    job = _job(app, arguments)
    app.pause(job, _whole(arguments, "until", LAST_INSTANT))
    return {**monitor_view(app, job), **fault_view(app)}


async def _resume(app: App, arguments: Arguments) -> Answer:
    if "site" in arguments:
        return await _switch(app, arguments, on=True)
    job = _job(app, arguments)
    app.resume(job)
    return {**monitor_view(app, job), **fault_view(app)}


async def _switch(app: App, arguments: Arguments, *, on: bool) -> Answer:
    return site_view(app, await app.switch_site(str(arguments["site"]), on=on))


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
    return {**monitor_view(app, job), **fault_view(app)}


async def _remove(app: App, arguments: Arguments) -> Answer:
    job = _job(app, arguments)
    view = monitor_view(app, job)
    await app.remove(job)
    return {**view, "status": "removed", "next_run_at": None}


async def _history(app: App, arguments: Arguments) -> Answer:
    job = _job(app, arguments)
    count = _whole(arguments, "count", _MOST_RUNS) or 20
    rows = await app.history.runs(job.monitor.number, limit=count)
    answer: Answer = {"monitor": job.monitor.id, "runs": [document(row) for row in rows]}
    if arguments.get("stats"):
        now = app.clock.wall()
        answer["stats"] = [
            tally_view(span_ms, await app.history.tally(job.monitor.number, span_ms, now))
            for span_ms in _SPANS_MS
        ]
    return answer


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
    **declared_acts.ACTS,
    **incident_acts.ACTS,
    **maintenance_acts.ACTS,
}

_BULK: Final[dict[str, Callable[[App, Arguments, Progress], Awaitable[Answer]]]] = {
    "add": _add,
    "check": _check,
    **exchange_acts.ACTS,
}


def _job(app: App, arguments: Arguments) -> Job:
    return app.find(str(arguments.get("monitor", "")))


def _list(arguments: Arguments, key: str) -> list[object]:
    value = arguments.get(key, [])
    return value if isinstance(value, list) else [value]


def _whole(arguments: Arguments, key: str, highest: int) -> int | None:
    """A number from 0 on, if one is given."""
    value = arguments.get(key)
    return None if value is None else parse_whole(key, str(value), 0, highest)
