"""What to say of what happened, and the seam to whoever shows it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from uptime_desktop.alerts.digest import Digest
from uptime_desktop.alerts.words import capitalised, fact_of, next_try_of, status_of, title_of
from uptime_desktop.config import Settings, resource
from uptime_desktop.domain.alert_rules import Rule, rule_of
from uptime_desktop.domain.alert_telling import worth_telling
from uptime_desktop.domain.alerts import Alert, Fault, Occasion, Subject
from uptime_desktop.domain.status import Status
from uptime_desktop.i18n import told, tr

APP_TITLE: Final = "Uptime Desktop"


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
    rule = rule_of(subject.rule, rule_for_all(settings))
    alert = worth_telling(alerts, subject, now, notify_recovery=rule.notify_recovery, is_news=True)
    if alert is None:
        return None
    has_sound = rule.has_sound(settings.sound)
    return notice_of(alert, subject, now, zone, has_sound=has_sound)


def notice_of(alert: Alert, subject: Subject, now: int, zone: tzinfo, *, has_sound: bool) -> Notice:
    status, fact = status_of(alert), fact_of(alert)
    next_try = next_try_of(alert, subject, now, zone)
    text = tr("{fact} {next_try}").format(fact=fact, next_try=next_try).strip()
    has_trouble = status in subject.incidents and alert.occasion is not Occasion.FLAPPING
    buttons = (*_to_answer(), *_to_open()) if has_trouble else _to_open()
    return Notice(title_of(alert, subject), text, status, buttons, has_sound)


def digest_notice(digest: Digest, *, has_sound: bool) -> Notice:
    return Notice(digest.title, digest.text, digest.status, _to_open(), has_sound)


def rule_for_all(settings: Settings) -> Rule:
    """What holds where neither a monitor nor its site says something else."""
    return Rule(settings.alert_after, settings.repeat_alerts_ms, settings.notify_recovery)


def fault_notice(fault: Fault, sentence: str) -> Notice:
    """What of the program itself does not work, for this reason."""
    titles = {
        Fault.DISK: tr("Results are not being saved"),
        Fault.FILE: tr("The configuration file was not taken"),
        Fault.LISTENER: tr("Jobs cannot report"),
    }
    return Notice(titles[fault], _ended(told(sentence)), Status.UNKNOWN, _to_open())


def fault_over_notice(fault: Fault) -> Notice:
    titles = {
        Fault.DISK: tr("Results are being saved again"),
        Fault.FILE: tr("The trouble with the configuration file is over"),
        Fault.LISTENER: tr("Jobs can report again"),
    }
    texts = {
        Fault.DISK: tr("What was held in memory is on disk."),
        Fault.FILE: tr("What is watched is as it should be."),
        Fault.LISTENER: tr("Their pings are received."),
    }
    return Notice(titles[fault], texts[fault], Status.UP, _to_open())


def test_notice(*, has_sound: bool) -> Notice:
    """For who wants to see what a notice looks like here."""
    text = tr("This is how you will hear of trouble.")
    return Notice(tr("Notices work"), text, Status.UP, _to_open(), has_sound)


def channel_fault_notice(name: str, sentence: str) -> Notice:
    """Nothing arrives at a channel any more, for this reason."""
    title = tr("{channel} cannot be reached").format(channel=name)
    return Notice(title, _ended(capitalised(sentence)), Status.UNKNOWN, _to_open())


def _ended(sentence: str) -> str:
    return tr("{reason}.").format(reason=sentence.rstrip(".。"))


def _to_answer() -> tuple[Button, ...]:
    return (
        Button(Answer.CHECK_NOW, tr("Check now")),
        Button(Answer.ACKNOWLEDGE, tr("Acknowledge")),
        Button(Answer.SNOOZE, tr("Snooze 1 h")),
    )


def _to_open() -> tuple[Button, ...]:
    return (Button(Answer.OPEN, tr("Open")),)
