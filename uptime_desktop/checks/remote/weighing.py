"""Many monitors of another server weighed into one outcome."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from uptime_desktop.checks.failure import sentence
from uptime_desktop.checks.redaction import without
from uptime_desktop.checks.remote.dialect import RemoteMonitor
from uptime_desktop.checks.verdict import Verdict
from uptime_desktop.domain.model import Unmet
from uptime_desktop.domain.status import Status

_MOST_NAMED: Final = 5
_MOST_UNMET: Final = 100
_MOST_SHOWN: Final = 80
_WORST_FIRST: Final = {Status.DOWN: 0, Status.DEGRADED: 1, Status.UP: 2, None: 3}


def chosen(
    monitors: Iterable[RemoteMonitor], only: Sequence[str], secrets: Collection[str]
) -> tuple[list[RemoteMonitor], list[str]]:
    """Those to look at, worst first and fit to be shown, and the names that none of them has."""
    found: list[RemoteMonitor] = []
    met: set[str] = set()
    wanted = {name.casefold(): name for name in only}
    for monitor in monitors:
        if wanted:
            names = {name.casefold() for name in (monitor.name, *monitor.aliases) if name}
            if names.isdisjoint(wanted):
                continue
            met |= names
        found.append(_fit_to_be_shown(monitor, secrets))
    found.sort(key=lambda monitor: _WORST_FIRST[monitor.status])
    return found, [_cut(name) for key, name in wanted.items() if key not in met]


def weigh(monitors: Sequence[RemoteMonitor], absent: Sequence[str], verdict: Verdict) -> None:
    """Note those that are not up or not there; paused ones and the like do not count."""
    total = sum(monitor.status is not None for monitor in monitors)
    down = [(one.name, one.state) for one in monitors if one.status is Status.DOWN]
    late = [(one.name, one.state) for one in monitors if one.status is Status.DEGRADED]
    if down:
        reason = sentence(
            "{count} of {total} down: {names}",
            count=len(down),
            total=total,
            names=_listed([name for name, _ in down]),
        )
        _miss(verdict, reason, down, Status.DOWN)
    if absent:
        reason = sentence("not on the server: {names}", names=_listed(absent))
        _miss(verdict, reason, [(name, "not there") for name in absent], Status.DOWN)
    if late:
        reason = sentence(
            "{count} of {total} degraded: {names}",
            count=len(late),
            total=total,
            names=_listed([f"{name} ({state})" for name, state in late]),
        )
        _miss(verdict, reason, late, Status.DEGRADED)


def said_of(monitors: Sequence[RemoteMonitor]) -> tuple[Status, str]:
    """Where nothing is amiss: that all are up, or that there is nothing to tell from."""
    if not monitors:
        return Status.UNKNOWN, sentence("the server shows no monitors")
    total = sum(monitor.status is not None for monitor in monitors)
    if not total:
        states = ", ".join(dict.fromkeys(monitor.state for monitor in monitors[:_MOST_UNMET]))
        return Status.UNKNOWN, sentence("no monitor is active: {states}", states=_cut(states))
    return Status.UP, sentence("{count} of {total} up", count=total, total=total)


def listing(monitors: Iterable[RemoteMonitor]) -> str:
    """One line for each."""
    return "\n".join(
        f"{monitor.state}: {monitor.name}" + (f" ({monitor.detail})" if monitor.detail else "")
        for monitor in monitors
    )


def _fit_to_be_shown(monitor: RemoteMonitor, secrets: Collection[str]) -> RemoteMonitor:
    name, state, status, detail, aliases = monitor
    if secrets:
        name, state, detail = (without(text, secrets) for text in (name, state, detail))
    return RemoteMonitor(_cut(name), _cut(state), status, _cut(detail), aliases)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…"


def _miss(verdict: Verdict, reason: str, found: Sequence[tuple[str, str]], status: Status) -> None:
    """One sentence for all of them, and each by name."""
    name, state = found[0]
    verdict.miss(reason, name, "up", state, status)
    verdict.unmet += [Unmet(name, "up", state) for name, state in found[1:_MOST_UNMET]]


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return sentence("{names} and {count} more", names=shown, count=more) if more > 0 else shown
