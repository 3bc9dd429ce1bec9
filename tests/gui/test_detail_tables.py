"""The small tables say what they are given, and ask for more only when there may be more."""

from collections.abc import Sequence
from datetime import datetime

import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.qtbot import QtBot

from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS, Source
from uptime_desktop.domain.status import Status
from uptime_desktop.gui.detail.incidents import ASKED, IncidentsModel, summary_text
from uptime_desktop.gui.detail.runs import PAGE, RunLog, RunsModel
from uptime_desktop.gui.detail.table import RowsModel
from uptime_desktop.gui.moments import instant
from uptime_desktop.history import Incident, RunRow
from uptime_desktop.store.incidents import Severity

pytestmark = pytest.mark.usefixtures("qapp")

NOW = instant(datetime(2026, 11, 18, 14, 8, 30))  # noqa: DTZ001 - on the wall of whoever runs this


def incident(
    ago_ms: int,
    lasted_ms: int | None = None,
    kind: Status = Status.DOWN,
    acknowledged_at: int | None = None,
    snoozed_until: int | None = None,
    snoozed: bool = False,
    cascade_reason: str | None = None,
) -> Incident:
    opened_at = NOW - ago_ms
    return Incident(
        number=1,
        monitor_number=1,
        kind=kind,
        severity=Severity.HIGH,
        opened_at=opened_at,
        resolved_at=None if lasted_ms is None else opened_at + lasted_ms,
        reason="HTTP 503",
        cascade_reason=cascade_reason,
        acknowledged_at=acknowledged_at,
        snoozed_until=snoozed_until,
        is_snoozed_until_recovery=snoozed,
        note="",
    )


def run(
    ago_s: int,
    status: Status = Status.UP,
    source: Source = Source.BASELINE_INTERVAL,
    reason: str = "",
    interrupted: bool = False,
) -> RunRow:
    taken = 212.0 if status is Status.DOWN else 204.0
    started_at = NOW - ago_s * 1_000
    return RunRow(1, started_at, status, taken, 0, 2, source, reason, interrupted)


def texts(model: RowsModel[Incident] | RowsModel[RunRow], row: int = 0) -> list[str]:
    return [str(model.data(model.index(row, n))) for n in range(model.columnCount())]


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (incident(6 * MINUTE_MS), ["Today 14:02", "6 min so far", "HTTP 503", "open"]),
        (
            incident(DAY_MS, 2 * MINUTE_MS),
            ["Yesterday 14:08", "2 min", "HTTP 503", "resolved"],
        ),
        (
            incident(6 * MINUTE_MS, acknowledged_at=NOW),
            ["Today 14:02", "6 min so far", "HTTP 503", "acknowledged"],
        ),
        (
            incident(6 * MINUTE_MS, cascade_reason="upstream-router"),
            ["Today 14:02", "6 min so far", "follows router · HTTP 503", "open"],
        ),
        (
            incident(6 * MINUTE_MS, snoozed=True),
            ["Today 14:02", "6 min so far", "HTTP 503", "snoozed"],
        ),
        (
            incident(6 * MINUTE_MS, snoozed_until=NOW + HOUR_MS),
            ["Today 14:02", "6 min so far", "HTTP 503", "snoozed until 15:08"],
        ),
        (
            incident(6 * MINUTE_MS, snoozed_until=NOW - 1),
            ["Today 14:02", "6 min so far", "HTTP 503", "open"],
        ),
    ],
)
def test_an_incident_is_told_in_a_row(one: Incident, expected: list[str]) -> None:
    model = IncidentsModel(str)
    model.show([one], NOW)
    assert texts(model) == expected


@pytest.mark.parametrize(
    ("incidents", "text"),
    [
        ([], "none in 30 days"),
        ([incident(31 * DAY_MS, 1)], "none in 30 days"),
        ([incident(0), incident(DAY_MS, 1), incident(2 * DAY_MS, 1)], "3 in 30 days, 1 open"),
        ([incident(40 * DAY_MS)], "1 in 30 days, 1 open"),
        ([incident(DAY_MS, 1)] * ASKED, f"{ASKED}+ in 30 days"),
    ],
)
def test_incidents_are_counted(incidents: Sequence[Incident], text: str) -> None:
    assert summary_text(incidents, NOW) == text


