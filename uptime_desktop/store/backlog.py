"""Changes that could not be written yet, in order, and never more than memory can bear."""

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from uptime_desktop.domain.events import IncidentOpened, IncidentResolved
from uptime_desktop.domain.model import RuntimeState
from uptime_desktop.domain.records import Change, Run
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, Tally, tally_of
from uptime_desktop.store.evidence import KEPT_FAILURES
from uptime_desktop.store.runs import tenths_of

HELD_RUNS: Final = 100_000
"""Past this, runs are only counted, by monitor and five minutes."""

HELD_TALLIES: Final = 100_000
"""Past this, a run is counted with the last five minutes of its monitor that are held."""


class Backlog:
    """`changes` go to disk first, in order; then the rest, in one piece.

    Evidence is large, so no more is held than the database would keep.
    """

    def __init__(self, held_runs: int = HELD_RUNS, held_tallies: int = HELD_TALLIES):
        self._held_runs = held_runs
        self._held_tallies = held_tallies
        self._runs = 0
        self._last_bucket: dict[int, int] = {}
        self.changes: deque[Change] = deque()
        self.newest: dict[int, RuntimeState] = {}
        self.tallies: dict[tuple[int, int], Tally] = {}
        self.failed: dict[int, deque[Run]] = {}
        self.good: dict[int, Run] = {}
        self.merged_runs = 0

    def __len__(self) -> int:
        """How many results and states wait."""
        return len(self.changes) + len(self.newest) + self.merged_runs

    def __bool__(self) -> bool:
        return bool(self.changes or self.has_rest)

    @property
    def has_rest(self) -> bool:
        return bool(self.newest or self.tallies or self.failed or self.good)

    def hold(self, changes: Iterable[Change]) -> None:
        for change in changes:
            kept = self._slimmed(change)
            # Once some are merged all that follow must be, or an older state would be written last.
            if self._runs >= self._held_runs or self.newest:
                self._merge(kept)
            else:
                self.changes.append(kept)
                self._runs += kept.run is not None

    def written(self, count: int) -> None:
        """The first changes are on disk."""
        for _ in range(count):
            self._runs -= self.changes.popleft().run is not None

    def rest_written(self) -> None:
        self.newest, self.tallies, self.failed, self.good = {}, {}, {}, {}
        self._last_bucket = {}
        self.merged_runs = 0

    def evidence_runs(self) -> list[tuple[int, Run]]:
        """The runs whose evidence is held, each with the number of its monitor."""
        failed = [(number, run) for number, runs in self.failed.items() for run in runs]
        return [*failed, *self.good.items()]

    def _slimmed(self, change: Change) -> Change:
        """The change without what is held elsewhere or was needed only for telling."""
        run = change.run
        if run is not None and run.outcome.evidence is not None:
            if run.outcome.status is Status.UP:
                self.good[change.monitor_number] = run
            else:
                newest = deque[Run](maxlen=KEPT_FAILURES)
                self.failed.setdefault(change.monitor_number, newest).append(run)
            run = replace(run, outcome=replace(run.outcome, evidence=None))
        lasting = (IncidentOpened, IncidentResolved)
        events = tuple(event for event in change.events if isinstance(event, lasting))
        return Change(change.monitor_number, change.state, run, events)

    def _merge(self, change: Change) -> None:
        number = change.monitor_number
        self.newest[number] = change.state
        if change.events:
            self.changes.append(replace(change, run=None))
        if change.run is not None:
            self.merged_runs += 1
            self._count(number, change.run)

    def _count(self, number: int, run: Run) -> None:
        bucket = Resolution.FIVE_MINUTES.bucket_of(run.started_at)
        if (number, bucket) not in self.tallies and len(self.tallies) >= self._held_tallies:
            bucket = self._last_bucket.get(number, bucket)
        self._last_bucket[number] = bucket
        counted = tally_of([(run.outcome.status, tenths_of(run.outcome.response_ms))])
        self.tallies[number, bucket] = self.tallies.get((number, bucket), Tally()) + counted
