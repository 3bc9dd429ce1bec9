"""The text of a cron expression, in two dialects, turned into sets of numbers.

What the sets mean on a calendar is the business of `cron`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from uptime_desktop.domain.refusal import Refused, Word

MAX_CHARACTERS: Final = 256
_MACROS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}


class Dialect(StrEnum):
    """Which expressions are understood. An expression both understand means the same in both."""

    EXTENDED = "extended"
    POSIX = "posix"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an expression: what it allows, and how it was written."""

    values: frozenset[int]
    begins_with_star: bool
    is_everything: bool


@dataclass(frozen=True, slots=True)
class Fields:
    second: Field
    minute: Field
    hour: Field
    day: Field
    month: Field
    weekday: Field
    has_seconds: bool


@dataclass(frozen=True, slots=True)
class _Column:
    """The range of a field; `names` stand for the numbers from `lowest` on."""

    name: Word
    lowest: int
    highest: int
    names: tuple[str, ...] = ()

    def parse(self, text: str, dialect: Dialect) -> Field:
        terms = text.split(",")
        if dialect is Dialect.POSIX and len(terms) > 1 and "*" in terms:
            raise self._not_understood(text, dialect)
        values = frozenset(value for term in terms for value in self._term(term, dialect))
        is_everything = len(values) == self.highest - self.lowest + 1
        return Field(values, text.startswith("*"), is_everything)

    def _term(self, term: str, dialect: Dialect) -> Iterator[int]:
        span, slash, step_text = term.partition("/")
        if slash and dialect is Dialect.POSIX:
            raise self._not_understood(term, dialect)
        step = self._step(step_text, term) if slash else 1
        first_text, dash, last_text = span.partition("-")
        if span == "*":
            first, last = self.lowest, self.highest
        else:
            first = self._number(first_text, term, dialect)
            last = self._number(last_text, term, dialect) if dash else first
            if slash and not dash:
                last = self.highest
        if last < first:
            raise Refused(
                "cron",
                "{part} {value} runs backwards",
                "a range from low to high, or a list",
                part=self.name,
                value=term,
            )
        return (self._canonical(value) for value in range(first, last + 1, step))

    def _number(self, text: str, term: str, dialect: Dialect) -> int:
        if dialect is Dialect.EXTENDED and text.lower() in self.names:
            return self.lowest + self.names.index(text.lower())
        if not re.fullmatch(r"[0-9]{1,9}", text):
            raise self._not_understood(term, dialect)
        highest = 7 if self._is_weekday and dialect is Dialect.EXTENDED else self.highest
        if not self.lowest <= int(text) <= highest:
            raise Refused(
                "cron",
                "{part} {value} is out of range",
                "{least} to {most}",
                part=self.name,
                value=term,
                least=self.lowest,
                most=highest,
            )
        return int(text)

    def _step(self, text: str, term: str) -> int:
        most = self.highest - self.lowest + 1
        if not re.fullmatch(r"[0-9]{1,9}", text) or not 1 <= int(text) <= most:
            raise Refused(
                "cron",
                "the step of {part} {value} is out of range",
                "1 to {most}",
                part=self.name,
                value=term,
                most=most,
            )
        return int(text)

    @property
    def _is_weekday(self) -> bool:
        return self.highest == 6

    def _canonical(self, value: int) -> int:
        """Sunday is 0 and, to the extended dialect, also 7."""
        return 0 if self._is_weekday and value == 7 else value

    def _not_understood(self, text: str, dialect: Dialect) -> Refused:
        allowed = "*, numbers {lowest} to {highest}, ranges, lists"
        if dialect is Dialect.EXTENDED and self.names:
            allowed = "*, numbers {lowest} to {highest}, ranges, lists, steps, names"
        elif dialect is Dialect.EXTENDED:
            allowed = "*, numbers {lowest} to {highest}, ranges, lists, steps"
        return Refused(
            "cron",
            "{part} {value} is not understood",
            allowed,
            part=self.name,
            value=text,
            lowest=self.lowest,
            highest=self.highest,
        )


_SECOND: Final = _Column(Word("second"), 0, 59)
_COLUMNS: Final = (
    _Column(Word("minute"), 0, 59),
    _Column(Word("hour"), 0, 23),
    _Column(Word("day of month"), 1, 31),
    _Column(Word("month"), 1, 12, tuple("jan feb mar apr may jun jul aug sep oct nov dec".split())),
    _Column(Word("day of week"), 0, 6, tuple("sun mon tue wed thu fri sat".split())),
)


def parse_fields(text: str, dialect: Dialect) -> Fields:
    """The fields of an expression, or a refusal that names the part at fault."""
    if len(text) > MAX_CHARACTERS:
        raise Refused(
            "cron",
            "an expression of {count} characters is too long",
            "at most {most} characters",
            count=len(text),
            most=MAX_CHARACTERS,
        )
    if not re.fullmatch(r"[\t -~]*", text):
        raise Refused(
            "cron",
            "{value} has a character that is not plain ASCII",
            "ASCII digits, letters, spaces and * , - / @",
            value=text,
        )
    if dialect is Dialect.EXTENDED and text.strip().startswith("@"):
        text = _expand_macro(text.strip())
    parts = text.split()
    has_seconds = dialect is Dialect.EXTENDED and len(parts) == 6
    if len(parts) != 5 and not has_seconds:
        raise _wrong_count(text, len(parts), dialect)
    second = _SECOND.parse(parts.pop(0) if has_seconds else "0", dialect)
    minute, hour, day, month, weekday = (
        column.parse(part, dialect) for column, part in zip(_COLUMNS, parts, strict=True)
    )
    return Fields(second, minute, hour, day, month, weekday, has_seconds)


def _expand_macro(macro: str) -> str:
    expression = _MACROS.get(macro.lower())
    if expression is None:
        raise Refused("cron", "{value} is not a known macro", ", ".join(_MACROS), value=macro)
    return expression


def _wrong_count(text: str, count: int, dialect: Dialect) -> Refused:
    allowed = "5 (minute, hour, day of month, month, day of week)"
    if dialect is Dialect.EXTENDED:
        allowed = "5 (minute, hour, day of month, month, day of week), or 6 with the second first"
    return Refused(
        "cron", "{value} has the wrong number of fields, {count}", allowed, value=text, count=count
    )
