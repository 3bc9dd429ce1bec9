"""Words for people to type, made from the names of another program: each unique in its file."""

import re
from typing import Final

_MOST_CHARACTERS: Final = 40


class Ids:
    """The ids given out so far; `plain` is what something without a usable name is called."""

    def __init__(self, plain: str = "monitor") -> None:
        self._plain = plain
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}

    def of(self, name: str) -> str:
        """A new id for something of this name."""
        stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_MOST_CHARACTERS].strip("-")
        stem = stem or self._plain
        found, number = stem, self._last.get(stem, 1)
        while found in self._taken:
            number += 1
            found = f"{stem}-{number}"
        self._last[stem] = number
        self._taken.add(found)
        return found
