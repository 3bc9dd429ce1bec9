"""Writes configuration files: a new one, or one that is there with its comments and order kept."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import tomlkit
from tomlkit.items import AoT, Table

from uptime_desktop.config import COUNT_RANGES, Settings
from uptime_desktop.domain.alerts import Channel
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.model import Monitor, Setting, Site
from uptime_desktop.exchange.declared.described import (
    described_channel,
    described_settings,
    described_site,
    described_window,
    written_monitor,
)
from uptime_desktop.exchange.declared.difference import Act, Difference, KeyChange, What
from uptime_desktop.exchange.declared.file import VERSION

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
Keys = Mapping[str, Setting]


@dataclass(frozen=True, slots=True)
class Whole:
    """All that a configuration file declares."""

    settings: Settings
    channels: tuple[Channel, ...]
    sites: tuple[Site, ...]
    monitors: tuple[Monitor, ...]
    windows: tuple[Window, ...]


def written(whole: Whole) -> str:
    """A new file."""
    parts = [f"version = {VERSION}\n"]
    settings = described_settings(whole.settings)
    if settings:
        parts.append(_table("[settings]", _typed_settings(settings)))
    parts += [_table("[[channel]]", described_channel(one)) for one in whole.channels]
    inside: dict[str, list[Monitor]] = {site.id: [] for site in whole.sites}
    for monitor in whole.monitors:
        inside[monitor.site_id].append(monitor)
    for site in whole.sites:
        parts.append(_table("[[site]]", described_site(site)))
        for monitor in inside[site.id]:
            parts.append(_table("[[site.monitor]]", _monitor_keys(monitor, whole.settings)))
    parts += [_table("[[maintenance]]", described_window(one)) for one in whole.windows]
    return "\n".join(parts)


def rewritten(text: str, whole: Whole, differences: Iterable[Difference]) -> str:
    """The file that this text is, with only that changed in which it differs.

    A difference is what it would take to make what is stored as in the file; here it is the file
    that gives way.
    """
    document = tomlkit.parse(text)
    kept = _Kept(whole)
    for difference in differences:
        match difference.what:
            case What.SETTING:
                _rewrite_settings(document, kept, difference)
            case What.MONITOR:
                _rewrite_monitor(document, kept, difference)
            case _:
                _rewrite(document, difference.what.value, kept, difference)
    return tomlkit.dumps(document)


class _Kept:
    """What is stored, in keys, by its table and id."""

    def __init__(self, whole: Whole) -> None:
        self.settings = _typed_settings(described_settings(whole.settings))
        self._makers: dict[What, Mapping[str, Keys]] = {
            What.CHANNEL: {one.id: described_channel(one) for one in whole.channels},
            What.SITE: {one.id: described_site(one) for one in whole.sites},
            What.WINDOW: {one.id: described_window(one) for one in whole.windows},
        }
        self._monitors = {one.id: one for one in whole.monitors}
        self._defaults = whole.settings

    def keys(self, what: What, thing_id: str) -> Keys:
        if what is What.MONITOR:
            return _monitor_keys(self._monitors[thing_id], self._defaults)
        return self._makers[what][thing_id]

    def site_of(self, monitor_id: str) -> str:
        return self._monitors[monitor_id].site_id


def _rewrite_settings(document: Any, kept: _Kept, difference: Difference) -> None:
    table = document.get("settings")
    if table is None:
        table = document["settings"] = tomlkit.table()
    _set(table, difference.id, kept.settings.get(difference.id))


def _rewrite(around: Any, name: str, kept: _Kept, difference: Difference) -> None:
    """Make one table in the list `[[name]]` of what is around it as it is stored."""
    tables = around.get(name)
    match difference.act:
        case Act.ADDED:
            del tables[_place(tables, difference.id)]
        case Act.REMOVED:
            _append(around, name, kept.keys(difference.what, difference.id))
        case Act.CHANGED:
            table = tables[_place(tables, difference.id)]
            _change(table, kept.keys(difference.what, difference.id), difference.keys)


def _rewrite_monitor(document: Any, kept: _Kept, difference: Difference) -> None:
    around, is_moved = _site_around(document, difference.id), False
    if difference.act is not Act.ADDED:
        home = _site(document, kept.site_of(difference.id))
        is_moved = around is not None and around is not home
        if is_moved:
            moved = around["monitor"].pop(_place(around["monitor"], difference.id))
            home.setdefault("monitor", tomlkit.aot()).append(moved)
        around = home
    _rewrite(around, "monitor", kept, difference)


def _site_around(document: Any, monitor_id: str) -> Any:
    for site in document.get("site", ()):
        if any(one.get("id") == monitor_id for one in site.get("monitor", ())):
            return site
    return None


def _site(document: Any, site_id: str) -> Any:
    return document["site"][_place(document["site"], site_id)]


def _place(tables: Any, thing_id: str) -> int:
    return next(place for place, one in enumerate(tables) if one.get("id") == thing_id)


def _append(around: Any, name: str, keys: Keys) -> None:
    table = tomlkit.table()
    for key, value in keys.items():
        table[key] = _plain(value)
    tables = around.get(name)
    if isinstance(tables, AoT) and len(tables):
        tables.append(table)
    else:
        if tables is not None:
            del around[name]
        fresh = tomlkit.aot()
        fresh.append(table)
        around.append(name, fresh)


def _change(table: Table, keys: Keys, changes: Iterable[KeyChange]) -> None:
    for change in changes:
        if change.key != "site":
            _set(table, change.key, keys.get(change.key))


def _set(table: Any, key: str, value: Setting | None) -> None:
    if value is not None:
        table[key] = _plain(value)
    elif key in table:
        del table[key]


def _plain(value: Setting) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        inline = tomlkit.inline_table()
        inline.update(value)
        return inline
    return value


def _monitor_keys(monitor: Monitor, settings: Settings) -> dict[str, Setting]:
    keys = written_monitor(monitor, settings)
    return {key: value for key, value in keys.items() if key != "site"}


def _typed_settings(texts: Mapping[str, str]) -> dict[str, Setting]:
    """Numbers and yes or no as such."""
    return {key: _typed(key, text) for key, text in texts.items()}


def _typed(key: str, text: str) -> Setting:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if key in COUNT_RANGES else text


def _table(header: str, keys: Keys) -> str:
    return "".join((f"{header}\n", *_lines(keys)))


def _lines(keys: Keys) -> Iterator[str]:
    for key, value in keys.items():
        yield f"{_key(key)} = {_value(value)}\n"


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _quoted(key)


def _value(value: Setting) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case tuple():
            return f"[{', '.join(map(_quoted, value))}]"
        case Mapping():
            inside = ", ".join(f"{_key(key)} = {_quoted(text)}" for key, text in value.items())
            return f"{{ {inside} }}" if inside else "{}"
        case _:
            return _quoted(str(value))


def _quoted(text: str) -> str:
    # JSON's escapes are TOML's, which also wants one for the last control character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
