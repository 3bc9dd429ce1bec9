"""How often Uptime Kuma looks, tries again and tells again, in our keys."""

from typing import Final

from uptime_desktop.domain.model import (
    MAX_GRACE_MS,
    MAX_INTERVAL_MS,
    MAX_REPEAT_MS,
    MAX_TIMEOUT_MS,
    MIN_GRACE_MS,
    MIN_INTERVAL_MS,
    MIN_REPEAT_MS,
    MIN_TIMEOUT_MS,
    MINUTE_MS,
    MOST_ALERT_AFTER,
    Policy,
)
from uptime_desktop.domain.notation import duration_notation
from uptime_desktop.domain.wording import Sentence, duration_text, words
from uptime_desktop.exchange.importers.kuma.draft import Draft
from uptime_desktop.exchange.importers.kuma.taking import take_duration
from uptime_desktop.exchange.importers.taking import lasting_here
from uptime_desktop.exchange.report import NOT_IN_USE

_USUAL_INTERVAL_S: Final = MINUTE_MS / 1_000
_OWN_TIMEOUT: Final = 0.8
"""What part of the interval Uptime Kuma waits where no timeout is set."""
_TOLD_AFTER: Final = words("it is told after {n} failed runs in a row")
_TOLD_AFTER_MOST: Final = words("it is told after {n} failed runs in a row, the most there can be")


def take_timing(draft: Draft) -> None:
    interval = _take_interval(draft)
    _take_tries(draft, interval)
    _take_timeout(draft, interval)
    take_resend(draft, interval)


def take_push(draft: Draft) -> None:
    """A job that reports. It is missed after its interval and as many more tries as it has."""
    table, keys = draft.table, draft.keys
    keys["kind"] = "heartbeat"
    table.mapped("type", "kind")
    interval = _take_interval(draft)
    tries, between = table.number("maxretries") or 0.0, table.number("retryinterval") or interval
    grace_ms = int(min(max(tries * between * 1_000, MIN_GRACE_MS), MAX_GRACE_MS))
    keys["grace"] = duration_notation(grace_ms)
    how = Sentence("a report may be late by the time of all tries")
    if tries > 0:
        table.approximated("maxretries", how)
        table.approximated("retryinterval", how)
    else:
        table.mapped("maxretries", "grace")
        table.unsupported("retryinterval", NOT_IN_USE)
    token = table.text("pushtoken")
    if token:
        keys["token"] = token
    take_resend(draft, interval)


def _take_interval(draft: Draft) -> float:
    seconds = draft.table.number("interval") or 0.0
    if seconds <= 0:
        seconds = _USUAL_INTERVAL_S
        draft.table.settled("interval", lasting_here(MINUTE_MS))
    limits = MIN_INTERVAL_MS, MAX_INTERVAL_MS
    draft.keys["every"] = take_duration(draft.table, "interval", "every", seconds, *limits)
    return seconds


def _take_tries(draft: Draft, interval: float) -> None:
    """What fails is tried so many times more before it is down and told. Only between these tries
    Uptime Kuma waits otherwise; what is down it looks at as often as what is up."""
    table, keys = draft.table, draft.keys
    keys["retries"], keys["backoff"] = 0, Policy.NONE.value
    tries = max(table.whole("maxretries") or 0, 0)
    if not tries:
        table.mapped("maxretries", "retries")
        table.unsupported("retryinterval", NOT_IN_USE)
        return
    keys["alert_after"] = after = min(tries + 1, MOST_ALERT_AFTER)
    is_all = after > tries
    how = _TOLD_AFTER if is_all else _TOLD_AFTER_MOST
    table.approximated("maxretries", Sentence(how, n=after))
    _take_pause(draft, interval)


def _take_pause(draft: Draft, interval: float) -> None:
    """How long it waits between tries."""
    table, keys = draft.table, draft.keys
    pause = table.number("retryinterval") or 0.0
    if pause <= 0 or pause == interval:
        table.mapped("retryinterval", "every")
        return
    if pause > interval:
        how = Sentence(
            "between tries, too, the time is {duration}", duration=duration_text(_kept_ms(interval))
        )
        table.approximated("retryinterval", how)
        return
    pause_ms = _kept_ms(pause)
    keys["backoff"], keys["retry_delay"] = Policy.FIXED.value, duration_notation(pause_ms)
    how = Sentence(
        "it is looked at again after {duration} as long as it is down",
        duration=duration_text(pause_ms),
    )
    table.approximated("retryinterval", how)


def _take_timeout(draft: Draft, interval: float) -> None:
    table, limits = draft.table, (MIN_TIMEOUT_MS, MAX_TIMEOUT_MS)
    timeout = table.number("timeout") or 0.0
    if timeout > 0:
        draft.keys["timeout"] = take_duration(table, "timeout", "timeout", timeout, *limits)
        return
    own_ms = min(max(round(interval * _OWN_TIMEOUT * 1_000), limits[0]), limits[1])
    draft.keys["timeout"] = duration_notation(own_ms)
    table.settled("timeout", lasting_here(own_ms))


def _kept_ms(seconds: float) -> int:
    return min(max(round(seconds * 1_000), MIN_INTERVAL_MS), MAX_INTERVAL_MS)


def take_resend(draft: Draft, interval: float) -> None:
    """Uptime Kuma counts runs until it tells again, we the time."""
    table = draft.table
    runs = table.whole("resendinterval") or 0
    if runs <= 0:
        draft.keys["repeat_every"] = "0"
        table.mapped("resendinterval", "repeat_every")
        return
    limits = MIN_REPEAT_MS, MAX_REPEAT_MS
    kept_ms = int(min(max(runs * interval * 1_000, limits[0]), limits[1]))
    draft.keys["repeat_every"] = duration_notation(kept_ms)
    duration = duration_text(kept_ms)
    how = Sentence(
        "it is told again every {duration}, not after {n} runs", duration=duration, n=runs
    )
    table.approximated("resendinterval", how)
