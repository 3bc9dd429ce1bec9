"""How a monitor or a site stands, and which standing is worse."""

from collections.abc import Iterable
from enum import StrEnum


class Status(StrEnum):
    """Listed worst first; `UNKNOWN` means we could not look, never that the target failed."""

    DOWN = "down"
    DEGRADED = "degraded"
    UNKNOWN = "unknown"
    PENDING = "pending"
    UP = "up"
    PAUSED = "paused"


_RANK = {status: rank for rank, status in enumerate(Status)}


def worst(statuses: Iterable[Status]) -> Status:
    """The status of a site: the worst of its monitors.

    Paused monitors never show through an active one, because paused ranks last; with none
    active the site is paused, with none at all unknown.
    """
    return min(statuses, key=_RANK.__getitem__, default=Status.UNKNOWN)
