"""Whose trouble only follows from trouble upstream, and from whose; no widgets here."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from uptime_desktop.domain.dependencies import Links, down_upstream, links_of, site_name
from uptime_desktop.domain.model import Site
from uptime_desktop.domain.status import Status

if TYPE_CHECKING:
    from uptime_desktop.gui.watch import Watched

_TROUBLED = (Status.DOWN, Status.DEGRADED)


class Causes:
    def __init__(self) -> None:
        self._links: Links = {}
        self._names: dict[str, str] = {}

    def know(self, monitors: Iterable["Watched"], sites: Mapping[str, Site]) -> None:
        """From now on these are the monitors and what they depend on."""
        everything = [one.job.monitor for one in monitors]
        has_any = any(one.depends_on for one in everything)
        has_any |= any(site.depends_on for site in sites.values())
        self._links = links_of(everything, sites, {}) if has_any else {}
        self._names = {one.id: one.name for one in everything} if has_any else {}
        self._names |= {site_name(site.id): site.name for site in sites.values()}

    def follow(self, monitors: Iterable["Watched"]) -> list["Watched"]:
        """Have every monitor know its cause; those of which that is another than before."""
        everything = list(monitors)
        if not self._links:
            changed = [one for one in everything if one.cause]
            for one in changed:
                one.cause = ""
            return changed
        down = {one.monitor.id for one in everything if one.status is Status.DOWN}
        down |= {site_name(one.monitor.site_id) for one in everything if one.status is Status.DOWN}
        changed = []
        for one in everything:
            cause = self._cause(one, down) if one.status in _TROUBLED else ""
            if cause != one.cause:
                one.cause = cause
                changed.append(one)
        return changed

    def _cause(self, one: "Watched", down: set[str]) -> str:
        direct = self._links.get(one.monitor.id, ())
        upstream = down_upstream(direct, self._links, down.__contains__)
        return "" if upstream is None else self._names.get(upstream, upstream)
