"""The maintenance of Uptime Kuma, as windows.

Uptime Kuma looks at nothing while it lasts, so every window is one that pauses.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final

from uptime_desktop.domain.maintenance import MAX_WINDOW_MS, Mode
from uptime_desktop.domain.maintenance_definition import DAYS, parse_window
from uptime_desktop.domain.model import MINUTE_MS, SECOND_MS, Keys, Setting
from uptime_desktop.domain.notation import duration_notation, instant_text
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.domain.zones import parse_zone
from uptime_desktop.exchange.importers.kuma.draft import NotForUs
from uptime_desktop.exchange.importers.kuma.table import Table
from uptime_desktop.exchange.importers.kuma.taking import one_line, take_name
from uptime_desktop.exchange.importers.naming import Ids
from uptime_desktop.exchange.importers.taking import NEW_ID

_Keys = dict[str, Setting]
_WEEK: Final = 7
_SERVERS_OWN: Final = "SAME_AS_SERVER"
_LAST_WEEKDAY: Final = Sentence("it is every week on the day on which it last began")
_FIRST_WEEKDAY: Final = Sentence("it is every week on the day of its first date")
_GOES_ON: Final = Sentence("it goes on after that date")


def windows_of(
    tables: Iterable[Table],
    monitors: Mapping[str, Sequence[str]],
    server_zone: str | None,
    now: int,
) -> list[Keys]:
    """`monitors` are our ids, by the number of what they belong to."""
    found: list[Keys] = []
    ids = Ids("maintenance")
    for table in tables:
        name = take_name(table, "title")
        try:
            keys = _window(table, monitors.get(table.text("id"), ()), server_zone, now)
            keys = {"id": ids.of(name), "name": name, **keys}
            _require_usable(keys, now)
        except NotForUs as cannot:
            table.refuse(cannot.why)
        else:
            found.append(keys)
        table.finish()
    return found


def _window(table: Table, monitors: Sequence[str], server_zone: str | None, now: int) -> _Keys:
    if not monitors:
        raise NotForUs(Sentence("none of its monitors was taken over"))
    strategy = table.text("strategy")
    way = _WAYS.get(strategy)
    if way is None:
        raise NotForUs(Sentence("there is no maintenance like {name}", name=one_line(strategy)))
    keys = way(table, _zone_name(table, server_zone), now)
    keys["mode"], keys["monitors"] = Mode.PAUSE.value, tuple(dict.fromkeys(monitors))
    if not table.flag("active"):
        keys["on"] = False
    table.mapped("strategy", "mode")
    table.mapped("active", "on")
    table.approximated("id", NEW_ID)
    return keys


def _manual(table: Table, _zone: str | None, now: int) -> _Keys:
    if not table.flag("active"):
        raise NotForUs(Sentence("it was off, and has no times"))
    starts = now - now % MINUTE_MS
    how = Sentence("it ends by itself after 30 days")
    table.approximated("strategy", how)
    return {"starts": instant_text(starts), "ends": instant_text(starts + MAX_WINDOW_MS)}


def _single(table: Table, zone: str | None, now: int) -> _Keys:
    starts, ends = _instant(table, "startdate", zone), _instant(table, "enddate", zone)
    if starts is None or ends is None:
        raise NotForUs(Sentence("it does not say from when to when"))
    if ends <= now:
        raise NotForUs(Sentence("it is over"))
    table.mapped("startdate", "starts")
    table.mapped("enddate", "ends")
    table.mapped("timezone", "starts")
    return {"starts": instant_text(starts), "ends": instant_text(ends)}


def _every_days(table: Table, zone: str | None, now: int) -> _Keys:
    days = table.whole("intervalday") or 1
    hour, minute = _start(table)
    keys = _recurring(table, zone, now)
    weekday = _weekday(table, zone, is_ahead="off_until" in keys) if days == _WEEK else None
    if weekday is not None:
        table.mapped("intervalday", "days")
        return {"days": (DAYS[weekday],), "at": f"{hour:02}:{minute:02}", **keys}
    if days == 1:
        table.mapped("intervalday", "cron")
    else:
        how = Sentence("the days are counted from the first of each month")
        table.approximated("intervalday", how)
    return {"cron": f"{minute} {hour} {'*' if days == 1 else f'*/{days}'} * *", **keys}


def _weekday(table: Table, zone: str | None, *, is_ahead: bool) -> int | None:
    """That of the last time, from which Uptime Kuma counts, or of the first that is to come."""
    first, last = _wall(table, "startdate"), _last_time(table, zone)
    if last is not None:
        table.mapped("laststartdate", "days")
        if first is None or first.weekday() != last.weekday():
            table.approximated("intervalday", _LAST_WEEKDAY)
        return last.weekday()
    if first is not None and not is_ahead:
        table.approximated("intervalday", _FIRST_WEEKDAY)
    return None if first is None else first.weekday()


def _weekdays(table: Table, zone: str | None, now: int) -> _Keys:
    found = table.parsed("weekdays")
    # Sunday is 0 there, and the last here.
    days = [
        DAYS[int(day) - 1] if int(day) % _WEEK else DAYS[-1]
        for day in (found if isinstance(found, list) else ())
        if isinstance(day, int) and 0 <= day <= _WEEK
    ]
    hour, minute = _start(table)
    table.mapped("weekdays", "days")
    at = f"{hour:02}:{minute:02}"
    return {"days": tuple(dict.fromkeys(days)), "at": at, **_recurring(table, zone, now)}


def _days_of_month(table: Table, zone: str | None, now: int) -> _Keys:
    found = table.parsed("daysofmonth")
    given = found if isinstance(found, list) else []
    days = sorted({day for day in given if isinstance(day, int) and not isinstance(day, bool)})
    hour, minute = _start(table)
    if not days:
        raise NotForUs(Sentence("no day of the month can be counted from its end"))
    if len(days) < len(given):
        how = Sentence("days counted from the end of the month are left out")
        table.approximated("daysofmonth", how)
    table.mapped("daysofmonth", "cron")
    cron = f"{minute} {hour} {','.join(map(str, days))} * *"
    return {"cron": cron, **_recurring(table, zone, now)}


def _cron(table: Table, zone: str | None, now: int) -> _Keys:
    seconds = table.whole("duration") or 0
    keys = _recurring(table, zone, now)
    keys["duration"] = duration_notation(max(seconds, 0) * SECOND_MS)
    table.mapped("cron", "cron")
    table.mapped("duration", "duration")
    return {"cron": table.text("cron"), **keys}


_WAYS: Final[dict[str, Callable[[Table, str | None, int], _Keys]]] = {
    "cron": _cron,
    "manual": _manual,
    "recurring-day-of-month": _days_of_month,
    "recurring-interval": _every_days,
    "recurring-weekday": _weekdays,
    "single": _single,
}


def _recurring(table: Table, zone: str | None, now: int) -> _Keys:
    """How long each time takes, in which zone, and from when on."""
    keys: _Keys = {} if zone is None else {"tz": zone}
    table.mapped("timezone", "tz")
    starts, ends = _instant(table, "startdate", zone), _instant(table, "enddate", zone)
    if ends is not None and ends <= now:
        raise NotForUs(Sentence("it is over"))
    if starts is not None and starts > now:
        keys["off_until"] = instant_text(starts)
    table.mapped("startdate", "off_until")
    if ends is not None:
        table.approximated("enddate", _GOES_ON)
    if table.text("strategy") == "cron":
        return keys
    begin, end = _time_of_day(table, "starttime"), _time_of_day(table, "endtime")
    if begin is None or end is None:
        raise NotForUs(Sentence("it does not say from when to when"))
    # It may end on the next day.
    minutes = (end - begin) % (24 * 60)
    keys["duration"] = duration_notation(minutes * MINUTE_MS)
    table.mapped("starttime", "at")
    table.mapped("endtime", "duration")
    for name in ("cron", "duration"):
        table.mapped(name, name)
    return keys


def _start(table: Table) -> tuple[int, int]:
    return divmod(_time_of_day(table, "starttime") or 0, 60)


def _time_of_day(table: Table, name: str) -> int | None:
    """In minutes, of a text such as `02:00` or `02:00:00`."""
    parts = table.text(name).split(":")
    if len(parts) not in (2, 3) or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    hour, minute = int(parts[0][:3]), int(parts[1][:3])
    return hour * 60 + minute if hour < 24 and minute < 60 else None


def _zone_name(table: Table, server_zone: str | None) -> str | None:
    """The zone that times are in; None is this computer's own."""
    name = table.text("timezone")
    if name == _SERVERS_OWN or (not name and table.text("cron")):
        name = server_zone or ""
        if not name:
            how = Sentence("the time zone of this computer is taken for that of the server")
            table.approximated("timezone", how)
    elif not name:
        # Before there were zones, all was in this one.
        name = "UTC"
    if not name:
        return None
    try:
        parse_zone("timezone", name)
    except Refused as refused:
        raise NotForUs(_said(refused)) from refused
    return name


