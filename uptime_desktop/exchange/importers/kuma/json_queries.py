"""What Uptime Kuma asks of JSON, in JSONata, as lines of a json_query."""

import json
import re
from typing import Final

from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.json_texts import equal_texts
from uptime_desktop.exchange.importers.kuma.draft import Draft
from uptime_desktop.exchange.importers.kuma.table import json_in
from uptime_desktop.exchange.importers.patterns import literal

_FIELDS: Final = ("jsonpath", "jsonpathoperator", "expectedvalue")
_ORDERS: Final = ("<", "<=", ">", ">=")
_OPERATORS: Final = ("==", "!=", "contains", *_ORDERS)
_WHOLE_PAGE: Final = frozenset({"", "$", "$$"})
# JSONata and JMESPath agree on names and places in lists, and on little else.
_SIMPLE_PATH: Final = re.compile(r"[^\W\d]\w*(\[\d+\])*(\.[^\W\d]\w*(\[\d+\])*)*")
_NAME: Final = re.compile(r"[^\W\d]\w*")
_ONE_VALUE: Final = "^(string|number|boolean)$"
_NO_LISTS: Final = Sentence("names are not looked for in lists, and places only there")
_NOT_SIMPLE: Final = Sentence(
    "only names and places in lists can be taken over, write a json_query yourself"
)
_AS_WRITTEN: Final = Sentence("the page is taken as it is written, be it JSON or not")
_NOT_A_PAGE: Final = Sentence("a page can be or contain a text, or be a number within limits")


def take_json_query(draft: Draft) -> None:
    table = draft.table
    path, sign = table.text("jsonpath"), table.text("jsonpathoperator") or "=="
    expected = table.text("expectedvalue")
    if isinstance(value := table.value("expectedvalue"), bool):
        expected = json.dumps(value)
    if path in _WHOLE_PAGE:
        _take_page(draft, sign, expected)
        return
    query = _simple_query(path)
    if not query or sign not in _OPERATORS:
        _say_unsupported(draft, _NOT_SIMPLE)
        return
    draft.keys["json_query"] = _lines(query, sign, expected)
    table.approximated("jsonpath", _NO_LISTS)
    for name in _FIELDS:
        table.mapped(name, "json_query")


def _take_page(draft: Draft, sign: str, expected: str) -> None:
    """Of a page that is not JSON Uptime Kuma takes the text."""
    if sign in _ORDERS:
        draft.keys["json_query"] = _lines("@", sign, expected)
        for name in _FIELDS:
            draft.table.mapped(name, "json_query")
        return
    if sign == "==":
        draft.keys["regex"] = (_page_of(expected),)
    elif sign == "contains":
        draft.keys["keyword"] = expected
    else:
        _say_unsupported(draft, _NOT_A_PAGE)
        return
    for name in _FIELDS:
        draft.table.approximated(name, _AS_WRITTEN)


def _page_of(text: str) -> str:
    """Around what is JSON in itself space does not count."""
    space = r"\s*" if isinstance(json_in(text), bool | int | float) else ""
    return f"^{space}{literal(text)}{space}$"


def _say_unsupported(draft: Draft, why: Sentence) -> None:
    for name in _FIELDS:
        draft.table.unsupported(name, why)


def _simple_query(path: str) -> str:
    """The path as JMESPath has it, where plain names are ASCII; empty if there is none."""
    plain = path.removeprefix("$.")
    return _NAME.sub(_named, plain) if _SIMPLE_PATH.fullmatch(plain) else ""


def _named(found: re.Match[str]) -> str:
    return found[0] if found[0].isascii() else json.dumps(found[0], ensure_ascii=False)


def _lines(query: str, sign: str, expected: str) -> tuple[str, ...]:
    """Uptime Kuma compares texts, and fails where it finds nothing, a list or an object."""
    is_one_value = f"type({query}) matches {_ONE_VALUE}"
    match sign:
        case "==":
            return (equal_texts(query, sign, expected),)
        case "!=":
            return (equal_texts(query, sign, expected), is_one_value)
        case "contains":
            return (f"to_string({query}) contains {_quoted(expected)}", is_one_value)
    return (f"{query} {sign} {_quoted(expected)}",)


def _quoted(text: str) -> str:
    """What is expected, so that it is read as it is meant."""
    is_plain = text and text.isprintable() and not text.startswith('"')
    return text if is_plain else json.dumps(text)
