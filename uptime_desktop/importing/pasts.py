"""Stores what another program knew of the past, in the transaction in which its monitors come."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from uptime_desktop.checks.redaction import redacted
from uptime_desktop.domain.model import Monitor
from uptime_desktop.domain.past import Past, PastRun, PastTrouble
from uptime_desktop.exchange.imported import Found
from uptime_desktop.importing.importable import Importable
from uptime_desktop.long_work import Progress
from uptime_desktop.store.past import keep_past
from uptime_desktop.store.pruning import Retention

_redacted = lru_cache(maxsize=4_096)(redacted)
"""The same few reasons are told again and again."""


class Pasts:
    def __init__(
        self,
        found: Found,
        ready: Importable,
        now: int,
        retention: Retention,
    ) -> None:
        self.kept = 0
        self.total = len(ready.drafts) + found.past_count
        self._found = found
        self._ready = ready
        self._now = now
        self._retention = retention

    def keep(self, told: Progress, db: Any, added: Sequence[Monitor]) -> None:
        """Store it for the monitors that were added."""
        numbers = {monitor.id: monitor.number for monitor in added}
        done = len(numbers)
        told(done, self.total)
        pasts = self._found.past()
        try:
            for past in pasts:
                number = numbers.get(self._ready.names.get(past.monitor_id, ""))
                if number is not None:
                    keep_past(db, number, self._discreet(past), self._now, self._retention)
                    self.kept += 1
                done += 1
                told(min(done, self.total), self.total)
        finally:
            if isinstance(pasts, Generator):
                # What it reads from is let go of now, not whenever.
                pasts.close()

    def _discreet(self, past: Past) -> Past:
        """Without what is secret: another program may have written down what it sent."""
        return replace(
            past,
            runs=tuple(self._discreet_run(run) for run in past.runs),
            troubles=tuple(self._discreet_trouble(one) for one in past.troubles),
        )

    def _discreet_run(self, run: PastRun) -> PastRun:
        reason = _redacted(run.reason)
        return run if reason == run.reason else replace(run, reason=reason)

    def _discreet_trouble(self, trouble: PastTrouble) -> PastTrouble:
        return replace(trouble, reason=_redacted(trouble.reason))
