"""Makes things of the tables in a file, noting all that is wrong with each, not just the first."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from uptime_desktop.config import Settings, describe_settings, parse_settings
from uptime_desktop.domain.definition import parse_alert_rule
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.maintenance_definition import parse_window
from uptime_desktop.domain.model import Setting, Site
from uptime_desktop.domain.notation import parse_name
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.exchange.declared.described import PERSONAL
from uptime_desktop.exchange.declared.file import Faults, Table, title_of

_Thing = TypeVar("_Thing")
Keys = Mapping[str, Setting]


def gathered(
    kind: str, table: Table, faults: Faults, make: Callable[[Keys], _Thing]
) -> _Thing | None:
    """What `make` makes of the keys; None if it refused any. What it refuses is left out and it is
    asked again, so that whatever else is wrong comes to light."""
    title = kind if kind == "settings" else title_of(kind, table)
    keys, refused_keys = dict(table.keys), set[str]()
    while True:
        try:
            made = make(keys)
        except Refused as refused:
            key = refused.field
            if key not in refused_keys:
                faults.note(table.way, title, refused)
            if key in refused_keys or key not in keys or key == "kind":
                return None
            refused_keys.add(key)
            del keys[key]
        else:
            return None if refused_keys else made


def settings_of(table: Table, current: Settings, faults: Faults) -> Settings:
    """All settings: those that the file does not name are as by default, or as a person likes."""
    taste = {key: text for key, text in describe_settings(current).items() if key in PERSONAL}
    base = parse_settings(taste)

    def made(keys: Keys) -> Settings:
        return parse_settings({key: _text(value) for key, value in keys.items()}, base)

    return gathered("settings", table, faults, made) or base


def site_of(table: Table, known: Site | None, faults: Faults) -> Site | None:
    """The site; whether it is switched on stays as it is unless the file says it."""
    number, was_active = (0, True) if known is None else (known.number, known.is_active)

    def made(keys: Keys) -> Site:
        upstream = keys.get("depends_on", ())
        names = upstream if isinstance(upstream, tuple) else tuple(str(upstream).split(","))
        return Site(
            number,
            parse_name("id", table.id),
            parse_name("name", str(keys.get("name", table.id))),
            yes_or_no(keys, "active", default=was_active),
            tuple(parse_name("depends_on", name.strip()) for name in names),
            parse_alert_rule(keys),
        )

    return gathered("site", table, faults, made)


def window_of(table: Table, known: Window | None, faults: Faults) -> Window | None:
    """The window, be it over or not: a file may keep what was."""
    ended_until = None if known is None else known.off_until

    def made(keys: Keys) -> Window:
        return replace(parse_window(keys, 0, is_new=False), off_until=ended_until)

    return gathered("maintenance", table, faults, made)


def yes_or_no(keys: Keys, key: str, *, default: bool = True) -> bool:
    value = keys.get(key, default)
    if not isinstance(value, bool):
        raise Refused(key, "{value} is not a choice", "true, false", value=str(value))
    return value


def _text(value: Setting) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
