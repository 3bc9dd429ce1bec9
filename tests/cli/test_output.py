"""What is printed stands there and does nothing."""

import sys

import pytest

from uptime_desktop.cli.output import print_plain, print_table, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain – ärger, 日本, 👩\u200d💻", "plain – ärger, 日本, 👩\u200d💻"),
        ("\x1b[31mred\x07", "\ufffd[31mred\ufffd"),
        ("\x9b2J", "\ufffd2J"),
        ("two\r\nlines\u2028three", "two lines three"),
        ("exe.\u202etxt", "exe.\ufffdtxt"),
        ("\udc80", "\ufffd"),
    ],
)
def test_a_text_of_anyones_is_one_harmless_line(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_cell_never_breaks_its_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    print_table(["A", "B"], [["one\ntwo", "\x1b]0;x\x07"]])
    _header, row = capsys.readouterr().out.splitlines()
    assert row.split() == ["one", "two", "\ufffd]0;x\ufffd"]


def test_plain_columns_stay_in_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_plain([["a\tb", "x"], ["abcd", "y"]])
    assert capsys.readouterr().out == "a b   x\nabcd  y\n"
