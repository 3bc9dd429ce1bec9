"""Opening a file: new, old, from the future, not ours, out of reach."""

import contextlib
import sqlite3
import stat
from pathlib import Path

import peewee
import pytest

from tests.store.build import NOW, add_monitors, finished, opened, outside
from tests.store.places import as_nobody, immutable, locked_by_another_process, small_disk
from uptime_desktop.domain.model import DAY_MS, RuntimeState
from uptime_desktop.domain.records import Change
from uptime_desktop.store import tables
from uptime_desktop.store.db import APPLICATION_ID, open_store
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.files import backups, newest_good_backup, restore_backup
from uptime_desktop.store.migrations import STEPS
from uptime_desktop.store.runs import newest_runs

SCHEMA_1 = Path(__file__).with_name("schema_1.sql")


def test_a_new_file_and_its_folder_are_private(path: Path) -> None:
    with opened(path) as (_, writer):
        add_monitors(writer)
        for file in path.parent.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
        assert len(list(path.parent.iterdir())) == 3
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_folder_that_is_there_keeps_its_permissions(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with opened(tmp_path / "uptime.db"):
        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_the_file_is_set_up_as_designed(path: Path) -> None:
    with opened(path) as (_, writer):
        wanted = {"journal_mode": "wal", "synchronous": 1, "foreign_keys": 1, "page_size": 512}
        for pragma, value in wanted.items():
            assert writer.call(lambda db, p=pragma: db.pragma(p)).result() == (  # type: ignore[misc]
                2 if pragma == "synchronous" else value
            ), "a call is durable, so inside it synchronous is FULL"
    assert outside(path, "PRAGMA application_id") == [(APPLICATION_ID,)]
    assert outside(path, "PRAGMA user_version") == [(len(STEPS),)]


def test_the_tables_are_those_that_the_migrations_made(path: Path) -> None:
    open_store(path, NOW).store.close()
    models = [one for one in vars(tables).values() if isinstance(one, type)]
    for model in models:
        if issubclass(model, peewee.Model) and model is not peewee.Model:
            found = outside(path, f"PRAGMA table_info({model._meta.table_name})")  # noqa: SLF001
            assert [row[1] for row in found] == list(model._meta.columns), model  # noqa: SLF001
            nullable = {str(row[1]) for row in found if not row[3] and not row[5]}
            assert nullable == {
                name
                for name, field in model._meta.columns.items()  # noqa: SLF001
                if field.null
            }, model


def test_a_copy_of_schema_1_is_brought_up_to_date(path: Path) -> None:
    path.parent.mkdir()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA_1.read_text())
    found = open_store(path, NOW)
    assert found.notices == ()
    loaded = found.store.load()
    assert [site.id for site in loaded.sites] == ["shop"]
    assert [row.id for row in loaded.monitors] == ["home", "mail"]
    assert loaded.states[1].next_run_at == 1_790_000_060_000
    assert loaded.settings == {"language": "en"}
    assert loaded.interrupted == {2: 1_789_999_990_000}
    newest, before = found.store.read(newest_runs, 1)
    assert (newest.started_at, newest.reason, before.reason) == (1_790_000_000_000, "refused", "")
    assert outside(path, "SELECT text, used_at FROM reasons") == [("refused", 1_790_000_000_000)]
    found.store.close()


