"""The status codes that meet a condition, and how people write them."""

from collections.abc import Iterator
from typing import Final

from uptime_desktop.checks.http.patterns import parse_pattern
from uptime_desktop.exchange.importers.gatus.conditions import ORDERS, Condition
from uptime_desktop.exchange.importers.gatus.globs import pattern_of

ALL_CODES: Final = range(100, 1_000)


def meeting(codes: set[int], condition: Condition) -> set[int]:
    """Those of the codes that meet a condition."""
    right = condition.right
    if condition.operator in ORDERS:
        is_in_order = ORDERS[condition.operator]
        # Gatus cuts it off at the point.
        return {code for code in codes if is_in_order(code, int(right.number))}
    if (choices := right.choices) is not None:
        equal = {code for code in codes if str(code) in choices}
    elif (glob := right.glob) is not None:
        pattern = parse_pattern("accepted_codes", pattern_of(glob) or "^$")
        equal = {code for code in codes if pattern.is_in(str(code).encode())}
    else:
        equal = codes & {int(right.number)}
    return equal if condition.operator == "==" else codes - equal


def ranges(codes: set[int]) -> Iterator[str]:
    ordered = sorted(codes)
    first = last = ordered[0]
    for code in [*ordered[1:], 0]:
        if code == last + 1:
            last = code
            continue
        yield str(first) if first == last else f"{first}-{last}"
        first = last = code
