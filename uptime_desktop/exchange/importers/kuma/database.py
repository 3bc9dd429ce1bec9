"""The database of Uptime Kuma, `kuma.db`, of versions 1 and 2 alike, with all of its past."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers.kuma.draft import USUAL_CERTIFICATE_DAYS, Known
from uptime_desktop.exchange.importers.kuma.history import (
    BEATS,
    COUNTS,
    columns_read,
    monitors_with_past,
    past_in,
)
from uptime_desktop.exchange.importers.kuma.maintenance import windows_of
from uptime_desktop.exchange.importers.kuma.monitors import Monitors, monitors_of, tag_text
from uptime_desktop.exchange.importers.kuma.notifications import channels_of
from uptime_desktop.exchange.importers.kuma.proxies import proxies_of
from uptime_desktop.exchange.importers.kuma.snapshot import Row, Snapshot, snapshot
from uptime_desktop.exchange.importers.kuma.table import Table, json_in
from uptime_desktop.exchange.importers.kuma.taking import PROGRAM, one_line
from uptime_desktop.exchange.importers.past import KEPT
from uptime_desktop.exchange.report import NOT_IN_USE, NOTHING_LIKE_IT, Fate, Report

_LONGEST_DAYS: Final = 3_650
_READ: Final = (
    *("monitor", "notification", "proxy", "tag", "monitor_tag", "monitor_notification"),
    *("maintenance", "monitor_maintenance", "setting"),
)
_PAST: Final = (BEATS, *COUNTS.values())
_OTHER_COLUMNS: Final = Sentence("it does not have the columns of any version that is known")
_RUNS: Final = Sentence("runs are counted, not the time between them")
_ALWAYS: Final = Sentence("windows are for monitors, not for status pages")
_FIRST_DAY: Final = Sentence("a certificate is told of once, at the first of these days")
_OWN_SETTINGS: Final = Sentence("settings of the program are not taken over")


def read(path: Path, now: int) -> Found:
    with snapshot(path) as copy:
        report = Report()
        settings = _take_settings(report, copy)
        channels = channels_of(_tables(report, copy, "notification", "name"))
        proxies = proxies_of(_tables(report, copy, "proxy", "host"))
        known = Known(
            channels.ids,
            proxies,
            _links(report, copy, "monitor_notification", "notificationid", "channels"),
            _tags(report, copy),
            _certificate_days(settings),
        )
        monitors = monitors_of(_tables(report, copy, "monitor", "name"), known, now)
        windows = windows_of(
            _tables(report, copy, "maintenance", "title"),
            _covered(report, copy, monitors),
            _server_zone(settings),
            now,
        )
        _report_past(report, copy)
        _report_rest(report, copy)
        ids = _numbered(monitors.ids)
        with_past = monitors_with_past(copy) & ids.keys()
    return Found(
        PROGRAM,
        report,
        tuple(monitors.sites),
        tuple(monitors.keys),
        tuple(channels.keys),
        tuple(windows),
        paused=frozenset(monitors.paused),
        past=partial(past_in, path, ids, now),
        past_count=len(with_past),
    )


def _tables(report: Report, copy: Snapshot, name: str, called: str) -> list[Table]:
    return [
        Table(report, _text(row, called) or PROGRAM, f"{name}[{at}]", row)
        for at, row in enumerate(copy.rows(name))
    ]


def _text(row: Row, name: str) -> str:
    value = row.get(name)
    return one_line(value) if isinstance(value, str) else ""


def _links(
    report: Report, copy: Snapshot, name: str, other: str, to: str
) -> Mapping[str, Sequence[str]]:
    """What belongs to each monitor, by its number."""
    found: dict[str, list[str]] = {}
    for table in _tables(report, copy, name, ""):
        found.setdefault(table.text("monitorid"), []).append(table.text(other))
        for one in ("id", "monitorid", other):
            table.mapped(one, to)
        table.finish()
    return found


def _tags(report: Report, copy: Snapshot) -> Mapping[str, Sequence[str]]:
    names: dict[str, str] = {}
    for table in _tables(report, copy, "tag", "name"):
        names[table.text("id")] = table.text("name")
        table.mapped("id", "tags")
        table.mapped("name", "tags")
        table.finish()
    found: dict[str, list[str]] = {}
    for at, row in enumerate(copy.rows("monitor_tag")):
        table = Table(report, PROGRAM, f"monitor_tag[{at}]", row)
        named = Table(report, PROGRAM, "", {**row, "name": names.get(table.text("tagid"), "")})
        found.setdefault(table.text("monitorid"), []).append(tag_text(named))
        for one in ("id", "monitorid", "tagid", "value"):
            table.mapped(one, "tags")
        table.finish()
    return found


def _covered(report: Report, copy: Snapshot, monitors: Monitors) -> Mapping[str, Sequence[str]]:
    """Our ids of the monitors of each maintenance; a group brings what is in it."""
    found: dict[str, list[str]] = {}
    for table in _tables(report, copy, "monitor_maintenance", ""):
        covered = monitors.under(table.text("monitorid"))
        found.setdefault(table.text("maintenanceid"), []).extend(covered)
        for one in ("id", "monitorid", "maintenanceid"):
            table.mapped(one, "monitors")
        table.finish()
    return found


def _take_settings(report: Report, copy: Snapshot) -> Mapping[str, object]:
    found: dict[str, object] = {}
    for at, row in enumerate(copy.rows("setting")):
        key, value = _text(row, "key"), row.get("value")
        if isinstance(value, str):
            found[key] = json_in(value)
        fate, how = _SETTINGS.get(key, (Fate.UNSUPPORTED, _OWN_SETTINGS))
        report.note(key or PROGRAM, f"setting[{at}]", "", fate, how)
    return found


_SETTINGS: Final[Mapping[str, tuple[Fate, str]]] = {
    "serverTimezone": (Fate.MAPPED, "tz"),
    "tlsExpiryNotifyDays": (Fate.APPROXIMATED, _FIRST_DAY),
}


def _certificate_days(settings: Mapping[str, object]) -> int:
    """The first of the days, before a certificate ends, at which it is told; 0 is never."""
    given = settings.get("tlsExpiryNotifyDays")
    if not isinstance(given, list):
        return USUAL_CERTIFICATE_DAYS
    days = [day for day in given if isinstance(day, int) and 0 < day <= _LONGEST_DAYS]
    return max(days, default=0)


def _server_zone(settings: Mapping[str, object]) -> str | None:
    zone = settings.get("serverTimezone")
    return zone if isinstance(zone, str) and zone else None


def _numbered(ids: Mapping[str, str]) -> dict[int, str]:
    return {int(number): ids[number] for number in ids if number.isascii() and number.isdigit()}


def _report_past(report: Report, copy: Snapshot) -> None:
    """Its rows are too many for lines of their own."""
    for table in _PAST:
        if table not in copy.tables:
            continue
        rows, read = copy.count(table), columns_read(copy, table)
        if not read:
            report.note(PROGRAM, table, str(rows), Fate.UNSUPPORTED, _OTHER_COLUMNS)
            continue
        how: Sentence | str = KEPT if table == BEATS else "history"
        fate = Fate.APPROXIMATED if table == BEATS else Fate.MAPPED
        report.note(PROGRAM, table, str(rows), fate, how)
        for column in copy.columns(table):
            if column in read:
                continue
            lost = _RUNS if column == "duration" else NOTHING_LIKE_IT
            why = lost if rows else NOT_IN_USE
            report.note(PROGRAM, f"{table}.{column}", str(rows), Fate.UNSUPPORTED, why)


def _report_rest(report: Report, copy: Snapshot) -> None:
    for table in sorted(copy.tables.difference(_READ, _PAST)):
        how = _ALWAYS if table == "maintenance_status_page" else NOTHING_LIKE_IT
        report.note(PROGRAM, table, str(copy.count(table)), Fate.UNSUPPORTED, how)
