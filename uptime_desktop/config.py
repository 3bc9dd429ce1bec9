"""Where the program keeps its things, and the settings a person may change."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

import platformdirs

from uptime_desktop.domain.model import DAY_MS, HOUR_MS, SECOND_MS, Backoff, Every
from uptime_desktop.domain.notation import duration_notation, parse_duration, parse_whole
from uptime_desktop.domain.refusal import require_between

APP_NAME: Final = "uptime-desktop"
DATABASE_VARIABLE: Final = "UPTIME_DESKTOP_DB"


def database_path(named: str | None = None) -> Path:
    """The database that a flag or the environment names, or the person's own."""
    name = named or os.environ.get(DATABASE_VARIABLE)
    if name:
        return Path(name).expanduser().resolve()
    return platformdirs.user_data_path(APP_NAME, appauthor=False) / "uptime.db"


def resource(name: str) -> Path:
    """A file that ships with the program: inside the package, or beside it in a clone."""
    package = Path(__file__).parent
    packed = package / "resources" / name
    return packed if packed.exists() else package.parent / "resources" / name


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for all monitors. Durations are in milliseconds."""

    default_interval_ms: int = Every().interval_ms
    backoff_cap_ms: int = Backoff().cap_ms
    staleness_window_ms: int = HOUR_MS
    stuck_after_ms: int = 2 * HOUR_MS
    max_concurrent: int = 64
    per_origin: int = 8
    raw_history_ms: int = 14 * DAY_MS

    def __post_init__(self) -> None:
        for name, (lowest, highest) in _DURATIONS.items():
            require_between(name.removesuffix("_ms"), getattr(self, name), lowest, highest)
        for name, highest in _COUNTS.items():
            parse_whole(name, str(getattr(self, name)), 1, highest)


_DURATIONS: Final = {
    "default_interval_ms": (5 * SECOND_MS, 30 * DAY_MS),
    "backoff_cap_ms": (5 * SECOND_MS, 30 * DAY_MS),
    "staleness_window_ms": (0, 7 * DAY_MS),
    "stuck_after_ms": (600 * SECOND_MS, 7 * DAY_MS),
    "raw_history_ms": (DAY_MS, 3_650 * DAY_MS),
}
_COUNTS: Final = {"max_concurrent": 1_000, "per_origin": 1_000}


def parse_settings(given: Mapping[str, str]) -> Settings:
    """Settings by the keys of a configuration file (`staleness_window = "60m"`)."""
    values: dict[str, int] = {}
    for one in fields(Settings):
        key = one.name.removesuffix("_ms")
        if key in given:
            is_duration = one.name in _DURATIONS
            values[one.name] = (
                parse_duration(key, given[key])
                if is_duration
                else parse_whole(key, given[key], 1, _COUNTS[one.name])
            )
    return Settings(**values)


def describe_settings(settings: Settings) -> dict[str, str]:
    """The settings as a configuration file has them."""
    described = {}
    for one in fields(Settings):
        value = getattr(settings, one.name)
        key = one.name.removesuffix("_ms")
        described[key] = duration_notation(value) if one.name in _DURATIONS else str(value)
    return described
