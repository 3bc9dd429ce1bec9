"""What to say of what happened, and the seam to whoever shows it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from uptime_desktop.config import Settings, resource
from uptime_desktop.domain.alerts import Alert, Subject
from uptime_desktop.domain.model import HOUR_MS
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import rough_duration_text
from uptime_desktop.i18n import ntr, told, tr

APP_TITLE: Final = "Uptime Desktop"
STALE_MS: Final = HOUR_MS
"""Trouble that was over this long ago is history, and no news."""

_LONGEST_REASON: Final = 200


class Answer(StrEnum):
    CHECK_NOW = "check-now"
    ACKNOWLEDGE = "acknowledge"
    SNOOZE = "snooze"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Button:
    answer: Answer
    label: str


@dataclass(frozen=True, slots=True)
class Notice:
    """What a person is shown; a click beside the buttons answers `OPEN`."""

    title: str
    text: str
    status: Status
    buttons: tuple[Button, ...]
    has_sound: bool = False


def picture(status: Status) -> Path:
    """The icon of a notice."""
    return resource(f"icons/status-{status}.svg")


class NotDelivered(Exception):
    """Nobody has seen it; the text says why."""


class Notifier(Protocol):
    async def show(self, notice: Notice, answered: Callable[[Answer], None]) -> str:
        """Show it; a handle, or `NotDelivered`. `answered` is called on the loop."""

    async def clear(self, handle: str) -> None:
        """Take it away, if it is still there; never fails."""

    async def close(self) -> None:
        """Take away all that is there, and let go of the desktop."""


def notice_about(
    alerts: Sequence[Alert], subject: Subject, settings: Settings, now: int, zone: tzinfo
) -> Notice | None:
    """The one thing to say of all that happened to a monitor, oldest first, if there is one."""
    audible = [one for one in alerts if not one.is_snoozed]
    begun = [one for one in audible if not one.is_recovery]
    lasting = [
        one
        for one in begun
        if one.resolved_at is None and one.kind in subject.incidents and not one.is_acknowledged
    ]
    if lasting:
        return _trouble(_worst(lasting), subject, settings, now, zone)
    if subject.incidents:
        # Better than it was, but not well: what it is in now is told by an alert of its own.
        return None
    if settings.notify_recovery:
        ended = [one for one in audible if one.is_recovery]
    else:
        ended = [one for one in begun if not one.is_acknowledged]
    ended = [one for one in ended if now - (one.resolved_at or one.happened_at) < STALE_MS]
    return _over(_worst(ended), subject, settings) if ended else None


def fault_notice(sentence: str) -> Notice:
    """Results cannot be written to disk, for this reason."""
    return Notice(
        tr("Results are not being saved"),
        tr("{reason}.").format(reason=told(sentence)),
        Status.UNKNOWN,
        _to_open(),
    )


def test_notice(*, has_sound: bool) -> Notice:
    """For who wants to see what a notice looks like here."""
    text = tr("This is how you will hear of trouble.")
    return Notice(tr("Notices work"), text, Status.UP, _to_open(), has_sound)


def fault_over_notice() -> Notice:
    text = tr("What was held in memory is on disk.")
    return Notice(tr("Results are being saved again"), text, Status.UP, _to_open())


def _trouble(alert: Alert, subject: Subject, settings: Settings, now: int, zone: tzinfo) -> Notice:
    fact = _fact(alert)
    if alert.kind is Status.DOWN:
        title = tr("{name} is down")
        next_try = _next_try(subject.next_run_at, now, zone)
        text = tr("{fact} {next_try}").format(fact=fact, next_try=next_try).strip()
    else:
        title, text = tr("{name} is degraded"), fact
    buttons = (
        Button(Answer.CHECK_NOW, tr("Check now")),
        Button(Answer.ACKNOWLEDGE, tr("Acknowledge")),
        Button(Answer.SNOOZE, tr("Snooze 1 h")),
        *_to_open(),
    )
    return Notice(title.format(name=subject.name), text, alert.kind, buttons, settings.sound)


def _over(alert: Alert, subject: Subject, settings: Settings) -> Notice:
    if alert.is_recovery:
        title, status = tr("{name} is up again"), Status.UP
    else:
        # Nobody asked to hear of recoveries, but this trouble was over before it could be told.
        title = tr("{name} was down") if alert.kind is Status.DOWN else tr("{name} was degraded")
        status = alert.kind
    until = alert.happened_at if alert.is_recovery else alert.resolved_at
    if until is None or alert.opened_at is None:
        text = _fact(alert)
    else:
        duration = rough_duration_text(max(0, until - alert.opened_at), tr)
        is_down = alert.kind is Status.DOWN
        template = (
            tr("It was down for {duration}.") if is_down else tr("It was degraded for {duration}.")
        )
        text = template.format(duration=duration)
    return Notice(title.format(name=subject.name), text, status, _to_open(), settings.sound)


def _worst(alerts: Sequence[Alert]) -> Alert:
    """The newest of the worst kind."""
    rank = {kind: place for place, kind in enumerate(Status)}
    return min(reversed(alerts), key=lambda one: rank[one.kind])


def _to_open() -> tuple[Button, ...]:
    return (Button(Answer.OPEN, tr("Open")),)


def _fact(alert: Alert) -> str:
    """The reason as a sentence, with how often it was tried."""
    reason = " ".join(alert.reason.split()).rstrip(".")
    if len(reason) > _LONGEST_REASON:
        reason = reason[:_LONGEST_REASON].rstrip() + "…"
    if not reason:
        return ""
    template = tr("{reason}.")
    if alert.kind is Status.DOWN and alert.tries > 1:
        template = ntr("{reason}, after {n} try.", "{reason}, after {n} tries.", alert.tries)
    return template.format(reason=reason[:1].upper() + reason[1:], n=alert.tries)


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
