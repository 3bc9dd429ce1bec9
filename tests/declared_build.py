"""Random configurations: made through the app as a person would, and as files that one might write.

`Draw` is what takes a value from a strategy of Hypothesis.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from hypothesis import strategies as st

from uptime_desktop.app import App
from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.checks.registry import KINDS
from uptime_desktop.config import (
    COUNT_RANGES,
    DURATION_RANGES,
    Settings,
    describe_settings,
    parse_settings,
)
from uptime_desktop.domain.definition import describe_monitor, parse_alert_rule
from uptime_desktop.domain.maintenance import OnceAt
from uptime_desktop.domain.maintenance_definition import DAYS, parse_window
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.notation import duration_notation, fraction_notation
from uptime_desktop.domain.refusal import Refused

NOW: Final = 1_800_000_000_000
DAY_MS: Final = 86_400_000
Draw = Callable[[st.SearchStrategy[Any]], Any]
Keys = dict[str, Setting]

LETTERS: Final = st.sampled_from("abZ09 ._-/\"'\\#=[]{},:\n\t\x7f\u2028éß日😀")
TEXT: Final = st.text(LETTERS, min_size=1, max_size=10)
NAME: Final = st.text(st.sampled_from("abcZ09 ._-/\"'\\#=[]{}é日😀"), min_size=1, max_size=8)
WORDS: Final = st.lists(NAME.map(str.strip).filter(bool), max_size=3).map(tuple)
HEADER: Final = st.sampled_from(["Accept", "X-A", "Authorization", "Cookie", "X-Api-Key"])
PLAIN_TEXT: Final = st.text(st.sampled_from("abc 09;=\"'\\"), max_size=10).map(str.strip)
ZONE: Final = st.sampled_from(["Europe/Berlin", "UTC", "America/New_York"])
CRON: Final = st.sampled_from(["*/5 * * * *", "0 9 * * 1-5", "15,45 3 1 1 *", "0 0 * * 0"])
DURATION: Final = st.sampled_from(["5s", "7500ms", "60s", "1m", "90s", "1.5m", "2h", "1d", "30d"])
USUAL: Final[dict[str, list[Setting]]] = {
    "url": [
        "https://x.example/",
        "https://ann:hunter22@x.example/a?b=c",
        "http://x.example:81/?token=hunter22",
        "ws://x.example/s",
    ],
    "host": ["x.example", "10.0.0.1", "db.example"],
    "proxy": ["http://ann:hunter22@proxy.example:3128", "socks5h://127.0.0.1:1080"],
    "resolver": ["9.9.9.9", "tls://dns.example"],
    "accepted_codes": [("200",), ("200-299", "401"), "200-299,401"],
    "json_query": [("data.status == ok", "a, b exists"), "x.y == 'z'"],
    "regex": [("a.*b", "c,d"), "x"],
    "ping_id": ["5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278", "0c8983c9-9d73-446f-adb5-0641fdacc9d4"],
    "slug": ["nightly", "a_b-c"],
    "rule": ["all", "any", "1"],
    "send": ["PING\\r\\n", "password=hunter22"],
    "body": ["{}", '{"password": "hunter22"}', "line\nline"],
}
REQUIRED: Final[dict[str, Keys]] = {
    "http": {"url": "https://x.example/"},
    "tcp": {"host": "x.example", "port": 443},
    "ping": {"host": "x.example"},
    "dns": {"host": "x.example"},
    "tls": {"host": "x.example"},
    "websocket": {"url": "wss://x.example/"},
    "grpc": {"host": "x.example:50051"},
    "heartbeat": {},
    "remote": {"url": "https://status.example/"},
}


def _field_value(spec: FieldSpec) -> st.SearchStrategy[Setting]:
    usual = st.sampled_from(USUAL[spec.key]) if spec.key in USUAL else st.nothing()
    match spec.type:
        case FieldType.TEXT:
            return usual | TEXT
        case FieldType.WHOLE:
            numbers = st.integers(spec.lowest, min(spec.highest, 10**6))
            return numbers | numbers.map(str)
        case FieldType.DURATION:
            return st.integers(spec.lowest, min(spec.highest, 10**7)).map(duration_notation)
        case FieldType.CHOICE:
            return st.sampled_from([*spec.choices, spec.choices[-1].lower()])
        case FieldType.FLAG:
            return st.booleans() | st.sampled_from(["yes", "no"])
        case FieldType.LIST | FieldType.LINES | FieldType.MONITORS:
            return usual | st.lists(TEXT, min_size=1, max_size=3).map(tuple)
        case FieldType.MAPPING:
            table = st.dictionaries(HEADER, PLAIN_TEXT, max_size=3)
            return table | table.map(_as_lines)


def _as_lines(table: Mapping[str, str]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in table.items())


def settings_of(draw: Draw, kind_name: str) -> Keys:
    """Settings that a kind of check can use."""
    kind, required = KINDS[kind_name], REQUIRED[kind_name]
    chosen = draw(st.lists(st.sampled_from(kind.fields), unique=True, max_size=5))
    keys = required | {spec.key: draw(_field_value(spec)) for spec in chosen}
    while True:
        try:
            kind.parse(keys)
        except Refused as refused:
            if refused.field not in keys:
                return dict(required)
            del keys[refused.field]
            keys = required | keys
        else:
            return keys


def _some(draw: Draw, choices: dict[str, st.SearchStrategy[Any]], most: int) -> Keys:
    """Some of these keys, each with a value of its own."""
    chosen = draw(st.lists(st.sampled_from(sorted(choices)), unique=True, max_size=most))
    return {key: draw(choices[key]) for key in chosen}


def timing_of(draw: Draw, kind_name: str) -> Keys:
    forms: list[Callable[[], Keys]] = [
        dict,
        lambda: {"every": draw(DURATION)},
        lambda: {"cron": draw(CRON)},
        lambda: {"cron": draw(CRON), "tz": draw(ZONE)},
    ]
    if kind_name == "heartbeat":
        return draw(st.sampled_from(forms))()  # type: ignore[no-any-return]
    forms += [
        lambda: {"every": "1m", "cadence": "grid"},
        lambda: {"every": "90s", "anchor": "2026-03-29T01:00:00.5Z"},
        lambda: {"every": "90s", "cadence": "after"},
        lambda: {"cron": "0 9 * * 1-5", "dialect": "posix"},
        lambda: {"at": "2027-12-24T18:00:00+02:00"},
    ]
    keys: Keys = draw(st.sampled_from(forms))()
    return keys | _some(draw, MORE_TIMING, 3)


MORE_TIMING: Final[dict[str, st.SearchStrategy[Any]]] = {
    "backoff": st.sampled_from(["exponential", "capped32", "ladder", "fixed", "none"]),
    "backoff_cap": DURATION,
    "retry_delay": DURATION,
    "jitter": st.integers(0, 500_000).map(fraction_notation),
    "min_interval": st.sampled_from(["5s", "1m"]),
    "max_interval": st.sampled_from(["1m", "2h"]),
    "auto_pause_after": st.integers(0, 1_000),
    "catch_up": st.sampled_from(["once", "skip"]),
    "timeout": st.sampled_from(["1s", "30s", "300s", "1500ms"]),
    "retries": st.integers(0, 10),
}


def alerts_of(draw: Draw, channels: list[str]) -> Keys:
    names = st.sampled_from(["desktop", "sound", *channels])
    choices: dict[str, st.SearchStrategy[Any]] = {
        "alert_after": st.integers(1, 100),
        "repeat_every": st.sampled_from(["0", "1m", "90m", "30d"]),
        "recovery_notice": st.sampled_from(["yes", "no", True, False]),
        "channels": st.lists(names, max_size=3).map(tuple),
    }
    return _some(draw, choices, 2)


def window_of(draw: Draw, sites: list[str], monitors: list[str]) -> Keys:
    forms: list[Callable[[], Keys]] = [
        lambda: {"starts": "2027-01-31T10:00:00Z", "ends": "2027-02-01T10:00:00.250Z"},
        lambda: {"starts": "2020-01-31T10:00:00+01:00", "duration": "90m"},
        lambda: {"cron": draw(CRON), "duration": "1m"},
        lambda: {"cron": "0 0 * * 0", "dialect": "posix", "tz": draw(ZONE), "duration": "2h"},
        lambda: {
            "days": tuple(draw(st.lists(st.sampled_from(DAYS), min_size=1, max_size=3))),
            "at": draw(st.sampled_from(["00:00", "2:30", "23:59"])),
            "duration": "1h",
        },
    ]
    choices: dict[str, st.SearchStrategy[Any]] = {
        "name": NAME.filter(str.strip),
        "mode": st.sampled_from(["silence", "pause"]),
        "sites": st.lists(st.sampled_from(sites or ["-"]), max_size=2).map(tuple),
        "monitors": st.lists(st.sampled_from(monitors or ["-"]), max_size=2).map(tuple),
        "on": st.booleans(),
    }
    keys: Keys = draw(st.sampled_from(forms))() | _some(draw, choices, 3)
    return {key: value for key, value in keys.items() if value != ("-",) and value != ("-", "-")}


def program_settings(draw: Draw) -> dict[str, str]:
    """Some settings of the program, anywhere in their ranges."""
    everything = sorted(describe_settings(Settings()))
    # Those that monitors take on matter most.
    taken_on = [key for key in everything if key.startswith(("default_", "backoff_"))]
    keys = draw(st.lists(st.sampled_from(everything + 4 * taken_on), max_size=5))
    return {key: draw(_setting(key)) for key in keys}


def _setting(key: str) -> st.SearchStrategy[str]:
    if key == "repeat_alerts":
        return st.sampled_from(["0s", "1m", "90s", "30d"])
    if key in DURATION_RANGES:
        return st.integers(*DURATION_RANGES[key]).map(duration_notation)
    if key in COUNT_RANGES:
        return st.integers(*COUNT_RANGES[key]).map(str)
    if key == "default_jitter":
        return st.integers(0, 500_000).map(fraction_notation)
    texts = {
        "default_backoff": ["exponential", "capped32", "ladder", "fixed", "none"],
        "default_catch_up": ["once", "skip"],
        "quiet_hours": ["", "22:00-07:00"],
        "listen": ["127.0.0.1:0", "[::1]:9000"],
        "ping_key": ["", "0123456789abcdefghijkl"],
        "language": ["", "en", "zh_CN"],
    }
    return st.sampled_from(texts.get(key, ["true", "false"]))


# Through the app


async def change_something(app: App, draw: Draw) -> None:
    """Do one thing that a person can do; what is refused is left."""
    acts = [_add, _add, _edit, _edit, _remove, _move, _change_site, _switch, _plan_window]
    acts += [_end_window, _add_channel, _edit_channel, _remove_channel]
    acts += [_change_settings, _change_settings]
    with suppress(Refused):
        await draw(st.sampled_from(acts))(app, draw)


async def _add(app: App, draw: Draw) -> None:
    site = draw(st.sampled_from(["default", "shop", "Blog & more"]))
    keys = _monitor_keys(app, draw, draw(st.sampled_from([*REQUIRED, "group"])))
    await _tried(lambda given: app.add([given], site), keys)


async def _edit(app: App, draw: Draw) -> None:
    if not app.jobs:
        return
    job = draw(st.sampled_from(app.jobs))
    if draw(st.booleans()):
        keys = describe_monitor(job.monitor)
        del keys[draw(st.sampled_from(sorted(keys)))]
    else:
        kinds = [job.monitor.kind, *REQUIRED, "group"]
        keys = _monitor_keys(app, draw, draw(st.sampled_from(kinds)))
    await _tried(lambda given: app.edit(job, given), keys)


def _monitor_keys(app: App, draw: Draw, kind: str) -> Keys:
    names = [job.monitor.id for job in app.jobs]
    sites = [f"site:{site}" for site in app.sites]
    keys: Keys = {"name": draw(NAME.filter(str.strip)), "kind": kind, "tags": draw(WORDS)}
    if kind == "group":
        keys["members"] = tuple(draw(st.lists(st.sampled_from([*names, "x"]), min_size=1)))
    else:
        keys |= settings_of(draw, kind) | timing_of(draw, kind)
    if draw(st.booleans()) and names:
        keys["depends_on"] = tuple(draw(st.lists(st.sampled_from([*names, *sites]), max_size=2)))
    return keys | alerts_of(draw, [one.id for one in app.channels.known])


async def _tried(act: Callable[[Keys], Awaitable[object]], keys: Keys) -> None:
    """Do it without what is refused of it."""
    while True:
        try:
            await act(keys)
        except Refused as refused:
            if refused.field not in keys:
                raise
            keys = {key: value for key, value in keys.items() if key != refused.field}
        else:
            return


async def _remove(app: App, draw: Draw) -> None:
    if app.jobs:
        await app.remove(draw(st.sampled_from(app.jobs)))


async def _move(app: App, draw: Draw) -> None:
    if app.jobs:
        site = draw(st.sampled_from(sorted(app.sites)))
        await app.move([draw(st.sampled_from(app.jobs))], site)


async def _change_site(app: App, draw: Draw) -> None:
    if not app.sites:
        return
    site = app.sites[draw(st.sampled_from(sorted(app.sites)))]
    names = [*(job.monitor.id for job in app.jobs), *(f"site:{one}" for one in app.sites)]
    upstream = tuple(draw(st.lists(st.sampled_from(names), max_size=2)))
    rule = parse_alert_rule(alerts_of(draw, [one.id for one in app.channels.known]))
    name = draw(NAME.filter(str.strip))
    await app.change_site(replace(site, name=name, depends_on=upstream, alert=rule))


async def _switch(app: App, draw: Draw) -> None:
    if app.sites:
        await app.switch_site(draw(st.sampled_from(sorted(app.sites))), on=draw(st.booleans()))


async def _plan_window(app: App, draw: Draw) -> None:
    monitors = [job.monitor.id for job in app.jobs]
    keys = window_of(draw, sorted(app.sites), monitors)
    window_id = draw(st.sampled_from(["night", "update"]))
    await app.save_window(parse_window({**keys, "id": window_id}, 0, is_new=False))


async def _end_window(app: App, draw: Draw) -> None:
    for window in list(app.windows.values()):
        if isinstance(window.when, OnceAt) or draw(st.booleans()):
            await app.remove_window(window.id)
        else:
            await app.save_window(replace(window, off_until=NOW + DAY_MS))


async def _add_channel(app: App, draw: Draw) -> None:
    url = draw(st.sampled_from(["json://hunter22@localhost", "${CHANNEL}", "json://x.example/y"]))
    await app.channels.add(draw(NAME.filter(str.strip)), url)


async def _edit_channel(app: App, draw: Draw) -> None:
    if app.channels.known:
        channel = draw(st.sampled_from(app.channels.known))
        url = draw(st.sampled_from([None, "${CHANNEL}", "json://ann:hunter22@localhost"]))
        on = draw(st.booleans())
        await app.channels.edit(channel.id, name=draw(NAME.filter(str.strip)), url=url, is_on=on)


async def _remove_channel(app: App, draw: Draw) -> None:
    if app.channels.known:
        await app.channels.remove(draw(st.sampled_from(app.channels.known)).id)


async def _change_settings(app: App, draw: Draw) -> None:
    await app.change_settings(parse_settings(program_settings(draw), app.settings))


# As a file


@dataclass
class File:
    """What a file is to say, in the keys that it has for it."""

    settings: Mapping[str, Setting] = field(default_factory=dict)
    channels: list[Keys] = field(default_factory=list)
    sites: list[tuple[Keys, list[Keys]]] = field(default_factory=list)
    windows: list[Keys] = field(default_factory=list)


def a_file(draw: Draw) -> str:
    """The text of a valid file, in a random hand."""
    return _Writing(draw).text(_declared(draw))


def _declared(draw: Draw) -> File:
    file = File(program_settings(draw))
    urls = st.sampled_from(["json://hunter22@localhost", "${CHANNEL}", "secret:named"])
    file.channels = [
        {"id": name, "url": draw(urls), **draw(st.sampled_from([{}, {"name": "N"}, {"on": False}]))}
        for name in sorted(draw(st.sets(st.sampled_from(["team", "boss"]))))
    ]
    channels = [str(one["id"]) for one in file.channels]
    monitors: list[str] = []
    for site_id in draw(st.lists(st.sampled_from(["shop", "blog", "a b"]), unique=True)):
        keys: Keys = {"id": site_id, **alerts_of(draw, channels)}
        keys |= draw(st.sampled_from([{}, {"name": "Site"}, {"active": False}, {"active": True}]))
        if monitors and draw(st.booleans()):
            keys["depends_on"] = (draw(st.sampled_from(monitors)),)
        inside = []
        for _ in range(draw(st.integers(0, 3))):
            inside.append(_declared_monitor(draw, f"m{len(monitors)}", monitors, channels))
            monitors.append(f"m{len(monitors)}")
        file.sites.append((keys, inside))
    names = [str(keys["id"]) for keys, _ in file.sites]
    file.windows = [
        {"id": window_id, **window_of(draw, names, monitors)}
        for window_id in sorted(draw(st.sets(st.sampled_from(["night", "update"]))))
    ]
    return file


def _declared_monitor(draw: Draw, monitor_id: str, others: list[str], channels: list[str]) -> Keys:
    kind = draw(st.sampled_from([*REQUIRED, *(["group"] if others else [])]))
    keys: Keys = {"id": monitor_id, **alerts_of(draw, channels), "tags": draw(WORDS)}
    if kind != "http" or draw(st.booleans()):
        keys["kind"] = kind
    if draw(st.booleans()):
        keys["name"] = draw(NAME.filter(str.strip))
    if others and draw(st.booleans()):
        keys["depends_on"] = (draw(st.sampled_from(others)),)
    if kind == "group":
        return {
            **keys,
            "members": tuple(sorted(draw(st.sets(st.sampled_from(others), min_size=1)))),
        }
    keys |= settings_of(draw, kind) | timing_of(draw, kind)
    # Each reports to an address of its own.
    keys.pop("ping_id", None)
    return keys


class _Writing:
    """A random hand: how things are written that can be written in several ways."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw

    def _one(self, *choices: str) -> str:
        return str(self._draw(st.sampled_from(choices)))

    def text(self, file: File) -> str:
        groups = [
            *([self._table("[settings]", file.settings)] if file.settings else []),
            *(self._table("[[channel]]", keys) for keys in file.channels),
            *(
                self._table("[[site]]", keys)
                + "".join(self._table("[[site.monitor]]", one) for one in inside)
                for keys, inside in file.sites
            ),
            *(self._table("[[maintenance]]", keys) for keys in file.windows),
        ]
        shuffled = self._draw(st.permutations(groups))
        text = self._gap() + "version = 1" + self._end() + "".join(shuffled) + self._gap()
        text = text.rstrip("\n") if self._draw(st.booleans()) else text
        return text.replace("\n", "\r\n") if self._draw(st.booleans()) else text

    def _gap(self) -> str:
        return self._one("", "", "\n", "\n\n", "# a comment\n", "\n# one\n\n# more\n", " \t\n")

    def _end(self) -> str:
        return self._one("\n", "\n", "  # why = this\n", " # [x]\n\n", "\n# below\n")

    def _table(self, header: str, keys: Mapping[str, Setting]) -> str:
        lines, tables = [], []
        indent = self._one("", "", "  ", "\t")
        for key, value in keys.items():
            form = self._one("inline", "dotted", "table")
            if isinstance(value, Mapping) and form == "table":
                tables.append(self._table(f"[site.monitor.{key}]", dict(value)))
            elif isinstance(value, Mapping) and form == "dotted" and value:
                lines += [
                    f"{indent}{key} . {json.dumps(name)} = {self._text(text)}{self._end()}"
                    for name, text in value.items()
                ]
            else:
                name = self._one(key, key, f'"{key}"', f"'{key}'")
                lines.append(f"{indent}{name} = {self._value(key, value)}{self._end()}")
        return f"{self._gap()}{indent}{header}{self._end()}{''.join(lines)}{''.join(tables)}"

    def _value(self, key: str, value: Setting) -> str:
        match value:
            case bool():
                return str(value).lower()
            case int():
                return self._one(str(value), f"{value:_}", f'"{value}"')
            case tuple():
                comma = self._one(", ", ",", ",\n  ", ", # next\n")
                inside = comma.join(map(self._text, value))
                return f"[{inside}]" if "#" not in comma or not value else f"[{inside}\n]"
            case Mapping():
                pairs = (f"{json.dumps(k)} = {self._text(v)}" for k, v in value.items())
                return f"{{{', '.join(pairs)}}}"
        if key in ("starts", "ends", "anchor") or (key == "at" and len(value) > 5):
            return self._one(value, f'"{value}"')
        return self._text(value)

    def _text(self, text: str) -> str:
        quoted = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
        forms = [quoted, f'""{quoted}""' if not text.endswith('"') else quoted]
        if text.isprintable() and "'" not in text:
            forms += [f"'{text}'", f"'''{text}'''"]
        return self._one(*forms)
