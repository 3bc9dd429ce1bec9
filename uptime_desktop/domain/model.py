"""What is watched and what is known about it: frozen values that cannot exist wrong.

Instants are UTC epoch milliseconds and end in `_at`; durations end in `_ms`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from enum import StrEnum
from typing import Final
from uuid import UUID

from uptime_desktop.domain.cron import CronExpression
from uptime_desktop.domain.cron_grammar import Dialect
from uptime_desktop.domain.refusal import Refused, require_between
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.zones import parse_zone

SECOND_MS: Final = 1_000
MINUTE_MS: Final = 60_000
HOUR_MS: Final = 3_600_000
DAY_MS: Final = 86_400_000

MIN_INTERVAL_MS: Final = 5 * SECOND_MS
MIN_GRID_MS: Final = 10 * SECOND_MS
MAX_INTERVAL_MS: Final = 30 * DAY_MS
MAX_JITTER_PPM: Final = 500_000
LADDER_AUTO_PAUSE: Final = 5
MIN_TIMEOUT_MS: Final = SECOND_MS
MAX_TIMEOUT_MS: Final = 300 * SECOND_MS
MAX_RETRIES: Final = 10
MIN_GRACE_MS: Final = SECOND_MS
MAX_GRACE_MS: Final = 30 * DAY_MS
DEFAULT_GRACE_MS: Final = 5 * MINUTE_MS
MOST_ALERT_AFTER: Final = 100
MIN_REPEAT_MS: Final = MINUTE_MS
MAX_REPEAT_MS: Final = 30 * DAY_MS

Setting = str | int | bool | tuple[str, ...] | Mapping[str, str]
"""A value that a file or a flag can give to a kind of check."""

Keys = Mapping[str, Setting]
"""A thing as people write it: a table of a file, or the flags of a command."""

PLAN_VERSION: Final = 1
"""Raised when the rules change so that a stored next run is no longer to be trusted."""


class Cadence(StrEnum):
    """What an interval counts from: the end of the last run, or a fixed grid of instants."""

    AFTER = "after"
    GRID = "grid"


@dataclass(frozen=True, slots=True)
class Every:
    """Run at an interval. `anchor_at` is one point of the grid and means nothing without one."""

    interval_ms: int = MINUTE_MS
    cadence: Cadence = Cadence.AFTER
    anchor_at: int = 0

    def __post_init__(self) -> None:
        shortest = MIN_GRID_MS if self.cadence is Cadence.GRID else MIN_INTERVAL_MS
        require_between("every", self.interval_ms, shortest, MAX_INTERVAL_MS)


@dataclass(frozen=True, slots=True)
class Cron:
    """Run when a cron expression says so, in a named zone or the computer's own."""

    expression: CronExpression
    zone_name: str | None = None
    zone: tzinfo | None = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        zone = parse_zone("tz", self.zone_name) if self.zone_name is not None else None
        object.__setattr__(self, "zone", zone)

    @classmethod
    def parse(
        cls, text: str, zone_name: str | None = None, dialect: Dialect = Dialect.EXTENDED
    ) -> "Cron":
        return cls(CronExpression(text, dialect), zone_name)


@dataclass(frozen=True, slots=True)
class Once:
    """Run at one instant, then never again."""

    at: int


Schedule = Every | Cron | Once


class Policy(StrEnum):
    """How failures move the next run; the rules stand in `backoff`."""

    EXPONENTIAL = "exponential"
    CAPPED32 = "capped32"
    LADDER = "ladder"
    FIXED = "fixed"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Backoff:
    policy: Policy = Policy.EXPONENTIAL
    cap_ms: int = HOUR_MS
    retry_delay_ms: int = 5 * MINUTE_MS

    def __post_init__(self) -> None:
        require_between("backoff_cap", self.cap_ms, MIN_INTERVAL_MS, MAX_INTERVAL_MS)
        require_between("retry_delay", self.retry_delay_ms, MIN_INTERVAL_MS, MAX_INTERVAL_MS)


