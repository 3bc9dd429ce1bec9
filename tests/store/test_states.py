"""What the schedule knows survives, every field of it."""

from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.store.build import NOW, add_monitors, opened, states
from uptime_desktop.domain.model import PauseReason, RuntimeState, Source
from uptime_desktop.domain.records import Change
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution
from uptime_desktop.store import codes
from uptime_desktop.store.db import open_store


def test_a_state_is_read_as_it_was_written(tmp_path: Path) -> None:
    with opened(tmp_path / "uptime.db") as (store, writer):
        (number,) = add_monitors(writer)

        @given(states)
        @settings(max_examples=200, deadline=None)
        def check(state: RuntimeState) -> None:
            writer.submit(Change(number, state))
            assert writer.flush()
            assert store.load().states == {number: state}

        check()


def test_a_state_outlives_the_process(path: Path) -> None:
    state = RuntimeState(Status.DOWN, 3, 4, NOW + 60_000, saved_at=NOW)
    with opened(path) as (_, writer):
        (number,) = add_monitors(writer)
        writer.submit(Change(number, state))
    assert open_store(path, NOW).store.load().states == {number: state}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (codes.STATUS_CODE, Status),
        (codes.SOURCE_CODE, Source),
        (codes.PAUSE_CODE, PauseReason),
        (codes.RESOLUTION_CODE, Resolution),
    ],
)
def test_every_word_has_a_number_of_its_own(
    table: dict[object, int], words: type[Status | Source | PauseReason | Resolution]
) -> None:
    assert set(table) == set(words)
    assert len(set(table.values())) == len(table)


def test_numbers_on_disk_never_change() -> None:
    assert [codes.STATUS_CODE[status] for status in sorted(Status)] == [2, 1, 5, 4, 3, 0]
    assert [codes.SOURCE_CODE[source] for source in sorted(Source)] == [
        1, 0, 7, 6, 5, 2, 3, 8, 9, 4,
    ]  # fmt: skip
    assert [codes.PAUSE_CODE[reason] for reason in sorted(PauseReason)] == [1, 2, 3, 5, 4]
    assert codes.INTERRUPTED not in codes.STATUS
