"""What one check has seen so far, so that its evidence is whole wherever it ends."""

import re
from collections.abc import Collection
from time import perf_counter
from typing import Final, Literal

from uptime_desktop.checks.redaction import without

Phase = Literal["dns", "connect", "tls", "first_byte"]

_SHOWN_BYTES: Final = 2_048
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Trail:
    """Phases follow one another: one begins where the one before ends.

    Where a check connects more than once, as after a redirect, a phase is the sum.
    """

    __slots__ = ("_phase", "_since", "addresses", "began", "certificate", "phases", "received")

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.certificate = b""
        self.received = b""
        self.phases: dict[Phase, float] = {}
        self.began = self._since = perf_counter()
        self._phase: Phase | None = None

    def begin(self, phase: Phase | None) -> None:
        """Enter a phase, or none, and count the time to the one that is left."""
        now = perf_counter()
        if self._phase is not None:
            self.phases[self._phase] = self.phases.get(self._phase, 0.0) + now - self._since
        self._phase, self._since = phase, now

    def finish(self) -> float:
        """End the last phase; the milliseconds since the beginning."""
        self.begin(None)
        return round((self._since - self.began) * 1_000, 3)

    def timings_ms(self, total_ms: float) -> tuple[tuple[str, float], ...]:
        timed = [(phase, round(spent * 1_000, 3)) for phase, spent in self.phases.items()]
        return (*timed, ("total", total_ms))

    @property
    def address(self) -> str:
        """The address that answered last, after those that did not."""
        return "; ".join(self.addresses)


def beginning_text(
    data: bytes | bytearray, charset: str = "utf-8", secrets: Collection[str] = ()
) -> str:
    """The first 2 KiB as text without control characters, nor any secret of ours, even cut."""
    reach = _SHOWN_BYTES + max(map(len, secrets), default=0)
    text = without(data[:reach].decode(charset, "replace"), secrets)[:_SHOWN_BYTES]
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)
