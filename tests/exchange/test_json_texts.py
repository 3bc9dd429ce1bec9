"""Comparing what JSON holds with a text, for programs to which all of it is text."""

import pytest

from uptime_desktop.checks.http.json_query import parse_json_query
from uptime_desktop.exchange.importers.json_texts import equal_texts


@pytest.mark.parametrize(
    ("there", "text", "is_equal"),
    [
        ("1.10", "1.10", True),
        ("1.1", "1.10", False),
        ("2", "2.0", False),
        ("1e3", "1e3", True),
        (5, "5", True),
        (-5, "-5", True),
        ("ok", "ok", True),
        ("two words", "two words", True),
        (" ok", " ok", True),
        (True, "true", True),
        ("true", "true", True),
        ("null", "null", True),
    ],
)
def test_texts_are_equal_to_the_letter(there: object, text: str, is_equal: bool) -> None:
    for operator, expected in (("==", is_equal), ("!=", not is_equal)):
        query = parse_json_query("json_query", equal_texts("version", operator, text))
        assert query.holds(query.answer({"version": there})) is expected, operator
