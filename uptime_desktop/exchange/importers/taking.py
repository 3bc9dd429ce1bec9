"""What importers take out of a source alike: names, numbers in our range, and whole monitors."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from uptime_desktop.domain.model import Keys
from uptime_desktop.domain.notation import parse_name
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import Sentence, duration_text
from uptime_desktop.exchange.importers.checked import usable
from uptime_desktop.exchange.report import NOT_IN_USE, NOTHING_LIKE_IT, Fate, Fields, Report

FOUND_ANEW: Final = Sentence("it is found out anew")
NEW_ID: Final = Sentence("a new id is made from its name")
_NO_TEXT: Final = Sentence("it is not a text that can be used")
_NO_NUMBER: Final = Sentence("it is not a number that can be used")
_MOST_MONITORS: Final = 10_000
_MOST_FIELDS: Final = 200
_MOST_LINES: Final = 500_000
_MOST_CHARACTERS: Final = 10_000
_TOLD_CHARACTERS: Final = 100
_NAME_CHARACTERS: Final = 200


def require_few(monitors: int) -> None:
    """Refuse more monitors than anybody has: each takes time and lines of the report."""
    if monitors > _MOST_MONITORS:
        problem = "{count} monitors are too many"
        raise Refused("file", problem, "{most}", count=monitors, most=_MOST_MONITORS)


def require_few_fields(table: Mapping[str, object]) -> None:
    if len(table) > _MOST_FIELDS:
        problem = "{count} fields of one thing are too many"
        raise Refused("file", problem, "{most}", count=len(table), most=_MOST_FIELDS)


def table_of(report: Report, thing: str, path: str, value: object) -> Mapping[str, object] | None:
    """The table that stands there; None, and a line in the report, if there is nothing of use."""
    if len(report.lines) > _MOST_LINES:
        raise Refused("file", "there are too many fields", "{most}", most=_MOST_LINES)
    if isinstance(value, dict) and value:
        require_few_fields(value)
        return value
    why = NOT_IN_USE if value == {} else Sentence("it is not a table")
    report.note(thing, path, value, Fate.UNSUPPORTED, why, path)
    return None


def readable(text: object, instead: str) -> str:
    """A name for people, made from whatever stood there."""
    found = text if isinstance(text, str) else ""
    shown = "".join(c if c.isprintable() else " " for c in found[: 2 * _NAME_CHARACTERS])
    name = shown.strip()[:_NAME_CHARACTERS].strip()
    try:
        return parse_name("name", name)
    except Refused:
        return instead


def take_name(fields: Fields, key: str, name: str) -> None:
    """Say that a thing is called `name` here."""
    if fields.peek(key) == name:
        fields.mapped(key, "name")
    else:
        fields.approximated(key, called_here(name))


def called_here(name: str) -> Sentence:
    return Sentence("it is called {name} here", name=name)


def lasting_here(duration_ms: int) -> Sentence:
    return Sentence("it is {duration} here", duration=duration_text(duration_ms))


def take_text(fields: Fields, key: str, to: str) -> str:
    """A text that means the same here; empty if there is none."""
    value = fields.peek(key)
    if isinstance(value, str) and len(value) <= _MOST_CHARACTERS:
        fields.mapped(key, to)
        return value
    fields.unsupported(key, NOT_IN_USE if value is None else _NO_TEXT)
    return ""


def require_text(fields: Fields, key: str) -> str:
    """A text without which nothing can be made of the rest."""
    value = fields.peek(key)
    if not isinstance(value, str) or not 0 < len(value.strip()) <= _MOST_CHARACTERS:
        raise Refused(key, "there is no text that can be used", "a text")
    return value.strip()


def take_unused(fields: Fields, key: str, why: Sentence = NOTHING_LIKE_IT) -> None:
    """What we do not have, and why; nothing is lost where it was empty or off."""
    is_off = fields.peek(key) in (None, "", False, 0, [], {})
    fields.unsupported(key, NOT_IN_USE if is_off else why)


def number_of(value: object) -> float | int | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def take_duration(
    fields: Fields, key: str, to: str, lowest_ms: int, highest_ms: int, unit_ms: int = 1
) -> int | None:
    """A duration in whole milliseconds, moved into the range that ours have."""
    value = number_of(fields.peek(key))
    if value is None or value <= 0:
        fields.unsupported(key, NOT_IN_USE if fields.peek(key) in (None, 0) else _NO_NUMBER)
        return None
    # What is beyond the range may be too large to be rounded.
    found_ms = (
        highest_ms if value * unit_ms > highest_ms else max(lowest_ms, round(value * unit_ms))
    )
    if found_ms == value * unit_ms:
        fields.mapped(key, to)
    else:
        fields.approximated(key, lasting_here(found_ms))
    return found_ms


def take_whole(fields: Fields, key: str, to: str, highest: int) -> int | None:
    """A whole number from 0 up, cut off at the highest that we have."""
    value = number_of(fields.peek(key))
    if value is None or value < 0:
        fields.unsupported(key, NOT_IN_USE if fields.peek(key) is None else _NO_NUMBER)
        return None
    found = highest if value > highest else round(value)
    if found == value:
        fields.mapped(key, to)
    else:
        fields.approximated(key, Sentence("it is {number} here", number=found))
    return found


def take_monitor(report: Report, part: Report, keys: Keys, now: int, why: str = "") -> bool:
    """Add what was said of one monitor to the report; whether its keys make one.

    `why` is what speaks against it already. None of it is supported then.
    """
    refused = None if why else usable(keys, now)
    if refused is not None:
        why = no_monitor(refused)
    for line in part.lines:
        is_lost = why and line.how != NOT_IN_USE
        report.lines.append(replace(line, fate=Fate.UNSUPPORTED, how=why) if is_lost else line)
    return not why


def no_monitor(refused: Refused) -> Sentence:
    """Why there is no such monitor, with what is too long left out."""
    values = {
        name: "…" if isinstance(value, str) and len(value) > _TOLD_CHARACTERS else value
        for name, value in refused.values.items()
    }
    told = Refused(refused.field, refused.problem, refused.allowed, **values)
    return Sentence("no monitor can be made of it: {reason}", reason=str(told))
