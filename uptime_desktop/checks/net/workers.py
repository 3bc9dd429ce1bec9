"""Calls that block, kept off the event loop and not repeated without need."""

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Final, Generic, TypeVar

_MOST_THREADS: Final = 64
_MOST_KEPT: Final = 4_096

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Workers:
    """Daemon threads, started as they are needed.

    Not a `ThreadPoolExecutor`: that one waits for its threads when the program ends, and a
    look-up may hang for half a minute.
    """

    def __init__(self, most: int = _MOST_THREADS) -> None:
        self._most = most
        self._started = 0
        self._idle = threading.Semaphore(0)
        self._jobs: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._lock = threading.Lock()

    def submit(self, job: Callable[[], None]) -> None:
        """Run `job`, which must not raise, on a free thread."""
        self._jobs.put(job)
        if self._idle.acquire(blocking=False):
            return
        with self._lock:
            if self._started == self._most:
                return
            self._started += 1
        threading.Thread(target=self._work, name="check-worker", daemon=True).start()

    async def run(self, call: Callable[[], Value]) -> Value:
        """What `call` returns or raises, from a free thread."""
        result: Future[Value] = Future()
        # Marked as running, so that a cancelled waiter leaves the thread something to fill.
        result.set_running_or_notify_cancel()

        def fill() -> None:
            try:
                result.set_result(call())
            except BaseException as error:  # noqa: BLE001 - the one who waits must be told
                result.set_exception(error)

        self.submit(fill)
        return await asyncio.wrap_future(result)

    def _work(self) -> None:
        while True:
            self._jobs.get()()
            self._idle.release()


class _Entry(Generic[Value]):
    __slots__ = ("fresh_until", "result")

    def __init__(self) -> None:
        self.result: Future[Value] = Future()
        # Marked as running, so that one waiter's cancellation cannot cancel it for all.
        self.result.set_running_or_notify_cancel()
        self.fresh_until = float("inf")

    def is_stale(self) -> bool:
        return self.fresh_until <= time.monotonic()


class Kept(Generic[Key, Value]):
    """Results of a slow call by its argument: shared while under way, then kept for a while.

    Failures are told to all who wait and then forgotten. Serves any number of event loops.
    """

    def __init__(self, call: Callable[[Key], Value], keep_s: float, workers: Workers) -> None:
        self._call = call
        self._keep_s = keep_s
        self._workers = workers
        self._entries: dict[Key, _Entry[Value]] = {}
        self._lock = threading.Lock()

    def known(self, key: Key) -> Value | None:
        """The result, if it is there and not too old."""
        entry = self._entries.get(key)
        if entry is None or not entry.result.done() or entry.is_stale():
            return None
        return entry.result.result()

    async def get(self, key: Key) -> Value:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry.is_stale():
                entry = self._begin(key)
        return await asyncio.wrap_future(entry.result)

    def _begin(self, key: Key) -> _Entry[Value]:
        entry: _Entry[Value] = _Entry()
        self._entries.pop(key, None)
        if len(self._entries) >= _MOST_KEPT:
            del self._entries[next(iter(self._entries))]
        self._entries[key] = entry
        self._workers.submit(lambda: self._fill(key, entry))
        return entry

    def _fill(self, key: Key, entry: _Entry[Value]) -> None:
        try:
            value = self._call(key)
        except BaseException as error:  # noqa: BLE001 - whatever it is, those who wait must be told
            with self._lock:
                if self._entries.get(key) is entry:
                    del self._entries[key]
            entry.result.set_exception(error)
        else:
            entry.fresh_until = time.monotonic() + self._keep_s
            entry.result.set_result(value)


WORKERS: Final = Workers()
"""Shared by all checks; no thread is started before the first call."""
