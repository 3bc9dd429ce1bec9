"""What Gatus asks of a JSON body, as queries of JMESPath with an operator of ours.

Where it orders numbers, Gatus takes them without what is behind the point, and what is no number
or is not there as 0.
"""

import json
import re
from typing import Final, NamedTuple

from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.gatus.conditions import ORDERS, Condition, Side
from uptime_desktop.exchange.importers.gatus.globs import affix_of, pattern_of
from uptime_desktop.exchange.importers.json_texts import equal_texts, is_whole_number

_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_STEP: Final = re.compile(r"([^\[\]]*)((?:\[[0-9]{1,9}\])*)")
_BODY: Final = "@"
_EVERY: Final = "[*]"
_ANYTHING: Final = "*"
_CHOOSING: Final = "#("
_IS_TRUE: Final = {"==": "true", "!=": "false"}
_TESTS: Final = {"has": "contains", "starts": "starts_with", "ends": "ends_with"}
_MUST_BE_JSON: Final = Sentence("the page must be JSON all the same")
_MUST_BE_THERE: Final = Sentence("the page must be JSON, and have it")
_COUNTED: Final = Sentence(
    "a text is counted in characters, a table by its names, a number not at all"
)
_COUNTED_IN_JSON: Final = Sentence(
    "the page must be JSON; a text is counted in characters, a table by its names, "
    "a number not at all"
)
_NO_DURATIONS: Final = Sentence("a duration in a text counts as 0")
_NO_DURATIONS_IN_JSON: Final = Sentence(
    "the page must be JSON, and a duration in a text counts as 0"
)
_ROUNDED: Final = Sentence(
    "the page must be JSON, numbers are rounded down, and a duration in a text counts as 0"
)
_AS_WRITTEN: Final = Sentence("the page must be JSON, and 1 is not the same as 1.0")


class Asked(NamedTuple):
    """Lines that say the same; `differs` tells where they do not."""

    lines: list[str]
    differs: Sentence | None = None


def jmespath_of(path: str) -> str | None:
    """The way to a value, `@` for the body itself; None if it cannot be gone."""
    if not path:
        return _BODY
    if _CHOOSING in path:
        return None
    steps: list[str] = []
    for at, step in enumerate(path.split(".")):
        found = _STEP.fullmatch(step)
        if found is None or not step or (at and not found[1]):
            return None
        key = found[1]
        name = key if not key or _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
        steps.append(name + found[2])
    return ".".join(steps)


def queries_of(condition: Condition) -> Asked | None:
    """None if nothing of ours says what is asked."""
    left, operator, right = condition
    if _EVERY in left.path:
        return _for_every(condition)
    way = jmespath_of(left.path)
    if way is None or left.function == "age":
        return None
    if right.placeholder:
        return _of_two(condition)
    if left.function == "has":
        return _there(way, operator, right)
    if operator in ORDERS:
        return _in_order(left, way, operator, int(right.number))
    # Of what is not there Gatus says that it is not the same.
    met_by_nothing = operator == "!="
    is_counted = left.function == "len"
    query = _number(left, way) if is_counted and met_by_nothing else _value(left, way)
    line = _alike(query, operator, right)
    if line is None:
        return None
    if is_counted:
        return Asked([line], _COUNTED_IN_JSON if met_by_nothing or way == _BODY else _COUNTED)
    if right.glob == _ANYTHING and not met_by_nothing:
        return Asked([line], _MUST_BE_THERE)
    return Asked([line], _MUST_BE_JSON if met_by_nothing else None)


def _there(way: str, operator: str, right: Side) -> Asked | None:
    if operator not in _IS_TRUE or right.text not in ("true", "false"):
        return None
    if (right.text == "true") == (operator == "=="):
        return Asked([f"{way} exists"])
    return Asked([f"{way} == null"], _MUST_BE_JSON)


def _value(side: Side, way: str) -> str:
    return f"length({way})" if side.function == "len" else way


