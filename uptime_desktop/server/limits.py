"""How often somebody may do something, counted by the minute. Pure: it is told the time."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final

_WINDOW_S: Final = 60.0


class Limits:
    """At most so many acts a minute for each who acts, for the newest `most_known` of them.

    A minute begins with the first act in it. Who has done nothing since theirs ended is
    forgotten, and so is who began first when too many act at once.
    """

    def __init__(self, per_minute: int, most_known: int) -> None:
        self._per_minute = per_minute
        self._most_known = most_known
        self._minutes: OrderedDict[Hashable, tuple[float, int]] = OrderedDict()

    def allows(self, who: Hashable, now: float) -> bool:
        """Count one act, unless there were too many; refused ones do not count."""
        began, count = self._minutes.get(who, (now, 0))
        if now - began >= _WINDOW_S:
            began, count = now, 0
        if count >= self._per_minute:
            return False
        self._minutes[who] = (began, count + 1)
        if count == 0:
            # In the order in which their minutes began.
            self._minutes.move_to_end(who)
            self._forget(now)
        return True

    def __len__(self) -> int:
        return len(self._minutes)

    def _forget(self, now: float) -> None:
        while self._minutes:
            began, _ = next(iter(self._minutes.values()))
            if now - began < _WINDOW_S and len(self._minutes) <= self._most_known:
                return
            self._minutes.popitem(last=False)
