"""What tests of importers do to a source: walk its leaves, and put something else there."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path

from uptime_desktop.exchange.report import Report

STRANGE: tuple[object, ...] = (
    *(None, True, False, 0, -1, 1, 10**30, 1e308, 0.5, "", " ", "x", "\N{BELL}", "*" * 5_000),
    *([], [None], [[]], ["x"], {}, {"x": 1}, {"x": {"y": [1]}}),
)


def leaves(
    value: object, path: str = "", way: tuple[str | int, ...] = ()
) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Every leaf's path as reports write it, and the keys and places that lead to it."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key, (*way, key))
    elif isinstance(value, list) and value:
        for at, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{at}]", (*way, at))
    else:
        yield path, way


def ways(value: object, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The ways to everything in it, tables and lists too."""
    yield way
    inner: Iterator[tuple[str | int, object]] = iter(())
    if isinstance(value, dict):
        inner = iter(value.items())
    elif isinstance(value, list):
        inner = iter(enumerate(value))
    for key, one in inner:
        yield from ways(one, (*way, key))


def unreported(source: object, report: Report) -> list[str]:
    """The leaves that no line speaks of, itself or what it is in."""
    told = {line.path for line in report.lines}
    return [path for path, _ in leaves(source) if told.isdisjoint(_around(path))]


def _around(path: str) -> Iterator[str]:
    yield path
    yield from (path[:at] for at, character in enumerate(path) if character in ".[")


def changed(source: object, way: tuple[str | int, ...], value: object) -> object:
    """The source with this value there instead."""
    if not way:
        return value
    result = copy.deepcopy(source)
    place = result
    for step in way[:-1]:
        place = place[step]  # type: ignore[index]
    place[way[-1]] = value  # type: ignore[index]
    return result


def written(folder: Path, source: object) -> Path:
    path = folder / "source.json"
    path.write_text(json.dumps(source), encoding="utf-8")
    return path
