"""The private desktop does what a real one does, shown with the smallest of applications."""

import runpy
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from PySide6.QtGui import QColor

from tests.desktop import sni
from tests.desktop.processes import Program, wait_until
from tests.desktop.rig import PROGRAMS, Desktop, Tray, private_desktop
from tests.desktop.sni import Item, ToolTip
from tests.desktop.x11 import LEFT, MIDDLE, RIGHT

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
RED = QColor("red")


def run_sample(desktop: Desktop, name: str) -> Program:
    return desktop.run(name, sys.executable, HERE / f"{name}.py")


def wait_for_red(desktop: Desktop, window: int) -> None:
    def is_red() -> bool:
        return desktop.display.screenshot().pixelColor(*desktop.display.place(window).centre) == RED

    wait_until("the icon was painted", is_red)


@pytest.fixture
def xembed_sample(desktop: Desktop) -> Program:
    desktop.start_tray(Tray.XEMBED)
    return run_sample(desktop, "sample_tray")


@pytest.fixture
def sni_sample(desktop: Desktop) -> Program:
    desktop.start_tray(Tray.STATUS_NOTIFIER)
    return run_sample(desktop, "sample_tray")


@pytest.fixture
def item(desktop: Desktop, sni_sample: Program) -> Item:
    return sni.item_of(desktop.bus, sni_sample)


def test_an_icon_is_painted_in_an_xembed_host(desktop: Desktop, xembed_sample: Program) -> None:
    wait_for_red(desktop, desktop.display.tray_icon(xembed_sample))
    assert sni.items(desktop.bus) == []


@pytest.mark.parametrize(
    ("button", "reason"), [(LEFT, "Trigger"), (MIDDLE, "MiddleClick"), (RIGHT, "Context")]
)
def test_a_click_on_an_xembed_icon_reaches_the_application(
    desktop: Desktop, xembed_sample: Program, button: int, reason: str
) -> None:
    desktop.display.click(desktop.display.tray_icon(xembed_sample), button)
    xembed_sample.wait_to_print(reason)


@pytest.mark.usefixtures("sni_sample")
def test_an_icon_is_painted_in_the_panel(desktop: Desktop) -> None:
    wait_for_red(desktop, desktop.panel_icon())


@pytest.mark.parametrize(("button", "reason"), [(LEFT, "Trigger"), (MIDDLE, "MiddleClick")])
def test_a_click_on_the_panel_reaches_the_application(
    desktop: Desktop, sni_sample: Program, button: int, reason: str
) -> None:
    desktop.display.click(desktop.panel_icon(), button)
    sni_sample.wait_to_print(reason)


def test_what_a_host_is_told_of_an_icon(item: Item) -> None:
    assert item.title == "sample_tray.py"
    assert item.tool_tip == ToolTip("All is well", "")
    assert item.status == "Active"
    assert item.icon_name == ""
    for pixmap in item.icon_pixmaps:
        assert pixmap.argb == b"\xff\xff\x00\x00" * pixmap.width * pixmap.height
    assert item.icon_pixmaps


def test_what_a_host_asks_of_an_icon_reaches_the_application(
    sni_sample: Program, item: Item
) -> None:
    item.activate()
    item.activate_secondary()
    item.open_context_menu()
    sni_sample.wait_to_print("Trigger\nMiddleClick\nContext\n")


def test_a_menu_is_read_and_clicked_over_the_bus(sni_sample: Program, item: Item) -> None:
    menu = item.menu()
    assert [entry.label for entry in menu.children] == ["Check now", "Nothing", "More", "", "Quit"]
    assert [entry.is_enabled for entry in menu.children[:2]] == [True, False]
    assert menu.children[3].is_separator
    assert menu.find("More", "Quiet").is_checked is False
    item.click("Check now")
    item.click("More", "Quiet")
    sni_sample.wait_to_print("check\nquiet\n")
    assert item.menu().find("More", "Quiet").is_checked is True
    item.click("Quit")
    assert sni_sample.wait_to_end() == 0


def test_hosts_come_late_and_go(desktop: Desktop) -> None:
    sample = run_sample(desktop, "sample_tray")
    sample.wait_to_print("ready")
    desktop.start_tray(Tray.XEMBED)
    desktop.display.click(desktop.display.tray_icon(sample), LEFT)
    sample.wait_to_print("Trigger")
    desktop.stop_tray()
    desktop.start_tray(Tray.STATUS_NOTIFIER)
    sni.item_of(desktop.bus, sample).activate_secondary()
    sample.wait_to_print("MiddleClick")
    desktop.stop_tray()
    assert sni.items(desktop.bus) == []


def test_a_button_that_the_daemon_shows_is_pressed(desktop: Desktop) -> None:
    notifications = desktop.start_notifications()
    sample = run_sample(desktop, "sample_notice")
    notice = notifications.wait_for("shop is down")
    assert (notice.app_name, notice.body) == ("Sample", "Connection refused")
    assert [label for label in notice.actions.values() if label] == ["Open", "Mute"]
    notifications.press(notice, "Mute")
    sample.wait_to_print("mute")


def test_a_notification_is_dismissed(desktop: Desktop) -> None:
    notifications = desktop.start_notifications()
    sample = run_sample(desktop, "sample_notice")
    notifications.wait_for("shop is down")
    notifications.dismiss_all()
    sample.wait_to_print("dismissed")


def test_nothing_of_another_desktop_gets_in(
    desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    seen = desktop.run("env", "env", EXTRA="here")
    seen.wait_to_end()
    assert "EXTRA=here" in seen.printed
    assert "WAYLAND_DISPLAY" not in seen.printed
    assert f"HOME={Path.home()}\n" not in seen.printed


def test_a_failure_shows_the_log_of_what_failed(desktop: Desktop) -> None:
    program = desktop.run("broken", "sh", "-c", "echo no such display; exit 3")
    with pytest.raises(AssertionError, match=r"(?s)broken ended before .*no such display"):
        program.wait_to_print("ready")


def test_the_test_command_installs_every_program() -> None:
    bootstrap = runpy.run_path(str(ROOT / "packaging" / "bootstrap.py"))
    assert tuple(program for program, _, _ in bootstrap["DESKTOP_PROGRAMS"]) == PROGRAMS


def test_a_missing_program_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AssertionError, match=r"Not installed: Xvfb, .*bootstrap\.py test"):
        private_desktop().__enter__()


def test_all_that_was_started_ends() -> None:
    with private_desktop() as desktop:
        desktop.start_tray(Tray.STATUS_NOTIFIER)
        desktop.start_notifications()
        stubborn = desktop.run(
            "stubborn", "sh", "-c", "(trap '' TERM; echo ready; sleep 60) & wait"
        )
        stubborn.wait_to_print("ready")
        assert is_mentioned(desktop.environment["HOME"])
    wait_until("all was gone", lambda: not is_mentioned(desktop.environment["HOME"]))


def test_tests_that_are_killed_leave_nothing_running() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.desktop.sample_desktop"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as tests:
        assert tests.stdout is not None
        home = tests.stdout.readline().strip()
        assert is_mentioned(home)
        tests.kill()
    wait_until("all was gone", lambda: not is_mentioned(home))
    shutil.rmtree(Path(home).parent)


def is_mentioned(home: str) -> bool:
    """Whether a process runs with it."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if home in path.read_text(errors="replace"):
                return True
    return False
