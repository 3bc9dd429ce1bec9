"""What a cron expression means, what is refused and in which words."""

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.domain.build import EXPRESSIONS, at, instants, zones
from uptime_desktop.domain.cron import CronExpression
from uptime_desktop.domain.cron_grammar import Dialect
from uptime_desktop.domain.notation import instant_text
from uptime_desktop.domain.refusal import Refused


def runs(text: str, start: str, count: int, dialect: Dialect = Dialect.EXTENDED) -> list[str]:
    expression, second, found = CronExpression(text, dialect), at(start) // 1_000, []
    for _ in range(count):
        second = expression.next_after(second, UTC)
        found.append(instant_text(second * 1_000).removesuffix(":00Z"))
    return found


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        ("* * * * *", "2026-01-01T00:00", ["2026-01-01T00:01", "2026-01-01T00:02"]),
        ("* * * * *", "2026-01-01T00:00:59.999", ["2026-01-01T00:01"]),
        ("5-5 * * * *", "2026-01-01T00:00", ["2026-01-01T00:05", "2026-01-01T01:05"]),
        ("0 12 * * *", "2026-01-01T12:00", ["2026-01-02T12:00"]),
        ("0,30 9-10 * * *", "2026-01-01T09:10", ["2026-01-01T09:30", "2026-01-01T10:00"]),
        # Day of month or day of week: either, when both are restricted.
        ("0 0 1,15 * 1", "2026-02-01T00:00", ["2026-02-02T00:00", "2026-02-09T00:00"]),
        ("0 0 15 * 1", "2026-03-10T00:00", ["2026-03-15T00:00", "2026-03-16T00:00"]),
        ("0 0 31 4 1", "2026-04-01T00:00", ["2026-04-06T00:00", "2026-04-13T00:00"]),
        ("0 0 1 * 0-6", "2026-02-01T00:00", ["2026-02-02T00:00", "2026-02-03T00:00"]),
        # Both, when one begins with a star.
        ("0 0 */2 * 1", "2026-02-01T00:00", ["2026-02-09T00:00", "2026-02-23T00:00"]),
        ("0 0 13 * */5", "2026-02-01T00:00", ["2026-02-13T00:00", "2026-03-13T00:00"]),
        ("0 0 29 2 *", "2026-01-01T00:00", ["2028-02-29T00:00", "2032-02-29T00:00"]),
        ("0 0 29 2 *", "2096-03-01T00:00", ["2104-02-29T00:00"]),
        ("0 0 29 2 */7", "2026-01-01T00:00", ["2032-02-29T00:00", "2060-02-29T00:00"]),
        ("0 0 * * 7", "2026-01-01T00:00", ["2026-01-04T00:00", "2026-01-11T00:00"]),
        ("0 0 * * 5-7", "2026-01-01T00:00", ["2026-01-02T00:00", "2026-01-03T00:00"]),
        ("0 0 * * SUN", "2026-01-01T00:00", ["2026-01-04T00:00"]),
        ("0 0 1 jan,Jul *", "2026-02-01T00:00", ["2026-07-01T00:00", "2027-01-01T00:00"]),
        ("10-40/15 0 * * *", "2026-01-01T00:00", ["2026-01-01T00:10", "2026-01-01T00:25"]),
        ("50/5 * * * *", "2026-01-01T00:50", ["2026-01-01T00:55", "2026-01-01T01:50"]),
        ("1/2 0 * * *", "2026-01-01T00:57", ["2026-01-01T00:59", "2026-01-02T00:01"]),
        ("\t0  0\t* * * ", "2026-01-01T00:00", ["2026-01-02T00:00"]),
        ("@yearly", "2026-01-01T00:00", ["2027-01-01T00:00"]),
        ("@annually", "2026-01-01T00:00", ["2027-01-01T00:00"]),
        ("@monthly", "2026-01-01T00:00", ["2026-02-01T00:00"]),
        ("@weekly", "2026-01-01T00:00", ["2026-01-04T00:00"]),
        ("@daily", "2026-01-01T00:00", ["2026-01-02T00:00"]),
        ("@midnight", "2026-01-01T00:00", ["2026-01-02T00:00"]),
        ("@hourly", "2026-01-01T00:00", ["2026-01-01T01:00"]),
        ("*/20 * * * * *", "2026-01-01T00:00:40", ["2026-01-01T00:01", "2026-01-01T00:01:20Z"]),
        ("30 0 3 * * *", "2026-01-01T00:00", ["2026-01-01T03:00:30Z"]),
    ],
)
def test_when_it_fires(text: str, start: str, expected: list[str]) -> None:
    assert runs(text, start, len(expected)) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'' has the wrong number of fields, 0. Allowed: 5 (minute, hour, day of month,"),
        ("* * * *", "'* * * *' has the wrong number of fields, 4. Allowed: 5 ("),
        ("* * * * * * *", "'* * * * * * *' has the wrong number of fields, 7. Allowed: 5 ("),
        ("60 * * * *", "minute '60' is out of range. Allowed: 0 to 59."),
        ("* 24 * * *", "hour '24' is out of range. Allowed: 0 to 23."),
        ("* * 0 * *", "day of month '0' is out of range. Allowed: 1 to 31."),
        ("* * * 13 *", "month '13' is out of range. Allowed: 1 to 12."),
        ("* * * * 8", "day of week '8' is out of range. Allowed: 0 to 7."),
        ("60 * * * * *", "second '60' is out of range. Allowed: 0 to 59."),
        ("5-70 * * * *", "minute '5-70' is out of range. Allowed: 0 to 59."),
        ("x * * * *", "minute 'x' is not understood. Allowed: *, numbers 0 to 59, ranges, lists,"),
        ("1,,2 * * * *", "minute '' is not understood"),
        ("1- * * * *", "minute '1-' is not understood"),
        ("-1 * * * *", "minute '-1' is not understood"),
        ("+1 * * * *", "minute '+1' is not understood"),
        ("1.5 * * * *", "minute '1.5' is not understood"),
        ("** * * * *", "minute '**' is not understood"),
        ("*-5 * * * *", "minute '*-5' is not understood"),
        ("1-2-3 * * * *", "minute '1-2-3' is not understood"),
        ("mon * * * *", "minute 'mon' is not understood"),
        ("* * * * monday", "day of week 'monday' is not understood"),
        ("* * L * *", "day of month 'L' is not understood"),
        ("* * 15W * *", "day of month '15W' is not understood"),
        ("* * ? * *", "day of month '?' is not understood"),
        ("* * * * 1#2", "day of week '1#2' is not understood"),
        ("R * * * *", "minute 'R' is not understood"),
        ("H * * * *", "minute 'H' is not understood"),
        ("H/5 * * * *", "minute 'H/5' is not understood"),
        ("*/0 * * * *", "the step of minute '*/0' is out of range. Allowed: 1 to 60."),
        ("*/61 * * * *", "the step of minute '*/61' is out of range. Allowed: 1 to 60."),
        ("*/x * * * *", "the step of minute '*/x' is out of range. Allowed: 1 to 60."),
        ("*/ * * * *", "the step of minute '*/' is out of range. Allowed: 1 to 60."),
        ("*/2/3 * * * *", "the step of minute '*/2/3' is out of range. Allowed: 1 to 60."),
        ("0 22-2 * * *", "hour '22-2' runs backwards. Allowed: a range from low to high, or"),
        ("0 0 * * sat-sun", "day of week 'sat-sun' runs backwards"),
        ("@reboot", "'@reboot' is not a known macro. Allowed: @yearly, @annually, @monthly,"),
        ("@every 5m", "'@every 5m' is not a known macro"),
        ("0 0 30 2 *", "'0 0 30 2 *' never fires. Allowed: a date that exists."),
        ("0 0 31 2,4,6,9,11 *", "'0 0 31 2,4,6,9,11 *' never fires"),
        ("0 0 30 2 */2", "'0 0 30 2 */2' never fires"),
        ("* * * * * *", "'* * * * * *' would fire every 1 s. Allowed: 5 s or more between two"),
        ("*/4 * * * * *", "'*/4 * * * * *' would fire every 4 s"),
        ("0,58 * * * * *", "'0,58 * * * * *' would fire every 2 s"),
        ("0,58 0,59 * * * *", "'0,58 0,59 * * * *' would fire every 2 s"),
        ("0,58 0,59 0,23 * * *", "'0,58 0,59 0,23 * * *' would fire every 2 s"),
        ("0,58 0,59 0,23 1,31 * *", "'0,58 0,59 0,23 1,31 * *' would fire every 2 s"),
        ("٥ * * * *", "'٥ * * * *' has a character that is not plain ASCII. Allowed: ASCII"),
        ("５ * * * *", "'５ * * * *' has a character that is not plain ASCII"),
        ("0\u00a00 * * *", "'0\\xa00 * * *' has a character that is not plain ASCII"),
        ("0 0 * * *\n", "'0 0 * * *\\n' has a character that is not plain ASCII"),
        ("0 0 * * *\x00", "'0 0 * * *\\x00' has a character that is not plain ASCII"),
        (
            "0" * 257,
            "an expression of 257 characters is too long. Allowed: at most 256 characters.",
        ),
    ],
)
def test_what_is_refused_and_why(text: str, sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        CronExpression(text)
    assert refused.value.text().startswith(sentence)
    assert str(refused.value).startswith("cron: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "*/5 * * * * *",
        "0,57 0 * * * *",  # 57 s, then nearly an hour
        "0,58 0,59 0,23 1 * *",  # never on two days running
        "3,58 * * * * *",
    ],
)
def test_five_seconds_apart_is_far_enough(text: str) -> None:
    assert CronExpression(text).text == text


