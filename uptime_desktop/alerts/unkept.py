"""Alerts whose change, or what was decided on them, the disk did not take: told from memory, and
marked once the disk is back."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from uptime_desktop.domain.alerting import Identity
from uptime_desktop.domain.alerts import Alert, Delivery, Told


@dataclass(slots=True)
class _Carried:
    """An alert that is told, with the channels that it has still to reach."""

    alert: Alert
    left: set[str]
    retry_at: int
    was_tried: bool = False


class Unkept:
    def __init__(self) -> None:
        self.undecided: list[Alert] = []
        self._carried: dict[Identity, _Carried] = {}

    def add(self, alert: Alert) -> None:
        self.undecided.append(alert)

    def forget(self, alerts: Iterable[Alert]) -> None:
        """These need not be decided on here any more."""
        known = {one.identity for one in alerts}
        self.undecided = [one for one in self.undecided if one.identity not in known]

    def carry(self, told: Iterable[Told], now: int) -> None:
        """Tell these from memory."""
        for one in told:
            self._carried[one.alert.identity] = _Carried(one.alert, {*one.channels}, now)

    def is_carried(self, alert: Alert) -> bool:
        return alert.identity in self._carried

    def told(self) -> Iterable[Alert]:
        return [one.alert for one in self._carried.values()]

    def due(self, now: int, busy: Collection[str]) -> Sequence[Delivery]:
        return [
            Delivery(channel, one.alert)
            for one in self._carried.values()
            if one.retry_at <= now
            for channel in sorted(one.left - {*busy})
        ]

    def next_at(self) -> int | None:
        return min((one.retry_at for one in self._carried.values() if one.left), default=None)

    def arrived(self, delivery: Delivery) -> None:
        carried = self._carried.get(delivery.alert.identity)
        if carried is not None:
            carried.was_tried = True
            carried.left.discard(delivery.channel)

    def failed(self, delivery: Delivery, retry_at: int) -> None:
        carried = self._carried.get(delivery.alert.identity)
        if carried is not None:
            carried.was_tried = True
            carried.retry_at = retry_at

    def to_mark(self, busy: Collection[str]) -> list[Told]:
        """What the disk does not know; not before it was tried, nor while it is on its way."""
        return [
            Told(one.alert, tuple(sorted(one.left)))
            for one in self._carried.values()
            if one.was_tried and not one.left & {*busy}
        ]

    def marked(self, told: Iterable[Told]) -> None:
        for one in told:
            self._carried.pop(one.alert.identity, None)
