"""The timing of a monitor as people write it, in flags or in a file, turned into the model.

`given` holds only what was written, by the keys of a configuration file; defaults are the
model's. The same refusals serve every place such a text comes from.
"""

from collections.abc import Mapping

from uptime_desktop.domain.cron import CronExpression
from uptime_desktop.domain.cron_grammar import Dialect
from uptime_desktop.domain.model import (
    Backoff,
    Cadence,
    Clamps,
    Cron,
    Every,
    Once,
    Policy,
    Schedule,
)
from uptime_desktop.domain.notation import (
    parse_choice,
    parse_duration,
    parse_instant,
    parse_millionths,
)
from uptime_desktop.domain.refusal import Refused

_BELONGS_TO = {"cadence": "every", "anchor": "every", "dialect": "cron", "tz": "cron"}


def parse_schedule(given: Mapping[str, str], now: int) -> Schedule:
    """The schedule in `every`, `cron` or `at` and the keys that go with it."""
    for key, owner in _BELONGS_TO.items():
        if key in given and owner not in given:
            raise Refused(
                key, "{value} has no meaning here", f"only with {owner}", value=given[key]
            )
    if "cron" in given:
        dialect = parse_choice("dialect", given.get("dialect", Dialect.EXTENDED), Dialect)
        return Cron(CronExpression(given["cron"], dialect), given.get("tz"))
    if "at" in given:
        at = parse_instant("at", given["at"])
        if at <= now:
            raise Refused("at", "{value} is past", "a time to come", value=given["at"])
        return Once(at)
    return _parse_every(given, now)


def _parse_every(given: Mapping[str, str], now: int) -> Every:
    # A grid without an anchor starts now; an anchor without a cadence can only mean a grid.
    implied = Cadence.GRID if "anchor" in given else Cadence.AFTER
    cadence = parse_choice("cadence", given.get("cadence", implied), Cadence)
    if cadence is Cadence.AFTER and "anchor" in given:
        value = given["anchor"]
        raise Refused("anchor", "{value} has no meaning here", "only with a grid", value=value)
    interval_ms = parse_duration("every", given["every"]) if "every" in given else None
    anchor_at = parse_instant("anchor", given["anchor"]) if "anchor" in given else now
    every = Every() if interval_ms is None else Every(interval_ms)
    return Every(every.interval_ms, cadence, anchor_at if cadence is Cadence.GRID else 0)


def parse_backoff(given: Mapping[str, str]) -> Backoff:
    default = Backoff()
    return Backoff(
        parse_choice("backoff", given.get("backoff", default.policy), Policy),
        _duration(given, "backoff_cap") or default.cap_ms,
        _duration(given, "retry_delay") or default.retry_delay_ms,
    )


def parse_clamps(given: Mapping[str, str]) -> Clamps:
    return Clamps(_duration(given, "min_interval"), _duration(given, "max_interval"))


def parse_jitter(given: Mapping[str, str]) -> int | None:
    return parse_millionths("jitter", given["jitter"], "0.5") if "jitter" in given else None


def _duration(given: Mapping[str, str], key: str) -> int | None:
    return parse_duration(key, given[key]) if key in given else None
