"""Incidents and the alerts about them."""

from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from tests.store.build import NOW, add_monitors, broke, finished, opened, recovered
from uptime_desktop.domain.events import IncidentOpened, IncidentResolved
from uptime_desktop.domain.status import Status
from uptime_desktop.store import incidents, outbox
from uptime_desktop.store.db import Store
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.incidents import Incident, Severity, newest_incidents
from uptime_desktop.store.writer import Writer


def test_an_incident_begins_and_ends(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW, "connection refused"))
    writer.flush()
    (found,) = store.read(newest_incidents)
    assert found == Incident(
        1, number, Status.DOWN, Severity.HIGH, NOW, None, "connection refused",
        None, None, None, False, "",
    )  # fmt: skip
    writer.submit(recovered(number, NOW + 90_000))
    writer.flush()
    assert store.read(newest_incidents) == (replace(found, resolved_at=NOW + 90_000),)
    assert store.read(newest_incidents, only_open=True) == ()


def test_one_of_each_kind_is_open_at_a_time(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    writer.submit(broke(number, NOW + 1))
    about = ("site-0", "monitor", UUID(int=1), NOW + 2)
    events = (
        IncidentResolved(*about, Status.DOWN),
        IncidentOpened(*about, Status.DEGRADED, "slow"),
    )
    writer.submit(finished(number, NOW + 2, Status.DEGRADED, "slow", events=events))
    writer.flush()
    found = store.read(newest_incidents, number)
    assert [(one.kind, one.severity, one.opened_at, one.resolved_at) for one in found] == [
        (Status.DEGRADED, Severity.MEDIUM, NOW + 2, None),
        (Status.DOWN, Severity.HIGH, NOW, NOW + 2),
    ]


def test_people_acknowledge_snooze_and_note(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    for at in (NOW + 5, NOW + 9):
        assert writer.call(incidents.acknowledge, 1, at).result().acknowledged_at == NOW + 5
    assert writer.call(incidents.write_note, 1, "called them").result().note == "called them"
    snoozed = writer.call(incidents.snooze, 1, NOW + 60).result()
    assert (snoozed.is_snoozed(NOW + 59), snoozed.is_snoozed(NOW + 60)) == (True, False)
    assert writer.call(incidents.snooze, 1, None).result().is_snoozed(NOW + 10**9)
    assert not writer.call(incidents.unsnooze, 1).result().is_snoozed(NOW)
    low = writer.call(incidents.set_cascade, 1, Severity.LOW, "upstream-router").result()
    assert (low.severity, low.cascade_reason) == (Severity.LOW, "upstream-router")
    assert store.read(newest_incidents) == (low,)


def test_a_snooze_until_recovery_ends_with_the_incident(writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    writer.call(incidents.snooze, 1, None).result()
    writer.submit(recovered(number, NOW + 1))
    assert not writer.call(incidents.one_incident, 1).result().is_snoozed(NOW + 2)


def test_an_unknown_incident_is_refused(writer: Writer) -> None:
    with pytest.raises(StoreError, match="there is no incident 7"):
        writer.call(incidents.acknowledge, 7, NOW).result()


def test_incidents_are_found_by_page_and_by_time(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    for n in range(5):
        writer.submit(broke(number, NOW + n * 100))
        writer.submit(recovered(number, NOW + n * 100 + 50))
    writer.submit(broke(number, NOW + 500))
    writer.flush()
    assert [one.number for one in store.read(newest_incidents, limit=2)] == [6, 5]
    assert [one.number for one in store.read(newest_incidents, before=5, limit=2)] == [4, 3]
    between = store.read(incidents.incidents_between, NOW + 150, NOW + 301, number)
    assert [one.number for one in between] == [3, 4]
    assert [
        one.number for one in store.read(incidents.incidents_between, NOW + 600, NOW + 700)
    ] == [6]


def test_an_alert_is_claimed_sent_and_not_claimed_again(writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    writer.submit(recovered(number, NOW + 10))
    alerts = writer.call(outbox.claim, NOW + 20).result()
    assert [(one.is_recovery, one.happened_at, one.attempts) for one in alerts] == [
        (False, NOW, 1),
        (True, NOW + 10, 1),
    ]
    assert alerts[0].incident.reason == "refused"
    assert writer.call(outbox.claim, NOW + 20).result() == ()
    for one in alerts:
        writer.call(outbox.mark_sent, one.number, NOW + 30).result()
    assert writer.call(outbox.claim, NOW + 10**9).result() == ()
    assert writer.call(outbox.next_alert_at).result() is None


def test_an_alert_that_fails_is_tried_later_and_later(writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    at, waits = NOW, []
    for attempt in range(1, 10):
        (alert,) = writer.call(outbox.claim, at).result()
        assert alert.attempts == attempt
        next_try_at = writer.call(outbox.mark_failed, alert.number, at, "no route").result()
        assert next_try_at is not None
        assert writer.call(outbox.next_alert_at).result() == next_try_at
        assert writer.call(outbox.claim, next_try_at - 1).result() == ()
        waits.append((next_try_at - at) // 1_000)
        at = next_try_at
    assert waits == [10, 20, 40, 80, 160, 320, 640, 900, 900]


def test_an_alert_claimed_by_a_process_that_died_is_due_again(path: Path) -> None:
    with opened(path) as (_, writer):
        (number,) = add_monitors(writer)
        writer.submit(broke(number, NOW))
        assert len(writer.call(outbox.claim, NOW).result()) == 1
    with opened(path) as (_, writer):
        assert writer.call(outbox.claim, NOW + outbox.LEASE_MS - 1).result() == ()
        (again,) = writer.call(outbox.claim, NOW + outbox.LEASE_MS).result()
        assert again.attempts == 2
