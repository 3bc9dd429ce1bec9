"""What cron jobs do when clocks change, as in Debian cron."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tests.domain.build import at
from uptime_desktop.domain.cron import CronExpression


def on_the_wall(text: str, zone_name: str, day: str, count: int) -> list[str]:
    """The runs from midnight of a day on: day, time on the wall, offset from UTC."""
    zone = ZoneInfo(zone_name)
    start = datetime.fromisoformat(day).replace(tzinfo=zone)
    expression, second, found = CronExpression(text), int(start.timestamp()) - 1, []
    for _ in range(count):
        second = expression.next_after(second, zone)
        found.append(datetime.fromtimestamp(second, zone).strftime("%d %H:%M%z"))
    return found


SPRING, AUTUMN = "2026-03-29", "2026-10-25"  # Berlin: 02:00 -> 03:00 and 03:00 -> 02:00


@pytest.mark.parametrize(
    ("text", "zone", "day", "expected"),
    [
        # A fixed-time job inside the gap runs once, at its end.
        ("30 2 * * *", "Europe/Berlin", SPRING, "29 03:00+0200, 30 02:30+0200"),
        ("0 2 * * *", "Europe/Berlin", SPRING, "29 03:00+0200, 30 02:00+0200"),
        ("0,20,40 2 * * *", "Europe/Berlin", SPRING, "29 03:00+0200, 30 02:00+0200"),
        ("30 2,3 * * *", "Europe/Berlin", SPRING, "29 03:00+0200, 29 03:30+0200"),
        ("0,30 2,3 * * *", "Europe/Berlin", SPRING, "29 03:00+0200, 29 03:30+0200"),
        ("0 30 2 * * *", "Europe/Berlin", SPRING, "29 03:00+0200, 30 02:30+0200"),
        ("0-59/15 2 * * *", "Europe/Berlin", SPRING, "29 03:00+0200, 30 02:00+0200"),
        # Inside the fold it runs the first time only.
        ("30 2 * * *", "Europe/Berlin", AUTUMN, "25 02:30+0200, 26 02:30+0100"),
        ("0 2,3 * * *", "Europe/Berlin", AUTUMN, "25 02:00+0200, 25 03:00+0100"),
        # Any other job follows real time: never in the gap, twice in the fold.
        ("*/15 2 * * *", "Europe/Berlin", SPRING, "30 02:00+0200, 30 02:15+0200"),
        (
            "*/30 * * * *",
            "Europe/Berlin",
            SPRING,
            "29 00:00+0100, 29 00:30+0100, 29 01:00+0100, 29 01:30+0100, 29 03:00+0200",
        ),
        (
            "*/30 2 * * *",
            "Europe/Berlin",
            AUTUMN,
            "25 02:00+0200, 25 02:30+0200, 25 02:00+0100, 25 02:30+0100, 26 02:00+0100",
        ),
        ("30 */2 * * *", "Europe/Berlin", SPRING, "29 00:30+0100, 29 04:30+0200"),
        (
            "30 */2 * * *",
            "Europe/Berlin",
            AUTUMN,
            "25 00:30+0200, 25 02:30+0200, 25 02:30+0100, 25 04:30+0100",
        ),
        ("* * 1 1 *", "Europe/Berlin", SPRING, "01 00:00+0100, 01 00:01+0100"),
        # Half an hour on Lord Howe Island.
        (
            "15,45 1,2 * * *",
            "Australia/Lord_Howe",
            "2026-10-04",
            "04 01:15+1030, 04 01:45+1030, 04 02:30+1100, 04 02:45+1100",
        ),
        (
            "15,45 1 * * *",
            "Australia/Lord_Howe",
            "2026-04-05",
            "05 01:15+1100, 05 01:45+1100, 06 01:15+1030",
        ),
        (
            "15,45 * * * *",
            "Australia/Lord_Howe",
            "2026-04-05",
            "05 00:15+1100, 05 00:45+1100, 05 01:15+1100, 05 01:45+1100, 05 01:45+1030",
        ),
        # A change at midnight, in Santiago.
        ("0 0 * * *", "America/Santiago", "2026-09-05", "05 00:00-0400, 06 01:00-0300"),
        # Apia had no 30 December 2011.
        (
            "0 12 * * *",
            "Pacific/Apia",
            "2011-12-29",
            "29 12:00-1000, 31 00:00+1400, 31 12:00+1400, 01 12:00+1400",
        ),
        (
            "0 */12 * * *",
            "Pacific/Apia",
            "2011-12-29",
            "29 00:00-1000, 29 12:00-1000, 31 00:00+1400, 31 12:00+1400",
        ),
        ("0 0 30 12 *", "Pacific/Apia", "2011-12-29", "31 00:00+1400, 30 00:00+1400"),
    ],
)
def test_when_clocks_change(text: str, zone: str, day: str, expected: str) -> None:
    runs = expected.split(", ")
    assert on_the_wall(text, zone, day, len(runs)) == runs


def test_an_early_wake_does_not_fire_a_fixed_job_again_in_the_second_pass() -> None:
    berlin, job = ZoneInfo("Europe/Berlin"), CronExpression("30 2 * * *")
    in_second_pass = at("2026-10-25T02:10+01:00") // 1_000
    assert job.next_after(in_second_pass, berlin) == at("2026-10-26T02:30+01:00") // 1_000


def test_a_fixed_job_in_the_second_pass_of_a_fold_is_not_a_slot() -> None:
    berlin, job = ZoneInfo("Europe/Berlin"), CronExpression("30 2 * * *")
    assert job.slot_at(at("2026-10-25T02:30+02:00") // 1_000, berlin) is not None
    assert job.slot_at(at("2026-10-25T02:30+01:00") // 1_000, berlin) is None
