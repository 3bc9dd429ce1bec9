"""The words of what happened to one monitor: for a notice on the screen and for a message."""

import re
from datetime import datetime, timedelta, tzinfo
from typing import Final

from uptime_desktop.domain.alerting import FLAP_MS
from uptime_desktop.domain.alerts import Alert, Occasion, Subject
from uptime_desktop.domain.model import Unmet
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import duration_text, rough_duration_text, unmet_text
from uptime_desktop.i18n import ntr, told, tr

_LONGEST_REASON: Final = 200
_LONGEST_SIDE: Final = 60


def status_of(alert: Alert) -> Status:
    """How a monitor is, as an alert tells it."""
    return Status.UP if alert.is_recovery else alert.kind


def title_of(alert: Alert, subject: Subject) -> str:
    is_down = alert.kind is Status.DOWN
    match alert.occasion:
        case Occasion.FLAPPING:
            title = tr("{name} is flapping")
        case Occasion.STABLE if alert.is_recovery:
            title = tr("{name} is stable again: up")
        case Occasion.STABLE:
            title = (
                tr("{name} is stable again: down")
                if is_down
                else tr("{name} is stable again: degraded")
            )
        case Occasion.LASTING:
            title = tr("{name} is still down") if is_down else tr("{name} is still degraded")
        case _ if alert.is_recovery:
            title = tr("{name} is up again")
        case _ if alert.resolved_at is not None:
            # Nobody asked to hear of recoveries, but this was over before it could be told.
            title = tr("{name} was down") if is_down else tr("{name} was degraded")
        case _:
            title = tr("{name} is down") if is_down else tr("{name} is degraded")
    return title.format(name=subject.name)


def fact_of(alert: Alert) -> str:
    """What is known of it, in a sentence or two."""
    if alert.occasion is Occasion.FLAPPING:
        template = tr(
            "It changes all the time. You will hear no more of it until it has been stable for"
            " {duration}."
        )
        return template.format(duration=duration_text(FLAP_MS, tr))
    if alert.occasion is Occasion.STABLE:
        return tr("It has not changed for {duration}.").format(duration=duration_text(FLAP_MS, tr))
    until = alert.happened_at if alert.is_recovery else alert.resolved_at
    if until is None or alert.opened_at is None:
        return _finding(alert)
    duration = rough_duration_text(max(0, until - alert.opened_at), tr)
    is_down = alert.kind is Status.DOWN
    template = (
        tr("It was down for {duration}.") if is_down else tr("It was degraded for {duration}.")
    )
    return template.format(duration=duration)


def since_of(alert: Alert, zone: tzinfo) -> str:
    """When trouble that lasts began, by the calendar: who reads it may be far away."""
    if alert.opened_at is None or alert.is_recovery or alert.resolved_at is not None:
        return ""
    moment = datetime.fromtimestamp(alert.opened_at // 1_000, zone)
    time = f"{moment:%Y-%m-%d %H:%M %Z}".strip()
    is_down = alert.kind is Status.DOWN
    return (tr("Down since {time}.") if is_down else tr("Degraded since {time}.")).format(time=time)


def next_try_of(alert: Alert, subject: Subject, now: int, zone: tzinfo) -> str:
    """When an outage is looked at again, if one lasts."""
    if status_of(alert) is not Status.DOWN or alert.occasion is Occasion.FLAPPING:
        return ""
    is_over = alert.resolved_at is not None and alert.occasion is not Occasion.STABLE
    return "" if is_over else _next_try(subject.next_run_at, now, zone)


def _finding(alert: Alert) -> str:
    """The reason as a sentence, with how often it was tried and what else is telling."""
    unmet = alert.unmet
    said = _reason_sentence(alert)
    if unmet is None or _says(alert.reason, unmet):
        return said
    missed = unmet_text(unmet.what, _cut(unmet.expected), _cut(unmet.actual), tr)
    missed = tr("{reason}.").format(reason=capitalised(missed))
    return tr("{fact} {missed}").format(fact=said, missed=missed).strip()


def _reason_sentence(alert: Alert) -> str:
    reason = _cut(" ".join(told(alert.reason).split()).rstrip("."), _LONGEST_REASON)
    if not reason:
        return ""
    template = tr("{reason}.")
    if alert.kind is Status.DOWN and alert.tries > 1:
        template = ntr("{reason}, after {n} try.", "{reason}, after {n} tries.", alert.tries)
    return template.format(reason=capitalised(reason), n=alert.tries)


def _says(reason: str, unmet: Unmet) -> bool:
    """Whether a reason already names what was found or what was expected."""
    sides = (side.strip("<>=! ") for side in (unmet.expected, unmet.actual))
    return any(
        re.search(rf"(?<!\w){re.escape(side)}(?!\w)", reason) is not None for side in sides if side
    )


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cut(text: str, longest: int = _LONGEST_SIDE) -> str:
    return text if len(text) <= longest else text[:longest].rstrip() + "…"


def _next_try(at: int | None, now: int, zone: tzinfo) -> str:
    if at is None or at <= now:
        return ""
    moment = datetime.fromtimestamp(at // 1_000, zone)
    today = datetime.fromtimestamp(now // 1_000, zone).date()
    time = f"{moment:%H:%M}"
    if moment.date() == today:
        return tr("Next try at {time}.").format(time=time)
    if moment.date() == today + timedelta(days=1):
        day_and_time = tr("tomorrow {time}").format(time=time)
    else:
        day_and_time = tr("{day} {time}").format(day=moment.date().isoformat(), time=time)
    return tr("Next try: {time}.").format(time=day_and_time)
