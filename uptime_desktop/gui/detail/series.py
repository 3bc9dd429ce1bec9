"""Response times made ready to be drawn: a line with holes, and stretches of time with a meaning.

Each point stands for the time until the next one, unless that comes too late: then nobody looked.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from statistics import median
from typing import Final

from uptime_desktop.domain.model import Every, Monitor
from uptime_desktop.domain.status import Status
from uptime_desktop.history import Incident, Point

_LATE: Final = 2.5
"""A point that comes after so many times the usual wait was preceded by a gap."""

HOLE: Final = math.nan
_TOLD: Final = (Status.DOWN, Status.DEGRADED, Status.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some time in which it was down, degraded, or (`UNKNOWN`) not looked at."""

    since: int
    until: int
    status: Status

    @property
    def duration_ms(self) -> int:
        return self.until - self.since


@dataclass(frozen=True, slots=True)
class Series:
    """All that a chart shows. `at`, `median_ms` and `p95_ms` are of one length."""

    since: int
    until: int
    points: tuple[Point, ...]
    at: tuple[float, ...]
    median_ms: tuple[float, ...]
    p95_ms: tuple[float, ...]
    stretches: tuple[Stretch, ...]
    incidents: tuple[Incident, ...]

    @property
    def gaps(self) -> list[Stretch]:
        return [one for one in self.stretches if one.status is Status.UNKNOWN]

    @property
    def highest_ms(self) -> float:
        return max((one for one in self.p95_ms if not math.isnan(one)), default=0.0)

    def nearest(self, at: float) -> Point | None:
        """The point that stands for an instant, if one does."""
        if any(gap.since <= at < gap.until for gap in self.gaps):
            return None
        return min(self.points, key=lambda point: abs(point.at - at), default=None)


def series_of(
    points: Sequence[Point],
    monitor: Monitor,
    incidents: Iterable[Incident],
    since: int,
    until: int,
) -> Series:
    shown = tuple(one for one in points if since <= one.at + one.width_ms and one.at <= until)
    covered = _covered(shown, monitor, until)
    line = [dot for stroke in _strokes(covered) for dot in _dots(stroke)]
    return Series(
        since,
        until,
        shown,
        tuple(at for at, _, _ in line),
        tuple(middle for _, middle, _ in line),
        tuple(high for _, _, high in line),
        tuple(_stretches(covered, _looked_since(shown, monitor, since), until)),
        tuple(one for one in incidents if one.resolved_at is None and since <= one.opened_at),
    )


_Covered = tuple[Point, int]
"""A point, and until when it stands for what was so."""


def _covered(points: Sequence[Point], monitor: Monitor, until: int) -> list[_Covered]:
    between_runs_ms = _usual_wait_ms(points, monitor)
    failing_ms = max(monitor.backoff.cap_ms, monitor.backoff.retry_delay_ms)
    following = chain((point.at for point in points[1:]), (until,))
    covered: list[_Covered] = []
    for point, next_at in zip(points, following, strict=False):
        usual_ms = max(between_runs_ms, point.width_ms)
        # After a failure the next run may be far off, and it is down until then.
        wait_ms = max(usual_ms, failing_ms) if point.status is Status.DOWN else usual_ms
        is_late = next_at - point.at > wait_ms * _LATE
        covered.append((point, min(next_at, point.at + usual_ms) if is_late else next_at))
    return covered


def _usual_wait_ms(points: Sequence[Point], monitor: Monitor) -> int:
    """Between runs, as planned or else as seen."""
    if isinstance(monitor.schedule, Every):
        return monitor.schedule.interval_ms
    waits = [later.at - point.at for point, later in pairwise(points)]
    return round(median(waits)) if waits else 0


def _looked_since(points: Sequence[Point], monitor: Monitor, since: int) -> int:
    """The beginning, or the first point where none could have been much earlier."""
    if points and points[0].at - since <= _usual_wait_ms(points, monitor) * _LATE:
        return points[0].at
    return since


def _strokes(covered: Iterable[_Covered]) -> Iterator[list[_Covered]]:
    """What is drawn without lifting the pen."""
    stroke: list[_Covered] = []
    for point, end in covered:
        if stroke and (point.median_ms is None or stroke[-1][1] < point.at):
            yield stroke
            stroke = []
        if point.median_ms is not None:
            stroke.append((point, end))
    if stroke:
        yield stroke


def _dots(stroke: Sequence[_Covered]) -> Iterator[tuple[float, float, float]]:
    for point, _ in stroke:
        yield point.at, *_heights(point)
    last, end = stroke[-1]
    if len(stroke) == 1:
        # A single point has no line of its own.
        yield end, *_heights(last)
    yield end, HOLE, HOLE


def _heights(point: Point) -> tuple[float, float]:
    middle = HOLE if point.median_ms is None else point.median_ms
    return middle, middle if point.p95_ms is None else point.p95_ms


def _stretches(covered: Iterable[_Covered], since: int, until: int) -> list[Stretch]:
    found: list[Stretch] = []
    reached = since
    for point, end in covered:
        _extend(found, Stretch(reached, point.at, Status.UNKNOWN))
        _extend(found, Stretch(point.at, end, point.status))
        reached = end
    _extend(found, Stretch(reached, until, Status.UNKNOWN))
    return [one for one in found if one.status in _TOLD]


def _extend(found: list[Stretch], more: Stretch) -> None:
    if more.duration_ms <= 0:
        return
    if found and found[-1].status is more.status and found[-1].until == more.since:
        found[-1] = Stretch(found[-1].since, more.until, more.status)
    else:
        found.append(more)
