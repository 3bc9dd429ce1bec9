"""What is known of an incident, said the same way in every list of them; no widgets here."""

from collections.abc import Callable
from typing import Final, assert_never

from uptime_desktop.domain.status import Status
from uptime_desktop.gui.figures import (
    capitalised,
    clock_text,
    day_and_clock_text,
    lasted_text,
)
from uptime_desktop.gui.sentences import status_word
from uptime_desktop.history import Act, Entry, Incident, Severity
from uptime_desktop.i18n import told, tr

Called = Callable[[str], str]
"""What people call a monitor or a site, by its id."""

_UPSTREAM: Final = "upstream-"


def severity_text(severity: Severity) -> str:
    match severity:
        case Severity.HIGH:
            return tr("high")
        case Severity.MEDIUM:
            return tr("medium")
        case Severity.LOW:
            return tr("low")
        case _:
            assert_never(severity)


def began_text(incident: Incident, now: int) -> str:
    return capitalised(day_and_clock_text(incident.opened_at, now))


def duration_so_far_text(incident: Incident, now: int) -> str:
    """`6 min`, or of what is not over `6 min so far`."""
    if incident.resolved_at is not None:
        return lasted_text(incident.resolved_at - incident.opened_at)
    duration = lasted_text(now - incident.opened_at)
    return tr("{duration} so far").format(duration=duration)


def what_text(incident: Incident) -> str:
    return told(incident.reason) or status_word(incident.kind)


def follows_text(incident: Incident, called: Called) -> str:
    """`follows Router`, or nothing where it stands on its own."""
    name = cause_name(incident, called)
    return tr("follows {cause}").format(cause=name) if name else ""


def cause_sentence(incident: Incident, called: Called) -> str:
    """`Low: caused by Router, which is down`."""
    name = cause_name(incident, called)
    if not name:
        return ""
    if incident.resolved_at is not None:
        return tr("Low: caused by {cause}, which was down").format(cause=name)
    return tr("Low: caused by {cause}, which is down").format(cause=name)


def cause_name(incident: Incident, called: Called) -> str:
    reason = incident.cascade_reason
    return "" if reason is None else called(reason.removeprefix(_UPSTREAM))


def state_text(incident: Incident, now: int) -> str:
    if incident.resolved_at is not None:
        return tr("resolved")
    if incident.is_snoozed(now):
        if incident.is_snoozed_until_recovery or incident.snoozed_until is None:
            return tr("snoozed")
        return tr("snoozed until {time}").format(time=clock_text(incident.snoozed_until, now))
    return tr("open") if incident.acknowledged_at is None else tr("acknowledged")


def headline(name: str, incident: Incident, now: int) -> str:
    """`Checkout API has been down for 6 min`."""
    is_down = incident.kind is Status.DOWN
    if incident.resolved_at is None:
        duration = lasted_text(now - incident.opened_at)
        template = tr("{name} has been degraded for {duration}")
        if is_down:
            template = tr("{name} has been down for {duration}")
    else:
        duration = lasted_text(incident.resolved_at - incident.opened_at)
        template = tr("{name} was degraded for {duration}")
        if is_down:
            template = tr("{name} was down for {duration}")
    return template.format(name=name, duration=duration)


def entry_text(entry: Entry, called: Called) -> str:
    """One line of the story."""
    match entry.act:
        case Act.ACKNOWLEDGED:
            return tr("Acknowledged")
        case Act.SNOOZED if entry.text:
            time = clock_text(int(entry.text), entry.at)
            return tr("Snoozed until {time}").format(time=time)
        case Act.SNOOZED:
            return tr("Snoozed until it recovers")
        case Act.WOKEN:
            return tr("No longer snoozed")
        case Act.NOTED:
            return tr("Note: {text}").format(text=entry.text)
        case Act.FOLLOWS:
            return tr("Follows {cause}").format(cause=_cause_in(entry, called))
        case Act.STANDS:
            return tr("{cause} is back, and this is not").format(cause=_cause_in(entry, called))
        case _:
            assert_never(entry.act)


def _cause_in(entry: Entry, called: Called) -> str:
    return called(entry.text.removeprefix(_UPSTREAM))
