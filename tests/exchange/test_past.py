"""Single checks of another program become runs, sums and troubles of our own history."""

import pytest

from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS
from uptime_desktop.domain.past import PastRun, PastTrouble
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.uptime import Resolution, total
from uptime_desktop.exchange.importers.past import past_of

NOW = 1_790_000_000_000
UP, DEGRADED, DOWN, UNKNOWN = Status.UP, Status.DEGRADED, Status.DOWN, Status.UNKNOWN


def runs(*statuses: Status) -> list[PastRun]:
    """One an hour, the last of them now."""
    first = NOW - (len(statuses) - 1) * HOUR_MS
    return [PastRun(first + at * HOUR_MS, one, 10.0) for at, one in enumerate(statuses)]


def test_checks_come_one_by_one_oldest_first_whatever_their_age() -> None:
    ages = (0, DAY_MS, 400 * DAY_MS)
    past = past_of("home", [PastRun(NOW - age, UP, None) for age in ages], NOW)
    assert [NOW - run.started_at for run in past.runs] == [400 * DAY_MS, DAY_MS, 0]


def test_of_very_many_checks_the_newest_come_and_all_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("uptime_desktop.exchange.importers.past.MOST_RUNS", 2)
    past = past_of("home", runs(DOWN, UP, UP), NOW)
    assert [run.started_at for run in past.runs] == [NOW - HOUR_MS, NOW]
    assert total(past.tallies[Resolution.DAY].values()).runs == 3


@pytest.mark.parametrize("resolution", Resolution)
def test_every_check_is_counted_in_each_resolution(resolution: Resolution) -> None:
    given = [
        PastRun(NOW - at * 7 * MINUTE_MS, UP if at % 3 else DOWN, float(at)) for at in range(4_000)
    ]
    tallies = past_of("home", given, NOW).tallies[resolution]
    whole = total(tallies.values())
    assert (whole.runs, whole.down, whole.measured) == (4_000, 1_334, 4_000)
    assert (whole.fastest_tenths, whole.slowest_tenths) == (0, 39_990)
    assert set(tallies) == {resolution.bucket_of(run.started_at) for run in given}


def test_a_bucket_counts_what_there_was_in_it() -> None:
    at = NOW - NOW % HOUR_MS
    given = [PastRun(at, UP, 20.0), PastRun(at + 1, DEGRADED, 80.0), PastRun(at + 2, DOWN, None)]
    tally = past_of("home", given, NOW).tallies[Resolution.HOUR][at // HOUR_MS]
    assert (tally.up, tally.degraded, tally.down, tally.total_tenths) == (1, 1, 1, 1_000)


@pytest.mark.parametrize(
    ("statuses", "troubles"),
    [
        ((UP, UP), []),
        ((UP, DOWN, DOWN, UP), [(2, 0)]),
        ((DOWN, DEGRADED), [(1, 0)]),
        ((DOWN, UNKNOWN, DOWN, UP, DOWN, UP), [(5, 2), (1, 0)]),
        ((DOWN, UNKNOWN), [(1, None)]),
        ((UP, DOWN), [(0, None)]),
    ],
)
def test_trouble_lasts_from_the_first_failure_to_the_first_success(
    statuses: tuple[Status, ...], troubles: list[tuple[int, int | None]]
) -> None:
    expected = tuple(
        PastTrouble(NOW - began * HOUR_MS, None if ended is None else NOW - ended * HOUR_MS)
        for began, ended in troubles
    )
    assert past_of("home", runs(*statuses), NOW).troubles == expected


def test_trouble_is_called_what_its_first_failure_was_called() -> None:
    given = [PastRun(NOW - 2, DOWN, None, "refused"), PastRun(NOW - 1, DOWN, None, "timed out")]
    assert past_of("home", given, NOW).troubles[0].reason == "refused"


def test_order_does_not_matter_and_of_two_at_one_instant_the_last_stays() -> None:
    given = runs(UP, DOWN, UP, DOWN)
    assert past_of("home", reversed(given), NOW) == past_of("home", given, NOW)
    twice = past_of("home", [PastRun(NOW, DOWN, 1.0), PastRun(NOW, UP, 2.0)], NOW)
    assert twice.runs == (PastRun(NOW, UP, 2.0),)
    assert twice.tallies[Resolution.DAY][NOW // DAY_MS].runs == 1


@pytest.mark.parametrize("at", [-1, NOW + 1])
def test_what_cannot_have_happened_is_left_out(at: int) -> None:
    past = past_of("home", [PastRun(at, DOWN, 1.0)], NOW)
    assert (past.runs, past.troubles, total(past.tallies[Resolution.DAY].values()).runs) == (
        (),
        (),
        0,
    )


@pytest.mark.parametrize("took_ms", [-1.0, 1e300, float("inf"), float("nan")])
def test_a_response_time_that_cannot_be_is_none(took_ms: float) -> None:
    past = past_of("home", [PastRun(NOW, UP, took_ms)], NOW)
    assert past.runs[0].response_ms is None
    assert past.tallies[Resolution.DAY][NOW // DAY_MS].measured == 0


def test_a_reason_fits_on_a_line_and_hides_passwords() -> None:
    said = "GET https://ann:hunter2@example.org/\nfailed " + "x" * 1_000_000
    reason = past_of("home", [PastRun(NOW, DOWN, None, said)], NOW).runs[0].reason
    assert reason.startswith("GET https://***@example.org/ failed x")
    assert len(reason) == 200