def _add_colour(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE sites ADD COLUMN colour TEXT NOT NULL DEFAULT ''")


def _fail(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE settings")
    raise sqlite3.OperationalError("no")


def test_a_backup_is_made_before_a_migration_and_three_are_kept(path: Path) -> None:
    with opened(path) as (_, writer):
        add_monitors(writer)
    for day in range(5):
        steps = (*STEPS, *[lambda _: None] * (day + 1))
        open_store(path, NOW + day * DAY_MS, steps=steps).store.close()
    found = backups(path)
    now = len(STEPS)
    assert [backup.name for backup in found] == [
        f"uptime.db.backup-20260925T141320Z-v{now + 4}",
        f"uptime.db.backup-20260924T141320Z-v{now + 3}",
        f"uptime.db.backup-20260923T141320Z-v{now + 2}",
    ]
    for backup in found:
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
        assert outside(backup, "SELECT count(*) FROM monitors") == [(1,)]
    assert newest_good_backup(path, now + 5) == found[0]
    assert newest_good_backup(path, now + 3) == found[1]


def test_a_migration_changes_the_file_once(path: Path) -> None:
    open_store(path, NOW).store.close()
    steps = (*STEPS, _add_colour)
    for _ in range(2):
        open_store(path, NOW, steps=steps).store.close()
    assert outside(path, "SELECT colour FROM sites") == []
    assert len(backups(path)) == 1


def test_a_migration_that_fails_leaves_the_file_as_it_was(path: Path) -> None:
    open_store(path, NOW).store.close()
    with pytest.raises(StoreError):
        open_store(path, NOW, steps=(*STEPS, _fail))
    assert outside(path, "SELECT count(*) FROM settings") == [(0,)]
    open_store(path, NOW).store.close()


def test_a_file_of_a_newer_version_is_refused_and_not_touched(path: Path) -> None:
    open_store(path, NOW, steps=(*STEPS, _add_colour)).store.close()
    before = path.read_bytes()
    with pytest.raises(StoreError) as refused:
        open_store(path, NOW)
    assert refused.value.text() == (
        f"{path} was written by a newer version of Uptime Desktop (format {len(STEPS) + 1}, "
        f"this one knows {len(STEPS)}); update Uptime Desktop to open it"
    )
    assert path.read_bytes() == before


def test_another_programs_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "kuma.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE monitor (id INTEGER)")
    path.chmod(0o644)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is another program's database"):
        open_store(path, NOW)
    assert path.read_bytes() == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_no_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("remember the milk\n" * 500)
    with pytest.raises(StoreError, match="is not an Uptime Desktop database"):
        open_store(path, NOW)
    assert path.read_text() == "remember the milk\n" * 500


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder; name a file in it"):
        open_store(tmp_path, NOW)


def test_a_file_that_may_not_be_read_is_refused(path: Path) -> None:
    open_store(path, NOW).store.close()
    path.chmod(0)
    with as_nobody(), pytest.raises(StoreError, match=r"cannot be opened .*Permission denied"):
        open_store(path, NOW)


def test_a_file_that_nobody_may_change_is_refused(path: Path) -> None:
    open_store(path, NOW).store.close()
    with immutable(path), pytest.raises(StoreError, match="cannot be opened for writing"):
        open_store(path, NOW)
    open_store(path, NOW).store.close()


def test_a_disk_too_full_for_a_new_file_is_refused(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 64) as disk:
        (disk / "ballast").write_bytes(bytes(60 * 1_024))
        with pytest.raises(StoreError, match=r"full|cannot be opened"):
            open_store(disk / "uptime.db", NOW)


def test_a_file_locked_by_another_program_is_refused_until_it_is_free(path: Path) -> None:
    open_store(path, NOW).store.close()
    with locked_by_another_process(path), pytest.raises(StoreError) as refused:
        open_store(path, NOW, busy_ms=50)
    assert refused.value.text() == (
        f"{path} is in use by another program; close that program and try again"
    )
    open_store(path, NOW).store.close()


def test_a_run_cut_short_by_a_crash_becomes_an_interrupted_run(path: Path) -> None:
    with opened(path) as (_, writer):
        first, second = add_monitors(writer, 2)
        writer.submit(Change(first, RuntimeState(running_since=NOW, saved_at=NOW)))
        writer.submit(finished(second, NOW))
    for _ in range(2):
        store = open_store(path, NOW + 60_000).store
        assert store.load().interrupted == {first: NOW}
        assert store.load().states[first].running_since == NOW
        store.close()
    assert outside(path, "SELECT monitor, status FROM runs ORDER BY 1") == [(first, 6), (second, 0)]


def test_a_backup_can_be_put_in_the_place_of_the_file(path: Path) -> None:
    with opened(path) as (_, writer):
        add_monitors(writer, 3)
    open_store(path, NOW, steps=(*STEPS, lambda _: None)).store.close()
    (backup,) = backups(path)
    replaced = restore_backup(path, backup, NOW)
    assert outside(replaced, "PRAGMA user_version") == [(len(STEPS) + 1,)]
    with opened(path) as (store, _):
        assert len(store.load().monitors) == 3
