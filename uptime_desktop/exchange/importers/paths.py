"""Paths on a server, which other programs send to and Apprise does not for all of its services."""

from typing import Final

from uptime_desktop.domain.wording import Sentence

NO_PATH: Final = Sentence("Apprise cannot send to a path on this server")


def is_reached(path: str) -> bool:
    """Whether Apprise sends there for services to which a path is something else, as are
    Bark, Matrix, ntfy, PushDeer and Signal."""
    return not path.strip("/")
