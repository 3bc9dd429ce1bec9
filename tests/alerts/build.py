"""Around the sender: who shows and who carries, and what alerts lead to; all else is real."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import UUID

from peewee import SqliteDatabase

from tests.fakes import FakeClock, settle
from tests.store.build import add_monitors, opened
from uptime_desktop.alerts.board import Board
from uptime_desktop.alerts.message import Message
from uptime_desktop.alerts.notice import Answer, NotDelivered, Notice
from uptime_desktop.alerts.sender import Sender
from uptime_desktop.config import Settings
from uptime_desktop.domain.alerts import (
    Alert,
    Channel,
    Decision,
    Delivery,
    Key,
    Subject,
    Told,
    Waiting,
)
from uptime_desktop.domain.events import CheckFinished, Event, IncidentOpened, IncidentResolved
from uptime_desktop.domain.model import AlertRule, Outcome
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.domain.status import Status
from uptime_desktop.store import deliveries, incidents, outbox
from uptime_desktop.store.connection import connect, raw, transaction

NOON = 1_790_000_000_000 // 86_400_000 * 86_400_000 + 12 * 3_600_000
KEY: Key = ("shop", "checkout")
NUMBER = 1
RUN = UUID(int=1)
WELL: frozenset[Status] = frozenset()


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

    @property
    def texts(self) -> list[str]:
        return [one.notice.text for one in self.shown.values()]


class DiskFull(UserError):
    def text(self, say: Callable[[str], str] = str) -> str:
        return say("the disk is full")


class DirectOutbox:
    """The store's own, on a real file, without its thread: time that stands still waits for none.

    A full disk can be read, but takes nothing.
    """

    def __init__(self, db: SqliteDatabase) -> None:
        self.db = db
        self.is_full = False

    def write(self, act: Callable[..., Any], *given: Any) -> Any:
        if self.is_full:
            raise DiskFull
        with transaction(raw(self.db)):
            return act(self.db, *given)

    async def waiting(self, now: int) -> Waiting:
        return outbox.waiting(self.db, now)

    async def decide(self, decision: Decision, now: int) -> None:
        self.write(outbox.decide, decision, now)

    async def claim(self, now: int, busy: Collection[str]) -> Sequence[Delivery]:
        found: Sequence[Delivery] = self.write(deliveries.claim, now, tuple(busy))
        return found

    async def next_at(self, busy: Collection[str]) -> int | None:
        return deliveries.next_delivery_at(self.db, tuple(busy))

    async def mark_sent(self, sent: Sequence[Delivery], now: int) -> None:
        self.write(deliveries.mark_sent, [one.number for one in sent], now)

    async def mark_failed(self, failed: Sequence[Delivery], now: int, error: str) -> None:
        self.write(deliveries.mark_failed, [one.number for one in failed], now, error)

    async def mark_told(self, told: Sequence[Told], now: int) -> None:
        self.write(outbox.mark_told, told, now)

    async def opening(self, monitor_number: int, kind: Status, now: int) -> Alert | None:
        return outbox.opening(self.db, monitor_number, kind, now)

    def ask(self, question: str) -> list[tuple[object, ...]]:
        return raw(self.db).execute(question).fetchall()

    @property
    def unsent(self) -> int:
        """How many alerts are not done with."""
        return len(self.ask("SELECT 1 FROM outbox WHERE sent_at IS NULL"))


@dataclass
class ListDesk:
    """Monitors, and a list of what was asked of them."""

    subjects: dict[int, Subject] = field(default_factory=dict)
    asked: list[object] = field(default_factory=list)

    def number_of(self, key: Key) -> int | None:
        return next((number for number, one in self.subjects.items() if one.key == key), None)

    def subject(self, monitor_number: int) -> Subject | None:
        return self.subjects.get(monitor_number)

    def change(self, number: int, **values: Any) -> None:
        self.subjects[number] = replace(self.subjects[number], **values)

    def check_now(self, key: Key) -> None:
        self.asked.append(("check", key))

    async def acknowledge(self, key: Key) -> None:
        self.asked.append(("acknowledge", key))

    async def snooze(self, key: Key, for_ms: int) -> None:
        self.asked.append(("snooze", key, for_ms))


@dataclass
class ListCourier:
    """Keeps in lists what it is given to carry, by address; fails where told to."""

    carried: dict[str, list[Message]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    hangs: set[str] = field(default_factory=set)
    tries: int = 0

    async def send(self, address: str, message: Message) -> None:
        self.tries += 1
        if address in self.hangs:
            await asyncio.Event().wait()
        if address in self.problems:
            raise NotDelivered(self.problems[address])
        self.carried.setdefault(address, []).append(message)

    def titles(self, address: str) -> list[str]:
        return [one.title for one in self.carried.get(address, ())]


@dataclass
class ListChannels:
    known: list[Channel] = field(default_factory=list)

    async def address(self, channel_id: str) -> str:
        return f"list://{channel_id}"


@dataclass
class Rig:
    """A sender on a real database with monitors in it, one unless more are asked for."""

    outbox: DirectOutbox
    clock: FakeClock = field(default_factory=lambda: FakeClock(NOON))
    desk: ListDesk = field(default_factory=ListDesk)
    notifier: ListNotifier = field(default_factory=ListNotifier)
    settings: Settings = field(default_factory=Settings)
    channels: ListChannels = field(default_factory=ListChannels)
    courier: ListCourier = field(default_factory=ListCourier)
    opened: list[Key | None] = field(default_factory=list)
    balloons: list[str] = field(default_factory=list)
    has_tray: bool = False
    has_screen: bool = True
    sender: Sender | None = None

    def balloon(self, title: str, text: str) -> bool:  # noqa: ARG002
        if self.has_tray:
            self.balloons.append(title)
        return self.has_tray

    @asynccontextmanager
    async def sending(self) -> AsyncIterator[Sender]:
        board = Board(self.notifier, self.desk, self.opened.append, self.balloon)
        self.sender = Sender(
            board if self.has_screen else None,
            self.outbox,
            self.desk,
            self.clock,
            lambda: self.settings,
            self.channels,
            self.courier,
        )
        try:
            await settle()
            yield self.sender
        finally:
            await self.sender.close()
            self.sender = None

    def rule(self, number: int = NUMBER, **rule: Any) -> None:
        self.desk.change(number, rule=AlertRule(**rule))

    async def down(
        self,
        number: int = NUMBER,
        *,
        kind: Status = Status.DOWN,
        reason: str = "HTTP 503 Service Unavailable",
        kept: bool = True,
    ) -> IncidentOpened:
        """Trouble begins now; the disk takes it, and then it is told."""
        event = self.begin(number, kind, reason, kept=kept)
        await settle()
        return event

    def begin(
        self,
        number: int = NUMBER,
        kind: Status = Status.DOWN,
        reason: str = "refused",
        *,
        kept: bool = True,
    ) -> IncidentOpened:
        subject, now = self.desk.subjects[number], self.clock.wall()
        event = IncidentOpened(*subject.key, RUN, now, kind, reason)
        self.desk.change(
            number, incidents=subject.incidents | {kind}, failures=subject.failures + 1
        )
        if kept:
            with transaction(raw(self.outbox.db)) as connection:
                incident = incidents.opened(connection, number, event)
                assert incident is not None
                outbox.enqueue(connection, incident, now, is_recovery=False)
        self._tell(event, kept)
        return event

    async def up(
        self, number: int = NUMBER, *, kind: Status = Status.DOWN, kept: bool = True
    ) -> IncidentResolved:
        """It is over now."""
        subject, now = self.desk.subjects[number], self.clock.wall()
        event = IncidentResolved(*subject.key, RUN, now, kind)
        self.desk.change(number, incidents=subject.incidents - {kind}, failures=0)
        if kept:
            with transaction(raw(self.outbox.db)) as connection:
                incident = incidents.resolved(connection, number, event)
                assert incident is not None
                outbox.enqueue(connection, incident, now, is_recovery=True)
        self._tell(event, kept)
        await settle()
        return event

    def write_late(self, *events: IncidentOpened | IncidentResolved) -> None:
        """The disk takes what it did not take before."""
        for event in events:
            number = self.desk.number_of((event.site_id, event.monitor_id))
            assert number is not None
            with transaction(raw(self.outbox.db)) as connection:
                if isinstance(event, IncidentOpened):
                    incident = incidents.opened(connection, number, event)
                else:
                    incident = incidents.resolved(connection, number, event)
                assert incident is not None
                outbox.enqueue(
                    connection,
                    incident,
                    event.timestamp,
                    is_recovery=isinstance(event, IncidentResolved),
                    told_from_memory_at=self.clock.wall(),
                )

    async def fail_again(self, number: int = NUMBER) -> None:
        """One more run fails."""
        subject = self.desk.subjects[number]
        self.desk.change(number, failures=subject.failures + 1)
        outcome = Outcome(Status.DOWN, "refused")
        self._tell(CheckFinished(*subject.key, RUN, self.clock.wall(), outcome), True)
        await settle()

    def _tell(self, event: Event, kept: bool) -> None:
        if self.sender is not None:
            self.sender.hear(event, kept)


def make_rig(folder: Path, monitors: int = 1, sites: int = 1) -> Rig:
    path = folder / "uptime.db"
    desk = ListDesk()
    with opened(path, NOON) as (_, writer):
        for site in range(sites):
            for number in add_monitors(writer, monitors // sites):
                is_first = number == NUMBER
                desk.subjects[number] = Subject(
                    KEY if is_first else (f"site-{site}", f"monitor-{number}"),
                    "Checkout API" if is_first else f"Monitor {number}",
                    NOON + 240_000,
                    WELL,
                    f"Site {site}",
                )
    return Rig(DirectOutbox(connect(path)), desk=desk)


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
