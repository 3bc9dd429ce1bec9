"""Jobs that report to us: what each of their pings means, and what it means that none came.

The deadline of the next report is the monitor's next run. A transition is made the same way as
for a check; `Outcome` is what history keeps of it, if it is worth a row.
"""

from dataclasses import dataclass, replace
from datetime import tzinfo
from enum import StrEnum
from math import sqrt
from typing import Final

from uptime_desktop.domain import plan
from uptime_desktop.domain.model import Beat, Evidence, Monitor, Outcome, RuntimeState
from uptime_desktop.domain.next_run import deadline
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.transition import QUIET, Around, Transition, replanned
from uptime_desktop.domain.wording import Sentence, rough_duration_text

_MOST_STARTS: Final = 20
_ENOUGH_RUNS: Final = 10
_UNUSUAL: Final = 3.0
_LEAST_SPREAD_MS: Final = 1.0


class Signal(StrEnum):
    """What a ping says."""

    SUCCESS = "success"
    START = "start"
    FAIL = "fail"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class Ping:
    """One report. `run_id` tells runs apart that overlap; `body` is what the job sent along."""

    signal: Signal
    at: int
    run_id: str = ""
    exit_code: int | None = None
    message: str = ""
    took_ms: float | None = None
    body: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """What follows from a ping, or from none: the transition, and what history keeps."""

    transition: Transition
    outcome: Outcome | None


def pinged(
    monitor: Monitor,
    state: RuntimeState,
    ping: Ping,
    local_zone: tzinfo,
    around: Around = QUIET,
) -> Heard:
    """A job reported."""
    beat = replace(state.beat or Beat(), last_ping_at=ping.at)
    match ping.signal:
        case Signal.LOG:
            return Heard(Transition(replace(state, beat=beat), ()), None)
        case Signal.START:
            return Heard(_started(monitor, state, beat, ping, local_zone), None)
        case Signal.SUCCESS | Signal.FAIL:
            return _finished(monitor, state, beat, ping, local_zone, around)


def missed(
    monitor: Monitor,
    state: RuntimeState,
    now: int,
    local_zone: tzinfo,
    around: Around = QUIET,
) -> Heard:
    """The deadline passed and nothing was heard."""
    beat = state.beat or Beat()
    overdue = [at for _, at in beat.starts if at + (monitor.grace_ms or 0) <= now]
    if overdue:
        began_at = min(overdue)
        reason = Sentence(
            "started {ago} ago and did not finish", ago=rough_duration_text(now - began_at)
        )
    elif beat.last_ping_at is not None:
        ago = rough_duration_text(now - beat.last_ping_at)
        reason = Sentence("no ping for {duration}", duration=ago)
    else:
        reason = Sentence("no ping has come yet")
    outcome = Outcome(Status.DOWN, reason)
    grace_ms = monitor.grace_ms or 0
    still_running = tuple(one for one in beat.starts if one[1] + grace_ms > now)
    silent = replace(state, beat=replace(beat, starts=still_running, was_missed=True))
    return Heard(plan.advance(monitor, silent, outcome, now, 0.5, local_zone, around), outcome)


def unheard(
    monitor: Monitor,
    state: RuntimeState,
    now: int,
    local_zone: tzinfo,
    around: Around = QUIET,
) -> Heard:
    """The deadline passed, but nobody could have been heard."""
    outcome = Outcome(Status.UNKNOWN, Sentence("pings could not be received"))
    return Heard(plan.advance(monitor, state, outcome, now, 0.5, local_zone, around), outcome)


def _started(
    monitor: Monitor, state: RuntimeState, beat: Beat, ping: Ping, local_zone: tzinfo
) -> Transition:
    """A run began: it has the grace to finish. One that begins over and over has no more."""
    if ping.run_id in dict(beat.starts):
        return Transition(replace(state, beat=beat), ())
    others = list(beat.starts)
    starts = (*others, (ping.run_id, ping.at))[-_MOST_STARTS:]
    running = replace(state, beat=replace(beat, starts=starts))
    if state.pause is not None or monitor.grace_ms is None:
        return Transition(running, ())
    planned = deadline(monitor, running, ping.at, local_zone)
    return replanned(monitor, state, running, planned, ping.at)


def _finished(
    monitor: Monitor,
    state: RuntimeState,
    beat: Beat,
    ping: Ping,
    local_zone: tzinfo,
    around: Around,
) -> Heard:
    began_at = dict(beat.starts).get(ping.run_id)
    took_ms = ping.took_ms
    if took_ms is None and began_at is not None:
        took_ms = float(ping.at - began_at)
    status, reason = _judged(monitor, state, beat, ping, took_ms)
    outcome = Outcome(status, reason, took_ms, evidence=_evidence(ping))
    done = replace(
        _with_duration(beat, took_ms if ping.signal is Signal.SUCCESS else None),
        starts=tuple(one for one in beat.starts if one[0] != ping.run_id),
        was_missed=False,
    )
    # Whatever was expected before, the next one is counted from this.
    finished = replace(state, beat=done, planned_slot_at=None)
    change = plan.advance(monitor, finished, outcome, ping.at, 0.5, local_zone, around)
    return Heard(change, outcome)


def _judged(
    monitor: Monitor, state: RuntimeState, beat: Beat, ping: Ping, took_ms: float | None
) -> tuple[Status, str]:
    if ping.signal is Signal.FAIL:
        if ping.exit_code:
            return Status.DOWN, Sentence("exited with {code}", code=ping.exit_code)
        said = ping.message[:200]
        return Status.DOWN, said or Sentence("reported a failure")
    is_next_due = state.planned_slot_at is not None and ping.at >= state.planned_slot_at
    if beat.was_missed and Status.DOWN in state.incidents and not is_next_due:
        # The trouble is over only when it comes in time again.
        grace = rough_duration_text(monitor.grace_ms or 0)
        return Status.DOWN, Sentence("came late, after the grace of {grace}", grace=grace)
    if took_ms is not None and _is_unusual(beat, took_ms):
        took, usual = rough_duration_text(round(took_ms)), rough_duration_text(round(beat.mean_ms))
        return Status.DEGRADED, Sentence("took {took}, usually {usual}", took=took, usual=usual)
    return Status.UP, ping.message[:200] or Sentence("reported")


def _is_unusual(beat: Beat, took_ms: float) -> bool:
    if beat.runs < _ENOUGH_RUNS:
        return False
    deviation = max(_LEAST_SPREAD_MS, sqrt(beat.spread_ms2 / (beat.runs - 1)))
    return abs(took_ms - beat.mean_ms) / deviation > _UNUSUAL


def _with_duration(beat: Beat, took_ms: float | None) -> Beat:
    """Mean and spread with one more run in them."""
    if took_ms is None:
        return beat
    runs = beat.runs + 1
    mean_ms = beat.mean_ms + (took_ms - beat.mean_ms) / runs
    spread_ms2 = beat.spread_ms2 + (took_ms - beat.mean_ms) * (took_ms - mean_ms)
    return replace(beat, runs=runs, mean_ms=mean_ms, spread_ms2=spread_ms2)


def _evidence(ping: Ping) -> Evidence | None:
    said = ping.message or (f"exit {ping.exit_code}" if ping.exit_code is not None else "")
    return Evidence(status_line=said[:200], body=ping.body) if said or ping.body else None
