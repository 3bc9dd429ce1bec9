"""Calendar expressions of systemd, written as cron where cron can say the same: pure."""

import re
from typing import Final

_WORDS: Final = {
    "minutely": "*-*-* *:*:00",
    "hourly": "*-*-* *:00:00",
    "daily": "*-*-* 00:00:00",
    "weekly": "Mon *-*-* 00:00:00",
    "monthly": "*-*-01 00:00:00",
    "quarterly": "*-01,04,07,10-01 00:00:00",
    "semiannually": "*-01,07-01 00:00:00",
    "yearly": "*-01-01 00:00:00",
    "annually": "*-01-01 00:00:00",
}
_TERM: Final = re.compile(r"(\*|[0-9]{1,2})(?:\.\.([0-9]{1,2}))?(/[0-9]{1,2})?")
_DATE: Final = re.compile(r"[0-9*][^:]*-[^:]*")
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def cron_of(expression: str) -> tuple[str, str] | None:
    """The cron expression and the time zone, if one is named; None where cron has no words for it.

    Cron knows no years and no days counted from the end of a month, and where a date and a weekday
    are given it runs on either, systemd only on both.
    """
    parts = expression.split()
    if not parts or "\n" in expression.strip():
        return None
    zone = ""
    if len(parts) > 1 and ":" not in parts[-1] and not _DATE.fullmatch(parts[-1]):
        zone = parts.pop()
    if len(parts) == 1:
        parts = _WORDS.get(parts[0].lower(), parts[0]).split()
    time = parts.pop() if parts and ":" in parts[-1] else "00:00:00"
    date = parts.pop() if parts and _DATE.fullmatch(parts[-1]) else "*-*-*"
    weekday = _weekdays(parts.pop()) if parts else "*"
    clock = [_field(text) for text in time.split(":")]
    calendar = [_field(text) for text in date.split("-")]
    if parts or weekday is None or len(clock) not in (2, 3) or len(calendar) not in (2, 3):
        return None
    if None in clock or None in calendar:
        return None
    year, month, day = ["*", *calendar][-3:]
    hour, minute, second = [*clock, "0"][:3]
    if year != "*" or (weekday != "*" and day != "*"):
        return None
    fields = [minute, hour, day, month, weekday]
    return " ".join(str(field) for field in ([] if second == "0" else [second]) + fields), zone


def _field(text: str) -> str | None:
    terms = [_term(term) for term in text.split(",")]
    return None if None in terms else ",".join(str(term) for term in terms)


def _term(text: str) -> str | None:
    match = _TERM.fullmatch(text)
    if match is None or (match[1] == "*" and match[2]):
        return None
    first = match[1] if match[1] == "*" else str(int(match[1]))
    last = f"-{int(match[2])}" if match[2] else ""
    return first + last + (match[3] or "")


def _weekdays(text: str) -> str | None:
    """Days of the week as cron numbers them, Sunday being 7 so that ranges run upwards."""
    terms = []
    for term in text.lower().removesuffix(",").split(","):
        days = [_weekday(name) for name in term.replace("..", "-").split("-")]
        if None in days or len(days) > 2:
            return None
        terms.append("-".join(str(day) for day in days))
    return ",".join(terms)


def _weekday(name: str) -> int | None:
    known = (day for day, whole in enumerate(_WEEKDAYS, 1) if name in (whole, whole[:3]))
    return next(known, None)
