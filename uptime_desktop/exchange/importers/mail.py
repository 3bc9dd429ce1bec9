"""Mail that other programs send through STARTTLS where a server offers it, and else in the clear.

Apprise knows all of it or nothing: what is demanded cannot fail to be there.
"""

from typing import Final

from uptime_desktop.domain.wording import Sentence

STARTTLS_DEMANDED: Final = Sentence("STARTTLS is demanded, not only used where it is offered")
NO_STARTTLS: Final = Sentence("STARTTLS is not used, be it offered or not")


def nearest_mode(*, signs_in: bool) -> tuple[str, Sentence]:
    """How Apprise should connect, and what is different then: no password goes in the clear."""
    return ("starttls", STARTTLS_DEMANDED) if signs_in else ("insecure", NO_STARTTLS)
