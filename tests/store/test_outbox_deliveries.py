"""Alerts on their way to channels: each at least once, later and later where it fails."""

from pathlib import Path

from tests.store.build import NOW, add_monitors, broke, opened
from uptime_desktop.domain.alerts import Decision, Delivery, Told
from uptime_desktop.store import deliveries, outbox
from uptime_desktop.store.writer import Writer


def send(writer: Writer, *channels: str, count: int = 1) -> None:
    """Trouble of new monitors, decided to be told."""
    for number in add_monitors(writer, count):
        writer.submit(broke(number, NOW))
    undecided = writer.call(outbox.waiting, NOW).result().alerts
    decision = Decision([Told(one, channels) for one in undecided])
    writer.call(outbox.decide, decision, NOW).result()


def claim(writer: Writer, now: int, *busy: str) -> tuple[Delivery, ...]:
    return writer.call(deliveries.claim, now, busy).result()


def numbers(found: tuple[Delivery, ...]) -> list[int]:
    return [one.number for one in found if one.number is not None]


def test_a_delivery_is_claimed_sent_and_not_claimed_again(writer: Writer) -> None:
    send(writer, "mail")
    (found,) = claim(writer, NOW)
    assert found.alert.reason == "refused"
    assert claim(writer, NOW) == ()
    writer.call(deliveries.mark_sent, numbers((found,)), NOW + 30).result()
    assert claim(writer, NOW + 10**9) == ()
    assert writer.call(deliveries.next_delivery_at).result() is None


def test_a_channel_that_fails_is_tried_later_and_later(writer: Writer) -> None:
    send(writer, "mail")
    at, waits = NOW, []
    for _ in range(9):
        found = claim(writer, at)
        writer.call(deliveries.mark_failed, numbers(found), at, "no route").result()
        next_at = writer.call(deliveries.next_delivery_at).result()
        assert next_at is not None
        assert claim(writer, next_at - 1) == ()
        waits.append((next_at - at) // 1_000)
        at = next_at
    assert waits == [10, 20, 40, 80, 160, 320, 640, 900, 900]


def test_all_that_waits_for_a_channel_is_tried_together(writer: Writer) -> None:
    send(writer, "mail")
    writer.call(deliveries.mark_failed, numbers(claim(writer, NOW)), NOW, "no").result()
    send(writer, "mail")
    found = claim(writer, NOW + 1)
    assert len(found) == 2
    writer.call(deliveries.mark_failed, numbers(found), NOW + 1, "no").result()
    assert claim(writer, NOW + 20_000) == ()
    assert len(claim(writer, NOW + 20_001)) == 2


def test_one_channel_does_not_wait_for_another(writer: Writer) -> None:
    send(writer, "chat", "mail")
    chat, mail = claim(writer, NOW)
    writer.call(deliveries.mark_sent, numbers((chat,)), NOW).result()
    writer.call(deliveries.mark_failed, numbers((mail,)), NOW, "no").result()
    assert [one.channel for one in claim(writer, NOW + 10_000)] == ["mail"]


def test_nothing_is_claimed_for_a_channel_that_is_busy(writer: Writer) -> None:
    send(writer, "chat", "mail")
    assert [one.channel for one in claim(writer, NOW, "chat")] == ["mail"]
    assert writer.call(deliveries.next_delivery_at, ("mail",)).result() == NOW
    assert writer.call(deliveries.next_delivery_at, ("chat", "mail")).result() is None


def test_a_delivery_claimed_by_a_process_that_died_is_due_again(path: Path) -> None:
    with opened(path) as (_, writer):
        send(writer, "mail")
        assert len(claim(writer, NOW)) == 1
    with opened(path) as (_, writer):
        assert claim(writer, NOW + deliveries.LEASE_MS - 1) == ()
        assert len(claim(writer, NOW + deliveries.LEASE_MS)) == 1


def test_a_digest_is_remembered(writer: Writer) -> None:
    for number in add_monitors(writer, 2):
        writer.submit(broke(number, NOW))
    undecided = writer.call(outbox.waiting, NOW).result().alerts
    decision = Decision([Told(one, ("mail",), is_digest=True) for one in undecided])
    writer.call(outbox.decide, decision, NOW).result()
    assert {one.alert.digest for one in claim(writer, NOW)} == {1}
