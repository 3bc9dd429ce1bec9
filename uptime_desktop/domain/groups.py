"""Groups: the status that follows from the members', and the knots that must not be tied."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from uptime_desktop.domain.model import Evidence, Outcome, Unmet
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import Sentence

_MOST_NAMED: Final = 5
_GOOD: Final = (Status.UP, Status.DEGRADED)


@dataclass(frozen=True, slots=True)
class Member:
    """A member as its group sees it; `UNKNOWN` too where there is none of that name."""

    name: str
    status: Status


def derived(members: Sequence[Member], needed: int | None) -> Outcome:
    """How a group is while its members are so; `needed` (None: all) of them must be up.

    Members that are paused do not count.
    """
    counted = [member for member in members if member.status is not Status.PAUSED]
    if not counted:
        return Outcome(Status.UNKNOWN, Sentence("no member is active"))
    wanted = len(counted) if needed is None else min(needed, len(counted))
    status = _derived_status([member.status for member in counted], wanted)
    good = sum(member.status in _GOOD for member in counted)
    reason = Sentence("{good} of {all} up", good=good, all=len(counted))
    if status is not Status.UP:
        lacking = [member.name for member in counted if member.status is not Status.UP]
        reason = Sentence("{summary}, not {names}", summary=reason, names=_listed(lacking))
    return Outcome(status, reason, evidence=_evidence(members, wanted, status))


def _derived_status(statuses: Sequence[Status], wanted: int) -> Status:
    """Good if enough are; unknown or pending while those we cannot judge could still decide."""
    for status in (Status.UP, Status.DEGRADED, Status.UNKNOWN, Status.PENDING):
        if sum(_is_at_least(one, status) for one in statuses) >= wanted:
            return status
    return Status.DOWN


_RANK: Final = {
    Status.UP: 0,
    Status.DEGRADED: 1,
    Status.UNKNOWN: 2,
    Status.PENDING: 3,
    Status.DOWN: 4,
}


def _is_at_least(one: Status, other: Status) -> bool:
    return _RANK[one] <= _RANK[other]


def _evidence(members: Sequence[Member], wanted: int, status: Status) -> Evidence:
    body = "\n".join(f"{member.status.value:9} {member.name}" for member in members)
    if status is Status.UP:
        return Evidence(body=body)
    lacking = [member for member in members if member.status not in (Status.UP, Status.PAUSED)]
    unmet = tuple(
        Unmet(member.name, Status.UP.value, member.status.value) for member in lacking[:20]
    )
    return Evidence(body=body, status_line=f"{wanted} must be up", unmet=unmet)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return f"{shown}, +{more}" if more > 0 else shown


def find_cycle(
    starts: Iterable[str], following: Callable[[str], Iterable[str]]
) -> list[str] | None:
    """A way that leads back to where it began, as `[a, b, a]`; None if there is none."""
    done: set[str] = set()
    for start in starts:
        way: list[str] = []
        # Where each step of the way goes on; a way may be longer than Python's stack.
        branches = [iter((start,))]
        while branches:
            step = next(branches[-1], None)
            if step is None:
                branches.pop()
                if way:
                    done.add(way.pop())
            elif step in way:
                return [*way[way.index(step) :], step]
            elif step not in done:
                way.append(step)
                branches.append(iter(tuple(following(step))))
    return None
