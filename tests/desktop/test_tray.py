"""The real program on real desktops: its icon, clicks, menu and window."""

import sqlite3
import struct
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.desktop import sni
from tests.desktop.processes import Program, wait_until
from tests.desktop.rig import Desktop, Tray
from tests.desktop.x11 import LEFT, MIDDLE, RIGHT
from tests.website import Website
from uptime_desktop.cli import main

TITLE = "Uptime Desktop"
MANUAL = 8
DOUBLE_CLICK_S = 0.5


@pytest.fixture
def database(tmp_path: Path, website: Website, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two monitors that were checked once: one that is down and one that is up."""
    path = tmp_path / "uptime.db"
    monkeypatch.setenv("UPTIME_DESKTOP_DB", str(path))
    hourly = ("--every", "1h", "--retries", "0")
    assert main(["add", f"{website.url}/down", "--name", "Checkout & API", *hourly]) == 0
    assert main(["add", f"{website.url}/up", "--name", "Storefront", *hourly]) == 0
    assert main(["check"]) == 1
    return path


def start(desktop: Desktop, database: Path, *words: str) -> Program:
    root = Path(__file__).parents[2]
    command = (sys.executable, "-m", "uptime_desktop", "run", "--db", str(database), *words)
    program = desktop.run("program", *command, PYTHONPATH=str(root))
    note = database.with_name("uptime.db.control")
    wait_until("the program could be reached", note.exists, program)
    return program


def windows(desktop: Desktop) -> list[str]:
    """The titles of all windows that the window manager shows."""
    display = desktop.display
    listed = display.property(display.root, "_NET_CLIENT_LIST")
    numbers = struct.unpack(f"={len(listed) // 4}I", listed)
    return [display.property(number, "_NET_WM_NAME").decode() for number in numbers]


def wait_for_window(desktop: Desktop, program: Program, *, shown: bool) -> None:
    hope = "the window was shown" if shown else "the window was hidden"
    wait_until(hope, lambda: (TITLE in windows(desktop)) is shown, program)


def wait_for_menu(item: sni.Item, program: Program) -> list[str]:
    """Its entries, once all that is known is in it."""

    def labels() -> list[str]:
        found = [entry.label for entry in item.menu().children if not entry.is_separator]
        return found if any("since" in label for label in found) else []

    return wait_until("the menu was filled", labels, program)


def manual_runs(database: Path) -> int:
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("SELECT count(*) FROM runs WHERE source = ?", (MANUAL,))
        return int(rows.fetchone()[0])


class TestXEmbed:
    def test_left_click_shows_and_hides_the_window(self, desktop: Desktop, database: Path) -> None:
        desktop.start_tray(Tray.XEMBED)
        program = start(desktop, database, "--minimised")
        icon = desktop.display.tray_icon(program)
        assert TITLE not in windows(desktop)
        desktop.display.click(icon, LEFT)
        wait_for_window(desktop, program, shown=True)
        wait_until(
            "the window was in front", lambda: desktop.display.title_in_front() == TITLE, program
        )
        time.sleep(DOUBLE_CLICK_S)  # two clicks at once are one, and show it
        desktop.display.click(icon, LEFT)
        wait_for_window(desktop, program, shown=False)
        assert program.stop() == 0

    def test_middle_click_checks_everything(self, desktop: Desktop, database: Path) -> None:
        desktop.start_tray(Tray.XEMBED)
        program = start(desktop, database, "--minimised")
        icon = desktop.display.tray_icon(program)
        before = manual_runs(database)
        desktop.display.click(icon, MIDDLE)
        wait_until("both were checked", lambda: manual_runs(database) == before + 2, program)

    def test_right_click_opens_the_menu(self, desktop: Desktop, database: Path) -> None:
        desktop.start_tray(Tray.XEMBED)
        program = start(desktop, database, "--minimised")
        icon = desktop.display.tray_icon(program)
        seen = set(desktop.display.windows())
        desktop.display.click(icon, RIGHT)
        wait_until(
            "a menu came up",
            lambda: any(
                desktop.display.owner(one) == program.pid
                and desktop.display.place(one).height > 100
                for one in set(desktop.display.windows()) - seen
            ),
            program,
        )


class TestStatusNotifier:
    def test_the_icon_says_how_it_stands(self, desktop: Desktop, database: Path) -> None:
        desktop.start_tray(Tray.STATUS_NOTIFIER)
        item = sni.item_of(desktop.bus, program := start(desktop, database, "--minimised"))
        wait_until(
            "the summary was told",
            lambda: "1 down, 1 up" in item.tool_tip.title + item.tool_tip.text,
            program,
        )
        assert {16, 22, 24, 32} <= {pixmap.width for pixmap in item.icon_pixmaps}
        assert b"\xff\xdb\x3e\x2f" in item.icon_pixmaps[0].argb  # the red of an octagon

    def test_the_menu_has_what_fails_first_and_does_what_it_says(
        self, desktop: Desktop, database: Path
    ) -> None:
        desktop.start_tray(Tray.STATUS_NOTIFIER)
        program = start(desktop, database, "--minimised")
        item = sni.item_of(desktop.bus, program)
        labels = wait_for_menu(item, program)
        assert labels[0] == "1 down of 2"
        assert labels[1].startswith("Checkout & API: down since ")
        assert labels[2:] == [
            *("All monitors", "Check all now", "Pause all", "Start maintenance"),
            *("Open Uptime Desktop", "Settings…", "Quit"),
        ]
        before = manual_runs(database)
        item.click(labels[1], "Check now")
        wait_until("it was checked", lambda: manual_runs(database) == before + 1, program)
        item.click("Check all now")
        wait_until("both were checked", lambda: manual_runs(database) == before + 3, program)
        item.click("Open Uptime Desktop")
        wait_for_window(desktop, program, shown=True)
        item.click("Quit")
        assert program.wait_to_end() == 0

    def test_a_click_on_the_panel_toggles_the_window(
        self, desktop: Desktop, database: Path
    ) -> None:
        desktop.start_tray(Tray.STATUS_NOTIFIER)
        program = start(desktop, database, "--minimised")
        desktop.display.click(desktop.panel_icon(), LEFT)
        wait_for_window(desktop, program, shown=True)

    def test_pausing_from_the_menu_is_stored(self, desktop: Desktop, database: Path) -> None:
        desktop.start_tray(Tray.STATUS_NOTIFIER)
        program = start(desktop, database, "--minimised")
        item = sni.item_of(desktop.bus, program)
        wait_for_menu(item, program)
        item.click("All monitors", "Storefront", "Pause until resumed")

        def paused() -> bool:
            with closing(sqlite3.connect(database)) as connection:
                found = connection.execute("SELECT count(*) FROM states WHERE pause_reason = 1")
                return bool(found.fetchone()[0])

        wait_until("it was paused", paused, program)


class TestNoHost:
    def test_the_window_says_so_and_an_icon_comes_with_its_host(
        self, desktop: Desktop, database: Path
    ) -> None:
        program = start(desktop, database, "--minimised")
        wait_for_window(desktop, program, shown=True)
        desktop.start_tray(Tray.XEMBED)
        desktop.display.click(desktop.display.tray_icon(program), MIDDLE)
        desktop.stop_tray()
        desktop.start_tray(Tray.STATUS_NOTIFIER)
        item = sni.item_of(desktop.bus, program)
        assert item.menu().children
        desktop.stop_tray()
        desktop.start_tray(Tray.STATUS_NOTIFIER)
        sni.item_of(desktop.bus, program)
        assert program.is_running


class TestOneInstance:
    def test_a_second_start_brings_the_window_to_the_front(
        self, desktop: Desktop, database: Path
    ) -> None:
        desktop.start_tray(Tray.XEMBED)
        program = start(desktop, database, "--minimised")
        desktop.display.tray_icon(program)
        note = database.with_name("uptime.db.control")
        root = Path(__file__).parents[2]
        words = (sys.executable, "-m", "uptime_desktop", "run", "--db", str(database))
        # A window that is there does not follow the file.
        file = database.with_name("uptime.toml")
        for asked, code in (((), 0), (("--config", str(file)), 1)):
            second = desktop.run("second", *words, *asked, PYTHONPATH=str(root))
            assert second.wait_to_end() == code
            wait_for_window(desktop, program, shown=True)
        assert program.stop() == 0
        assert not note.exists()
