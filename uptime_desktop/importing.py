"""Moving in from other programs: what was found in a file becomes ours, all of it or nothing."""

import asyncio
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from uptime_desktop.changes import Changes
from uptime_desktop.channel_book import ChannelBook
from uptime_desktop.checks.credentials import possible_names
from uptime_desktop.checks.registry import kind_named, own_settings
from uptime_desktop.coherence import incoherent
from uptime_desktop.config import Settings, monitor_defaults
from uptime_desktop.definitions import Definitions
from uptime_desktop.domain.alerts import DESKTOP, SOUND, Channel
from uptime_desktop.domain.definition import REPORTING_KIND, parse_alert_rule
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.maintenance_definition import parse_window
from uptime_desktop.domain.model import Monitor, Setting, Site
from uptime_desktop.domain.past import Past
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.drafting import Draft, drafted, parsed
from uptime_desktop.engine.clock import Clock
from uptime_desktop.engine.scheduler import Scheduler
from uptime_desktop.exchange.imported import Found, Keys
from uptime_desktop.exchange.report import Fate
from uptime_desktop.housekeeping import retention_of
from uptime_desktop.meanings import Meanings
from uptime_desktop.slices import in_slices
from uptime_desktop.store import channels
from uptime_desktop.store.past import keep_past
from uptime_desktop.store.writer import Writer
from uptime_desktop.stored import free_id

Progress = Callable[[int, int], None]
"""Called with how much is done, and of how much."""

_Signature = tuple[str, ...]
_ALWAYS_THERE: Final = (DESKTOP, SOUND)


@dataclass(frozen=True, slots=True)
class Sighted:
    """A file that was looked into. `twins` are the ids in it of monitors that are here already and
    are left alone."""

    found: Found
    twins: frozenset[str]


@dataclass(frozen=True, slots=True)
class Brought:
    """How much of each became ours."""

    monitors: tuple[Monitor, ...]
    sites: int
    channels: int
    windows: int
    pasts: int


@dataclass
class _Ready:
    """What is to be added. `names` are the ids that monitors of the file have here, be they new or
    `twins` of ours; `refused` what cannot be, and why."""

    names: dict[str, str] = field(default_factory=dict)
    twins: set[str] = field(default_factory=set)
    drafts: dict[str, Draft] = field(default_factory=dict)
    sites: dict[str, Site] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    channel_names: dict[str, str] = field(default_factory=dict)
    windows: dict[str, Window] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    refused: list[tuple[str, Refused]] = field(default_factory=list)

    def changes(self) -> Changes:
        secrets = dict(self.secrets)
        for draft in self.drafts.values():
            secrets |= draft.secrets
        return Changes(
            added=[draft.monitor for draft in self.drafts.values()],
            sites=list(self.sites.values()),
            windows=list(self.windows.values()),
            secrets=secrets,
            also=[partial(_store_channel, channel) for channel in self.channels.values()],
        )


