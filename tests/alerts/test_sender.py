"""When notices go out, what becomes of those that cannot, and what an answer does."""

import asyncio
from collections.abc import Callable

import pytest

from tests.alerts.build import KEY, NOON, NUMBER, RUN, WELL, DiskFull, Rig
from tests.fakes import settle
from uptime_desktop.alerts.complaints import FAULT_HELD_MS
from uptime_desktop.alerts.notice import Answer
from uptime_desktop.config import Settings
from uptime_desktop.domain.alerting import HOLD_MS
from uptime_desktop.domain.alerts import Fault, Key
from uptime_desktop.domain.events import CheckFinished, IncidentOpened, IncidentResolved
from uptime_desktop.domain.model import HOUR_MS, Evidence, Outcome, Unmet
from uptime_desktop.domain.status import Status
from uptime_desktop.store import incidents

pytestmark = pytest.mark.asyncio

DOWN = "Checkout API is down"
UP = "Checkout API is up again"


async def test_what_waits_is_sent_once_and_marked(rig: Rig) -> None:
    await rig.down()
    async with rig.sending() as sender:
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.visible == [DOWN]
        assert rig.outbox.unsent == 0
        sender.hear_redefined()
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.titles == [DOWN]


async def test_a_recovery_takes_the_place_of_the_outage(rig: Rig) -> None:
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(846_000)
        await rig.up()
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.visible == [UP]
        assert rig.notifier.texts == ["It was down for 14 min 06 s."]
    assert rig.notifier.titles == [DOWN, UP]
    assert rig.notifier.is_closed


async def test_a_restart_tells_nothing_again(rig: Rig) -> None:
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
    for _ in range(3):
        async with rig.sending():
            await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == [DOWN]
    async with rig.sending():
        await rig.up()
        await rig.clock.advance(HOLD_MS)
    assert rig.notifier.titles == [DOWN, UP]


@pytest.mark.parametrize("is_snoozed", [True, False])
async def test_an_outage_that_is_over_is_not_left_standing(rig: Rig, is_snoozed: bool) -> None:
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
        if is_snoozed:
            rig.outbox.write(incidents.snooze, 1, NOON + HOUR_MS, NOON)
        else:
            rig.settings = Settings(notify_recovery=False)
        await rig.up()
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.titles == [DOWN]
        assert rig.notifier.visible == []
        assert rig.outbox.unsent == 0


async def test_with_notifications_off_nothing_is_shown_and_nothing_piles_up(rig: Rig) -> None:
    rig.settings = Settings(notifications=False)
    async with rig.sending() as sender:
        await rig.down()
        sender.hear_faults({Fault.DISK: "the disk is full"})
        await rig.clock.advance(HOUR_MS)
        rig.settings = Settings()
        sender.hear_redefined()
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.titles == ["Results are not being saved"]
        assert rig.outbox.unsent == 0


async def test_nothing_is_said_of_a_monitor_that_was_removed(rig: Rig) -> None:
    async with rig.sending() as sender:
        event = await rig.down()
        rig.desk.subjects.clear()
        sender.hear(event, False)
        await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == []
    assert rig.outbox.unsent == 0


async def test_the_notice_of_a_monitor_that_is_removed_goes_with_it(rig: Rig) -> None:
    async with rig.sending() as sender:
        await rig.down()
        await rig.clock.advance(HOLD_MS)
        sender.hear_redefined()
        await settle()
        assert rig.notifier.visible == [DOWN]
        rig.desk.subjects.clear()
        sender.hear_redefined()
        await settle()
        assert rig.notifier.visible == []


async def test_a_failure_is_tried_again_later(rig: Rig) -> None:
    rig.notifier.problem = "the service is gone"
    tries = "SELECT attempts, last_error FROM deliveries"
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
        assert rig.outbox.ask(tries) == [(1, "the service is gone")]
        await rig.clock.advance(9_000)
        assert rig.outbox.ask(tries) == [(1, "the service is gone")]
        await rig.clock.advance(1_000)
        assert rig.outbox.ask(tries) == [(2, "the service is gone")]
        rig.notifier.problem = None
        await rig.clock.advance(20_000)
        assert rig.notifier.visible == [DOWN]
        assert rig.outbox.unsent == 0


async def test_trouble_over_before_a_broken_screen_could_show_it_is_one_notice(rig: Rig) -> None:
    rig.notifier.problem = "the service is gone"
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(60_000)
        await rig.up()
        await rig.clock.advance(HOLD_MS)
        rig.notifier.problem = None
        await rig.clock.advance(10 * 60_000)
    assert rig.notifier.titles == [UP]


