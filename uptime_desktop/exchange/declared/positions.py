"""Where each key of a TOML file stands, for files that are valid TOML."""

import re
from typing import Final

Way = tuple[str | int, ...]
"""The keys and places in lists that lead to a value: `("site", 0, "monitor", 2, "every")`."""

_BLANK: Final = re.compile(r"(?:\s|#[^\n]*)*")
_KEY: Final = re.compile(r"""\s*("(?:\\.|[^"\\])*"|'[^']*'|[A-Za-z0-9_-]+)\s*""")
_TOKEN: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\])*"'
    r"|'[^']*'"
    r"|\#[^\n]*|[\[\]{}\n]",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r'\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(["\\btnfre]))')
_ESCAPED: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


class Positions:
    """Line and column, from 1, of every value; of a table those of its header."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: dict[Way, int] = {(): 0}
        self._counts: dict[Way, int] = {}
        self._scan()

    def of(self, way: Way) -> tuple[int, int]:
        """Where this stands or, if it is not there, the nearest table around it."""
        while way not in self._starts:
            way = way[:-1]
        start = self._starts[way]
        before = self._text.rfind("\n", 0, start)
        return self._text.count("\n", 0, start) + 1, start - before

    def _scan(self) -> None:
        text, at, table = self._text, 0, Way()
        while (at := _skipped(text, at)) < len(text):
            start = at
            if text[at] == "[":
                is_list = text.startswith("[[", at)
                names, at = _dotted(text, at + (2 if is_list else 1))
                table = self._entered(names, is_list=is_list)
                at += 2 if is_list else 1
                self._starts.setdefault(table, start)
            else:
                names, at = _dotted(text, at)
                at = _skipped(text, at + 1)
                self._starts[(*table, *names)] = at
                at = _after_value(text, at)

    def _entered(self, names: list[str], *, is_list: bool) -> Way:
        """The table that a header opens; in lists of tables the newest one is meant."""
        way = Way()
        for place, name in enumerate(names):
            way += (name,)
            if is_list and place == len(names) - 1:
                self._counts[way] = self._counts.get(way, 0) + 1
            if way in self._counts:
                way += (self._counts[way] - 1,)
        return way


def _skipped(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return at if match is None else match.end()


def _dotted(text: str, at: int) -> tuple[list[str], int]:
    """The parts of a key with dots, and what comes after it."""
    names = []
    while (match := _KEY.match(text, at)) is not None:
        names.append(_bare(match[1]))
        at = match.end()
        if not text.startswith(".", at):
            break
        at += 1
    return names, at


def _bare(key: str) -> str:
    if key.startswith("'"):
        return key[1:-1]
    return _ESCAPE.sub(_unescaped, key[1:-1]) if key.startswith('"') else key


def _unescaped(match: re.Match[str]) -> str:
    number = match[1] or match[2]
    return chr(int(number, 16)) if number else _ESCAPED.get(match[3], match[3])


def _after_value(text: str, at: int) -> int:
    """The end of the line on which a value ends."""
    depth = 0
    for match in _TOKEN.finditer(text, at):
        token = match[0]
        depth += (token in ("[", "{")) - (token in ("]", "}"))
        if token == "\n" and depth <= 0:
            return match.end()
    return len(text)
