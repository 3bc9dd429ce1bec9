"""How often and how fast: runs counted per status, with a latency histogram, made to be added.

Response times are whole tenths of a millisecond here, so that sums and buckets are exact. A
`Tally` of a day is the sum of the tallies of its hours, whatever the order.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from typing import Final

from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS
from uptime_desktop.domain.status import Status

SUB_BUCKETS: Final = 16
"""Histogram buckets per doubling. A percentile is off by at most half a bucket: 1/32 of itself."""

_EXACT_BITS: Final = SUB_BUCKETS.bit_length()


class Resolution(Enum):
    """How long a bucket of history is, in milliseconds; finest first."""

    FIVE_MINUTES = 5 * MINUTE_MS
    HOUR = HOUR_MS
    DAY = DAY_MS

    def bucket_of(self, at: int) -> int:
        return at // self.value


def latency_bucket(tenths: int) -> int:
    """The bucket of a response time: exact below 32 tenths, then 16 to each doubling."""
    shift = max(0, tenths.bit_length() - _EXACT_BITS)
    return shift * SUB_BUCKETS + (tenths >> shift)


def bucket_middle(bucket: int) -> float:
    """The response time, in tenths, that stands for a bucket."""
    shift = max(0, bucket // SUB_BUCKETS - 1)
    lowest = (bucket - shift * SUB_BUCKETS) << shift
    return lowest + ((1 << shift) - 1) / 2


@dataclass(frozen=True, slots=True)
class Tally:
    """Runs of one monitor over some time. `histogram` counts response times by bucket."""

    up: int = 0
    degraded: int = 0
    down: int = 0
    unknown: int = 0
    fastest_tenths: int | None = None
    slowest_tenths: int | None = None
    total_tenths: int = 0
    histogram: Mapping[int, int] = field(default_factory=dict)

    def __add__(self, other: "Tally") -> "Tally":
        histogram = dict(self.histogram)
        for bucket, count in other.histogram.items():
            histogram[bucket] = histogram.get(bucket, 0) + count
        return Tally(
            self.up + other.up,
            self.degraded + other.degraded,
            self.down + other.down,
            self.unknown + other.unknown,
            _of_present(min, self.fastest_tenths, other.fastest_tenths),
            _of_present(max, self.slowest_tenths, other.slowest_tenths),
            self.total_tenths + other.total_tenths,
            histogram,
        )

    @property
    def runs(self) -> int:
        return self.up + self.degraded + self.down + self.unknown

    @property
    def uptime(self) -> float | None:
        """The share of runs that found the target working, of those that could look at all."""
        looked = self.up + self.degraded + self.down
        return (self.up + self.degraded) / looked if looked else None

    @property
    def measured(self) -> int:
        """How many runs have a response time."""
        return sum(self.histogram.values())

    @property
    def mean_ms(self) -> float | None:
        measured = self.measured
        return self.total_tenths / measured / 10 if measured else None

    def percentile_ms(self, percent: float) -> float | None:
        """The response time that this share of runs did not exceed, within 1/32 of it."""
        measured = self.measured
        if not measured or self.fastest_tenths is None or self.slowest_tenths is None:
            return None
        rank = max(1.0, measured * percent / 100)
        seen = 0
        for bucket in sorted(self.histogram):
            seen += self.histogram[bucket]
            if seen >= rank:
                middle = bucket_middle(bucket)
                return max(self.fastest_tenths, min(self.slowest_tenths, middle)) / 10
        return self.slowest_tenths / 10


def tally_of(runs: Iterable[tuple[Status, int | None]]) -> Tally:
    """Count runs, each a status and a response time in tenths where there was one."""
    counts = dict.fromkeys((Status.UP, Status.DEGRADED, Status.DOWN), 0)
    times: list[int] = []
    histogram: dict[int, int] = {}
    unknown = 0
    for status, tenths in runs:
        if status in counts:
            counts[status] += 1
        else:
            unknown += 1
        if tenths is not None:
            times.append(tenths)
            bucket = latency_bucket(tenths)
            histogram[bucket] = histogram.get(bucket, 0) + 1
    return Tally(
        counts[Status.UP],
        counts[Status.DEGRADED],
        counts[Status.DOWN],
        unknown,
        min(times, default=None),
        max(times, default=None),
        sum(times),
        histogram,
    )


def total(tallies: Iterable[Tally]) -> Tally:
    return reduce(Tally.__add__, tallies, Tally())


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of time answered from one place: roll-ups of a resolution, or (None) raw runs."""

    resolution: Resolution | None
    since: int
    until: int


def segments(since: int, until: int, rolled_until: Mapping[Resolution, int]) -> tuple[Segment, ...]:
    """Cover a stretch of time with the coarsest roll-ups that fit, raw runs at the ragged ends.

    `rolled_until` says for each resolution before which instant its roll-ups are complete.
    """
    found = _cover(since, until, tuple(reversed(Resolution)), rolled_until)
    return tuple(segment for segment in found if segment.since < segment.until)


def _cover(
    since: int,
    until: int,
    coarsest_first: tuple[Resolution, ...],
    rolled_until: Mapping[Resolution, int],
) -> list[Segment]:
    if since >= until:
        return []
    if not coarsest_first:
        return [Segment(None, since, until)]
    resolution, *finer = coarsest_first
    first = -(-since // resolution.value) * resolution.value
    last = min(until, rolled_until[resolution]) // resolution.value * resolution.value
    if first >= last:
        return _cover(since, until, tuple(finer), rolled_until)
    return [
        *_cover(since, first, tuple(finer), rolled_until),
        Segment(resolution, first, last),
        *_cover(last, until, tuple(finer), rolled_until),
    ]


def edge_resolution(age_ms: int) -> Resolution:
    """How finely the edge of a window that long ago is cut: finer roll-ups are gone by then."""
    if age_ms <= 7 * DAY_MS:
        return Resolution.FIVE_MINUTES
    return Resolution.HOUR if age_ms <= 90 * DAY_MS else Resolution.DAY


def _of_present(choose: Callable[[list[int]], int], *values: int | None) -> int | None:
    present = [value for value in values if value is not None]
    return choose(present) if present else None
