"""A private desktop for every test that asks for it; only Linux has these."""

import sys
from collections.abc import Iterator

import pytest

if sys.platform == "linux":
    from tests.desktop.rig import Desktop, private_desktop

    @pytest.fixture
    def desktop() -> Iterator[Desktop]:
        with private_desktop() as desktop:
            yield desktop

else:
    collect_ignore_glob = ["test_*.py"]