class Importing:
    def __init__(
        self,
        definitions: Definitions,
        meanings: Meanings,
        channel_book: ChannelBook,
        scheduler: Scheduler,
        writer: Writer,
        clock: Clock,
        settings: Callable[[], Settings],
    ) -> None:
        self._definitions = definitions
        self._meanings = meanings
        self._channels = channel_book
        self._scheduler = scheduler
        self._writer = writer
        self._clock = clock
        self._settings = settings

    async def look_into(self, path: Path, program: str | None = None) -> Sighted:
        """What a file of another program (by default whichever it is) holds for us; refused in a
        sentence if nothing can be made of it."""
        found = await asyncio.to_thread(_read, path, program, self._clock.wall())
        ready = await self._ready(found)
        for name, refused in ready.refused:
            left_out = Sentence("it cannot be taken: {reason}", reason=str(refused))
            found.report.note(name, "", "", Fate.UNSUPPORTED, left_out)
        return Sighted(found, frozenset(ready.twins))

    async def bring_in(
        self, sighted: Sighted, progress: Progress = lambda _done, _total: None
    ) -> Brought:
        """Have all of it, or nothing if that fails or is cancelled."""
        async with self._definitions.changing():
            ready = await self._ready(sighted.found)
            new = list(ready.channels.values())
            changes = replace(ready.changes(), then=[partial(self._channels.know, new, ())])
            change = asyncio.ensure_future(self._definitions.change(changes))
            try:
                added = await asyncio.shield(change)
                self._pause(sighted.found, ready, added)
                pasts = await self._bring_pasts(sighted.found, ready, added, progress)
            except BaseException:
                await asyncio.shield(self._undo(ready, change))
                raise
        return Brought(
            tuple(added), len(ready.sites), len(ready.channels), len(ready.windows), pasts
        )

    def _pause(self, found: Found, ready: _Ready, added: Iterable[Monitor]) -> None:
        paused = {ready.names[one] for one in found.paused if one in ready.names}
        for monitor in added:
            if monitor.id in paused:
                self._scheduler.pause((monitor.site_id, monitor.id))

    async def _bring_pasts(
        self, found: Found, ready: _Ready, added: Iterable[Monitor], progress: Progress
    ) -> int:
        numbers = {monitor.id: monitor.number for monitor in added}
        total, kept = len(ready.drafts) + found.past_count, 0
        loop, now = asyncio.get_running_loop(), self._clock.wall()
        kept_for = retention_of(self._settings())
        # What reads the history may be bound to the thread that it began in.
        reader, pasts = ThreadPoolExecutor(1, "import"), found.past()
        try:
            for done in range(len(ready.drafts), total + 1):
                progress(done, total)
                past = await loop.run_in_executor(reader, _next, pasts)
                if past is None:
                    break
                number = numbers.get(ready.names.get(past.monitor_id, ""))
                if number is not None and past.monitor_id not in ready.twins:
                    await asyncio.wrap_future(
                        self._writer.call(keep_past, number, past, now, kept_for)
                    )
                    kept += 1
        finally:
            reader.submit(_end, pasts)
            reader.shutdown(wait=False)
        progress(total, total)
        self._definitions.redefined()
        return kept

    async def _undo(self, ready: _Ready, change: "asyncio.Future[list[Monitor]]") -> None:
        """Have it all gone again, unless nothing of it came to be."""
        await asyncio.wait([change])
        if change.exception() is not None:
            return
        added, new = change.result(), list(ready.channels.values())
        await self._definitions.change(
            Changes(
                removed=added,
                removed_sites=[self._definitions.sites[one] for one in ready.sites],
                removed_windows=list(ready.windows),
                also=[partial(_remove_channel, channel) for channel in new],
                then=[partial(self._channels.know, (), new)],
            )
        )
        await self._channels.forget_former()

    # What can be taken

    async def _ready(self, found: Found) -> _Ready:
        ready = _Ready()
        await self._ready_channels(found, ready)
        self._name_monitors(found, ready)
        self._ready_sites(found, ready)
        await self._ready_monitors(found, ready)
        self._drop_incoherent(ready)
        used = {draft.monitor.site_id for draft in ready.drafts.values()}
        ready.sites = {name: site for name, site in ready.sites.items() if name in used}
        self._ready_windows(found, ready)
        return ready

    async def _ready_channels(self, found: Found, ready: _Ready) -> None:
        known = {channel.id: channel for channel in self._channels.known}
        for keys in found.channels:
            channel_id, name, url = (str(keys[key]) for key in ("id", "name", "url"))
            if not found.knows_variables:
                url = url.replace("${", "%24{")
            is_on = bool(keys.get("on", True))
            try:
                made, secrets = await self._channels.drafted(channel_id, name, url, is_on=is_on)
                if channel_id in known and made != known[channel_id]:
                    free = free_id(channel_id, {*known, *_ALWAYS_THERE}, {})
                    made, secrets = await self._channels.drafted(free, name, url, is_on=is_on)
            except Refused as refused:
                ready.refused.append((name, refused))
                continue
            ready.channel_names[channel_id] = made.id
            if made.id not in known:
                ready.channels[made.id] = made
                ready.secrets |= secrets

    def _name_monitors(self, found: Found, ready: _Ready) -> None:
        """Find those that are here already, and ids for the rest."""
        ours = {self._signature(job.monitor): job.monitor.id for job in self._definitions.jobs}
        taken = {job.monitor.id for job in self._definitions.jobs}
        counted: dict[str, int] = {}
        for keys in found.monitors:
            given = str(keys["id"])
            twin = ours.get(_signature_of_keys(keys))
            if twin is not None:
                ready.twins.add(given)
            free = given if given not in taken else free_id(given, taken, counted)
            ready.names[given] = twin or free
            taken.add(ready.names[given])

    def _signature(self, monitor: Monitor) -> _Signature:
        if monitor.kind == REPORTING_KIND:
            return _reporter(monitor.name, monitor.settings)
        return monitor.kind, monitor.name, self._meanings.target_of(monitor)

    def _ready_sites(self, found: Found, ready: _Ready) -> None:
        for keys in found.sites:
            site_id = str(keys["id"])
            if site_id not in self._definitions.sites:
                alert = parse_alert_rule(_renamed(keys, ready))
                name = str(keys.get("name", site_id))
                ready.sites[site_id] = Site(0, site_id, name, alert=alert)

    async def _ready_monitors(self, found: Found, ready: _Ready) -> None:
        now, defaults = self._clock.wall(), monitor_defaults(self._settings())
        wanted = [keys for keys in found.monitors if keys["id"] not in ready.twins]
        await self._meanings.fetch_secrets(wanted)
        async for keys in in_slices(wanted):
            site_id, monitor_id = str(keys["site"]), ready.names[str(keys["id"])]
            given = _renamed(keys, ready)
            try:
                given = _harmless(given, knows_variables=found.knows_variables)
                monitor = parsed(
                    given, site_id=site_id, monitor_id=monitor_id, now=now, defaults=defaults
                )
                ready.drafts[monitor_id] = drafted(self._meanings, monitor)
            except Refused as refused:
                ready.refused.append((str(keys.get("name", monitor_id)), refused))

    def _drop_incoherent(self, ready: _Ready) -> None:
        """Leave out what makes no sense beside the rest, and then what was built on that."""
        before = {job.monitor.id: job.monitor for job in self._definitions.jobs}
        sites = {**self._definitions.sites, **ready.sites}
        known = (*self._channels.known, *ready.channels.values())
        while True:
            drafts = [draft.monitor for draft in ready.drafts.values()]
            refused = dict(incoherent(drafts, before, sites, known))
            if not refused:
                return
            for name, why in refused.items():
                ready.refused.append((ready.drafts.pop(name).monitor.name, why))

    def _ready_windows(self, found: Found, ready: _Ready) -> None:
        known = self._definitions.windows
        here = {*ready.drafts, *(job.monitor.id for job in self._definitions.jobs)}
        for keys in found.windows:
            try:
                window = parse_window(_renamed(keys, ready), 0, is_new=False)
            except Refused as refused:
                ready.refused.append((str(keys.get("name", keys["id"])), refused))
                continue
            wanted = window.monitors
            window = replace(window, monitors=wanted & here)
            if wanted and not window.monitors:
                # One that names nothing would be in force for everything.
                continue
            if window.id in known and known[window.id] != window:
                window = replace(window, id=free_id(window.id, set(known), {}))
            if window.id not in known:
                ready.windows[window.id] = window


