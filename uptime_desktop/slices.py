"""How to do much on the loop that everybody shares."""

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

_SWITCH_S: Final = 0.0002
MANY: Final = 500
"""Of what there are so many, more than one turn of the loop should be taken for it."""

_SLICE_S: Final = 0.004
_Thing = TypeVar("_Thing")


def give_way_soon() -> None:
    """Have a thread that computes let the loop go on at once: the loop lets go of Python with every
    paint and every socket, and would wait each time until the thread's turn is over."""
    sys.setswitchinterval(_SWITCH_S)


async def in_slices(things: Iterable[_Thing]) -> AsyncIterator[_Thing]:
    """One after the other, with room between for whatever else the loop has to do."""
    until = time.monotonic() + _SLICE_S
    for thing in things:
        yield thing
        if time.monotonic() >= until:
            await asyncio.sleep(0)
            until = time.monotonic() + _SLICE_S


@contextmanager
def without_collections(monitors: int) -> Iterator[None]:
    """Make the objects of so many monitors: if they are many, looking through all of them for
    garbage, again and again, would hold up the loop. They are never looked through: what stays is
    no garbage, and what does not is gone as soon as nothing refers to it."""
    if monitors < MANY:
        yield
        return
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
