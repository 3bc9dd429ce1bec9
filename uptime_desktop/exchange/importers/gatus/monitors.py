"""The monitors, sites and windows that the endpoints of a Gatus file come to."""

import re
from dataclasses import replace
from typing import Final

from uptime_desktop.domain.model import MAX_INTERVAL_MS, MIN_INTERVAL_MS, Keys, Setting
from uptime_desktop.domain.notation import duration_notation
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.checked import usable
from uptime_desktop.exchange.importers.gatus.alerts import alert_rule
from uptime_desktop.exchange.importers.gatus.channels import Providers
from uptime_desktop.exchange.importers.gatus.endpoints import made_of
from uptime_desktop.exchange.importers.gatus.values import Source
from uptime_desktop.exchange.importers.gatus.windows import window_of
from uptime_desktop.exchange.importers.naming import Ids
from uptime_desktop.exchange.importers.taking import called_here
from uptime_desktop.exchange.report import NOT_IN_USE, Fate, Report

_UNGROUPED: Final = "Gatus"
_MOST_NAME: Final = 200
# What Gatus makes of groups and names in addresses.
_DASHED: Final = re.compile(r"[/_.,#+& ]")
_SHORTEST_GRACE: Final = "1s"
_OWN_PAGE: Final = Sentence("it is about Gatus's own page")
_NO_LABELS: Final = Sentence("metrics have no labels of one's own")
_ONLY_IN_SUITES: Final = Sentence("it has a meaning in suites only")
_A_SECOND: Final = Sentence("it may be one second late")
_REST: Final = {
    "ui": _OWN_PAGE,
    "extra-labels": _NO_LABELS,
    "store": _ONLY_IN_SUITES,
    "always-run": _ONLY_IN_SUITES,
}


