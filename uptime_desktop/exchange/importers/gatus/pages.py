"""What Gatus asks of a whole page by a function, as regular expressions: it need not be JSON."""

from typing import Final

from uptime_desktop.exchange.importers.gatus.conditions import Condition

# No repetition in RE2 goes further.
_MOST_COUNTED: Final = 1_000
_SOMETHING: Final = r"\S"
_NOTHING: Final = r"^\s*$"


def pattern_of_page(condition: Condition) -> str | None:
    """None if no pattern says the same."""
    left, operator, right = condition
    if left.path or right.placeholder:
        return None
    if left.function == "has" and operator in ("==", "!=") and right.text in ("true", "false"):
        return _SOMETHING if (right.text == "true") == (operator == "==") else _NOTHING
    if left.function != "len" or operator not in (">", ">="):
        return None
    least = int(right.number) + (operator == ">")
    return _of_length(least) if 0 < least <= _MOST_COUNTED else None


def _of_length(least: int) -> str:
    """A text of so many characters, or a list with as many commas as stand between its items."""
    more = least - 1
    return rf"(?s)^(?:[^\[].{{{more}}}|\[\s*[^\]\s](?:[^,]*,){{{more}}})"
