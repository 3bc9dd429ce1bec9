"""What becomes of alerts, decided without a clock, a disk or a screen."""

from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uptime_desktop.domain.alert_quiet import parse_quiet_hours
from uptime_desktop.domain.alert_rules import Rule, completed, rule_of
from uptime_desktop.domain.alert_telling import parcels
from uptime_desktop.domain.alerting import FLAP_MS, HOLD_AT_MOST_MS, HOLD_MS, Scene, decide
from uptime_desktop.domain.alerts import Alert, Decision, Delivery, Occasion, Subject, Waiting
from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS, AlertRule
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status

NOW = 1_800_000_000_000
BERLIN = ZoneInfo("Europe/Berlin")
DOWN = frozenset({Status.DOWN})
WELL: frozenset[Status] = frozenset()


def subject(**values: object) -> Subject:
    return replace(Subject(("s", "m"), "M", None, DOWN), **values)  # type: ignore[arg-type]


def opening(number: int = 1, at: int = NOW, **values: object) -> Alert:
    alert = Alert(number, Status.DOWN, False, at, at, number=number, incident=number)
    return replace(alert, **values)  # type: ignore[arg-type]


def recovery(number: int = 1, at: int = NOW, **values: object) -> Alert:
    alert = Alert(number, Status.DOWN, True, at, at, at, number=100 + number, incident=number)
    return replace(alert, **values)  # type: ignore[arg-type]


def scene(now: int = NOW, **values: object) -> Scene:
    plain = Scene(now, NOW - DAY_MS, UTC, Rule(), ("desktop",))
    return replace(plain, **values)  # type: ignore[arg-type]


def outcome(decision: Decision) -> tuple[list[int], list[int], list[int]]:
    """The monitors told, silent and void."""
    return (
        [one.alert.monitor_number for one in decision.told],
        [one.monitor_number for one in decision.silent],
        [one.monitor_number for one in decision.void],
    )


# Rules


def test_a_monitors_rule_stands_above_its_sites_and_that_above_all() -> None:
    own = AlertRule(after=2, channels=())
    site = AlertRule(after=5, repeat_ms=HOUR_MS, channels=("a",))
    assert completed(own, site) == AlertRule(2, HOUR_MS, None, ())
    for_all = Rule(9, DAY_MS, False, None)
    assert rule_of(completed(own, site), for_all) == Rule(2, HOUR_MS, False, ())
    assert rule_of(AlertRule(repeat_ms=0), for_all) == Rule(9, 0, False, None)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"after": 0}, "alert_after: 0 is out of range. Allowed: 1 to 100."),
        ({"after": 101}, "alert_after: 101 is out of range"),
        ({"repeat_ms": 59_999}, "repeat_every: 59999 ms is too short. Allowed: 1 min to 30 d."),
        ({"repeat_ms": 31 * DAY_MS}, "repeat_every: 31 d is too long"),
    ],
)
def test_a_rule_out_of_range_cannot_exist(values: dict[str, int], sentence: str) -> None:
    with pytest.raises(Refused) as refusal:
        AlertRule(**values)  # type: ignore[arg-type]
    assert str(refusal.value).startswith(sentence)


# Quiet hours


def instant(text: str, zone: tzinfo = BERLIN) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1_000)


@pytest.mark.parametrize(
    ("hours", "now", "until"),
    [
        ("22:00-07:00", "2026-06-01T21:59:59", None),
        ("22:00-07:00", "2026-06-01T22:00", "2026-06-02T07:00"),
        ("22:00-07:00", "2026-06-02T06:59:59", "2026-06-02T07:00"),
        ("22:00-07:00", "2026-06-02T07:00", None),
        ("12:00-13:30", "2026-06-01T12:30", "2026-06-01T13:30"),
        ("12:00-13:30", "2026-06-01T13:30", None),
        ("00:00-23:59", "2026-06-01T00:00", "2026-06-01T23:59"),
        # The night is an hour shorter, or longer, when the clocks are set.
        ("22:00-07:00", "2026-03-28T23:00", "2026-03-29T07:00"),
        ("22:00-07:00", "2026-10-24T23:00", "2026-10-25T07:00"),
        # An end that the clock jumps over is where it lands.
        ("01:00-02:30", "2026-03-29T01:30", "2026-03-29T03:00"),
    ],
)
def test_quiet_hours_end_by_the_clock_on_the_wall(hours: str, now: str, until: str | None) -> None:
    quiet = parse_quiet_hours("quiet_hours", hours)
    assert quiet is not None
    expected = None if until is None else instant(until)
    assert quiet.until(instant(now), BERLIN) == expected


