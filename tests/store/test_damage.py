"""A damaged file is set aside, never deleted, and what can be saved of it is."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.build import NOW, add_monitors, finished, opened, outside
from uptime_desktop.store.db import open_store
from uptime_desktop.store.migrations import STEPS
from uptime_desktop.store.settings import set_setting


def _fill(path: Path) -> None:
    with opened(path) as (_, writer):
        numbers = add_monitors(writer, 5)
        writer.call(set_setting, "language", "en").result()
        for n in range(3_000):
            writer.submit(finished(numbers[n % 5], NOW + n * 1_000))


def _root_page(path: Path, table: str) -> int:
    ((page,),) = outside(path, "SELECT rootpage FROM sqlite_master WHERE name = ?", table)
    assert isinstance(page, int)
    return page


def _overwrite(path: Path, offset: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(content)


def _break_runs(path: Path) -> None:
    _overwrite(path, (_root_page(path, "runs") - 1) * 512, b"\xff" * 512)


def _break_monitors(path: Path) -> None:
    _overwrite(path, (_root_page(path, "monitors") - 1) * 512, b"\xff" * 512)


def _break_schema(path: Path) -> None:
    _overwrite(path, 100, b"\xff" * 300)


def _truncate(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2 // 512 * 512)


def _truncate_inside_a_page(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(5_000)


@pytest.mark.parametrize(
    "damage", [_break_monitors, _break_schema, _truncate, _truncate_inside_a_page]
)
def test_damage_that_shows_at_once_is_set_aside(path: Path, damage: Callable[[Path], None]) -> None:
    _fill(path)
    damage(path)
    broken = path.read_bytes()
    found = open_store(path, NOW)
    aside = path.with_name("uptime.db.damaged-20260921T141320Z")
    assert found.notices[0] == f"{path} was damaged and has been set aside as {aside.name}."
    assert aside.read_bytes() == broken
    assert found.backup is None
    with_writer = found.store.start_writer(lambda: NOW)
    assert add_monitors(with_writer)
    assert found.store.close() == 0


def test_damage_in_history_is_found_after_a_crash_and_the_monitors_are_saved(path: Path) -> None:
    _fill(path)
    _crash(path)
    _break_runs(path)
    found = open_store(path, NOW)
    assert found.notices[1] == "A new file has 5 of its monitors, without their history."
    loaded = found.store.load()
    assert len(loaded.monitors) == 5
    assert set(loaded.states) == {row.number for row in loaded.monitors}
    assert loaded.settings == {"language": "en"}
    found.store.close()
    assert len(list(path.parent.glob("*.damaged-*"))) == 1


def _crash(path: Path) -> None:
    """Leave the file as a process does that opened it and was killed."""
    open_store(path, NOW)


def test_after_a_clean_exit_history_is_not_read_through(path: Path) -> None:
    _fill(path)
    _break_runs(path)
    found = open_store(path, NOW)
    assert found.notices == ()
    found.store.close()


def test_the_newest_good_backup_is_offered(path: Path) -> None:
    _fill(path)
    for day in range(2):
        steps = (*STEPS, *[lambda _: None] * (day + 1))
        open_store(path, NOW + day * 86_400_000, steps=steps).store.close()
    steps = (*STEPS, *[lambda _: None] * 2)
    newest, older = sorted(path.parent.glob("*.backup-*"), reverse=True)
    _truncate(newest)
    _break_schema(path)
    found = open_store(path, NOW, steps=steps)
    assert found.backup == older
    assert found.notices[-1] == (f"The backup {older.name} is whole and can be put in its place.")
    found.store.close()


@pytest.mark.parametrize("content", [b"", b"\0" * 4_096, b"not a database at all"])
def test_a_file_emptied_or_overwritten_is_ours_if_backups_say_so(
    path: Path, content: bytes
) -> None:
    _fill(path)
    open_store(path, NOW, steps=(*STEPS, lambda _: None)).store.close()
    path.write_bytes(content)
    found = open_store(path, NOW)
    assert "set aside" in found.notices[0]
    assert found.backup is not None
    found.store.close()


def test_an_empty_file_is_a_new_one(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    found = open_store(path, NOW)
    assert found.notices == ()
    assert found.store.load().monitors == ()
    found.store.close()


def test_an_emptied_file_with_a_log_is_set_aside_with_its_log(path: Path) -> None:
    _fill(path)
    path.with_name("uptime.db-wal").write_bytes(b"\1" * 100)
    path.write_bytes(b"")
    found = open_store(path, NOW)
    assert "set aside" in found.notices[0]
    assert path.with_name("uptime.db.damaged-20260921T141320Z-wal").read_bytes() == b"\1" * 100
    found.store.close()


@pytest.mark.parametrize("seed", range(25))
def test_flipped_bytes_never_raise_anything_but_a_sentence(path: Path, seed: int) -> None:
    _fill(path)
    _crash(path)
    chance = random.Random(seed)
    content = bytearray(path.read_bytes())
    for _ in range(20):
        content[chance.randrange(100, len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    found = open_store(path, NOW)
    found.store.load()
    found.store.close()
    if found.notices:
        (aside,) = path.parent.glob("*.damaged-*Z")
        assert aside.read_bytes() == content
