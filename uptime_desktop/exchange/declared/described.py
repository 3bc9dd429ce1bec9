"""Things in the keys that a configuration file has for them, each said in one way only.

Two descriptions are equal if what they describe behaves the same.
"""

from collections.abc import Mapping
from dataclasses import replace

from uptime_desktop.checks.base import FieldSpec
from uptime_desktop.checks.registry import KINDS
from uptime_desktop.config import Settings, describe_settings, monitor_defaults, with_defaults
from uptime_desktop.domain.alerts import Channel
from uptime_desktop.domain.definition import describe_alert_rule, describe_monitor
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.maintenance_definition import describe_window
from uptime_desktop.domain.model import Monitor, Setting, Site
from uptime_desktop.domain.notation import duration_notation, fraction_notation
from uptime_desktop.domain.refusal import Refused

PERSONAL: frozenset[str] = frozenset(("language", "mono_icons", "compact_rows", "start_minimised"))
"""Settings that are a person's taste; a file that does not name them leaves them alone."""


def described_site(site: Site) -> dict[str, Setting]:
    keys: dict[str, Setting] = {"id": site.id, "name": site.name}
    if not site.is_active:
        keys["active"] = False
    if site.depends_on:
        keys["depends_on"] = site.depends_on
    return keys | describe_alert_rule(site.alert)


def described_channel(channel: Channel) -> dict[str, Setting]:
    keys: dict[str, Setting] = {"id": channel.id, "name": channel.name, "url": channel.url}
    return keys if channel.is_on else {**keys, "on": False}


def described_window(window: Window) -> dict[str, Setting]:
    """Without until when it was ended early: that is no plan."""
    return describe_window(replace(window, off_until=None))


def described_settings(settings: Settings) -> dict[str, str]:
    """Those that are not as by default."""
    plain = describe_settings(Settings())
    return {k: text for k, text in describe_settings(settings).items() if text != plain[k]}


def described_monitor(monitor: Monitor) -> dict[str, Setting]:
    """Without what is as by default, in whichever way it was written."""
    if monitor.jitter_ppm is not None:
        automatic = replace(monitor, jitter_ppm=None)
        monitor = automatic if automatic.jitter == monitor.jitter else monitor
    keys = describe_monitor(monitor)
    kind = KINDS.get(monitor.kind)
    for field in () if kind is None else kind.fields:
        if field.key in keys:
            value = _said_once(field, keys[field.key])
            if value is None:
                del keys[field.key]
            else:
                keys[field.key] = value
    return {"id": monitor.id, "site": monitor.site_id, **keys}


def written_monitor(monitor: Monitor, settings: Settings) -> dict[str, Setting]:
    """With what must be said where settings have other defaults than the program, and without
    what they say already."""
    keys = described_monitor(monitor)
    if monitor.is_passive:
        return keys
    defaults = monitor_defaults(settings)
    own = {key: value for key, value in keys.items() if key == "every" or key not in defaults}
    taken_on = with_defaults(own, defaults)
    for key in sorted(taken_on.keys() - own.keys()):
        value = _own_value(monitor, key)
        if str(value) == taken_on[key]:
            keys.pop(key, None)
        else:
            keys[key] = value
    return keys


def _own_value(monitor: Monitor, key: str) -> Setting:
    values: Mapping[str, Setting] = {
        "backoff": monitor.backoff.policy.value,
        "backoff_cap": duration_notation(monitor.backoff.cap_ms),
        "catch_up": monitor.catch_up.value,
        "jitter": fraction_notation(monitor.jitter),
        "retries": monitor.retries,
        "timeout": duration_notation(monitor.timeout_ms),
    }
    return values[key]


def _said_once(field: FieldSpec, value: Setting) -> Setting | None:
    """The value as a file would have it, None if that is the default."""
    try:
        typed = field.parse(value)
    except Refused:
        # It names a secret where a number is meant, or its kind is another version's.
        return value
    is_default = typed == field.default or (field.default is None and typed in ((), {}))
    return None if is_default else field.written(typed)
