"""What one check has seen so far, so that its evidence is whole wherever it ends."""

import re
from collections.abc import Collection
from time import perf_counter
from typing import Final, Literal

from uptime_desktop.checks.redaction import without

Phase = Literal["dns", "connect", "proxy", "starttls", "tls", "first_byte"]

_SHOWN_BYTES: Final = 2_048
_MOST_BYTES_A_LETTER: Final = 4
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Trail:
    """Phases follow one another: one begins where the one before ends.

    Where a check connects more than once, as after a redirect, a phase is the sum.
    """

    __slots__ = (
        "_phase",
        "_since",
        "_total_ms",
        "addresses",
        "began",
        "certificate",
        "chain",
        "phases",
        "received",
    )

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.certificate = b""
        self.chain: tuple[bytes, ...] = ()
        self.received = b""
        self.phases: dict[Phase, float] = {}
        self.began = self._since = perf_counter()
        self._phase: Phase | None = None
        self._total_ms: float | None = None

    def begin(self, phase: Phase | None) -> None:
        """Enter a phase, or none, and count the time to the one that is left."""
        now = perf_counter()
        if self._phase is not None:
            self.phases[self._phase] = self.phases.get(self._phase, 0.0) + now - self._since
        self._phase, self._since = phase, now

    def finish(self) -> float:
        """End the last phase; the milliseconds since the beginning.

        Told once, they stay: what comes after, such as a farewell, is not the server's time.
        """
        if self._total_ms is None:
            self.begin(None)
            self._total_ms = round((self._since - self.began) * 1_000, 3)
        return self._total_ms

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
    longest = max(map(len, secrets), default=0)
    reach = _SHOWN_BYTES + longest
    text = data[: reach * _MOST_BYTES_A_LETTER].decode(charset, "replace")
    told = without(text[:reach], secrets)
    if len(text) > reach or len(data) > reach * _MOST_BYTES_A_LETTER:
        # Where the text goes on, a secret may have been cut in two and not been recognised.
        told = told[: max(len(told) - longest, 0)]
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", told[:_SHOWN_BYTES])
