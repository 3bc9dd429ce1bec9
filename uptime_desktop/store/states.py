"""What the schedule knows about each monitor, one row of integers."""

import logging
from typing import Final

import msgspec
from peewee import SqliteDatabase

from uptime_desktop.domain.model import Beat, Hint, Pause, RuntimeState
from uptime_desktop.store.codes import (
    PAUSE,
    PAUSE_CODE,
    SOURCE,
    SOURCE_CODE,
    STATUS,
    STATUS_CODE,
    incidents_mask,
    incidents_of,
)
from uptime_desktop.store.connection import raw
from uptime_desktop.store.tables import StateRecord

StateRow = tuple[int | str | None, ...]

SAVE: Final = f"INSERT OR REPLACE INTO states VALUES ({', '.join('?' * 18)})"
_log: Final = logging.getLogger(__name__)
_NO_HINT: Final = (None, None, None)


def row_of(monitor_number: int, state: RuntimeState) -> StateRow:
    """The columns of `states`, in order."""
    pause, hint = state.pause, state.hint
    return (
        monitor_number,
        STATUS_CODE[state.health],
        state.backoff_attempt,
        state.consecutive_failures,
        state.next_run_at,
        state.planned_slot_at,
        SOURCE_CODE[state.source],
        state.last_attempt_at,
        state.running_since,
        None if pause is None else PAUSE_CODE[pause.reason],
        None if pause is None else pause.until,
        *(_NO_HINT if hint is None else (hint.expires_at, hint.interval_ms, hint.run_at)),
        incidents_mask(state.incidents) if state.incidents else 0,
        state.plan_version,
        state.saved_at,
        None if state.beat is None else msgspec.json.encode(state.beat).decode(),
    )


def save(db: SqliteDatabase, monitor_number: int, state: RuntimeState) -> None:
    raw(db).execute(SAVE, row_of(monitor_number, state))


def all_states(db: SqliteDatabase) -> dict[int, RuntimeState]:
    """By monitor number. One that makes no sense is left out: its monitor begins anew."""
    found = {}
    for row in StateRecord.select().execute(db):
        try:
            found[row.monitor] = _state_of(row)
        except (KeyError, msgspec.DecodeError) as error:
            _log.error("The state of monitor %s is unreadable: %s", row.monitor, error)
    return found


def _state_of(row: StateRecord) -> RuntimeState:
    pause = None
    if row.pause_reason is not None:
        pause = Pause(PAUSE[row.pause_reason], row.pause_until)
    hint = None
    if row.hint_expires_at is not None:
        hint = Hint(row.hint_expires_at, row.hint_interval_ms, row.hint_run_at)
    return RuntimeState(
        health=STATUS[row.health],
        backoff_attempt=row.backoff_attempt,
        consecutive_failures=row.consecutive_failures,
        next_run_at=row.next_run_at,
        planned_slot_at=row.planned_slot_at,
        source=SOURCE[row.source],
        last_attempt_at=row.last_attempt_at,
        running_since=row.running_since,
        pause=pause,
        hint=hint,
        incidents=incidents_of(row.incidents),
        plan_version=row.plan_version,
        saved_at=row.saved_at,
        beat=None if row.beat is None else msgspec.json.decode(row.beat, type=Beat),
    )
