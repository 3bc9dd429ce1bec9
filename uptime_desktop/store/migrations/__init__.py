"""How the schema came to be: one frozen module a step, never touched once released.

A step is SQL of its own day. It must not import the live tables, which move on.
"""

import sqlite3
from collections.abc import Callable
from typing import Final

from uptime_desktop.store.migrations import step_0001, step_0002, step_0003

Step = Callable[[sqlite3.Connection], None]

STEPS: Final[tuple[Step, ...]] = (step_0001.upgrade, step_0002.upgrade, step_0003.upgrade)
"""In order; the version of a file is the number of steps it has been through."""
