"""A monitor as people write it, in flags or in a file, turned into the model and back.

`given` holds only what was written, by the keys of a configuration file; defaults are the
model's. The same refusals serve every place such a text comes from. What belongs to the kind
of check is carried along unread.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from uptime_desktop.domain.cron import CronExpression
from uptime_desktop.domain.cron_grammar import Dialect
from uptime_desktop.domain.model import (
    DEFAULT_GRACE_MS,
    MAX_RETRIES,
    MOST_ALERT_AFTER,
    AlertRule,
    Backoff,
    Cadence,
    CatchUp,
    Clamps,
    Cron,
    Every,
    Monitor,
    Once,
    Policy,
    Schedule,
    Setting,
)
from uptime_desktop.domain.notation import (
    duration_notation,
    fraction_notation,
    instant_text,
    parse_choice,
    parse_duration,
    parse_instant,
    parse_millionths,
    parse_name,
    parse_whole,
)
from uptime_desktop.domain.refusal import Refused, Word

TIMING_KEYS: Final = (
    *("every", "cadence", "anchor", "cron", "dialect", "tz", "at"),
    *("backoff", "backoff_cap", "retry_delay", "jitter", "min_interval", "max_interval"),
    *("auto_pause_after", "catch_up", "timeout", "retries"),
)
REPORTING_KIND: Final = "heartbeat"
_INTERVAL_MS: Final = Every().interval_ms
_YES_NO: Final = {
    **dict.fromkeys(("yes", "true", "on", "1"), True),
    **dict.fromkeys(("no", "false", "off", "0"), False),
}
_MOST_FAILURES: Final = 1_000
_BACKOFF_KEYS: Final = ("backoff", "backoff_cap", "retry_delay")
_CLAMP_KEYS: Final = ("min_interval", "max_interval")
_PLAIN: Final = Monitor("", "", 0)
"""All as by default."""
ALERT_KEYS: Final = ("alert_after", "repeat_every", "recovery_notice", "channels")
COMMON_KEYS: Final = ("id", "site", "name", "kind", "tags", "depends_on", *ALERT_KEYS)
_TIMING: Final = frozenset(TIMING_KEYS)
_NOT_OF_THE_KIND: Final = _TIMING.union(COMMON_KEYS)
REPORT_KEYS: Final = ("every", "cron", "dialect", "tz")
"""The timing keys that say when a job is expected to report."""
_BELONGS_TO: Final = {"cadence": "every", "anchor": "every", "dialect": "cron", "tz": "cron"}


class What(StrEnum):
    """A thing of a configuration, by the name of its table in a file."""

    SETTING = "setting"
    CHANNEL = "channel"
    SITE = "site"
    MONITOR = "monitor"
    WINDOW = "maintenance"


def parse_monitor(
    given: Mapping[str, Setting],
    *,
    site_id: str,
    monitor_id: str,
    number: int,
    now: int,
    is_new: bool = True,
    is_passive: bool = False,
) -> Monitor:
    """The monitor whose keys these are; only a new one may not lie in the past."""
    reports = is_passive and given.get("kind") == REPORTING_KIND
    if is_passive:
        _refuse_timing(given, REPORT_KEYS if reports else ())
    timing = {key: str(value) for key, value in given.items() if key in _TIMING}
    schedules = [key for key in ("every", "cron", "at") if key in timing]
    if len(schedules) > 1:
        first, second = schedules[:2]
        raise Refused(
            second,
            "{value} cannot go with {other}",
            "one schedule",
            value=timing[second],
            other=Word(first),
        )
    parse_name("site", site_id)
    parse_name("id", monitor_id)
    return Monitor(
        site_id,
        monitor_id,
        number,
        parse_schedule(timing, now, must_come=is_new),
        parse_backoff(timing),
        parse_clamps(timing),
        parse_jitter(timing),
        auto_pause_after=_whole(timing, "auto_pause_after", _MOST_FAILURES),
        catch_up=parse_choice("catch_up", timing.get("catch_up", _PLAIN.catch_up), CatchUp),
        timeout_ms=_PLAIN.timeout_ms if (ms := _duration(timing, "timeout")) is None else ms,
        retries=_PLAIN.retries if (n := _whole(timing, "retries", MAX_RETRIES)) is None else n,
        name=parse_name("name", str(given.get("name", monitor_id))),
        kind=str(given.get("kind", _PLAIN.kind)),
        settings={key: value for key, value in given.items() if key not in _NOT_OF_THE_KIND},
        tags=_names("tags", given),
        is_passive=is_passive,
        grace_ms=_grace(given) if reports else None,
        depends_on=_names("depends_on", given),
        alert=parse_alert_rule(given),
    )


def parse_alert_rule(given: Mapping[str, Setting]) -> AlertRule:
    """Who is told of trouble, and when; what is not said is left open."""
    if given.keys().isdisjoint(ALERT_KEYS):
        return _PLAIN.alert
    texts = {key: str(given[key]) for key in ALERT_KEYS if key in given}
    repeat = texts.get("repeat_every")
    recovery = texts.get("recovery_notice", "").lower()
    if recovery not in ("", *_YES_NO):
        raise Refused("recovery_notice", "{value} is neither yes nor no", "yes, no", value=recovery)
    return AlertRule(
        None
        if "alert_after" not in texts
        else parse_whole("alert_after", texts["alert_after"], 1, MOST_ALERT_AFTER),
        None if repeat is None else 0 if repeat == "0" else parse_duration("repeat_every", repeat),
        _YES_NO.get(recovery),
        _names("channels", given) if "channels" in given else None,
    )


def describe_alert_rule(rule: AlertRule) -> dict[str, Setting]:
    keys: dict[str, Setting] = {}
    if rule.after is not None:
        keys["alert_after"] = rule.after
    if rule.repeat_ms is not None:
        keys["repeat_every"] = duration_notation(rule.repeat_ms) if rule.repeat_ms else "0"
    if rule.notify_recovery is not None:
        keys["recovery_notice"] = "yes" if rule.notify_recovery else "no"
    if rule.channels is not None:
        keys["channels"] = rule.channels
    return keys


def _names(key: str, given: Mapping[str, Setting]) -> tuple[str, ...]:
    """Names in a list, or in a text with commas between them."""
    value = given.get(key, ())
    names = value if isinstance(value, tuple | list) else str(value).split(",")
    return tuple(parse_name(key, str(name).strip()) for name in names if str(name).strip())


def _grace(given: Mapping[str, Setting]) -> int:
    return parse_duration("grace", str(given["grace"])) if "grace" in given else DEFAULT_GRACE_MS


def _refuse_timing(given: Mapping[str, Setting], allowed_keys: tuple[str, ...]) -> None:
    for key in TIMING_KEYS:
        if key in given and key not in allowed_keys:
            allowed = "only where something is checked"
            raise Refused(key, "{value} has no meaning here", allowed, value=str(given[key]))


def describe_monitor(monitor: Monitor) -> dict[str, Setting]:
    """The keys that make this monitor again; what is as by default stays unsaid."""
    follows = monitor.is_passive and monitor.grace_ms is None
    keys = {} if follows else describe_schedule(monitor.schedule)
    backoff, default = monitor.backoff, _PLAIN.backoff
    optional: tuple[tuple[str, Setting | None], ...] = (
        ("backoff", backoff.policy.value if backoff.policy != default.policy else None),
        ("backoff_cap", _changed_duration(backoff.cap_ms, default.cap_ms)),
        ("retry_delay", _changed_duration(backoff.retry_delay_ms, default.retry_delay_ms)),
        ("jitter", None if (ppm := monitor.jitter_ppm) is None else fraction_notation(ppm)),
        ("min_interval", _changed_duration(monitor.clamps.min_ms, None)),
        ("max_interval", _changed_duration(monitor.clamps.max_ms, None)),
        ("auto_pause_after", monitor.auto_pause_after),
        ("catch_up", None if monitor.catch_up is _PLAIN.catch_up else monitor.catch_up.value),
        ("timeout", _changed_duration(monitor.timeout_ms, _PLAIN.timeout_ms)),
        ("retries", None if monitor.retries == _PLAIN.retries else monitor.retries),
        ("tags", monitor.tags or None),
        ("depends_on", monitor.depends_on or None),
    )
    keys |= describe_alert_rule(monitor.alert)
    keys |= {key: value for key, value in optional if value is not None}
    return {"name": monitor.name, "kind": monitor.kind, **monitor.settings, **keys}


def describe_schedule(schedule: Schedule) -> dict[str, Setting]:
    match schedule:
        case Every(interval_ms, Cadence.AFTER):
            return {"every": duration_notation(interval_ms)}
        case Every(interval_ms, cadence, anchor_at):
            every = duration_notation(interval_ms)
            return {"every": every, "cadence": cadence.value, "anchor": instant_text(anchor_at)}
        case Once(at):
            return {"at": instant_text(at)}
        case Cron(expression, zone_name):
            keys: dict[str, Setting] = {"cron": expression.text}
            if expression.dialect is not Dialect.EXTENDED:
                keys["dialect"] = expression.dialect.value
            return keys if zone_name is None else {**keys, "tz": zone_name}


def parse_schedule(given: Mapping[str, str], now: int, *, must_come: bool = True) -> Schedule:
    """The schedule in `every`, `cron` or `at` and the keys that go with it."""
    for key, owner in _BELONGS_TO.items():
        if key in given and owner not in given:
            raise Refused(
                key,
                "{value} has no meaning here",
                "only with {owner}",
                value=given[key],
                owner=Word(owner),
            )
    if "cron" in given:
        dialect = parse_choice("dialect", given.get("dialect", Dialect.EXTENDED), Dialect)
        return Cron(CronExpression(given["cron"], dialect), given.get("tz"))
    if "at" in given:
        at = parse_instant("at", given["at"])
        if must_come and at <= now:
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
    interval_ms = parse_duration("every", given["every"]) if "every" in given else _INTERVAL_MS
    anchor_at = parse_instant("anchor", given["anchor"]) if "anchor" in given else now
    return Every(interval_ms, cadence, anchor_at if cadence is Cadence.GRID else 0)


def parse_backoff(given: Mapping[str, str]) -> Backoff:
    if given.keys().isdisjoint(_BACKOFF_KEYS):
        return _PLAIN.backoff
    default = _PLAIN.backoff
    return Backoff(
        parse_choice("backoff", given.get("backoff", default.policy), Policy),
        _duration(given, "backoff_cap") or default.cap_ms,
        _duration(given, "retry_delay") or default.retry_delay_ms,
    )


def parse_clamps(given: Mapping[str, str]) -> Clamps:
    if given.keys().isdisjoint(_CLAMP_KEYS):
        return _PLAIN.clamps
    return Clamps(*(_duration(given, key) for key in _CLAMP_KEYS))


def parse_jitter(given: Mapping[str, str]) -> int | None:
    return parse_millionths("jitter", given["jitter"], "0.5") if "jitter" in given else None


def _duration(given: Mapping[str, str], key: str) -> int | None:
    return parse_duration(key, given[key]) if key in given else None


def _whole(given: Mapping[str, str], key: str, highest: int) -> int | None:
    return parse_whole(key, given[key], 0, highest) if key in given else None


def _changed_duration(duration_ms: int | None, default_ms: int | None) -> str | None:
    is_default = duration_ms is None or duration_ms == default_ms
    return None if is_default or duration_ms is None else duration_notation(duration_ms)
