"""Runs as a table: every run once, readable by any program, harmless in a spreadsheet."""

import csv
import io
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peewee import SqliteDatabase

from tests.store.build import NOW, add_monitors, broke, finished, sqlite3_of
from uptime_desktop.domain.status import Status
from uptime_desktop.store.codes import INTERRUPTED
from uptime_desktop.store.db import Store
from uptime_desktop.store.runs_csv import COLUMNS, write_runs
from uptime_desktop.store.writer import Writer

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def silent(_done: int, _total: int) -> None:
    """Nobody watches."""


def written(store: Store, monitors: list[int] | None = None) -> str:
    file = io.StringIO(newline="")
    store.read(write_runs, file, monitors, silent)
    return file.getvalue()


def cells(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def interrupt(db: SqliteDatabase, number: int, at: int) -> None:
    statement = "INSERT INTO runs VALUES (?, ?, ?, NULL, 0, 1, 8, NULL)"
    sqlite3_of(db).execute(statement, (number, at, INTERRUPTED))


def test_a_run_is_a_line(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(finished(number, NOW))
    writer.submit(broke(number, NOW + 60_001, 'a "no", 2'))
    writer.call(interrupt, number, NOW + 70_000).result()
    assert written(store).split("\r\n") == [
        "site,monitor,name,started_at,status,response_ms,attempts,source,reason",
        "site-0,monitor-0-0,Home,2026-09-21T14:13:20.000Z,up,12.5,1,baseline-interval,",
        'site-0,monitor-0-0,Home,2026-09-21T14:14:20.001Z,down,,1,baseline-interval,"a ""no"", 2"',
        "site-0,monitor-0-0,Home,2026-09-21T14:14:30.000Z,interrupted,,1,manual,",
        "",
    ]


def test_runs_are_chosen_by_monitor(store: Store, writer: Writer) -> None:
    numbers = add_monitors(writer, 3)
    for number in numbers:
        for n in range(2):
            writer.submit(finished(number, NOW + n * 1_000))
    writer.flush()

    def chosen(monitors: list[int] | None) -> list[tuple[str, str]]:
        rows = cells(written(store, monitors))
        return [(row["monitor"][-1], row["started_at"][-7:]) for row in rows]

    assert len(chosen(None)) == 6
    assert chosen([numbers[2], numbers[0], 99]) == [
        ("0", "20.000Z"),
        ("0", "21.000Z"),
        ("2", "20.000Z"),
        ("2", "21.000Z"),
    ]
    assert chosen([]) == []


@pytest.mark.parametrize("first", FORMULA)
def test_no_cell_is_a_formula(store: Store, writer: Writer, first: str) -> None:
    (number,) = add_monitors(writer)
    formula = f"{first}HYPERLINK(A1)"
    writer.submit(finished(number, NOW, Status.DOWN, formula))
    rename = "UPDATE monitors SET name = ?"
    writer.call(lambda db: sqlite3_of(db).execute(rename, (formula,))).result()
    (row,) = cells(written(store))
    assert (row["name"], row["reason"]) == (f"'{formula}", f"'{formula}")


def test_any_reason_comes_out_in_its_cell(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)

    @given(st.lists(st.text(), max_size=5))
    @settings(max_examples=40, deadline=None)
    def check(reasons: list[str]) -> None:
        writer.call(lambda db: sqlite3_of(db).execute("DELETE FROM runs")).result()
        for n, reason in enumerate(reasons):
            writer.submit(finished(number, NOW + n, Status.DOWN, reason))
        writer.flush()
        rows = cells(written(store))
        assert [row["reason"].removeprefix("'") for row in rows] == [
            reason.removeprefix("'") for reason in reasons
        ]
        assert not any(cell.startswith(FORMULA) for row in rows for cell in row.values())

    check()


def test_nothing_is_a_table_with_a_head(store: Store) -> None:
    assert written(store) == ",".join(COLUMNS) + "\r\n"


def test_many_runs_take_little_memory_and_tell_how_far_they_are(
    tmp_path: Path, store: Store, writer: Writer
) -> None:
    numbers = add_monitors(writer, 2)
    runs = [(number, n, 0, 125, 3, 1, 0, None) for number in numbers for n in range(50_000)]
    statement = f"INSERT INTO runs VALUES ({', '.join('?' * 8)})"
    writer.call(lambda db: sqlite3_of(db).executemany(statement, runs)).result()
    told: list[tuple[int, int]] = []
    path = tmp_path / "runs.csv"
    tracemalloc.start()
    with path.open("w", encoding="utf-8", newline="") as file:
        store.read(write_runs, file, None, lambda *how_far: told.append(how_far))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert told[0] == (0, 100_000)
    assert told[-1] == (100_000, 100_000)
    assert told == sorted(told)
    assert peak < 2_000_000
    assert path.read_bytes().count(b"\r\n") == 100_001


class Cancelled(Exception):
    """Somebody changed their mind."""


def test_it_can_be_cancelled(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(finished(number, NOW))
    writer.flush()

    def cancel(done: int, _total: int) -> None:
        if done:
            raise Cancelled

    with pytest.raises(Cancelled):
        store.read(write_runs, io.StringIO(), None, cancel)
    assert len(cells(written(store))) == 1
