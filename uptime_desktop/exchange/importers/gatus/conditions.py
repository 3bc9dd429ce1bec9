"""A condition of Gatus taken apart: `len([BODY].items) > 3` and the like."""

import operator
import re
from collections.abc import Callable
from math import isinf
from typing import Final, NamedTuple

from uptime_desktop.exchange.importers.gatus.values import duration_ms, whole

# In the order in which Gatus looks for them.
_OPERATORS: Final = ("==", "!=", "<=", ">=", ">", "<")
ORDERS: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_MIRRORED: Final = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_PLACEHOLDER: Final = re.compile(
    r"\[(STATUS|IP|RESPONSE_TIME|DNS_RCODE|CONNECTED|CERTIFICATE_EXPIRATION|DOMAIN_EXPIRATION"
    r"|BODY|HEADER|CONTEXT)\]",
    re.IGNORECASE,
)
_WITH_PATH: Final = frozenset({"BODY", "HEADER", "CONTEXT"})
_WRAPPERS: Final = ("len", "has", "age")
_BEYOND: Final = 2**63
_FLOAT: Final = re.compile(r"[+-]?[0-9]{1,300}(\.[0-9]{0,300})?([eE][+-]?[0-9]{1,3})?")


class Side(NamedTuple):
    """One side: a placeholder, maybe with a path and inside a function, or else a plain text."""

    text: str
    placeholder: str = ""
    path: str = ""
    function: str = ""

    @property
    def choices(self) -> list[str] | None:
        """The values in `any(…)`."""
        inner = self._inside("any")
        return None if inner is None else [one.strip() for one in inner.split(",")]

    @property
    def glob(self) -> str | None:
        """The pattern in `pat(…)`."""
        return self._inside("pat")

    @property
    def number(self) -> int | float:
        """As Gatus compares it: a duration in milliseconds, and what is no number is 0."""
        if (milliseconds := duration_ms(self.text)) is not None and milliseconds:
            return int(milliseconds)
        if (number := whole(self.text)) is not None:
            return number
        return float(self.text) if _FLOAT.fullmatch(self.text) else 0

    def _inside(self, function: str) -> str | None:
        if self.text.startswith(function + "(") and self.text.endswith(")"):
            return self.text[len(function) + 1 : -1]
        return None


class Condition(NamedTuple):
    """The placeholder stands on the left, unless there is none."""

    left: Side
    operator: str
    right: Side

    @property
    def is_too_large(self) -> bool:
        """Whether a number is written, and there is none as large.

        Gatus orders numbers of 64 bits.
        """
        if _FLOAT.fullmatch(self.right.text) is None:
            return False
        return isinf(float(self.right.text)) or (
            self.operator in ORDERS and abs(self.right.number) >= _BEYOND
        )


def parse_condition(text: str) -> Condition | None:
    for sign in _OPERATORS:
        # A text that ends with the operator compares with nothing.
        left, found, right = f"{text} ".partition(f" {sign} ")
        if not found:
            continue
        right = right.partition(f" {sign} ")[0]
        condition = Condition(_side(left), sign, _side(right))
        if condition.right.placeholder and not condition.left.placeholder:
            mirrored = _MIRRORED.get(sign, sign)
            return Condition(condition.right, mirrored, condition.left)
        return condition
    return None


def _side(written: str) -> Side:
    text = written.strip()
    function, inner = "", text
    for name in _WRAPPERS:
        if text.startswith(name + "(") and text.endswith(")"):
            function, inner = name, text[len(name) + 1 : -1]
    found = _PLACEHOLDER.match(inner)
    if found is None:
        return Side(text)
    placeholder, rest = found[1].upper(), inner[found.end() :]
    if rest and (placeholder not in _WITH_PATH or rest[0] not in ".["):
        return Side(text)
    return Side(text, placeholder, rest.removeprefix("."), function)