@dataclass(frozen=True, slots=True)
class Clamps:
    """Bounds that a computed delay is moved into, whatever made it."""

    min_ms: int | None = None
    max_ms: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("min_interval", self.min_ms), ("max_interval", self.max_ms)):
            if value is not None:
                require_between(name, value, MIN_INTERVAL_MS, MAX_INTERVAL_MS)
        if self.min_ms is not None and self.max_ms is not None and self.min_ms > self.max_ms:
            require_between("min_interval", self.min_ms, MIN_INTERVAL_MS, self.max_ms)


@dataclass(frozen=True, slots=True)
class AlertRule:
    """When and where people are told of trouble; what is None is left to the site, or to all.

    `after` is how many runs in a row must have failed, `repeat_ms` how often trouble that lasts is
    told again, 0 for never. `channels` are ids; none at all tells nobody.
    """

    after: int | None = None
    repeat_ms: int | None = None
    notify_recovery: bool | None = None
    channels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.after is not None and not 1 <= self.after <= MOST_ALERT_AFTER:
            raise Refused(
                "alert_after",
                "{value} is out of range",
                "1 to {highest}",
                value=self.after,
                highest=MOST_ALERT_AFTER,
            )
        if self.repeat_ms:
            require_between("repeat_every", self.repeat_ms, MIN_REPEAT_MS, MAX_REPEAT_MS)


class CatchUp(StrEnum):
    """What becomes of runs missed while we were not there."""

    ONCE = "once"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Site:
    """A named group of monitors with a master switch."""

    number: int
    id: str
    name: str
    is_active: bool = True
    depends_on: tuple[str, ...] = ()
    alert: AlertRule = AlertRule()


@dataclass(frozen=True, slots=True)
class Monitor:
    """One thing watched.

    `number` is its row in the database, `(site_id, id)` its name in the schedule. `settings`
    belong to its kind of check and are understood there. `jitter_ppm` and `auto_pause_after`
    left at None take the default that fits the schedule and the policy. Of one that `is_passive`
    no run is ever planned: how it is comes from elsewhere. One with a grace reports to us by its
    schedule and is down when it has not within the grace. `depends_on` names what is upstream: ids
    of monitors, or of sites as `site:ID`.
    """

    site_id: str
    id: str
    number: int
    schedule: Schedule = Every()
    backoff: Backoff = Backoff()
    clamps: Clamps = Clamps()
    jitter_ppm: int | None = None
    auto_pause_after: int | None = None
    catch_up: CatchUp = CatchUp.ONCE
    timeout_ms: int = 30 * SECOND_MS
    retries: int = 1
    name: str = ""
    kind: str = "http"
    settings: Mapping[str, Setting] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    is_passive: bool = False
    grace_ms: int | None = None
    depends_on: tuple[str, ...] = ()
    alert: AlertRule = AlertRule()

    def __post_init__(self) -> None:
        if self.jitter_ppm is not None and not 0 <= self.jitter_ppm <= MAX_JITTER_PPM:
            raise Refused(
                "jitter", "{value} millionths is out of range", "0 to 0.5", value=self.jitter_ppm
            )
        require_between("timeout", self.timeout_ms, MIN_TIMEOUT_MS, MAX_TIMEOUT_MS)
        if not 0 <= self.retries <= MAX_RETRIES:
            raise Refused(
                "retries",
                "{value} is out of range",
                "0 to {highest}",
                value=self.retries,
                highest=MAX_RETRIES,
            )
        if self.grace_ms is not None:
            require_between("grace", self.grace_ms, MIN_GRACE_MS, MAX_GRACE_MS)

    @property
    def jitter(self) -> int:
        """Jitter in millionths: a tenth of an interval, none on a grid unless asked for."""
        if self.jitter_ppm is not None:
            return self.jitter_ppm
        on_grid = isinstance(self.schedule, Every) and self.schedule.cadence is Cadence.GRID
        return 0 if on_grid else 100_000

    @property
    def pauses_after(self) -> int:
        """Consecutive failures that pause the monitor; 0 for never."""
        if self.auto_pause_after is not None:
            return self.auto_pause_after
        return LADDER_AUTO_PAUSE if self.backoff.policy is Policy.LADDER else 0


