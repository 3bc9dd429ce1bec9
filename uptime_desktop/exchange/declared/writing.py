"""Writes configuration files."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from uptime_desktop.config import COUNT_RANGES, Settings
from uptime_desktop.domain.model import Keys, Monitor, Setting
from uptime_desktop.exchange.declared.described import (
    described_channel,
    described_settings,
    described_site,
    described_window,
    written_monitor,
)
from uptime_desktop.exchange.declared.file import VERSION
from uptime_desktop.exchange.declared.whole import Whole

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def written(whole: Whole) -> str:
    """A new file."""
    parts = [f"version = {VERSION}\n"]
    settings = setting_keys(whole.settings)
    if settings:
        parts.append(table_text("[settings]", settings))
    parts += [table_text("[[channel]]", described_channel(one)) for one in whole.channels.values()]
    inside: dict[str, list[Monitor]] = {site_id: [] for site_id in whole.sites}
    for monitor in whole.monitors.values():
        inside[monitor.site_id].append(monitor)
    for site in whole.sites.values():
        parts.append(table_text("[[site]]", described_site(site)))
        for monitor in inside[site.id]:
            parts.append(table_text("[[site.monitor]]", monitor_keys(monitor, whole.settings)))
    windows = map(described_window, whole.windows.values())
    parts += [table_text("[[maintenance]]", window) for window in windows]
    return "\n".join(parts)


def monitor_keys(monitor: Monitor, settings: Settings) -> dict[str, Setting]:
    """Of a monitor that stands under its site, while these are the settings."""
    keys = written_monitor(monitor, settings)
    return {key: value for key, value in keys.items() if key != "site"}


def setting_keys(settings: Settings) -> dict[str, Setting]:
    """Those that are not as by default, numbers and yes or no as such."""
    return {key: _typed(key, text) for key, text in described_settings(settings).items()}


def _typed(key: str, text: str) -> Setting:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if key in COUNT_RANGES else text


def table_text(header: str, keys: Keys) -> str:
    return "".join((f"{header}\n", *_lines(keys)))


def _lines(keys: Keys) -> Iterator[str]:
    for key, value in keys.items():
        yield f"{key_text(key)} = {value_text(value)}\n"


def key_text(key: str) -> str:
    return key if _BARE.fullmatch(key) else _quoted(key)


def value_text(value: Setting) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case tuple():
            return f"[{', '.join(map(_quoted, value))}]"
        case Mapping():
            inside = ", ".join(f"{key_text(key)} = {_quoted(text)}" for key, text in value.items())
            return f"{{ {inside} }}" if inside else "{}"
        case _:
            return _quoted(str(value))


def _quoted(text: str) -> str:
    # JSON's escapes are TOML's, which also wants one for the last control character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
