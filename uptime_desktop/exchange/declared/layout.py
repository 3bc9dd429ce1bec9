"""Where everything in a TOML file stands, for files that are valid TOML."""

import re
from dataclasses import dataclass, field
from typing import Final

Way = tuple[str | int, ...]
"""The keys and places in lists that lead to a value: `("site", 0, "monitor", 2, "every")`."""

_BLANK: Final = re.compile(r"(?:\s++|#[^\n]*+)*+")
_KEY: Final = re.compile(r"""\s*+("(?:[^"\\]++|\\.)*+"|'[^']*+'|[A-Za-z0-9_-]++)\s*+""")
_SCALAR: Final = re.compile(
    r'"""(?:[^"\\]++|\\.|"{1,2}(?!"))*+"{3,5}'
    r"|'''(?:[^']++|'{1,2}(?!'))*+'{3,5}"
    r'|"(?:[^"\\]++|\\.)*+"'
    r"|'[^']*+'"
    # A date and a time may have a space between them.
    r"|[^\s,\]}#]++(?:\ \d[^\s,\]}#]*+)?",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r'\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(["\\btnfre]))')
_ESCAPED: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


@dataclass(slots=True)
class Entry:
    """A key and its value, or one of several in a list: where each begins, and where it ends.

    `inside` are the entries of an inline table, and of a list the tables and lists in it.
    """

    way: Way
    start: int
    value_start: int
    value_end: int = 0
    inside: list["Entry"] = field(default_factory=list)


@dataclass(slots=True)
class Block:
    """A header from its first bracket to behind its last, and the entries below it; the first
    block of a file has no header."""

    way: Way
    start: int
    end: int
    entries: list[Entry] = field(default_factory=list)


def layout_of(text: str) -> list[Block]:
    """The blocks of a file, in order."""
    blocks, counts, at = [Block((), 0, 0)], dict[Way, int](), 0
    while (at := _skipped(text, at)) < len(text):
        if text[at] == "[":
            brackets = 2 if text.startswith("[[", at) else 1
            names, end = _dotted(text, at + brackets)
            way = _entered(names, counts, is_list=brackets == 2)
            blocks.append(Block(way, at, end + brackets))
            at = end + brackets
        else:
            entry = _entry(text, at, blocks[-1].way)
            at = _completed(text, entry)
            blocks[-1].entries.append(entry)
    return blocks


def _entered(names: list[str], counts: dict[Way, int], *, is_list: bool) -> Way:
    """The table that a header opens; in lists of tables the newest one is meant."""
    way = Way()
    for place, name in enumerate(names):
        way += (name,)
        if is_list and place == len(names) - 1:
            counts[way] = counts.get(way, 0) + 1
        if way in counts:
            way += (counts[way] - 1,)
    return way


def _entry(text: str, at: int, table: Way) -> Entry:
    names, after = _dotted(text, at)
    return Entry((*table, *names), at, _skipped(text, after + 1))


def _completed(text: str, outer: Entry) -> int:
    """Where the value of an entry ends; it and all that is inside it know that from now on."""
    # Not by recursion: the parser that took this file may have gone deeper than we could.
    around: list[tuple[Entry, int]] = []
    entry = outer
    while True:
        at = entry.value_start
        if text[at] in "[{":
            around.append((entry, 0))
            at += 1
        else:
            entry.value_end = at = _after_scalar(text, at)
        while around:
            at = _skipped(text, at)
            if text[at] == ",":
                at = _skipped(text, at + 1)
            if text[at] not in "]}":
                break
            at += 1
            around.pop()[0].value_end = at
        if not around:
            return at
        entry = _following(text, at, around)


def _following(text: str, at: int, around: list[tuple[Entry, int]]) -> Entry:
    """The next entry of the innermost list or table."""
    container, count = around[-1]
    around[-1] = (container, count + 1)
    if text[container.value_start] == "{":
        entry = _entry(text, at, container.way)
        container.inside.append(entry)
        return entry
    entry = Entry((*container.way, count), at, at)
    if text[at] in "[{":
        container.inside.append(entry)
    return entry


def _after_scalar(text: str, at: int) -> int:
    match = _SCALAR.match(text, at)
    return len(text) if match is None else match.end()


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
