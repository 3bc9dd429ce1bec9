"""A monitor that is not one yet: made from an address, and every reason why it cannot be one.

No widgets here.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final
from urllib.parse import urlsplit

from uptime_desktop.checks.base import AnyKind
from uptime_desktop.checks.registry import kind_named, own_settings, target_settings
from uptime_desktop.domain.definition import ALERT_KEYS, TIMING_KEYS, parse_monitor
from uptime_desktop.domain.model import Every, Monitor, Setting
from uptime_desktop.domain.notation import duration_notation
from uptime_desktop.domain.refusal import Refused

SCHEDULE_KEYS: Final = ("every", "cadence", "anchor", "cron", "dialect", "tz", "at")
_COMMON_KEYS: Final = ("name", "tags", "depends_on", *ALERT_KEYS)
_SITE: Final = "draft"
_PORTS: Final = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def targets_in(text: str) -> list[str]:
    """The addresses that were typed or pasted, one a line; lines that begin with # say nothing."""
    lines = (line.strip("\ufeff \t") for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def fits(kind: AnyKind, target: str) -> bool:
    """Whether this alone can be watched by that kind."""
    try:
        kind.parse(target_settings(kind, target))
    except Refused:
        return False
    return True


def carried(kind: AnyKind, target: str) -> str:
    """A target of another kind as this kind takes it: as it is, or as much of it as fits."""
    try:
        url = urlsplit(target)
        host, port = url.hostname or "", url.port or _PORTS.get(url.scheme)
    except ValueError:
        return target
    parts = (target, f"{host}:{port}", host) if port else (target, host)
    return next((one for one in parts if host and fits(kind, one)), target)


def plain_defaults() -> dict[str, str]:
    """The timing keys of a monitor about which nothing is said."""
    plain = Monitor("", "", 0)
    return {
        "every": duration_notation(Every().interval_ms),
        "timeout": duration_notation(plain.timeout_ms),
        "retries": str(plain.retries),
        "backoff": plain.backoff.policy.value,
        "backoff_cap": duration_notation(plain.backoff.cap_ms),
        "retry_delay": duration_notation(plain.backoff.retry_delay_ms),
        "catch_up": plain.catch_up.value,
    }


def timed(given: Mapping[str, Setting], now: int) -> Monitor:
    """A monitor with these times and no target, to foretell its runs."""
    return _parsed({key: given[key] for key in TIMING_KEYS if key in given}, now)


def throwaway(given: Mapping[str, Setting], now: int) -> Monitor:
    """What is looked at once, with one attempt: a person who waits wants the first answer."""
    kind = kind_named(str(given["kind"]))
    keys = {key: given[key] for key in ("timeout", "kind") if key in given}
    return _parsed({**keys, **own_settings(kind, given), "retries": 0}, now)


def refusals(given: Mapping[str, Setting], site: str, now: int) -> dict[str, Refused]:
    """All that is wrong, by field: the parts are looked at one by one, then all together."""
    kind = kind_named(str(given["kind"]))
    own = own_settings(kind, given)
    found: dict[str, Refused] = {}
    others = [key for key in (*_COMMON_KEYS, *TIMING_KEYS) if key not in SCHEDULE_KEYS]
    for part in (SCHEDULE_KEYS, *((key,) for key in others), TIMING_KEYS):
        _note(found, lambda part=part: _parsed(_only(given, part), now))  # type: ignore[misc]
    _note(found, lambda: _parsed({}, now, site))
    for spec in kind.fields:
        if spec.key in own:
            _note(found, lambda spec=spec: spec.parse(own[spec.key]))  # type: ignore[misc]
    _note(found, lambda: kind.parse(own))
    return found


def _note(found: dict[str, Refused], attempt: Callable[[], object]) -> None:
    try:
        attempt()
    except Refused as refused:
        found.setdefault(refused.field, refused)


def _only(given: Mapping[str, Setting], keys: Iterable[str]) -> dict[str, Setting]:
    return {key: given[key] for key in keys if key in given}


def _parsed(given: Mapping[str, Setting], now: int, site: str = _SITE) -> Monitor:
    return parse_monitor(given, site_id=site, monitor_id="draft", number=0, now=now)
