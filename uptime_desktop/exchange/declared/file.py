"""A configuration file taken apart into tables of keys; what is wrong is gathered, all of it."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from functools import cached_property
from typing import Final

from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Problem, Refused, RefusedFile, Word
from uptime_desktop.exchange.declared.positions import Positions, Way

VERSION: Final = 1
TOP_KEYS: Final = ("version", "settings", "channel", "site", "maintenance")
SITE_KEYS: Final = (
    *("id", "name", "active", "depends_on"),
    *("alert_after", "repeat_every", "recovery_notice", "channels", "monitor"),
)
CHANNEL_KEYS: Final = ("id", "name", "url", "on")
_SYNTAX: Final = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_MOST_PROBLEMS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Table:
    """The keys of one thing that a file declares, and the way to where it stands."""

    way: Way
    keys: Mapping[str, Setting]

    @property
    def id(self) -> str:
        return str(self.keys["id"])


@dataclass(frozen=True, slots=True)
class Declared:
    """What a file declares. A monitor's keys have its `site` beside what was written."""

    settings: Table = Table(("settings",), {})
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

    @cached_property
    def _positions(self) -> Positions:
        return Positions(self.source)

    def note(self, table: Way, title: str, refused: Refused) -> None:
        """`title` names the table, as in `site.shop`."""
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
            problems.append(Problem(line, column, whole, refused))
        raise RefusedFile(self.name, sorted(problems, key=lambda one: (one.line, one.column)))


def read_declared(text: str, name: str) -> tuple[Declared, Faults]:
    """What a file declares; `RefusedFile` if it has no such shape."""
    faults = Faults(name, text)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
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
    for kind, tables in (
        ("channel", declared.channels),
        ("site", declared.sites),
        ("monitor", declared.monitors),
        ("maintenance", declared.windows),
    ):
        _refuse_twins(kind, tables, faults)
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
    elif version != VERSION or isinstance(version, bool):
        problem = "{value} is not a version that is known"
        faults.note((), "", Refused("version", problem, "1", value=str(version)))


def _settings(value: object, faults: Faults) -> Table:
    way: Way = ("settings",)
    if not isinstance(value, dict):
        refused = Refused("settings", "{value} is not a table", "[settings]", value=str(value))
        faults.note((), "", refused)
        value = {}
    return Table(way, _keys(value, way, "settings", faults))


def _sites(
    document: Mapping[str, object], faults: Faults
) -> tuple[tuple[Table, ...], tuple[Table, ...]]:
    sites, monitors = [], []
    for site in _tables(document, "site", (), "", SITE_KEYS, faults, but="monitor"):
        sites.append(site)
        inside = document["site"][site.way[1]]  # type: ignore[index]
        title = title_of("site", site)
        for monitor in _tables(inside, "monitor", site.way, title, None, faults):
            if "site" in monitor.keys:
                allowed = "the site that it stands under"
                problem = "{value} cannot be chosen here"
                value = str(monitor.keys["site"])
                refused = Refused("site", problem, allowed, value=value)
                faults.note(monitor.way, title_of("monitor", monitor), refused)
            monitors.append(Table(monitor.way, {**monitor.keys, "site": site.id}))
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
        problem = "{value} is not a list of tables"
        faults.note(way, title, Refused(key, problem, "[[{key}]]", key=Word(key), value=str(found)))
        return
    for place, table in enumerate(found):
        here = (*way, key, place)
        name = table.get("id")
        named = f"{key}.{name if isinstance(name, str) else place + 1}"
        whole = f"{title}.{named}" if title else named
        if not isinstance(name, str) or not name:
            allowed = 'a word of its own, as in id = "home"'
            faults.note(here, whole, Refused("id", "it is missing", allowed))
            continue
        if known is not None:
            _require_known(table, known, here, whole, faults)
        keys = {one: value for one, value in table.items() if one != but}
        yield Table(here, _keys(keys, here, whole, faults))


def title_of(kind: str, table: Table) -> str:
    """How a problem names a table, as in `site.shop.monitor.home`."""
    own = f"{kind}.{table.id}"
    return f"site.{table.keys['site']}.{own}" if kind == "monitor" and "site" in table.keys else own


def _require_known(
    table: Mapping[str, object], known: Iterable[str], way: Way, title: str, faults: Faults
) -> None:
    for key in table:
        if key not in known:
            allowed = ", ".join(known)
            refused = Refused(key, "{value} is not a key here", allowed, value=key)
            faults.note(way, title, refused)


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
        case str() | bool() | int():
            return value
        case float():
            return repr(value)
        case datetime() | date() | time():
            return value.isoformat()
        case list() if all(isinstance(one, str | int) for one in value):
            return tuple(str(one) for one in value)
        case dict() if all(isinstance(one, str | int) for one in value.values()):
            return {name: str(one) for name, one in value.items()}
    allowed = "a text, a number, true, false, a list of texts or a table of texts"
    raise Refused(key, "{value} cannot be used here", allowed, value=str(value))


def _refuse_twins(kind: str, tables: Iterable[Table], faults: Faults) -> None:
    seen: set[str] = set()
    for table in tables:
        if table.id in seen:
            allowed = "an id that no other has in this file"
            refused = Refused("id", "{value} is there twice", allowed, value=table.id)
            faults.note(table.way, title_of(kind, table), refused)
        seen.add(table.id)
