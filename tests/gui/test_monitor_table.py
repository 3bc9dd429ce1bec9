"""The rows of the list: bands, order, filters, folding, words."""

from pathlib import Path
from random import Random

import pytest
from PySide6.QtCore import Qt

from tests.gui.scene import Scene, scene
from uptime_desktop.domain.status import Status
from uptime_desktop.gui.monitor_table import ROW_ROLE, Band, Column, MonitorTable
from uptime_desktop.gui.watch import Watched

pytestmark = pytest.mark.asyncio


def table_of(stage: Scene) -> MonitorTable:
    table = MonitorTable(stage.app.clock.wall)
    table.show(stage.app.sites.values(), stage.watch.monitors.values())
    return table


def names(table: MonitorTable) -> list[str]:
    return [f"[{row.site.id}]" if isinstance(row, Band) else row.monitor.name for row in table.rows]


async def test_sites_are_bands_and_the_worst_comes_first(tmp_path: Path) -> None:
    async with scene(tmp_path, shop=["alpha", "beta", "gamma"], home=["nas"]) as stage:
        stage.set_status("gamma", Status.DOWN)
        stage.set_status("beta", Status.UP)
        stage.set_status("alpha", Status.UP)
        table = table_of(stage)
        assert names(table) == ["[shop]", "gamma", "alpha", "beta", "[home]", "nas"]
        band = table.row_at(0)
        assert isinstance(band, Band)
        assert band.status is Status.DOWN
        assert band.counts == {Status.DOWN: 1, Status.UP: 2}
        table.view.by_site = False
        table.arrange()
        assert names(table) == ["gamma", "nas", "alpha", "beta"]


async def test_filters_by_words_status_and_tag_leave_out_empty_sites(tmp_path: Path) -> None:
    async with scene(tmp_path, shop=["alpha", "beta"], home=["nas"]) as stage:
        stage.set_status("beta", Status.DOWN)
        table = table_of(stage)
        table.view.text = "be"
        table.arrange()
        assert names(table) == ["[shop]", "beta"]
        table.view.text = "127.0.0.1"
        table.arrange()
        assert names(table) == ["[shop]", "beta", "alpha", "[home]", "nas"]
        table.view.text = "home"
        table.arrange()
        assert names(table) == ["[home]", "nas"]
        table.view.text = ""
        table.view.status = Status.DOWN
        table.arrange()
        assert names(table) == ["[shop]", "beta"]
        table.view.status = None
        table.view.tag = "prod"
        table.arrange()
        assert names(table) == []
        assert table.counts == {Status.DOWN: 1, Status.PENDING: 2}


async def test_a_folded_site_hides_its_monitors_but_not_from_a_search(tmp_path: Path) -> None:
    async with scene(tmp_path, shop=["alpha"], home=["nas"]) as stage:
        table = table_of(stage)
        table.fold("shop", folded=True)
        assert names(table) == ["[shop]", "[home]", "nas"]
        table.view.text = "alpha"
        table.arrange()
        assert names(table) == ["[shop]", "alpha"]
        table.view.text = ""
        table.fold("shop", folded=False)
        assert names(table) == ["[shop]", "alpha", "[home]", "nas"]


async def test_a_header_sorts_inside_sites(tmp_path: Path) -> None:
    async with scene(tmp_path, shop=["alpha", "beta", "gamma"]) as stage:
        for name, share in (("alpha", 0.5), ("beta", 0.1), ("gamma", None)):
            stage.one(name).uptime_day = share
        table = table_of(stage)
        table.sort(Column.DAY)
        assert names(table) == ["[shop]", "beta", "alpha", "gamma"]
        table.sort(Column.MONITOR, Qt.SortOrder.DescendingOrder)
        assert names(table) == ["[shop]", "gamma", "beta", "alpha"]
        table.sort(-1)
        assert names(table) == ["[shop]", "alpha", "beta", "gamma"]


async def test_a_change_repaints_and_only_another_status_moves_rows(tmp_path: Path) -> None:
    async with scene(tmp_path, shop=["alpha", "beta"]) as stage:
        table = table_of(stage)
        resets: list[bool] = []
        repaints: list[tuple[int, int]] = []
        table.modelReset.connect(lambda: resets.append(True))
        table.dataChanged.connect(lambda a, b, _: repaints.append((a.row(), b.row())))
        beta = stage.one("beta")
        table.refresh(frozenset({beta.key}))
        assert (resets, repaints) == ([], [(2, 2)])
        stage.set_status("beta", Status.DOWN)
        table.refresh(frozenset({beta.key}))
        assert (resets, repaints) == ([True], [(2, 2)])
        assert names(table) == ["[shop]", "beta", "alpha"]


async def test_changes_one_by_one_lead_to_the_same_as_showing_all_anew(tmp_path: Path) -> None:
    monitors = {"shop": ["alpha", "Beta", "gamma", "beta"], "home": ["nas", "Zoe"], "lab": ["one"]}
    choice = Random(7)
    async with scene(tmp_path, **monitors) as stage:
        table = table_of(stage)
        for _ in range(60):
            some = choice.sample([name for site in monitors.values() for name in site], 2)
            changed = [stage.set_status(name, choice.choice(list(Status))) for name in some]
            table.refresh(frozenset(one.key for one in changed))
            fresh = table_of(stage)
            assert names(table) == names(fresh)
            assert table.counts == fresh.counts
            bands = [row for row in table.rows if isinstance(row, Band)]
            others = [row for row in fresh.rows if isinstance(row, Band)]
            assert [(one.counts, one.status) for one in bands] == [
                (one.counts, one.status) for one in others
            ]


async def test_every_cell_says_itself_to_a_screen_reader(tmp_path: Path) -> None:
    async with scene(tmp_path, shop=["Checkout API"]) as stage:
        stage.set_status("Checkout API", Status.DOWN, failures=3)
        table = table_of(stage)
        said = [
            table.index(1, column).data(Qt.ItemDataRole.AccessibleTextRole) for column in Column
        ]
        assert said[0].startswith("Checkout API, down")
        assert said[Column.STRIP] == "not checked yet"
        assert said[Column.DAY] == "24 h: –"
        assert table.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "shop: 1 down"
        assert isinstance(table.index(1, 3).data(ROW_ROLE), Watched)
