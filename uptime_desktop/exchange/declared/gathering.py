"""Makes things of the tables in a file, noting all that is wrong with each, not just the first."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Final, TypeVar

from uptime_desktop.checks.grpc import GrpcKind
from uptime_desktop.checks.http.kind import HttpKind
from uptime_desktop.checks.registry import KINDS
from uptime_desktop.checks.websocket import WebSocketKind
from uptime_desktop.config import Settings, describe_settings, parse_settings
from uptime_desktop.domain.definition import parse_alert_rule
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.maintenance_definition import WINDOW_KEYS, parse_window
from uptime_desktop.domain.model import HOUR_MS, Keys, Setting, Site
from uptime_desktop.domain.notation import instant_text, parse_instant, parse_name
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.exchange.declared.described import PERSONAL
from uptime_desktop.exchange.declared.file import Faults, Table

_TIME_STAND_INS: Final[Mapping[str, Setting]] = {
    "every": "1d",
    "cron": "0 0 * * *",
    "at": "2999-01-01T00:00:00Z",
}
_TARGET_STAND_INS: Final[Mapping[str, Setting]] = {"host": "x", "port": 1, "url": "http://x"}
_TARGET_STAND_INS_OF: Final[Mapping[str, Mapping[str, Setting]]] = {
    GrpcKind.name: {"host": "x:1"},
    WebSocketKind.name: {"url": "ws://x"},
}
_WINDOW_STAND_INS: Final[Mapping[str, Setting]] = {
    "days": ("mon",),
    "at": "00:00",
    "cron": "0 0 * * *",
    "duration": "1h",
}
"""For what other keys would have no meaning without, be it wrong or missing."""

_NOTHING: Final[Mapping[str, Setting]] = {}
_Thing = TypeVar("_Thing")


def gathered(
    table: Table,
    faults: Faults,
    make: Callable[[Keys], _Thing],
    stand_ins: Mapping[str, Setting] = _NOTHING,
) -> _Thing | None:
    """What `make` makes of the keys. What it refuses is noted and left out, or something harmless
    stands in for it, and it is asked again, so that whatever else is wrong comes to light; None if
    it cannot do without."""
    keys, replaced = dict(table.keys), set[str]()
    while True:
        try:
            return make(keys)
        except Refused as refused:
            key = refused.field
            # What is wrong only since it was left out or replaced is no problem of its own.
            if key not in replaced and (key in keys or key not in table.keys):
                faults.note(table.way, table.title, refused)
            if key in stand_ins and key not in replaced:
                keys[key] = stand_ins[key]
                replaced.add(key)
            elif key not in keys or key == "kind":
                return None
            else:
                del keys[key]


def monitor_stand_ins(table: Table) -> Mapping[str, Setting]:
    """What stands in for keys of a monitor: a target of its kind, and times."""
    kind = str(table.keys.get("kind", HttpKind.name))
    return {**_TIME_STAND_INS, **_TARGET_STAND_INS, **_TARGET_STAND_INS_OF.get(kind, {})}


def readable(table: Table, faults: Faults) -> Table:
    """The table of a monitor without the settings that its kind cannot read, which are noted."""
    kind = KINDS.get(str(table.keys.get("kind", HttpKind.name)))
    unreadable = set()
    for field in () if kind is None else kind.fields:
        # A secret may only be named here.
        if field.key in table.keys and not field.is_secret:
            try:
                field.parse(table.keys[field.key])
            except Refused as refused:
                faults.note(table.way, table.title, refused)
                unreadable.add(field.key)
    if not unreadable:
        return table
    return replace(table, keys={k: v for k, v in table.keys.items() if k not in unreadable})


def settings_of(table: Table, current: Settings, faults: Faults) -> Settings:
    """All settings: those that the file does not name are as by default, or as a person likes."""
    taste = {key: text for key, text in describe_settings(current).items() if key in PERSONAL}
    base = parse_settings(taste)

    def made(keys: Keys) -> Settings:
        return parse_settings({key: _text(key, value) for key, value in keys.items()}, base)

    return gathered(table, faults, made) or base


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
            _yes_or_no(keys, "active", default=was_active),
            tuple(parse_name("depends_on", name.strip()) for name in names),
            parse_alert_rule(keys),
        )

    return gathered(table, faults, made)


def window_of(table: Table, known: Window | None, faults: Faults) -> Window | None:
    """The window, be it over or not: a file may keep what was."""

    def made(keys: Keys) -> Window:
        if "off_until" in keys:
            allowed = ", ".join(key for key in WINDOW_KEYS if key != "off_until")
            raise Refused("off_until", "{value} is not a key here", allowed, value="off_until")
        window = parse_window(keys, 0, is_new=False)
        if known is None or known.when != window.when:
            return window
        # Ended ahead of its time, it stays so until it comes again.
        return replace(window, off_until=known.off_until)

    return gathered(table, faults, made, _window_stand_ins(table))


def _window_stand_ins(table: Table) -> Mapping[str, Setting]:
    """What stands in for keys of a window: a beginning that goes with the end, and an end that goes
    with the beginning."""
    starts, ends = (_instant(table.keys.get(key)) for key in ("starts", "ends"))
    around = {"starts": (ends or HOUR_MS) - HOUR_MS, "ends": (starts or 0) + HOUR_MS}
    return {**_WINDOW_STAND_INS, **{key: instant_text(at) for key, at in around.items()}}


def _instant(given: Setting | None) -> int | None:
    with suppress(Refused):
        return parse_instant("", str(given))
    return None


def channel_of(table: Table, faults: Faults) -> tuple[str, bool]:
    """The name of a channel, and whether it is on."""

    def made(keys: Keys) -> tuple[str, bool]:
        name = parse_name("name", str(keys.get("name", table.id)))
        return name, _yes_or_no(keys, "on")

    return gathered(table, faults, made) or (table.id, True)


def _yes_or_no(keys: Keys, key: str, *, default: bool = True) -> bool:
    value = keys.get(key, default)
    if not isinstance(value, bool):
        raise Refused(key, "{value} is not a choice", "true, false", value=str(value))
    return value


def _text(key: str, value: Setting) -> str:
    if not isinstance(value, str | int):
        raise Refused(key, "it is a list or a table", "a text or a number")
    return str(value).lower() if isinstance(value, bool) else str(value)
