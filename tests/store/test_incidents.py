"""Incidents, and what people did about them."""

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

import pytest

from tests.store.build import NOW, add_monitors, broke, finished, recovered
from uptime_desktop.domain.events import IncidentOpened, IncidentResolved
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.store import incidents
from uptime_desktop.store.db import Store
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
    assert writer.call(incidents.write_note, 1, "called them", NOW).result().note == "called them"
    snoozed = writer.call(incidents.snooze, 1, NOW + 60, NOW).result()
    assert (snoozed.is_snoozed(NOW + 59), snoozed.is_snoozed(NOW + 60)) == (True, False)
    assert writer.call(incidents.snooze, 1, None, NOW).result().is_snoozed(NOW + 10**9)
    assert not writer.call(incidents.unsnooze, 1, NOW).result().is_snoozed(NOW)
    low = writer.call(incidents.set_cascade, 1, "upstream-router").result()
    assert (low.severity, low.cascade_reason) == (Severity.LOW, "upstream-router")
    assert store.read(newest_incidents) == (low,)


def test_a_snooze_until_recovery_ends_with_the_incident(writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    writer.call(incidents.snooze, 1, None, NOW).result()
    writer.submit(recovered(number, NOW + 1))
    assert not writer.call(incidents.one_incident, 1).result().is_snoozed(NOW + 2)


@pytest.mark.parametrize(
    ("act", "details"),
    [
        (incidents.acknowledge, (NOW,)),
        (incidents.snooze, (None, NOW)),
        (incidents.unsnooze, (NOW,)),
        (incidents.write_note, ("called them", NOW)),
    ],
)
def test_an_unknown_incident_is_refused(
    writer: Writer, act: Callable[..., Incident], details: tuple[object, ...]
) -> None:
    with pytest.raises(Refused, match="there is no incident 7"):
        writer.call(act, 7, *details).result()


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
