"""What is said at the start to who started with a click."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMessageBox, QTextEdit

from tests.gui.dialog_rig import enter_on, until
from uptime_desktop.app import NoPlace
from uptime_desktop.config import ConfigFile
from uptime_desktop.declared_file import Differs
from uptime_desktop.domain.definition import What
from uptime_desktop.domain.refusal import Problem, Refused, RefusedFile, UserError
from uptime_desktop.exchange.declared.difference import Act, Difference, KeyChange
from uptime_desktop.gui import start_box
from uptime_desktop.gui.translation import use_language

pytestmark = [pytest.mark.usefixtures("qapp"), pytest.mark.asyncio]

CONFIG = ConfigFile(Path("/etc/uptime.toml"))
DIFFERS = Differs(
    CONFIG.path,
    (
        Difference(Act.ADDED, What.MONITOR, "new", (KeyChange("every", None, "1m"),)),
        Difference(Act.REMOVED, What.MONITOR, "old", ()),
    ),
)
NO_PLACE = NoPlace("This computer has no keyring to keep passwords in.")
WRONG = RefusedFile("uptime.toml", [Problem(1, 1, "site", Refused("x", "it is wrong", "a"))])


class Asking:
    """A box that is shown, and what comes of it."""

    def __init__(self, error: UserError, config: ConfigFile | None) -> None:
        self.told_to_stop = asyncio.Event()
        self.answer = asyncio.ensure_future(start_box.agreed(error, config, self.told_to_stop))

    @property
    def box(self) -> QMessageBox:
        return _shown()[0]

    def button(self, text: str) -> QAbstractButton:
        return next(one for one in self.box.buttons() if one.text() == text)


@asynccontextmanager
async def asked(error: UserError, config: ConfigFile | None = CONFIG) -> AsyncIterator[Asking]:
    asking = Asking(error, config)
    await until(_shown)
    yield asking
    await until(asking.answer.done)
    assert not _shown()


def _shown() -> list[QMessageBox]:
    boxes = [one for one in QApplication.topLevelWidgets() if isinstance(one, QMessageBox)]
    return [box for box in boxes if box.isVisible()]


async def test_differences_are_counted_and_unfold() -> None:
    box = start_box.difference_box(DIFFERS)
    assert box.text() == "uptime.toml says something else than what is stored here."
    assert box.informativeText().splitlines() == [
        "1 added, 0 changed, 1 removed.",
        "What is removed loses its history.",
    ]
    assert box.detailedText().splitlines() == ["+ monitor new", "    every: 1m", "- monitor old"]


async def test_sentences_end_as_the_language_ends_them(qapp: QApplication) -> None:
    use_language(qapp, "zh_CN")
    counted = start_box.difference_box(DIFFERS).informativeText().splitlines()[0]
    use_language(qapp, "en")
    assert counted.endswith("。")


@pytest.mark.parametrize(
    ("error", "button", "instead"),
    [
        (DIFFERS, "Accept the changes", replace(CONFIG, accept_changes=True)),
        (DIFFERS, "Quit", None),
        (NO_PLACE, "Keep passwords in a private file", replace(CONFIG, allow_secret_file=True)),
        (NO_PLACE, "Quit", None),
        (WRONG, "Quit", None),
    ],
)
async def test_a_person_agrees_by_a_button_that_is_not_the_default(
    error: UserError, button: str, instead: ConfigFile | None
) -> None:
    async with asked(error) as asking:
        assert asking.box.defaultButton() is asking.button("Quit")
        enter_on(asking.button(button))
    assert asking.answer.result() == instead


@pytest.mark.parametrize("error", [DIFFERS, NO_PLACE, WRONG])
async def test_nothing_is_offered_where_no_file_decides(error: UserError) -> None:
    async with asked(error, None) as asking:
        assert [one.text() for one in asking.box.buttons()] == ["Quit"]
        asking.button("Quit").click()
    assert asking.answer.result() is None


async def test_whoever_is_told_to_stop_asks_no_more() -> None:
    async with asked(DIFFERS) as asking:
        asking.told_to_stop.set()
    assert asking.answer.result() is None


async def test_what_unfolds_has_room_for_twelve_lines() -> None:
    async with asked(DIFFERS) as asking:
        (details,) = asking.box.findChildren(QTextEdit)
        assert details.height() >= 12 * details.fontMetrics().lineSpacing()
        asking.button("Quit").click()


async def test_to_close_it_is_to_quit() -> None:
    async with asked(DIFFERS) as asking:
        asking.box.close()
    assert asking.answer.result() is None


@pytest.mark.parametrize(("problems", "lines"), [(3, 4), (8, 9), (20, 10)])
async def test_of_much_that_is_wrong_the_rest_is_counted_and_unfolds(
    problems: int, lines: int
) -> None:
    wrong = [
        Problem(n + 1, 1, "site.shop", Refused("x", "it is wrong", "a")) for n in range(problems)
    ]
    box = start_box.problem_box(RefusedFile("/etc/uptime.toml", wrong))
    said = box.informativeText().splitlines()
    assert len(said) == lines
    assert said[:2] == ["/etc/uptime.toml", "1:1: site.shop: it is wrong. Allowed: a."]
    assert (said[-1] == "and 12 more") is (problems == 20)
    assert len(box.detailedText().splitlines()) == (problems if problems == 20 else 0)
