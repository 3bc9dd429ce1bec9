"""When trouble begins and when it is over."""

from typing import Final

from uptime_desktop.domain.status import Status

_GOOD: Final[frozenset[Status]] = frozenset()
_OPEN_AFTER: Final = {Status.UP: _GOOD, Status.DEGRADED: frozenset({Status.DEGRADED})}


def open_after(already_open: frozenset[Status], status: Status) -> frozenset[Status]:
    """The kinds of incident that are open once a run has ended with this status.

    A good run ends all; a degraded one ends an outage but is trouble of its own; an outage
    adds to what was there. Not having been able to look changes nothing.
    """
    if status is Status.DOWN:
        return already_open | {Status.DOWN}
    return _OPEN_AFTER.get(status, already_open)