async def test_the_fallback_stands_in_for_the_service(rig: Rig) -> None:
    rig.notifier.problem, rig.has_tray = "no D-Bus", True
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOUR_MS)
    assert rig.balloons == [DOWN]
    assert rig.outbox.unsent == 0


async def test_where_nobody_can_be_told_it_is_in_the_log(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.notifier.problem = "no D-Bus"
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
    assert "Checkout API is down: nobody could be told, because no D-Bus" in caplog.text


# While the disk fails


async def test_what_the_disk_does_not_take_is_told_from_memory_and_marked_once_it_does(
    rig: Rig,
) -> None:
    async with rig.sending() as sender:
        rig.outbox.is_full = True
        seen = Evidence(unmet=(Unmet("pong", "yes", "no"),))
        outcome = Outcome(Status.DOWN, "refused", attempts=2, evidence=seen)
        sender.hear(CheckFinished(*KEY, RUN, NOON, outcome), False)
        began = await rig.down(reason="refused", kept=False)
        await rig.clock.advance(HOLD_MS)
        found = "Refused, after 2 tries. Pong: expected yes, found no. Next try at 12:04."
        assert rig.notifier.texts == [found]
        await rig.clock.advance(846_000 - HOLD_MS)
        ended = await rig.up(kept=False)
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.texts == ["It was down for 14 min 06 s."]
        rig.outbox.is_full = False
        rig.write_late(began, ended)
        sender.hear_faults({})
        await settle()
        assert rig.outbox.unsent == 0
        await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == [DOWN, UP]


async def test_a_recovery_from_memory_knows_the_outage_on_disk(rig: Rig) -> None:
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(846_000)
        rig.outbox.is_full = True
        await rig.up(kept=False)
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.texts == ["It was down for 14 min 06 s."]


async def test_a_recovery_from_memory_knows_that_the_outage_on_disk_is_snoozed(rig: Rig) -> None:
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
        rig.outbox.write(incidents.snooze, 1, NOON + HOUR_MS, NOON)
        rig.outbox.is_full = True
        await rig.up(kept=False)
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.visible == []


async def test_trouble_over_in_memory_before_it_was_told_is_not_told(rig: Rig) -> None:
    rig.outbox.is_full = True
    async with rig.sending():
        await rig.down(kept=False)
        await rig.clock.advance(HOLD_MS - 1)
        await rig.up(kept=False)
        await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == []


async def test_an_outage_held_when_the_disk_fills_up_is_told_all_the_same_and_once(
    rig: Rig,
) -> None:
    async with rig.sending() as sender:
        await rig.down()
        rig.outbox.is_full = True
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.titles == [DOWN]
        rig.outbox.is_full = False
        sender.hear_faults({})
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.titles == [DOWN]
        assert rig.outbox.unsent == 0


async def test_what_memory_could_not_tell_is_tried_again(rig: Rig) -> None:
    rig.notifier.problem = "the service is gone"
    async with rig.sending():
        rig.outbox.is_full = True
        await rig.down(kept=False)
        await rig.clock.advance(HOLD_MS + 9_999)
        rig.notifier.problem = None
        assert rig.notifier.titles == []
        await rig.clock.advance(1)
        assert rig.notifier.titles == [DOWN]


async def test_what_memory_could_not_tell_is_the_outboxes_once_the_disk_is_back(rig: Rig) -> None:
    rig.notifier.problem = "the service is gone"
    async with rig.sending() as sender:
        rig.outbox.is_full = True
        began = await rig.down(kept=False)
        await rig.clock.advance(HOLD_MS)
        rig.outbox.is_full, rig.notifier.problem = False, None
        rig.write_late(began)
        sender.hear_faults({})
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.titles == [DOWN]
        assert rig.outbox.unsent == 0


async def test_what_was_told_but_could_not_be_marked_is_not_told_again(rig: Rig) -> None:
    mark_sent = rig.outbox.mark_sent

    async def refuse(*_: object) -> None:
        raise DiskFull

    rig.outbox.mark_sent = refuse  # type: ignore[method-assign, assignment]
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(10 * 60_000)
        assert rig.notifier.titles == [DOWN]
        rig.outbox.mark_sent = mark_sent  # type: ignore[method-assign]
        await rig.clock.advance(60_000)
        assert rig.notifier.titles == [DOWN]
        assert rig.outbox.unsent == 0


async def test_what_was_told_just_before_the_end_is_marked(rig: Rig) -> None:
    mark_sent, never = rig.outbox.mark_sent, asyncio.Event()

    async def hang(*_: object) -> None:
        await never.wait()

    rig.outbox.mark_sent = hang  # type: ignore[method-assign, assignment]
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.visible == [DOWN]
        rig.outbox.mark_sent = mark_sent  # type: ignore[method-assign]
    assert rig.outbox.unsent == 0


async def test_a_fault_of_the_store_is_told_once_and_so_is_its_end(rig: Rig) -> None:
    async with rig.sending() as sender:
        sender.hear_faults({Fault.DISK: "the disk is full"})
        await rig.clock.advance(FAULT_HELD_MS - 1)
        assert rig.notifier.titles == []
        await rig.clock.advance(1)
        sender.hear_faults({Fault.DISK: "the disk does not answer"})
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.titles == ["Results are not being saved"]
        sender.hear_faults({})
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.visible == ["Results are being saved again"]
        (shown,) = rig.notifier.shown.values()
        shown.answered(Answer.OPEN)
        await settle()
        assert rig.opened == [None]


async def test_a_fault_that_passes_at_once_is_not_told(rig: Rig) -> None:
    async with rig.sending() as sender:
        sender.hear_faults({Fault.DISK: "the file is locked"})
        await rig.clock.advance(FAULT_HELD_MS - 1)
        sender.hear_faults({})
        await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == []


async def test_a_fault_that_could_not_be_told_is_tried_again(rig: Rig) -> None:
    rig.notifier.problem = "the service is gone"
    async with rig.sending() as sender:
        sender.hear_faults({Fault.DISK: "the disk is full"})
        await rig.clock.advance(FAULT_HELD_MS)
        rig.notifier.problem = None
        await rig.clock.advance(10_000)
        assert rig.notifier.titles == ["Results are not being saved"]


# Answers


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
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
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
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
        (shown,) = rig.notifier.shown.values()
        shown.answered(Answer.ACKNOWLEDGE)
        await settle()
    assert "could not be taken" in caplog.text


# The sender itself


async def test_an_alert_that_breaks_the_sender_does_not_end_it(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    subject: Callable[[int], object] = rig.desk.subject

    def broken(number: int) -> None:
        raise ValueError(number)

    async with rig.sending():
        await rig.down()
        rig.desk.subject = broken  # type: ignore[method-assign, assignment]
        waits = rig.clock.waits_made
        await rig.clock.advance(60_000)
        assert rig.clock.waits_made - waits < 20
        rig.desk.subject = subject  # type: ignore[method-assign, assignment]
        await rig.clock.advance(60_000)
        assert rig.notifier.visible == [DOWN]
    assert f"ValueError: {NUMBER}" in caplog.text


async def test_an_idle_sender_hardly_ever_wakes(rig: Rig) -> None:
    async with rig.sending():
        waits = rig.clock.waits_made
        await rig.clock.advance(24 * HOUR_MS)
        assert rig.clock.waits_made - waits <= 24 * 12


async def test_an_event_during_the_work_is_not_missed(rig: Rig) -> None:
    waiting = rig.outbox.waiting
    late = [NUMBER]

    async with rig.sending() as sender:

        async def commit_meanwhile(now: int) -> object:
            found = await waiting(now)
            if late:
                rig.begin(late.pop())
                await asyncio.sleep(0)
            return found

        rig.outbox.waiting = commit_meanwhile  # type: ignore[method-assign, assignment]
        sender.hear_faults({})
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.visible == [DOWN]


async def test_events_of_other_kinds_wake_nobody(rig: Rig) -> None:
    async with rig.sending() as sender:
        waits = rig.clock.waits_made
        for at in range(100):
            outcome = Outcome(Status.DOWN, "refused")
            sender.hear(CheckFinished(*KEY, RUN, NOON + at, outcome), True)
            await settle()
        assert rig.clock.waits_made == waits


async def test_trouble_of_which_the_disk_knows_nothing_still_tells_its_end(rig: Rig) -> None:
    rig.outbox.is_full = True
    async with rig.sending() as sender:
        sender.hear(IncidentResolved(*KEY, RUN, NOON, Status.DOWN), False)
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.titles == [UP]
        assert rig.desk.subjects[NUMBER].incidents == WELL
        # What only follows from other trouble is not told from memory either.
        follows = IncidentOpened(*KEY, RUN, NOON, Status.DOWN, "no", cascade_reason="upstream-x")
        sender.hear(follows, False)
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.titles == [UP]
