"""Finds what does not go together with all else that is watched: circles, twins, nobodies."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from uptime_desktop.checks.group import members_of
from uptime_desktop.domain.alerts import DESKTOP, SOUND, Channel
from uptime_desktop.domain.dependencies import knots, links_of
from uptime_desktop.domain.groups import find_cycle
from uptime_desktop.domain.model import AlertRule, Monitor, Setting, Site
from uptime_desktop.domain.refusal import Refused, Word

Monitors = Mapping[str, Monitor]
"""By their ids."""

Incoherent = Iterator[tuple[str, Refused]]
"""The id of what makes no sense, and why."""


def require_coherent(
    drafts: Sequence[Monitor],
    before: Monitors,
    sites: Mapping[str, Site],
    channels: Iterable[Channel],
) -> None:
    """Refuse drafts that make no sense beside the monitors there were before."""
    for _, refused in incoherent(drafts, before, sites, channels):
        raise refused


def incoherent(
    drafts: Sequence[Monitor],
    before: Monitors,
    sites: Mapping[str, Site],
    channels: Iterable[Channel],
) -> Incoherent:
    """The drafts that make no sense beside the monitors there were before."""
    known = channel_ids(channels)
    for draft in drafts:
        old = before.get(draft.id)
        for refused in unknown_channels(
            draft.alert, AlertRule() if old is None else old.alert, known
        ):
            yield draft.id, refused
    # Only what leads somewhere can lead in a circle.
    leading = [draft for draft in drafts if _leads_on(draft, sites)]
    if leading:
        yield from _circles(leading, {**before, **{draft.id: draft for draft in drafts}}, sites)
    if any("ping_id" in draft.settings for draft in drafts):
        yield from _twins(drafts, before)


def require_coherent_site(
    site: Site, monitors: Monitors, sites: Mapping[str, Site], channels: Iterable[Channel]
) -> None:
    """Refuse a site that makes no sense beside the others."""
    links = links_of(monitors.values(), {**sites, site.id: site}, all_members(monitors))
    for _, refused in knots(links, links):
        raise refused
    for refused in unknown_channels(site.alert, sites[site.id].alert, channel_ids(channels)):
        raise refused


def unknown_channels(rule: AlertRule, before: AlertRule, known: Sequence[str]) -> Iterator[Refused]:
    """Who would be told and is not there, unless that was so before."""
    for name in rule.channels or ():
        if name not in known and name not in (before.channels or ()):
            names = Word(", ".join(known))
            problem = "there is no channel {value}"
            yield Refused("channels", problem, "{names}", value=name, names=names)


def all_members(monitors: Monitors) -> dict[str, tuple[str, ...]]:
    """The members of every group."""
    found = ((name, members_of(monitor)) for name, monitor in monitors.items())
    return {name: members for name, members in found if members}


def channel_ids(channels: Iterable[Channel]) -> tuple[str, ...]:
    return (DESKTOP, SOUND, *(channel.id for channel in channels))


def _leads_on(draft: Monitor, sites: Mapping[str, Site]) -> bool:
    site = sites.get(draft.site_id)
    above = () if site is None else site.depends_on
    return bool(draft.depends_on or above or members_of(draft))


def _circles(
    drafts: Sequence[Monitor], monitors: Monitors, sites: Mapping[str, Site]
) -> Incoherent:
    members = all_members(monitors)
    for draft in drafts:
        for name in members.get(draft.id, ()):
            if name not in monitors:
                problem = "there is no monitor {value}"
                yield draft.id, Refused("members", problem, "ids of monitors", value=name)
    names = [draft.id for draft in drafts]
    knot = find_cycle(names, lambda name: members.get(name, ()))
    if knot is not None:
        way = Word(" → ".join(knot))
        yield knot[0], Refused("members", "they lead in a circle", "{way} must end", way=way)
    # What is wrong with members has been said as such.
    inner = {
        name: tuple(one for one in inside if one in monitors and knot is None)
        for name, inside in members.items()
    }
    yield from knots(links_of(monitors.values(), sites, inner), names)


def _twins(drafts: Sequence[Monitor], before: Monitors) -> Incoherent:
    """Addresses to report to that another job has."""
    owners: dict[Setting, str] = {}
    for monitor in (*before.values(), *drafts):
        if "ping_id" in monitor.settings:
            owners.setdefault(monitor.settings["ping_id"], monitor.id)
    for draft in drafts:
        ping_id = draft.settings.get("ping_id")
        if ping_id is not None and owners[ping_id] != draft.id:
            problem = "{value} is taken"
            yield draft.id, Refused("ping_id", problem, "an id that is not", value=str(ping_id))
