"""How people write durations and instants: `90s`, `1.5h`, `2026-03-29T01:00:00Z`."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import Final, TypeVar

from uptime_desktop.domain.refusal import Refused, Word

_UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_DURATION = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?)(ms|s|m|h|d)")
_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]"
    r"([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?)"
    r"([Zz]|[+-][0-9]{2}:?[0-9]{2})"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_INSTANT = datetime(2999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC)
_ONE_MS = timedelta(milliseconds=1)
LAST_INSTANT: Final = (_LAST_INSTANT - _EPOCH) // _ONE_MS
"""The last millisecond of the year 2999: nothing is planned for later."""
# What holds together the parts of an emoji, and letters of some scripts.
_JOINERS: Final = dict.fromkeys(map(ord, "\u200c\u200d"))
_LONGEST_NAME: Final = 200
_GO_UNITS_MS: Final = {
    "ns": 1e-6,
    "us": 1e-3,
    "µs": 1e-3,
    "μs": 1e-3,
    "ms": 1.0,
    "s": 1e3,
    "m": 6e4,
    "h": 3.6e6,
}
_LONGEST_GO_MS: Final = 2.0**63 / 1e6
_GO_PART: Final = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")
_LONGEST_GO: Final = 64
_Choice = TypeVar("_Choice", bound=StrEnum)


@lru_cache(maxsize=1_000)
def parse_duration(field: str, text: str) -> int:
    """The duration in milliseconds; refused if it is not a whole number of them."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise Refused(
            field,
            "{value} is not a duration",
            "a number with a unit, as in 500ms 30s 5m 1h 2d",
            value=text,
        )
    duration_ms = Fraction(match[1]) * _UNIT_MS[match[2]]
    if duration_ms.denominator != 1:
        raise Refused(
            field, "{value} is finer than a millisecond", "whole milliseconds", value=text
        )
    return int(duration_ms)


def go_duration_ms(text: str) -> float | None:
    """Milliseconds of a duration as Go writes it (`1h15m`, `300ms`, `1.5s`), if it is one."""
    unsigned = text[1:] if text[:1] in ("+", "-") else text
    if unsigned == "0":
        return 0.0
    if not unsigned or len(unsigned) > _LONGEST_GO:
        return None
    total, place = 0.0, 0
    while place < len(unsigned):
        part = _GO_PART.match(unsigned, place)
        if part is None:
            return None
        total += float(part[1]) * _GO_UNITS_MS[part[2]]
        place = part.end()
    if total >= _LONGEST_GO_MS:
        return None
    return -total if text[0] == "-" else total


def parse_instant(field: str, text: str) -> int:
    """The instant in milliseconds since the epoch; refused without an offset from UTC."""
    match = _INSTANT.fullmatch(text)
    if match is None:
        raise Refused(
            field,
            "{value} is not an instant with an offset",
            "a time such as 2026-03-29T01:00:00Z or 2026-03-29T03:00:00+02:00",
            value=text,
        )
    try:
        instant = datetime.fromisoformat("".join((match[1], "T", match[2], match[3].upper())))
        instant_ms = (instant - _EPOCH) // _ONE_MS
    except (ValueError, OverflowError):
        raise Refused(
            field,
            "{value} is not a date and time of the calendar",
            "a time such as 2026-03-29T01:00:00Z",
            value=text,
        ) from None
    if not 0 <= instant_ms <= LAST_INSTANT:
        raise Refused(field, "{value} is out of range", "the years 1970 to 2999", value=text)
    return instant_ms


def parse_whole(field: str, text: str, lowest: int, highest: int) -> int:
    """A whole number in ASCII digits, both ends of the range allowed."""
    if not re.fullmatch(r"[0-9]{1,15}", text) or not lowest <= int(text) <= highest:
        raise Refused(
            field,
            "{value} is not a whole number in range",
            "{least} to {most}",
            value=text,
            least=lowest,
            most=highest,
        )
    return int(text)


def parse_millionths(field: str, text: str, highest: str) -> int:
    """A decimal fraction from 0 to `highest`, in millionths so that later rounding is exact."""
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", text) or Decimal(text) > Decimal(highest):
        raise Refused(
            field,
            "{value} is not a fraction in range",
            "0 to {highest}",
            value=text,
            highest=Word(highest),
        )
    return int(Decimal(text) * 1_000_000)


def parse_choice(field: str, text: str, choices: type[_Choice]) -> _Choice:
    """One of a few words."""
    try:
        return choices(text)
    except ValueError:
        allowed = ", ".join(choices)
        raise Refused(field, "{value} is not a choice", allowed, value=text) from None


def parse_name(field: str, text: str) -> str:
    """What people call something: on one line, and short enough to show."""
    shown = text if text.isprintable() else text.translate(_JOINERS)
    if not shown.strip() or len(text) > _LONGEST_NAME or not shown.isprintable():
        raise Refused(
            field,
            "{value} cannot be a name",
            "1 to {most} characters on one line",
            value=text,
            most=_LONGEST_NAME,
        )
    return text


def duration_notation(duration_ms: int) -> str:
    """The duration as `parse_duration` reads it, in the largest unit that needs no fraction."""
    for unit, unit_ms in reversed(_UNIT_MS.items()):
        if duration_ms % unit_ms == 0 and duration_ms:
            return f"{duration_ms // unit_ms}{unit}"
    return "0s"


def fraction_notation(millionths: int) -> str:
    """The fraction as `parse_millionths` reads it."""
    whole, rest = divmod(millionths, 1_000_000)
    return f"{whole}.{rest:06}".rstrip("0").rstrip(".")


def instant_text(instant_ms: int) -> str:
    """ISO 8601 in UTC, with milliseconds only where there are any."""
    instant = _EPOCH + instant_ms * _ONE_MS
    precision = "milliseconds" if instant_ms % 1_000 else "seconds"
    return instant.replace(tzinfo=None).isoformat(timespec=precision) + "Z"
