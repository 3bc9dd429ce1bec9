"""The preview: what the domain foretells, a moment after the last key."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.fakes import FakeClock
from tests.gui.dialog_rig import rigged, until
from uptime_desktop.domain.model import Monitor, Setting
from uptime_desktop.gui.dialogs.draft import timed
from uptime_desktop.gui.dialogs.forecast import Forecast, forecast
from uptime_desktop.gui.dialogs.schedule_preview import SchedulePreview

pytestmark = pytest.mark.asyncio

NOON = int(datetime(2026, 11, 18, 12, 0, 10, tzinfo=UTC).timestamp()) * 1_000


def monitor_with(**given: Setting) -> Monitor:
    return timed(given, NOON)


async def foretold(monitor: Monitor, running_ms: float = 0, planned: int | None = None) -> Forecast:
    return await forecast(monitor, NOON, UTC, running_ms, planned)


def waits(made: Forecast) -> list[str]:
    return [
        f"{rung.failures}{'+' if rung.is_last else ''} {rung.wait_ms // 1_000}"
        f"{' cap' if rung.is_cap else ''}"
        for rung in made.ladder
    ]


@pytest.mark.parametrize(
    ("given", "seconds", "a_day"),
    [
        ({"every": "60s"}, [0, 60, 120, 180], 1440),
        ({"every": "2d"}, [0, 172_800, 345_600, 518_400], 0),
        ({"every": "60s", "cadence": "grid", "anchor": "2026-01-01T00:00:00Z"}, [0, 50, 110], 1440),
        ({"cron": "0 13-15 * * *"}, [3590, 7190, 10790], 3),
        ({"cron": "*/5 * 9-17 * * *"}, [0, 5, 10], 6_480),
        ({"at": "2026-11-18T12:01:00Z"}, [50], None),
    ],
)
async def test_the_next_runs_and_how_many_a_day(
    given: dict[str, Setting], seconds: list[int], a_day: int | None
) -> None:
    made = await foretold(monitor_with(**given))
    runs = [(run - NOON) // 1_000 for run in made.runs]
    assert runs[: len(seconds)] == seconds
    assert made.a_day == a_day


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"every": "60s"}, ["0 60", "1 120", "2 240", "3 480", "4 960", "5 1920", "6+ 3600 cap"]),
        (
            {"every": "60s", "backoff": "capped32", "max_interval": "5m"},
            ["0 60", "1 120", "2 240", "3+ 300 cap"],
        ),
        (
            {"every": "60s", "backoff": "ladder"},
            ["0 60", "1 60", "2 60", "3 300", "4 900", "5+ 3600"],
        ),
        ({"every": "10m", "backoff": "fixed"}, ["0 600", "1+ 300"]),
        ({"every": "60s", "backoff": "fixed"}, []),
        ({"every": "60s", "backoff": "none"}, []),
        ({"cron": "0 * * * *"}, []),
        ({"at": "2026-11-19T00:00:00Z"}, []),
        (
            {"every": "5s", "backoff_cap": "30d"},
            ["0 5", "1 10", "2 20", "3 40", "4 80", "5 160", "19+ 2592000 cap"],
        ),
    ],
)
async def test_the_waits_after_failures(given: dict[str, Setting], expected: list[str]) -> None:
    assert waits(await foretold(monitor_with(**given))) == expected


async def test_an_interval_counts_from_the_end_of_a_run() -> None:
    assert (await foretold(monitor_with(every="60s"), running_ms=207)).a_day == 1_435


async def test_a_run_that_is_planned_comes_first() -> None:
    made = await foretold(monitor_with(every="60s"), planned=NOON + 7_000)
    assert [(run - NOON) // 1_000 for run in made.runs] == [7, 67, 127, 187]


@pytest.mark.usefixtures("qapp")
async def test_it_is_said_in_words(tmp_path: Path) -> None:
    async with rigged(tmp_path, FakeClock(NOON)) as rig:
        preview = SchedulePreview(rig.app, rig.tasks)
        preview.follow(monitor_with(every="60s"))
        await until(lambda: preview.forecast)
        notes = [note.text() for _, note in preview.rows]
        assert notes == ["at once", "± 6 s", "", ""]
        assert preview.summary.text() == "then about 1,440 a day"
        assert preview.after_failures.text() == "One success returns to every 60 s."
        assert preview.ladder.accessibleName() == (
            "Waits: normal 60 s, 1 failure 2 min, 2 failures 4 min, 3 failures 8 min, "
            "4 failures 16 min, 5 failures 32 min, 6 or more 1 h, cap"
        )
        preview.follow(monitor_with(every="60s", backoff="ladder"))
        await until(lambda: "pauses after 5" in preview.after_failures.text())
        preview.follow(monitor_with(at="2026-11-19T00:00:00Z"))
        await until(lambda: preview.summary.text() == "then it pauses")
        assert preview.ladder.isHidden()
        preview.close_down()


@pytest.mark.usefixtures("qapp")
async def test_only_what_was_typed_last_is_worked_out(tmp_path: Path) -> None:
    async with rigged(tmp_path, FakeClock(NOON)) as rig:
        preview = SchedulePreview(rig.app, rig.tasks)
        shown: list[int] = []
        for seconds in (5, 50, 500):
            preview.follow(monitor_with(every=f"{seconds}s"))
        assert preview.forecast is None
        await until(lambda: preview.forecast)
        assert preview.forecast is not None
        shown.append(preview.forecast.runs[1] - preview.forecast.runs[0])
        assert shown == [500_000]


@pytest.mark.usefixtures("qapp")
async def test_what_is_not_valid_has_no_preview(tmp_path: Path) -> None:
    async with rigged(tmp_path, FakeClock(NOON)) as rig:
        preview = SchedulePreview(rig.app, rig.tasks)
        preview.follow(monitor_with(every="60s"))
        preview.withhold("No preview: Interval is not valid.")
        assert preview.forecast is None
        assert preview.summary.text() == "No preview: Interval is not valid."
        assert all(time.isHidden() for time, _ in preview.rows)
        assert preview.ladder.isHidden()


async def test_slots_are_those_of_the_zone_that_was_named() -> None:
    made = await foretold(monitor_with(cron="0 9 * * *", tz="Europe/Berlin"))
    local = [datetime.fromtimestamp(at // 1_000, ZoneInfo("Europe/Berlin")) for at in made.runs]
    assert {(moment.hour, moment.minute) for moment in local} == {(9, 0)}
