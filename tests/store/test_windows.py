"""Maintenance windows."""

import logging
from dataclasses import replace

import pytest

from tests.store.build import NOW, outside, sqlite3_of
from uptime_desktop.domain.maintenance import CronFor, Mode, OnceAt, Weekly, When, Window
from uptime_desktop.domain.model import HOUR_MS, Cron
from uptime_desktop.store import windows
from uptime_desktop.store.db import Store
from uptime_desktop.store.writer import Writer

ONCE = OnceAt(NOW, NOW + HOUR_MS)
WEEKLY = Weekly(frozenset({0, 6}), 120, HOUR_MS, "Europe/Berlin")


@pytest.mark.parametrize("when", [ONCE, WEEKLY, CronFor(Cron.parse("0 3 1 * *"), HOUR_MS)])
def test_a_window_is_read_as_it_was_written(store: Store, writer: Writer, when: When) -> None:
    window = Window(
        "night",
        "At night",
        when,
        Mode.PAUSE,
        frozenset({"shop", "blog"}),
        frozenset({"home"}),
        is_on=False,
        off_until=NOW,
    )
    writer.call(windows.save_window, window).result()
    assert store.read(windows.all_windows) == (window,)


def test_saving_again_changes_the_window_and_keeps_its_place(store: Store, writer: Writer) -> None:
    first, second = Window("a", "First", ONCE), Window("b", "Second", WEEKLY)
    for window in (first, second, renamed := replace(first, name="Other", when=WEEKLY)):
        writer.call(windows.save_window, window).result()
    assert store.read(windows.all_windows) == (renamed, second)


def test_a_removed_window_is_gone(store: Store, writer: Writer) -> None:
    for window in (Window("a", "First", ONCE), kept := Window("b", "Second", ONCE)):
        writer.call(windows.save_window, window).result()
    for _ in range(2):
        writer.call(windows.remove_window, "a").result()
    assert store.read(windows.all_windows) == (kept,)


@pytest.mark.parametrize(
    "definition", ["{", "[]", "{}", '{"cron": "@daily", "duration": "1h", "tz": "No/Where"}']
)
def test_one_that_cannot_be_read_is_left_out_and_kept(
    store: Store, writer: Writer, definition: str, caplog: pytest.LogCaptureFixture
) -> None:
    for window in (Window("bad", "Bad", ONCE), good := Window("good", "Good", ONCE)):
        writer.call(windows.save_window, window).result()
    change = "UPDATE windows SET definition = ? WHERE id = 'bad'"
    writer.call(lambda db: sqlite3_of(db).execute(change, (definition,))).result()
    with caplog.at_level(logging.ERROR):
        assert store.read(windows.all_windows) == (good,)
    assert "The maintenance window bad cannot be used" in caplog.text
    assert outside(store.path, "SELECT definition FROM windows WHERE id = 'bad'") == [(definition,)]
