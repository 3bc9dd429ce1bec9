"""Where time enters the program; everything else is told what time it is."""

import asyncio
import time
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Final, Protocol

import tzlocal

_ZONE_KEPT_MS: Final = 30_000
_FINE_MS: Final = 20
_CUT_OFF_MS: Final = 2


class Clock(Protocol):
    """Three readings in milliseconds, the computer's time zone, and a way to wait.

    The wall can be set to anything at any moment. Boot time only moves forward and counts
    sleep; monotonic time stands still while the computer sleeps.
    """

    def wall(self) -> int: ...

    def boot(self) -> int: ...

    def boot_after(self, delay_ms: int) -> int:
        """The first reading of boot time by which this much has certainly passed."""

    def monotonic(self) -> int: ...

    def zone(self) -> tzinfo: ...

    async def wait(self, at_most_ms: int, woken: asyncio.Event) -> None:
        """Return when the event is set or the time is up; perhaps earlier than that."""


class SystemClock:
    """The computer's own clocks. The zone is looked up anew every so often: people travel."""

    def __init__(self, *, is_loop_coarse: bool = False) -> None:
        """Qt's timers wake early by a part of what they were asked for, asyncio's do not."""
        self._is_loop_coarse = is_loop_coarse
        self._zone = local_zone()
        self._zone_until = self.monotonic() + _ZONE_KEPT_MS

    def wall(self) -> int:
        return wall_now()

    def boot(self) -> int:
        return time.clock_gettime_ns(_BOOT) // 1_000_000 if _BOOT is not None else self.monotonic()

    def boot_after(self, delay_ms: int) -> int:
        # Readings are cut off to whole milliseconds, so one more has to pass.
        return self.boot() + delay_ms + 1

    def monotonic(self) -> int:
        return time.monotonic_ns() // 1_000_000

    def zone(self) -> tzinfo:
        if self.monotonic() >= self._zone_until:
            self._zone, self._zone_until = local_zone(), self.monotonic() + _ZONE_KEPT_MS
        return self._zone

    async def wait(self, at_most_ms: int, woken: asyncio.Event) -> None:
        if self._is_loop_coarse and at_most_ms > _FINE_MS:
            # Sleep most of it and come back for the rest.
            at_most_ms = max(_FINE_MS, at_most_ms * 9 // 10)
        # What is due at one instant differs by a cut-off millisecond or two: one wake for all.
        seconds = (at_most_ms + _CUT_OFF_MS) / 1_000
        handle = asyncio.get_running_loop().call_later(seconds, woken.set)
        try:
            await woken.wait()
        finally:
            handle.cancel()


# Where the system has no such clock (Windows, macOS), monotonic time counts sleep itself.
_BOOT: int | None = getattr(time, "CLOCK_BOOTTIME", None)


@dataclass(slots=True)
class Discontinuity:
    """What happened to the clocks between two looks at them."""

    slept_ms: int
    stepped_ms: int


class ClockWatch:
    """Tells a sleep of the computer, and a clock that was set, from time just passing."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._readings = self._read()

    def look(self) -> Discontinuity:
        before, self._readings = self._readings, self._read()
        wall, boot, monotonic = (
            now - then for now, then in zip(self._readings, before, strict=True)
        )
        return Discontinuity(slept_ms=boot - monotonic, stepped_ms=wall - boot)

    def _read(self) -> tuple[int, int, int]:
        return self._clock.wall(), self._clock.boot(), self._clock.monotonic()


def wall_now() -> int:
    """UTC epoch milliseconds."""
    return time.time_ns() // 1_000_000


def local_zone() -> tzinfo:
    """The computer's time zone, with its rules for daylight saving where they can be found."""
    try:
        return tzlocal.reload_localzone()
    except (LookupError, OSError, ValueError):
        # Settings that contradict each other, or a POSIX rule: the offset of today must do.
        return datetime.now(UTC).astimezone().tzinfo or UTC
