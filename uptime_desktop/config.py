"""Where the program keeps its things, and the settings a person may change."""

import ipaddress
import logging
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import platformdirs

from uptime_desktop.domain.alert_quiet import parse_quiet_hours
from uptime_desktop.domain.model import (
    DAY_MS,
    HOUR_MS,
    MAX_INTERVAL_MS,
    MAX_JITTER_PPM,
    MAX_REPEAT_MS,
    MAX_RETRIES,
    MAX_TIMEOUT_MS,
    MIN_INTERVAL_MS,
    MIN_REPEAT_MS,
    MIN_TIMEOUT_MS,
    MOST_ALERT_AFTER,
    SECOND_MS,
    Backoff,
    Cadence,
    CatchUp,
    Every,
    Monitor,
    Policy,
    Setting,
)
from uptime_desktop.domain.notation import (
    duration_notation,
    fraction_notation,
    parse_choice,
    parse_duration,
    parse_millionths,
    parse_whole,
)
from uptime_desktop.domain.refusal import Refused, require_between, unknown_key

APP_NAME: Final = "uptime-desktop"
DATABASE_VARIABLE: Final = "UPTIME_DESKTOP_DB"
LANGUAGES: Final = {"en": "English", "zh_CN": "简体中文"}
"""What we speak, each by its own name."""
_PLAIN: Final = Monitor("", "", 0)
_log = logging.getLogger(__name__)


def database_path(named: str | None = None) -> Path:
    """The database that a flag or the environment names, or the person's own."""
    name = named or os.environ.get(DATABASE_VARIABLE)
    if name:
        return path_of(name).resolve()
    return own_database()


def path_of(text: str) -> Path:
    """A path as people write it: `~` is their home. What names nobody's home is left as it is."""
    return Path(os.path.expanduser(text))  # noqa: PTH111 - which fails on the last


def own_database() -> Path:
    """Where a person's database is unless something else is said."""
    return platformdirs.user_data_path(APP_NAME, appauthor=False) / "uptime.db"


def resource(name: str) -> Path:
    """A file that ships with the program: inside the package, or beside it in a clone."""
    package = Path(__file__).parent
    packed = package / "resources" / name
    return packed if packed.exists() else package.parent / "resources" / name


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file that says what is watched, whether it may change what is stored at the start, and
    whether its passwords may be kept in a private file where there is no keyring."""

    path: Path
    accept_changes: bool = False
    allow_secret_file: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for all monitors or for each new one, and how the program shows itself.

    Durations are in milliseconds, jitter in millionths. No language is the computer's own.
    """

    default_interval_ms: int = Every().interval_ms
    default_jitter_ppm: int = _PLAIN.jitter
    default_timeout_ms: int = _PLAIN.timeout_ms
    default_retries: int = _PLAIN.retries
    default_backoff: Policy = _PLAIN.backoff.policy
    backoff_cap_ms: int = Backoff().cap_ms
    default_catch_up: CatchUp = _PLAIN.catch_up
    staleness_window_ms: int = HOUR_MS
    stuck_after_ms: int = 2 * HOUR_MS
    max_concurrent: int = 64
    per_origin: int = 8
    raw_history_ms: int = 14 * DAY_MS
    five_minute_history_ms: int = 14 * DAY_MS
    hourly_history_ms: int = 365 * DAY_MS
    notifications: bool = True
    notify_recovery: bool = True
    alert_after: int = 1
    repeat_alerts_ms: int = 0
    quiet_hours: str = ""
    sound: bool = False
    listen: str = "127.0.0.1:8737"
    ping_key: str = ""
    language: str = ""
    mono_icons: bool = sys.platform == "darwin"
    compact_rows: bool = False
    start_minimised: bool = False

    def __post_init__(self) -> None:
        # Whatever can be written can be read again, so what cannot be read cannot exist.
        for key, text in describe_settings(self).items():
            _parse(_FIELD_OF[key], key, text)


DURATION_RANGES: Final = {
    "default_interval": (MIN_INTERVAL_MS, MAX_INTERVAL_MS),
    "default_timeout": (MIN_TIMEOUT_MS, MAX_TIMEOUT_MS),
    "backoff_cap": (MIN_INTERVAL_MS, MAX_INTERVAL_MS),
    "staleness_window": (0, 7 * DAY_MS),
    "stuck_after": (600 * SECOND_MS, 7 * DAY_MS),
    "raw_history": (DAY_MS, 3_650 * DAY_MS),
    # Charts and uptime count on finer figures for at least this long.
    "five_minute_history": (8 * DAY_MS, 3_650 * DAY_MS),
    "hourly_history": (91 * DAY_MS, 3_650 * DAY_MS),
    "repeat_alerts": (0, MAX_REPEAT_MS),
}
COUNT_RANGES: Final = {
    "default_retries": (0, MAX_RETRIES),
    "max_concurrent": (1, 1_000),
    "per_origin": (1, 1_000),
    "alert_after": (1, MOST_ALERT_AFTER),
}
_CHOICES: Final = {"default_backoff": Policy, "default_catch_up": CatchUp}
_YES_NO: Final = {"true": True, "false": False}
_MOST_PORT: Final = 65_535
_PING_KEY: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")
_FIELD_OF: Final = {
    one.name.removesuffix("_ms").removesuffix("_ppm"): one.name for one in fields(Settings)
}
_MONITOR_KEYS: Final = {
    "jitter": "default_jitter",
    "timeout": "default_timeout",
    "retries": "default_retries",
    "backoff": "default_backoff",
    "backoff_cap": "backoff_cap",
    "catch_up": "default_catch_up",
}


