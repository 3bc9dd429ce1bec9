"""Whether the keys that an importer made would be taken, before anyone is asked to take them."""

from typing import Final

from uptime_desktop.checks.registry import kind_named, own_settings
from uptime_desktop.domain.definition import COMMON_KEYS, TIMING_KEYS, parse_monitor
from uptime_desktop.domain.model import Keys
from uptime_desktop.domain.refusal import Refused

_SITE: Final = "site"


def usable(keys: Keys, now: int) -> Refused | None:
    """Why these keys make no monitor; None if they make one. Secrets stand in the clear."""
    try:
        kind = kind_named(str(keys.get("kind", "http")))
        known = {*COMMON_KEYS, *TIMING_KEYS, *(field.key for field in kind.fields)}
        for key in keys:
            if key not in known:
                return Refused(key, "there is no such setting for this kind", ", ".join(known))
        parse_monitor(
            keys,
            site_id=str(keys.get("site", _SITE)),
            monitor_id=str(keys.get("id", "")),
            number=0,
            now=now,
            is_passive=kind.is_passive,
        )
        kind.parse(own_settings(kind, keys))
    except Refused as refused:
        return refused
    return None
