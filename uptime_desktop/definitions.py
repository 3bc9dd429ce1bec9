"""What is watched: definitions as they are stored, scheduled and understood, changed together.

Every change is made in one transaction first; only then the schedule and the meanings follow.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from uptime_desktop.changes import Changes, store_changes
from uptime_desktop.checks.credentials import secret_names
from uptime_desktop.coherence import require_coherent, require_coherent_site
from uptime_desktop.config import Settings, monitor_defaults
from uptime_desktop.domain.alerts import Channel
from uptime_desktop.domain.ids import free_id
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.model import Keys, Monitor, Site
from uptime_desktop.domain.refusal import Decided, Refused, Word
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.drafting import Draft, drafted, parsed
from uptime_desktop.engine.clock import Clock
from uptime_desktop.engine.scheduler import Job, Scheduler
from uptime_desktop.long_work import to_its_end
from uptime_desktop.meanings import Meaning, Meanings
from uptime_desktop.slices import MANY, in_slices, without_collections
from uptime_desktop.store.load import Loaded
from uptime_desktop.store.writer import Writer
from uptime_desktop.stored import keys_of, monitor_of
from uptime_desktop.surroundings import Surroundings

DEFAULT_SITE: Final = "default"
_MOMENT_MS: Final = 50
_NAMED: Final = "an id, or a name that only one has"
_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Owner:
    """A file that says what is watched: also how the switches of these sites stand, and which of
    the settings it names."""

    path: Path
    switches: frozenset[str] = frozenset()
    settings: frozenset[str] = frozenset()


class KnownChannels(Protocol):
    """The channels there are, which change with all else."""

    @property
    def known(self) -> Sequence[Channel]: ...

    def know(self, saved: Sequence[Channel], removed: Sequence[Channel]) -> None: ...

    async def forget_former(self) -> None: ...


class Definitions:
    def __init__(
        self,
        writer: Writer,
        scheduler: Scheduler,
        surroundings: Surroundings,
        meanings: Meanings,
        channels: KnownChannels,
        clock: Clock,
        settings: Callable[[], Settings],
        use_settings: Callable[[Settings], None],
    ) -> None:
        self.sites: dict[str, Site] = {}
        self.windows: dict[str, Window] = {}
        self._writer = writer
        self._scheduler = scheduler
        self._surroundings = surroundings
        surroundings.on_changed = self.redefined
        self._meanings = meanings
        self._channels = channels
        self._clock = clock
        self._settings = settings
        self._use_settings = use_settings
        self.owner: Owner | None = None
        self._one_at_a_time = asyncio.Lock()
        self._following: tuple[int, ...] = ()
        self._listeners: list[Callable[[], None]] = []

    async def load(self, loaded: Loaded) -> None:
        """Know what is stored; one that means nothing any more is kept and says so."""
        self.sites |= {site.id: site for site in loaded.sites}
        await self._meanings.fetch_secrets(keys_of(row.definition) for row in loaded.monitors)
        for row in loaded.monitors:
            try:
                monitor = monitor_of(row, self._clock.wall())
            except Refused as refused:
                _log.error("The monitor %s cannot be used: %s", row.id, refused)
                continue
            self._understand(monitor)
            self._scheduler.know(monitor, loaded.states.get(row.number))
        self.windows |= {window.id: window for window in loaded.windows}
        self._surroundings.know(self.sites)
        self._following = loaded.following

    def start(self) -> None:
        """Begin to follow: groups their members, and all what lies upstream and what is planned."""
        names = {job.monitor.number: job.monitor.id for job in self.jobs}
        following = [names[number] for number in self._following if number in names]
        self._surroundings.start(self.windows.values(), following)

    def on_redefined(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call this whenever something else is watched than before, or by other settings; the
        function returned ends it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def redefined(self) -> None:
        for listener in self._listeners:
            listener()

    @property
    def jobs(self) -> Sequence[Job]:
        return tuple(self._scheduler.jobs.values())

    def find(self, name: str) -> Job:
        """The job of the monitor with this id, alone or as `site/id`, or this name if it is the
        only one."""
        for job in self.jobs:
            if name == job.monitor.id:
                return job
        for job in self.jobs:
            if name == f"{job.monitor.site_id}/{job.monitor.id}":
                return job
        named = [job for job in self.jobs if job.monitor.name == name]
        if len(named) == 1:
            return named[0]
        if not named:
            raise _nobody(name)
        problem = "{value} is the name of several"
        raise Refused("monitor", problem, _NAMED, value=name)

    async def add(
        self,
        definitions: Iterable[Keys],
        site_id: str | None = None,
        progress: Callable[[int], None] = lambda _: None,
    ) -> list[Monitor]:
        """Add monitors, all or none. An id that is not given is made from the name."""
        async with self.changing():
            site_id = site_id or DEFAULT_SITE
            drafts = await self._drafts(definitions, site_id, progress)
            self._require_coherent([draft.monitor for draft in drafts])
            is_known = site_id in self.sites
            return await self.change(
                Changes(
                    added=[draft.monitor for draft in drafts],
                    sites=() if is_known else [Site(0, site_id, site_id)],
                    secrets=_all_secrets(drafts),
                    meanings={draft.monitor.id: draft.meaning for draft in drafts},
                )
            )

    async def _drafts(
        self, definitions: Iterable[Keys], site_id: str, progress: Callable[[int], None]
    ) -> list[Draft]:
        taken = {job.monitor.id for job in self.jobs}
        counted: dict[str, int] = {}
        drafts: list[Draft] = []
        defaults = monitor_defaults(self._settings())
        async for given in in_slices(definitions):
            monitor_id = str(given.get("id") or free_id(str(given.get("name", "")), taken, counted))
            if monitor_id in taken:
                raise Refused("id", "{value} is taken", "an id that is not", value=monitor_id)
            taken.add(monitor_id)
            now = self._clock.wall()
            monitor = parsed(
                given, site_id=site_id, monitor_id=monitor_id, now=now, defaults=defaults
            )
            await self._meanings.fetch_secrets([monitor.settings])
            drafts.append(drafted(self._meanings, monitor))
            progress(len(drafts))
        return drafts

    async def edit(self, job: Job, given: Keys) -> Monitor:
        """Take the definition anew; what stays the same keeps its plan and its history."""
        async with self.changing():
            self._require_there(job)
            old, now = job.monitor, self._clock.wall()
            monitor = parsed(given, site_id=old.site_id, monitor_id=old.id, now=now, old=old)
            await self._meanings.fetch_secrets([monitor.settings])
            draft = drafted(self._meanings, monitor)
            self._require_coherent([draft.monitor])
            edited, meanings = {job.key: draft.monitor}, {draft.monitor.id: draft.meaning}
            await self.change(Changes(edited=edited, secrets=draft.secrets, meanings=meanings))
            return draft.monitor

    async def move(self, jobs: Sequence[Job], site_id: str) -> None:
        """Have monitors belong to another site, all or none; everything else stays."""
        async with self.changing():
            self._require_site(site_id)
            for job in jobs:
                self._require_there(job)
            moved = {job.key: replace(job.monitor, site_id=site_id) for job in jobs}
            self._require_coherent(list(moved.values()))
            await self.change(Changes(edited=moved))

    async def remove(self, *jobs: Job) -> None:
        """Stop watching these, as far as they are still there, and forget their history; all or
        none."""
        async with self.changing():
            there = [job.monitor for job in dict.fromkeys(jobs) if self._is_there(job)]
            await self.change(Changes(removed=there))

    async def switch_site(self, site_id: str, *, on: bool) -> Site:
        """Turn the master switch of a site; monitors paused by themselves stay so."""
        async with self.changing(by_owner=True):
            if self.owner is not None and site_id in self.owner.switches:
                self.require_free()
            switched = replace(self._require_site(site_id), is_active=on)
            await self.change(Changes(sites=[switched]))
            return switched

    async def change_site(self, site: Site) -> None:
        """Give a site another name, or have it depend on something else."""
        async with self.changing():
            self._require_site(site.id)
            require_coherent_site(site, self._monitors(), self.sites, self._channels.known)
            await self.change(Changes(sites=[site]))

    async def save_window(self, window: Window) -> None:
        """Plan maintenance, or plan it differently."""
        async with self.changing():
            await self.change(Changes(windows=[window]))

    async def remove_window(self, window_id: str) -> None:
        async with self.changing():
            await self.change(Changes(removed_windows=[window_id]))

    @asynccontextmanager
    async def changing(self, *, by_owner: bool = False) -> AsyncIterator[None]:
        """One change after the other, each made up by what the one before left; refused while a
        file decides, unless it is for the file."""
        async with self._one_at_a_time:
            if not by_owner:
                self.require_free()
            yield

    def require_free(self) -> None:
        """Refuse a change while a file says what is watched."""
        if self.owner is not None:
            sentence = "{path} says what is watched; change it there"
            raise Decided(Sentence(sentence, path=str(self.owner.path)))

    async def change(self, changes: Changes) -> list[Monitor]:
        """Make all of this so, or nothing; what was added, with the numbers it got.

        Whoever calls it is `changing`. Cancelled, it goes on to its end all the same: what is
        stored and what is scheduled must not differ.
        """
        with without_collections(changes.size):
            return await to_its_end(self._change(changes))

    async def _change(self, changes: Changes) -> list[Monitor]:
        async with self._meanings.keeping(changes.secrets):
            stored, added = await self._do(lambda db: store_changes(db, changes))
        before = [self._scheduler.jobs[key].monitor for key in changes.edited]
        await self._know(changes, stored, added)
        self._surroundings.follow(self.sites, self.windows.values())
        # Whoever shows thousands has enough to do by itself.
        if changes.size >= MANY:
            await asyncio.sleep(0)
        self.redefined()
        if changes.size >= MANY:
            await asyncio.sleep(0)
        used_by = (job.monitor for job in self.jobs)
        await self._meanings.forget_secrets([*before, *changes.removed], used_by)
        await self._channels.forget_former()
        return added

    async def _know(
        self, changes: Changes, stored: Sequence[Site], added: Sequence[Monitor]
    ) -> None:
        """What is stored is a fact: from here on nothing may be refused any more."""
        if changes.settings is not None:
            self._use_settings(changes.settings)
        self._channels.know(changes.channels, changes.removed_channels)
        self.sites |= {site.id: site for site in stored}
        await self._know_edited(changes)
        async for monitor in in_slices(changes.removed):
            self._scheduler.remove((monitor.site_id, monitor.id))
            self._meanings.forget(monitor)
        async for monitor in in_slices(added):
            self._understand(monitor, changes.meanings.get(monitor.id))
        async for _ in in_slices(self._scheduler.adding(added, changes.paused, _MOMENT_MS)):
            pass
        for site in changes.removed_sites:
            del self.sites[site.id]
        self.windows |= {window.id: window for window in changes.windows}
        for window_id in changes.removed_windows:
            self.windows.pop(window_id, None)

    async def _know_edited(self, changes: Changes) -> None:
        async for key, monitor in in_slices(changes.edited.items()):
            old = self._scheduler.jobs[key].monitor
            if old.site_id != monitor.site_id:
                self._scheduler.move(key, monitor.site_id)
            # Though nothing else is, a secret that it refers to may be another one.
            self._understand(monitor, changes.meanings.get(monitor.id))
            if replace(old, site_id=monitor.site_id) != monitor:
                self._scheduler.edit(monitor)

    async def understand_anew(self, secret: str) -> None:
        """Know what all those mean by now that refer to a secret, which is another one."""
        async for job in in_slices(self.jobs):
            if secret in secret_names(job.monitor.settings):
                self._understand(job.monitor)

    def _understand(self, monitor: Monitor, meaning: Meaning | None = None) -> None:
        """Know what its settings mean, or say with every check why they mean nothing."""
        try:
            self._meanings.understand(monitor, meaning)
        except Refused as refused:
            _log.error("The monitor %s cannot be checked: %s", monitor.id, refused)
            self._meanings.give_up(monitor, refused.text())

    def _is_there(self, job: Job) -> bool:
        """Whether it is still watched: the change before may have removed it."""
        return self._scheduler.jobs.get(job.key) is job

    def _require_there(self, job: Job) -> None:
        if not self._is_there(job):
            raise _nobody(job.monitor.id)

    def _monitors(self) -> dict[str, Monitor]:
        return {job.monitor.id: job.monitor for job in self.jobs}

    def _require_coherent(self, drafts: Sequence[Monitor]) -> None:
        require_coherent(drafts, self._monitors(), self.sites, self._channels.known)

    def _require_site(self, site_id: str) -> Site:
        if site_id not in self.sites:
            names = Word(", ".join(self.sites))
            problem = "there is no site {value}"
            raise Refused("site", problem, "{names}", value=site_id, names=names)
        return self.sites[site_id]

    async def _do(self, write: Callable[[Any], _Result]) -> _Result:
        """Have something written, and wait until it is on disk."""
        return await asyncio.wrap_future(self._writer.call(write))


def _nobody(name: str) -> Refused:
    return Refused("monitor", "there is no monitor {value}", _NAMED, value=name)


def _all_secrets(drafts: Iterable[Draft]) -> dict[str, str]:
    return {name: secret for draft in drafts for name, secret in draft.secrets.items()}
