"""A configuration file taken apart where its tables begin, to be read one after the other.

A long file takes a while. A thread that reads it in one go would hold up the loop with every paint;
its parts leave room between them. Tables of nothing but plain lines, which most are, are read here,
six times faster. What is not as plain as that is for `tomllib` alone.
"""

import re
import tomllib
from collections.abc import Iterator
from typing import Any, Final, cast

from uptime_desktop.slices import in_slices

_HEADER: Final = re.compile(
    r"^(?:\[\[(site\.monitor|site|channel|maintenance)\]\]|\[(settings)\])", re.MULTILINE
)
_OWN: Final = frozenset(("site", "channel", "maintenance", "settings"))
_TEXT: Final = r'"[^"\\\x00-\x08\x0a-\x1f\x7f]*"'
_LINE: Final = re.compile(
    r"([A-Za-z0-9_-]+) = "
    rf"(?:({_TEXT})|(0|[1-9][0-9]{{0,9}})|(true|false)|\[({_TEXT}(?:, {_TEXT})*)\])"
    r"|#[^\x00-\x08\x0a-\x1f\x7f]*|"
)
"""A key with a text, a number, a choice or a list of texts; or a comment, or nothing."""


_LONGEST_TEXT: Final = 4_000_000
_LONGEST_PART: Final = 16_000
"""What is read on the loop, and what of it in one go."""


class Irregular(Exception):
    """It can only be read as a whole."""


async def read_in_parts(text: str) -> dict[str, Any] | None:
    """The text as TOML, read with room between its tables; None if it must be read as a whole."""
    document: dict[str, Any] = {}
    if len(text) > _LONGEST_TEXT:
        return None
    try:
        async for part in in_slices(parts_of(text)):
            if len(part) > _LONGEST_PART:
                return None
            join(document, part)
    except (Irregular, ValueError, RecursionError):
        return None
    return document


def parts_of(text: str) -> Iterator[str]:
    """What comes before the first table, and each table with all that belongs to it.

    A header inside a text cuts that in two, so that neither part can be read.
    """
    start = 0
    for match in _HEADER.finditer(text):
        yield text[start : match.start()]
        start = match.start()
    yield text[start:]


def join(document: dict[str, Any], part: str) -> None:
    """Read the next part into what was read before; `ValueError` if it is no TOML by itself."""
    header = _HEADER.match(part)
    if header is None:
        found = tomllib.loads(part)
        _require(not found.keys() & _OWN)
        document.update(found)
        return
    name = header[1] or header[2]
    table = _plain_table(part[header.end() :])
    if table is None:
        table = _table(part, name)
    if name == "settings":
        _require(name not in document)
        document[name] = table
    elif name == "site.monitor":
        _require(bool(document.get("site")))
        document["site"][-1].setdefault("monitor", []).append(table)
    else:
        # A list that stands in the table itself cannot be added to.
        _require(name != "site" or "monitor" not in table)
        document.setdefault(name, []).append(table)


def _table(part: str, name: str) -> dict[str, Any]:
    """The one table of this name that there is in a part."""
    found: Any = tomllib.loads(part)
    for step in name.split("."):
        _require(found.keys() == {step})
        found = found[step]
    if isinstance(found, list):
        _require(len(found) == 1)
        found = found[0]
    return cast("dict[str, Any]", found)


def _plain_table(text: str) -> dict[str, Any] | None:
    """What `tomllib` would read after a header; None if that takes more than a look at each
    line."""
    rest_of_header, *lines = text.split("\n")
    table: dict[str, Any] = {}
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None or match[1] in table:
            return None
        if match[1]:
            table[match[1]] = _plain_value(match)
    return None if rest_of_header else table


def _plain_value(match: re.Match[str]) -> str | int | list[str]:
    _, text, number, choice, texts = match.groups()
    if text:
        return str(text[1:-1])
    if number:
        return int(number)
    return choice == "true" if choice else texts[1:-1].split('", "')


def _require(is_plain: bool) -> None:
    if not is_plain:
        raise Irregular
