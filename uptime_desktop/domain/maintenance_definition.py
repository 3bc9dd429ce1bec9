"""A maintenance window as people write it, in flags or in a file, turned into the model and back.

`given` holds only what was written, by the keys of a configuration file.
"""

import re
from collections.abc import Mapping
from typing import Final

from uptime_desktop.domain.cron_grammar import Dialect
from uptime_desktop.domain.definition import describe_schedule
from uptime_desktop.domain.maintenance import (
    MAX_WINDOW_MS,
    MIN_WINDOW_MS,
    CronFor,
    Mode,
    OnceAt,
    Weekly,
    When,
    Window,
)
from uptime_desktop.domain.model import Cron, Setting
from uptime_desktop.domain.notation import (
    duration_notation,
    instant_text,
    parse_choice,
    parse_duration,
    parse_instant,
    parse_name,
)
from uptime_desktop.domain.refusal import Refused, Word, require_between, unknown_key

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WINDOW_KEYS: Final = (
    *("id", "name", "starts", "ends", "days", "at", "cron", "dialect", "tz", "duration"),
    *("mode", "sites", "monitors", "on", "off_until"),
)
_WAYS: Final = ("starts", "days", "cron")
_BELONGS_TO: Final = {
    "ends": ("starts",),
    "at": ("days",),
    "dialect": ("cron",),
    "tz": ("days", "cron"),
}
_TIME_OF_DAY: Final = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
_YES_NO: Final = {"true": True, "false": False}


def parse_window(given: Mapping[str, Setting], now: int, *, is_new: bool = True) -> Window:
    """The window whose keys these are; only a new one may not be over."""
    for key in given:
        if key not in WINDOW_KEYS:
            raise unknown_key(key, "{value} says nothing of a window", WINDOW_KEYS)
    window_id = parse_name("id", str(given.get("id", "")))
    off_until = given.get("off_until")
    return Window(
        window_id,
        parse_name("name", str(given.get("name", window_id))),
        parse_when(given, now, is_new=is_new),
        parse_choice("mode", str(given.get("mode", Mode.SILENCE)), Mode),
        _names(given, "sites"),
        _names(given, "monitors"),
        _yes(given, "on"),
        None if off_until is None else parse_instant("off_until", str(off_until)),
    )


def describe_window(window: Window) -> dict[str, Setting]:
    """The keys that make this window again; what is as by default stays unsaid."""
    optional: tuple[tuple[str, Setting | None], ...] = (
        ("mode", None if window.mode is Mode.SILENCE else window.mode.value),
        ("sites", tuple(sorted(window.sites)) or None),
        ("monitors", tuple(sorted(window.monitors)) or None),
        ("on", None if window.is_on else False),
        ("off_until", None if (at := window.off_until) is None else instant_text(at)),
    )
    said = {key: value for key, value in optional if value is not None}
    return {"id": window.id, "name": window.name, **describe_when(window.when), **said}


def parse_when(given: Mapping[str, Setting], now: int, *, is_new: bool = True) -> When:
    """The times in `starts`, `days` or `cron` and the keys that go with it."""
    ways = [key for key in _WAYS if key in given]
    if not ways:
        raise Refused("starts", "nothing says when it is", "one of starts, days and cron")
    if len(ways) > 1:
        raise Refused(
            ways[1],
            "{value} cannot go with {other}",
            "one of starts, days and cron",
            value=_text(given, ways[1]),
            other=Word(ways[0]),
        )
    for key, owners in _BELONGS_TO.items():
        if key in given and ways[0] not in owners:
            raise Refused(
                key,
                "{value} has no meaning here",
                "only with {owner}",
                value=_text(given, key),
                owner=Word(owners[0]),
            )
    match ways[0]:
        case "starts":
            return _parse_once(given, now, is_new=is_new)
        case "days":
            return Weekly(_days(given), _minute_of_day(given), _duration(given), _zone_name(given))
        case _:
            return CronFor(_cron(given), _duration(given))


def describe_when(when: When) -> dict[str, Setting]:
    match when:
        case OnceAt(starts_at, ends_at):
            return {"starts": instant_text(starts_at), "ends": instant_text(ends_at)}
        case Weekly(days, at_minute, duration_ms, zone_name):
            hour, minute = divmod(at_minute, 60)
            return {
                "days": tuple(DAYS[day] for day in sorted(days)),
                "at": f"{hour:02}:{minute:02}",
                "duration": duration_notation(duration_ms),
                **({} if zone_name is None else {"tz": zone_name}),
            }
        case CronFor(cron, duration_ms):
            return {**describe_schedule(cron), "duration": duration_notation(duration_ms)}


def _parse_once(given: Mapping[str, Setting], now: int, *, is_new: bool) -> OnceAt:
    starts_at = parse_instant("starts", _text(given, "starts"))
    if "ends" in given and "duration" in given:
        value = _text(given, "duration")
        raise Refused("duration", "{value} cannot go with ends", "one of them", value=value)
    if "ends" in given:
        key, ends_at = "ends", parse_instant("ends", _text(given, "ends"))
    else:
        key, ends_at = "starts", starts_at + _duration(given)
    once = OnceAt(starts_at, ends_at)
    if is_new and ends_at <= now:
        raise Refused(key, "{value} is past", "a time to come", value=_text(given, key))
    return once


def _duration(given: Mapping[str, Setting]) -> int:
    if "duration" not in given:
        raise Refused("duration", "it is missing", "how long, as in 30m 2h 1d")
    duration_ms = parse_duration("duration", _text(given, "duration"))
    require_between("duration", duration_ms, MIN_WINDOW_MS, MAX_WINDOW_MS)
    return duration_ms


def _cron(given: Mapping[str, Setting]) -> Cron:
    dialect = parse_choice("dialect", str(given.get("dialect", Dialect.EXTENDED)), Dialect)
    return Cron.parse(_text(given, "cron"), _zone_name(given), dialect)


def _zone_name(given: Mapping[str, Setting]) -> str | None:
    return _text(given, "tz") if "tz" in given else None


def _days(given: Mapping[str, Setting]) -> frozenset[int]:
    days = set()
    for word in _list(given, "days"):
        if word.lower() not in DAYS:
            raise Refused("days", "{value} is not a day", ", ".join(DAYS), value=word)
        days.add(DAYS.index(word.lower()))
    return frozenset(days)


def _minute_of_day(given: Mapping[str, Setting]) -> int:
    if "at" not in given:
        raise Refused("at", "it is missing", "a time of day such as 02:00")
    match = _TIME_OF_DAY.fullmatch(_text(given, "at"))
    if match is None:
        value = _text(given, "at")
        raise Refused("at", "{value} is not a time of day", "00:00 to 23:59", value=value)
    return int(match[1]) * 60 + int(match[2])


def _names(given: Mapping[str, Setting], key: str) -> frozenset[str]:
    return frozenset(parse_name(key, name) for name in _list(given, key))


def _yes(given: Mapping[str, Setting], key: str) -> bool:
    text = _text(given, key).lower() if key in given else "true"
    if text not in _YES_NO:
        raise Refused(key, "{value} is not a choice", ", ".join(_YES_NO), value=text)
    return _YES_NO[text]


def _list(given: Mapping[str, Setting], key: str) -> tuple[str, ...]:
    """Several words, of a file as a list, of a flag with commas between."""
    value = given.get(key, ())
    if isinstance(value, tuple):
        return tuple(str(one) for one in value)
    return tuple(word.strip() for word in str(value).split(",") if word.strip())


def _text(given: Mapping[str, Setting], key: str) -> str:
    value = given[key]
    return ",".join(value) if isinstance(value, tuple) else str(value)
