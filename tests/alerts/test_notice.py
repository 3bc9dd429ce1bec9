"""The words of a notice, and when there is nothing to say."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

import pytest

from tests.alerts.build import KEY, NOON, began, ended
from uptime_desktop.alerts.notice import Answer, Notice, fault_notice, notice_about
from uptime_desktop.config import Settings
from uptime_desktop.domain.alert_telling import STALE_MS
from uptime_desktop.domain.alerts import Alert, Fault, Occasion, Subject
from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS, AlertRule, Unmet
from uptime_desktop.domain.status import Status

DOWN, DEGRADED = Status.DOWN, Status.DEGRADED
WELL = Subject(KEY, "Checkout API", NOON + HOUR_MS, frozenset())
IN_TROUBLE = replace(WELL, next_run_at=NOON + 4 * MINUTE_MS, incidents=frozenset({DOWN}))
IS_DEGRADED = replace(IN_TROUBLE, incidents=frozenset({DEGRADED}))
FLAPS = "It changes all the time. You will hear no more of it until it has been stable for 10 min."
WITHOUT_RECOVERY = Settings(notify_recovery=False)


def notice(
    alerts: Sequence[Alert],
    subject: Subject,
    settings: Settings | None = None,
    now: int = NOON,
    zone: tzinfo = UTC,
) -> Notice | None:
    return notice_about(alerts, subject, settings or Settings(), now, zone)


def words(*given: object, **named: object) -> tuple[str, str] | None:
    said = notice(*given, **named)  # type: ignore[arg-type]
    return None if said is None else (said.title, said.text)


def test_an_outage_says_what_after_how_many_tries_and_what_happens_next() -> None:
    said = notice([began()], IN_TROUBLE)
    assert said is not None
    assert said.title == "Checkout API is down"
    assert said.text == "HTTP 503 Service Unavailable, after 2 tries. Next try at 12:04."
    assert said.status is DOWN
    assert [(one.answer, one.label) for one in said.buttons] == [
        (Answer.CHECK_NOW, "Check now"),
        (Answer.ACKNOWLEDGE, "Acknowledge"),
        (Answer.SNOOZE, "Snooze 1 h"),
        (Answer.OPEN, "Open"),
    ]


@pytest.mark.parametrize(
    ("next_run_at", "zone", "said"),
    [
        (NOON + 4 * MINUTE_MS, UTC, "Refused. Next try at 12:04."),
        (NOON + 4 * MINUTE_MS, ZoneInfo("Asia/Kolkata"), "Refused. Next try at 17:34."),
        (NOON + 15 * HOUR_MS, UTC, "Refused. Next try: tomorrow 03:00."),
        (NOON + 2 * DAY_MS, UTC, "Refused. Next try: 2026-09-23 12:00."),
        (NOON - 1, UTC, "Refused."),
        (None, UTC, "Refused."),
    ],
)
def test_the_next_try_is_a_time_on_the_clock_here(
    next_run_at: int | None, zone: tzinfo, said: str
) -> None:
    subject = replace(IN_TROUBLE, next_run_at=next_run_at)
    found = notice([began(reason="refused.", tries=1)], subject, zone=zone)
    assert found is not None
    assert found.text == said


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("", "Next try at 12:04."),
        ("two\n lines", "Two lines, after 2 tries. Next try at 12:04."),
        ("x" * 5_000, "X" + "x" * 199 + "…, after 2 tries. Next try at 12:04."),
        ("{name} {n}", "{name} {n}, after 2 tries. Next try at 12:04."),
    ],
)
def test_a_reason_becomes_a_sentence_of_bearable_length(reason: str, said: str) -> None:
    found = notice([began(reason=reason)], IN_TROUBLE)
    assert found is not None
    assert found.text == said


@pytest.mark.parametrize(
    ("reason", "unmet", "said"),
    [
        ("no", Unmet("status", "ok", "failing"), "No. Status: expected ok, found failing."),
        ("", Unmet("header X", "pay", ""), "Header X: expected pay, found nothing."),
        ("a 5031", Unmet("n", "1", "503"), "A 5031. N: expected 1, found 503."),
        ("no", Unmet("body", "{n}", "a\n{name}"), "No. Body: expected {n}, found a {name}."),
        ("no", Unmet("n", "x" * 99, "1"), "No. N: expected " + "x" * 60 + "…, found 1."),
        ("HTTP 503", Unmet("status", "200-399", "503"), "HTTP 503."),
        ("more than 1 s", Unmet("latency", "<= 1 s", "2400 ms"), "More than 1 s."),
        ("keyword 'ok' not found", Unmet("body", "ok", "<html>"), "Keyword 'ok' not found."),
    ],
)
def test_what_was_missed_is_said_unless_the_reason_says_it(
    reason: str, unmet: Unmet, said: str
) -> None:
    alert = replace(began(reason=reason, tries=1), unmet=unmet)
    found = notice([alert], replace(IN_TROUBLE, next_run_at=None))
    assert found is not None
    assert found.text == said


def test_the_name_of_a_monitor_is_no_template() -> None:
    found = notice([began()], replace(IN_TROUBLE, name="{0} {name}"))
    assert found is not None
    assert found.title == "{0} {name} is down"


def test_what_is_degraded_says_why() -> None:
    alert = began(kind=DEGRADED, reason="2.4 s is slower than 1 s", tries=1)
    assert words([alert], IS_DEGRADED) == ("Checkout API is degraded", "2.4 s is slower than 1 s.")


@pytest.mark.parametrize(
    ("kind", "text"),
    [(DOWN, "It was down for 14 min 06 s."), (DEGRADED, "It was degraded for 14 min 06 s.")],
)
def test_a_recovery_says_how_long_it_lasted(kind: Status, text: str) -> None:
    said = notice([ended(kind=kind)], WELL, now=NOON + 846_000)
    assert said is not None
    assert (said.title, said.text, said.status) == ("Checkout API is up again", text, Status.UP)
    assert [one.answer for one in said.buttons] == [Answer.OPEN]


def test_a_recovery_from_trouble_nobody_knows_the_beginning_of_is_still_told() -> None:
    assert words([ended(since=None)], WELL, now=NOON) == ("Checkout API is up again", "")


def test_one_notice_tells_of_both_kinds_of_trouble_that_ended() -> None:
    both = [ended(kind=DEGRADED, since=NOON - 60_000), ended(kind=DOWN)]
    for alerts in (both, both[::-1]):
        assert words(alerts, WELL, now=NOON + 846_000) == (
            "Checkout API is up again",
            "It was down for 14 min 06 s.",
        )


def test_an_outage_that_became_a_degradation_is_told_as_that() -> None:
    alerts = [ended(at=NOON), began(kind=DEGRADED, reason="slow")]
    assert words(alerts, IS_DEGRADED) == ("Checkout API is degraded", "Slow.")
    assert words(alerts[:1], IS_DEGRADED) is None


def test_trouble_over_before_it_could_be_told_is_one_notice() -> None:
    over = [began(resolved_at=NOON + 846_000), ended()]
    now = NOON + 850_000
    assert words(over, WELL, now=now) == (
        "Checkout API is up again",
        "It was down for 14 min 06 s.",
    )
    assert words(over, WELL, WITHOUT_RECOVERY, now=now) == (
        "Checkout API was down",
        "It was down for 14 min 06 s.",
    )
    assert words(over[:1], WELL, now=now) is None


def test_the_newest_of_several_outages_is_told() -> None:
    flapped = [began(resolved_at=NOON + 1), ended(at=NOON + 1), began(at=NOON + 2, reason="again")]
    assert words(flapped, replace(IN_TROUBLE, next_run_at=None), now=NOON + 3) == (
        "Checkout API is down",
        "Again, after 2 tries.",
    )


@pytest.mark.parametrize(
    ("alerts", "subject", "settings"),
    [
        ([replace(began(), is_snoozed=True)], IN_TROUBLE, Settings()),
        ([replace(began(), is_acknowledged=True)], IN_TROUBLE, Settings()),
        ([replace(ended(at=NOON), is_snoozed=True)], WELL, Settings()),
        ([ended(at=NOON)], WELL, WITHOUT_RECOVERY),
        ([ended(at=NOON - STALE_MS)], WELL, Settings()),
        ([began(resolved_at=NOON - STALE_MS)], WELL, WITHOUT_RECOVERY),
    ],
)
def test_what_nobody_wants_to_hear_is_not_said(
    alerts: list[Alert], subject: Subject, settings: Settings
) -> None:
    assert notice(alerts, subject, settings) is None


def test_an_acknowledged_outage_still_tells_its_recovery() -> None:
    acknowledged = replace(ended(at=NOON), is_acknowledged=True)
    assert notice([acknowledged], WELL) is not None


@pytest.mark.parametrize("sound", [True, False])
def test_a_sound_is_a_setting(sound: bool) -> None:
    said = notice([began()], IN_TROUBLE, Settings(sound=sound))
    assert said is not None
    assert said.has_sound is sound


def test_a_fault_of_the_store_says_its_sentence() -> None:
    said = fault_notice(Fault.DISK, "Results are held in memory: the disk is full; free some space")
    assert said.title == "Results are not being saved"
    assert said.text == "Results are held in memory: the disk is full; free some space."


def test_a_file_that_was_not_taken_is_told_as_such_and_ends_in_one_full_stop() -> None:
    said = fault_notice(Fault.FILE, "What is watched stays as it was: a.toml is empty. And 2 more.")
    assert said.title == "The configuration file was not taken"
    assert said.text == "What is watched stays as it was: a.toml is empty. And 2 more."


@pytest.mark.parametrize(
    ("occasion", "kind", "is_recovery", "title", "text"),
    [
        ("lasting", DOWN, False, "is still down", "Refused. Next try at 12:04."),
        ("lasting", DEGRADED, False, "is still degraded", "Refused."),
        (
            "flapping",
            DOWN,
            False,
            "is flapping",
            FLAPS,
        ),
        (
            "stable",
            DOWN,
            False,
            "is stable again: down",
            "It has not changed for 10 min. Next try at 12:04.",
        ),
        (
            "stable",
            DEGRADED,
            False,
            "is stable again: degraded",
            "It has not changed for 10 min.",
        ),
        ("stable", DOWN, True, "is stable again: up", "It has not changed for 10 min."),
    ],
)
def test_every_occasion_has_its_words(
    occasion: str, kind: Status, is_recovery: bool, title: str, text: str
) -> None:
    subject = replace(IN_TROUBLE, incidents=frozenset() if is_recovery else frozenset({kind}))
    alert = replace(
        began(kind=kind, reason="refused", tries=1),
        occasion=Occasion(occasion),
        is_recovery=is_recovery,
    )
    assert words([alert], subject) == (f"Checkout API {title}", text)


def test_a_rule_of_the_monitor_stands_above_the_settings() -> None:
    quiet = replace(WELL, rule=AlertRule(notify_recovery=False))
    assert notice([ended(at=NOON)], quiet) is None
    told = replace(WELL, rule=AlertRule(notify_recovery=True))
    assert notice([ended(at=NOON)], told, WITHOUT_RECOVERY) is not None