def _number(side: Side, way: str) -> str:
    """What is there as a number, 0 if nothing is."""
    if side.function == "len":
        return f"length({way} || `[]`)"
    return f"to_number({way}) || `0`"


def _in_order(left: Side, way: str, operator: str, limit: int) -> Asked:
    is_counted = left.function == "len"
    met_by_nothing = ORDERS[operator](0, limit)
    query = _number(left, way) if met_by_nothing else _value(left, way)
    if is_counted:
        differs = _COUNTED_IN_JSON if met_by_nothing or way == _BODY else _COUNTED
        return Asked([f"{query} {operator} {limit}"], differs)
    sign, bound = _with_fractions(operator, limit)
    if met_by_nothing:
        return Asked([f"({query}) {sign} {bound}"], _NO_DURATIONS_IN_JSON)
    return Asked([f"{query} {sign} {bound}"], _NO_DURATIONS)


def _with_fractions(operator: str, limit: int) -> tuple[str, int]:
    """What a number must be like for what stands before its point to meet a condition."""
    if operator in (">", ">="):
        least = limit + (operator == ">")
        return (">=", least) if least > 0 else (">", least - 1)
    most = limit - (operator == "<")
    return ("<=", most) if most < 0 else ("<", most + 1)


def _alike(query: str, operator: str, right: Side) -> str | None:
    if (choices := right.choices) is not None:
        return f"contains({_literal(choices)}, to_string({query})) == {_IS_TRUE[operator]}"
    if (glob := right.glob) is None:
        return equal_texts(query, operator, right.text)
    if operator == "==":
        pattern = pattern_of(glob)
        return None if pattern is None else f"{query} matches {json.dumps(pattern)}"
    affix = affix_of(glob)
    if affix is None or not affix.text:
        return None
    return f"{_TESTS[affix.where]}(to_string({query}), {_literal(affix.text)}) == false"


def _literal(value: object) -> str:
    return "`" + json.dumps(value, ensure_ascii=False).replace("`", "\\`") + "`"


def _of_two(condition: Condition) -> Asked | None:
    left, operator, right = condition
    way, other = jmespath_of(left.path), jmespath_of(right.path)
    is_known = right.placeholder == "BODY" and not {left.function, right.function} & {"has", "age"}
    if way is None or other is None or not is_known or _EVERY in right.path:
        return None
    is_counted = "len" in (left.function, right.function)
    if operator in ORDERS:
        first, second = f"floor({_number(left, way)})", f"floor({_number(right, other)})"
        line = f"({first} {operator} {second}) == true"
        return Asked([line], _COUNTED_IN_JSON if is_counted else _ROUNDED)
    # Two that are not there are not the same.
    first, second = _value(left, way), _value(right, other)
    same = f"to_string({first}) == to_string({second}) && {way} != `null`"
    line = f"({same}) == {_IS_TRUE[operator]}"
    return Asked([line], _COUNTED_IN_JSON if is_counted else _AS_WRITTEN)


def _for_every(condition: Condition) -> Asked | None:
    """Each element must meet it, and there must be one."""
    left, operator, right = condition
    array, _, rest = left.path.partition(_EVERY)
    way, of_each = jmespath_of(array), jmespath_of(rest.removeprefix("."))
    is_plain = not right.placeholder and right.glob is None and right.choices is None
    if way is None or of_each is None or left.function or not is_plain:
        return None
    if operator in ORDERS:
        sign, bound = _with_fractions(operator, int(right.number))
        met = f"({_number(left, of_each)}) {sign} `{bound}`"
    elif is_whole_number(right.text):
        met = f"to_number({of_each}) {operator} `{right.text}`"
    else:
        met = f"to_string({of_each}) {operator} {_literal(right.text)}"
    lines = [f"length({way}) > 0", f"length({way}[?!({met})]) == 0"]
    return Asked(lines, _NO_DURATIONS if operator in ORDERS else None)
