"""Widgets without a screen, looking the same everywhere, and freed on the thread that made them."""

import gc
import os
from collections.abc import Iterator

import pytest

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_STYLE_OVERRIDE"] = "Fusion"


@pytest.fixture(autouse=True)
def _freed_here() -> Iterator[None]:
    """Python may collect what a test leaves behind on any thread, and Qt bears that on one only."""
    # What was there before is not looked through again each time.
    gc.freeze()
    yield
    gc.collect()
