"""When notices go out, what becomes of those that cannot, and what an answer does."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from uuid import UUID

import pytest

from tests.alerts.build import (
    KEY,
    NOON,
    NUMBER,
    DiskFull,
    ListDesk,
    ListNotifier,
    MemoryOutbox,
    began,
    ended,
)
from tests.fakes import FakeClock, settle
from uptime_desktop.alerts.board import Board
from uptime_desktop.alerts.notice import Answer
from uptime_desktop.alerts.sender import FAULT_HELD_MS, Sender
from uptime_desktop.config import Settings
from uptime_desktop.domain.alerts import Alert, Key
from uptime_desktop.domain.events import CheckFinished, IncidentOpened, IncidentResolved
from uptime_desktop.domain.model import HOUR_MS, Outcome
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio

RUN = UUID(int=1)
WELL: frozenset[Status] = frozenset()


@dataclass
class Rig:
    outbox: MemoryOutbox = field(default_factory=MemoryOutbox)
    desk: ListDesk = field(default_factory=ListDesk)
    notifier: ListNotifier = field(default_factory=ListNotifier)
    clock: FakeClock = field(default_factory=lambda: FakeClock(NOON))
    settings: Settings = field(default_factory=Settings)
    opened: list[Key | None] = field(default_factory=list)
    balloons: list[str] = field(default_factory=list)
    has_tray: bool = False

    def balloon(self, title: str, text: str) -> bool:  # noqa: ARG002
        if self.has_tray:
            self.balloons.append(title)
        return self.has_tray

    @asynccontextmanager
    async def sending(self) -> AsyncIterator[Sender]:
        board = Board(self.notifier, self.desk, self.opened.append, self.balloon)
        sender = Sender(board, self.outbox, self.desk, self.clock, lambda: self.settings)
        try:
            await settle()
            yield sender
        finally:
            await sender.close()

    async def commit(self, sender: Sender, *alerts: Alert) -> None:
        """The disk took it, and then it was told."""
        self.outbox.waiting += alerts
        for alert in alerts:
            sender.hear(event_of(alert), True)
        await settle()


@pytest.fixture
def rig() -> Rig:
    return Rig()


def event_of(alert: Alert) -> IncidentOpened | IncidentResolved:
    about = (*KEY, RUN, alert.happened_at)
    if alert.is_recovery:
        return IncidentResolved(*about, alert.kind)
    return IncidentOpened(*about, alert.kind, alert.reason)


async def test_what_waits_is_sent_once_and_marked(rig: Rig) -> None:
    rig.outbox.waiting.append(began())
    async with rig.sending() as sender:
        assert rig.notifier.visible == ["Checkout API is down"]
        assert rig.outbox.sent == [began()]
        sender.hear(event_of(began()), True)
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.titles == ["Checkout API is down"]


async def test_a_recovery_takes_the_place_of_the_outage(rig: Rig) -> None:
    async with rig.sending() as sender:
        await rig.commit(sender, began())
        await rig.clock.advance(846_000)
        rig.desk.incidents = WELL
        await rig.commit(sender, ended())
        assert rig.notifier.visible == ["Checkout API is up again"]
    assert rig.notifier.titles == ["Checkout API is down", "Checkout API is up again"]
    assert rig.notifier.is_closed


@pytest.mark.parametrize(
    ("settings", "alert"),
    [
        (Settings(notify_recovery=False), ended()),
        (Settings(), replace(ended(), is_snoozed=True)),
    ],
)
async def test_an_outage_that_is_over_is_not_left_standing(
    rig: Rig, settings: Settings, alert: Alert
) -> None:
    async with rig.sending() as sender:
        await rig.commit(sender, began())
        rig.settings, rig.desk.incidents = settings, WELL
        await rig.commit(sender, alert)
        assert rig.notifier.visible == []
        assert alert in rig.outbox.sent


async def test_with_notifications_off_nothing_is_shown_and_nothing_piles_up(rig: Rig) -> None:
    rig.settings = Settings(notifications=False)
    async with rig.sending() as sender:
        await rig.commit(sender, began())
        sender.hear_fault("the disk is full")
        await rig.clock.advance(HOUR_MS)
        rig.settings = Settings()
        await rig.commit(sender)
        assert rig.notifier.titles == []
        assert rig.outbox.waiting == []


async def test_nothing_is_said_of_a_monitor_that_was_removed(rig: Rig) -> None:
    rig.desk.is_removed = True
    async with rig.sending() as sender:
        await rig.commit(sender, began())
        sender.hear(event_of(began(at=NOON + 1)), False)
        await settle()
    assert rig.notifier.titles == []
    assert rig.outbox.waiting == []


async def test_the_notice_of_a_monitor_that_is_removed_goes_with_it(rig: Rig) -> None:
    async with rig.sending() as sender:
        await rig.commit(sender, began())
        sender.hear_redefined()
        await settle()
        assert rig.notifier.visible == ["Checkout API is down"]
        rig.desk.is_removed = True
        sender.hear_redefined()
        await settle()
        assert rig.notifier.visible == []


async def test_a_failure_is_tried_again_later(rig: Rig) -> None:
    rig.notifier.problem = "the service is gone"
    async with rig.sending() as sender:
        await rig.commit(sender, began())
        assert rig.outbox.failed == ["the service is gone"]
        await rig.clock.advance(9_000)
        assert len(rig.outbox.failed) == 1
        await rig.clock.advance(1_000)
        assert len(rig.outbox.failed) == 2
        rig.notifier.problem = None
        await rig.clock.advance(10_000)
        assert rig.notifier.visible == ["Checkout API is down"]
        assert rig.outbox.sent == [began()]


async def test_the_fallback_stands_in_for_the_service(rig: Rig) -> None:
    rig.notifier.problem, rig.has_tray = "no D-Bus", True
    async with rig.sending() as sender:
        await rig.commit(sender, began())
        await rig.clock.advance(HOUR_MS)
    assert rig.balloons == ["Checkout API is down"]
    assert rig.outbox.sent == [began()]


async def test_where_nobody_can_be_told_it_is_in_the_log(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.notifier.problem = "no D-Bus"
    async with rig.sending() as sender:
        await rig.commit(sender, began())
    assert "Checkout API is down: nobody could be told, because no D-Bus" in caplog.text


async def test_what_the_disk_does_not_take_is_told_from_memory_and_marked_once_it_does(
    rig: Rig,
) -> None:
    async with rig.sending() as sender:
        rig.outbox.is_full = True
        outcome = Outcome(Status.DOWN, "refused", attempts=2)
        sender.hear(CheckFinished(*KEY, RUN, NOON, outcome), False)
        sender.hear(IncidentOpened(*KEY, RUN, NOON, Status.DOWN, "refused"), False)
        await settle()
        (shown,) = rig.notifier.shown.values()
        assert shown.notice.text == "Refused, after 2 tries. Next try at 12:04."
        await rig.clock.advance(846_000)
        rig.desk.incidents = WELL
        sender.hear(IncidentResolved(*KEY, RUN, NOON + 846_000, Status.DOWN), False)
        await settle()
        (shown,) = rig.notifier.shown.values()
        assert shown.notice.text == "It was down for 14 min 06 s."
        assert rig.outbox.sent == []
        rig.outbox.is_full = False
        sender.hear_fault(None)
        await settle()
        marked = [(one.number, one.happened_at, one.is_recovery) for one in rig.outbox.sent]
        assert marked == [(None, NOON, False), (None, NOON + 846_000, True)]
        await rig.clock.advance(HOUR_MS)
    assert len(rig.notifier.titles) == 2


async def test_a_recovery_from_memory_knows_the_outage_on_disk(rig: Rig) -> None:
    rig.desk.incidents = WELL
    rig.outbox.on_disk = began()
    async with rig.sending() as sender:
        await rig.clock.advance(846_000)
        rig.outbox.is_full = True
        sender.hear(IncidentResolved(*KEY, RUN, NOON + 846_000, Status.DOWN), False)
        await settle()
        (shown,) = rig.notifier.shown.values()
        assert shown.notice.text == "It was down for 14 min 06 s."
        rig.outbox.on_disk = replace(began(), is_snoozed=True)
        sender.hear(IncidentResolved(*KEY, RUN, NOON + 846_001, Status.DOWN), False)
        await settle()
        assert rig.notifier.visible == []


async def test_what_memory_could_not_tell_is_tried_again_until_the_outbox_has_it(rig: Rig) -> None:
    rig.notifier.problem = "the service is gone"
    async with rig.sending() as sender:
        rig.outbox.is_full = True
        sender.hear(event_of(began(reason="first")), False)
        await settle()
        rig.notifier.problem = None
        await rig.clock.advance(10_000)
        assert rig.notifier.titles == ["Checkout API is down"]
        rig.notifier.problem = "the service is gone"
        sender.hear(event_of(began(at=NOON + 10_000, reason="second")), False)
        await settle()
        rig.outbox.is_full, rig.notifier.problem = False, None
        await rig.commit(sender, began(at=NOON + 10_000, reason="second"))
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.titles == ["Checkout API is down"] * 2


async def test_what_was_told_but_could_not_be_marked_is_not_told_again(rig: Rig) -> None:
    rig.outbox.waiting.append(began())
    mark_sent = rig.outbox.mark_sent

    async def refuse(*_: object) -> None:
        raise DiskFull

    rig.outbox.mark_sent = refuse  # type: ignore[method-assign, assignment]
    async with rig.sending():
        await rig.clock.advance(60_000)
        assert rig.notifier.titles == ["Checkout API is down"]
        rig.outbox.mark_sent = mark_sent  # type: ignore[method-assign]
        await rig.clock.advance(60_000)
        assert rig.notifier.titles == ["Checkout API is down"]
        assert rig.outbox.sent == [began()]


async def test_what_was_told_just_before_the_end_is_marked(rig: Rig) -> None:
    mark_sent, never = rig.outbox.mark_sent, asyncio.Event()

    async def hang(*_: object) -> None:
        await never.wait()

    rig.outbox.waiting.append(began())
    rig.outbox.mark_sent = hang  # type: ignore[method-assign, assignment]
    async with rig.sending():
        assert rig.notifier.visible == ["Checkout API is down"]
        rig.outbox.mark_sent = mark_sent  # type: ignore[method-assign]
    assert rig.outbox.sent == [began()]


async def test_a_fault_of_the_store_is_told_once_and_so_is_its_end(rig: Rig) -> None:
    async with rig.sending() as sender:
        sender.hear_fault("the disk is full")
        await rig.clock.advance(FAULT_HELD_MS - 1)
        assert rig.notifier.titles == []
        await rig.clock.advance(1)
        sender.hear_fault("the disk does not answer")
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.titles == ["Results are not being saved"]
        sender.hear_fault(None)
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.visible == ["Results are being saved again"]
        (shown,) = rig.notifier.shown.values()
        shown.answered(Answer.OPEN)
        await settle()
        assert rig.opened == [None]


async def test_a_fault_that_passes_at_once_is_not_told(rig: Rig) -> None:
    async with rig.sending() as sender:
        sender.hear_fault("the file is locked")
        await rig.clock.advance(FAULT_HELD_MS - 1)
        sender.hear_fault(None)
        await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == []


async def test_a_fault_that_could_not_be_told_is_tried_again(rig: Rig) -> None:
    rig.notifier.problem = "the service is gone"
    async with rig.sending() as sender:
        sender.hear_fault("the disk is full")
        await rig.clock.advance(FAULT_HELD_MS)
        rig.notifier.problem = None
        await rig.clock.advance(10_000)
        assert rig.notifier.titles == ["Results are not being saved"]


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        (Answer.CHECK_NOW, [("check", KEY)]),
        (Answer.ACKNOWLEDGE, [("acknowledge", KEY)]),
        (Answer.SNOOZE, [("snooze", KEY, HOUR_MS)]),
        (Answer.OPEN, []),
    ],
)
async def test_an_answer_does_what_its_button_says(
    rig: Rig, answer: Answer, asked: list[object]
) -> None:
    async with rig.sending() as sender:
        await rig.commit(sender, began())
        (shown,) = rig.notifier.shown.values()
        shown.answered(answer)
        await settle()
    assert rig.desk.asked == asked
    assert rig.opened == ([KEY] if answer is Answer.OPEN else [])


async def test_an_answer_that_cannot_be_taken_is_in_the_log(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    async def refuse(key: Key) -> None:
        raise DiskFull(key)

    rig.desk.acknowledge = refuse  # type: ignore[method-assign]
    async with rig.sending() as sender:
        await rig.commit(sender, began())
        (shown,) = rig.notifier.shown.values()
        shown.answered(Answer.ACKNOWLEDGE)
        await settle()
    assert "could not be taken" in caplog.text


async def test_an_alert_that_breaks_the_sender_does_not_end_it(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    subject: Callable[[int], object] = rig.desk.subject

    def broken(number: int) -> None:
        raise ValueError(number)

    rig.desk.subject = broken  # type: ignore[method-assign, assignment]
    async with rig.sending() as sender:
        await rig.commit(sender, began())
        waits = rig.clock.waits_made
        await rig.clock.advance(60_000)
        assert rig.clock.waits_made - waits < 20
        rig.desk.subject = subject  # type: ignore[method-assign, assignment]
        await rig.clock.advance(60_000)
        assert rig.notifier.visible == ["Checkout API is down"]
    assert f"ValueError: {NUMBER}" in caplog.text


async def test_an_idle_sender_hardly_ever_wakes(rig: Rig) -> None:
    async with rig.sending():
        waits = rig.clock.waits_made
        await rig.clock.advance(24 * HOUR_MS)
        assert rig.clock.waits_made - waits <= 24 * 12


async def test_an_event_during_the_work_is_not_missed(rig: Rig) -> None:
    next_at = rig.outbox.next_at
    late = [began()]

    async with rig.sending() as sender:

        async def commit_meanwhile() -> int | None:
            found = await next_at()
            if late:
                rig.outbox.waiting.append(late[0])
                sender.hear(event_of(late.pop()), True)
                await asyncio.sleep(0)
            return found

        rig.outbox.next_at = commit_meanwhile  # type: ignore[method-assign]
        sender.hear_fault(None)
        await settle()
        assert rig.notifier.visible == ["Checkout API is down"]
