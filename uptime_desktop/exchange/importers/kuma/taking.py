"""What tables of every sort have: names, and durations that must fit into our ranges."""

from typing import Final

from uptime_desktop.domain.notation import duration_notation
from uptime_desktop.exchange.importers.kuma.table import Table
from uptime_desktop.exchange.importers.taking import called_here, lasting_here

_LONGEST_NAME: Final = 200
PROGRAM: Final = "Uptime Kuma"


def one_line(text: str) -> str:
    """The text as a name can be: on one line, printable, and short enough."""
    words = " ".join(text.split())
    return "".join(one for one in words if one.isprintable())[:_LONGEST_NAME].strip()


def take_name(table: Table, name: str) -> str:
    """What something is called, made usable if it is not."""
    given = table.text(name)
    usable = one_line(given) or f"{PROGRAM} {table.text('id')}".strip()[:_LONGEST_NAME]
    if usable == table.value(name):
        table.mapped(name, "name")
    else:
        table.approximated(name, called_here(usable))
    table.call(usable)
    return usable


def take_duration(
    table: Table, name: str, to: str, seconds: float, lowest_ms: int, highest_ms: int
) -> str:
    """So many seconds in our notation, moved into a range where they are outside of it."""
    given_ms = round(seconds * 1_000)
    kept_ms = min(max(given_ms, lowest_ms), highest_ms)
    if kept_ms == given_ms:
        table.mapped(name, to)
    else:
        table.approximated(name, lasting_here(kept_ms))
    return duration_notation(kept_ms)
