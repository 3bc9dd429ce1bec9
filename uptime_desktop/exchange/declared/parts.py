"""A configuration file taken apart where its tables begin, to be read one after the other.

A long file takes a while. A thread that reads it in one go would hold up the loop with every paint;
its parts leave room between them. What is not as plain as that is for `tomllib` alone.
"""

import re
import tomllib
from collections.abc import Iterator
from typing import Any, Final

_HEADER: Final = re.compile(
    r"^(?:\[\[(site\.monitor|site|channel|maintenance)\]\]|\[(settings)\])", re.MULTILINE
)
_OWN: Final = frozenset(("site", "channel", "maintenance", "settings"))


class Irregular(Exception):
    """It can only be read as a whole."""


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
    found = tomllib.loads(part)
    header = _HEADER.match(part)
    if header is None:
        _require(not found.keys() & _OWN)
        document.update(found)
        return
    name = header[1] or header[2]
    if name == "settings":
        _require(found.keys() == {name} and name not in document)
        document[name] = found[name]
    elif name == "site.monitor":
        _require(found.keys() == {"site"} and bool(document.get("site")))
        _append(document["site"][-1], "monitor", found["site"])
    else:
        _append(document, name, found)


def _append(around: dict[str, Any], name: str, found: dict[str, Any]) -> None:
    _require(found.keys() == {name} and len(found[name]) == 1)
    (table,) = found[name]
    # A list that stands in the table itself cannot be added to.
    _require(name != "site" or "monitor" not in table)
    around.setdefault(name, []).append(table)


def _require(is_plain: bool) -> None:
    if not is_plain:
        raise Irregular
