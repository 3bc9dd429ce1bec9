"""What is in a file of another program and what became of it, in words; no widgets here."""

from collections.abc import Iterable

from uptime_desktop.domain.status import Status
from uptime_desktop.exchange.report import Fate
from uptime_desktop.gui import icons
from uptime_desktop.i18n import in_a_row, ntr, tr
from uptime_desktop.importing import Sighted


def sources() -> list[tuple[str, str]]:
    """Which files of which program can be taken."""
    return [
        ("Uptime Kuma", tr("kuma.db with its history, or a backup of version 1 (JSON)")),
        ("Gatus", tr("its configuration (YAML), or the folder that it is in")),
        ("Healthchecks", tr("what its API says about checks (JSON)")),
        ("Uptime-Watcher", tr("what it exported (JSON)")),
        ("Uptime Desktop", tr("a backup with history, where nothing is set up yet")),
    ]


def fate_status(fate: Fate) -> Status:
    """The status whose shape and colour tells how well it went."""
    match fate:
        case Fate.MAPPED:
            return Status.UP
        case Fate.APPROXIMATED:
            return Status.DEGRADED
        case Fate.UNSUPPORTED:
            return Status.UNKNOWN
        case Fate.UNUSED:
            return Status.PENDING


def fate_icon(fate: Fate) -> str:
    return icons.icon_name(fate_status(fate))


def will_be_text(sighted: Sighted) -> str:
    """What an import will do: how many are added, which are here already, which cannot be."""
    names = {str(one["id"]): str(one.get("name", one["id"])) for one in sighted.found.monitors}
    lines = sighted.found.report.lines
    refused = {one.thing for one in lines if not one.path and one.fate is Fate.UNSUPPORTED}
    here = [name for id_, name in names.items() if id_ in sighted.twins]
    out = [name for id_, name in names.items() if name in refused and id_ not in sighted.twins]
    n = len(names) - len(here) - len(out)
    said = [ntr("{n} monitor will be added.", "{n} monitors will be added.", n).format(n=n)]
    if here:
        text = ntr(
            "{n} is here already and stays as it is: {names}.",
            "{n} are here already and stay as they are: {names}.",
            len(here),
        )
        said.append(text.format(n=len(here), names=_some(here)))
    if out:
        text = ntr("{n} cannot be taken: {names}.", "{n} cannot be taken: {names}.", len(out))
        said.append(text.format(n=len(out), names=_some(out)))
    return in_a_row(*said)


def _some(names: Iterable[str]) -> str:
    first, more = list(names)[:3], len(list(names)) - 3
    listed = tr(", ").join(first)
    if more <= 0:
        return listed
    return tr(", ").join((listed, ntr("and {n} more", "and {n} more", more).format(n=more)))
