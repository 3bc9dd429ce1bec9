"""How often Uptime Kuma looks, tries again and tells again, in our keys."""

from typing import Final

from uptime_desktop.domain.model import (
    MAX_GRACE_MS,
    MAX_INTERVAL_MS,
    MAX_REPEAT_MS,
    MAX_RETRIES,
    MAX_TIMEOUT_MS,
    MIN_GRACE_MS,
    MIN_INTERVAL_MS,
    MIN_REPEAT_MS,
    MIN_TIMEOUT_MS,
    MINUTE_MS,
    Policy,
)
from uptime_desktop.domain.notation import duration_notation
from uptime_desktop.domain.wording import Sentence, duration_text
from uptime_desktop.exchange.importers.kuma.draft import Draft
from uptime_desktop.exchange.importers.kuma.taking import take_duration

_USUAL_INTERVAL_S: Final = MINUTE_MS / 1_000


def take_timing(draft: Draft) -> None:
    table, keys = draft.table, draft.keys
    interval = _take_interval(draft)
    retry = table.number("retryinterval") or 0.0
    # Uptime Kuma never waits longer because something is down.
    keys["backoff"] = Policy.NONE.value
    if 0 < retry != interval:
        keys["backoff"] = Policy.FIXED.value
        limits = MIN_INTERVAL_MS, MAX_INTERVAL_MS
        keys["retry_delay"] = take_duration(table, "retryinterval", "retry_delay", retry, *limits)
    table.mapped("retryinterval", "every")
    _take_retries(draft)
    timeout = table.number("timeout") or 0.0
    if timeout > 0:
        limits = MIN_TIMEOUT_MS, MAX_TIMEOUT_MS
        keys["timeout"] = take_duration(table, "timeout", "timeout", timeout, *limits)
    table.unsupported("timeout")
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
    for name in ("maxretries", "retryinterval"):
        if tries:
            table.approximated(name, how)
        else:
            table.mapped(name, "grace")
    token = table.text("pushtoken")
    if token:
        keys["token"] = token
    take_resend(draft, interval)


def _take_interval(draft: Draft) -> float:
    seconds = draft.table.number("interval") or 0.0
    if seconds <= 0:
        seconds = _USUAL_INTERVAL_S
        draft.table.approximated(
            "interval", Sentence("it is {duration}", duration=duration_text(MINUTE_MS))
        )
    limits = MIN_INTERVAL_MS, MAX_INTERVAL_MS
    draft.keys["every"] = take_duration(draft.table, "interval", "every", seconds, *limits)
    return seconds


def _take_retries(draft: Draft) -> None:
    given = max(draft.table.whole("maxretries") or 0, 0)
    kept = min(given, MAX_RETRIES)
    draft.keys["retries"] = kept
    if given == 0:
        draft.table.mapped("maxretries", "retries")
    else:
        how = Sentence("it is tried {n} times more within a run, seconds apart", n=kept)
        draft.table.approximated("maxretries", how)


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
