"""What commands print: a table with colour on a terminal, plain text in a pipe, or JSON."""

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Final
from unicodedata import east_asian_width

from uptime_desktop.domain.wording import words
from uptime_desktop.i18n import tr

_BRIEF_S: Final = 0.5
"""What takes no longer needs no bar."""

_COLOURS: Final = {
    words("down"): "red",
    words("degraded"): "yellow",
    words("up"): "green",
    words("paused"): "blue",
    words("unknown"): "dim",
    words("pending"): "dim",
    words("removed"): "",
}


_BREAK: Final = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
_UNSEEN: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What would drive a terminal instead of being shown, or turn the order of what is."""


def visible(text: str) -> str:
    """A text of anyone's as one line that does nothing but stand there."""
    return _UNSEEN.sub("\ufffd", _BREAK.sub(" ", text))


def print_line(text: str) -> None:
    print(visible(text))


def status_text(status: object) -> str:
    """How a monitor stands, in a word."""
    return tr(str(status))


def let_go() -> None:
    """Whoever read us has gone or no longer reads: what is left to print goes nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_json(document: object) -> None:
    print(json.dumps(document, ensure_ascii=False))


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if sys.stdout.isatty():
        _print_with_colour(headers, [[visible(cell) for cell in row] for row in rows])
    else:
        print_plain([headers, *rows])


def print_plain(rows: Sequence[Sequence[str]]) -> None:
    rows = [[visible(cell) for cell in row] for row in rows]
    widths = [max(_width(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        )
        print("  ".join(cells).rstrip())


def _width(text: str) -> int:
    """How many columns of a terminal it takes: a Chinese character takes two."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A function to call with how much is done, and of how much. On a terminal it draws a bar."""
    begun = time.monotonic()
    with ExitStack() as stack:
        update: Callable[[int, int], None] | None = None

        def progress(done: int, total: int) -> None:
            nonlocal update
            is_brief = total <= 1 or time.monotonic() - begun < _BRIEF_S
            if update is None and sys.stderr.isatty() and not is_brief:
                update = _drawn_bar(title, stack)
            if update is not None:
                update(done, total)

        yield progress


def _drawn_bar(title: str, stack: ExitStack) -> Callable[[int, int], None]:
    from rich.console import Console  # noqa: PLC0415 - as below
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    bar = stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
    task = bar.add_task(title)
    return lambda done, total: bar.update(task, completed=done, total=total)


def _print_with_colour(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    # Half of a fast command's time would go into these two, so only a terminal pays.
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    colours = {tr(status): colour for status, colour in _COLOURS.items()}
    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in headers:
        table.add_column(header, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell, style=colours.get(cell, "")) for cell in row))
    Console().print(table)
