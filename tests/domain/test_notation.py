"""How durations and instants are written, read and refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.build import at, instants
from uptime_desktop.domain.notation import (
    instant_text,
    parse_duration,
    parse_instant,
    parse_millionths,
    parse_name,
    parse_whole,
)
from uptime_desktop.domain.refusal import Refused


@pytest.mark.parametrize(
    ("text", "expected_ms"),
    [
        ("500ms", 500),
        ("30s", 30_000),
        ("5m", 300_000),
        ("1h", 3_600_000),
        ("2d", 172_800_000),
        ("1.5h", 5_400_000),
        ("0.1s", 100),
        ("0s", 0),
        ("007s", 7_000),
    ],
)
def test_durations(text: str, expected_ms: int) -> None:
    assert parse_duration("every", text) == expected_ms


@pytest.mark.parametrize(
    "text",
    [
        *("", "60", "s", "-5s", "+5s", "5 s", " 5s", "5s ", "5S", "5sec", "1h30m", ".5s", "5.s"),
        *("1e3s", "nan", "infs", "0x5s", "1_0s", "5µs", "١٠s", "５s", "5s\n", "5\u00a0s"),
        "9" * 5_000 + "s",
    ],
)
def test_what_is_not_a_duration(text: str) -> None:
    with pytest.raises(Refused, match="is not a duration") as refused:
        parse_duration("every", text)
    assert str(refused.value).startswith("every: '")
    assert str(refused.value).endswith("Allowed: a number with a unit, as in 500ms 30s 5m 1h 2d.")
    assert len(str(refused.value)) < 200


def test_a_duration_finer_than_a_millisecond_is_refused() -> None:
    with pytest.raises(Refused, match=r"every: '0.5ms' is finer than a millisecond"):
        parse_duration("every", "0.5ms")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-03-29T01:00:00Z", "2026-03-29T01:00:00"),
        ("2026-03-29t01:00:00z", "2026-03-29T01:00:00"),
        ("2026-03-29 01:00Z", "2026-03-29T01:00:00"),
        ("2026-03-29T03:00:00+02:00", "2026-03-29T01:00:00"),
        ("2026-03-29T03:00:00+0200", "2026-03-29T01:00:00"),
        ("2026-03-28T20:30:00.250-04:30", "2026-03-29T01:00:00.250"),
        ("2026-03-29T01:00:00.123456789Z", "2026-03-29T01:00:00.123"),
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00"),
    ],
)
def test_instants(text: str, same: str) -> None:
    assert parse_instant("from", text) == at(same)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is not an instant with an offset"),
        ("now", "is not an instant with an offset"),
        ("2026-03-29", "is not an instant with an offset"),
        ("2026-03-29T01:00:00", "is not an instant with an offset"),
        ("1774746000", "is not an instant with an offset"),
        ("2026-03-29T01:00:00 Z", "is not an instant with an offset"),
        ("2026-03-29T01:00:00Z\n", "is not an instant with an offset"),
        ("٢٠٢٦-03-29T01:00:00Z", "is not an instant with an offset"),
        ("2026-02-30T01:00:00Z", "is not a date and time of the calendar"),
        ("2026-03-29T24:00:00Z", "is not a date and time of the calendar"),
        ("2026-03-29T23:59:60Z", "is not a date and time of the calendar"),
        ("2026-03-29T01:00:00+24:00", "is not a date and time of the calendar"),
        ("0001-01-01T00:00:00+10:00", "is out of range"),
        ("1969-12-31T23:59:59Z", "is out of range"),
        ("3000-01-01T00:00:00Z", "is out of range"),
    ],
)
def test_what_is_not_an_instant(text: str, problem: str) -> None:
    with pytest.raises(Refused, match=problem) as refused:
        parse_instant("from", text)
    assert refused.value.field == "from"


@given(instants)
def test_an_instant_reads_back_as_written(instant_ms: int) -> None:
    assert parse_instant("from", instant_text(instant_ms)) == instant_ms


def test_milliseconds_are_written_only_where_there_are_any() -> None:
    assert instant_text(at("2026-03-29T01:00:00")) == "2026-03-29T01:00:00Z"
    assert instant_text(at("2026-03-29T01:00:00.050")) == "2026-03-29T01:00:00.050Z"


@pytest.mark.parametrize(
    ("text", "expected"), [("0", 0), ("0.1", 100_000), ("0.50", 500_000), ("0.000001", 1)]
)
def test_fractions(text: str, expected: int) -> None:
    assert parse_millionths("jitter", text, "0.5") == expected


@pytest.mark.parametrize("text", ["", "0.51", "-0.1", "10%", "nan", ".1", "1e-1", "0,1", "٠.1"])
def test_what_is_not_a_fraction(text: str) -> None:
    with pytest.raises(Refused, match=r"is not a fraction in range\. Allowed: 0 to 0\.5\."):
        parse_millionths("jitter", text, "0.5")


@pytest.mark.parametrize("text", ["", "0", "11", "-1", "1.0", "٣", "1" * 5_000, "0x1", " 1"])
def test_what_is_not_a_whole_number(text: str) -> None:
    with pytest.raises(Refused, match=r"is not a whole number in range\. Allowed: 1 to 10\."):
        parse_whole("count", text, 1, 10)


@given(st.text())
def test_any_text_is_read_or_refused_in_one_printable_line(text: str) -> None:
    for parse in (parse_duration, parse_instant):
        try:
            sentence = str(parse("field", text))
        except Refused as refused:
            sentence = str(refused)
        assert sentence.isprintable()


@pytest.mark.parametrize("name", ["👩‍💻 laptop", "می‌خواهم", "A & B_c", "商店"])
def test_names_of_any_script_are_names(name: str) -> None:
    assert parse_name("name", name) == name


@pytest.mark.parametrize("name", ["", " ", "\u200d", "two\nlines", "\x07", "x" * 1_000])
def test_what_cannot_be_shown_on_one_line_is_no_name(name: str) -> None:
    with pytest.raises(Refused, match="cannot be a name"):
        parse_name("name", name)
