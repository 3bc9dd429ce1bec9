"""The program without a face: opens the store, wires the engine, offers every act.

Window, control API and command line all come through here.
"""

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from uptime_desktop.alarm import Alarm
from uptime_desktop.archive import Archive
from uptime_desktop.changes import Changes
from uptime_desktop.channel_book import ChannelBook
from uptime_desktop.checks.redaction import remember
from uptime_desktop.config import (
    ConfigFile,
    Settings,
    describe_settings,
    own_database,
    parse_settings,
    recall_settings,
)
from uptime_desktop.declaring import Declaring
from uptime_desktop.definitions import Definitions
from uptime_desktop.domain.alerts import Fault, Faults
from uptime_desktop.domain.model import Hint, Monitor
from uptime_desktop.domain.records import Change
from uptime_desktop.domain.refusal import Refused, UserError
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.engine.bus import Bus
from uptime_desktop.engine.clock import Clock, SystemClock
from uptime_desktop.engine.runner import Limits, Runner
from uptime_desktop.engine.scheduler import Job, Memory, Scheduler
from uptime_desktop.engine.timer import Timer
from uptime_desktop.history import History
from uptime_desktop.housekeeping import Housekeeping
from uptime_desktop.importing import Importing
from uptime_desktop.long_work import hear, soon
from uptime_desktop.looking import Looking
from uptime_desktop.meanings import Meanings
from uptime_desktop.outgoing import StoredOutbox
from uptime_desktop.reception import Reception
from uptime_desktop.store import runs
from uptime_desktop.store.db import Store, open_store
from uptime_desktop.store.errors import NoPlace
from uptime_desktop.store.secrets import Secrets
from uptime_desktop.surroundings import Surroundings
from uptime_desktop.trouble import Trouble
from uptime_desktop.truth import Truth
from uptime_desktop.vault import Vault

__all__ = ["App", "Job", "NoPlace", "opened"]

_log = logging.getLogger(__name__)


@asynccontextmanager
async def opened(
    database: Path,
    clock: Clock | None = None,
    *,
    start_over: bool = True,
    has_coarse_timers: bool = False,
) -> AsyncIterator["App"]:
    """The app on a database: all that is stored is known, but nothing is due until `start`.

    A damaged file is set aside for a new one, unless `start_over` says to refuse it. Qt's loop
    `has_coarse_timers`.
    """
    clock = clock or SystemClock(is_loop_coarse=has_coarse_timers)
    found = await asyncio.to_thread(open_store, database, clock.wall(), start_over=start_over)
    for notice in found.notices:
        _log.warning("%s", notice)
    app = App(found.store, clock)
    app.notices = found.notices
    try:
        await app.load()
        yield app
    finally:
        await app.close()


