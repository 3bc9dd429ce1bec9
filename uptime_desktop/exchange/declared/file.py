"""A configuration file taken apart into tables of keys; what is wrong is gathered, all of it."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from functools import cached_property
from typing import Final

from uptime_desktop.domain.definition import TIMING_KEYS
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Problem, Refused, RefusedFile, Word, unknown_key
from uptime_desktop.domain.wording import one_line
from uptime_desktop.exchange.declared.layout import Way
from uptime_desktop.exchange.declared.positions import Positions

VERSION: Final = 1
TOP_KEYS: Final = ("version", "settings", "channel", "site", "maintenance")
SITE_KEYS: Final = (
    *("id", "name", "active", "depends_on"),
    *("alert_after", "repeat_every", "recovery_notice", "channels", "monitor"),
)
CHANNEL_KEYS: Final = ("id", "name", "url", "on")
_SYNTAX: Final = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_MOST_PROBLEMS: Final = 1_000
_MOST_TABLES: Final = 200_000
_LARGEST: Final = 10**18
_LONGEST_TITLE: Final = 60
_NAMELESS: Final = "nameless "
_TEXTS: Final = frozenset(("id", "name", "kind"))
_PLAIN: Final = frozenset(
    (
        *(*TIMING_KEYS, "alert_after", "repeat_every", "recovery_notice", "active", "on"),
        *("starts", "ends", "duration", "mode"),
    )
)
_LISTS: Final = frozenset(("tags", "depends_on", "channels", "sites", "monitors", "days"))
"""What keys that mean the same wherever they stand may be."""


@dataclass(frozen=True, slots=True)
class Table:
    """The keys of one thing that a file declares, and the way to where it stands.

    Problems call it by its title, as in `site.shop.monitor.home`.
    """

    way: Way
    keys: Mapping[str, Setting]
    title: str = ""

    @property
    def id(self) -> str:
        return str(self.keys["id"])


@dataclass(frozen=True, slots=True)
class Declared:
    """What a file declares. A monitor's keys have its `site` beside what was written."""

    settings: Table = Table(("settings",), {}, "settings")
    channels: tuple[Table, ...] = ()
    sites: tuple[Table, ...] = ()
    monitors: tuple[Table, ...] = ()
    windows: tuple[Table, ...] = ()


@dataclass
class Faults:
    """What is found wrong in one file, so far."""

    name: str
    source: str = ""
    found: list[tuple[Way, str, Refused]] = field(default_factory=list)
    _places: set[Way] = field(default_factory=set)

    @cached_property
    def _positions(self) -> Positions:
        return Positions(self.source)

    def note(self, table: Way, title: str, refused: Refused) -> None:
        """Of each key what is wrong with it first; the rest may follow from that."""
        place = (*table, refused.field)
        if place in self._places:
            return
        self._places.add(place)
        # Where it was raised leads back to here: all of it would stay in memory for long.
        refused.__traceback__ = refused.__context__ = refused.__cause__ = None
        if len(self.found) < _MOST_PROBLEMS:
            self.found.append((table, title, refused))

    def __bool__(self) -> bool:
        return bool(self.found)

    def raise_if_any(self) -> None:
        """Refuse the file if there is anything wrong with it."""
        if not self.found:
            return
        problems = []
        for table, title, refused in self.found:
            line, column = self._positions.of((*table, refused.field))
            whole = f"{title}.{refused.field}" if title else refused.field
            problems.append(Problem(line, column, one_line(whole), refused))
        problems.sort(key=lambda one: (one.line, one.column))
        raise RefusedFile(self.name, problems, len(self._places) - len(problems))


def read_declared(
    text: str, name: str, document: Mapping[str, object] | None = None
) -> tuple[Declared, Faults]:
    """What a file declares; `RefusedFile` if it has no such shape. Its `document` is the text as
    TOML, if it has been read already."""
    faults = Faults(name, text)
    if text.count("\n[") > _MOST_TABLES:
        problem = "{value} has too many lists and tables"
        refused = Refused("toml", problem, "up to {n}", value=name, n=_MOST_TABLES)
        raise RefusedFile(name, [Problem(1, 1, "toml", refused)])
    try:
        document = tomllib.loads(text) if document is None else document
    except ValueError as error:
        # Most are errors of TOML with their place; a number may also be too long to be read.
        raise RefusedFile(name, [_syntax_problem(str(error), text)]) from None
    except RecursionError:
        refused = Refused("toml", "it is nested too deeply", "lists and tables as in the example")
        raise RefusedFile(name, [Problem(1, 1, "toml", refused)]) from None
    _require_version(document, faults)
    _require_known(document, TOP_KEYS, (), "", faults)
    declared = Declared(
        _settings(document.get("settings", {}), faults),
        tuple(_tables(document, "channel", (), "", CHANNEL_KEYS, faults)),
        *_sites(document, faults),
        tuple(_tables(document, "maintenance", (), "", None, faults)),
    )
    for tables in (declared.channels, declared.sites, declared.monitors, declared.windows):
        _refuse_twins(tables, faults)
    return declared, faults


def _syntax_problem(message: str, text: str) -> Problem:
    match = _SYNTAX.fullmatch(message)
    reason = message if match is None else match[1]
    lines = text.split("\n")
    line, column = len(lines), len(lines[-1]) + 1
    if match is not None and match[2]:
        line, column = int(match[2]), int(match[3])
    allowed = 'TOML, as in every = "60s"'
    return Problem(line, column, "toml", Refused("toml", "{value}", allowed, value=reason))


