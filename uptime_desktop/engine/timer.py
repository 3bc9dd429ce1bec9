"""One heap of things to do at their time, and one task that sleeps until the next.

An event loop's own timers will not do: under Qt each is a coarse timer of its own that may
fire early and lives on after it was cancelled. Here nothing is ever done before its time.
"""

import asyncio
import heapq
from collections.abc import Callable
from itertools import count
from typing import Final

from uptime_desktop.engine.clock import Clock

_LONGEST_SLEEP_MS: Final = 30_000
_SHORTEST_SLEEP_MS: Final = 10
_CROWDED: Final = 1_000


class Alarm:
    """Something to do at an instant, unless it is cancelled before."""

    __slots__ = ("_call", "_heap", "_order", "due")

    def __init__(self, due: int, order: int, call: Callable[[], None], heap: "_Heap") -> None:
        self.due = due
        self._order = order
        self._call: Callable[[], None] | None = call
        self._heap = heap

    def __lt__(self, other: "Alarm") -> bool:
        return (self.due, self._order) < (other.due, other._order)

    @property
    def is_cancelled(self) -> bool:
        return self._call is None

    def cancel(self) -> None:
        if self._call is not None:
            self._call = None
            self._heap.cancelled += 1

    def ring(self) -> None:
        call, self._call = self._call, None
        if call is not None:
            call()


class _Heap:
    """Alarms by their time; cancelled ones stay until they come up or crowd out the others."""

    def __init__(self) -> None:
        self.alarms: list[Alarm] = []
        self.cancelled = 0

    def push(self, alarm: Alarm) -> None:
        if self.cancelled > max(_CROWDED, len(self.alarms) // 2):
            self.alarms = [one for one in self.alarms if not one.is_cancelled]
            heapq.heapify(self.alarms)
            self.cancelled = 0
        heapq.heappush(self.alarms, alarm)

    def pop_due(self, now: int) -> Alarm | None:
        first = self.first()
        return heapq.heappop(self.alarms) if first is not None and first.due <= now else None

    def first(self) -> Alarm | None:
        while self.alarms and self.alarms[0].is_cancelled:
            heapq.heappop(self.alarms)
            self.cancelled -= 1
        return self.alarms[0] if self.alarms else None


class Timer:
    """Alarms by boot time, which no setting of the clock can move, or by the clock on the wall."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.on_wake: Callable[[], None] = lambda: None
        """Called after every sleep, before anything rings: the place to see that clocks jumped."""
        self._order = count()
        self._by_boot = _Heap()
        self._by_wall = _Heap()
        self._woken = asyncio.Event()
        self._awake_at: int | None = None

    def after(self, delay_ms: int, call: Callable[[], None]) -> Alarm:
        """Do something once this much time has passed, sleep of the computer included."""
        return self._add(self._by_boot, self._clock.boot_after(delay_ms), delay_ms, call)

    def at(self, wall_ms: int, call: Callable[[], None]) -> Alarm:
        """Do something when the clock shows this instant, or as soon as it has passed."""
        return self._add(self._by_wall, wall_ms, wall_ms - self._clock.wall(), call)

    async def run(self) -> None:
        """Ring every alarm at its time, for ever."""
        while True:
            self._ring_due()
            remaining = self._remaining_ms()
            # Waking costs more than a run takes to begin, so what is due together rings together.
            nap = max(remaining, _SHORTEST_SLEEP_MS)
            self._woken.clear()
            self._awake_at = self._clock.boot() + nap
            await self._clock.wait(nap, self._woken)
            self._awake_at = None
            self.on_wake()

    def _add(self, heap: _Heap, due: int, delay_ms: int, call: Callable[[], None]) -> Alarm:
        alarm = Alarm(due, next(self._order), call, heap)
        heap.push(alarm)
        if self._awake_at is not None and self._clock.boot() + delay_ms < self._awake_at:
            self._woken.set()
        return alarm

    def _ring_due(self) -> None:
        for heap, now in self._heaps_now():
            while (alarm := heap.pop_due(now)) is not None:
                alarm.ring()

    def _remaining_ms(self) -> int:
        firsts = ((heap.first(), now) for heap, now in self._heaps_now())
        waits = [alarm.due - now for alarm, now in firsts if alarm is not None]
        return min([_LONGEST_SLEEP_MS, *waits])

    def _heaps_now(self) -> tuple[tuple[_Heap, int], tuple[_Heap, int]]:
        return (self._by_boot, self._clock.boot()), (self._by_wall, self._clock.wall())
