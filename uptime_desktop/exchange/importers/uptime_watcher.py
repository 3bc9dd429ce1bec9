"""The JSON that Uptime-Watcher exports: sites with their monitors, settings and history."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from uptime_desktop.checks.redaction import HIDDEN, shown_url
from uptime_desktop.checks.registry import KINDS, name_for, own_settings
from uptime_desktop.domain.model import (
    MAX_INTERVAL_MS,
    MAX_RETRIES,
    MAX_TIMEOUT_MS,
    MIN_INTERVAL_MS,
    MIN_TIMEOUT_MS,
    MINUTE_MS,
    SECOND_MS,
    Keys,
    Setting,
)
from uptime_desktop.domain.notation import LAST_INSTANT, duration_notation
from uptime_desktop.domain.past import Past, PastRun
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers.naming import Ids
from uptime_desktop.exchange.importers.past import KEPT, past_of
from uptime_desktop.exchange.importers.taking import (
    FOUND_ANEW,
    NEW_ID,
    no_monitor,
    number_of,
    readable,
    require_few,
    require_few_fields,
    table_of,
    take_duration,
    take_monitor,
    take_name,
    take_unused,
    take_whole,
)
from uptime_desktop.exchange.importers.uptime_watcher_kinds import settings_of
from uptime_desktop.exchange.reading import json_of, read_bytes
from uptime_desktop.exchange.report import (
    NOTHING_LIKE_IT,
    Fate,
    Fields,
    Report,
)

PROGRAM: Final = "Uptime-Watcher"
_DESCRIBED: Final = ("version", "exportedAt", "checksum", "checksumAlgorithm", "appVersion")
# What Uptime-Watcher does where an old file says nothing.
_DEFAULT_INTERVAL_MS: Final = 5 * MINUTE_MS
_DEFAULT_TIMEOUT_MS: Final = 10 * SECOND_MS
_STATUSES: Final = {"up": Status.UP, "degraded": Status.DEGRADED, "down": Status.DOWN}
_STATES: Final = ("status", "responseTime", "lastChecked", "activeOperations")
_TARGET_CHARACTERS: Final = 200
_TYPE_CHARACTERS: Final = 60
# Cloud accounts, with their tokens.
_PRIVATE: Final = "cloud."


def recognises(document: object) -> bool:
    """Whether this is an export, of the first versions too, which had sites and settings only."""
    sites = document.get("sites") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(sites, list):
        return False
    if not sites:
        return "settings" in document or "exportedAt" in document
    return any(isinstance(site, dict) and "identifier" in site for site in sites)


def read(path: Path, now: int) -> Found:
    document = json_of(read_bytes(path), path.name)
    if not isinstance(document, dict) or not recognises(document):
        problem = "{value} is no export of Uptime-Watcher"
        raise Refused("file", problem, "its file with sites", value=path.name)
    reading = _Reading(now)
    sites = document["sites"]
    monitors = (site.get("monitors") for site in sites if isinstance(site, dict))
    require_few(len(sites) + sum(len(some) for some in monitors if isinstance(some, list)))
    taken = ("sites", "settings") if sites else ("settings",)
    beside = {key: value for key, value in document.items() if key not in taken}
    require_few_fields(beside)
    whole = Fields(reading.report, PROGRAM, "", beside)
    take_unused(whole, "sites")
    for key in _DESCRIBED:
        whole.unsupported(key, Sentence("it is about the file only"))
    whole.finish()
    if "settings" in document:
        _settings(reading.report, document["settings"])
    for at, site in enumerate(sites):
        reading.take_site(f"sites[{at}]", site)
    return reading.found()


def _settings(report: Report, given: object) -> None:
    """Nothing is taken over: what there is to set is told by other words here."""
    for key, value in (table_of(report, PROGRAM, "settings", given) or {}).items():
        why = NOTHING_LIKE_IT
        if key == "historyLimit":
            why = Sentence("history is kept by age, not by number")
        shown = HIDDEN if key.startswith(_PRIVATE) else value
        report.note(PROGRAM, f"settings.{key}", shown, Fate.UNSUPPORTED, why)


class _Reading:
    """What was found so far."""

    def __init__(self, now: int) -> None:
        self.report = Report()
        self._now = now
        self._site_ids = Ids("site")
        self._ids = Ids()
        self._sites: list[Keys] = []
        self._monitors: list[Keys] = []
        self._paused: set[str] = set()
        self._pasts: list[tuple[str, object]] = []

    def take_site(self, place: str, given: object) -> None:
        site = table_of(self.report, PROGRAM, place, given)
        if site is None:
            return
        name = readable(site.get("name"), readable(site.get("identifier"), f"Site {place}"))
        monitors = site.get("monitors")
        listed = monitors if isinstance(monitors, list) else []
        beside = {key: value for key, value in site.items() if key != "monitors" or not listed}
        fields = Fields(self.report, name, place, beside)
        take_name(fields, "name", name)
        fields.approximated("identifier", NEW_ID)
        take_unused(fields, "monitors", Sentence("it is not a list"))
        keys: dict[str, Setting] = {"id": self._site_ids.of(name), "name": name}
        if _take_switch(fields, "active") is False:
            keys["active"] = False
        fields.finish()
        self._sites.append(keys)
        for at, monitor in enumerate(listed):
            self._take_monitor(f"{place}.monitors[{at}]", monitor, str(keys["id"]), name)

    def _take_monitor(self, place: str, given: object, site_id: str, site_name: str) -> None:
        table = table_of(self.report, site_name, place, given)
        if table is None:
            return
        part = Report()
        fields = Fields(part, _called(site_name, table), place, table)
        settings, why = _settings_or_why(fields)
        name = _name(settings, site_name)
        keys: dict[str, Setting] = {
            "id": self._ids.of(name),
            "site": site_id,
            "name": name,
            **settings,
            **_timing(fields),
        }
        fields.approximated("id", NEW_ID)
        is_off = _take_switch(fields, "paused") is False
        if fields.peek("status") == "paused":
            is_off = bool(fields.mapped("status", "paused"))
        for key in _STATES:
            take_unused(fields, key, FOUND_ANEW)
        has_past = self._take_history(fields)
        fields.finish()
        if not take_monitor(self.report, part, keys, self._now, why):
            return
        self._monitors.append(keys)
        if is_off:
            self._paused.add(str(keys["id"]))
        if has_past:
            self._pasts.append((str(keys["id"]), table["history"]))

    def _take_history(self, fields: Fields) -> bool:
        """Whether there is any; what it holds is read when it is asked for."""
        history = fields.peek("history")
        readable_ones = sum(1 for _ in _runs(history))
        if not readable_ones or not isinstance(history, list):
            take_unused(fields, "history", Sentence("nothing in it can be read"))
            return False
        unreadable = len(history) - readable_ones
        how = Sentence("{count} entries of it cannot be read", count=unreadable)
        fields.note("history", len(history), Fate.APPROXIMATED, how if unreadable else KEPT)
        return True

    def found(self) -> Found:
        return Found(
            PROGRAM,
            self.report,
            sites=tuple(self._sites),
            monitors=tuple(self._monitors),
            paused=frozenset(self._paused),
            past=self._read_past,
            past_count=len(self._pasts),
        )

    def _read_past(self) -> Iterator[Past]:
        for monitor_id, history in self._pasts:
            yield past_of(monitor_id, _runs(history), self._now)


def _runs(history: object) -> Iterator[PastRun]:
    """The checks in a list of them that can be read."""
    for entry in history if isinstance(history, list) else ():
        if not isinstance(entry, dict):
            continue
        at, took_ms = number_of(entry.get("timestamp")), number_of(entry.get("responseTime"))
        status, details = entry.get("status"), entry.get("details")
        if at is None or not 0 <= at <= LAST_INSTANT or not isinstance(status, str):
            continue
        if status in _STATUSES:
            reason = details if isinstance(details, str) else ""
            # Below zero it says that nothing was measured.
            measured = None if took_ms is None or took_ms < 0 else took_ms
            yield PastRun(round(at), _STATUSES[status], measured, reason)


def _settings_or_why(fields: Fields) -> tuple[dict[str, Setting], str]:
    """What the monitor looks at, or why there can be no such monitor."""
    try:
        settings = settings_of(fields)
    except Refused as refused:
        return {}, no_monitor(refused)
    if settings is None:
        given = str(fields.peek("type"))[:_TYPE_CHARACTERS]
        return {}, Sentence("there is no kind of monitor like {type}", type=given)
    return settings, ""


def _timing(fields: Fields) -> dict[str, Setting]:
    every_ms = take_duration(fields, "checkInterval", "every", MIN_INTERVAL_MS, MAX_INTERVAL_MS)
    timeout_ms = take_duration(fields, "timeout", "timeout", MIN_TIMEOUT_MS, MAX_TIMEOUT_MS)
    retries = take_whole(fields, "retryAttempts", "retries", MAX_RETRIES)
    keys: dict[str, Setting] = {
        "every": duration_notation(every_ms or _DEFAULT_INTERVAL_MS),
        "timeout": duration_notation(timeout_ms or _DEFAULT_TIMEOUT_MS),
    }
    return keys if retries is None else {**keys, "retries": retries}


def _take_switch(fields: Fields, to: str) -> bool | None:
    """Whether it is monitored, if that is said."""
    value = fields.peek("monitoring")
    if not isinstance(value, bool):
        return None
    fields.mapped("monitoring", to)
    return value


def _name(settings: Mapping[str, Setting], site_name: str) -> str:
    """What the monitor is pointed at: it has no name of its own there."""
    if not settings:
        return site_name
    try:
        kind = KINDS[str(settings["kind"])]
        return readable(name_for(kind, own_settings(kind, settings)), site_name)
    except Refused:
        return site_name


def _called(site_name: str, table: Mapping[str, object]) -> str:
    """The monitor as the report names it."""
    target = table.get("url") or table.get("host") or table.get("type")
    shown = readable(shown_url(target[:_TARGET_CHARACTERS]) if isinstance(target, str) else "", "")
    return f"{site_name}: {shown}" if shown else site_name
