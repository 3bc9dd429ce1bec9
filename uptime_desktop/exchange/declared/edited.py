"""A TOML file with parts of it changed, and not a character of the rest.

Comments right above a header belong to its table; those that stand alone stay where they are.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final

from uptime_desktop.exchange.declared.layout import Block, Entry, Way, layout_of
from uptime_desktop.exchange.declared.writing import key_text

_COMMENT: Final = re.compile(r"[ \t]*#")
_EMPTY: Final = re.compile(r"[ \t\r]*(?:\n|\Z)")
_INDENT: Final = re.compile(r"[ \t]*")
_LINE_END: Final = re.compile(r"\r?\n")

Change = tuple[int, int, int, str]
"""From where to where in the text as it was, which comes first of what is put in one place, and
what is to stand there."""


class Edited:
    def __init__(self, text: str) -> None:
        self.text = text
        self._line_end = _line_end(text)
        self._blocks = layout_of(text)
        self._own: dict[Way, Block] = {block.way: block for block in self._blocks}
        self._within: dict[Way, list[int]] = {}
        for place, block in enumerate(self._blocks):
            for length in range(1, len(block.way) + 1):
                self._within.setdefault(block.way[:length], []).append(place)
        self._changes: list[Change] = []

    def result(self) -> str:
        return _changed(self.text, 0, len(self.text), self._changes)

    # Keys

    def entries(self, table: Way) -> list[Entry]:
        """Those of a table under its header or, if it has none, with dots at the top."""
        if table in self._own:
            return self._own[table].entries
        depth = len(table)
        top = self._blocks[0].entries
        return [one for one in top if one.way[:depth] == table and len(one.way) > depth]

    def entry(self, table: Way, key: str) -> Entry | None:
        """What is written as the value of a key, and not as a table of its own."""
        return next((one for one in self.entries(table) if one.way == (*table, key)), None)

    def keys(self, table: Way) -> set[str]:
        depth = len(table)
        ways = [one.way for one in self.entries(table)]
        ways += [self._blocks[place].way for place in self._within.get(table, ())]
        return {str(way[depth]) for way in ways if len(way) > depth}

    def set(self, table: Way, key: str, value: str) -> None:
        """Have a key be this, in the place where it stands or else below the others."""
        entry = self.entry(table, key)
        if entry is not None:
            self._change(entry.value_start, entry.value_end, value)
            return
        self.unset(table, key)
        entries, header = self.entries(table), self._own.get(table)
        names = (key,) if header is not None else (*table, key)
        line = f"{'.'.join(key_text(str(name)) for name in names)} = {value}"
        if entries:
            indent = _INDENT.match(self.text, self._line_start(entries[-1].start))
            line = line if indent is None else indent[0] + line
            at = self._after_line(entries[-1].value_end)
        else:
            at = self._after_line(0 if header is None else header.end)
        # What belongs to a table comes before the next one.
        self._insert(at, line + "\n", -len(table) - 1)

    def unset(self, table: Way, key: str) -> None:
        """Take out a key, however it is written."""
        depth = len(table)
        for entry in self.entries(table):
            if entry.way[depth] == key:
                start, end = self._line_start(entry.start), self._after_line(entry.value_end)
                self._change(start, end, "")
        self.remove((*table, key))

    # Tables

    def has(self, table: Way) -> bool:
        """Whether there is a header for it, or for something in it."""
        return table in self._within

    def append(self, text: str, after: Way) -> None:
        """Put a table behind all that there is of another, or else at the end."""
        places = self._within.get(after) or [len(self._blocks) - 1]
        self._insert(self._end(places[-1]), "\n" + text, -len(after))

    def prepend(self, text: str) -> None:
        """Put a table before all others."""
        at = self._end(0)
        self._insert(at, "\n" + text if self.text[:at].strip() else text, 0)

    def remove(self, table: Way) -> None:
        """Take out a table with all that is in it, and the gap that it would leave."""
        for place in self._within.get(table, ()):
            start, end = self._start(place), self._end(place)
            if _EMPTY.match(self.text, end):
                while start and _EMPTY.match(self.text, self._line_start(start - 1)):
                    start = self._line_start(start - 1)
            self._change(start, end, "")

    def cut(self, table: Way, change: Callable[[], None]) -> str:
        """Take out a table, as it is with what this changes in it."""
        already = len(self._changes)
        change()
        changes = self._changes[already:]
        del self._changes[already:]
        places = self._within[table]
        start, end = self._start(places[0]), self._end(places[-1])
        text = _changed(self.text, start, end, changes)
        self.remove(table)
        return text if text.endswith("\n") else text + self._line_end

    # Lines

    def _change(self, start: int, end: int, text: str) -> None:
        self._changes.append((start, end, 0, text))

    def _insert(self, at: int, text: str, order: int) -> None:
        """Put lines where one ends; the last one of a file may not have."""
        if at and self.text[at - 1] != "\n":
            text = "\n" + text
        text = _LINE_END.sub(self._line_end, text)
        self._changes.append((at, at, order, text))

    def _start(self, place: int) -> int:
        """Where a block begins: with the comments right above its header."""
        at = self._line_start(self._blocks[place].start)
        lowest = self._after_entries(place - 1)
        while at > lowest and _COMMENT.match(self.text, above := self._line_start(at - 1)):
            at = above
        return at

    def _end(self, place: int) -> int:
        """Where a block ends: with the comments right below what is in it."""
        at = self._after_entries(place)
        is_last = place == len(self._blocks) - 1
        highest = len(self.text) if is_last else self._start(place + 1)
        while at < highest and _COMMENT.match(self.text, at):
            at = self._after_line(at)
        return at

    def _after_entries(self, place: int) -> int:
        block = self._blocks[place]
        if not block.entries and not block.way:
            return 0
        return self._after_line(block.entries[-1].value_end if block.entries else block.end)

    def _line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _after_line(self, at: int) -> int:
        return self.text.find("\n", at) + 1 or len(self.text)


def below(comments: str, text: str) -> str:
    """A text under comments, if there are any, with lines that end as theirs do."""
    whole = f"{comments.rstrip()}\n\n{text}" if comments.strip() else text
    return _LINE_END.sub(_line_end(comments), whole)


def _line_end(text: str) -> str:
    """How its lines end: as the first one does."""
    found = _LINE_END.search(text)
    return found[0] if found else "\n"


def _changed(text: str, start: int, end: int, changes: Iterable[Change]) -> str:
    """A part of the text with these changes; what is put into what is taken out stays."""
    parts, at = list[str](), start
    for begin, over, _, instead in sorted(changes, key=lambda one: one[:3]):
        parts += (text[at:begin], instead)
        at = max(at, over)
    return "".join((*parts, text[at:end]))
