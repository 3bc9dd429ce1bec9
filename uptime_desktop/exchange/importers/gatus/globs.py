"""Patterns with `*` and `?` as Gatus has them, turned into regular expressions and plain texts."""

import re
from typing import Final, NamedTuple

from uptime_desktop.exchange.importers.patterns import literal

_CLASS: Final = re.compile(r"\[\^?(?:\\.|[^\]\\])+\]")
_SPECIAL: Final = frozenset("*?[\\")


class Affix(NamedTuple):
    """What a text `has` in it, `starts` with or `ends` with."""

    where: str
    text: str


def pattern_of(glob: str, around: str = "") -> str | None:
    """The regular expression of RE2 for all of a text; None if the glob is none.

    `around` may stand before and after what the glob says.
    """
    found: list[str] = []
    at = 0
    while at < len(glob):
        character = glob[at]
        if character == "[":
            match = _CLASS.match(glob, at)
            if match is None:
                return None
            found.append(match[0].replace("\n", "\\n"))
            at = match.end()
            continue
        if character == "\\":
            at += 1
            if at == len(glob):
                return None
            character = glob[at]
            found.append(literal(character))
        else:
            found.append({"*": ".*", "?": "."}.get(character) or literal(character))
        at += 1
    return f"(?s)^{around}{''.join(found)}{around}$"


def affix_of(glob: str) -> Affix | None:
    """The plain text that a glob of the form `*text*`, `text*` or `*text` looks for."""
    text = glob.strip("*")
    if _SPECIAL & set(text):
        return None
    before, after = glob.startswith("*"), glob.endswith("*")
    if before and after:
        return Affix("has", text)
    return Affix("starts", text) if after else Affix("ends", text) if before else None
