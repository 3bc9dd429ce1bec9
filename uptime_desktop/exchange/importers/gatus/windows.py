"""The maintenance of Gatus as windows of ours: some days of the week, for all or one monitor."""

from collections.abc import Mapping
from typing import Final

from uptime_desktop.domain.maintenance_definition import DAYS, parse_window
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.notation import duration_notation
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.gatus.values import WRONG, Source
from uptime_desktop.exchange.report import Fate

_DAY_NAMES: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_SWITCHED_OFF: Final = Sentence("the maintenance was switched off")


def window_of(
    given: Source, window_id: str, name: str, monitor_id: str | None, now: int
) -> Mapping[str, Setting] | None:
    """The window that a table describes; None if it is off or cannot be."""
    if given.flag("enabled") is False:
        given.finish(_SWITCHED_OFF)
        return None
    duration = given.duration_ms("duration")
    days = [given.variables.expanded(one) for one in _texts(given)]
    keys: dict[str, Setting] = {
        "id": window_id,
        "name": name,
        "days": tuple(DAYS[_DAY_NAMES.index(day)] for day in days if day in _DAY_NAMES) or DAYS,
        "at": given.peek("start"),
        "duration": duration_notation(round(duration or 0)),
        "tz": given.peek("timezone") or "UTC",
    }
    if monitor_id is not None:
        keys["monitors"] = (monitor_id,)
    try:
        if not all(day in _DAY_NAMES for day in days):
            raise Refused("days", "no day of the week is named", "one or more of 7")
        parse_window(keys, now)
    except Refused as refused:
        reason = given.variables.hidden(refused.text())
        given.finish(Sentence("it cannot be used: {reason}", reason=reason))
        return None
    for key, to in (("start", "at"), ("duration", "duration"), ("timezone", "tz")):
        given.text(key, to)
    for at, day in given.items("every"):
        given.note_part(f"every[{at}]", day, Fate.MAPPED, "days")
    if "enabled" in given:
        given.note("enabled", Fate.MAPPED, "on")
    given.finish(WRONG)
    return keys


def _texts(given: Source) -> list[str]:
    days = given.table.get("every")
    found = days if isinstance(days, list) else []
    return [one if isinstance(one, str) else "" for one in found]
