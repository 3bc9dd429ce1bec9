"""One run from its first attempt to its outcome, whatever the check does on the way.

Attempts are told apart by their task: whatever a task does after it was given up is unheard.
Callbacks instead of a coroutine that waits for another keep a run at one task and few turns of
the loop, which is what most of a run's time goes into.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Final

from uptime_desktop.checks.base import evidence_left
from uptime_desktop.domain.model import Evidence, Monitor, Outcome
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import Sentence, duration_text
from uptime_desktop.engine.timer import Alarm, Timer

RunCheck = Callable[[Monitor], Awaitable[Outcome]]

CLEAN_UP_MS: Final = 5_000
_FIRST_PAUSE_MS: Final = 500
_LONGEST_PAUSE_MS: Final = 30_000

_log = logging.getLogger(__name__)


class Execution:
    """Calls `settled` once with the outcome, unless it is cancelled before."""

    __slots__ = ("_alarm", "_attempt", "_check", "_monitor", "_seen", "_settled", "_task", "_timer")

    def __init__(
        self,
        monitor: Monitor,
        check: RunCheck,
        timer: Timer,
        settled: Callable[[Outcome], None],
    ) -> None:
        self._monitor = monitor
        self._check = check
        self._timer = timer
        self._settled: Callable[[Outcome], None] | None = settled
        self._attempt = 0
        self._alarm: Alarm | None = None
        self._task: asyncio.Task[Outcome] | None = None
        self._seen: Evidence | None = None

    def start(self) -> None:
        """Begin an attempt, with a limit to how long it may take."""
        self._attempt += 1
        self._task = asyncio.get_running_loop().create_task(self._look())
        self._task.add_done_callback(self._answered)
        self._alarm = self._timer.after(self._monitor.timeout_ms, self._timed_out)

    def cancel(self) -> None:
        """End without an outcome."""
        self._settled = None
        self._let_go()

    async def _look(self) -> Outcome:
        try:
            return await self._check(self._monitor)
        except asyncio.CancelledError as stop:
            self._seen = evidence_left(stop)
            raise
        except Exception as bug:  # noqa: BLE001 - a kind of check may be anyone's code
            _log.exception("The check of %s failed", self._monitor.id)
            error = f"{type(bug).__name__}: {bug}"
            return Outcome(Status.DOWN, Sentence("the check itself failed: {error}", error=error))

    def _answered(self, task: "asyncio.Task[Outcome]") -> None:
        if task is self._task and not task.cancelled():
            self._judge(task.result())

    def _timed_out(self) -> None:
        """Ask the check to stop, and give it a moment to do so."""
        task = self._task
        if task is not None:
            task.remove_done_callback(self._answered)
            task.add_done_callback(self._stopped)
            task.cancel()
            self._alarm = self._timer.after(CLEAN_UP_MS, self._abandoned)

    def _stopped(self, task: "asyncio.Task[Outcome]") -> None:
        if task is self._task:
            self._judge(self._no_answer(abandoned=False))

    def _abandoned(self) -> None:
        self._judge(self._no_answer(abandoned=True))

    def _no_answer(self, *, abandoned: bool) -> Outcome:
        timeout_ms = self._monitor.timeout_ms
        return Outcome(
            Status.DOWN,
            Sentence("no answer within {limit}", limit=duration_text(timeout_ms)),
            timed_out_after_ms=timeout_ms,
            abandoned=abandoned,
            evidence=self._seen,
        )

    def _judge(self, outcome: Outcome) -> None:
        """Try again after a failure, if there is a try left; otherwise that was the outcome."""
        self._let_go()
        if outcome.failed and self._attempt <= self._monitor.retries:
            pause_ms = min(_FIRST_PAUSE_MS << (self._attempt - 1), _LONGEST_PAUSE_MS)
            self._alarm = self._timer.after(pause_ms, self.start)
            return
        settled, self._settled = self._settled, None
        if settled is not None:
            settled(replace(outcome, attempts=self._attempt))

    def _let_go(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        task, self._task, self._alarm = self._task, None, None
        if task is not None and not task.done():
            task.cancel()
