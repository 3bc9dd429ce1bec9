"""What is said at the start to who started with a click."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QMessageBox

from uptime_desktop.declared_file import Differs
from uptime_desktop.domain.definition import What
from uptime_desktop.domain.refusal import Problem, Refused, RefusedFile
from uptime_desktop.exchange.declared.difference import Act, Difference, KeyChange
from uptime_desktop.gui import start_box

pytestmark = pytest.mark.usefixtures("qapp")

DIFFERS = Differs(
    Path("/etc/uptime.toml"),
    (
        Difference(Act.ADDED, What.MONITOR, "new", (KeyChange("every", None, "1m"),)),
        Difference(Act.REMOVED, What.MONITOR, "old", ()),
    ),
)


def pressing(monkeypatch: pytest.MonkeyPatch, text: str) -> list[QMessageBox]:
    shown: list[QMessageBox] = []

    def press(box: QMessageBox) -> int:
        shown.append(box)
        next(one for one in box.buttons() if one.text() == text).click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", press)
    return shown


def test_differences_are_counted_and_unfold() -> None:
    box = start_box.difference_box(DIFFERS)
    assert box.text() == "uptime.toml says something else than what is stored here."
    assert box.informativeText().splitlines() == [
        "1 added, 0 changed, 1 removed.",
        "What is removed loses its history.",
    ]
    assert box.detailedText().splitlines() == ["+ monitor new", "    every: 1m", "- monitor old"]


@pytest.mark.parametrize(("text", "is_accepted"), [("Accept the changes", True), ("Quit", False)])
def test_they_are_accepted_by_a_button_that_is_not_the_default(
    monkeypatch: pytest.MonkeyPatch, text: str, is_accepted: bool
) -> None:
    shown = pressing(monkeypatch, text)
    assert start_box.accepts(DIFFERS) is is_accepted
    default = shown[0].defaultButton()
    assert default is not None
    assert default.text() == "Quit"


@pytest.mark.parametrize(("problems", "lines"), [(3, 3), (8, 8), (20, 9)])
def test_of_much_that_is_wrong_the_rest_is_counted_and_unfolds(
    monkeypatch: pytest.MonkeyPatch, qapp: QApplication, problems: int, lines: int
) -> None:
    shown = pressing(monkeypatch, "Quit")
    wrong = [
        Problem(n + 1, 1, "site.shop", Refused("x", "it is wrong", "a")) for n in range(problems)
    ]
    start_box.say(RefusedFile("uptime.toml", wrong))
    said = shown[0].informativeText().splitlines()
    assert len(said) == lines
    assert (said[-1] == "and 12 more") is (problems == 20)
    assert len(shown[0].detailedText().splitlines()) == (problems if problems == 20 else 0)
    qapp.processEvents()