def test_an_end_that_comes_twice_counts_once() -> None:
    quiet = parse_quiet_hours("quiet_hours", "01:00-02:30")
    assert quiet is not None
    first_end = instant("2026-10-25T02:30")
    assert quiet.until(first_end - 1_000, BERLIN) == first_end
    assert quiet.until(first_end + HOUR_MS - MINUTE_MS, BERLIN) is None


# Telling


def test_an_outage_is_told_when_its_hold_is_over() -> None:
    waiting = Waiting([opening()])
    early = decide(waiting, {1: subject()}, scene(NOW + HOLD_MS - 1))
    assert (outcome(early), early.look_at) == (([], [], []), NOW + HOLD_MS)
    due = decide(waiting, {1: subject()}, scene(NOW + HOLD_MS))
    assert outcome(due) == ([1], [], [])
    assert due.told[0].channels == ("desktop",)


@pytest.mark.parametrize(
    ("alert", "about", "told", "silent", "void"),
    [
        (opening(), subject(), 1, 0, 0),
        (opening(is_acknowledged=True), subject(), 0, 1, 0),
        (opening(is_snoozed=True), subject(), 0, 0, 0),
        (opening(resolved_at=NOW), subject(), 0, 1, 0),
        (opening(), subject(incidents=WELL), 0, 0, 0),
        (opening(), subject(rule=AlertRule(channels=())), 0, 1, 0),
        (opening(), subject(rule=AlertRule(channels=("mail",))), 0, 1, 0),
        (opening(), subject(rule=AlertRule(after=2), failures=1), 0, 0, 0),
        (opening(not_before=NOW + HOUR_MS), subject(), 0, 0, 0),
        (recovery(told_at=NOW), subject(incidents=WELL), 1, 0, 0),
        (recovery(told_at=None), subject(incidents=WELL), 0, 1, 0),
        (recovery(told_at=None, is_cascade=True), subject(incidents=WELL), 0, 0, 1),
        (recovery(told_at=NOW, is_snoozed=True), subject(incidents=WELL), 0, 1, 0),
        (
            recovery(told_at=NOW),
            subject(incidents=WELL, rule=AlertRule(notify_recovery=False)),
            0,
            1,
            0,
        ),
        (opening(occasion=Occasion.LASTING), subject(), 1, 0, 0),
        (opening(occasion=Occasion.LASTING, resolved_at=NOW), subject(), 0, 0, 1),
        (opening(occasion=Occasion.LASTING, is_acknowledged=True), subject(), 0, 0, 1),
    ],
)
def test_who_is_told_depends_on_the_alert_the_monitor_and_the_rule(
    alert: Alert, about: Subject, told: int, silent: int, void: int
) -> None:
    found = decide(Waiting([alert]), {1: about}, scene(NOW + MINUTE_MS))
    assert tuple(map(len, outcome(found))) == (told, silent, void)


def test_nothing_is_told_of_a_monitor_that_is_gone() -> None:
    assert outcome(decide(Waiting([opening()]), {}, scene(NOW + HOUR_MS))) == ([], [], [1])


def test_trouble_that_is_over_before_it_was_told_is_dropped_with_its_end() -> None:
    both = Waiting([opening(), recovery(at=NOW + 1)])
    assert outcome(decide(both, {1: subject(incidents=WELL)}, scene())) == ([], [1, 1], [])
    strict = subject(incidents=WELL, rule=AlertRule(after=3))
    assert outcome(decide(both, {1: strict}, scene())) == ([], [], [1, 1])


def test_of_two_outages_the_one_that_lasts_is_told() -> None:
    again = replace(opening(at=NOW + 2), number=3, incident=2)
    waiting = Waiting([opening(), recovery(at=NOW + 1), again])
    found = decide(waiting, {1: subject()}, scene(NOW + MINUTE_MS))
    assert [one.alert for one in found.told] == [again]


