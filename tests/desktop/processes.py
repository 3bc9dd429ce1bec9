"""Programs that a test starts, each with a log and a process group of its own, and waits that end.

Knows nothing of desktops.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

PATIENCE_S = 20.0
GRACE_S = 5.0
PAUSE_S = 0.02

Found = TypeVar("Found")


class Program:
    def __init__(
        self,
        command: Sequence[str | Path],
        environment: Mapping[str, str],
        log: Path,
        descriptors: Sequence[int] = (),
    ) -> None:
        self.name = log.stem
        self._log = log
        with log.open("wb") as file:
            self._process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                pass_fds=descriptors,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def printed(self) -> str:
        return self._log.read_text(errors="replace")

    @property
    def is_running(self) -> bool:
        """Without reaping it, so that its number stays its own until `stop`."""
        if self._process.returncode is not None:
            return False
        state = Path(f"/proc/{self.pid}/stat").read_text().rpartition(") ")[2][0]
        return state != "Z"

    def wait_to_print(self, text: str) -> None:
        wait_until(f"{self.name} printed {text!r}", lambda: text in self.printed, self)

    def wait_to_end(self) -> int:
        """The exit code of a program that ends by itself."""
        assert self._ends(PATIENCE_S), f"{self.name} goes on. It printed:\n{self.printed}"
        return self.stop()

    def stop(self) -> int:
        """End it with all that it started in its group."""
        if self._process.returncode is None:
            self._signal(signal.SIGTERM)
            self._ends(GRACE_S)
            self._signal(signal.SIGKILL)
        return self._process.wait()

    def _ends(self, within_s: float) -> bool:
        with suppress(AssertionError):
            wait_until("it ended", lambda: not self.is_running, within_s=within_s)
        return not self.is_running

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)


def wait_until(
    hope: str,
    look: Callable[[], Found],
    *needed: Program,
    within_s: float = PATIENCE_S,
) -> Found:
    """What `look` finds as soon as it finds something; else a failure with the logs of `needed`."""
    deadline = time.monotonic() + within_s
    while True:
        ended = [program.name for program in needed if not program.is_running]
        found = look()
        if found:
            return found
        if ended or time.monotonic() > deadline:
            why = f"{ended[0]} ended" if ended else f"{within_s:g} s have passed"
            logs = [f"{program.name} printed:\n{program.printed}" for program in needed]
            raise AssertionError("\n".join([f"{why} before {hope}.", *logs]))
        time.sleep(PAUSE_S)
