"""Writes changes whole, state, run, incident, alert and evidence, in the caller's transaction."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Final

from uptime_desktop.domain.events import Event, IncidentOpened, IncidentResolved
from uptime_desktop.domain.model import DAY_MS, RuntimeState
from uptime_desktop.domain.records import Change, Run
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, Tally
from uptime_desktop.store import evidence, incidents, outbox, pings, rollups, runs, states
from uptime_desktop.store.codes import RESOLUTION_CODE

REASON_USED_WITHIN_MS: Final = DAY_MS
"""How much later than it says a reason may have been used: noting every use would cost a page."""

_MANY: Final = 500
USE_REASON: Final = """
INSERT INTO reasons (text, used_at) VALUES (?, ?)
ON CONFLICT (text) DO UPDATE SET used_at = max(used_at, excluded.used_at) RETURNING number
"""


class Transitions:
    """Remembers, to save statements, what it has stored. After a roll-back, or once someone
    else has written, that may be wrong: `forget`.
    """

    def __init__(self, connection: sqlite3.Connection):
        self._connection = connection
        self._reasons: dict[str, tuple[int, int]] = {}
        self._marked: set[tuple[int, int, int]] = set()
        self._good: dict[int, Run] = {}
        self._good_due_at: dict[int, int] = {}
        self._good_kept_at: dict[int, int] = {}

    def forget(self) -> None:
        self._reasons.clear()
        self._marked.clear()
        self._good_kept_at.clear()

    def keep(self, changes: Sequence[Change], told_from_memory_at: int | None = None) -> None:
        """Store changes in their order. Those of a monitor that was removed meanwhile are void."""
        known = self._known({change.monitor_number for change in changes})
        newest: dict[int, RuntimeState] = {}
        finished: list[tuple[int, Run]] = []
        for change in changes:
            number = change.monitor_number
            if number not in known:
                continue
            newest[number] = change.state
            if change.run is not None:
                finished.append((number, change.run))
            if change.ping is not None:
                pings.keep(self._connection, number, change.ping)
            for event in change.events:
                self._keep_event(number, event, told_from_memory_at)
        self._keep_states(newest)
        if finished:
            self._keep_runs(finished)

    def keep_merged(
        self,
        newest: Mapping[int, RuntimeState],
        tallies: Mapping[tuple[int, int], Tally],
        with_evidence: Sequence[tuple[int, Run]],
    ) -> None:
        """Store what a backlog held in another form than change by change."""
        known = self._known({*newest})
        self._keep_states({number: newest[number] for number in newest if number in known})
        rollups.merge_counts(
            self._connection, {key: tally for key, tally in tallies.items() if key[0] in known}
        )
        known = self._known({number for number, _ in with_evidence})
        for number, run in with_evidence:
            if number in known:
                self._keep_evidence(number, run)

    def close_buckets(self, now: int, limit: int) -> bool:
        """Add up history that is over; whether there may be more."""
        self._marked.clear()
        return rollups.close_buckets(self._connection, now, limit)

    def _known(self, numbers: set[int]) -> set[int]:
        if len(numbers) > _MANY:
            found = self._connection.execute("SELECT number FROM monitors")
        else:
            places = ", ".join("?" * len(numbers))
            found = self._connection.execute(
                f"SELECT number FROM monitors WHERE number IN ({places})", tuple(numbers)
            )
        return {number for (number,) in found}

    def _keep_states(self, newest: Mapping[int, RuntimeState]) -> None:
        self._connection.executemany(
            states.SAVE, [states.row_of(number, state) for number, state in newest.items()]
        )

    def _keep_runs(self, finished: Sequence[tuple[int, Run]]) -> None:
        rows = []
        marks = set()
        finest = Resolution.FIVE_MINUTES
        code = RESOLUTION_CODE[finest]
        for number, run in finished:
            outcome = run.outcome
            reason = self._reason_number(outcome.reason, run.started_at) if outcome.reason else None
            rows.append(runs.row_of(number, run, reason))
            marks.add((code, finest.bucket_of(run.started_at), number))
            if outcome.evidence is not None:
                self._keep_evidence(number, run)
        self._connection.executemany(runs.SAVE, rows)
        marks -= self._marked
        if marks:
            self._connection.executemany(rollups.MARK, list(marks))
            self._marked |= marks

    def _keep_evidence(self, number: int, run: Run) -> None:
        """Store what a run saw. A good one's is wanted only beside a failure: until then, and
        for no longer than its time, the newest is held in memory."""
        if run.outcome.status is Status.UP:
            self._good[number] = run
            due_at = self._good_due_at.setdefault(number, run.started_at + evidence.GOOD_EVERY_MS)
            if run.started_at >= due_at:
                self._good_due_at[number] = run.started_at + evidence.GOOD_EVERY_MS
                self._keep_good(number)
        elif run.outcome.evidence is not None:
            self._keep_good(number)
            seen = run.outcome.evidence
            evidence.keep(self._connection, number, run.started_at, seen, is_good=False)

    def _keep_good(self, number: int) -> None:
        run = self._good.get(number)
        if run is None or run.outcome.evidence is None:
            return
        if self._good_kept_at.get(number) != run.started_at:
            self._good_kept_at[number] = run.started_at
            seen = run.outcome.evidence
            evidence.keep(self._connection, number, run.started_at, seen, is_good=True)

    def _reason_number(self, text: str, used_at: int) -> int:
        number, noted_at = self._reasons.get(text, (0, 0))
        if used_at - noted_at >= REASON_USED_WITHIN_MS:
            (number,) = self._connection.execute(USE_REASON, (text, used_at)).fetchone()
            self._reasons[text] = number, used_at
        return number

    def _keep_event(self, number: int, event: Event, told_from_memory_at: int | None) -> None:
        match event:
            case IncidentOpened():
                incident = incidents.opened(self._connection, number, event)
                is_held, follows = event.is_held, event.cascade_reason is not None
            case IncidentResolved():
                incident = incidents.resolved(self._connection, number, event)
                is_held = follows = False
            case _:
                return
        if incident is not None:
            outbox.enqueue(
                self._connection,
                incident,
                event.timestamp,
                is_recovery=isinstance(event, IncidentResolved),
                told_from_memory_at=told_from_memory_at,
                is_held=is_held,
                is_suppressed=follows,
            )
