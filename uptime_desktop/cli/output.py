"""What commands print: a table with colour on a terminal, plain text in a pipe, or JSON."""

import json
import sys
from collections.abc import Sequence
from typing import Final

_COLOURS: Final = {
    "down": "red",
    "degraded": "yellow",
    "up": "green",
    "paused": "blue",
    "unknown": "dim",
    "pending": "dim",
}


def print_json(document: object) -> None:
    print(json.dumps(document, ensure_ascii=False))


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if sys.stdout.isatty():
        _print_with_colour(headers, rows)
    else:
        print_plain([headers, *rows])


def print_plain(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


def _print_with_colour(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    # Half of a fast command's time would go into these two, so only a terminal pays.
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in headers:
        table.add_column(header, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell, style=_COLOURS.get(cell, "")) for cell in row))
    Console().print(table)
