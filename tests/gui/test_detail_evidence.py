"""What a run saw is shown in full, and what was not kept is said to be missing."""

from dataclasses import replace

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tests.gui.accessibility import unnamed_controls
from uptime_desktop.domain.model import Evidence, Source, Unmet
from uptime_desktop.domain.status import Status
from uptime_desktop.gui import theme
from uptime_desktop.gui.detail.evidence import EvidencePart, evidence_text, none_text
from uptime_desktop.gui.detail.timing import Part, TimingBar, parts_of
from uptime_desktop.gui.detail.unmet import UnmetLines
from uptime_desktop.history import RunRow

RUN = RunRow(1, 1_700_000_000_000, Status.DOWN, 212.0, 0, 2, Source.BASELINE_INTERVAL, "HTTP 503")
SEEN = Evidence(
    timings_ms=(
        ("dns", 9.0),
        ("connect", 31.0),
        ("tls", 58.0),
        ("first_byte", 108.0),
        ("total", 212.0),
    ),
    address="203.0.113.18",
    status_line="HTTP/1.1 503 Service Unavailable",
    headers=(("Retry-After", "480"), ("Server", "nginx")),
    body='{"error": "pool exhausted"}',
    certificate="shop.example, 61 days left",
    repeat_with="curl -sS https://shop.example",
)
MISSED = replace(SEEN, unmet=(Unmet("status", "200-399", "503"), Unmet("header X-Team", "pay", "")))


@pytest.fixture
def part(qtbot: QtBot) -> EvidencePart:
    part = EvidencePart()
    qtbot.addWidget(part)
    return part


def test_what_no_phase_accounts_for_was_the_body() -> None:
    phases, total_ms = parts_of(SEEN.timings_ms)
    assert phases[-1] == Part("body", 6.0)
    assert total_ms == 212.0


def test_a_run_that_failed_to_connect_has_no_body() -> None:
    assert parts_of((("dns", 9.0), ("connect", 31.0), ("total", 50.0)))[0] == [
        Part("dns", 9.0),
        Part("connect", 31.0),
    ]
    assert parts_of(()) == ([], 0)


def test_the_bar_is_told_in_words_and_its_legend_wraps(qtbot: QtBot) -> None:
    bar = TimingBar()
    qtbot.addWidget(bar)
    bar.show_timings(SEEN.timings_ms)
    expected = "DNS 9 ms, connect 31 ms, TLS 58 ms, first byte 108 ms, body 6 ms, total 212 ms"
    assert bar.accessibleDescription() == expected
    assert bar.heightForWidth(150) > bar.heightForWidth(900)


def test_evidence_is_shown_with_its_headers_folded(part: EvidencePart) -> None:
    part.show_evidence(RUN, SEEN, RUN.started_at)
    answered = "HTTP/1.1 503 Service Unavailable · 203.0.113.18 · Retry-After: 480"
    assert part.answer.text() == answered
    assert part.body.toPlainText() == SEEN.body
    assert part.certificate.text() == SEEN.certificate
    assert part.command.text() == SEEN.repeat_with
    assert part.show_headers.text() == "2 headers"
    assert part.headers.isHidden()
    assert part.none.isHidden()
    part.show_headers.click()
    assert not part.headers.isHidden()
    assert part.headers.toPlainText() == "Retry-After: 480\nServer: nginx"


def test_what_was_not_as_expected_is_said_first(part: EvidencePart) -> None:
    part.show_evidence(RUN, MISSED, RUN.started_at)
    assert part.unmet.texts == [
        "status: expected 200-399, found 503",
        "header X-Team: expected pay, found nothing",
    ]
    assert not part.unmet.isHidden()
    colour = theme.tokens().down
    assert all(line.palette().windowText().color() == colour for line in part.unmet.lines)
    part.show_evidence(RUN, SEEN, RUN.started_at)
    assert part.unmet.isHidden()
    assert part.unmet.texts == []


def test_of_very_many_the_rest_is_counted(part: EvidencePart) -> None:
    many = replace(SEEN, unmet=tuple(Unmet(f"m{n}", "up", "down") for n in range(20)))
    part.show_evidence(RUN, many, RUN.started_at)
    assert part.unmet.texts[-1] == "and 8 more"


@pytest.mark.parametrize(
    ("phase", "text"),
    [("proxy", "proxy 4 ms"), ("starttls", "STARTTLS 4 ms"), ("sign_in", "sign in 4 ms")],
)
def test_a_phase_is_called_by_its_name(phase: str, text: str) -> None:
    assert Part(phase, 4.0).text == text


def test_what_can_be_copied_is_copied(part: EvidencePart) -> None:
    part.show_evidence(RUN, SEEN, RUN.started_at)
    part.copy_command.click()
    assert QGuiApplication.clipboard().text() == SEEN.repeat_with
    part.copy_all.click()
    assert QGuiApplication.clipboard().text() == evidence_text(RUN, SEEN)


def test_copied_evidence_is_whole_and_dated_for_any_zone() -> None:
    text = evidence_text(RUN, SEEN)
    assert text.startswith("2023-11-14T22:13:20Z · HTTP 503\n")
    assert "\n\nstatus: expected 200-399, found 503\nheader X-Team: " in evidence_text(RUN, MISSED)
    for piece in (SEEN.status_line, SEEN.body, "Server: nginx", "TLS 58 ms", SEEN.repeat_with):
        assert piece in text


def test_without_evidence_it_says_so_and_copies_nothing(part: EvidencePart) -> None:
    QGuiApplication.clipboard().setText("mine")
    part.show_evidence(RUN, None, RUN.started_at)
    assert not part.none.isHidden()
    assert not part.copy_all.isEnabled()
    part.copy_all.click()
    part.copy_command.click()
    assert QGuiApplication.clipboard().text() == "mine"
    for one in (part.timing, part.answer, part.show_headers, part.body, part.command):
        assert one.isHidden()


@pytest.mark.parametrize(
    ("status", "interrupted", "words"),
    [
        (Status.UP, False, "once an hour"),
        (Status.DOWN, False, "the last ones"),
        (Status.UNKNOWN, True, "ended before this run did"),
    ],
)
def test_why_nothing_was_kept(status: Status, interrupted: bool, words: str) -> None:
    run = RunRow(1, 1, status, None, 0, 1, Source.MANUAL, "", interrupted)
    assert words in none_text(run)


def test_every_control_has_a_name(part: EvidencePart) -> None:
    assert unnamed_controls(part) == []


def test_what_was_looked_at_is_named_in_words(qtbot: QtBot) -> None:
    lines = UnmetLines()
    qtbot.addWidget(lines)
    missed = [Unmet("json_query", "ok == true", "false"), Unmet("latency", "<= 1 s", "2 s")]
    lines.show_unmet(missed, Status.DOWN)
    assert lines.texts == [
        "JSON query: expected ok == true, found false",
        "response time: expected <= 1 s, found 2 s",
    ]
