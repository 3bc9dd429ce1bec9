"""What an importer finds in another program's file, in the keys of our own configuration file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from uptime_desktop.domain.model import Keys
from uptime_desktop.domain.past import Past
from uptime_desktop.exchange.report import Report


@dataclass(frozen=True, slots=True)
class Found:
    """All that one file holds for us.

    Each of `sites`, `monitors`, `channels` and `windows` has its `id`, unique in this file;
    a monitor names its `site`. Passwords stand in the clear: they are put apart when it is
    stored. `paused` are monitors that were switched off. `past` reads the history, one monitor at
    a time, when it is asked for; `past_count` says for how many there is one. Where the program
    `knows_variables`, `${NAME}` in a text is one of the environment; else it is a text like any.
    """

    program: str
    report: Report
    sites: tuple[Keys, ...] = ()
    monitors: tuple[Keys, ...] = ()
    channels: tuple[Keys, ...] = ()
    windows: tuple[Keys, ...] = ()
    paused: frozenset[str] = frozenset()
    past: Callable[[], Iterator[Past]] = lambda: iter(())
    past_count: int = 0
    knows_variables: bool = False

    def counts(self) -> dict[str, int]:
        """How much there is of each."""
        return {
            "monitors": len(self.monitors),
            "sites": len(self.sites),
            "channels": len(self.channels),
            "windows": len(self.windows),
            "pasts": self.past_count,
        }
