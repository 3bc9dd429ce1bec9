"""Time that is moved by hand, and a journal that keeps everything in a list."""

import asyncio
import heapq
from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo
from itertools import count

from uptime_desktop.domain.records import Change


class FakeClock:
    """Stands still until told to move, and then fires every wait on the way in order."""

    def __init__(self, wall_ms: int) -> None:
        self._wall, self._boot, self._monotonic = wall_ms, 5_000_000, 3_000_000
        self._order = count()
        self._waits: list[tuple[int, int, asyncio.Event]] = []
        self.local_zone: tzinfo = UTC
        self.waits_made = 0

    @property
    def is_waited_for(self) -> bool:
        return bool(self._waits)

    def wall(self) -> int:
        return self._wall

    def boot(self) -> int:
        return self._boot

    def boot_after(self, delay_ms: int) -> int:
        return self._boot + delay_ms

    def monotonic(self) -> int:
        return self._monotonic

    def zone(self) -> tzinfo:
        return self.local_zone

    async def wait(self, at_most_ms: int, woken: asyncio.Event) -> None:
        entry = (self._monotonic + at_most_ms, next(self._order), woken)
        heapq.heappush(self._waits, entry)
        self.waits_made += 1
        try:
            await woken.wait()
        finally:
            if entry in self._waits:
                self._waits.remove(entry)
                heapq.heapify(self._waits)

    async def advance(self, by_ms: int) -> None:
        """Let time pass, with everything that happens in it."""
        end = self._monotonic + by_ms
        await settle()
        while self._waits and self._waits[0][0] <= end:
            due, _, woken = heapq.heappop(self._waits)
            self._pass(due - self._monotonic)
            woken.set()
            await settle()
        self._pass(end - self._monotonic)
        await settle()

    async def stall(self, for_ms: int) -> None:
        """Time passes without us being let run."""
        self._pass(for_ms)
        await self.wake()

    async def suspend(self, for_ms: int) -> None:
        """The computer sleeps: time goes on, but not for us."""
        self._wall += for_ms
        self._boot += for_ms
        await self.wake()

    async def set_wall(self, by_ms: int) -> None:
        """Somebody sets the clock."""
        self._wall += by_ms
        await self.wake()

    async def wake(self) -> None:
        """Let whoever waits look at the clocks, as the next short sleep would."""
        for _, _, woken in list(self._waits):
            woken.set()
        await settle()

    def _pass(self, by_ms: int) -> None:
        self._wall += by_ms
        self._boot += by_ms
        self._monotonic += by_ms


class MemoryJournal:
    """Keeps changes at once; what was told can be read back."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._tell: Callable[[Sequence[Change], bool], None] = lambda _changes, _persisted: None

    def submit(self, change: Change) -> None:
        self.changes.append(change)
        self._tell([change], True)

    def on_kept(self, tell: Callable[[Sequence[Change], bool], None]) -> None:
        self._tell = tell


async def settle() -> None:
    """Let everything that can happen without time passing happen."""
    ready = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]  # noqa: SLF001
    await asyncio.sleep(0)
    while ready:  # noqa: ASYNC110
        await asyncio.sleep(0)


async def until(look: Callable[[], object]) -> None:
    """Let the loop run until this is so."""
    async with asyncio.timeout(20):
        while not look():  # noqa: ASYNC110 - whatever it is, nobody sets an event for it
            await asyncio.sleep(0.005)