def test_a_run_is_told_in_a_row() -> None:
    model = RunsModel()
    model.show([run(10, Status.DOWN, reason="HTTP 503")], NOW)
    assert texts(model) == ["14:08:20", "HTTP 503", "212 ms", "2", "schedule"]
    assert model.data(model.index(0, 0), Qt.ItemDataRole.AccessibleTextRole) == (
        "Time 14:08:20, Result HTTP 503, Took 212 ms, Tries 2, Why it ran schedule"
    )


def test_a_run_without_a_reason_is_told_by_its_status() -> None:
    model = RunsModel()
    model.show([run(10), run(20, Status.UNKNOWN, interrupted=True)], NOW)
    assert texts(model)[1] == "Up"
    assert texts(model, 1)[1] == "cut short: the program ended"


def test_why_a_run_ran() -> None:
    down, unknown = Status.DOWN, Status.UNKNOWN
    runs = [
        run(1, source=Source.CATCH_UP),
        run(2, source=Source.MANUAL),
        run(3, down),
        run(4, unknown),
        run(5, down),
        run(6, down, Source.RETRY),
        run(7, down, Source.BASELINE_CRON),
        run(8),
        run(9, source=Source.HINT_ONESHOT),
    ]
    model = RunsModel()
    model.show(runs, NOW)
    assert [texts(model, row)[4] for row in range(len(runs))] == [
        "missed before",
        "asked for",
        "after 3 failures",
        "after 3 failures",
        "after 2 failures",
        "after 1 failure",
        "schedule",
        "schedule",
        "asked for by a hint",
    ]


def test_a_long_outage_is_not_counted_to_its_end() -> None:
    model = RunsModel()
    model.show([run(n, Status.DOWN) for n in range(150)], NOW)
    assert texts(model)[4] == "after more than 99 failures"


def test_more_is_asked_for_once_and_only_after_a_full_page() -> None:
    model, root = RunsModel(), QModelIndex()
    asked: list[int] = []
    model.more_wanted.connect(asked.append)
    page = [run(n) for n in range(PAGE)]
    model.show(page, NOW)
    model.fetchMore(root)
    model.fetchMore(root)
    assert asked == [page[-1].started_at]
    model.append([run(PAGE + 1)])
    assert model.rowCount() == PAGE + 1
    assert not model.canFetchMore(root)
    model.fetchMore(root)
    assert len(asked) == 1


def test_a_short_first_page_is_all_there_is(qtbot: QtBot) -> None:
    model = RunsModel()
    with qtbot.assertNotEmitted(model.more_wanted):
        model.show([run(1)], NOW)
        model.fetchMore(QModelIndex())


@pytest.fixture
def log(qtbot: QtBot) -> RunLog:
    log = RunLog()
    qtbot.addWidget(log)
    return log


def test_the_newest_run_is_selected_and_stays_so_when_there_is_a_newer(log: RunLog) -> None:
    selected: list[RunRow | None] = []
    log.run_selected.connect(selected.append)
    log.show_runs([run(20), run(30)], NOW)
    log.show_runs([run(10), run(20)], NOW)
    assert [one.started_at for one in log.model.rows] == [NOW - n * 1_000 for n in (10, 20, 30)]
    assert selected == [run(20), run(10)]


def test_a_run_that_was_chosen_stays_selected(log: RunLog) -> None:
    log.show_runs([run(20), run(30)], NOW)
    log.table.selectRow(1)
    selected: list[RunRow | None] = []
    log.run_selected.connect(selected.append)
    log.show_runs([run(10), run(20)], NOW)
    assert log.table.currentIndex().row() == 2
    assert selected == []


def test_runs_that_leave_a_hole_take_the_place_of_all(log: RunLog) -> None:
    log.show_runs([run(200), run(300)], NOW)
    log.show_runs([run(10), run(20)], NOW)
    assert len(log.model.rows) == 2
    assert log.table.currentIndex().row() == 0


def test_with_nothing_to_show_nothing_is_selected(log: RunLog) -> None:
    log.show_runs([run(20)], NOW)
    selected: list[RunRow | None] = []
    log.run_selected.connect(selected.append)
    log.clear()
    assert selected == [None]
    assert log.model.rowCount() == 0
