"""What a channel is told of the alerts that are due for it, and in how many messages."""

from collections.abc import Iterable, Sequence
from typing import Final

from uptime_desktop.domain.alerting import MOST_SINGLE
from uptime_desktop.domain.alerts import Alert, Delivery, Occasion, Subject
from uptime_desktop.domain.model import HOUR_MS
from uptime_desktop.domain.status import Status

STALE_MS: Final = HOUR_MS
"""Trouble that was over this long ago is history, and no news."""

_RANK: Final = {kind: place for place, kind in enumerate(Status)}


def parcels(deliveries: Sequence[Delivery]) -> list[list[Delivery]]:
    """What goes into one message each: all, if it is about many, what was decided on as a digest,
    and else each monitor by itself."""
    if _monitors(deliveries) > MOST_SINGLE:
        return [list(deliveries)]
    groups: dict[tuple[int | None, int], list[Delivery]] = {}
    for one in deliveries:
        digest, number = one.alert.digest, one.alert.monitor_number
        groups.setdefault((None, number) if digest is None else (digest, 0), []).append(one)
    return list(groups.values())


def by_monitor(alerts: Iterable[Alert]) -> dict[int, list[Alert]]:
    groups: dict[int, list[Alert]] = {}
    for alert in alerts:
        groups.setdefault(alert.monitor_number, []).append(alert)
    return groups


def worth_telling(
    alerts: Sequence[Alert], subject: Subject, now: int, *, notify_recovery: bool, is_news: bool
) -> Alert | None:
    """The one thing to tell of all that happened to a monitor, oldest first, if there is one.

    Where only news counts, what is long over is not told any more.
    """
    if alerts[-1].occasion in (Occasion.FLAPPING, Occasion.STABLE):
        return alerts[-1]
    audible = [one for one in alerts if not one.is_snoozed]
    begun = [one for one in audible if not one.is_recovery]
    lasting = [
        one
        for one in begun
        if one.resolved_at is None and one.kind in subject.incidents and not one.is_acknowledged
    ]
    if lasting:
        return _worst(lasting)
    if subject.incidents:
        # Better than it was, but not well: what it is in now is told by an alert of its own.
        return None
    if notify_recovery:
        ended = [one for one in audible if one.is_recovery]
    else:
        ended = [one for one in begun if not one.is_acknowledged]
    if is_news:
        ended = [one for one in ended if now - _over_since(one) < STALE_MS]
    return _worst(ended) if ended else None


def _over_since(alert: Alert) -> int:
    """When trouble was over or, if people wanted to hear of it only later, when that was."""
    over_at = alert.happened_at if alert.resolved_at is None else alert.resolved_at
    return over_at if alert.decided_at is None else max(over_at, alert.decided_at)


def _worst(alerts: Sequence[Alert]) -> Alert:
    """The newest of the worst kind."""
    return min(reversed(alerts), key=lambda one: _RANK[one.kind])


def _monitors(deliveries: Iterable[Delivery]) -> int:
    return len({one.alert.monitor_number for one in deliveries})
