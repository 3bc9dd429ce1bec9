"""Reads the YAML of a Gatus configuration, one file or a directory of them, within bounds."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from uptime_desktop.domain.refusal import Refused
from uptime_desktop.exchange.importers.gatus.tree import MOST_NODES, Grown, Table, grown, too_many
from uptime_desktop.exchange.importers.gatus.variables import Marking
from uptime_desktop.exchange.reading import MOST_BYTES, read_bytes, text_of

_MOST_FILES: Final = 1_000
_ENDINGS: Final = frozenset({".yaml", ".yml"})


def document_of(path: Path) -> object:
    """All that a file says, or the files of a directory together."""
    if not path.is_dir():
        text = text_of(read_bytes(path), path.name)
        return grown(path.name, text, Marking([text])).value
    texts: dict[str, str] = {}
    for one in _files(path):
        name = str(one.relative_to(path))
        texts[name] = text_of(read_bytes(one), name)
        if sum(map(len, texts.values())) > MOST_BYTES:
            most = MOST_BYTES // 1024 // 1024
            raise Refused("file", "{value} is too large", "up to {n} MiB", value=path.name, n=most)
    marking = Marking(texts.values())
    return _merged(path.name, ((name, grown(name, text, marking)) for name, text in texts.items()))


def _files(path: Path) -> list[Path]:
    """In the order in which Gatus walks them; links to directories are not followed."""
    found: list[Path] = []
    for folder, folders, names in os.walk(path):
        folders.sort()
        here = Path(folder)
        found += [here / name for name in names if Path(name).suffix in _ENDINGS]
        if len(found) > _MOST_FILES:
            problem = "{value} has too many files"
            raise Refused("file", problem, "up to {n}", value=path.name, n=_MOST_FILES)
    if not found:
        problem = "{value} has no file of YAML"
        raise Refused("file", problem, "a Gatus configuration", value=path.name)
    return sorted(found, key=lambda one: one.relative_to(path).parts)


def _merged(folder: str, documents: Iterator[tuple[str, Grown]]) -> Table:
    whole: Table = {}
    nodes = 0
    for name, document in documents:
        nodes += document.nodes
        if nodes > MOST_NODES:
            raise too_many(folder)
        if isinstance(document.value, dict):
            _merge(whole, document.value, name)
        elif document.value is not None:
            problem = "{value} is no table"
            raise Refused("file", problem, "a Gatus configuration", value=name)
    return whole


def _merge(into: Table, table: Table, name: str) -> None:
    """Tables are merged and lists joined; anything else may be there only once."""
    for key, value in table.items():
        there = into.get(key)
        if key not in into:
            # Its own, for an alias may have the same elsewhere and be left as it is.
            into[key] = _copied(value)
        elif isinstance(there, dict) and isinstance(value, dict):
            _merge(there, value, name)
        elif isinstance(there, list) and isinstance(value, list):
            there.extend(value)
        else:
            problem = "{value} in {name} is in another file, too"
            allowed = "tables and lists in several files, all else in one"
            raise Refused("file", problem, allowed, value=key, name=name)


def _copied(value: object) -> object:
    if isinstance(value, dict):
        return {key: _copied(one) for key, one in value.items()}
    return list(value) if isinstance(value, list) else value
