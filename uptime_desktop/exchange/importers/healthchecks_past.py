"""The pings and changes of status of one check of Healthchecks, as its API lists them: pure."""

from collections.abc import Iterator
from typing import Final

from uptime_desktop.domain.model import SECOND_MS
from uptime_desktop.domain.notation import parse_instant
from uptime_desktop.domain.past import PastRun, PastTrouble
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.exchange.importers.taking import number_of

# A start or a line of a log says nothing about how the job went.
_SIGNALS: Final = {"success": Status.UP, "fail": Status.DOWN}


def readable_pings(listed: object) -> Iterator[PastRun]:
    """The reports in a list of pings, newest first as there."""
    for ping in listed if isinstance(listed, list) else ():
        signal = ping.get("type") if isinstance(ping, dict) else None
        at = _instant(ping.get("date")) if isinstance(signal, str) else None
        if isinstance(signal, str) and signal in _SIGNALS and at is not None:
            took_s = number_of(ping.get("duration"))
            yield PastRun(at, _SIGNALS[signal], None if took_s is None else took_s * SECOND_MS)


def readable_flips(listed: object) -> list[tuple[int, bool]]:
    """When the status changed and whether it was for the better, oldest first."""
    found = []
    for flip in listed if isinstance(listed, list) else ():
        at = _instant(flip.get("timestamp")) if isinstance(flip, dict) else None
        if at is not None and flip.get("up") in (0, 1):
            found.append((at, bool(flip["up"])))
    return sorted(found)


def troubles_of(flips: list[tuple[int, bool]]) -> tuple[PastTrouble, ...]:
    troubles: list[PastTrouble] = []
    opened_at: int | None = None
    for at, is_up in flips:
        if not is_up:
            opened_at = at if opened_at is None else opened_at
        elif opened_at is not None:
            troubles.append(PastTrouble(opened_at, at))
            opened_at = None
    lasting = () if opened_at is None else (PastTrouble(opened_at, None),)
    return (*troubles, *lasting)


def _instant(text: object) -> int | None:
    try:
        return parse_instant("date", text) if isinstance(text, str) else None
    except Refused:
        return None
