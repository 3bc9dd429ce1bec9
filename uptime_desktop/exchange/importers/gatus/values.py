"""Takes values out of a Gatus table as Gatus understands them, saying what became of each."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from uptime_desktop.checks.redaction import HIDDEN, is_secret_name
from uptime_desktop.domain.notation import go_duration_ms
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.gatus.variables import Variables, names_in
from uptime_desktop.exchange.report import NOT_IN_USE, NOTHING_LIKE_IT, Fate, Fields

WRONG: Final = Sentence("Gatus itself would not take this value")
_YES: Final = frozenset({"true", "yes", "on", "y"})
_NO: Final = frozenset({"false", "no", "off", "n", ""})
_WHOLE: Final = re.compile(r"[+-]?(0x[0-9a-f]{1,15}|0o?[0-7]{0,15}|0b[01]{1,60}|[1-9][0-9]{0,15})")
_MOST_SHOWN: Final = 300
_UNFINISHED: Final = re.compile(r"://[^/?#\s]*$")


def is_nothing(value: object) -> bool:
    """Whether a value asks for nothing, as one that was left out."""
    if isinstance(value, str):
        return value.lower() in _NO or value == "0"
    return value is None or value in ([], {})


def duration_ms(text: str) -> float | None:
    """Milliseconds of a duration as Go writes it; None if it is none, or less than nothing."""
    found = go_duration_ms(text)
    return None if found is None or found < 0 else found


def whole(text: str) -> int | None:
    """A whole number as Go reads one, 0x and the like included."""
    plain = text.strip().lower().replace("_", "")
    if not _WHOLE.fullmatch(plain):
        return None
    sign = -1 if plain.startswith("-") else 1
    digits = plain.lstrip("+-")
    is_old_octal = re.fullmatch(r"0[0-7]+", digits) is not None
    return sign * (int(digits, 8) if is_old_octal else int(digits, 0))


def leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Everything in a value that holds nothing itself, with where it is."""
    if isinstance(value, dict) and value:
        for key, one in value.items():
            yield from leaves(one, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        for at, one in enumerate(value):
            yield from leaves(one, f"{path}[{at}]")
    else:
        yield path, value


class Source:
    """One table of the file. What nobody took is reported by `finish`."""

    def __init__(self, fields: Fields, table: Mapping[str, object], variables: Variables) -> None:
        self.fields = fields
        self.table = table
        self.variables = variables
        self._taken: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self.table

    def peek(self, key: str) -> str:
        """The text there with the values of variables in it, and nothing said about it."""
        value = self.table.get(key)
        return self.variables.expanded(value) if isinstance(value, str) else ""

    def note(self, key: str, fate: Fate, how: str, shown: object = None) -> None:
        """Say what became of a field."""
        self._taken.add(key)
        self.note_part(key, self.table.get(key) if shown is None else shown, fate, how)

    def note_part(self, path: str, value: object, fate: Fate, how: str) -> None:
        """Say what became of a part of one, as in `conditions[0]`."""
        self.fields.note(path, _brief(value), fate, how)

    def text(self, key: str, to: str) -> str:
        """A text for a setting that cannot refer to variables: it gets their values."""
        return self._text(key, to, self.variables.expanded)

    def referring(self, key: str, to: str) -> str:
        """A text for a setting that can refer to variables."""
        return self._text(key, to, self.variables.referring)

    def _text(self, key: str, to: str, become: Callable[[str], str]) -> str:
        value = self.table.get(key)
        if not isinstance(value, str):
            if key in self.table:
                self.leave(key, NOT_IN_USE if value is None else WRONG)
            return ""
        found = become(value)
        self.keep(key, value, found, to)
        return found

    def keep(self, key: str, value: str, found: str, to: str, shown: object = None) -> None:
        """Say that a text is ours under the key `to`, and if variables got lost on the way."""
        if self.variables.replaced(value, found):
            self.note(key, Fate.APPROXIMATED, replaced_sentence(value), shown)
        else:
            self.note(key, Fate.MAPPED, to, shown)

    def flag(self, key: str) -> bool | None:
        """Yes or no, with nothing said about it; None if neither."""
        text = self.peek(key).lower()
        return True if text in _YES else False if text in _NO and text else None

    def duration_ms(self, key: str) -> float | None:
        """As `flag`, for a duration. A bare number is nanoseconds to Go."""
        text = self.peek(key)
        number = whole(text)
        return duration_ms(text) if number is None else number / 1e6

    def inside(self, key: str) -> "Source | None":
        """A table under a key, to account for itself; anything else is left."""
        value = self.table.get(key)
        if isinstance(value, dict) and value:
            self._taken.add(key)
            return Source(self.fields.inside(key, value), value, self.variables)
        if key in self.table:
            self.leave(key, NOT_IN_USE if is_nothing(value) else WRONG)
        return None

    def items(self, key: str) -> list[tuple[int, object]]:
        """What a list holds, each to be accounted for by its place; anything else is left."""
        value = self.table.get(key)
        if isinstance(value, list) and value:
            self._taken.add(key)
            return list(enumerate(value))
        if key in self.table:
            self.leave(key, NOT_IN_USE if is_nothing(value) else WRONG)
        return []

    def tables(self, key: str) -> Iterator[tuple[int, "Source"]]:
        """The tables of a list; what else is in it is left."""
        for at, value in self.items(key):
            if isinstance(value, dict) and value:
                fields = self.fields.inside(key, value, at)
                yield at, Source(fields, value, self.variables)
            else:
                self.leave_part(f"{key}[{at}]", value, NOT_IN_USE if value is None else WRONG)

    def leave(self, key: str, why: Sentence = NOTHING_LIKE_IT) -> None:
        """Say of all that is under a key that it is not supported."""
        if key in self.table:
            self._taken.add(key)
            self.leave_part(key, self.table[key], why)

    def leave_part(self, path: str, value: object, why: Sentence = NOTHING_LIKE_IT) -> None:
        for place, one in leaves(value, path):
            reason = NOT_IN_USE if one is None else why
            self.note_part(place, _shown(place, one), Fate.UNSUPPORTED, reason)

    def finish(self, why: Sentence = NOTHING_LIKE_IT) -> None:
        for key in self.table:
            if key not in self._taken:
                self.leave(key, why)


def replaced_sentence(value: object) -> Sentence:
    names = ", ".join(dict.fromkeys(names_in(value)))
    return Sentence("the value that {names} has now stands there, not the name", names=names)


def _brief(value: object) -> object:
    """The beginning of a long text; of an address that is cut off there, not who signs in."""
    if not isinstance(value, str) or len(value) <= _MOST_SHOWN:
        return value
    return _UNFINISHED.sub("://" + HIDDEN, value[:_MOST_SHOWN])


def _shown(path: str, value: object) -> object:
    """Nothing of what stands anywhere under the name of a secret."""
    is_secret = any(is_secret_name(part) for part in path.split("."))
    return HIDDEN if is_secret and value not in (None, "") else "" if value is None else value
