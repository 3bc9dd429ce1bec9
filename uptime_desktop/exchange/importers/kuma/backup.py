"""The JSON backup that versions 1 of Uptime Kuma write: monitors, notifications and proxies."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers.kuma.draft import Known
from uptime_desktop.exchange.importers.kuma.monitors import monitors_of
from uptime_desktop.exchange.importers.kuma.notifications import channels_of
from uptime_desktop.exchange.importers.kuma.proxies import proxies_of
from uptime_desktop.exchange.importers.kuma.table import (
    MOST_FIELDS,
    MOST_TABLES,
    Table,
    require_few,
)
from uptime_desktop.exchange.importers.kuma.taking import PROGRAM, one_line
from uptime_desktop.exchange.reading import json_of, read_bytes
from uptime_desktop.exchange.report import NOT_IN_USE, NOTHING_LIKE_IT, Fate, Report

_LISTS: Final = ("notificationList", "proxyList", "monitorList")
_FORMAT: Final = Sentence("it only says how to read the file")
_NO_TABLE: Final = Sentence("it is not a table")


def recognises(document: object) -> bool:
    return isinstance(document, dict) and isinstance(document.get("monitorList"), list | dict)


def read(path: Path, now: int) -> Found:
    document = json_of(read_bytes(path), path.name)
    if not isinstance(document, dict) or not recognises(document):
        problem = "{value} is no backup of Uptime Kuma"
        raise Refused("file", problem, "the JSON of its version 1", value=path.name)
    try:
        return _found(document, now)
    except RecursionError as error:
        problem = "{value} is nested too deeply"
        raise Refused("file", problem, "a file as it was exported", value=path.name) from error


def _found(document: Mapping[str, object], now: int) -> Found:
    report = Report()
    require_few(PROGRAM, len(document))
    for key, value in document.items():
        if key not in _LISTS:
            how = _FORMAT if key == "version" else NOTHING_LIKE_IT
            shown = one_line(value) if isinstance(value, str) and key == "version" else ""
            report.note(PROGRAM, key, shown, Fate.UNSUPPORTED, how)
    channels = channels_of(_tables(report, document, "notificationList"))
    proxies = proxies_of(_tables(report, document, "proxyList"))
    known = Known(channels.ids, proxies)
    monitors = monitors_of(_tables(report, document, "monitorList"), known, now)
    return Found(
        PROGRAM,
        report,
        tuple(monitors.sites),
        tuple(monitors.keys),
        tuple(channels.keys),
        paused=frozenset(monitors.paused),
    )


def _tables(report: Report, document: Mapping[str, object], key: str) -> list[Table]:
    """The tables of a list, or of an object that has them by their numbers."""
    listed = document.get(key)
    tables = list(listed.values()) if isinstance(listed, dict) else listed
    if not isinstance(tables, list) or not tables:
        if key in document:
            report.note(PROGRAM, key, "", Fate.UNSUPPORTED, NOT_IN_USE)
        return []
    require_few(key, len(tables), MOST_TABLES)
    require_few(key, sum(len(one) for one in tables if isinstance(one, dict)), MOST_FIELDS)
    places = [f".{name}" for name in listed] if isinstance(listed, dict) else _numbers(tables)
    found = []
    for place, value in zip(places, tables, strict=True):
        if isinstance(value, dict) and value:
            found.append(Table(report, _called(value), key + place, value))
        else:
            report.note(PROGRAM, key + place, "", Fate.UNSUPPORTED, _NO_TABLE)
    return found


def _numbers(tables: list[object]) -> list[str]:
    return [f"[{at}]" for at in range(len(tables))]


def _called(value: Mapping[str, object]) -> str:
    name = value.get("name", value.get("host"))
    return one_line(name) if isinstance(name, str) else PROGRAM
