"""A question to a JSON document and the answer that is expected: `data.status == "ok"`.

The query is JMESPath's; what follows the operator is JSON, or else a plain text.
"""

import json
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from uptime_desktop.checks.http.patterns import Pattern, parse_pattern
from uptime_desktop.domain.refusal import Refused

if TYPE_CHECKING:
    from jmespath.parser import ParsedResult

_OPERATOR: Final = re.compile(r"==|!=|<=|>=|<|>|(?<=\s)(?:contains|matches|exists)(?=\s|$)")
_ORDERS: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_NUMBER: Final = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?")
# What JMESPath says around the reason: all that could have stood there, and the query again.
_ASIDE: Final = re.compile(r"^Expecting: .*(?=Parse error)|, for expression:$|:$")
_OPENING, _CLOSING, _QUOTES = "([{", ")]}", "'\"`"
_FORM: Final = "QUERY OPERATOR VALUE with == != < <= > >= contains matches, or QUERY exists"


class CannotAnswer(Exception):
    """The query makes no sense for this document; the words are JMESPath's."""


@dataclass(frozen=True, slots=True)
class JsonQuery:
    """`value` is what the text says as JSON, and the text itself where it is none."""

    query: str
    operator: str
    text: str
    value: object
    _search: Callable[[object], object] = field(compare=False, repr=False)
    _pattern: Pattern | None = field(default=None, compare=False, repr=False)

    @property
    def expected(self) -> str:
        return f"{self.operator} {self.text}".strip()

    def answer(self, document: object) -> object:
        """What the query finds, None where there is nothing; raises `CannotAnswer`."""
        try:
            return self._search(document)
        except (ValueError, TypeError, ArithmeticError, LookupError, RecursionError) as error:
            # A library in Python meets whatever a server thought of.
            raise CannotAnswer(str(error)) from None

    def holds(self, actual: object) -> bool:
        match self.operator:
            case "exists":
                return actual is not None
            case "==":
                return _is_equal(actual, self.value)
            case "!=":
                return not _is_equal(actual, self.value)
            case "contains":
                return self._is_contained(actual)
            case "matches":
                assert self._pattern is not None
                text = answer_text(actual).encode("utf-8", "replace")
                return actual is not None and self._pattern.is_in(text)
        found, limit = _number(actual), _number(self.value)
        return found is not None and limit is not None and _ORDERS[self.operator](found, limit)

    def _is_contained(self, actual: object) -> bool:
        if isinstance(actual, list):
            return any(_is_equal(item, self.value) for item in actual)
        return isinstance(actual, str | dict) and self.text in actual


def parse_json_query(field_key: str, line: str) -> JsonQuery:
    query, sign, written = _taken_apart(field_key, line)
    if sign == "exists" and written:
        raise Refused(field_key, "{value} after exists is not used", _FORM, value=written)
    if sign != "exists" and not written:
        raise Refused(field_key, "there is no value after {sign}", _FORM, sign=sign)
    value = _json_or_text(written)
    text = value if isinstance(value, str) else written
    if sign in _ORDERS and _number(value) is None:
        raise Refused(field_key, "{value} is not a number", "numbers after < <= > >=", value=text)
    pattern = parse_pattern(field_key, text) if sign == "matches" else None
    return JsonQuery(query, sign, text, value, _compiled(field_key, query).search, pattern)


def answer_text(answer: object) -> str:
    """What was found, for people."""
    # An expression such as `&name` finds itself, which is no JSON.
    if isinstance(answer, str):
        return answer
    return json.dumps(answer, ensure_ascii=False, default=str)


def _taken_apart(field_key: str, line: str) -> tuple[str, str, str]:
    """Query, operator and value, at the first operator outside brackets and quotes."""
    depth = at = 0
    quote = ""
    while at < len(line):
        character = line[at]
        if quote:
            at += character == "\\"
            quote = "" if character == quote else quote
        elif character in _QUOTES:
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth = max(depth - 1, 0)
        elif depth == 0:
            match = _OPERATOR.match(line, at)
            if match:
                return line[:at].strip(), match[0], line[match.end() :].strip()
        at += 1
    raise Refused(field_key, "{value} has no operator", _FORM, value=line)


def _compiled(field_key: str, query: str) -> "ParsedResult":
    # 10 ms that a program without such queries never pays.
    import jmespath  # noqa: PLC0415
    from jmespath.exceptions import JMESPathError  # noqa: PLC0415

    try:
        compiled = jmespath.compile(query)
        _require_functions(compiled.parsed)
    except JMESPathError as error:
        why = _ASIDE.sub("", str(error).partition("\n")[0])
    except RecursionError:
        why = "nested too deeply"
    else:
        return compiled
    raise Refused(
        field_key, "{value} is not a query: {why}", "queries of JMESPath", value=query, why=why
    )


def _require_functions(node: object) -> None:
    """JMESPath itself notices a wrong name only when the function is called."""
    from jmespath.exceptions import UnknownFunctionError  # noqa: PLC0415
    from jmespath.functions import Functions  # noqa: PLC0415

    if not isinstance(node, dict):
        return
    if node["type"] == "function_expression" and node["value"] not in Functions.FUNCTION_TABLE:
        raise UnknownFunctionError(f"Unknown function: {node['value']}()")
    for child in node["children"]:
        _require_functions(child)


def _json_or_text(written: str) -> object:
    import msgspec  # noqa: PLC0415

    try:
        return msgspec.json.decode(written.encode())
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return written


def _is_equal(actual: object, expected: object) -> bool:
    """As JSON, except that a number equals the text of that number."""
    if isinstance(actual, bool) or isinstance(expected, bool):
        return actual is expected
    if not (isinstance(actual, str) and isinstance(expected, str)):
        found, wanted = _number(actual), _number(expected)
        if found is not None and wanted is not None:
            return found == wanted
    return actual == expected


def _number(value: object) -> int | float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value.strip())
        if match is None:
            return None
        return float(match[0]) if match[1] or match[2] else int(match[0])
    return value if isinstance(value, int | float) else None
