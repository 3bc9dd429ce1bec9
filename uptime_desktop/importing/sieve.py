"""What can be taken of what was found, beside all that is here already."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from uptime_desktop.channel_book import ChannelBook
from uptime_desktop.checks.group import GroupKind, members_of
from uptime_desktop.checks.heartbeat import HeartbeatSpec
from uptime_desktop.checks.registry import kind_named, own_settings
from uptime_desktop.coherence import incoherent
from uptime_desktop.config import Settings, monitor_defaults
from uptime_desktop.definitions import Definitions
from uptime_desktop.domain.alerts import DESKTOP, SOUND
from uptime_desktop.domain.definition import REPORTING_KIND
from uptime_desktop.domain.ids import free_id
from uptime_desktop.domain.maintenance import OnceAt, Window
from uptime_desktop.domain.maintenance_definition import parse_window
from uptime_desktop.domain.model import Keys, Monitor, Setting, Site
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.drafting import Draft, drafted, parsed
from uptime_desktop.engine.clock import Clock
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.report import Fate
from uptime_desktop.importing.harmless import harmless, harmless_address
from uptime_desktop.importing.importable import Importable, Note
from uptime_desktop.meanings import Meanings
from uptime_desktop.slices import in_slices

_Signature = tuple[str, ...]
_ALWAYS_THERE: Final = (DESKTOP, SOUND)
_ONLY_THESE: Final = Sentence("it is only for the monitors of this file")
_WITHOUT_SOME: Final = Sentence("it is here already, without some of these monitors")


class Sieve:
    """Keeps what can be taken, and says of the rest why it cannot."""

    def __init__(
        self,
        definitions: Definitions,
        meanings: Meanings,
        channel_book: ChannelBook,
        clock: Clock,
        settings: Callable[[], Settings],
    ) -> None:
        self._definitions = definitions
        self._meanings = meanings
        self._channels = channel_book
        self._clock = clock
        self._settings = settings

    async def sifted(self, found: Found) -> Importable:
        ready = Importable()
        await self._take_channels(found, ready)
        monitors = await self._harmless(found, ready)
        await self._name_monitors(monitors, ready)
        self._take_sites(found, ready)
        await self._draft_monitors(monitors, ready)
        await self._drop_incoherent(ready)
        used = {draft.monitor.site_id for draft in ready.drafts.values()}
        ready.sites = {name: site for name, site in ready.sites.items() if name in used}
        ready.paused = frozenset(
            ready.names[one] for one in found.paused - ready.twins if one in ready.names
        )
        self._take_windows(found, ready)
        return ready

    async def _take_channels(self, found: Found, ready: Importable) -> None:
        taken = {*_ALWAYS_THERE, *(channel.id for channel in self._channels.known)}
        for keys in found.channels:
            given, name = str(keys["id"]), str(keys["name"])
            is_on = bool(keys.get("on", True))
            try:
                url = harmless_address(str(keys["url"]), knows_variables=found.knows_variables)
                there = await self._channels.at(url)
                if there is not None:
                    ready.channel_names[given] = there.id
                    continue
                free = free_id(given, taken, {})
                made, secrets = await self._channels.drafted(free, name, url, is_on=is_on)
            except Refused as refused:
                ready.refuse(name, refused)
                continue
            taken.add(made.id)
            ready.channel_names[given] = made.id
            ready.channels[made.id] = made
            ready.secrets |= secrets

    async def _harmless(self, found: Found, ready: Importable) -> list[Keys]:
        monitors: list[Keys] = []
        async for keys in in_slices(found.monitors):
            try:
                monitors.append(harmless(keys, knows_variables=found.knows_variables))
            except Refused as refused:
                ready.refuse(_name_of(keys), refused)
        return monitors

    async def _name_monitors(self, monitors: Sequence[Keys], ready: Importable) -> None:
        """Find those that are here already, and ids for the rest."""
        here = self._monitors()
        ours = {one.id: self._signatures(one) async for one in in_slices(here.values())}
        theirs = {str(one["id"]): self._signatures_in(one) async for one in in_slices(monitors)}
        twins = _twins(theirs, ours)
        taken = set(ours)
        counted: dict[str, int] = {}
        async for given in in_slices(theirs):
            free = given if given not in taken else free_id(given, taken, counted)
            ready.names[given] = twins.get(given, free)
            taken.add(ready.names[given])
        ready.twins |= twins.keys()
        for keys in monitors:
            if keys["id"] in twins and "members" in keys:
                members = members_of(here[twins[str(keys["id"])]])
                if not set(members).issuperset(_several(_renamed(keys, ready)["members"])):
                    ready.notes.append(Note(_name_of(keys), Fate.APPROXIMATED, _WITHOUT_SOME))

    def _signatures(self, monitor: Monitor) -> list[_Signature]:
        """What the same monitor in a file would be known by, the surest first."""
        if monitor.kind == REPORTING_KIND:
            spec = self._meanings.spec_of(monitor)
            token = spec.token if isinstance(spec, HeartbeatSpec) else ""
            keys = {**monitor.settings, "token": token}
            # Where nobody may see the address of a job, its name is all there is.
            return [*_signatures_of_job(monitor.name, keys), (REPORTING_KIND, monitor.name)]
        if monitor.kind == GroupKind.name:
            return [(monitor.kind, monitor.name)]
        return [(monitor.kind, monitor.name, self._meanings.target_of(monitor))]

    def _signatures_in(self, keys: Keys) -> list[_Signature]:
        """What makes two monitors the same to people, the surest first."""
        kind, name = kind_named(str(keys.get("kind", "http"))), _name_of(keys)
        if kind.name == REPORTING_KIND:
            return _signatures_of_job(name, keys)
        if kind.name == GroupKind.name:
            # Whoever is in it may have changed since.
            return [(kind.name, name)]
        try:
            return [(kind.name, name, self._meanings.target_in(kind, own_settings(kind, keys)))]
        except Refused:
            # Why it cannot be is told when it is drafted.
            return []

    def _take_sites(self, found: Found, ready: Importable) -> None:
        for keys in found.sites:
            site_id = str(keys["id"])
            if site_id not in self._definitions.sites:
                is_active = bool(keys.get("active", True))
                ready.sites[site_id] = Site(0, site_id, _name_of(keys), is_active)

    async def _draft_monitors(self, monitors: Sequence[Keys], ready: Importable) -> None:
        now, defaults = self._clock.wall(), monitor_defaults(self._settings())
        wanted = [keys for keys in monitors if keys["id"] not in ready.twins]
        async for keys in in_slices(wanted):
            site_id, monitor_id = str(keys["site"]), ready.names[str(keys["id"])]
            given = _renamed(keys, ready)
            try:
                monitor = parsed(
                    given, site_id=site_id, monitor_id=monitor_id, now=now, defaults=defaults
                )
                ready.drafts[monitor_id] = drafted(self._meanings, monitor)
            except Refused as refused:
                ready.refuse(_name_of(keys), refused)

    async def _drop_incoherent(self, ready: Importable) -> None:
        """Leave out what makes no sense beside the rest, and then what was built on that."""
        before = self._monitors()
        sites = {**self._definitions.sites, **ready.sites}
        known = (*self._channels.known, *ready.channels.values())
        while True:
            drafts = [draft.monitor for draft in ready.drafts.values()]
            refused = dict(incoherent(drafts, before, sites, known))
            if not refused:
                return
            for name, why in refused.items():
                culprit = _culprit(name, why, ready.drafts)
                if culprit is not None:
                    ready.refuse(ready.drafts.pop(culprit).monitor.name, why)
            # A chain of groups falls one by one.
            await asyncio.sleep(0)

    def _monitors(self) -> dict[str, Monitor]:
        return {job.monitor.id: job.monitor for job in self._definitions.jobs}

    def _take_windows(self, found: Found, ready: Importable) -> None:
        known = self._definitions.windows
        here = {job.monitor.id for job in self._definitions.jobs}
        of_file = frozenset(ready.names.values()) & {*ready.drafts, *here}
        for keys in found.windows:
            name = _name_of(keys)
            try:
                window = parse_window(_renamed(keys, ready), 0, is_new=False)
            except Refused as refused:
                ready.refuse(name, refused)
                continue
            if window.monitors or here - of_file:
                if not window.monitors:
                    # All that there was is not all that there is.
                    ready.notes.append(Note(name, Fate.APPROXIMATED, _ONLY_THESE))
                window = replace(window, monitors=(window.monitors or of_file) & of_file)
                if not window.monitors:
                    # One that names nothing would be in force for everything.
                    continue
            twin = next((one for one in known.values() if _is_same(one, window)), None)
            if twin is None:
                window = replace(window, id=free_id(window.id, {*known, *ready.windows}, {}))
                ready.windows[window.id] = window
            elif window.monitors - twin.monitors:
                ready.notes.append(Note(name, Fate.APPROXIMATED, _WITHOUT_SOME))


def _is_same(ours: Window, given: Window) -> bool:
    """Whether a window of the file is one of ours, be it of another id, and for fewer monitors or
    more than there were then.

    Some begin when they are imported, so a second time is later; to us it is the one under way.
    """
    if not (ours.monitors <= given.monitors or ours.monitors >= given.monitors):
        return False
    one, other = ours.when, given.when
    alike = replace(ours, id=given.id, monitors=given.monitors)
    if isinstance(one, OnceAt) and isinstance(other, OnceAt):
        overlap = one.starts_at < other.ends_at and other.starts_at < one.ends_at
        return overlap and replace(alike, when=other) == given
    return alike == given


def _twins(
    theirs: Mapping[str, Sequence[_Signature]], ours: Mapping[str, Sequence[_Signature]]
) -> dict[str, str]:
    """Which of theirs is which of ours: by what is surest, then by what only one of each has."""
    twins: dict[str, str] = {}
    for rank in range(max(map(len, theirs.values()), default=0)):
        free: dict[_Signature, list[str]] = {}
        matched = set(twins.values())
        for name, known_by in ours.items():
            for signature in known_by if name not in matched else ():
                free.setdefault(signature, []).append(name)
        wanted: dict[_Signature, list[str]] = {}
        for name, known_by in theirs.items():
            if name not in twins and len(known_by) > rank:
                wanted.setdefault(known_by[rank], []).append(name)
        for signature, names in wanted.items():
            there = free.get(signature, [])
            if rank == 0 or len(there) == len(names) == 1:
                twins |= dict(zip(names, there, strict=False))
    return twins


def _name_of(keys: Keys) -> str:
    return str(keys.get("name", keys["id"]))


def _signatures_of_job(name: str, keys: Keys) -> list[_Signature]:
    """A job is known by what it reports to, as far as that came from elsewhere; several of Gatus
    may have one token."""
    address = keys.get("token") or keys.get("ping_id")
    if not address:
        return [(REPORTING_KIND, name)]
    return [(REPORTING_KIND, name, str(address)), (REPORTING_KIND, "", str(address))]


def _culprit(name: str, why: Refused, drafts: Mapping[str, Draft]) -> str | None:
    """The draft to leave out; a circle may have been found at something that was here before."""
    way = str(why.values.get("way", "")).split(" → ")
    return next((one for one in (name, *way) if one in drafts), None)


def _renamed(keys: Keys, ready: Importable) -> dict[str, Setting]:
    """The keys with the ids that what they refer to has here, without channels that are not."""
    renamed = {key: value for key, value in keys.items() if key != "site"}
    for key in ("members", "depends_on", "monitors"):
        if key in renamed:
            renamed[key] = tuple(ready.names.get(name, name) for name in _several(renamed[key]))
    if "channels" in renamed:
        there = {**{one: one for one in _ALWAYS_THERE}, **ready.channel_names}
        named = _several(renamed["channels"])
        renamed["channels"] = tuple(there[one] for one in named if one in there)
    return renamed


def _several(value: Setting) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else tuple(str(value).split(","))
