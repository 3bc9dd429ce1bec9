"""The one thread that writes.

Changes are committed in groups; only then is told what is kept. What cannot be written is held,
in order, and tried again until it can. Everything below the public methods runs in that thread
alone.
"""

import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import Concatenate, Final, ParamSpec, TypeVar, cast

from peewee import SqliteDatabase

from uptime_desktop.domain.records import Change
from uptime_desktop.domain.uptime import Resolution
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.store.backlog import HELD_RUNS, Backlog
from uptime_desktop.store.connection import BUSY_MS, connect, durable, raw, transaction
from uptime_desktop.store.errors import (
    DATABASE_ERRORS,
    StoreError,
    is_outside_cause,
    store_error,
)
from uptime_desktop.store.intake import Call, Intake, Stop
from uptime_desktop.store.meta import Meta, set_meta
from uptime_desktop.store.transitions import Transitions

GROUP_MS: Final = 200
GROUP_SIZE: Final = 200
CLOSE_MS: Final = 5_000
_FIRST_RETRY_S: Final = 0.2
_LONGEST_RETRY_S: Final = 10.0
_BUCKETS_A_STEP: Final = 500
_HUNG_DISK_S: Final = 5.0
"""How much longer than asked closing waits for a disk that does not even answer."""

_log: Final = logging.getLogger(__name__)
_P = ParamSpec("_P")
_T = TypeVar("_T")

Tell = Callable[[Sequence[Change], bool], None]
TellFault = Callable[[str | None], None]


