"""How many that are due together begin: so many within a second, the others in their turn."""

from collections import deque
from collections.abc import Callable
from typing import Final

from uptime_desktop.engine.clock import Clock
from uptime_desktop.engine.timer import Timer

_BEGUN_A_SECOND: Final = 100
# A second and a little, for what begins a second apart may arrive closer than that.
_PACED_MS: Final = 1_010


class Turn:
    """A place in the queue, unless it is given up before."""

    __slots__ = ("_call",)

    def __init__(self, call: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call

    @property
    def is_cancelled(self) -> bool:
        return self._call is None

    def cancel(self) -> None:
        self._call = None

    def come(self) -> None:
        call, self._call = self._call, None
        if call is not None:
            call()


class Pace:
    """One queue and one alarm for its head: thousands that asked again and again whether they may
    begin would keep the loop busy with nothing else."""

    def __init__(self, clock: Clock, timer: Timer) -> None:
        self._clock = clock
        self._timer = timer
        self._begun: deque[int] = deque(maxlen=_BEGUN_A_SECOND)
        self._queue: deque[Turn] = deque()

    def begin(self, call: Callable[[], None]) -> Turn | None:
        """Call it at once or else in its turn, which is returned."""
        if not self._queue and not self._wait_ms():
            self._begun.append(self._clock.boot())
            call()
            return None
        turn = Turn(call)
        self._queue.append(turn)
        if len(self._queue) == 1:
            self._timer.after(self._wait_ms(), self._go_on)
        return turn

    def _go_on(self) -> None:
        while self._queue and (self._queue[0].is_cancelled or not self._wait_ms()):
            turn = self._queue.popleft()
            if not turn.is_cancelled:
                self._begun.append(self._clock.boot())
                turn.come()
        if self._queue:
            self._timer.after(self._wait_ms(), self._go_on)

    def _wait_ms(self) -> int:
        """How long until another may begin."""
        if len(self._begun) < _BEGUN_A_SECOND:
            return 0
        return max(0, _PACED_MS - (self._clock.boot() - self._begun[0]))
