"""What follows for a group from its members."""

import pytest

from uptime_desktop.domain.groups import Member, derived, find_cycle
from uptime_desktop.domain.status import Status

STATUSES = {"u": Status.UP, "g": Status.DEGRADED, "d": Status.DOWN, "p": Status.PAUSED}
STATUSES |= {"?": Status.UNKNOWN, ".": Status.PENDING}


def group(letters: str) -> list[Member]:
    return [Member(f"m{i}", STATUSES[letter]) for i, letter in enumerate(letters)]


@pytest.mark.parametrize(
    ("members", "needed", "status"),
    [
        ("uuu", None, Status.UP),
        ("uud", None, Status.DOWN),
        ("uug", None, Status.DEGRADED),
        ("ugd", None, Status.DOWN),
        ("uu?", None, Status.UNKNOWN),
        ("uu.", None, Status.PENDING),
        ("u?d", None, Status.DOWN),
        ("uup", None, Status.UP),
        ("udp", None, Status.DOWN),
        ("ddu", 1, Status.UP),
        ("ddg", 1, Status.DEGRADED),
        ("dd?", 1, Status.UNKNOWN),
        ("ddd", 1, Status.DOWN),
        ("uudd", 2, Status.UP),
        ("uddd", 2, Status.DOWN),
        ("ugdd", 2, Status.DEGRADED),
        ("upp", 2, Status.UP),
        ("ppp", None, Status.UNKNOWN),
    ],
)
def test_enough_members_make_a_group_good(members: str, needed: int | None, status: Status) -> None:
    assert derived(group(members), needed).status is status


def test_the_reason_counts_and_names_those_that_are_not_up() -> None:
    assert derived(group("uuu"), None).reason == "3 of 3 up"
    assert derived(group("udgp"), None).reason == "2 of 3 up, not m1, m2"
    many = derived(group("d" * 9), None)
    assert many.reason == "0 of 9 up, not m0, m1, m2, m3, m4, +4"


def test_evidence_shows_every_member_and_each_unmet_one() -> None:
    seen = derived(group("ud"), None).evidence
    assert seen is not None
    assert seen.body == "up        m0\ndown      m1"
    assert [(one.what, one.expected, one.actual) for one in seen.unmet] == [("m1", "up", "down")]


@pytest.mark.parametrize(
    ("links", "cycle"),
    [
        ({"a": "bc", "b": "c"}, None),
        ({"a": "a"}, "aa"),
        ({"a": "b", "b": "a"}, "aba"),
        ({"a": "b", "b": "c", "c": "b"}, "bcb"),
        ({"a": "bc", "b": "d", "c": "d"}, None),
        ({}, None),
    ],
)
def test_a_cycle_is_found_and_named(links: dict[str, str], cycle: str | None) -> None:
    found = find_cycle("a", lambda name: links.get(name, ""))
    assert found == (None if cycle is None else list(cycle))


def test_a_long_chain_is_no_cycle_and_needs_no_deep_stack() -> None:
    assert find_cycle("0", lambda name: [str(int(name) + 1)] if int(name) < 50_000 else []) is None
