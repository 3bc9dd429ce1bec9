"""Much that happened at once, said in a few lines: how many, and who first of all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from uptime_desktop.alerts.words import status_of
from uptime_desktop.domain.alerts import Alert, Occasion, Subject
from uptime_desktop.domain.status import Status, worst
from uptime_desktop.i18n import ntr, tr

Telling = tuple[Alert, Subject]
_FLAPPING: Final = "flapping"
_STANDINGS: Final = (Status.DOWN, Status.DEGRADED, _FLAPPING, Status.UP)
"""How monitors stand, in the order they are told."""

_MANY: Final = 10
_NAMES_A_SITE: Final = 3


@dataclass(frozen=True, slots=True)
class Digest:
    title: str
    text: str
    status: Status


@dataclass(frozen=True, slots=True)
class Room:
    """How much a reader can take in: names in a row, lines about sites."""

    names: int
    sites: int


ON_SCREEN: Final = Room(names=5, sites=4)
IN_MESSAGE: Final = Room(names=25, sites=25)


def digest_of(tellings: Sequence[Telling], room: Room) -> Digest:
    """All of it in one; there are at least two."""
    groups: dict[str, list[Subject]] = {}
    for standing in _STANDINGS:
        found = [subject for alert, subject in tellings if _standing(alert) == standing]
        if found:
            groups[standing] = found
    status = worst(status_of(alert) for alert, _ in tellings)
    if len(groups) == 1:
        ((standing, subjects),) = groups.items()
        return Digest(_sentence(standing, len(subjects)), _names(subjects, room), status)
    title = tr(", ").join(_count(standing, len(found)) for standing, found in groups.items())
    lines = (
        tr("{standing}: {names}").format(standing=_heading(standing), names=_names(found, room))
        for standing, found in groups.items()
    )
    return Digest(title, "\n".join(lines), status)


def _standing(alert: Alert) -> str:
    return _FLAPPING if alert.occasion is Occasion.FLAPPING else status_of(alert)


def _names(subjects: Sequence[Subject], room: Room) -> str:
    """Who it is, by site where they are many."""
    sites: dict[str, list[Subject]] = {}
    for subject in subjects:
        sites.setdefault(subject.site_name, []).append(subject)
    if len(subjects) <= _MANY or len(sites) == 1:
        return _row([one.name for one in subjects], room.names)
    largest = sorted(sites.items(), key=lambda item: -len(item[1]))
    lines = [
        tr("{site} ({n}): {names}").format(
            site=site, n=len(found), names=_row([one.name for one in found], _NAMES_A_SITE)
        )
        for site, found in largest[: room.sites]
    ]
    more = sum(len(found) for _, found in largest[room.sites :])
    if more:
        lines.append(ntr("and {n} more", "and {n} more", more).format(n=more))
    return "\n".join(lines)


def _row(names: Sequence[str], most: int) -> str:
    shown = tr(", ").join(names[:most])
    more = len(names) - most
    if more <= 0:
        return shown
    return ntr("{names} and {n} more", "{names} and {n} more", more).format(names=shown, n=more)


def _sentence(standing: str, n: int) -> str:
    match standing:
        case Status.DOWN:
            text = ntr("{n} monitor is down", "{n} monitors are down", n)
        case Status.DEGRADED:
            text = ntr("{n} monitor is degraded", "{n} monitors are degraded", n)
        case Status.UP:
            text = ntr("{n} monitor is up again", "{n} monitors are up again", n)
        case _:
            text = ntr("{n} monitor is flapping", "{n} monitors are flapping", n)
    return text.format(n=n)


def _count(standing: str, n: int) -> str:
    match standing:
        case Status.DOWN:
            text = ntr("{n} down", "{n} down", n)
        case Status.DEGRADED:
            text = ntr("{n} degraded", "{n} degraded", n)
        case Status.UP:
            text = ntr("{n} up again", "{n} up again", n)
        case _:
            text = ntr("{n} flapping", "{n} flapping", n)
    return text.format(n=n)


def _heading(standing: str) -> str:
    match standing:
        case Status.DOWN:
            return tr("Down")
        case Status.DEGRADED:
            return tr("Degraded")
        case Status.UP:
            return tr("Up again")
        case _:
            return tr("Flapping")