class Writer:
    """Implements `domain.records.Journal`."""

    def __init__(
        self,
        path: Path,
        now: Callable[[], int],
        *,
        group_ms: int = GROUP_MS,
        group_size: int = GROUP_SIZE,
        held_runs: int = HELD_RUNS,
        busy_ms: int = BUSY_MS,
    ):
        self._path = path
        self._now = now
        self._group_size = group_size
        self._intake = Intake(group_ms / 1_000, group_size)
        self._tellers: list[Tell] = []
        self._fault_tellers: list[TellFault] = []
        self._fault: str | None = None
        self._reason = Sentence("")
        self._backlog = Backlog(held_runs)
        self._retry_s = _FIRST_RETRY_S
        self._retry_at = 0.0
        self._lost: list[Change] = []
        self._alive_at: int | None = None
        self._roll_now: int | None = None
        self._rolled_bucket = 0
        try:
            self._db = connect(path, busy_ms=busy_ms)
        except DATABASE_ERRORS as error:
            raise store_error(error, path) from error
        self._connection = raw(self._db)
        self._transitions = Transitions(self._connection)
        self._thread = Thread(target=self._work, name="store-writer", daemon=True)
        self._thread.start()

    def submit(self, change: Change) -> None:
        """Keep this change with the next group, in the order of the calls."""
        self._intake.submit(change)

    def on_kept(self, tell: Tell) -> None:
        """Call `tell(changes, persisted)` from the writer's thread, once for every group."""
        self._tellers.append(tell)

    def on_fault(self, tell: TellFault) -> None:
        """Call `tell(sentence)` when writing begins to fail or fails differently, `tell(None)`
        when everything held is on disk."""
        self._fault_tellers.append(tell)

    @property
    def fault(self) -> str | None:
        """Why results are held in memory, if they are."""
        return self._fault

    @property
    def held(self) -> int:
        """How many results and states wait for the disk."""
        return len(self._backlog)

    def call(
        self, act: Callable[Concatenate[SqliteDatabase, _P], _T], *args: _P.args, **named: _P.kwargs
    ) -> "Future[_T]":
        """Run `act` after all that was submitted before, in a transaction of its own.

        The result is there once it would survive a power cut; `asyncio.wrap_future` awaits it.
        """
        result: Future[object] = Future()
        if not self._intake.ask(Call(lambda db: act(db, *args, **named), result)):
            result.set_exception(StoreError("{path} is closed", path=str(self._path)))
        return cast("Future[_T]", result)

    def touch_alive(self, now: int) -> None:
        """Note with the next group that we are here, and add up what history is over by now."""
        self._intake.touch_alive(now)

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Wait until all that was submitted before is on disk; False if it cannot be."""
        try:
            self.call(lambda _: None).result(timeout_s)
        except (StoreError, TimeoutError):
            return False
        return True

    def close(self, timeout_ms: int = CLOSE_MS) -> int:
        """Write everything, mark the file as whole, end the thread. How many changes were lost
        because the disk did not take them in this time."""
        self._intake.close(time.monotonic() + timeout_ms / 1_000)
        self._thread.join(timeout_ms / 1_000 + _HUNG_DISK_S)
        return len(self._backlog) + len(self._intake)

    def _work(self) -> None:
        while True:
            group = self._intake.next_group(self._idle_s())
            for at in group.alive_at:
                self._note_alive(at)
            self._keep(group.changes)
            match group.barrier:
                case Call():
                    self._execute(group.barrier)
                case Stop():
                    self._stop(group.barrier.deadline)
                    return
            self._roll_up()

    def _idle_s(self) -> float | None:
        if self._roll_now is not None and self._fault is None:
            return 0
        if self._backlog or self._alive_at is not None:
            return max(0.0, self._retry_at - time.monotonic())
        return None

    def _note_alive(self, at: int) -> None:
        self._alive_at = at
        bucket = Resolution.FIVE_MINUTES.bucket_of(at)
        if bucket != self._rolled_bucket:
            self._rolled_bucket = bucket
            self._roll_now = at

    def _keep(self, changes: list[Change]) -> None:
        """Write a group, or hold it; then tell."""
        if time.monotonic() >= self._retry_at:
            self._drain()
        if not changes and (self._alive_at is None or self._backlog):
            return
        is_done = not self._backlog and self._write(changes)
        if not is_done:
            self._backlog.hold(changes)
        self._refresh_fault()
        lost, self._lost = self._lost, []
        for change in lost:
            self._tell([change], persisted=False)
        kept = [change for change in changes if change not in lost] if lost else changes
        if kept:
            self._tell(kept, is_done)

    def _commit(self, act: Callable[[], _T]) -> _T | Exception:
        """Do it in one transaction; what went wrong is a result, for this thread must go on."""
        try:
            with transaction(self._connection):
                return act()
        except Exception as error:  # noqa: BLE001
            self._transitions.forget()
            return error

    def _write(self, changes: Sequence[Change], told_from_memory_at: int | None = None) -> bool:
        """Commit changes in one transaction; False if the disk does not take them now."""

        def keep() -> None:
            if changes:
                self._transitions.keep(changes, told_from_memory_at)
            self._keep_alive()

        error = self._commit(keep)
        if error is None:
            self._alive_at = None
            self._retry_s, self._retry_at = _FIRST_RETRY_S, 0.0
            return True
        if is_outside_cause(error):
            self._put_off(error)
            return False
        if len(changes) > 1:
            # One of these can never be written: find it, so that the others are not stuck.
            return all(self._write([change], told_from_memory_at) for change in changes)
        _log.error("A change cannot be written and is lost: %r", changes, exc_info=error)
        self._lost += changes
        return True

    def _keep_alive(self) -> None:
        if self._alive_at is not None:
            set_meta(self._db, Meta.LAST_ALIVE_AT, self._alive_at)

    def _put_off(self, error: Exception) -> None:
        """Note why it failed and when to try again, later each time."""
        self._reason = store_error(error, self._path).sentence
        self._retry_at = time.monotonic() + self._retry_s
        self._retry_s = min(2 * self._retry_s, _LONGEST_RETRY_S)

    def _drain(self) -> None:
        """Write what is held, oldest first, as far as the disk takes it."""
        while self._backlog.changes:
            group = list(islice(self._backlog.changes, self._group_size))
            if not self._write(group, told_from_memory_at=self._now()):
                break
            self._backlog.written(len(group))
        else:
            if self._backlog.has_rest:
                self._write_rest()
        self._refresh_fault()

    def _write_rest(self) -> None:
        held = self._backlog
        error = self._commit(
            lambda: self._transitions.keep_merged(held.newest, held.tallies, held.evidence_runs())
        )
        if error is not None and is_outside_cause(error):
            self._put_off(error)
            return
        if error is not None:
            _log.error("Held counts and evidence cannot be written and are lost", exc_info=error)
        held.rest_written()

    def _refresh_fault(self) -> None:
        """Tell when writing begins to fail, fails differently, or works again."""
        fault = None
        if self._backlog or self._retry_at:
            template = "Results are held in memory: {reason}"
            if self._backlog.merged_runs:
                template = (
                    "Results are held in memory: {reason};"
                    " there are so many that the newest are only counted"
                )
            fault = Sentence(template, reason=self._reason)
        if fault != self._fault:
            self._fault = fault
            for tell in tuple(self._fault_tellers):
                _inform(tell, fault)

    def _tell(self, changes: Sequence[Change], persisted: bool) -> None:
        for tell in tuple(self._tellers):
            _inform(tell, changes, persisted)

    def _execute(self, call: Call) -> None:
        """Do what was asked in a transaction of its own that a power cut cannot undo."""
        if not call.result.set_running_or_notify_cancel():
            return
        self._drain()
        if self._backlog:
            call.result.set_exception(StoreError("{reason}", reason=self._reason))
            return
        try:
            with durable(self._connection), transaction(self._connection):
                found = call.act(self._db)
        except DATABASE_ERRORS as error:
            call.result.set_exception(store_error(error, self._path))
        except Exception as error:  # noqa: BLE001, it belongs to whoever asked
            call.result.set_exception(error)
        else:
            call.result.set_result(found)
        finally:
            self._transitions.forget()

    def _roll_up(self) -> None:
        """Add up a little of what history is over; the rest comes with the next turns."""
        if self._roll_now is None or self._backlog:
            return
        now = self._roll_now
        has_more = self._commit(lambda: self._transitions.close_buckets(now, _BUCKETS_A_STEP))
        if isinstance(has_more, Exception):
            _log.error("History could not be added up, later it will be", exc_info=has_more)
            has_more = False
        if not has_more:
            self._roll_now = None

    def _stop(self, deadline: float) -> None:
        """Write what can be written by then, and leave the file as one that was closed."""
        self._keep(self._intake.left_over())
        while self._backlog and time.monotonic() < deadline:
            self._drain()
            if self._backlog:
                time.sleep(min(_FIRST_RETRY_S, max(0.0, deadline - time.monotonic())))
        try:
            if not self._backlog:
                with durable(self._connection), transaction(self._connection):
                    self._keep_alive()
                    set_meta(self._db, Meta.IN_USE, 0)
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.close()
        except DATABASE_ERRORS as error:
            _log.warning("%s", store_error(error, self._path))


def _inform(tell: Callable[_P, None], *what: _P.args, **named: _P.kwargs) -> None:
    """Tell a listener, whose faults must not stop the writing."""
    try:
        tell(*what, **named)
    except Exception:  # noqa: BLE001
        _log.exception("A listener of the store failed")
