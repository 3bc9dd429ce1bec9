"""The words of much that happened at once."""

from datetime import UTC

import pytest

from tests.alerts.build import NOON, began, ended
from uptime_desktop.alerts.digest import IN_MESSAGE, ON_SCREEN, digest_of
from uptime_desktop.alerts.message import message_about
from uptime_desktop.domain.alerts import Alert, Occasion, Subject
from uptime_desktop.domain.status import Status

DOWN, DEGRADED = began(), began(kind=Status.DEGRADED)
UP = ended()
FLAPPING = Alert(1, Status.DOWN, True, NOON, None, occasion=Occasion.FLAPPING)
STABLE_UP = Alert(1, Status.DOWN, True, NOON, None, occasion=Occasion.STABLE)
STABLE_DOWN = Alert(1, Status.DOWN, False, NOON, None, occasion=Occasion.STABLE)
LASTING = Alert(1, Status.DOWN, False, NOON, NOON, occasion=Occasion.LASTING)


def tellings(*alerts: Alert, sites: int = 1) -> list[tuple[Alert, Subject]]:
    return [
        (alert, Subject(("s", f"m{n}"), f"M{n}", None, frozenset(), f"Site {n % sites}"))
        for n, alert in enumerate(alerts)
    ]


@pytest.mark.parametrize(
    ("alerts", "title", "text", "status"),
    [
        ([DOWN] * 14, "14 monitors are down", "M0, M1, M2, M3, M4 and 9 more", Status.DOWN),
        ([DOWN, LASTING, STABLE_DOWN], "3 monitors are down", "M0, M1, M2", Status.DOWN),
        ([DEGRADED] * 2, "2 monitors are degraded", "M0, M1", Status.DEGRADED),
        ([UP, STABLE_UP], "2 monitors are up again", "M0, M1", Status.UP),
        ([FLAPPING] * 2, "2 monitors are flapping", "M0, M1", Status.UP),
        (
            [UP, DOWN, DEGRADED, DOWN, FLAPPING],
            "2 down, 1 degraded, 1 flapping, 1 up again",
            "Down: M1, M3\nDegraded: M2\nFlapping: M4\nUp again: M0",
            Status.DOWN,
        ),
    ],
)
def test_a_digest_says_how_many_and_who(
    alerts: list[Alert], title: str, text: str, status: Status
) -> None:
    digest = digest_of(tellings(*alerts), ON_SCREEN)
    assert (digest.title, digest.text, digest.status) == (title, text, status)


def test_many_in_several_sites_are_told_by_site_the_worst_first() -> None:
    digest = digest_of(tellings(*[DOWN] * 11, sites=2), ON_SCREEN)
    assert digest.text == "Site 0 (6): M0, M2, M4 and 3 more\nSite 1 (5): M1, M3, M5 and 2 more"


def test_a_screen_has_room_for_a_few_sites_and_a_message_for_more() -> None:
    many = tellings(*[DOWN] * 60, sites=30)
    assert digest_of(many, ON_SCREEN).text.splitlines()[4:] == ["and 52 more"]
    assert len(digest_of(many, IN_MESSAGE).text.splitlines()) == 26


def test_a_name_is_no_template() -> None:
    odd = Subject(("s", "m"), "{n} {names}", None, frozenset(), "{site}")
    digest = digest_of([(DOWN, odd), (DOWN, odd)], ON_SCREEN)
    assert digest.text == "{n} {names}, {n} {names}"


def test_a_message_about_several_is_a_digest() -> None:
    message = message_about(tellings(DOWN, DOWN), NOON, UTC)
    assert (message.title, message.text) == ("2 monitors are down", "M0, M1")
