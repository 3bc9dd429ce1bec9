"""The line and column of each key of a TOML file, for files that are valid TOML."""

import re
from bisect import bisect_left
from typing import Final

from uptime_desktop.exchange.declared.layout import Entry, Way, layout_of

_DEEPEST: Final = 20
"""How many steps of a way are looked at: nothing that we know is as deep."""


class Positions:
    """Line and column, from 1, of every value; of a table those of its header.

    Of a table that only has keys with dots in them, or tables inside it, those of the first.
    """

    def __init__(self, text: str) -> None:
        self._starts: dict[Way, int] = {(): 0}
        self._ends_of_lines = [match.start() for match in re.finditer("\n", text)]
        for block in layout_of(text):
            self._note(block.way[:-1], block.start)
            self._starts[block.way] = block.start
            self._note_all(block.entries)

    def of(self, way: Way) -> tuple[int, int]:
        """Where this stands or, if it is not there, the nearest table around it."""
        while way not in self._starts:
            way = way[:-1]
        start = self._starts[way]
        line = bisect_left(self._ends_of_lines, start)
        before = self._ends_of_lines[line - 1] if line else -1
        return line + 1, start - before

    def _note_all(self, entries: list[Entry]) -> None:
        waiting = entries[::-1]
        while waiting:
            entry = waiting.pop()
            self._note(entry.way[:-1], entry.start)
            self._starts[entry.way] = entry.value_start
            waiting += entry.inside[::-1]

    def _note(self, way: Way, start: int) -> None:
        for length in range(1, min(len(way), _DEEPEST) + 1):
            self._starts.setdefault(way[:length], start)
