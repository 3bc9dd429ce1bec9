"""What Gatus asks of a JSON body, as queries of JMESPath with an operator of ours."""

import json
import re
from typing import Final

from uptime_desktop.exchange.importers.gatus.conditions import Condition, Side
from uptime_desktop.exchange.importers.gatus.globs import affix_of, pattern_of
from uptime_desktop.exchange.importers.json_texts import equal_texts

_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_STEP: Final = re.compile(r"([^\[\]]*)((?:\[[0-9]{1,9}\])*)")
_EVERY: Final = "[*]"
_IS_TRUE: Final = {"==": "true", "!=": "false"}
_TESTS: Final = {"has": "contains", "starts": "starts_with", "ends": "ends_with"}


def jmespath_of(path: str) -> str | None:
    """The way to a value, `@` for the body itself; None if it cannot be gone."""
    if not path:
        return "@"
    steps: list[str] = []
    for at, step in enumerate(path.split(".")):
        found = _STEP.fullmatch(step)
        if found is None or not step or (at and not found[1]):
            return None
        key = found[1]
        name = key if not key or _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
        steps.append(name + found[2])
    return ".".join(steps)


def queries_of(condition: Condition) -> list[str] | None:
    """The lines that say the same; None if there are none."""
    left, operator, right = condition
    if _EVERY in left.path:
        return _for_every(condition)
    query = _query(left)
    if query is None:
        return None
    if right.placeholder:
        return _of_two(query, left, operator, right)
    if left.function == "has":
        exists = (right.text == "true") == (operator == "==")
        is_said = operator in _IS_TRUE and right.text in ("true", "false")
        return None if not is_said else [f"{query} exists" if exists else f"{query} == null"]
    if operator not in _IS_TRUE:
        return [f"{query} {operator} {_number(right)}"]
    if (choices := right.choices) is not None:
        literal = _literal(choices)
        return [f"contains({literal}, to_string({query})) == {_IS_TRUE[operator]}"]
    if (glob := right.glob) is not None:
        return _matching(query, operator, glob)
    return [equal_texts(query, operator, right.text)]


def _query(side: Side) -> str | None:
    way = jmespath_of(side.path)
    if way is None or side.function == "age":
        return None
    return f"length({way})" if side.function == "len" else way


def _number(side: Side) -> str:
    number = side.number
    return str(number) if isinstance(number, int) else json.dumps(number)


def _literal(value: object) -> str:
    return "`" + json.dumps(value, ensure_ascii=False).replace("`", "\\`") + "`"


def _matching(query: str, operator: str, glob: str) -> list[str] | None:
    if operator == "==":
        pattern = pattern_of(glob)
        return None if pattern is None else [f"{query} matches {json.dumps(pattern)}"]
    affix = affix_of(glob)
    if affix is None or not affix.text:
        return None
    return [f"{_TESTS[affix.where]}(to_string({query}), {_literal(affix.text)}) == false"]


def _of_two(query: str, left: Side, operator: str, right: Side) -> list[str] | None:
    other = _query(right) if right.placeholder == "BODY" else None
    if other is None or "has" in (left.function, right.function) or _EVERY in right.path:
        return None
    if operator in _IS_TRUE:
        return [f"(to_string({query}) == to_string({other})) == {_IS_TRUE[operator]}"]
    return [f"({query} {operator} {other}) == true"]


def _for_every(condition: Condition) -> list[str] | None:
    """Each element must meet it, and there must be one."""
    left, operator, right = condition
    array, _, rest = left.path.partition(_EVERY)
    way, of_each = jmespath_of(array), jmespath_of(rest.removeprefix("."))
    is_plain = not right.placeholder and right.glob is None and right.choices is None
    if way is None or of_each is None or left.function or not is_plain:
        return None
    if operator in _IS_TRUE:
        met = f"to_string({of_each}) {operator} {_literal(right.text)}"
    else:
        met = f"{of_each} {operator} `{_number(right)}`"
    return [f"length({way}) > 0", f"length({way}[?!({met})]) == 0"]
