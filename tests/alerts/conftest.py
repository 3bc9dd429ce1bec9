"""A sender's surroundings for each test."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.alerts.build import Rig, make_rig
from uptime_desktop.alerts.apprise_channel import can_use

MakeRig = Callable[[int, int], Rig]


@pytest.fixture(scope="session")
def apprise() -> None:
    """Some of its services warn of their own age while they are loaded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        can_use("json://127.0.0.1")


@pytest.fixture
def rigs(tmp_path: Path) -> Iterator[MakeRig]:
    """Makes one with so many monitors in so many sites."""
    made: list[Rig] = []

    def make(monitors: int, sites: int = 1) -> Rig:
        made.append(make_rig(tmp_path, monitors, sites))
        return made[-1]

    yield make
    for rig in made:
        rig.outbox.db.close()


@pytest.fixture
def rig(rigs: MakeRig) -> Rig:
    return rigs(1, 1)
