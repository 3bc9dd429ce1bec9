"""A database of its own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.build import opened
from uptime_desktop.store.db import Store
from uptime_desktop.store.writer import Writer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "uptime.db"


@pytest.fixture
def both(path: Path) -> Iterator[tuple[Store, Writer]]:
    with opened(path) as pair:
        yield pair


@pytest.fixture
def store(both: tuple[Store, Writer]) -> Store:
    return both[0]


@pytest.fixture
def writer(both: tuple[Store, Writer]) -> Writer:
    return both[1]
