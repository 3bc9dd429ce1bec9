"""A text for people elsewhere, and the seam to whoever carries it there."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Protocol

from uptime_desktop.alerts.digest import IN_MESSAGE, Telling, digest_of
from uptime_desktop.alerts.words import fact_of, next_try_of, since_of, status_of, title_of
from uptime_desktop.domain.status import Status
from uptime_desktop.i18n import tr


@dataclass(frozen=True, slots=True)
class Message:
    title: str
    text: str
    status: Status


class Courier(Protocol):
    async def send(self, address: str, message: Message) -> None:
        """Carry it there; `NotDelivered`, in a sentence that hides the address, if it cannot."""


def message_about(tellings: Sequence[Telling], now: int, zone: tzinfo) -> Message:
    """One message about one monitor or several."""
    if len(tellings) > 1:
        digest = digest_of(tellings, IN_MESSAGE)
        return Message(digest.title, digest.text, digest.status)
    ((alert, subject),) = tellings
    lines = (fact_of(alert), since_of(alert, zone), next_try_of(alert, subject, now, zone))
    text = "\n".join(line for line in lines if line)
    return Message(title_of(alert, subject), text, status_of(alert))


def test_message() -> Message:
    """For who wants to see whether anything arrives."""
    return Message(tr("Notices work"), tr("This is how you will hear of trouble."), Status.UP)
