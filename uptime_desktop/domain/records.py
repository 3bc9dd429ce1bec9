"""What passes between the engine and the store, so that neither knows the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from uptime_desktop.domain.events import Event
from uptime_desktop.domain.heartbeats import Ping
from uptime_desktop.domain.model import Outcome, RuntimeState, Source


@dataclass(frozen=True, slots=True)
class Run:
    """One finished run as history keeps it. `wait_ms` is the wait for a free slot."""

    started_at: int
    wait_ms: int
    source: Source
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Change:
    """A transition to store whole: the state, the run or the ping that made it, and what to tell
    after."""

    monitor_number: int
    state: RuntimeState
    run: Run | None = None
    events: tuple[Event, ...] = ()
    ping: Ping | None = None


class Journal(Protocol):
    """Where changes go to be kept. Neither call blocks or raises."""

    def submit(self, change: Change) -> None:
        """Keep this change with the next group, in the order of the calls."""

    def on_kept(self, tell: Callable[[Sequence[Change], bool], None]) -> None:
        """Call `tell(changes, persisted)`, from any thread, once a group is on disk, or once it is
        clear that for now it cannot be and is held in memory (`persisted` is then False)."""
