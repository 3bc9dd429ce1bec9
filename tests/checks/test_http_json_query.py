"""What a line such as `data.status == "ok"` asks of a JSON document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uptime_desktop.checks.http.json_query import CannotAnswer, JsonQuery, parse_json_query
from uptime_desktop.domain.refusal import Refused

DOCUMENT = {
    "status": "ok",
    "count": 42,
    "load": 0.5,
    "text_count": "42",
    "text_load": "0.50",
    "ready": True,
    "nothing": None,
    "empty": "",
    "version": "v2.10.1",
    "tags": ["red", "blue", 7, "8"],
    "parts": [{"name": "a b", "up": True}, {"name": "c", "up": False}],
    "a<b": 1,
    "big": 12345678901234567890123,
}


def parsed(line: str) -> JsonQuery:
    return parse_json_query("json_query", line)


@pytest.mark.parametrize(
    ("line", "query", "operator", "value"),
    [
        ("status == ok", "status", "==", "ok"),
        ('status=="ok"', "status", "==", "ok"),
        ("status != a == b", "status", "!=", "a == b"),
        ("count>=42", "count", ">=", 42),
        ("count<= 42", "count", "<=", 42),
        ("parts[?name == 'c'].up == [true]", "parts[?name == 'c'].up", "==", [True]),
        ("length(parts[?up==`true`]) > 0", "length(parts[?up==`true`])", ">", 0),
        ('"a<b" == 1', '"a<b"', "==", 1),
        (r'"a\"<b" == 1', r'"a\"<b"', "==", 1),
        ("{a: status == 'x'} contains a", "{a: status == 'x'}", "contains", "a"),
        ("contains(tags, 'red') == true", "contains(tags, 'red')", "==", True),
        ("contains == 1", "contains", "==", 1),
        ("tags contains red", "tags", "contains", "red"),
        ("a.matches matches ^x exists$", "a.matches", "matches", "^x exists$"),
        ("status exists", "status", "exists", ""),
        ("existsing == 1", "existsing", "==", 1),
        ("status == null", "status", "==", None),
        ("status == {not json", "status", "==", "{not json"),
    ],
)
def test_a_line_is_taken_apart_at_its_first_operator(
    line: str, query: str, operator: str, value: object
) -> None:
    asked = parsed(line)
    assert (asked.query, asked.operator, asked.value) == (query, operator, value)


@pytest.mark.parametrize(
    "line",
    [
        "status == ok",
        'status == "ok"',
        "status != bad",
        "count == 42",
        'count == "42"',
        "text_count == 42",
        "text_load == 0.5",
        "load == 5e-1",
        "count > 41.5",
        "text_count >= 42",
        "load < 1",
        "load <= 0.5",
        "ready == true",
        "ready != 1",
        'ready != "true"',
        "nothing == null",
        "missing == null",
        "missing != ok",
        'empty == ""',
        "empty exists",
        "ready exists",
        "parts[1].up exists",
        "status contains o",
        "version contains 2.10",
        "tags contains red",
        "tags contains 7",
        "tags contains 8",
        "@ contains status",
        "version matches ^v2\\.",
        "count matches ^4",
        'version matches "^v2"',
        "tags matches blue",
        "parts[?name == 'a b'].up | [0] == true",
        "length(parts) == 2",
        'parts[0] == {"name": "a b", "up": true}',
        '"a<b" == 1',
        "big > 12345678901234567890122",
    ],
)
def test_an_expectation_that_holds(line: str) -> None:
    asked = parsed(line)
    assert asked.holds(asked.answer(DOCUMENT))


@pytest.mark.parametrize(
    "line",
    [
        "status == OK",
        "status != ok",
        "count == 43",
        "count < 42",
        "status > 1",
        "ready > 0",
        "nothing < 1",
        "tags >= 1",
        "ready == 1",
        "ready == yes",
        "nothing exists",
        "missing exists",
        "missing == ok",
        "missing matches .*",
        "missing contains x",
        "count contains 4",
        "status contains x",
        "tags contains green",
        "@ contains colour",
        "version matches ^2",
        'text_count == "42.0"',
        "&status matches ok",
    ],
)
def test_an_expectation_that_does_not_hold(line: str) -> None:
    asked = parsed(line)
    assert not asked.holds(asked.answer(DOCUMENT))


def test_a_question_that_makes_no_sense_for_the_document_has_no_answer() -> None:
    with pytest.raises(CannotAnswer, match="invalid type"):
        parsed("length(count) > 1").answer(DOCUMENT)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("status", "has no operator"),
        ("status = ok", "has no operator"),
        ("status is ok", "has no operator"),
        ("statuscontains ok", "has no operator"),
        ("== ok", "cannot be empty"),
        ("status ==", "no value after"),
        ("status exists now", "is not used"),
        ("count > many", "not a number"),
        ("count > NaN", "not a number"),
        ("count > 1_000", "not a number"),
        ("parts[ == 1", "has no operator"),
        ("parts] == 1", "Parse error at column 5"),
        ("a..b == 1", "Parse error at column 2"),
        ("'open == 1", "has no operator"),
        ("lenght(parts) == 1", "Unknown function: lenght"),
        ("parts[].lenght(@) == 1", "Unknown function: lenght"),
        ("status matches (a", "missing"),
        ("(" * 900 + "a" + ")" * 900 + " == 1", "nested too deeply"),
    ],
)
def test_a_line_that_says_nothing_clear_is_refused(line: str, why: str) -> None:
    with pytest.raises(Refused, match=why) as refused:
        parsed(line)
    assert refused.value.field == "json_query"
    assert "\n" not in str(refused.value)


@given(st.text(max_size=80))
def test_any_line_is_understood_or_refused(line: str) -> None:
    try:
        asked = parsed(line)
    except Refused:
        return
    try:
        asked.holds(asked.answer(DOCUMENT))
    except CannotAnswer:
        return
