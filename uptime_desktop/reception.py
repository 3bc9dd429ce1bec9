"""Lets jobs report to us: the listener, on while something could be reported, and its addresses."""

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from uptime_desktop.checks.heartbeat import HeartbeatSpec
from uptime_desktop.config import Settings, parse_listen
from uptime_desktop.definitions import Definitions
from uptime_desktop.domain.definition import REPORTING_KIND
from uptime_desktop.domain.heartbeats import Ping
from uptime_desktop.domain.model import Monitor, Setting
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.engine.clock import Clock
from uptime_desktop.engine.scheduler import Job, Key, Scheduler
from uptime_desktop.engine.timer import Timer
from uptime_desktop.meanings import Meanings
from uptime_desktop.server.addresses import Address, AddressBook, external_key
from uptime_desktop.slices import in_slices

if TYPE_CHECKING:
    from uptime_desktop.server.listener import Listener

_NEW_JOB: Final[dict[str, Setting]] = {"every": "1d", "grace": "1h"}
"""What a job that introduces itself is expected to do, until somebody says otherwise."""
_TRY_AGAIN_MS: Final = 10_000
_log = logging.getLogger(__name__)


class Reception:
    def __init__(
        self,
        definitions: Definitions,
        scheduler: Scheduler,
        timer: Timer,
        meanings: Meanings,
        clock: Clock,
        settings: Callable[[], Settings],
        faulty: Callable[[], None],
    ) -> None:
        self._definitions = definitions
        self._scheduler = scheduler
        self._timer = timer
        self._meanings = meanings
        self._settings = settings
        self._clock = clock
        self._faulty = faulty
        self._listener: Listener | None = None
        self._place: tuple[str, int] | None = None
        self._port = 0
        self._deaf_since: int | None = None
        self._following = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closed = False
        self._asked_for: str | None = None
        self.fault: str | None = None
        """Why nothing can be reported, if so."""

    def start(self, listen: str | None) -> None:
        """Listen from now on, to `listen` in any case, else while there is something to hear."""
        self._asked_for = listen
        self._definitions.on_redefined(self._follow_soon)
        self._follow_soon()

    async def close(self) -> None:
        # One that is about to listen would leave its socket behind if it were cancelled.
        self._is_closed = True
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stop()

    @property
    def is_listening(self) -> bool:
        return self._listener is not None

    def address(self) -> tuple[str, int]:
        """Where it listens, or would."""
        host, port = self._place or self._wanted()
        return host, self._port or port

    def url_of(self, monitor: Monitor) -> str | None:
        """Where the job of this monitor reports; None if it has none."""
        spec = self._meanings.spec_of(monitor)
        if not isinstance(spec, HeartbeatSpec):
            return None
        host, port = self.address()
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/ping/{spec.ping_id}"

    def _follow_soon(self) -> None:
        if self._is_closed:
            return
        task = asyncio.get_running_loop().create_task(self._follow())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow(self) -> None:
        """Listen where and while that is wanted, to whom we know now."""
        async with self._following:
            ping_key = self._settings().ping_key
            book, has_jobs = AddressBook(ping_key=ping_key), False
            async for job in in_slices(self._definitions.jobs):
                address = self._address(job)
                if address is not None:
                    book.add(address)
                    has_jobs = True
            is_wanted = bool(has_jobs or ping_key or self._asked_for)
            if self._listener is not None and (not is_wanted or self._wanted() != self._place):
                await self._stop()
            if is_wanted and self._listener is None:
                await self._listen()
            if not is_wanted:
                self._say(None)
            if self._listener is not None:
                self._listener.use(book)

    async def _listen(self) -> None:
        make = await asyncio.to_thread(_listener)
        listener = make(self._hear, self._create, self._clock.wall, self._monotonic)
        host, port = self._wanted()
        try:
            bound = await listener.start(host, port)
        except UserError as error:
            self._say(error.text())
            self._timer.after(_TRY_AGAIN_MS, self._follow_soon)
            return
        self._listener, self._place, self._port = listener, (host, port), bound
        self._say(None)
        _log.info("Jobs report to %s:%s", host, bound)

    async def _stop(self) -> None:
        listener, self._listener, self._place, self._port = self._listener, None, None, 0
        if listener is not None:
            await listener.close()

    def _say(self, fault: str | None) -> None:
        self._scheduler.is_listening = fault is None
        if fault is None and self._deaf_since is not None:
            self._scheduler.hear_again(self._deaf_since)
            self._deaf_since = None
        elif fault is not None and self._deaf_since is None:
            self._deaf_since = self._clock.wall()
        if fault != self.fault:
            self.fault = fault
            if fault is not None:
                _log.error("%s", fault)
            self._faulty()

    def _wanted(self) -> tuple[str, int]:
        return parse_listen(self._asked_for or self._settings().listen)

    def _monotonic(self) -> float:
        return self._clock.monotonic() / 1_000

    def _address(self, job: Job) -> Address | None:
        spec = self._meanings.spec_of(job.monitor)
        if not isinstance(spec, HeartbeatSpec):
            return None
        monitor = job.monitor
        return Address(
            job.key,
            spec.ping_id,
            spec.slug or monitor.id,
            external_key(monitor.site_id, monitor.name),
            spec.token,
        )

    def _hear(self, key: Key, ping: Ping) -> None:
        job = self._scheduler.jobs.get(key)
        if job is not None:
            self._scheduler.hear(job, ping)

    async def _create(self, slug: str) -> Address:
        """A job we did not know introduced itself."""
        keys: dict[str, Setting] = {"name": slug, "kind": REPORTING_KIND, "slug": slug}
        (monitor,) = await self._definitions.add([{**keys, **_NEW_JOB}])
        found = self._address(self._scheduler.jobs[monitor.site_id, monitor.id])
        assert found is not None
        return found


def _listener() -> type["Listener"]:
    """Takes a tenth of a second, which a command, or an app that hears nobody, never pays."""
    from uptime_desktop.server.listener import Listener  # noqa: PLC0415

    return Listener
