"""Finds what does not go together with all else that is watched: circles, twins, nobodies."""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from uptime_desktop.checks.group import members_of
from uptime_desktop.domain.alerts import DESKTOP, SOUND, Channel
from uptime_desktop.domain.definition import What
from uptime_desktop.domain.dependencies import knots, links_of, site_name
from uptime_desktop.domain.groups import find_cycle
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.model import AlertRule, Monitor, Setting, Site
from uptime_desktop.domain.refusal import Refused, Word
from uptime_desktop.domain.wording import words

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
        if draft.alert.channels:
            old = before.get(draft.id)
            rule = AlertRule() if old is None else old.alert
            for refused in unknown_channels(draft.alert, rule, known):
                yield draft.id, refused
    # Only what leads somewhere can lead in a circle.
    leading = [draft for draft in drafts if _leads_on(draft, sites)]
    if leading:
        yield from _circles(leading, {**before, **{draft.id: draft for draft in drafts}}, sites)
    if any("ping_id" in draft.settings for draft in drafts):
        yield from _twins(drafts, before)


@dataclass(frozen=True, slots=True)
class Everything:
    """All that is watched, by ids, and who can be told of it."""

    monitors: Monitors
    sites: Mapping[str, Site]
    windows: Mapping[str, Window]
    channels: Sequence[Channel] = ()


def all_incoherent(whole: Everything, before: Everything) -> Iterator[tuple[What, str, Refused]]:
    """What makes no sense beside the rest of the whole, by its kind and id. What led nowhere
    before may go on to."""
    was_there = _names(before)
    yield from _incoherent_monitors(whole, before, was_there)
    names = _names(whole)
    for site in whole.sites.values():
        allowed = "ids of monitors, or site:ID"
        nobodies = [
            *_nobodies("depends_on", site.depends_on, names["depends_on"], allowed),
            *unknown_channels(site.alert, AlertRule(), names["channels"]),
        ]
        for refused in _new(nobodies, before.sites.get(site.id), was_there):
            yield What.SITE, site.id, refused
    for window in whole.windows.values():
        nobodies = [
            *_nobodies("sites", sorted(window.sites), whole.sites, words("ids of sites")),
            *_nobodies("monitors", sorted(window.monitors), whole.monitors, "ids of monitors"),
        ]
        for refused in _new(nobodies, before.windows.get(window.id), was_there):
            yield What.WINDOW, window.id, refused


def _incoherent_monitors(
    whole: Everything, before: Everything, was_there: Mapping[str, Collection[object]]
) -> Iterator[tuple[What, str, Refused]]:
    drafts = list(whole.monitors.values())
    for name, refused in incoherent(drafts, {}, whole.sites, whole.channels):
        monitor = whole.monitors.get(name)
        if monitor is None:
            # A circle may be found at a site.
            yield What.SITE, name.removeprefix(site_name("")), refused
        elif _is_link(refused) and not monitor.depends_on:
            if "value" not in refused.values:
                # What its site depends on leads back to it.
                yield What.SITE, monitor.site_id, refused
        elif _is_own(monitor, refused):
            for one in _new([refused], before.monitors.get(name), was_there):
                yield What.MONITOR, name, one


def _is_own(monitor: Monitor, refused: Refused) -> bool:
    """Whether it is about the monitor itself: what its site depends on is told of the site."""
    names_it = _is_link(refused) and "value" in refused.values
    return not names_it or refused.values["value"] in monitor.depends_on


def _is_link(refused: Refused) -> bool:
    return refused.field == "depends_on"


def _new(
    found: Iterable[Refused],
    old: Monitor | Site | Window | None,
    was_there: Mapping[str, Collection[object]],
) -> Iterator[Refused]:
    """Without what was wrong before: it led to somebody who was not there then either."""
    references = _references(old)
    for refused in found:
        name = refused.values.get("value")
        referred = name in references.get(refused.field, ())
        if not referred or name in was_there[refused.field]:
            yield refused


def _names(all_there_is: Everything) -> dict[str, Collection[str]]:
    """Whom there is to refer to, by the keys that do."""
    monitors, sites = all_there_is.monitors, all_there_is.sites
    return {
        "depends_on": {*monitors, *map(site_name, sites)},
        "channels": channel_ids(all_there_is.channels),
        "members": monitors,
        "sites": sites,
        "monitors": monitors,
    }


def _references(thing: Monitor | Site | Window | None) -> dict[str, Collection[object]]:
    """The names that something refers to, by the keys it does that with."""
    match thing:
        case Monitor():
            channels = thing.alert.channels or ()
            members = members_of(thing)
            return {"depends_on": thing.depends_on, "channels": channels, "members": members}
        case Site():
            return {"depends_on": thing.depends_on, "channels": thing.alert.channels or ()}
        case Window():
            return {"sites": thing.sites, "monitors": thing.monitors}
        case None:
            return {}


def _nobodies(
    key: str, names: Iterable[str], there: Container[str], allowed: str
) -> Iterator[Refused]:
    for name in names:
        if name not in there:
            yield Refused(key, "there is no {value}", allowed, value=name)


def require_coherent_site(
    site: Site, monitors: Monitors, sites: Mapping[str, Site], channels: Iterable[Channel]
) -> None:
    """Refuse a site that makes no sense beside the others."""
    links = links_of(monitors.values(), {**sites, site.id: site}, all_members(monitors))
    for _, refused in knots(links, links):
        raise refused
    for refused in unknown_channels(site.alert, sites[site.id].alert, channel_ids(channels)):
        raise refused


def unknown_channels(
    rule: AlertRule, before: AlertRule, known: Collection[str]
) -> Iterator[Refused]:
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