class App:
    def __init__(self, store: Store, clock: Clock) -> None:
        self.bus = Bus()
        self.clock = clock
        self.settings = Settings()
        self.unwritten = 0
        self.notices: tuple[str, ...] = ()
        self._store = store
        self._writer = store.start_writer(clock.wall)
        self.history = History(store, self._writer)
        secrets = Secrets(store.path)
        self._meanings = Meanings(secrets)
        self._timer = Timer(clock)
        self._runner = Runner(self._meanings.check, self._timer, clock, Limits())
        self._scheduler = Scheduler(
            clock,
            self._timer,
            self._runner,
            self._writer,
            random.Random(),
            self._meanings.origin_of,
            Memory(),
        )
        self._trouble = Trouble(self._writer, clock)
        self.channels = ChannelBook(store, secrets, remember)
        surroundings = Surroundings(
            self._scheduler, self._timer, self._trouble, self._meanings, clock
        )
        # The planned work that a monitor is in now, if any.
        self.maintenance_of = surroundings.maintenance_of
        definitions = Definitions(
            self._writer,
            self._scheduler,
            surroundings,
            self._meanings,
            self.channels,
            clock,
            lambda: self.settings,
            self._use_settings,
        )
        self._trouble.on_changed = definitions.redefined
        looking = Looking(surroundings, self._scheduler, self._runner, self._meanings)
        self.check_now = looking.check_now
        self.check_once = looking.check_once
        # What is watched is theirs to change; the app offers it as its own.
        self._definitions = definitions
        self.sites = definitions.sites
        self.on_redefined = definitions.on_redefined
        self.find = definitions.find
        self.add = definitions.add
        self.edit = definitions.edit
        self.move = definitions.move
        self.remove = definitions.remove
        self.switch_site = definitions.switch_site
        self.change_site = definitions.change_site
        self.windows = definitions.windows
        self.save_window = definitions.save_window
        self.remove_window = definitions.remove_window
        self.acknowledge = self._trouble.acknowledge
        self.snooze = self._trouble.snooze
        self.acknowledge_incident = self._trouble.acknowledge_one
        self.snooze_incident = self._trouble.snooze_one
        self.write_note = self._trouble.note
        self._housekeeping = Housekeeping(
            store, self._writer, self._timer, clock, lambda: self.settings, self._gone
        )
        self._reception = Reception(
            definitions,
            self._scheduler,
            self._timer,
            self._meanings,
            clock,
            lambda: self.settings,
            self._tell_fault,
        )
        self._declaring = Declaring(
            definitions,
            self._meanings,
            self.channels,
            clock,
            lambda: self.settings,
        )
        importing = Importing(
            definitions,
            self._meanings,
            self.channels,
            clock,
            lambda: self.settings,
        )
        self.look_into = importing.look_into
        self.bring_in = importing.bring_in
        archive = Archive(
            store, self._writer, definitions, self._declaring, clock, self._begin_again
        )
        self.toml = self._declaring.toml
        self.export_toml = archive.export_toml
        self.export_runs = archive.export_runs
        self.back_up = archive.back_up
        self.look_into_backup = archive.look_into_backup
        self.restore = archive.restore
        self._truth = Truth(self._declaring, definitions, clock, self._tell_fault)
        self.declares = self._truth.declares
        self.take_over = self._truth.take_over
        vault = Vault(
            secrets, self._meanings, definitions, self.channels, clock, self._truth.try_again
        )
        self.keep_secret = vault.keep
        self.known_secrets = vault.known
        self.missing_secrets = vault.missing
        self.agree_to_secret_file = vault.agree_to_file
        self.plan = self._declaring.plan
        self.apply = self._declaring.apply
        self.is_empty = self._declaring.is_empty
        self.channels.definitions = definitions
        self._fault_listeners: list[Callable[[Faults], None]] = []
        self._alarm = Alarm(
            self,
            StoredOutbox(store, self._writer),
            self.channels,
            clock,
            lambda: self.settings,
            self._tell_fault,
        )
        self.start_alerts = self._alarm.start
        self.test_channel = self._alarm.test_channel
        self.test_alerts = self._alarm.test
        self._is_started = False
        self._last_alive_at: int | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._writer.on_kept(soon(self._tell))
        self._writer.on_fault(soon(self._complain))

    # Life

    async def load(self) -> None:
        """Know what is stored."""
        loaded = await asyncio.to_thread(self._store.load)
        self._last_alive_at = loaded.last_alive_at
        self._use_settings(recall_settings(loaded.settings))
        await self._definitions.load(loaded)
        await self.channels.load()
        await asyncio.to_thread(self._recall_reasons)

    async def _begin_again(self, last_alive_at: int) -> None:
        """Know what is stored anew, all of it having come from a backup of that time."""
        await self.load()
        if self._is_started:
            self._scheduler.resume_all(last_alive_at)
            self._definitions.start()
        self._definitions.redefined()

    @property
    def declared_in(self) -> Path | None:
        """The file that says what is watched, if one does."""
        return self._truth.path

    @property
    def file_error(self) -> UserError | None:
        """Why that file cannot be obeyed as it is now."""
        return self._truth.error

    async def obey(self, config: ConfigFile) -> None:
        """Have a configuration file say what is watched, from before the start on.

        Refused if it differs from what is stored, unless that is said to be fine.
        """
        if config.allow_secret_file:
            self.agree_to_secret_file()
        await self._truth.obey(config.path, accept_changes=config.accept_changes)

    async def follow_again(self, path: Path) -> None:
        """Have a file say again what is watched, which was taken over; refused if something else is
        watched by now."""
        await self._truth.obey(path, accept_changes=False)
        self._keep_at(self._truth.follow())

    @property
    def start_options(self) -> list[str]:
        """What another start needs to be told to be about the same."""
        is_own = self._store.path == own_database()
        options = [] if is_own else ["--db", str(self._store.path)]
        if self.declared_in is not None:
            options += ["--config", str(self.declared_in.absolute())]
        return options

    def start(self, listen: str | None = None) -> None:
        """Begin to watch; jobs may report to `listen` (`HOST:PORT`), or where the settings say."""
        self._is_started = True
        self._scheduler.resume_all(self._last_alive_at)
        self._definitions.start()
        for work in (self._timer.run(), self._scheduler.sweep(), self._truth.follow()):
            self._keep_at(work)
        self._housekeeping.start()
        self._reception.start(listen)

    def start_timer_only(self) -> None:
        """Let checks that are asked for time out, with nothing else becoming due."""
        self._keep_at(self._timer.run())

    def _keep_at(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        task.add_done_callback(hear)
        self._tasks.append(task)

    async def close(self) -> None:
        await self._reception.close()
        await self._alarm.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._runner.close()
        # Checks that were cancelled get a turn to let go of their sockets.
        await asyncio.sleep(0)
        self.unwritten = await asyncio.to_thread(self._store.close)
        if self.unwritten:
            _log.error("%s changes could not be written: %s", self.unwritten, self._writer.fault)

    # What is watched

    @property
    def jobs(self) -> Sequence[Job]:
        return self._definitions.jobs

    def job_of(self, monitor: Monitor) -> Job:
        return self._scheduler.jobs[monitor.site_id, monitor.id]

    def target_of(self, monitor: Monitor) -> str:
        return self._meanings.target_of(monitor)

    def listens_at(self) -> tuple[str, int] | None:
        """Where jobs can report; None while nothing is to be reported, or none can be."""
        return self._reception.address() if self._reception.is_listening else None

    @property
    def listener_fault(self) -> str | None:
        """Why no job can report, if none can."""
        return self._reception.fault

    def ping_url_of(self, monitor: Monitor) -> str | None:
        """Where a job reports that a monitor waits for; None if it waits for none."""
        return self._reception.url_of(monitor)

    @property
    def channel_faults(self) -> Mapping[str, str]:
        """Why channels cannot be reached, in a sentence each, by their id."""
        return self._alarm.channel_faults

    # What people ask for

    def pause(self, job: Job, until: int | None = None) -> None:
        self._scheduler.pause(job.key, until)

    def resume(self, job: Job) -> None:
        site = self.sites[job.monitor.site_id]
        if not site.is_active:
            problem = "{value} is switched off with all its monitors"
            raise Refused("site", problem, "switch the site on first", value=site.id)
        self._scheduler.resume(job.key)

    def hint(self, job: Job, hint: Hint | None) -> None:
        self._scheduler.hint(job.key, hint)

    @property
    def faults(self) -> Faults:
        """What does not work, and why: results are not on disk, a file is not taken, no job can
        report."""
        disk = self._writer.fault
        if self._housekeeping.is_gone:
            sentence = "{path} was removed: what happens from now on is lost"
            disk = Sentence(sentence, path=str(self._store.path))
        found = {
            Fault.DISK: disk,
            Fault.FILE: self._truth.fault,
            Fault.LISTENER: self._reception.fault,
        }
        return {fault: why for fault, why in found.items() if why is not None}

    @property
    def fault(self) -> str | None:
        """The worst of them."""
        return next(iter(self.faults.values()), None)

    def on_faults(self, listener: Callable[[Faults], None]) -> Callable[[], None]:
        """Call this with `faults` whenever they change; the function returned ends it."""
        self._fault_listeners.append(listener)
        return lambda: self._fault_listeners.remove(listener)

    async def change_settings(self, changed: Settings) -> None:
        """Use other settings from now on: those that are not as they are while this is asked."""
        now, described = describe_settings(self.settings), describe_settings(changed)
        others = {key: text for key, text in described.items() if text != now[key]}
        async with self._definitions.changing(by_owner=True):
            if any(map(self.declares, others)):
                self._definitions.require_free()
            whole = parse_settings(others, self.settings)
            await self._definitions.change(Changes(settings=whole))

    # Inside

    def _use_settings(self, settings: Settings) -> None:
        self.settings = settings
        self._runner.limits = Limits(settings.max_concurrent, settings.per_origin)
        self._runner.limits_changed()
        self._scheduler.memory = Memory(settings.staleness_window_ms, settings.stuck_after_ms)

    def _recall_reasons(self) -> None:
        """Why what is not well is not well, for whoever asks before the next run."""
        for job in self.jobs:
            if job.state.health in (Status.DOWN, Status.DEGRADED, Status.UNKNOWN):
                newest = self._store.read(runs.newest_runs, job.monitor.number, limit=1)
                job.reason = newest[0].reason if newest else ""

    def _complain(self, sentence: str | None) -> None:
        if sentence is not None:
            _log.error("%s", sentence)
        else:
            _log.info("Everything is on disk again")
        self._tell_fault()

    def _gone(self) -> None:
        """The database was removed under us, or is back."""
        if self._housekeeping.is_gone:
            _log.error("%s", self.fault)
        self._tell_fault()

    def _tell_fault(self) -> None:
        for listener in self._fault_listeners:
            listener(self.faults)

    def _tell(self, changes: Sequence[Change], persisted: bool) -> None:
        for change in changes:
            for event in change.events:
                self.bus.publish(event, persisted)
