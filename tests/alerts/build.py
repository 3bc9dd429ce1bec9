"""Stand-ins around the sender: who shows, what waits, and what alerts lead to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from uptime_desktop.alerts.notice import Answer, NotDelivered, Notice
from uptime_desktop.domain.alerts import Alert, Key, Subject
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.domain.status import Status

NOON = 1_790_000_000_000 // 86_400_000 * 86_400_000 + 12 * 3_600_000
KEY: Key = ("shop", "checkout")
NUMBER = 7


@dataclass(frozen=True)
class Shown:
    notice: Notice
    answered: Callable[[Answer], None]


@dataclass
class ListNotifier:
    """Keeps in lists what it is told to show and to take away."""

    shown: dict[str, Shown] = field(default_factory=dict)
    titles: list[str] = field(default_factory=list)
    problem: str | None = None
    is_closed: bool = False

    async def show(self, notice: Notice, answered: Callable[[Answer], None]) -> str:
        if self.problem is not None:
            raise NotDelivered(self.problem)
        handle = f"notice-{len(self.titles)}"
        self.titles.append(notice.title)
        self.shown[handle] = Shown(notice, answered)
        return handle

    async def clear(self, handle: str) -> None:
        self.shown.pop(handle, None)

    async def close(self) -> None:
        self.is_closed = True
        self.shown.clear()

    @property
    def visible(self) -> list[str]:
        return [one.notice.title for one in self.shown.values()]


class DiskFull(UserError):
    def text(self, say: Callable[[str], str] = str) -> str:
        return say("the disk is full")


@dataclass
class MemoryOutbox:
    """As the store's, without leases: what is claimed and not marked is given again."""

    waiting: list[Alert] = field(default_factory=list)
    sent: list[Alert] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    due_at: int = 0
    is_full: bool = False
    on_disk: Alert | None = None

    async def claim(self, now: int) -> Sequence[Alert]:
        self._refuse()
        return tuple(self.waiting) if now >= self.due_at else ()

    async def next_at(self) -> int | None:
        self._refuse()
        return self.due_at if self.waiting else None

    async def mark_sent(self, alerts: Sequence[Alert], now: int) -> None:  # noqa: ARG002
        self._refuse()
        self.sent += alerts
        self.waiting = [one for one in self.waiting if one not in alerts]

    async def mark_failed(self, alerts: Sequence[Alert], now: int, error: str) -> None:
        self._refuse()
        self.failed += [error for _ in alerts]
        self.due_at = now + 10_000

    async def opening(self, monitor_number: int, kind: Status, now: int) -> Alert | None:  # noqa: ARG002
        return self.on_disk

    def _refuse(self) -> None:
        if self.is_full:
            raise DiskFull


@dataclass
class ListDesk:
    """One monitor, and a list of what was asked of it."""

    incidents: frozenset[Status] = frozenset({Status.DOWN})
    next_run_at: int | None = NOON + 240_000
    is_removed: bool = False
    asked: list[object] = field(default_factory=list)

    def number_of(self, key: Key) -> int | None:
        return NUMBER if key == KEY and not self.is_removed else None

    def subject(self, monitor_number: int) -> Subject | None:
        if self.is_removed or monitor_number != NUMBER:
            return None
        return Subject(KEY, "Checkout API", self.next_run_at, self.incidents)

    def check_now(self, key: Key) -> None:
        self.asked.append(("check", key))

    async def acknowledge(self, key: Key) -> None:
        self.asked.append(("acknowledge", key))

    async def snooze(self, key: Key, for_ms: int) -> None:
        self.asked.append(("snooze", key, for_ms))


def began(
    at: int = NOON,
    kind: Status = Status.DOWN,
    reason: str = "HTTP 503 Service Unavailable",
    tries: int = 2,
    number: int | None = 1,
    resolved_at: int | None = None,
) -> Alert:
    return Alert(NUMBER, kind, False, at, at, resolved_at, reason, tries, number=number)


def ended(
    at: int = NOON + 846_000,
    since: int | None = NOON,
    kind: Status = Status.DOWN,
    number: int | None = 2,
) -> Alert:
    return Alert(NUMBER, kind, True, at, since, at, number=number)