def test_whose_failures_are_waited_for_is_said() -> None:
    about = subject(rule=AlertRule(after=2), failures=1)
    assert decide(Waiting([opening()]), {1: about}, scene()).awaited == {1}


@given(st.lists(st.integers(0, 40_000), min_size=1, max_size=30), st.integers(0, 60_000))
def test_nothing_is_held_longer_than_it_may_be(ages: list[int], later: int) -> None:
    """Whenever it is looked at, nothing is left whose time is over, and nobody is told early."""
    now = NOW + later
    held = [opening(n, NOW - age) for n, age in enumerate(ages, 1)]
    subjects = {one.monitor_number: subject() for one in held}
    found = decide(Waiting(held), subjects, scene(now))
    told = {one.alert.monitor_number for one in found.told}
    left = [one for one in held if one.monitor_number not in told]
    assert all(now - one.happened_at < HOLD_AT_MOST_MS for one in left)
    if left:
        assert found.look_at is not None
        assert now < found.look_at <= now + HOLD_AT_MOST_MS
    if found.told and not found.told[0].is_digest:
        assert all(now - one.alert.happened_at >= HOLD_MS for one in found.told)
        assert len(told) <= len(held)


@given(st.lists(st.integers(1, 20 * MINUTE_MS), min_size=1, max_size=60))
def test_however_a_monitor_flips_little_is_told(gaps: list[int]) -> None:
    """Ordinary notices never come faster than three in ten minutes and one word more."""
    now, changes, told = NOW, list[int](), list[int]()
    is_flapping = False
    for turn, gap in enumerate(gaps):
        if is_flapping and gap >= FLAP_MS:
            is_flapping = False
        now += gap
        is_up = turn % 2 == 1
        alert = replace(recovery() if is_up else opening(), happened_at=now, incident=turn)
        alert = replace(alert, told_at=now, number=turn)
        flapping = frozenset({1}) if is_flapping else frozenset[int]()
        known = {1: [at for at in changes if at > now - FLAP_MS]}
        waiting = Waiting([alert], changes=known, flapping=flapping)
        about = {1: subject(incidents=WELL if is_up else DOWN)}
        found = decide(waiting, about, scene(now + HOLD_MS))
        is_flapping |= any(one.occasion is Occasion.FLAPPING for one in found.added)
        told += [now for _ in found.told]
        changes.append(now)
    for at in told:
        assert sum(0 <= other - at < FLAP_MS for other in told) <= 3


# Digests


def test_deliveries_go_in_as_few_messages_as_they_should() -> None:
    one, two = Delivery("a", opening(1)), Delivery("a", opening(2))
    again = Delivery("a", recovery(1))
    assert parcels([one, two, again]) == [[one, again], [two]]
    joined = [Delivery("a", replace(each.alert, digest=1)) for each in (one, two)]
    assert parcels([*joined, again]) == [joined, [again]]
    many = [Delivery("a", opening(n)) for n in range(4)]
    assert parcels(many) == [many]


def test_what_was_snoozed_before_it_was_told_is_told_once_the_snooze_is_over() -> None:
    snoozed = decide(Waiting([opening(is_snoozed=True)]), {1: subject()}, scene(NOW + MINUTE_MS))
    assert outcome(snoozed) == ([], [], [])
    assert snoozed.look_at is not None
    woken = decide(Waiting([opening()]), {1: subject()}, scene(NOW + 2 * MINUTE_MS))
    assert outcome(woken) == ([1], [], [])


def test_trouble_is_not_told_in_maintenance_and_still_is_after_it() -> None:
    until = NOW + 10 * MINUTE_MS
    about = subject(silent_until=until)
    inside = decide(Waiting([opening()]), {1: about}, scene(NOW + MINUTE_MS))
    assert outcome(inside) == ([], [], [])
    assert inside.look_at == until
    after = decide(Waiting([opening()]), {1: subject()}, scene(until))
    assert outcome(after) == ([1], [], [])


def test_flapping_of_long_ago_is_no_news() -> None:
    flips = [
        one
        for n in range(3)
        for one in (opening(1, NOW + n, incident=n), recovery(1, NOW + n, incident=n))
    ]
    late = decide(Waiting(flips), {1: subject(incidents=WELL)}, scene(NOW + 40 * 60 * MINUTE_MS))
    assert late.added == []
