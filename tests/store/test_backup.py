"""A backup is the whole database, comes back as it was, and a bad one changes nothing."""

import contextlib
import hashlib
import io
import json
import sqlite3
import tracemalloc
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peewee import SqliteDatabase

from tests.store.build import (
    NOW,
    add_monitors,
    broke,
    finished,
    opened,
    outside,
    recovered,
    sqlite3_of,
)
from uptime_desktop.domain.alerts import Channel
from uptime_desktop.store.backup import restore_backup, verify_backup, write_backup
from uptime_desktop.store.backup_format import (
    BYTES_A_PART,
    MOST_LINE_BYTES,
    ROWS_A_PART,
    TABLES,
    tables_of,
)
from uptime_desktop.store.channels import save_channel
from uptime_desktop.store.connection import connect
from uptime_desktop.store.db import Store, open_store
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.migrations import STEPS
from uptime_desktop.store.monitors import remove_monitors
from uptime_desktop.store.settings import all_settings, set_setting
from uptime_desktop.store.sites import add_site
from uptime_desktop.store.writer import Writer

SCHEMA_1: Final = Path(__file__).with_name("schema_1.sql")
MADE_AT: Final = NOW + 1
Rows = dict[str, list[tuple[object, ...]]]


def silent(_done: int, _total: int) -> None:
    """Nobody watches."""


def everything(path: Path) -> Rows:
    """All rows but the one that tells whether the file is in use."""
    tables = [str(name) for (name,) in outside(path, "SELECT name FROM sqlite_schema")]
    rows: Rows = {name: outside(path, f"SELECT * FROM {name}") for name in TABLES if name in tables}
    rows["meta"] = [row for row in rows["meta"] if row[0] != "in_use"]
    return rows


def backup_of(store: Store) -> bytes:
    file = io.BytesIO()
    store.read(write_backup, file, MADE_AT, silent)
    return file.getvalue()


def restored(writer: Writer, content: bytes) -> None:
    writer.call(restore_backup, io.BytesIO(content), silent).result()


def sealed(content: bytes) -> bytes:
    """The same with the checksum it should have, as someone who means harm would make it."""
    before, mark, _ = content.rpartition(b'"sha256": "')
    digest = hashlib.sha256(before + mark).hexdigest()
    return before + mark + digest.encode() + b'"}\n'


@pytest.fixture
def content(tmp_path: Path) -> bytes:
    """A small backup."""
    with opened(tmp_path / "small.db") as (store, writer):
        first, second = add_monitors(writer, 2)
        writer.call(set_setting, "language", "en").result()
        writer.submit(finished(first, NOW - 60_000))
        writer.submit(broke(first, NOW))
        writer.submit(recovered(first, NOW + 1))
        writer.submit(finished(second, NOW))
        writer.touch_alive(NOW)
        writer.flush()
        return backup_of(store)


# Whatever is in it

TEXTS: Final = {
    ("sites", "depends_on"): st.sampled_from(["[]", '["other"]']),
    ("sites", "alert"): st.sampled_from(["{}", '{"alert_after": 2}']),
    ("monitors", "definition"): st.dictionaries(st.text(), st.text(), max_size=2).map(json.dumps),
    ("settings", "value"): st.text().map(json.dumps),
    ("windows", "definition"): st.just('{"mode": "silence"}'),
    ("states", "beat"): st.none(),
    ("pings", "signal"): st.sampled_from(["success", "start", "fail"]),
    ("incident_entries", "act"): st.sampled_from(["noted", "snoozed"]),
    ("meta", "key"): st.sampled_from(["last_alive_at", "other"]),
}
CODES: Final = {
    "status": st.integers(0, 6),
    "kind": st.integers(0, 5),
    "severity": st.integers(0, 2),
    "source": st.integers(0, 9),
    "fate": st.integers(0, 3),
    "occasion": st.integers(0, 3),
    "resolution": st.integers(0, 2),
}
REFERS: Final = {"site": "sites", "monitor": "monitors", "incident": "incidents", "alert": "outbox"}
VALUES: Final[dict[str, st.SearchStrategy[Any]]] = {
    "INTEGER": st.integers(-(1 << 63), (1 << 63) - 1),
    "TEXT": st.text(),
    "REAL": st.floats(allow_nan=False, allow_infinity=False),
    "BLOB": st.binary(),
}