class Monitors:
    """Takes one endpoint after another."""

    def __init__(self, report: Report, providers: Providers, now: int) -> None:
        self._report = report
        self._providers = providers
        self._now = now
        self._ids = Ids()
        self._site_ids = Ids("site")
        self._sites: dict[str, str] = {}
        self.window_ids = Ids("maintenance")
        self._used: set[str] = set()
        self._why_not = NOT_IN_USE
        self.found: list[Keys] = []
        self.windows: list[Keys] = []
        self.paused: set[str] = set()

    @property
    def sites(self) -> tuple[Keys, ...]:
        """Those that a monitor belongs to."""
        named = ((site_id, name) for name, site_id in self._sites.items())
        return tuple({"id": one, "name": name} for one, name in named if one in self._used)

    def take_endpoints(self, whole: Source, key: str, *, alerts_are_on: bool) -> None:
        for _, endpoint in whole.tables(key):
            begin = len(self._report.lines)
            common = self._common(endpoint, "monitor")
            made = made_of(endpoint)
            rule = alert_rule(endpoint, self._providers, on_by_default=alerts_are_on)
            keys = {**common, "kind": made.kind, "retries": 0, "backoff": "none"}
            is_made = self._add(endpoint, {**keys, **made.settings, **rule}, made.against)
            if is_made and made.must_pause:
                self.paused.add(str(common["id"]))
            if is_made:
                self._take_windows(endpoint, common)
            for name, why in _REST.items():
                endpoint.leave(name, why)
            endpoint.finish(NOT_IN_USE if is_made else self._why_not)
            if not is_made:
                self._unmake(begin)

    def take_external(self, whole: Source, key: str) -> None:
        for _, endpoint in whole.tables(key):
            begin = len(self._report.lines)
            common = self._common(endpoint, "job", is_external=True)
            keys: dict[str, Setting] = {**common, "kind": "heartbeat", **_expected(endpoint)}
            if token := endpoint.text("token", "token"):
                keys["token"] = token
            keys |= alert_rule(endpoint, self._providers, on_by_default=True)
            is_made = self._add(endpoint, keys, "")
            if is_made:
                self._take_windows(endpoint, common)
            endpoint.finish()
            if not is_made:
                self._unmake(begin)

    def _common(
        self, endpoint: Source, plain: str, *, is_external: bool = False
    ) -> dict[str, Setting]:
        """Id, name and site."""
        written = endpoint.peek("name")
        name = _shown_name(written) or plain
        endpoint.fields.thing = name
        if written == name:
            endpoint.text("name", "name")
        elif "name" in endpoint:
            how = called_here(name)
            endpoint.note("name", Fate.APPROXIMATED, endpoint.variables.hidden(how))
        group = endpoint.peek("group")
        site_id = self._site(group)
        if is_external and _dashed(group) != site_id:
            how = Sentence("the job now reports as {key}", key=f"{site_id}_{_dashed(written)}")
            shown = endpoint.table.get("group") or ""
            endpoint.note("group", Fate.APPROXIMATED, endpoint.variables.hidden(how), shown)
        elif group:
            endpoint.text("group", "site")
        else:
            endpoint.leave("group", NOT_IN_USE)
        return {"id": self._ids.of(name), "name": name, "site": site_id}

    def _site(self, group: str) -> str:
        name = _shown_name(group) or _UNGROUPED
        if name not in self._sites:
            self._sites[name] = self._site_ids.of(name)
        return self._sites[name]

    def _add(self, endpoint: Source, keys: dict[str, Setting], against: str) -> bool:
        """Whether there can be such a monitor; then it is kept."""
        refused = None if against else usable(keys, self._now)
        reason = against if refused is None else endpoint.variables.hidden(refused.text())
        self._why_not = Sentence("no monitor was made of it: {reason}", reason=reason)
        if reason:
            return False
        self.found.append(keys)
        self._used.add(str(keys["site"]))
        if "enabled" in endpoint:
            endpoint.note("enabled", Fate.MAPPED, "paused")
        if endpoint.flag("enabled") is False:
            self.paused.add(str(keys["id"]))
        return True

    def _take_windows(self, endpoint: Source, common: dict[str, Setting]) -> None:
        for _, given in endpoint.tables("maintenance-windows"):
            name, monitor_id = str(common["name"]), str(common["id"])
            window_id = self.window_ids.of(f"{monitor_id}-maintenance")
            window = window_of(given, window_id, name, monitor_id, self._now)
            if window is not None:
                self.windows.append(window)

    def _unmake(self, begin: int) -> None:
        """What was said of an endpoint that no monitor is made of does not hold."""
        lines = self._report.lines
        lines[begin:] = [
            replace(line, fate=Fate.UNSUPPORTED, how=self._why_not) for line in lines[begin:]
        ]


def _expected(endpoint: Source) -> dict[str, Setting]:
    """How often a job reports. Without an interval Gatus never misses it."""
    heartbeat = endpoint.inside("heartbeat")
    asked = heartbeat.duration_ms("interval") if heartbeat is not None else None
    taken = min(max(round(asked or MAX_INTERVAL_MS), MIN_INTERVAL_MS), MAX_INTERVAL_MS)
    if heartbeat is not None and asked:
        how = _A_SECOND if taken == asked else _within(taken)
        heartbeat.note("interval", Fate.APPROXIMATED, how)
    elif heartbeat is not None and "interval" in heartbeat:
        heartbeat.note("interval", Fate.APPROXIMATED, _within(taken))
    elif "heartbeat" not in endpoint:
        # Nothing stands there, and still it will not be as it was.
        endpoint.note_part("heartbeat", "", Fate.APPROXIMATED, _within(taken))
    if heartbeat is not None:
        heartbeat.finish()
    return {"every": duration_notation(taken), "grace": _SHORTEST_GRACE}


def _dashed(text: str) -> str:
    """As it stands in the addresses of Gatus."""
    return _DASHED.sub("-", text.strip().lower())


def _within(duration_ms: int) -> Sentence:
    return Sentence("it must report at least every {limit}", limit=duration_notation(duration_ms))


def _shown_name(text: str) -> str:
    """The name on one line, and no longer than names are."""
    return "".join(c if c.isprintable() else " " for c in text)[:_MOST_NAME].strip()