def parse_listen(text: str) -> tuple[str, int]:
    """Where jobs report, as `HOST:PORT`: an address of this computer."""
    host, colon, port = text.strip().rpartition(":")
    bare = host.removeprefix("[").removesuffix("]")
    try:
        ipaddress.ip_address(bare)
        is_fine = colon == ":" and port.isascii() and port.isdigit() and int(port) <= _MOST_PORT
    except ValueError:
        is_fine = False
    if not is_fine:
        allowed = "an address and a port, as in 127.0.0.1:8737 or [::1]:8737"
        raise Refused("listen", "{value} is no place to listen", allowed, value=text)
    return bare, int(port)


def _parse_ping_key(text: str) -> None:
    if text and not _PING_KEY.fullmatch(text):
        allowed = "16 to 64 letters, digits, - and _, or nothing"
        raise Refused("ping_key", "it is no ping key", allowed)


_TEXTS: Final[Mapping[str, Callable[[str], object]]] = {
    "listen": parse_listen,
    "ping_key": _parse_ping_key,
    "quiet_hours": partial(parse_quiet_hours, "quiet_hours"),
}
"""Settings that are texts, and what refuses those that make no sense."""


def parse_settings(given: Mapping[str, str], base: Settings | None = None) -> Settings:
    """Settings by the keys of a configuration file (`staleness_window = "60m"`)."""
    values: dict[str, Any] = {}
    for key, text in given.items():
        if key not in _FIELD_OF:
            raise unknown_key(key, "{value} is not a setting", _FIELD_OF)
        values[_FIELD_OF[key]] = _parse(_FIELD_OF[key], key, text)
    return replace(base or Settings(), **values)


def recall_settings(stored: Mapping[str, object]) -> Settings:
    """Settings as far as they can be read; anything else is as by default."""
    recalled = Settings()
    for key in _FIELD_OF.keys() & stored.keys():
        try:
            recalled = parse_settings({key: _text(stored[key])}, recalled)
        except Refused as refused:
            _log.warning("The setting %s; it is as by default", refused)
    return recalled


def describe_settings(settings: Settings) -> dict[str, str]:
    """The settings as a configuration file has them."""
    described = {}
    for key, name in _FIELD_OF.items():
        value = getattr(settings, name)
        if name.endswith("_ms"):
            described[key] = duration_notation(value)
        elif name.endswith("_ppm"):
            described[key] = fraction_notation(value)
        else:
            described[key] = _text(value)
    return described


def monitor_defaults(settings: Settings) -> dict[str, str]:
    """The keys of a new monitor for which something else was chosen than the program's own."""
    chosen, own = describe_settings(settings), describe_settings(Settings())
    keys = {key: chosen[name] for key, name in _MONITOR_KEYS.items() if chosen[name] != own[name]}
    return {"every": chosen["default_interval"], **keys}


def with_defaults(given: Mapping[str, Setting], defaults: Mapping[str, str]) -> dict[str, Setting]:
    """The keys of a new monitor, with those defaults that have a meaning beside what is given."""
    unfit = set()
    if given.keys() & {"every", "cron", "at"}:
        unfit.add("every")
    if given.keys() & {"cron", "at", "anchor"} or given.get("cadence") == Cadence.GRID:
        # A grid, too, has no jitter unless it is asked for.
        unfit.add("jitter")
    return {**{key: text for key, text in defaults.items() if key not in unfit}, **given}


def _parse(name: str, key: str, text: str) -> object:
    if key in DURATION_RANGES:
        duration_ms = parse_duration(key, text)
        require_between(key, duration_ms, *DURATION_RANGES[key])
        if key == "repeat_alerts" and duration_ms:
            require_between(key, duration_ms, MIN_REPEAT_MS, MAX_REPEAT_MS)
        return duration_ms
    if key in COUNT_RANGES:
        return parse_whole(key, text, *COUNT_RANGES[key])
    if name.endswith("_ppm"):
        return parse_millionths(key, text, fraction_notation(MAX_JITTER_PPM))
    if key in _CHOICES:
        return parse_choice(key, text, _CHOICES[key])
    if key in _TEXTS:
        _TEXTS[key](text)
        return text
    allowed = ("", *LANGUAGES) if key == "language" else tuple(_YES_NO)
    if text not in allowed:
        raise Refused(key, "{value} is not a choice", ", ".join(allowed), value=text)
    return text if key == "language" else _YES_NO[text]


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