@st.composite
def databases(draw: st.DrawFn) -> Rows:
    """Rows for every table, each column of its type, each reference to a row that is there."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        for step in STEPS:
            step(connection)
        columns = {
            name: connection.execute(f"PRAGMA table_info({name})").fetchall() for name in TABLES
        }
    rows: Rows = {}
    for table, its in columns.items():
        found = [_values(table, column, rows) for column in its]
        strategies = [strategy for strategy in found if strategy is not None]
        if len(strategies) == len(its):
            # All monitors that are drawn must be there: roll-ups may refer to any of them.
            unique = (itemgetter(0), itemgetter(1)) if its[1][1] == "id" else None
            rows[table] = draw(st.lists(st.tuples(*strategies), max_size=4, unique_by=unique))
    return rows


def _values(table: str, column: tuple[Any, ...], rows: Rows) -> st.SearchStrategy[Any] | None:
    _, name, declared, is_required, _, key = column
    target = REFERS.get(name)
    values = VALUES[declared]
    if (table, name) in TEXTS:
        values = TEXTS[table, name]
    elif target is not None and declared == "INTEGER":
        numbers = [row[0] for row in rows.get(target, [])]
        return st.sampled_from(numbers) if numbers else None
    elif declared == "INTEGER" and name in CODES:
        values = CODES[name]
    elif name == "number":
        values = st.integers(1, 1_000_000)
    return values if is_required or key else st.none() | values


def test_any_database_comes_back_as_it_was(tmp_path: Path) -> None:
    numbers = count()

    @given(databases())
    @settings(max_examples=60, deadline=None)
    def check(rows: Rows) -> None:
        folder = tmp_path / str(next(numbers))
        with opened(folder / "old.db") as (store, writer):
            writer.call(_fill, rows).result()
            content = backup_of(store)
            summary = verify_backup(io.BytesIO(content))
            before = everything(folder / "old.db")
        assert summary.made_at == MADE_AT
        assert summary.rows == {name: len(its) for name, its in before.items()}
        with opened(folder / "new.db") as (_, writer):
            restored(writer, content)
            assert everything(folder / "new.db") == before

    check()


def _fill(db: SqliteDatabase, rows: Rows) -> None:
    connection = sqlite3_of(db)
    for table, its in rows.items():
        for row in its:
            places = ", ".join("?" * len(row))
            # A row that was drawn twice is there once, and what refers to none is not.
            with contextlib.suppress(sqlite3.IntegrityError):
                connection.execute(f"INSERT INTO {table} VALUES ({places})", row)


def test_every_table_is_in_a_backup(path: Path) -> None:
    open_store(path, NOW).store.close()
    found = outside(path, "SELECT name FROM sqlite_schema WHERE type = 'table'")
    assert {name for (name,) in found} == {*TABLES, "sqlite_sequence"}
    assert list(tables_of(len(STEPS))) == list(TABLES)


def test_a_backup_is_one_json_document_in_lines(content: bytes) -> None:
    document = json.loads(content)
    assert list(document) == ["format", "version", "schema", "made_at", "parts", "rows", "sha256"]
    assert document["schema"] == len(STEPS)
    assert document["made_at"] == "2026-09-21T14:13:20.001Z"
    assert document["rows"] == sum(len(part["rows"]) for part in document["parts"])
    lines = content.splitlines()
    assert [json.loads(line.rstrip(b",")) for line in lines[1:-2]] == document["parts"]
    assert content == sealed(content)


def test_a_backup_of_nothing_is_a_backup(store: Store, tmp_path: Path) -> None:
    content = backup_of(store)
    assert json.loads(content)["parts"] == []
    with opened(tmp_path / "other.db") as (_, writer):
        restored(writer, content)


def test_the_history_belongs_to_its_monitor_and_numbers_go_on(
    store: Store, writer: Writer, content: bytes
) -> None:
    restored(writer, content)
    assert [row.number for row in store.load().monitors] == [1, 2]
    assert add_monitors(writer) == [3]
    writer.submit(finished(3, NOW))
    assert writer.flush()
    assert backup_of(store) != content


def test_a_backup_is_of_one_moment(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(finished(number, NOW))
    writer.flush()

    def meanwhile(_done: int, _total: int) -> None:
        add_monitors(writer)

    file = io.BytesIO()
    store.read(write_backup, file, MADE_AT, meanwhile)
    rows = verify_backup(file).rows
    assert (rows["monitors"], rows["runs"]) == (1, 1)
    assert len(store.load().monitors) > 1


def test_rollups_of_a_removed_monitor_stay_behind(store: Store, writer: Writer) -> None:
    kept, removed = add_monitors(writer, 2)
    for number in (kept, removed):
        writer.call(_roll_up, number).result()
    writer.call(remove_monitors, [removed]).result()
    parts = {part["table"]: part["rows"] for part in json.loads(backup_of(store))["parts"]}
    assert [row[2] for row in parts["rollups"]] == [kept]


def _roll_up(db: SqliteDatabase, number: int) -> None:
    row = (0, 7, number, 1, 0, 0, 0, None, None, 0, None)
    sqlite3_of(db).execute(f"INSERT INTO rollups VALUES ({', '.join('?' * 11)})", row)


def test_a_restored_database_has_the_settings_of_the_backup_and_no_remains(
    store: Store, writer: Writer, content: bytes, path: Path
) -> None:
    (number,) = add_monitors(writer)
    writer.call(_roll_up, number).result()
    writer.submit(broke(number, NOW, "some other reason"))
    writer.call(remove_monitors, [number]).result()
    writer.call(lambda db: sqlite3_of(db).execute("DELETE FROM sites")).result()
    writer.call(set_setting, "language", "zh_CN").result()
    writer.call(set_setting, "theme", "dark").result()
    restored(writer, content)
    assert store.read(all_settings) == {"language": "en"}
    assert outside(path, "SELECT text FROM reasons") == [("refused",)]
    assert outside(path, "SELECT * FROM rollups") == []
    assert outside(path, "SELECT value FROM meta WHERE key = 'in_use'") == [(1,)]
    assert backup_of(store) == content


@pytest.mark.parametrize("schema", range(1, len(STEPS)))
def test_a_backup_of_an_older_schema_becomes_what_migration_makes_of_it(
    tmp_path: Path, schema: int
) -> None:
    old = tmp_path / "old.db"
    with contextlib.closing(sqlite3.connect(old)) as connection:
        connection.executescript(SCHEMA_1.read_text())
        for step in STEPS[1:schema]:
            step(connection)
        connection.execute(f"PRAGMA user_version = {schema}")
        connection.commit()
        file = io.BytesIO()
        db = connect(old, read_only=True)
        write_backup(db, file, MADE_AT, silent)
        db.close()
        for step in STEPS[schema:]:
            step(connection)
        connection.commit()
    verify_backup(file)
    with opened(tmp_path / "new.db") as (_, writer):
        restored(writer, file.getvalue())
        assert everything(tmp_path / "new.db") == everything(old)


# Progress, size, cancelling


class Cancelled(Exception):
    """Somebody changed their mind."""


def _cancel(done: int, _total: int) -> None:
    if done:
        raise Cancelled


def test_progress_ends_where_it_says(
    store: Store, writer: Writer, content: bytes, tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    restoring = writer.call(
        restore_backup, io.BytesIO(content), lambda *progress: told.append(progress)
    )
    restoring.result()
    assert told[-1] == (len(content), len(content))
    told.clear()
    with (tmp_path / "backup.json").open("wb") as file:
        store.read(write_backup, file, MADE_AT, lambda *progress: told.append(progress))
    total = verify_backup(io.BytesIO(content)).rows
    assert told[0] == (0, sum(total.values()))
    assert told[-1] == (sum(total.values()), sum(total.values()))
    assert told == sorted(told)


def test_cancelling_leaves_everything_as_it_was(
    store: Store, writer: Writer, content: bytes, path: Path
) -> None:
    before = everything(path)
    with pytest.raises(Cancelled):
        writer.call(restore_backup, io.BytesIO(content), _cancel).result()
    assert everything(path) == before
    restored(writer, content)
    with pytest.raises(Cancelled):
        store.read(write_backup, io.BytesIO(), MADE_AT, _cancel)
    assert backup_of(store) == content


def test_a_long_backup_takes_little_memory(tmp_path: Path, writer: Writer, store: Store) -> None:
    (number,) = add_monitors(writer)
    runs = [(number, n, 0, 125, 3, 1, 0, None) for n in range(100_000)]
    statement = f"INSERT INTO runs VALUES ({', '.join('?' * 8)})"
    writer.call(lambda db: sqlite3_of(db).executemany(statement, runs)).result()
    file_path = tmp_path / "backup.json"
    tracemalloc.start()
    with file_path.open("wb") as written:
        store.read(write_backup, written, MADE_AT, silent)
    with file_path.open("rb") as read:
        assert verify_backup(read).rows["runs"] == 100_000
        with opened(tmp_path / "other.db") as (_, other):
            other.call(restore_backup, read, silent).result()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert file_path.stat().st_size > 2_500_000
    assert peak < 2_000_000
    lines = json.loads(file_path.read_bytes())["parts"]
    assert max(len(part["rows"]) for part in lines) == ROWS_A_PART


def test_large_rows_are_in_parts_of_their_own(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    add = "INSERT INTO evidence (monitor, is_good, started_at, document) VALUES (?, 0, ?, ?)"
    rows = [(number, n, b"x" * (BYTES_A_PART // 2)) for n in range(4)]
    writer.call(lambda db: sqlite3_of(db).executemany(add, rows)).result()
    content = backup_of(store)
    parts = [part for part in json.loads(content)["parts"] if part["table"] == "evidence"]
    assert len(parts) == 4
    too_large = [(number, 4, b"x" * MOST_LINE_BYTES)]
    writer.call(lambda db: sqlite3_of(db).executemany(add, too_large)).result()
    with pytest.raises(StoreError, match="the table evidence has a row that is too large"):
        backup_of(store)


def test_what_could_not_be_restored_is_not_backed_up(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    statement = "INSERT INTO runs VALUES (?, 'yesterday', 0, 125, 3, 1, 0, NULL)"
    writer.call(lambda db: sqlite3_of(db).execute(statement, (number,))).result()
    with pytest.raises(StoreError, match="the table runs holds what no backup can: Expected `int`"):
        backup_of(store)


# Refused


@pytest.mark.parametrize(
    "define",
    [
        lambda db: add_site(db, "shop", "Shop"),
        lambda db: save_channel(db, Channel("mail", "Mail", "secret:mail", True)),
        lambda db: sqlite3_of(db).execute("INSERT INTO windows VALUES (1, 'night', '{}')"),
    ],
)
def test_a_backup_is_restored_only_where_nothing_is_defined(
    writer: Writer, content: bytes, path: Path, define: Any
) -> None:
    writer.call(define).result()
    before = everything(path)
    with pytest.raises(StoreError, match="a backup can only be restored where there are no sites"):
        restored(writer, content)
    assert everything(path) == before


def test_a_backup_cut_anywhere_is_refused(writer: Writer, content: bytes, path: Path) -> None:
    before = everything(path)
    for end in range(len(content)):
        with pytest.raises(StoreError) as refused:
            verify_backup(io.BytesIO(content[:end]))
        assert "\n" not in refused.value.text()
    for end in range(0, len(content), 50):
        with pytest.raises(StoreError):
            restored(writer, content[:end])
    assert everything(path) == before


def test_a_backup_with_any_byte_changed_is_refused(content: bytes) -> None:
    for at in range(len(content)):
        changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
        with pytest.raises(StoreError):
            verify_backup(io.BytesIO(changed))


HOME: Final = b'[1,"site-0","Shop",1,"[]","{}"]'
RUN: Final = b"[1,1789999940000,0,125,3,1,0,null]"
SITES: Final = b'{"table": "sites", "columns": '
SCHEMA: Final = b'"schema": %d' % len(STEPS)
HOSTILE: Final = {
    "another format": (b"uptime-desktop-backup", b"kuma-backup", "is not a backup"),
    "a newer format": (b'"version": 1', b'"version": 2', "by a newer version"),
    "an older format": (b'"version": 1', b'"version": 0', "does not begin as a backup does"),
    "a newer schema": (SCHEMA, b'"schema": 999', "by a newer version"),
    "no schema": (SCHEMA, b'"schema": 0', "does not begin as a backup does"),
    "no such day": (b"2026-09-21", b"2026-02-31", "not a date and time of the calendar"),
    "an unknown table": (b'"sites"', b'"secrets"', "there is no table secrets"),
    "an internal table": (b'"sites"', b'"sqlite_schema"', "there is no table sqlite_schema"),
    "an unknown column": (b'"depends_on"', b'"depends"', "sites has other columns"),
    "one column less": (b'"name", "is_active", ', b'"name", ', "sites has other columns"),
    "a million columns": (b'"depends_on"', b'"x", ' * 1_000_000 + b'"x"', "other columns"),
    "a key twice": (SITES, b'{"table": "sites", "table": "sites", "columns": ', "not a part"),
    "rows twice": (HOME + b"]", HOME + b'], "rows": []', "JSON is malformed"),
    "one value less": (HOME, b'[1,"site-0","Shop",1,"[]"]', "of length 6"),
    "nothing where something must be": (HOME, b'[1,null,"Shop",1,"[]","{}"]', "Expected `str`"),
    "a truth for a number": (HOME, b'[1,"site-0","Shop",true,"[]","{}"]', "Expected `int`"),
    "a number for a text": (HOME, b'[1,7,"Shop",1,"[]","{}"]', "Expected `str`"),
    "a number too large": (RUN, RUN.replace(b"125", b"9223372036854775808"), "Expected `int"),
    "a number too small": (RUN, RUN.replace(b"125", b"-9223372036854775809"), "Expected `int"),
    "a number without end": (RUN, RUN.replace(b"125", b"9" * 100_000), "out of range"),
    "half a number": (RUN, RUN.replace(b"125", b"12.5"), "Expected `int | null`, got `float`"),
    "deep nesting": (RUN, b"[" * 100_000 + b"]" * 100_000, "got `array`"),
    "no such status": (RUN, RUN.replace(b"000,0,", b"000,99,"), "Expected `int` <= 6"),
    "a NUL": (b'"Shop"', b'"Sh\0p"', "JSON is malformed"),
    "half a character": (b'"Shop"', b'"Sh\xc3p"', "codec can't decode"),
    "half a pair": (b'"Shop"', rb'"Sh\ud800p"', "JSON is malformed"),
    "wrong base64": (b'0,1790000000000,"e', b'0,1790000000000,"!', "Invalid base64"),
    "something between": (b'\n{"table": "sites"', b'\n{}\n{"table": "sites"', "not a part"),
    "a wrong count": (b'\n"rows": ', b'\n"rows": 1', "changed or damaged"),
    "a line without end": (b'"Shop"', b'"' + b"x" * MOST_LINE_BYTES + b'"', "it is too long"),
    "no such site": (HOME, HOME.replace(b"[1,", b"[7,"), "in the table monitors: FOREIGN KEY"),
    "a site twice": (HOME, HOME + b"," + HOME, "in the table sites: UNIQUE"),
    "the mark of a file in use": (b'"last_alive_at"', b'"in_use"', "in the table meta: UNIQUE"),
    "a definition that is none": (rb'"{\"every\"', rb'"[\"every\"', "definition that cannot be"),
    "a rule that is none": (HOME, HOME.replace(b"{}", b"7"), "definition that cannot be read"),
    "a nested setting": (
        rb'"\"en\""',
        b'"' + b"[" * 100_000 + b"]" * 100_000 + b'"',
        "definition that cannot be read",
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_backup_is_refused_in_a_sentence(
    writer: Writer, content: bytes, path: Path, what: str
) -> None:
    good, bad, sentence = HOSTILE[what]
    assert good in content
    before, _, after = content.partition(good)
    as_it_was = everything(path)
    with pytest.raises(StoreError) as refused:
        restored(writer, sealed(before + bad + after))
    assert sentence in refused.value.text()
    assert "\n" not in refused.value.text()
    assert everything(path) == as_it_was
    restored(writer, content)


def test_parts_out_of_order_are_refused(content: bytes) -> None:
    lines = content.split(b"\n")
    sites = next(n for n, line in enumerate(lines) if line.startswith(SITES))
    lines[sites], lines[sites + 1] = lines[sites + 1], lines[sites]
    with pytest.raises(StoreError, match="sites is not in its place"):
        verify_backup(io.BytesIO(sealed(b"\n".join(lines))))


def test_nothing_may_follow(content: bytes) -> None:
    with pytest.raises(StoreError, match="it does not end as a backup does"):
        verify_backup(io.BytesIO(content + b"\n"))


HEADER: Final = (
    b'{"format": "uptime-desktop-backup", "version": 1, '
    + SCHEMA
    + b', "made_at": "2026-09-21T14:13:20Z", "parts": [\n'
)
BEGINNINGS: Final = (b"", HEADER, HEADER + tables_of(len(STEPS))["open_buckets"].head + b"[")


@pytest.mark.parametrize("beginning", BEGINNINGS, ids=len)
@pytest.mark.parametrize("filler", [b"\0", b"\n", b"[0,0,0],", b"\xff", b"{"])
def test_garbage_of_any_size_takes_little_memory(
    tmp_path: Path, beginning: bytes, filler: bytes
) -> None:
    path = tmp_path / "garbage.json"
    path.write_bytes(beginning + filler * (3 * MOST_LINE_BYTES // len(filler)))
    tracemalloc.start()
    with path.open("rb") as file, pytest.raises(StoreError):
        verify_backup(file)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * MOST_LINE_BYTES
