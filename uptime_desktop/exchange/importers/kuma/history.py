"""The past of each monitor in Uptime Kuma's database, streamed: one monitor is in memory.

Version 1 keeps every beat, and we count them. Version 2 keeps beats of a day and counts the rest
itself, per minute, hour and day; where it did, its counts are taken, so that percentages and
means stay what they were there.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from uptime_desktop.domain.model import DAY_MS, SECOND_MS
from uptime_desktop.domain.past import (
    MOST_BUCKETS,
    MOST_RUNS,
    Past,
    PastRun,
    PastTrouble,
    has_happened,
    possible_ms,
)
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, Tally, latency_bucket, total
from uptime_desktop.exchange.importers.kuma.snapshot import Snapshot, snapshot
from uptime_desktop.exchange.importers.kuma.table import json_in
from uptime_desktop.exchange.importers.past import reason_line

BEATS: Final = "heartbeat"
COUNTS: Final = {
    Resolution.FIVE_MINUTES: "stat_minutely",
    Resolution.HOUR: "stat_hourly",
    Resolution.DAY: "stat_daily",
}
_BEAT_COLUMNS: Final = ("monitor_id", "time", "status", "ping", "msg", "important")
_COUNT_COLUMNS: Final = ("monitor_id", "timestamp", "up", "down", "ping")
_MORE_COLUMNS: Final = ("ping_min", "ping_max", "extras")
_ALWAYS_KEPT: Final = 100
_MOST_TROUBLES: Final = 10_000
_MOST_IN_BUCKET: Final = 10_000_000
_TOLD_APART: Final = 400
"""So many characters of what was said: more does not fit on the line that is kept."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_ON_WALL: Final = _EPOCH.replace(tzinfo=None)
_DOWN, _UP, _PENDING, _MAINTENANCE = range(4)
_STATUSES: Final[dict[object, Status]] = {
    _DOWN: Status.DOWN,
    _UP: Status.UP,
    # It failed, and was about to be tried again; Uptime Kuma counts it as down.
    _PENDING: Status.DOWN,
}

_Row = tuple[object, ...]


def past_in(path: Path, ids: Mapping[int, str], now: int) -> Iterator[Past]:
    """The past of the monitors that have these ids, by their number; each when asked for."""
    with snapshot(path) as copy:
        copy.take_any_time()
        beats = _Stream(_rows(copy, BEATS, "time"))
        counts = {one: _Stream(_rows(copy, table, "timestamp")) for one, table in COUNTS.items()}
        for number in sorted(ids):
            counted = {one: _tallies(one, counts[one].of(number), now) for one in counts}
            gathering = _Gathering(now, {one for one in counted if not counted[one]})
            gathering.add_all(beats.of(number))
            past = gathering.past(ids[number], counted)
            if past.runs or past.troubles or any(past.tallies.values()):
                yield past


def monitors_with_past(copy: Snapshot) -> set[int]:
    return copy.numbers(BEATS).union(*(copy.numbers(table) for table in COUNTS.values()))


def columns_read(copy: Snapshot, table: str) -> Sequence[str]:
    """The columns of a table of the past that mean something here; the first versions had fewer."""
    needed, more = (_BEAT_COLUMNS, ()) if table == BEATS else (_COUNT_COLUMNS, _MORE_COLUMNS)
    there = set(copy.columns(table))
    if not there.issuperset(needed):
        return ()
    return (*needed, *more) if there.issuperset(more) else needed


def _rows(copy: Snapshot, table: str, order: str) -> Iterator[_Row]:
    """Rows as wide as the columns there are."""
    columns = columns_read(copy, table)
    return copy.stream(table, columns, order) if columns else iter(())


class _Stream:
    """Rows that are sorted by the number of a monitor, given out a monitor at a time."""

    def __init__(self, rows: Iterator[_Row]) -> None:
        self._rows = rows
        self._next: _Row | None = next(rows, None)

    def of(self, number: int) -> Iterator[_Row]:
        """The rows of a monitor, whose number is higher than that of the one before."""
        while self._next is not None:
            found = self._next[0]
            # Texts and the like stand after all numbers.
            if isinstance(found, str | bytes) or (isinstance(found, int) and found > number):
                return
            if isinstance(found, int) and found == number:
                yield self._next
            self._next = next(self._rows, None)


class _Count:
    """Runs of one stretch of time, while they are counted."""

    __slots__ = ("down", "fastest", "histogram", "slowest", "total", "unknown", "up")

    def __init__(self) -> None:
        self.up = self.down = self.unknown = self.total = self.slowest = 0
        self.fastest: int | None = None
        self.histogram: dict[int, int] = {}

    def tally(self) -> Tally:
        is_measured = self.fastest is not None
        slowest = self.slowest if is_measured else None
        return Tally(
            self.up,
            0,
            self.down,
            self.unknown,
            self.fastest,
            slowest,
            self.total,
            self.histogram,
        )


