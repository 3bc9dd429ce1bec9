"""Single runs as a table for other programs (RFC 4180).

A spreadsheet takes some texts for formulas, and names and reasons can be anybody's: such a text
gets an apostrophe in front.
"""

import csv
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, TextIO

from peewee import SqliteDatabase

from uptime_desktop.long_work import Progress
from uptime_desktop.store.codes import INTERRUPTED, SOURCE, STATUS
from uptime_desktop.store.connection import raw

COLUMNS: Final = (
    *("site", "monitor", "name", "started_at", "status", "response_ms", "attempts", "source"),
    "reason",
)
_ROWS_A_STEP: Final = 1_000
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - all is in UTC, and says so
_STATUS: Final = {**STATUS, INTERRUPTED: "interrupted"}
_COUNT: Final = "SELECT count(*) FROM runs WHERE monitor = ?"
_RUNS: Final = """
SELECT runs.started_at, runs.status, runs.response_tenths, runs.attempts, runs.source, reasons.text
FROM runs LEFT JOIN reasons ON reasons.number = runs.reason WHERE runs.monitor = ?
ORDER BY runs.started_at
"""
_MONITORS: Final = """
SELECT monitors.number, sites.id, monitors.id, monitors.name
FROM monitors JOIN sites ON sites.number = monitors.site ORDER BY monitors.number
"""

_Run = tuple[int, int, int | None, int, int, str | None]


def write_runs(
    db: SqliteDatabase,
    file: TextIO,
    monitors: Sequence[int] | None,
    progress: Progress,
) -> None:
    """Write the runs of some monitors (None: of all), monitor by monitor, oldest first.

    The file must be open without translation of line ends (`newline=""`). `progress` is told how
    many rows are done of how many; what it raises ends the work.
    """
    connection = raw(db)
    wanted = None if monitors is None else frozenset(monitors)
    named = {
        number: names
        for number, *names in connection.execute(_MONITORS)
        if wanted is None or number in wanted
    }
    total = sum(connection.execute(_COUNT, (number,)).fetchone()[0] for number in named)
    table = csv.writer(file, lineterminator="\r\n")
    table.writerow(COLUMNS)
    done = 0
    progress(done, total)
    for number, names in named.items():
        whose = [_safe(name) for name in names]
        runs = connection.execute(_RUNS, (number,))
        while rows := runs.fetchmany(_ROWS_A_STEP):
            table.writerows((*whose, *_cells(row)) for row in rows)
            done += len(rows)
            progress(done, total)


def _cells(run: _Run) -> tuple[str, ...]:
    started_at, status, tenths, attempts, source, reason = run
    return (
        _instant(started_at),
        _STATUS[status],
        "" if tenths is None else f"{tenths / 10:.1f}",
        str(attempts),
        SOURCE[source],
        _safe(reason or ""),
    )


def _instant(instant_ms: int) -> str:
    """With milliseconds even where there are none: a column has one form."""
    return (_EPOCH + timedelta(milliseconds=instant_ms)).isoformat(timespec="milliseconds") + "Z"


def _safe(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
