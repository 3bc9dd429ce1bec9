"""Durations in words. `say` translates a template; left out, the words are English."""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

Say = Callable[[str], str]

_UNITS: Final = ((86_400_000, "{n} d"), (3_600_000, "{n} h"), (60_000, "{n} min"), (1_000, "{n} s"))
_NOW_MS: Final = 5_000


def duration_text(duration_ms: int, say: Say = str) -> str:
    """The exact duration in the largest unit that needs no fraction: `90 s`, `2 h`."""
    for unit_ms, template in _UNITS:
        if duration_ms and duration_ms % unit_ms == 0:
            return say(template).format(n=duration_ms // unit_ms)
    return say("{n} ms").format(n=duration_ms)


def rough_duration_text(duration_ms: int, say: Say = str) -> str:
    """The duration in its two largest units, cut off below: `7 min 54 s`, `2 h 05 min`."""
    for (unit_ms, template), (lower_ms, lower_template) in pairwise(_UNITS):
        if duration_ms >= unit_ms:
            count, rest_ms = divmod(duration_ms, unit_ms)
            lower = rest_ms // lower_ms
            shown = f"{lower:02}" if lower_ms < 3_600_000 else str(lower)
            return " ".join((say(template).format(n=count), say(lower_template).format(n=shown)))
    return say("{n} s").format(n=duration_ms // 1_000)


def countdown_text(remaining_ms: int, say: Say = str) -> str:
    """How long until something happens: `in 41 s`, or `now` when it is as good as there."""
    if remaining_ms < _NOW_MS:
        return say("now")
    return say("in {duration}").format(duration=rough_duration_text(remaining_ms, say))
