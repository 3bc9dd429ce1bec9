"""The first address: tried while it is typed, watched with Enter."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from tests.gui.dialog_rig import Rig, activate, heard, press, rigged, unnamed, until
from tests.website import Website
from uptime_desktop.checks.registry import KINDS, definition_of, kind_for
from uptime_desktop.config import Settings
from uptime_desktop.domain.model import Monitor
from uptime_desktop.gui.dialogs.labels import ThemeLabel
from uptime_desktop.gui.empty_state import EmptyState, examples, looks_like_address

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.usefixtures("qapp", "clipboard"),
    pytest.mark.qt_log_ignore("propagateSizeHints"),  # windows without a screen have none
]


@pytest.fixture
def clipboard(qapp: QApplication) -> Iterator[None]:
    qapp.clipboard().clear()
    yield
    qapp.clipboard().clear()


def empty_of(rig: Rig) -> EmptyState:
    state = EmptyState(rig.app, rig.tasks)
    state.show()
    activate(state)
    return state


def said(state: EmptyState) -> str:
    return state.outcome.headline.text()


async def test_the_field_has_the_focus_and_nothing_to_add_yet(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        state = empty_of(rig)
        added = heard(state.added)
        assert QApplication.focusWidget() is state.input
        assert not state.add_button.isEnabled()
        press(state.input, Qt.Key.Key_Return)
        assert not added
        state.hide()


async def test_a_copied_address_is_there_and_selected(tmp_path: Path) -> None:
    QApplication.clipboard().setText(" https://shop.example/ \n")
    async with rigged(tmp_path) as rig:
        state = empty_of(rig)
        assert state.input.toPlainText() == "https://shop.example/"
        assert state.input.textCursor().selectedText() == "https://shop.example/"
        state.hide()


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("https://shop.example/", True),
        ("HTTP://shop.example", True),
        ("nas.lan:445", True),
        ("tcp://db.example:5432", True),
        ("", False),
        ("hello", False),
        ("shop.example", False),
        ("correct horse battery", False),
        ("https://shop.example/ and more", False),
        ("ftp://shop.example", False),
        ("https://" + "x" * 3_000, False),
    ],
)
async def test_only_what_can_only_be_an_address_is_taken_from_the_clipboard(
    text: str, is_one: bool
) -> None:
    assert looks_like_address(text) is is_one


async def test_what_is_typed_is_tried_a_moment_later(tmp_path: Path, website: Website) -> None:
    async with rigged(tmp_path) as rig:
        state = empty_of(rig)
        state.input.setPlainText(f"{website.url}/down")
        state.input.setPlainText(f"{website.url}/up")
        assert website.asked == []
        await until(lambda: said(state).startswith("Up: HTTP 200 OK in "))
        assert website.asked == ["/up"]
        state.input.setPlainText(f"{website.url}/down")
        assert said(state) == ""
        await until(lambda: said(state).startswith("Down: HTTP 503"))
        assert not rig.app.jobs
        state.hide()


async def test_typing_on_ends_the_older_try(tmp_path: Path) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    port = silent.getsockname()[1]
    with silent:
        async with rigged(tmp_path) as rig:
            state = empty_of(rig)
            state.input.setPlainText(f"http://127.0.0.1:{port}/")
            await until(lambda: rig.app._runner.under_way == 1)  # noqa: SLF001
            state.input.setPlainText("")
            await until(lambda: rig.app._runner.under_way == 0)  # noqa: SLF001
            assert said(state) == ""
            state.hide()


async def test_what_is_no_address_is_told_and_described(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        state = empty_of(rig)
        added = heard(state.added)
        state.input.setPlainText("ftp://shop.example")
        press(state.input, Qt.Key.Key_Return)
        assert said(state).startswith("'ftp://shop.example' is not a web address.")
        assert state.input.accessibleDescription() == said(state)
        assert not added
        state.input.setPlainText("https://shop.example")
        assert state.input.accessibleDescription() == ""
        state.hide()


async def test_enter_watches_it(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        state = empty_of(rig)
        added = heard(state.added)
        state.input.setPlainText("shop.example")
        press(state.input, Qt.Key.Key_Return)
        await until(lambda: added)
        (job,) = rig.app.jobs
        assert (job.monitor.name, rig.app.target_of(job.monitor)) == (
            "shop.example",
            "https://shop.example/",
        )
        assert state.input.toPlainText() == ""


async def test_of_several_lines_every_one_is_watched(tmp_path: Path) -> None:
    QApplication.clipboard().setText("https://a.example\n# mine\n\nnas.lan:445\nb.example/x\n")
    async with rigged(tmp_path) as rig:
        state = empty_of(rig)
        added = heard(state.added)
        state.input.paste()
        await until(lambda: said(state) == "3 addresses")
        state.add_button.click()
        await until(lambda: added)
        (monitors,) = added
        assert isinstance(monitors, list)
        assert [one.name for one in monitors if isinstance(one, Monitor)] == [
            "a.example",
            "nas.lan:445",
            "b.example/x",
        ]


async def test_one_wrong_line_among_several_adds_none(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        state = empty_of(rig)
        added = heard(state.added)
        state.input.setPlainText("https://a.example\nftp://b.example")
        state.add()
        assert "'ftp://b.example'" in said(state)
        assert not added
        assert not rig.app.jobs
        assert "a.example" in state.input.toPlainText()
        state.hide()


async def test_the_links_ask_for_the_demo_and_for_the_editor(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        state = empty_of(rig)
        demo, editor = heard(state.demo_asked), heard(state.editor_asked)
        state.demo_link.click()
        assert (len(demo), editor) == (1, [])
        state.input.setPlainText("nas.lan:445")
        state.more_link.click()
        assert (len(demo), editor) == (1, ["nas.lan:445"])
        state.hide()


async def test_only_kinds_there_are_stand_as_examples() -> None:
    assert examples().keys() <= KINDS.keys()
    for name, (pattern, _) in examples().items():
        target = pattern.replace("…", "x.example").replace("port", "81")
        assert kind_for(target).name == name
        assert definition_of(target)["kind"] == name


async def test_it_says_how_often_by_the_settings(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await rig.app.change_settings(Settings(default_interval_ms=300_000))
        state = empty_of(rig)
        texts = [label.text() for label in state.findChildren(ThemeLabel)]
        assert "Paste an address. It is tried at once and then every 5 min." in texts
        state.hide()


async def test_every_control_has_a_name(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        state = empty_of(rig)
        assert unnamed(state) == []
        state.hide()
