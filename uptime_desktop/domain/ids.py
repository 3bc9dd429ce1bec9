"""Words for people to type, made from names: each once among those that are taken."""

import re
from collections.abc import Collection
from typing import Final

_MOST_CHARACTERS: Final = 40


def free_id(
    name: str, taken: Collection[str], start: dict[str, int], plain: str = "monitor"
) -> str:
    """A word made from a name, `plain` where none can be; `start` remembers where to go on
    counting, so that a thousand things of one name do not take a million steps."""
    stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_MOST_CHARACTERS].strip("-")
    stem = stem or plain
    if stem not in taken:
        return stem
    number = start.get(stem, 1)
    while (candidate := f"{stem}-{(number := number + 1)}") in taken:
        pass
    start[stem] = number
    return candidate
