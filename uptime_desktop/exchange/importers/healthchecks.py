"""Checks of Healthchecks, as its Management API lists them, become heartbeat monitors.

Their ids in ping addresses stay, so that jobs keep reporting once they are told the new host.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from uptime_desktop.checks.heartbeat import HeartbeatKind
from uptime_desktop.checks.redaction import HIDDEN
from uptime_desktop.domain.model import (
    DAY_MS,
    MAX_GRACE_MS,
    MAX_INTERVAL_MS,
    MIN_GRACE_MS,
    MIN_INTERVAL_MS,
    SECOND_MS,
    Keys,
    Setting,
)
from uptime_desktop.domain.notation import duration_notation
from uptime_desktop.domain.past import Past
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import Sentence, duration_text
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers.healthchecks_past import (
    readable_flips,
    readable_pings,
    troubles_of,
)
from uptime_desktop.exchange.importers.naming import Ids
from uptime_desktop.exchange.importers.oncalendar import cron_of
from uptime_desktop.exchange.importers.past import KEPT, past_of
from uptime_desktop.exchange.importers.taking import (
    FOUND_ANEW,
    lasting_here,
    no_monitor,
    number_of,
    readable,
    require_few,
    require_few_fields,
    require_text,
    table_of,
    take_duration,
    take_monitor,
    take_name,
    take_text,
    take_unused,
)
from uptime_desktop.exchange.reading import json_of, read_bytes
from uptime_desktop.exchange.report import NOTHING_LIKE_IT, Fate, Fields, Report

PROGRAM: Final = "Healthchecks"
_SITE: Final = "healthchecks"
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f-])")
_DEFAULT_PERIOD_MS: Final = DAY_MS
# Whoever knows these addresses can report, change or read the check.
_ADDRESSES: Final = ("update_url", "pause_url", "resume_url", "badge_url")
_WORD_FILTERS: Final = (
    *("start_kw", "success_kw", "failure_kw", "subject", "subject_fail"),
    *("filter_subject", "filter_body", "filter_http_body", "filter_default_fail"),
)
_STATES: Final = ("started", "n_pings", "last_duration")
_TIMES: Final = ("last_ping", "next_ping")
_FROM_NOW: Final = Sentence("when it is expected next is counted from the import")
_NEVER_YET: Final = Sentence("it never reported yet; here it is expected from the import on")


def recognises(document: object) -> bool:
    """Whether this is a list of checks, or one check, as any version of the API gives it."""
    return _checks_in(document) is not None


def read(path: Path, now: int) -> Found:
    document = json_of(read_bytes(path), path.name)
    checks = _checks_in(document)
    if checks is None:
        problem = "{value} holds no checks of Healthchecks"
        allowed = "what its API answers at /api/v3/checks/"
        raise Refused("file", problem, allowed, value=path.name)
    require_few(len(checks))
    reading = _Reading(now)
    for place, check in checks:
        reading.take(place, check)
    if isinstance(document, dict) and isinstance(document.get("checks"), list):
        beside = {key: value for key, value in document.items() if key != "checks" or not value}
        require_few_fields(beside)
        whole = Fields(reading.report, PROGRAM, "", beside)
        take_unused(whole, "checks")
        whole.finish()
    return reading.found()


def _checks_in(document: object) -> list[tuple[str, object]] | None:
    """Each check and where it stands."""
    name, listed = "", document
    if isinstance(document, dict) and "checks" in document:
        name, listed = "checks", document["checks"]
    is_empty = bool(name) and listed == []
    if isinstance(listed, list) and (is_empty or any(map(_is_check, listed))):
        return [(f"{name}[{at}]", check) for at, check in enumerate(listed)]
    return [("", document)] if _is_check(document) else None


def _is_check(value: object) -> bool:
    if not isinstance(value, dict) or "grace" not in value:
        return False
    return any(key in value for key in ("ping_url", "unique_key", "uuid", "n_pings"))


class _Reading:
    """What was found so far."""

    def __init__(self, now: int) -> None:
        self.report = Report()
        self._now = now
        self._ids = Ids("check")
        self._ping_ids: set[str] = set()
        self._monitors: list[Keys] = []
        self._paused: set[str] = set()
        self._pasts: list[tuple[str, Mapping[str, object]]] = []

    def take(self, place: str, check: object) -> None:
        table = table_of(self.report, PROGRAM, place, check)
        if table is None:
            return
        name = readable(table.get("name"), readable(table.get("slug"), f"Check {place}".strip()))
        part = Report()
        fields = Fields(part, name, place, table)
        take_name(fields, "name", name)
        keys: dict[str, Setting] = {
            "id": self._ids.of(name),
            "site": _SITE,
            "name": name,
            "kind": HeartbeatKind.name,
        }
        why = ""
        try:
            keys |= _timing(fields)
        except Refused as refused:
            why = no_monitor(refused)
        keys |= _labels(fields) | self._ping_id(fields)
        is_paused, has_past = _state(fields), _history(fields)
        fields.finish()
        if not take_monitor(self.report, part, keys, self._now, why):
            return
        self._monitors.append(keys)
        if is_paused:
            self._paused.add(str(keys["id"]))
        if has_past:
            self._pasts.append((str(keys["id"]), table))

    def found(self) -> Found:
        return Found(
            PROGRAM,
            self.report,
            sites=({"id": _SITE, "name": PROGRAM},),
            monitors=tuple(self._monitors),
            paused=frozenset(self._paused),
            past=self._read_past,
            past_count=len(self._pasts),
        )

    def _read_past(self) -> Iterator[Past]:
        for monitor_id, table in self._pasts:
            past = past_of(monitor_id, readable_pings(table.get("pings")), self._now)
            troubles = troubles_of(readable_flips(table.get("flips")))
            # Flips know of pings that never came; pings alone do not.
            yield replace(past, troubles=troubles) if troubles else past

    def _ping_id(self, fields: Fields) -> dict[str, Setting]:
        found = ""
        for key in ("ping_url", "uuid"):
            if key not in fields:
                continue
            match = _UUID.search(str(fields.peek(key)).lower())
            found = found or (match[0] if match else "")
            if match is None:
                how = Sentence("there is no id of a check in it")
                fields.note(key, HIDDEN, Fate.UNSUPPORTED, how)
            elif match[0] in self._ping_ids:
                how = Sentence("another check has the same id already")
                fields.note(key, HIDDEN, Fate.UNSUPPORTED, how)
            else:
                fields.note(key, HIDDEN, Fate.MAPPED, "ping_id")
        for key in _ADDRESSES:
            if key in fields:
                fields.note(key, HIDDEN, Fate.UNSUPPORTED, NOTHING_LIKE_IT)
        why = Sentence("the id in the ping address does not follow from it: jobs need the new one")
        fields.unsupported("unique_key", why)
        if not found or found in self._ping_ids:
            return {}
        self._ping_ids.add(found)
        return {"ping_id": found}


def _timing(fields: Fields) -> dict[str, Setting]:
    """When the job is expected, and how late it may be."""
    if fields.peek("schedule"):
        fields.unsupported("timeout", Sentence("there is a schedule, which counts"))
        keys = _calendar(fields)
        grace_ms = take_duration(fields, "grace", "grace", MIN_GRACE_MS, MAX_GRACE_MS, SECOND_MS)
        return keys if grace_ms is None else {**keys, "grace": duration_notation(grace_ms)}
    for key in ("schedule", "tz"):
        take_unused(fields, key)
    period_s, grace_s = number_of(fields.peek("timeout")), number_of(fields.peek("grace"))
    if period_s is not None and grace_s is not None and period_s * SECOND_MS > MAX_INTERVAL_MS:
        return _long_period(fields, period_s + max(grace_s, 0))
    period_ms = take_duration(
        fields, "timeout", "every", MIN_INTERVAL_MS, MAX_INTERVAL_MS, SECOND_MS
    )
    grace_ms = take_duration(fields, "grace", "grace", MIN_GRACE_MS, MAX_GRACE_MS, SECOND_MS)
    keys = {"every": duration_notation(period_ms or _DEFAULT_PERIOD_MS)}
    return keys if grace_ms is None else {**keys, "grace": duration_notation(grace_ms)}


def _long_period(fields: Fields, deadline_s: float) -> dict[str, Setting]:
    """A period longer than ours can be: what is over is added to the grace."""
    rest_s = min(deadline_s - MAX_INTERVAL_MS // SECOND_MS, MAX_GRACE_MS // SECOND_MS)
    grace_ms = max(MIN_GRACE_MS, round(rest_s * SECOND_MS))
    longest, grace = duration_text(MAX_INTERVAL_MS), duration_text(grace_ms)
    fields.approximated(
        "timeout",
        Sentence("it is {longest} here, with a grace of {grace}", longest=longest, grace=grace),
    )
    fields.approximated("grace", lasting_here(grace_ms))
    return {
        "every": duration_notation(MAX_INTERVAL_MS),
        "grace": duration_notation(grace_ms),
    }


def _calendar(fields: Fields) -> dict[str, Setting]:
    zone = take_text(fields, "tz", "tz") or "UTC"
    schedule = require_text(fields, "schedule")
    # The same rule by which Healthchecks tells the two apart.
    if "\n" not in schedule and len(schedule.split()) == 5:
        fields.mapped("schedule", "cron")
        return {"cron": " ".join(schedule.split()), "tz": zone}
    written = cron_of(schedule)
    if written is None:
        problem = "the calendar expression {value} cannot be said in cron"
        allowed = "one line, without years, ~ or both a date and a weekday"
        raise Refused("schedule", problem, allowed, value=schedule)
    how = Sentence("it is the cron expression {expression}", expression=written[0])
    fields.approximated("schedule", how)
    return {"cron": written[0], "tz": written[1] or zone}


def _labels(fields: Fields) -> dict[str, Setting]:
    keys: dict[str, Setting] = {}
    slug = take_text(fields, "slug", "slug")
    if slug:
        keys["slug"] = slug
    tags = take_text(fields, "tags", "tags").split()
    if tags:
        keys["tags"] = tuple(tags)
    take_unused(fields, "desc")
    take_unused(fields, "channels", Sentence("the file does not say where they lead"))
    take_unused(fields, "methods", Sentence("pings of every method count"))
    for key in _WORD_FILTERS:
        take_unused(fields, key, Sentence("mails and the bodies of pings are not searched"))
    return keys


def _state(fields: Fields) -> bool:
    """Whether it is paused."""
    is_paused = fields.peek("status") == "paused"
    if is_paused:
        fields.mapped("status", "paused")
    if fields.peek("status") == "new":
        fields.approximated("status", _NEVER_YET)
    fields.unsupported("status", FOUND_ANEW)
    if fields.peek("manual_resume") is True:
        fields.mapped("manual_resume", "paused")
    fields.approximated("manual_resume", Sentence("a ping does not end a pause"))
    for key in _STATES:
        take_unused(fields, key, FOUND_ANEW)
    for key in _TIMES:
        if fields.peek(key):
            fields.approximated(key, _FROM_NOW)
        take_unused(fields, key)
    return is_paused


def _history(fields: Fields) -> bool:
    """Whether pings or changes of status were put beside the check, from their own lists."""
    counts = {
        "pings": sum(1 for _ in readable_pings(fields.peek("pings"))),
        "flips": len(readable_flips(fields.peek("flips"))),
    }
    if counts["pings"]:
        fields.note("pings", counts["pings"], Fate.APPROXIMATED, KEPT)
    if counts["flips"]:
        fields.note("flips", counts["flips"], Fate.MAPPED, "history")
    for key in counts:
        take_unused(fields, key, Sentence("nothing in it can be read"))
    return any(counts.values())
