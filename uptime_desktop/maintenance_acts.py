"""Acts on maintenance windows by their names, with JSON in and JSON out, as in `operations`."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from uptime_desktop.app import App
from uptime_desktop.domain.ids import free_id
from uptime_desktop.domain.maintenance import OnceAt, Window, active_span, upcoming
from uptime_desktop.domain.maintenance_definition import describe_window, parse_window
from uptime_desktop.domain.model import HOUR_MS, SECOND_MS, Setting
from uptime_desktop.domain.notation import duration_notation, instant_text
from uptime_desktop.domain.refusal import Refused, Word
from uptime_desktop.i18n import tr
from uptime_desktop.views import Answer, Arguments

_DEFAULT_MS: Final = HOUR_MS


async def _listing(app: App, _: Arguments) -> Answer:
    return {"windows": [_view(app, window) for window in app.windows.values()]}


async def _add(app: App, arguments: Arguments) -> Answer:
    """Add the window that keys of a configuration file describe."""
    return await _added(app, _keys(arguments))


async def _start(app: App, arguments: Arguments) -> Answer:
    """Begin maintenance now; the keys may name it and say for what, how and how long."""
    begun: dict[str, Setting] = {
        "name": tr("Maintenance"),
        "duration": duration_notation(_DEFAULT_MS),
    }
    starts = instant_text(app.clock.wall() // SECOND_MS * SECOND_MS)
    return await _added(app, {**begun, **_keys(arguments), "starts": starts})


async def _end(app: App, arguments: Arguments) -> Answer:
    """End what is in force now, all of it or the window named; later occurrences stay."""
    named = arguments.get("window")
    windows = list(app.windows.values()) if named is None else [_find(app, str(named))]
    ended = [over for window in windows if (over := await end_now(app, window)) is not None]
    if named is not None and not ended:
        raise Refused("window", "{value} is not in force", "one that is", value=str(named))
    return {"windows": [_view(app, window) for window in ended]}


async def _remove(app: App, arguments: Arguments) -> Answer:
    window = _find(app, str(arguments.get("window", "")))
    await app.remove_window(window.id)
    return {**_view(app, replace(window, is_on=False)), "status": "removed"}


ACTS: Final[dict[str, Callable[[App, Arguments], Awaitable[Answer]]]] = {
    "maintenance_list": _listing,
    "maintenance_add": _add,
    "maintenance_start": _start,
    "maintenance_end": _end,
    "maintenance_remove": _remove,
}


def id_for(app: App, name: str) -> str:
    """The id of a new window that is called so."""
    # A name in another script leaves nothing for an id that everyone can type.
    word = name if re.search("[a-z0-9]", name.lower()) else "maintenance"
    return free_id(word, set(app.windows), {})


async def end_now(app: App, window: Window) -> Window | None:
    """End a window that is in force, as it is then: one for once is removed with that."""
    span = active_span(window, app.clock.wall(), app.clock.zone())
    if span is None:
        return None
    over = replace(window, off_until=span.ends_at)
    if isinstance(window.when, OnceAt):
        await app.remove_window(window.id)
    else:
        await app.save_window(over)
    return over


async def _added(app: App, keys: dict[str, Setting]) -> Answer:
    window_id = str(keys.get("id") or id_for(app, str(keys.get("name", ""))))
    if window_id in app.windows:
        raise Refused("id", "{value} is taken", "an id that is not", value=window_id)
    window = parse_window({**keys, "id": window_id}, app.clock.wall())
    window = replace(
        window,
        sites=frozenset(_site_id(app, one) for one in window.sites),
        monitors=frozenset(app.find(one).monitor.id for one in window.monitors),
    )
    await app.save_window(window)
    return _view(app, window)


def _keys(arguments: Arguments) -> dict[str, Setting]:
    keys = arguments.get("keys", {})
    if not isinstance(keys, dict):
        raise Refused("keys", "{value} is not a table", "keys and values", value=str(keys))
    return {key: tuple(one) if isinstance(one, list) else one for key, one in keys.items()}


def _site_id(app: App, site_id: str) -> str:
    if site_id not in app.sites:
        names = Word(", ".join(app.sites) or "–")
        raise Refused("site", "there is no site {value}", "{names}", value=site_id, names=names)
    return site_id


def _find(app: App, name: str) -> Window:
    """The window with this id, or this name if it is the only one."""
    if name in app.windows:
        return app.windows[name]
    named = [window for window in app.windows.values() if window.name == name]
    if len(named) == 1:
        return named[0]
    problem = "{value} is the name of several" if named else "there is no window {value}"
    raise Refused("window", problem, "an id, or a name that only one has", value=name)


def _view(app: App, window: Window) -> Answer:
    """What is known of a window; its times are those of the span in force, or else the next."""
    now = app.clock.wall()
    span = next(iter(upcoming(window, now, app.clock.zone(), 1)), None)
    return {
        "id": window.id,
        "name": window.name,
        "mode": window.mode.value,
        "is_on": window.is_on,
        "in_force": span is not None and span.starts_at <= now,
        "starts_at": None if span is None else instant_text(span.starts_at),
        "ends_at": None if span is None else instant_text(span.ends_at),
        "sites": sorted(window.sites),
        "monitors": sorted(window.monitors),
        "definition": describe_window(window),
    }