def _instant(table: Table, name: str, zone: str | None) -> int | None:
    wall = _wall(table, name)
    if wall is None:
        return None
    there: tzinfo | None = None if zone is None else parse_zone("timezone", zone)
    try:
        at = wall.replace(tzinfo=there) if there is not None else wall.astimezone()
        return max(int(at.astimezone(UTC).timestamp()), 0) * SECOND_MS
    except (OverflowError, OSError, ValueError):
        return None


def _last_time(table: Table, zone: str | None) -> datetime | None:
    """When it last began, on the wall; it is written in UTC."""
    try:
        at = datetime.fromisoformat(table.text("laststartdate"))
        there = None if zone is None else parse_zone("timezone", zone)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(there)
    except (OverflowError, OSError, ValueError):
        return None


def _wall(table: Table, name: str) -> datetime | None:
    """A date and a time on the wall; their own zone, if they had one, does not count."""
    try:
        return datetime.fromisoformat(table.text(name)).replace(tzinfo=None)
    except ValueError:
        return None


def _require_usable(keys: Keys, now: int) -> None:
    try:
        parse_window(keys, now)
    except Refused as refused:
        raise NotForUs(_said(refused)) from refused


def _said(refused: Refused) -> Sentence:
    return Sentence("{field}: {problem}", field=refused.field, problem=refused.text())