def _require_version(document: Mapping[str, object], faults: Faults) -> None:
    version = document.get("version")
    if version is None:
        faults.note((), "", Refused("version", "it is missing", "version = 1 at the top"))
    elif version != VERSION or type(version) is not int:
        problem = "it is not a version that is known"
        faults.note((), "", Refused("version", problem, "version = 1 at the top"))


def _settings(value: object, faults: Faults) -> Table:
    way: Way = ("settings",)
    if not isinstance(value, dict):
        faults.note((), "", Refused("settings", "it is not a table", "[settings]"))
        value = {}
    return Table(way, _keys(value, way, "settings", faults), "settings")


def _sites(
    document: Mapping[str, object], faults: Faults
) -> tuple[tuple[Table, ...], tuple[Table, ...]]:
    sites, monitors = [], []
    for site in _tables(document, "site", (), "", SITE_KEYS, faults, but="monitor"):
        sites.append(site)
        inside = document["site"][site.way[1]]  # type: ignore[index]
        for monitor in _tables(inside, "monitor", site.way, site.title, None, faults):
            if "site" in monitor.keys:
                allowed = "the site that it stands under"
                problem = "{value} cannot be chosen here"
                value = str(monitor.keys["site"])
                refused = Refused("site", problem, allowed, value=value)
                faults.note(monitor.way, monitor.title, refused)
            keys = {**monitor.keys, "site": site.id}
            monitors.append(Table(monitor.way, keys, monitor.title))
    return tuple(sites), tuple(monitors)


def _tables(
    around: Mapping[str, object],
    key: str,
    way: Way,
    title: str,
    known: tuple[str, ...] | None,
    faults: Faults,
    but: str = "",
) -> Iterable[Table]:
    """The tables `[[key]]`, each of which needs an id; `but` is a key that is read elsewhere."""
    found = around.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        problem = "it is not a list of tables"
        header = ".".join((*_names(way), key))
        faults.note(way, title, Refused(key, problem, "[[{header}]]", header=Word(header)))
        return
    for place, table in enumerate(found):
        here = (*way, key, place)
        name = table.get("id")
        shown = name[:_LONGEST_TITLE] if isinstance(name, str) and name else place + 1
        whole = f"{title}.{key}.{shown}" if title else f"{key}.{shown}"
        if name is None or name == "":
            allowed = 'a word of its own, as in id = "home"'
            faults.note(here, whole, Refused("id", "it is missing", allowed))
        if known is not None:
            _require_known(table, known, here, whole, faults)
        keys = _keys({k: v for k, v in table.items() if k != but}, here, whole, faults)
        # One without an id is looked at all the same, for whatever else is wrong.
        keys["id"] = keys.get("id") or f"{_NAMELESS}{here}"
        yield Table(here, keys, whole)


def _names(way: Way) -> list[str]:
    return [step for step in way if isinstance(step, str)]


def _require_known(
    table: Mapping[str, object], known: Iterable[str], way: Way, title: str, faults: Faults
) -> None:
    for key in table:
        if key not in known:
            faults.note(way, title, unknown_key(key, "{value} is not a key here", known))


def _keys(table: Mapping[str, object], way: Way, title: str, faults: Faults) -> dict[str, Setting]:
    """The values as settings know them; one that can be none is left out and noted."""
    keys: dict[str, Setting] = {}
    for key, value in table.items():
        try:
            keys[key] = _setting(key, value)
        except Refused as refused:
            faults.note(way, title, refused)
    return keys


def _setting(key: str, value: object) -> Setting:
    match value:
        case str():
            return value
        case _ if key in _TEXTS:
            raise Refused(key, "it is not a text", 'a text, as in {key} = "home"', key=Word(key))
        case int() if abs(value) > _LARGEST:
            raise Refused(key, "the number is too large", "a number of up to 18 digits")
        case bool() | int():
            return value
        case float():
            # Never with an exponent.
            return f"{Decimal(repr(value)):f}"
        case time() if not value.second and not value.microsecond:
            return value.isoformat("minutes")
        case datetime() | date() | time():
            return value.isoformat()
        case _:
            return _several(key, value)


def _several(key: str, value: object) -> Setting:
    if key in _PLAIN:
        raise Refused(key, "it is a list or a table", "a text or a number")
    if isinstance(value, list) and all(map(_is_plain, value)):
        return tuple(str(one) for one in value)
    if key in _LISTS:
        raise Refused(key, "it is not a list of texts", "a list of texts")
    if isinstance(value, dict) and all(map(_is_plain, value.values())):
        return {name: str(one) for name, one in value.items()}
    # What is in it is not shown: there may be passwords.
    allowed = "a text, a number, true, false, a list of texts or a table of texts"
    raise Refused(key, "such a list or table cannot be used here", allowed)


def _is_plain(value: object) -> bool:
    is_small = isinstance(value, int) and abs(value) <= _LARGEST
    return isinstance(value, str) or (is_small and not isinstance(value, bool))


def _refuse_twins(tables: Iterable[Table], faults: Faults) -> None:
    seen: set[str] = set()
    for table in tables:
        if table.id in seen:
            allowed = "an id that no other has in this file"
            refused = Refused("id", "{value} is there twice", allowed, value=table.id)
            faults.note(table.way, table.title, refused)
        seen.add(table.id)