class _Gathering:
    """The beats of one monitor, oldest first, on their way into its past."""

    def __init__(self, now: int, wanted: Iterable[Resolution]) -> None:
        self._now = now
        self._runs: deque[PastRun] = deque(maxlen=MOST_RUNS)
        self._troubles: deque[PastTrouble] = deque(maxlen=_MOST_TROUBLES)
        self._opened: tuple[int, str] | None = None
        self._reasons: dict[str, str] = {}
        self._counts: dict[Resolution, dict[int, _Count]] = {one: {} for one in wanted}
        # Told apart once, not for each of millions of beats.
        self._lengths = [
            (one.value, _earliest(one, now), counts) for one, counts in self._counts.items()
        ]

    def add_all(self, rows: Iterator[_Row]) -> None:
        now, last = self._now, -1
        for _, time, status, ping, message, important in rows:
            at = _instant(time)
            # They are in order, so of two at one instant the first stays.
            if at is None or at <= last or not has_happened(at, now):
                continue
            last = at
            took = _milliseconds(ping)
            self._count(at, status, None if took is None else round(took * 10))
            if important == 1:
                self._change(at, status, message)
            known = _STATUSES.get(status, Status.UNKNOWN)
            self._runs.append(PastRun(at, known, took, self._reason(message)))

    def past(self, monitor_id: str, counted: Mapping[Resolution, Mapping[int, Tally]]) -> Past:
        if self._opened is not None:
            self._troubles.append(PastTrouble(self._opened[0], None, self._opened[1]))
        tallies = {
            one: counted[one] or {at: count.tally() for at, count in self._counts[one].items()}
            for one in Resolution
        }
        is_counted = Resolution.FIVE_MINUTES not in self._counts
        runs = _unbroken(self._runs) if is_counted else tuple(self._runs)
        return Past(monitor_id, runs, tallies, tuple(self._troubles))

    def _count(self, at: int, status: object, tenths: int | None) -> None:
        place = None if tenths is None else latency_bucket(tenths)
        for length_ms, earliest, counts in self._lengths:
            if at <= earliest:
                continue
            bucket = at // length_ms
            count = counts.get(bucket)
            if count is None:
                count = counts[bucket] = _Count()
            if status == _UP:
                count.up += 1
            elif status in (_DOWN, _PENDING):
                count.down += 1
            else:
                count.unknown += 1
            if tenths is not None and place is not None:
                count.histogram[place] = count.histogram.get(place, 0) + 1
                count.total += tenths
                if tenths > count.slowest:
                    count.slowest = tenths
                if count.fastest is None or tenths < count.fastest:
                    count.fastest = tenths

    def _change(self, at: int, status: object, message: object) -> None:
        """Trouble begins when it is down, and ends when it is up or nobody looks any more."""
        if status == _DOWN and self._opened is None:
            self._opened = at, self._reason(message)
        elif status in (_UP, _MAINTENANCE) and self._opened is not None:
            self._troubles.append(PastTrouble(self._opened[0], at, self._opened[1]))
            self._opened = None

    def _reason(self, message: object) -> str:
        """What was said, on one line; the same words are kept once."""
        if not isinstance(message, str) or not message:
            return ""
        begin = message[:_TOLD_APART]
        kept = self._reasons.get(begin)
        if kept is None:
            kept = self._reasons[begin] = reason_line(begin)
        return kept


def _unbroken(runs: Sequence[PastRun]) -> tuple[PastRun, ...]:
    """Without those of which only changes are left: one that counts removes the others."""
    complete_after = runs[-1].started_at - DAY_MS if runs else 0
    begin = max(len(runs) - _ALWAYS_KEPT, 0)
    return tuple(
        run for at, run in enumerate(runs) if at >= begin or run.started_at > complete_after
    )


def _earliest(resolution: Resolution, now: int) -> int:
    """What is older is not counted so finely."""
    return now - MOST_BUCKETS * resolution.value


def _tallies(resolution: Resolution, rows: Iterator[_Row], now: int) -> dict[int, Tally]:
    found: dict[int, list[Tally]] = {}
    earliest = _earliest(resolution, now)
    for row in rows:
        at, up, down = (_number(one) for one in row[1:4])
        if at is None or up is None or down is None:
            continue
        at_ms = at * SECOND_MS
        if at_ms > earliest and has_happened(at_ms, now) and max(up, down) <= _MOST_IN_BUCKET:
            found.setdefault(resolution.bucket_of(at_ms), []).append(_tally(up, down, row[4:]))
    wholes = {bucket: total(tallies) for bucket, tallies in found.items()}
    # Rows that should be one may be many.
    return {bucket: whole for bucket, whole in wholes.items() if whole.runs <= _MOST_IN_BUCKET}


def _tally(up: int, down: int, more: _Row) -> Tally:
    """A count of theirs. Of its response times only the mean and the ends are known."""
    mean, least, most = (_milliseconds(one) for one in (*more, None, None)[:3])
    extras = json_in(more[3]) if len(more) > 3 and isinstance(more[3], str) else None
    skipped = _number(extras.get("maintenance")) if isinstance(extras, dict) else None
    unknown = min(skipped or 0, _MOST_IN_BUCKET)
    if not up or not mean:
        return Tally(up, 0, down, unknown)
    middle = round(mean * 10)
    fastest = round(least * 10) if least else middle
    slowest = round(most * 10) if most else middle
    histogram: dict[int, int] = {}
    ends = (fastest, slowest) if up > 1 else ()
    for tenths, times in (*((end, 1) for end in ends), (middle, up - len(ends))):
        place = latency_bucket(tenths)
        histogram[place] = histogram.get(place, 0) + times
    exact = round(mean * 10 * up)
    return Tally(up, 0, down, unknown, fastest, slowest, exact, histogram)


def _instant(time: object) -> int | None:
    """In milliseconds; a text without a zone is in UTC."""
    if not isinstance(time, str):
        return None
    try:
        at = datetime.fromisoformat(time)
    except ValueError:
        return None
    since = at - (_EPOCH if at.tzinfo else _EPOCH_ON_WALL)
    return since.days * DAY_MS + since.seconds * SECOND_MS + since.microseconds // 1_000


def _milliseconds(value: object) -> float | None:
    found = possible_ms(value) if isinstance(value, int | float) else None
    return None if found is None else float(found)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None
