"""What lies upstream of what: a monitor that fails because another one does is not news.

A name is the id of a monitor or, as `site:ID`, a whole site, which is down with its worst
monitor. What a site depends on, all its monitors do.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from uptime_desktop.domain.groups import find_cycle
from uptime_desktop.domain.model import Monitor, Site
from uptime_desktop.domain.refusal import Refused, Word

_SITE: Final = "site:"

Links = Mapping[str, tuple[str, ...]]
"""The names that lie directly upstream of each name."""


def site_name(site_id: str) -> str:
    return _SITE + site_id


def links_of(
    monitors: Iterable[Monitor], sites: Mapping[str, Site], members: Links
) -> dict[str, tuple[str, ...]]:
    """Who depends on whom. A site as a whole depends on its monitors, and a group on its members:
    they are down as those are."""
    links: dict[str, tuple[str, ...]] = {}
    inside: dict[str, list[str]] = {site_id: [] for site_id in sites}
    for monitor in monitors:
        site = sites.get(monitor.site_id)
        above = () if site is None else site.depends_on
        inner = members.get(monitor.id, ())
        links[monitor.id] = tuple(dict.fromkeys((*monitor.depends_on, *above, *inner)))
        inside.setdefault(monitor.site_id, []).append(monitor.id)
    return links | {site_name(site_id): tuple(ids) for site_id, ids in inside.items()}


def knots(links: Links, changed: Iterable[str]) -> Iterator[tuple[str, Refused]]:
    """Which of these depend on nothing that is there, or one of them in the end on itself."""
    names = list(changed)
    for name in names:
        for upstream in links.get(name, ()):
            if upstream not in links:
                problem, allowed = "there is no {value}", "ids of monitors, or site:ID"
                yield name, Refused("depends_on", problem, allowed, value=upstream)
    knot = find_cycle(names, lambda name: links.get(name, ()))
    if knot is not None:
        way = Word(" → ".join(knot))
        yield knot[0], Refused("depends_on", "it leads in a circle", "{way} must end", way=way)


def down_upstream(
    direct: Iterable[str], links: Links, is_down: Callable[[str], bool]
) -> str | None:
    """The nearest name, of these or upstream of them, that is down."""
    seen, waiting = set[str](), deque(direct)
    while waiting:
        upstream = waiting.popleft()
        if upstream in seen:
            continue
        seen.add(upstream)
        if is_down(upstream):
            return upstream
        waiting.extend(links.get(upstream, ()))
    return None


def monitors_upstream(direct: Iterable[str], links: Links) -> list[str]:
    """The ids of all monitors among these and upstream of them, nearest first."""
    seen, waiting, found = set[str](), deque(direct), list[str]()
    while waiting:
        upstream = waiting.popleft()
        if upstream not in seen:
            seen.add(upstream)
            waiting.extend(links.get(upstream, ()))
            if not upstream.startswith(_SITE):
                found.append(upstream)
    return found
