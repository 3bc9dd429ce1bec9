"""Which status a site shows."""

import pytest

from uptime_desktop.domain.status import Status, worst

ORDER = [
    Status.DOWN,
    Status.DEGRADED,
    Status.UNKNOWN,
    Status.PENDING,
    Status.UP,
    Status.PAUSED,
]


@pytest.mark.parametrize("rank", range(len(ORDER)))
def test_the_worst_of_its_monitors(rank: int) -> None:
    assert worst(reversed(ORDER[rank:])) is ORDER[rank]


def test_paused_only_if_none_is_active_and_unknown_if_there_are_none() -> None:
    assert worst([Status.PAUSED, Status.UP]) is Status.UP
    assert worst([Status.PAUSED, Status.PAUSED]) is Status.PAUSED
    assert worst([]) is Status.UNKNOWN
