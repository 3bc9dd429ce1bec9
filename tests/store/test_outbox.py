"""Alerts that wait to be decided on, and what becomes of them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.build import NOW, add_monitors, broke, finished, opened, outside, recovered
from uptime_desktop.domain.alerting import FLAP_MS
from uptime_desktop.domain.alerts import Alert, Decision, Occasion, Told
from uptime_desktop.domain.model import DAY_MS, MINUTE_MS
from uptime_desktop.domain.status import Status
from uptime_desktop.store import deliveries, incidents, outbox
from uptime_desktop.store.pruning import prune
from uptime_desktop.store.writer import Writer

FATES = "SELECT fate, sent_at IS NOT NULL FROM outbox ORDER BY number"


def alerts(writer: Writer, now: int = NOW) -> tuple[Alert, ...]:
    return tuple(writer.call(outbox.waiting, now).result().alerts)


def tell(writer: Writer, *told: Alert, now: int = NOW, channels: tuple[str, ...] = ("a",)) -> None:
    decision = Decision([Told(one, channels) for one in told])
    writer.call(outbox.decide, decision, now).result()


def deliver(writer: Writer, now: int = NOW) -> None:
    numbers = [one.number for one in writer.call(deliveries.claim, now).result() if one.number]
    writer.call(deliveries.mark_sent, numbers, now).result()


def test_a_change_leaves_an_alert_that_says_all_there_is_to_say(writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    writer.submit(recovered(number, NOW + 10))
    opening, recovery = alerts(writer)
    assert (opening.monitor_number, opening.kind, opening.reason) == (
        number,
        Status.DOWN,
        "refused",
    )
    assert (opening.happened_at, opening.resolved_at) == (NOW, NOW + 10)
    assert (recovery.is_recovery, recovery.opened_at, recovery.incident) == (True, NOW, 1)
    assert (opening.told_at, recovery.told_at) == (None, None)


def test_what_is_told_is_done_once_every_channel_had_it(writer: Writer, path: Path) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    tell(writer, *alerts(writer), channels=("a", "b"))
    assert alerts(writer) == ()
    claimed = writer.call(deliveries.claim, NOW).result()
    assert [(one.number, one.channel) for one in claimed] == [(1, "a"), (2, "b")]
    writer.call(deliveries.mark_sent, [1], NOW).result()
    assert outside(path, FATES) == [(outbox.Fate.TOLD, 0)]
    writer.call(deliveries.mark_sent, [2], NOW).result()
    assert outside(path, FATES) == [(outbox.Fate.TOLD, 1)]


def test_a_recovery_knows_whether_people_were_told_of_the_trouble(writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    tell(writer, *alerts(writer), now=NOW + 5)
    writer.submit(recovered(number, NOW + 10))
    (recovery,) = alerts(writer)
    assert recovery.told_at == NOW + 5
    writer.call(outbox.decide, Decision(silent=[recovery]), NOW).result()
    assert alerts(writer) == ()


def test_a_recovery_outlives_the_memory_of_the_telling(writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    tell(writer, *alerts(writer))
    deliver(writer)
    later = NOW + 400 * DAY_MS
    while writer.call(prune, later).result():
        pass
    writer.submit(recovered(number, later))
    (recovery,) = alerts(writer, later)
    assert recovery.told_at is not None


@pytest.mark.parametrize("fate", ["silent", "void"])
def test_what_is_not_told_reaches_no_channel(writer: Writer, path: Path, fate: str) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    decision = Decision(**{fate: alerts(writer)})  # type: ignore[arg-type]
    writer.call(outbox.decide, decision, NOW).result()
    assert writer.call(deliveries.claim, NOW + DAY_MS).result() == ()
    assert outside(path, FATES) == [(outbox.Fate[fate.upper()], 1)]


def test_only_what_counts_is_a_change(writer: Writer) -> None:
    (number,) = add_monitors(writer)
    for at, fate in ((0, "silent"), (100, "void")):
        writer.submit(broke(number, NOW + at))
        writer.submit(recovered(number, NOW + at + 10))
        decision = Decision(**{fate: alerts(writer)})  # type: ignore[arg-type]
        writer.call(outbox.decide, decision, NOW).result()
    found = writer.call(outbox.waiting, NOW + 200).result()
    assert found.changes == {number: [NOW, NOW + 10]}
    assert writer.call(outbox.waiting, NOW + FLAP_MS + 10).result().changes == {}


def test_a_monitor_flaps_until_it_is_said_to_be_stable(path: Path) -> None:
    with opened(path) as (_, writer):
        number, other = add_monitors(writer, 2)
        for one in (number, other):
            writer.submit(broke(one, NOW))
        writer.call(outbox.decide, Decision(silent=alerts(writer)), NOW).result()
        flaps = Alert(number, Status.DOWN, False, NOW, None, occasion=Occasion.FLAPPING)
        writer.call(outbox.decide, Decision(added=[flaps]), NOW).result()
    with opened(path) as (_, writer):
        found = writer.call(outbox.waiting, NOW + DAY_MS).result()
        assert found.flapping == {number}
        assert found.changes == {number: [NOW]}
        (added,) = found.alerts
        assert (added.occasion, added.incident) == (Occasion.FLAPPING, 1)
        stable = Alert(number, Status.DOWN, True, NOW + 1, None, occasion=Occasion.STABLE)
        writer.call(outbox.decide, Decision(added=[stable]), NOW).result()
        assert writer.call(outbox.waiting, NOW + DAY_MS).result().flapping == frozenset()


def test_trouble_that_lasts_is_known_with_when_it_was_told(writer: Writer) -> None:
    first, second = add_monitors(writer, 2)
    writer.submit(broke(first, NOW))
    writer.submit(broke(second, NOW + 1))
    tell(writer, alerts(writer)[0], now=NOW + 5)
    writer.call(incidents.acknowledge, 1, NOW + 6).result()
    lasting = writer.call(outbox.waiting, NOW + 10).result().lasting
    assert [(one.monitor_number, one.told_at, one.is_acknowledged) for one in lasting] == [
        (first, NOW + 5, True),
        (second, None, False),
    ]
    writer.submit(recovered(first, NOW + 20))
    assert len(writer.call(outbox.waiting, NOW + 30).result().lasting) == 1


@pytest.mark.parametrize(
    ("until", "now", "is_snoozed"), [(NOW + 60, NOW + 59, True), (NOW + 60, NOW + 60, False)]
)
def test_a_snooze_counts_until_its_end(
    writer: Writer, until: int, now: int, is_snoozed: bool
) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    writer.call(incidents.snooze, 1, until, NOW).result()
    assert alerts(writer, now)[0].is_snoozed is is_snoozed


def test_a_snooze_until_recovery_ends_with_it(writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    writer.call(incidents.snooze, 1, None, NOW).result()
    assert alerts(writer, NOW + DAY_MS)[0].is_snoozed
    writer.submit(recovered(number, NOW + 1))
    assert not any(one.is_snoozed for one in alerts(writer))


# What lies upstream


def test_what_is_held_cannot_be_told_before_it_is_released(writer: Writer, path: Path) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    undecided = alerts(writer)
    writer.call(outbox.hold, 1, NOW + MINUTE_MS).result()
    tell(writer, *undecided)
    assert outside(path, FATES) == [(outbox.Fate.UNDECIDED, 0)]
    assert alerts(writer)[0].not_before == NOW + MINUTE_MS
    writer.call(outbox.release, 1, NOW + 5).result()
    assert alerts(writer)[0].not_before == NOW + 5
    tell(writer, *undecided, now=NOW + 5)
    assert outside(path, FATES) == [(outbox.Fate.TOLD, 0)]


def test_what_is_held_can_still_be_dropped(writer: Writer, path: Path) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    writer.call(outbox.hold, 1, NOW + MINUTE_MS).result()
    writer.call(outbox.decide, Decision(silent=alerts(writer)), NOW).result()
    assert outside(path, FATES) == [(outbox.Fate.SILENT, 1)]


def test_what_is_suppressed_meanwhile_is_not_told(writer: Writer, path: Path) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    undecided = alerts(writer)
    writer.call(outbox.suppress, 1, NOW).result()
    tell(writer, *undecided)
    assert outside(path, FATES) == [(outbox.Fate.VOID, 1)]
    writer.call(outbox.release, 1, NOW + 5).result()
    assert [one.number for one in alerts(writer)] == [1]


def test_a_release_tells_nothing_again_and_nothing_that_is_over(writer: Writer) -> None:
    first, second = add_monitors(writer, 2)
    writer.submit(broke(first, NOW))
    tell(writer, *alerts(writer))
    writer.submit(broke(second, NOW))
    writer.call(outbox.suppress, 2, NOW).result()
    writer.submit(recovered(second, NOW + 1))
    for incident in (1, 2):
        writer.call(outbox.release, incident, NOW + 2).result()
    assert [one.is_recovery for one in alerts(writer)] == [True]


# Memory and upgrades


def test_what_was_told_from_memory_is_marked_with_what_it_still_has_to_reach(
    writer: Writer, path: Path
) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    told = Told(Alert(number, Status.DOWN, False, NOW, NOW), ("mail",))
    writer.call(outbox.mark_told, [told], NOW + 1).result()
    assert alerts(writer) == ()
    assert outside(path, "SELECT channel, next_try_at FROM deliveries") == [("mail", NOW + 1)]
    writer.call(outbox.mark_told, [told], NOW + 2).result()
    assert outside(path, "SELECT count(*) FROM deliveries") == [(1,)]


def test_people_can_be_taken_to_know_everything(writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    writer.call(outbox.mark_all_told).result()
    writer.submit(recovered(number, NOW + 1))
    (recovery,) = alerts(writer)
    assert recovery.told_at == NOW


def test_alerts_go_with_their_monitor(path: Path, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    writer.submit(finished(number, NOW + 1))
    tell(writer, *alerts(writer))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("DELETE FROM monitors")
        connection.commit()
    assert outside(path, "SELECT count(*) FROM deliveries") == [(0,)]
