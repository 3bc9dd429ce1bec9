"""Alerts to other places than the screen: each gets all of it once, whatever happens to others."""

import pytest

from tests.alerts.build import NOON, Rig
from tests.alerts.conftest import MakeRig
from tests.fakes import settle
from uptime_desktop.config import Settings
from uptime_desktop.domain.alerting import HOLD_MS
from uptime_desktop.domain.alerts import Channel, Fault
from uptime_desktop.domain.model import HOUR_MS, MINUTE_MS

pytestmark = pytest.mark.asyncio

DOWN = "Checkout API is down"
UP = "Checkout API is up again"
SLACK, MAIL = "list://slack", "list://mail"


@pytest.fixture
def rig(rigs: MakeRig) -> Rig:
    rig = rigs(6, 1)
    rig.channels.known += [
        Channel("slack", "Slack", "secret:channel/slack"),
        Channel("mail", "Mail", "secret:channel/mail"),
    ]
    return rig


async def test_every_channel_that_is_on_is_told_once(rig: Rig) -> None:
    rig.channels.known.append(Channel("off", "Off", "secret:channel/off", is_on=False))
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOUR_MS)
    assert rig.notifier.titles == [DOWN]
    assert {address: len(found) for address, found in rig.courier.carried.items()} == {
        SLACK: 1,
        MAIL: 1,
    }
    assert rig.outbox.unsent == 0


async def test_a_message_says_what_since_when_and_what_next(rig: Rig) -> None:
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
        await rig.clock.advance(846_000 - HOLD_MS)
        await rig.up()
        await rig.clock.advance(HOLD_MS)
    down, up = rig.courier.carried[SLACK]
    assert (down.title, down.text) == (
        DOWN,
        "HTTP 503 Service Unavailable.\nDown since 2026-09-21 12:00 UTC.\nNext try at 12:04.",
    )
    assert (up.title, up.text) == (UP, "It was down for 14 min 06 s.")


@pytest.mark.parametrize(
    ("channels", "on_screen", "slack", "mail"),
    [
        (None, True, True, True),
        ((), False, False, False),
        (("desktop",), True, False, False),
        (("slack",), False, True, False),
        (("mail", "desktop", "gone"), True, False, True),
        (("sound",), True, False, False),
    ],
)
async def test_a_rule_says_where_an_alert_goes(
    rig: Rig, channels: tuple[str, ...] | None, on_screen: bool, slack: bool, mail: bool
) -> None:
    rig.rule(channels=channels)
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
    assert rig.notifier.titles == [DOWN] * on_screen
    assert rig.courier.titles(SLACK) == [DOWN] * slack
    assert rig.courier.titles(MAIL) == [DOWN] * mail
    assert rig.outbox.unsent == 0


async def test_a_rule_can_ask_for_a_sound(rig: Rig) -> None:
    rig.rule(1, channels=("desktop", "sound"))
    rig.rule(2, channels=("desktop",))
    async with rig.sending():
        await rig.down(1)
        await rig.down(2)
        await rig.clock.advance(HOLD_MS)
        sounds = [one.notice.has_sound for one in rig.notifier.shown.values()]
        assert sounds == [True, False]


async def test_a_channel_that_fails_is_tried_again_without_repeating_on_the_others(
    rig: Rig,
) -> None:
    rig.courier.problems[SLACK] = "it is gone"
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(MINUTE_MS)
        assert (rig.notifier.titles[0], rig.courier.titles(MAIL)) == (DOWN, [DOWN])
        assert rig.outbox.unsent == 1
        del rig.courier.problems[SLACK]
        await rig.clock.advance(HOUR_MS)
        assert rig.courier.titles(SLACK) == [DOWN]
        assert rig.courier.titles(MAIL) == [DOWN]
        assert rig.outbox.unsent == 0


async def test_a_channel_is_tried_later_and_later(rig: Rig) -> None:
    rig.rule(channels=("slack",))
    rig.courier.problems[SLACK] = "it is gone"
    tries = []
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
        for _ in range(60):
            tries.append(rig.courier.tries)
            await rig.clock.advance(10_000)
    assert tries[:9] == [1, 2, 2, 3, 3, 3, 3, 4, 4]
    assert tries[-1] == 6


async def test_a_channel_that_hangs_keeps_nobody_else_waiting(rig: Rig) -> None:
    rig.courier.hangs.add(SLACK)
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
        await rig.down(2)
        await rig.clock.advance(HOLD_MS)
        assert rig.courier.titles(MAIL) == [DOWN, "Monitor 2 is down"]
        assert rig.notifier.titles == [DOWN, "Monitor 2 is down"]


async def test_what_piled_up_at_a_broken_channel_arrives_as_one_digest(rig: Rig) -> None:
    rig.courier.problems[SLACK] = "it is gone"
    async with rig.sending():
        for number in range(1, 7):
            await rig.down(number)
            await rig.clock.advance(MINUTE_MS)
        await rig.up(6)
        await rig.clock.advance(MINUTE_MS)
        del rig.courier.problems[SLACK]
        await rig.clock.advance(HOUR_MS)
        assert len(rig.courier.titles(MAIL)) == 7
        assert rig.courier.titles(SLACK) == ["5 down, 1 up again"]
        assert rig.outbox.unsent == 0


async def test_a_channel_hears_of_an_end_however_late(rig: Rig) -> None:
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
        rig.courier.problems[SLACK] = "it is gone"
        await rig.up()
        await rig.clock.advance(5 * HOUR_MS)
        del rig.courier.problems[SLACK]
        await rig.clock.advance(HOUR_MS)
        assert rig.courier.titles(SLACK) == [DOWN, UP]


