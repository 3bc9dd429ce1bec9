"""What tests of importers do to a source: walk its leaves, and put something else there."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

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


ODD: tuple[object, ...] = (
    *STRANGE,
    *(float(2**63), 2**63 - 1, -(2**63), 1e-300, 253_402_300_800, 1_770_000_000_000),
    *(
        "1" * 5_000,
        "1e999",
        "nan",
        "inf",
        "-0",
        "\N{SUPERSCRIPT TWO}",
        "\N{ARABIC-INDIC DIGIT TWO}",
    ),
    *(
        "https://[",
        "https://a:99999/",
        "//",
        "tcp://:1",
        "\u2028",
        "\N{CJK UNIFIED IDEOGRAPH-5546}",
    ),
    *("0000-00-00", "9999-12-31T23:59:59+14:00", "0 0 30 2 *", "*/0 * * * *", "[", "{}", "[[]]"),
    *(
        "[STATUS] == any(",
        "len([BODY]) > 1e308",
        "[STATUS] < 1e309",
        "[BODY].a[99999999999] == x",
        "pat([",
        "$",
        "${",
    ),
    *("${A", "secret:x", "{value}", "%s", "a" * 300 + ":1", "h265ms", "-5m", "999999999h"),
)


def mangled(source: object, chance: Random) -> object:
    """The source after a few accidents: values swapped, lost, repeated, wrapped or out of range."""
    result = copy.deepcopy(source)
    for _ in range(chance.randint(1, 4)):
        places = list(ways(result))
        way = chance.choice(places)
        if not way:
            continue
        place = _at(result, way[:-1])
        match chance.randrange(6):
            case 0 | 1:
                place[way[-1]] = copy.deepcopy(chance.choice(ODD))
            case 2:
                del place[way[-1]]
            case 3:
                place[way[-1]] = copy.deepcopy(_at(result, chance.choice(places)))
            case 4:
                place[way[-1]] = [place[way[-1]], copy.deepcopy(place[way[-1]])]
            case _:
                place[way[-1]] = {str(chance.choice(ODD))[:40]: place[way[-1]]}
    return result


def _at(source: object, way: tuple[str | int, ...]) -> Any:
    place: Any = source
    for step in way:
        place = place[step]
    return place


def written(folder: Path, source: object) -> Path:
    path = folder / "source.json"
    path.write_text(json.dumps(source), encoding="utf-8")
    return path
