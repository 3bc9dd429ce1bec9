"""What waits for the thread that writes: put in by any thread, taken out in groups by that one."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from threading import Event, Lock

from peewee import SqliteDatabase

from uptime_desktop.domain.records import Change


@dataclass(frozen=True, slots=True)
class Call:
    act: Callable[[SqliteDatabase], object]
    result: "Future[object]"


@dataclass(frozen=True, slots=True)
class Stop:
    deadline: float


@dataclass(frozen=True, slots=True)
class _Alive:
    at: int


Barrier = Call | Stop
"""Something that somebody waits for: the group before it is closed at once."""

_Item = Change | Barrier | _Alive


@dataclass(frozen=True, slots=True)
class Group:
    """Changes to write together, what to do after them, and when we were seen meanwhile."""

    changes: list[Change]
    barrier: Barrier | None
    alive_at: list[int]


class Intake:
    def __init__(self, group_s: float, group_size: int) -> None:
        self._group_s = group_s
        self._group_size = group_size
        self._items: SimpleQueue[_Item] = SimpleQueue()
        self._gate = Lock()
        self._barriers = 0
        self._is_urgent = Event()
        self._is_closing = False

    def __len__(self) -> int:
        return self._items.qsize()

    def submit(self, change: Change) -> None:
        self._items.put(change)
        if self._items.qsize() >= self._group_size:
            self._is_urgent.set()

    def touch_alive(self, at: int) -> None:
        self._items.put(_Alive(at))

    def ask(self, call: Call) -> bool:
        """Have it done after all that was put in before; False if it is closed."""
        with self._gate:
            if self._is_closing:
                return False
            self._put_barrier(call)
            return True

    def close(self, deadline: float) -> None:
        """Ask to stop, once; nothing can be asked for after that."""
        with self._gate:
            if not self._is_closing:
                self._is_closing = True
                self._put_barrier(Stop(deadline))

    def next_group(self, timeout_s: float | None) -> Group:
        """What comes until its time or its room is up, or something must wait for it; empty if
        nothing comes in this time.

        The time of a group is slept out: waking for every change costs more than writing it.
        """
        item = self._take(timeout_s)
        group = Group([], None, [])
        if isinstance(item, Change):
            self._is_urgent.clear()
            if not self._barriers and self._items.qsize() < self._group_size:
                self._is_urgent.wait(self._group_s)
        while item is not None:
            match item:
                case Change():
                    group.changes.append(item)
                    if len(group.changes) >= self._group_size:
                        break
                case _Alive():
                    group.alive_at.append(item.at)
                case _:
                    with self._gate:
                        self._barriers -= 1
                    return replace(group, barrier=item)
            item = self._take(0)
        return group

    def left_over(self) -> list[Change]:
        """The changes that were put in beside the request to stop."""
        changes = []
        while (item := self._take(0)) is not None:
            if isinstance(item, Change):
                changes.append(item)
        return changes

    def _put_barrier(self, barrier: Barrier) -> None:
        self._items.put(barrier)
        self._barriers += 1
        self._is_urgent.set()

    def _take(self, timeout_s: float | None) -> _Item | None:
        try:
            if timeout_s is not None and timeout_s <= 0:
                return self._items.get_nowait()
            return self._items.get(timeout=timeout_s)
        except Empty:
            return None