async def test_a_digest_goes_to_every_channel(rig: Rig) -> None:
    async with rig.sending():
        for number in range(1, 7):
            await rig.down(number)
        await rig.clock.advance(HOLD_MS)
    for address in (SLACK, MAIL):
        (message,) = rig.courier.carried[address]
        assert message.title == "6 monitors are down"
        assert message.text.startswith("Checkout API, Monitor 2, Monitor 3, Monitor 4, Monitor 5,")


async def test_without_a_screen_the_channels_still_work(rig: Rig) -> None:
    rig.has_screen = False
    async with rig.sending() as sender:
        await rig.down()
        await rig.clock.advance(HOLD_MS)
        assert rig.courier.titles(SLACK) == [DOWN]
        assert rig.outbox.unsent == 0
        sender.hear_faults({Fault.DISK: "the disk is full"})
        await rig.clock.advance(HOUR_MS)
        assert await sender.test_channel("desktop") == "there is no screen to show it on"


async def test_with_nowhere_to_go_alerts_wait_for_a_start_with_a_screen(rig: Rig) -> None:
    rig.has_screen = False
    rig.channels.known.clear()
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOUR_MS)
        assert rig.outbox.unsent == 1
    rig.has_screen = True
    async with rig.sending():
        await rig.clock.advance(HOLD_MS)
        assert rig.notifier.titles == [DOWN]


async def test_what_was_for_a_screen_waits_for_one(rig: Rig) -> None:
    rig.notifier.problem = "the service is gone"
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
    rig.notifier.problem, rig.has_screen = None, False
    async with rig.sending():
        await rig.clock.advance(HOUR_MS)
    assert rig.outbox.unsent == 1
    rig.has_screen = True
    async with rig.sending():
        await rig.clock.advance(HOLD_MS)
    assert rig.notifier.titles == [DOWN]


async def test_notifications_off_are_off_on_the_screen_only(rig: Rig) -> None:
    rig.settings = Settings(notifications=False)
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(HOLD_MS)
    assert rig.notifier.titles == []
    assert rig.courier.titles(SLACK) == [DOWN]


@pytest.mark.parametrize("how", ["removed", "switched off"])
async def test_what_is_on_its_way_to_a_channel_that_is_gone_is_forgotten(
    rig: Rig, how: str
) -> None:
    rig.courier.problems[SLACK] = "it is gone"
    async with rig.sending() as sender:
        await rig.down()
        await rig.clock.advance(10 * MINUTE_MS)
        assert sender.channel_faults == {"slack": "it is gone"}
        del rig.courier.problems[SLACK]
        if how == "removed":
            del rig.channels.known[0]
        else:
            rig.channels.known[0] = Channel("slack", "Slack", "", is_on=False)
        await rig.clock.advance(HOUR_MS)
        assert rig.courier.titles(SLACK) == []
        assert rig.outbox.unsent == 0
        assert sender.channel_faults == {}


async def test_a_broken_channel_is_itself_told_once_and_its_end_clears_it(rig: Rig) -> None:
    rig.courier.problems[SLACK] = "error=403"
    changes: list[dict[str, str]] = []
    async with rig.sending() as sender:
        sender.on_channel_faults(lambda: changes.append(dict(sender.channel_faults)))
        await rig.down()
        await rig.clock.advance(HOLD_MS + 10_000)
        assert (sender.channel_faults, rig.courier.tries) == ({}, 3)
        await rig.clock.advance(20_000)
        assert sender.channel_faults == {"slack": "error=403"}
        assert rig.notifier.titles == [DOWN, "Slack cannot be reached"]
        assert "Error=403." in rig.notifier.texts
        await rig.clock.advance(5 * HOUR_MS)
        assert rig.notifier.titles == [DOWN, "Slack cannot be reached"]
        del rig.courier.problems[SLACK]
        await rig.clock.advance(HOUR_MS)
        assert rig.notifier.visible == [DOWN]
        assert changes == [{"slack": "error=403"}, {}]


async def test_a_channel_can_be_tested(rig: Rig) -> None:
    async with rig.sending() as sender:
        assert await sender.test_channel("slack") is None
        assert rig.courier.titles(SLACK) == ["Notices work"]
        rig.courier.problems[SLACK] = "error=403"
        assert await sender.test_channel("slack") == "error=403"
        assert await sender.test_channel("none") == "there is no such channel"
        assert await sender.test_channel("desktop") is None
        assert rig.notifier.titles == ["Notices work"]


async def test_while_the_disk_fails_channels_are_told_from_memory(rig: Rig) -> None:
    rig.courier.problems[SLACK] = "it is gone"
    async with rig.sending() as sender:
        rig.outbox.is_full = True
        began = await rig.down(kept=False)
        await rig.clock.advance(HOLD_MS)
        assert rig.courier.titles(MAIL) == [DOWN]
        rig.outbox.is_full = False
        rig.write_late(began)
        sender.hear_faults({})
        await settle()
        # Only the one that did not get it is left.
        assert rig.outbox.ask("SELECT channel FROM deliveries WHERE sent_at IS NULL") == [
            ("slack",)
        ]
        del rig.courier.problems[SLACK]
        await rig.clock.advance(HOUR_MS)
        assert rig.courier.titles(SLACK) == [DOWN]
        assert rig.courier.titles(MAIL) == [DOWN]
        assert rig.outbox.unsent == 0


async def test_a_monitor_in_two_kinds_of_trouble_is_one_message(rig: Rig) -> None:
    async with rig.sending():
        await rig.down()
        await rig.clock.advance(1_000)
        await rig.up()
        await rig.down()
        assert rig.clock.wall() == NOON + 1_000
        await rig.clock.advance(HOLD_MS)
    assert rig.courier.titles(SLACK) == [DOWN]
