"""Ids made from the names of another program: each unique in its file."""

from uptime_desktop.domain.ids import free_id


class Ids:
    """The ids given out so far; `plain` is what something without a usable name is called."""

    def __init__(self, plain: str = "monitor") -> None:
        self._plain = plain
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}

    def of(self, name: str) -> str:
        """A new id for something of this name."""
        found = free_id(name, self._taken, self._last, self._plain)
        self._taken.add(found)
        return found
