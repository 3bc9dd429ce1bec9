"""A monitor as it is written, read and written again."""

import pytest
from hypothesis import given

from tests.domain.build import at, monitors, schedules
from uptime_desktop.domain.definition import describe_monitor, parse_monitor
from uptime_desktop.domain.model import Backoff, Monitor, Once, Policy, Setting
from uptime_desktop.domain.refusal import Refused

NOON = at("2026-01-01T12:00")


def parse(keys: dict[str, Setting]) -> Monitor:
    return parse_monitor(keys, site_id="site", monitor_id="web", number=1, now=NOON)


def test_nothing_written_is_every_default() -> None:
    assert parse({}) == Monitor("site", "web", 1, name="web")


def test_what_belongs_to_the_kind_is_carried_along() -> None:
    keys: dict[str, Setting] = {"url": "https://x.example", "headers": {"A": "b"}, "every": "5m"}
    parsed = parse(keys)
    assert parsed.settings == {"url": "https://x.example", "headers": {"A": "b"}}


def test_typed_values_of_a_file_and_texts_of_a_flag_mean_the_same() -> None:
    assert parse({"retries": 3, "auto_pause_after": 2}) == parse(
        {"retries": "3", "auto_pause_after": "2"}
    )
    assert parse({"tags": ("a", "b")}) == parse({"tags": "a,b"})


def test_the_backoff_of_a_file() -> None:
    parsed = parse({"backoff": "fixed", "retry_delay": "30s"})
    assert parsed.backoff == Backoff(Policy.FIXED, retry_delay_ms=30_000)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"every": "60s", "cron": "@daily"}, "cron: '@daily' cannot go with every. Allowed: one"),
        ({"timeout": "301s"}, "timeout: 301 s is too long. Allowed: 1 s to 5 min."),
        ({"timeout": "500ms"}, "timeout: 500 ms is too short. Allowed: 1 s to 5 min."),
        ({"retries": "11"}, "retries: '11' is not a whole number in range. Allowed: 0 to 10."),
        ({"name": ""}, "name: '' cannot be a name. Allowed: 1 to 200 characters on one line."),
        ({"name": "a\nb"}, "name: 'a\\nb' cannot be a name. Allowed: 1 to 200 characters on one"),
        ({"tags": ("x" * 201,)}, "tags: '" + "x" * 60 + "…' cannot be a name. Allowed: 1 to 200"),
        ({"catch_up": "all"}, "catch_up: 'all' is not a choice. Allowed: once, skip."),
        ({"at": "2026-01-01T12:00:00Z"}, "at: '2026-01-01T12:00:00Z' is past. Allowed: a time to"),
    ],
)
def test_what_is_refused(keys: dict[str, Setting], sentence: str) -> None:
    with pytest.raises(Refused) as refused:
        parse(keys)
    assert str(refused.value).startswith(sentence)


def test_a_once_that_has_passed_can_still_be_read_back() -> None:
    keys = describe_monitor(Monitor("site", "web", 1, Once(NOON - 1), name="web"))
    old = parse_monitor(keys, site_id="site", monitor_id="web", number=1, now=NOON, is_new=False)
    assert old.schedule == Once(NOON - 1)


@given(monitors(schedules))
def test_what_is_written_reads_back_the_same(monitor: Monitor) -> None:
    read = parse_monitor(
        describe_monitor(monitor),
        site_id=monitor.site_id,
        monitor_id=monitor.id,
        number=monitor.number,
        now=NOON,
        is_new=False,
    )
    assert read == monitor
