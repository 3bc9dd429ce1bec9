"""Acts on incidents by their names, with JSON in and JSON out, as in `operations`."""

from collections.abc import Awaitable, Callable
from typing import Final

from uptime_desktop.app import App
from uptime_desktop.domain.model import DAY_MS
from uptime_desktop.domain.notation import instant_text, parse_whole
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.history import Act, Entry, Incident
from uptime_desktop.views import Answer, Arguments, instant

_MOST: Final = 10_000
_LONGEST_MS: Final = 3_650 * DAY_MS
_LAST_NUMBER: Final = 1 << 62


async def _listing(app: App, arguments: Arguments) -> Answer:
    """Newest first, of one monitor or of all."""
    named = arguments.get("monitor")
    number = None if named is None else app.find(str(named)).monitor.number
    limit = parse_whole("count", str(arguments.get("count", 20)), 1, _MOST)
    found = await app.history.incidents(number, only_open=bool(arguments.get("open")), limit=limit)
    names = {job.monitor.number: job.monitor.id for job in app.jobs}
    return {"incidents": [_view(one, names) for one in found]}


async def _show(app: App, arguments: Arguments) -> Answer:
    return await _told(app, _number(arguments))


async def _acknowledge(app: App, arguments: Arguments) -> Answer:
    number = _number(arguments)
    await app.acknowledge_incident(number)
    return await _told(app, number)


async def _snooze(app: App, arguments: Arguments) -> Answer:
    number, given = _number(arguments), arguments.get("for_ms")
    for_ms = None if given is None else parse_whole("for", str(given), 1, _LONGEST_MS)
    await app.snooze_incident(number, for_ms)
    return await _told(app, number)


async def _note(app: App, arguments: Arguments) -> Answer:
    number = _number(arguments)
    await app.write_note(number, str(arguments.get("text", "")))
    return await _told(app, number)


ACTS: Final[dict[str, Callable[[App, Arguments], Awaitable[Answer]]]] = {
    "incidents": _listing,
    "incident": _show,
    "incident_acknowledge": _acknowledge,
    "incident_snooze": _snooze,
    "incident_note": _note,
}


def _number(arguments: Arguments) -> int:
    if "incident" not in arguments:
        raise Refused("incident", "it is missing", "the number of an incident")
    return parse_whole("incident", str(arguments["incident"]), 1, _LAST_NUMBER)


async def _told(app: App, number: int) -> Answer:
    """All that is known of an incident, its story included."""
    incident, story = await app.history.incident(number)
    names = {job.monitor.number: job.monitor.id for job in app.jobs}
    return {**_view(incident, names), "story": [_entry(one) for one in story]}


def _view(incident: Incident, names: dict[int, str]) -> Answer:
    until = incident.snoozed_until
    return {
        "incident": incident.number,
        "monitor": names.get(incident.monitor_number, ""),
        "kind": incident.kind.value,
        "severity": incident.severity.name.lower(),
        "reason": incident.reason,
        "cascade_reason": incident.cascade_reason,
        "opened_at": instant_text(incident.opened_at),
        "resolved_at": instant(incident.resolved_at),
        "acknowledged_at": instant(incident.acknowledged_at),
        "snoozed_until": "recovery" if incident.is_snoozed_until_recovery else instant(until),
        "note": incident.note,
    }


def _entry(entry: Entry) -> Answer:
    is_snooze = entry.act is Act.SNOOZED and bool(entry.text)
    text = instant_text(int(entry.text)) if is_snooze else entry.text
    return {"at": instant_text(entry.at), "act": entry.act.value, "text": text}