class Source(StrEnum):
    """Why a planned run is planned for when it is."""

    BASELINE_INTERVAL = "baseline-interval"
    BASELINE_CRON = "baseline-cron"
    HINT_INTERVAL = "hint-interval"
    HINT_ONESHOT = "hint-oneshot"
    RETRY = "retry"
    CLAMPED_MIN = "clamped-min"
    CLAMPED_MAX = "clamped-max"
    CATCH_UP = "catch-up"
    MANUAL = "manual"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Unmet:
    """One expectation that was not met: what was looked at, and the two sides of it."""

    what: str
    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a run saw, with secrets already hidden: enough to believe the outcome and repeat it."""

    timings_ms: tuple[tuple[str, float], ...] = ()
    address: str = ""
    status_line: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""
    certificate: str = ""
    repeat_with: str = ""
    unmet: tuple[Unmet, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended. `UNKNOWN` says we could not look: neither a success nor a failure."""

    status: Status
    reason: str = ""
    response_ms: float | None = None
    timed_out_after_ms: int | None = None
    abandoned: bool = False
    attempts: int = 1
    evidence: Evidence | None = None

    @property
    def failed(self) -> bool:
        return self.status is Status.DOWN


@dataclass(frozen=True, slots=True)
class Hint:
    """A passing override of the schedule: an interval, one extra run, or both."""

    expires_at: int
    interval_ms: int | None = None
    run_at: int | None = None


class PauseReason(StrEnum):
    ASKED = "asked"
    FAILURES = "failures"
    FINISHED = "finished"
    SITE = "site"
    MAINTENANCE = "maintenance"


@dataclass(frozen=True, slots=True)
class Pause:
    reason: PauseReason
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Beat:
    """What is known of the pings of one job that reports to us.

    `starts` are the runs under way, by the id that the job gave each. `was_missed` says that a
    deadline passed since the last finish. How long runs took is `runs`, `mean_ms` and
    `spread_ms2`, the sum of squared distances from the mean.
    """

    last_ping_at: int | None = None
    starts: tuple[tuple[str, int], ...] = ()
    was_missed: bool = False
    runs: int = 0
    mean_ms: float = 0.0
    spread_ms2: float = 0.0


@dataclass(frozen=True, slots=True)
class RuntimeState:
    """What the schedule knows about one monitor; all of it survives a restart.

    `health` is what the last run said. `planned_slot_at` is the newest slot of a grid or cron
    schedule that a run was planned for: no later plan may use it, or an earlier one, again. Of a
    job that reports to us, `planned_slot_at` is when it is expected to, `next_run_at` the deadline.
    """

    health: Status = Status.PENDING
    backoff_attempt: int = 0
    consecutive_failures: int = 0
    next_run_at: int | None = None
    planned_slot_at: int | None = None
    source: Source = Source.BASELINE_INTERVAL
    last_attempt_at: int | None = None
    running_since: int | None = None
    pause: Pause | None = None
    hint: Hint | None = None
    incidents: frozenset[Status] = frozenset()
    beat: Beat | None = None
    plan_version: int = PLAN_VERSION
    saved_at: int = 0

    @property
    def status(self) -> Status:
        """What people are shown."""
        return Status.PAUSED if self.pause else self.health


def correlation_id(monitor_number: int, started_at: int) -> UUID:
    """The id that everything about one run carries, derived so that it need not be stored.

    A UUIDv8: 48 bits of milliseconds, then the version, 12 and 62 bits of monitor number.
    """
    high, low = divmod(monitor_number, 1 << 62)
    return UUID(int=started_at << 80 | 0x8 << 76 | (high & 0xFFF) << 64 | 0b10 << 62 | low)
