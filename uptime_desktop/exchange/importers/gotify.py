"""How urgent a message to Gotify is: Apprise knows some steps of it only."""

from typing import Final

from uptime_desktop.domain.wording import Sentence

NEXT_LOWER: Final = Sentence("it is the next lower of the steps that Apprise knows")
_STEPS: Final = (0, 3, 5, 8, 10)


def step_of(priority: int) -> int:
    return max((step for step in _STEPS if step <= priority), default=0)
