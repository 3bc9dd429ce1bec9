"""Refuses what does not go together with all else that is watched: circles, twins, nobodies."""

from collections.abc import Iterable, Mapping, Sequence

from uptime_desktop.checks.group import members_of
from uptime_desktop.domain.alerts import DESKTOP, SOUND, Channel
from uptime_desktop.domain.dependencies import links_of, refuse_knots
from uptime_desktop.domain.groups import find_cycle
from uptime_desktop.domain.model import AlertRule, Monitor, Setting, Site
from uptime_desktop.domain.refusal import Refused, Word

Monitors = Mapping[str, Monitor]
"""By their ids."""


def require_coherent(
    drafts: Sequence[Monitor],
    before: Monitors,
    sites: Mapping[str, Site],
    channels: Iterable[Channel],
) -> None:
    """Refuse drafts that make no sense beside the monitors there were before."""
    known = _channel_ids(channels)
    for draft in drafts:
        old = before.get(draft.id)
        require_channels(draft.alert, AlertRule() if old is None else old.alert, known)
    # Only what leads somewhere can lead in a circle.
    leading = [draft for draft in drafts if _leads_on(draft, sites)]
    if leading:
        _refuse_circles(leading, {**before, **{draft.id: draft for draft in drafts}}, sites)
    if any("ping_id" in draft.settings for draft in drafts):
        _refuse_twins(drafts, before)


def require_coherent_site(
    site: Site, monitors: Monitors, sites: Mapping[str, Site], channels: Iterable[Channel]
) -> None:
    """Refuse a site that makes no sense beside the others."""
    links = links_of(monitors.values(), {**sites, site.id: site}, all_members(monitors))
    refuse_knots(links, links)
    require_channels(site.alert, sites[site.id].alert, _channel_ids(channels))


def require_channels(rule: AlertRule, before: AlertRule, known: Sequence[str]) -> None:
    """Refuse to tell somebody who is not there, unless that was so before."""
    for name in rule.channels or ():
        if name not in known and name not in (before.channels or ()):
            names = Word(", ".join(known))
            problem = "there is no channel {value}"
            raise Refused("channels", problem, "{names}", value=name, names=names)


def all_members(monitors: Monitors) -> dict[str, tuple[str, ...]]:
    """The members of every group."""
    found = ((name, members_of(monitor)) for name, monitor in monitors.items())
    return {name: members for name, members in found if members}


def _channel_ids(channels: Iterable[Channel]) -> tuple[str, ...]:
    return (DESKTOP, SOUND, *(channel.id for channel in channels))


def _leads_on(draft: Monitor, sites: Mapping[str, Site]) -> bool:
    site = sites.get(draft.site_id)
    above = () if site is None else site.depends_on
    return bool(draft.depends_on or above or members_of(draft))


def _refuse_circles(
    drafts: Sequence[Monitor], monitors: Monitors, sites: Mapping[str, Site]
) -> None:
    members = all_members(monitors)
    for draft in drafts:
        for name in members.get(draft.id, ()):
            if name not in monitors:
                problem = "there is no monitor {value}"
                raise Refused("members", problem, "ids of monitors", value=name)
    names = [draft.id for draft in drafts]
    knot = find_cycle(names, lambda name: members.get(name, ()))
    if knot is not None:
        way = Word(" → ".join(knot))
        raise Refused("members", "they lead in a circle", "{way} must end", way=way)
    refuse_knots(links_of(monitors.values(), sites, members), names)


def _refuse_twins(drafts: Sequence[Monitor], before: Monitors) -> None:
    """Refuse an address to report to that another job has."""
    owners: dict[Setting, str] = {}
    for monitor in (*before.values(), *drafts):
        if "ping_id" in monitor.settings:
            owners.setdefault(monitor.settings["ping_id"], monitor.id)
    for draft in drafts:
        ping_id = draft.settings.get("ping_id")
        if ping_id is not None and owners[ping_id] != draft.id:
            problem = "{value} is taken"
            raise Refused("ping_id", problem, "an id that is not", value=str(ping_id))
