"""Short ways to say a monitor, an instant, an outcome; and strategies for any of them."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from uptime_desktop.domain.model import (
    DAY_MS,
    MAX_INTERVAL_MS,
    MIN_GRID_MS,
    MIN_INTERVAL_MS,
    Backoff,
    Cadence,
    Clamps,
    Cron,
    Every,
    Monitor,
    Once,
    Outcome,
    Policy,
    RuntimeState,
    Schedule,
)
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status

UP: Final = Outcome(Status.UP)
DEGRADED: Final = Outcome(Status.DEGRADED, "slow")
DOWN: Final = Outcome(Status.DOWN, "refused")
UNKNOWN: Final = Outcome(Status.UNKNOWN, "no network")

ZONES: Final = (
    "Africa/Casablanca",
    "America/New_York",
    "America/Santiago",
    "America/St_Johns",
    "Asia/Tehran",
    "Australia/Lord_Howe",
    "Europe/Berlin",
    "Europe/London",
    "Pacific/Apia",
    "Pacific/Auckland",
)


def at(text: str) -> int:
    """The instant in milliseconds; without an offset it is UTC."""
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    return round(instant.timestamp() * 1_000)


def monitor(schedule: Schedule | None = None, **changes: object) -> Monitor:
    """A monitor without jitter, so that what it plans can be written down."""
    plain = Monitor("site", "web", 7, schedule or Every(), jitter_ppm=0)
    return replace(plain, **changes)  # type: ignore[arg-type]


def state(**changes: object) -> RuntimeState:
    return RuntimeState(**changes)  # type: ignore[arg-type]


EXPRESSIONS: Final = (
    "* * * * *",
    "*/5 * * * *",
    "0 * * * *",
    "@hourly",
    "@daily",
    "30 2 * * *",
    "15,45 1,2 * * *",
    "0 */2 * * *",
    "*/15 2 * * *",
    "0 0 1,15 * 1",
    "0 0 31 4 1",
    "0 0 29 2 *",
    "0 12 */2 * 1",
    "*/10 * * * * *",
    "30 0 3 * * *",
    "59 23 31 12 *",
)

instants = st.integers(at("1990-01-01T00:00"), at("2090-01-01T00:00"))
zones = st.sampled_from(ZONES).map(ZoneInfo)
unit_randoms = st.floats(0, 1)
attempts = st.one_of(st.integers(0, 12), st.just(10_000))
jitters = st.one_of(st.none(), st.integers(0, 500_000))

intervals = st.integers(MIN_INTERVAL_MS, MAX_INTERVAL_MS)
after_schedules = st.builds(Every, intervals)
grid_schedules = st.builds(
    Every, st.integers(MIN_GRID_MS, MAX_INTERVAL_MS), st.just(Cadence.GRID), instants
)
cron_schedules = st.builds(
    Cron.parse, st.sampled_from(EXPRESSIONS), st.one_of(st.none(), st.sampled_from(ZONES))
)
slot_schedules = st.one_of(grid_schedules, cron_schedules)
repeating_schedules = st.one_of(after_schedules, slot_schedules)
once_schedules = st.builds(Once, instants)
schedules = st.one_of(repeating_schedules, once_schedules)

backoffs = st.builds(
    Backoff,
    st.sampled_from(Policy),
    st.integers(MIN_INTERVAL_MS, DAY_MS),
    st.integers(MIN_INTERVAL_MS, DAY_MS),
)


@st.composite
def clamps(draw: st.DrawFn) -> Clamps:
    bounds = st.one_of(st.none(), intervals)
    try:
        return Clamps(draw(bounds), draw(bounds))
    except Refused:
        return Clamps()


def monitors(of: st.SearchStrategy[Schedule]) -> st.SearchStrategy[Monitor]:
    return st.builds(
        Monitor,
        st.just("site"),
        st.just("web"),
        st.integers(1, 1 << 40),
        of,
        backoffs,
        clamps(),
        jitters,
        st.one_of(st.none(), st.integers(0, 10)),
        name=st.just("web"),
    )


outcomes = st.sampled_from([UP, DEGRADED, DOWN, UNKNOWN])
