"""Durations and refusals in words."""

from datetime import timedelta

import pytest

from uptime_desktop.domain.refusal import Refused, Word
from uptime_desktop.domain.wording import countdown_text, duration_text, rough_duration_text


@pytest.mark.parametrize(
    ("duration_ms", "expected"),
    [(0, "0 ms"), (1_500, "1500 ms"), (90_000, "90 s"), (300_000, "5 min"), (7_200_000, "2 h")],
)
def test_an_exact_duration(duration_ms: int, expected: str) -> None:
    assert duration_text(duration_ms) == expected


@pytest.mark.parametrize(
    ("duration_ms", "expected"),
    [
        (41_999, "41 s"),
        (252_000, "4 min 12 s"),
        (474_000, "7 min 54 s"),
        (7_500_000, "2 h 05 min"),
        (273_600_000, "3 d 4 h"),
    ],
)
def test_a_rough_duration_has_two_units(duration_ms: int, expected: str) -> None:
    assert rough_duration_text(duration_ms) == expected


def test_a_countdown_ends_in_now() -> None:
    assert countdown_text(252_000) == "in 4 min 12 s"
    assert countdown_text(5_000) == "in 5 s"
    assert countdown_text(4_999) == countdown_text(-1) == "now"


def test_a_refusal_does_not_repeat_a_password() -> None:
    refused = Refused("url", "{value} is wrong", "another", value="tcp://bob:hunter2@host:1/x")
    assert str(refused) == "url: 'tcp://***@host:1/x' is wrong. Allowed: another."


def test_a_refusal_can_be_told_in_another_language() -> None:
    chinese = {
        "{problem}. Allowed: {allowed}.": "{problem}，允许 {allowed}。",
        "{part} {value} is too short": "{part}{value}太短",
        "{lowest} or more": "至少 {lowest}",
        "interval": "间隔",
        "{n} s": "{n} 秒",
    }
    refused = Refused(
        "every",
        "{part} {value} is too short",
        "{lowest} or more",
        part=Word("interval"),
        value="x",
        lowest=timedelta(seconds=5),
    )
    assert str(refused) == "every: interval 'x' is too short. Allowed: 5 s or more."
    assert refused.text(lambda text: chinese[text]) == "间隔'x'太短，允许 至少 5 秒。"