@pytest.mark.parametrize(
    "text",
    ["15 3 * * 1-5", "0 0 1,15 * 1", "0 12 14 2 *", "0,30 * * * *", "1-3,10,20-25 0 * * 0,6"],
)
def test_posix_takes_numbers_ranges_and_lists_and_means_the_same(text: str) -> None:
    start = "2026-01-01T00:00"
    assert runs(text, start, 20, Dialect.POSIX) == runs(text, start, 20)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("*/15 * * * *", "minute '*/15' is not understood. Allowed: *, numbers 0 to 59, ranges, l"),
        ("0-30/5 * * * *", "minute '0-30/5' is not understood"),
        ("0 0 * * mon", "day of week 'mon' is not understood"),
        ("0 0 * jan *", "month 'jan' is not understood"),
        ("0 0 * * 7", "day of week '7' is out of range. Allowed: 0 to 6."),
        ("@daily", "'@daily' has the wrong number of fields, 1. Allowed: 5 (minute, hour, day of "),
        ("0 0 0 * * *", "'0 0 0 * * *' has the wrong number of fields, 6. Allowed: 5 (minute,"),
        ("0 0 ? * *", "day of month '?' is not understood"),
        ("0 0 L * *", "day of month 'L' is not understood"),
        ("0 22-2 * * *", "hour '22-2' runs backwards"),
        ("*,5 * * * *", "minute '*,5' is not understood"),
        ("0 0 30 2 *", "'0 0 30 2 *' never fires"),
    ],
)
def test_posix_refuses_what_the_standard_does_not_know(text: str, sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        CronExpression(text, Dialect.POSIX)
    assert refused.value.text().startswith(sentence)


def test_a_list_of_a_hundred_thousand_terms_is_refused_unread() -> None:
    text = ",".join(["x"] * 100_000) + " * * * *"
    with pytest.raises(Refused, match="an expression of 200007 characters is too long"):
        CronExpression(text)


def test_256_characters_are_read() -> None:
    text = "0," * 123 + "0 0 * * *"
    assert len(text + " ") == 256
    assert runs(text + " ", "2026-01-01T00:00", 1) == ["2026-01-02T00:00"]


@pytest.mark.parametrize(
    ("text", "now", "expected"),
    [
        ("30 15 * * 2", "2026-01-06T15:30:00", "2026-01-06T15:30:00Z"),
        ("30 15 * * 2", "2026-01-06T15:30:59", "2026-01-06T15:30:00Z"),
        ("30 15 * * 2", "2026-01-06T15:31:00", None),
        ("20 15 * * 2", "2026-01-06T15:30:00", None),
        ("0 30 15 * * 2", "2026-01-06T15:30:00", "2026-01-06T15:30:00Z"),
        ("0 30 15 * * 2", "2026-01-06T15:30:01", None),
    ],
)
def test_whether_the_current_minute_or_second_is_a_slot(
    text: str, now: str, expected: str | None
) -> None:
    slot = CronExpression(text).slot_at(at(now) // 1_000, UTC)
    assert (None if slot is None else instant_text(slot * 1_000)) == expected


def test_the_calendar_ends_with_the_year_9999() -> None:
    with pytest.raises(OverflowError, match="no run before the year 10000"):
        CronExpression("@yearly").next_after(at("9999-06-01T00:00") // 1_000, UTC)


@given(st.text(max_size=40))
def test_any_text_is_understood_or_refused_in_one_line(text: str) -> None:
    for dialect in Dialect:
        try:
            sentence = repr(CronExpression(text, dialect))
        except Refused as refused:
            sentence = str(refused)
        assert sentence.isprintable()


@given(st.sampled_from(EXPRESSIONS), instants, zones)
def test_the_next_run_is_later_and_none_lies_between(text: str, now: int, zone: ZoneInfo) -> None:
    expression, second = CronExpression(text), now // 1_000
    found = expression.next_after(second, zone)
    assert found > second
    assert expression.next_after(found - 1, zone) == found
    for between in {second, (second + found) // 2, found - 1}:
        assert expression.next_after(between, zone) == found