def _read(path: Path, program: str | None, now: int) -> Found:
    # Only who moves in needs all that knows other programs.
    from uptime_desktop.exchange.importers import recognising  # noqa: PLC0415

    if program is None:
        return recognising.program_of(path).read(path, now)
    return recognising.program_named(program).read(path, now)


def _next(pasts: Iterator[Past]) -> Past | None:
    return next(pasts, None)


def _end(pasts: Iterator[Past]) -> None:
    """Let go of what it reads from, if it is something that can."""
    if isinstance(pasts, Generator):
        pasts.close()


def _reporter(name: str, keys: Keys) -> _Signature:
    """A job is known by what it reports to, as far as that came from elsewhere."""
    return REPORTING_KIND, str(keys.get("token") or keys.get("ping_id") or name)


def _signature_of_keys(keys: Keys) -> _Signature:
    """What makes two monitors the same to people; the file's own are made to be usable."""
    kind = kind_named(str(keys.get("kind", "http")))
    if kind.name == REPORTING_KIND:
        return _reporter(str(keys.get("name", keys["id"])), keys)
    spec = kind.parse(own_settings(kind, keys))
    return kind.name, str(keys.get("name", keys["id"])), kind.describe(spec)


def _renamed(keys: Keys, ready: _Ready) -> dict[str, Setting]:
    """The keys with the ids that what they refer to has here; what was left out is left out."""
    renamed = {key: value for key, value in keys.items() if key != "site"}
    for key in ("members", "depends_on", "monitors"):
        if key in renamed:
            renamed[key] = tuple(ready.names.get(name, name) for name in _several(renamed[key]))
    if "channels" in renamed:
        there = {**{one: one for one in _ALWAYS_THERE}, **ready.channel_names}
        named = _several(renamed["channels"])
        renamed["channels"] = tuple(there[one] for one in named if one in there)
    return renamed


def _harmless(keys: Mapping[str, Setting], *, knows_variables: bool) -> dict[str, Setting]:
    """The keys with nothing in them that would be taken for a name of something of ours: what is
    kept here is no business of a file that came from elsewhere."""
    fields = {field.key: field for field in kind_named(str(keys.get("kind", "http"))).fields}
    plain: dict[str, Setting] = dict(keys)
    for key, value in keys.items():
        if key not in fields or not fields[key].is_secret:
            continue
        if possible_names({key: value}):
            problem = "{value} would name a secret that is kept here"
            raise Refused(key, problem, "a text that does not", value=key)
        if not knows_variables:
            plain[key] = _literal(value)
    return plain


def _literal(value: Setting) -> Setting:
    match value:
        case str():
            return value.replace("${", "$${")
        case tuple():
            return tuple(one.replace("${", "$${") for one in value)
        case Mapping():
            return {name: one.replace("${", "$${") for name, one in value.items()}
        case _:
            return value


def _several(value: Setting) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else tuple(str(value).split(","))


def _store_channel(channel: Channel, db: Any) -> None:
    channels.add_channel(db, channel)


def _remove_channel(channel: Channel, db: Any) -> None:
    channels.remove_channel(db, channel.id)
