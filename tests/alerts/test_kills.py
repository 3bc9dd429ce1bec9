"""`kill -9` between the commit and the sending: every alert arrives, and hardly any twice."""

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from tests.store.build import add_monitors, opened, outside
from uptime_desktop.store.deliveries import LEASE_MS

ROOT: Final = Path(__file__).parents[2]
WHERE: Final = ("committed", "sending", "sent", "marked")


@dataclass
class Said:
    """What a process said before it ended."""

    committed: set[str] = field(default_factory=set)
    unmarked: set[str] = field(default_factory=set)
    last: str = ""

    def hear(self, line: str) -> str:
        self.last, *names = line.split()
        match self.last:
            case "committed":
                self.committed |= {*names}
            case "sending":
                self.unmarked |= {*names}
            case "marked":
                self.unmarked.clear()
        return self.last


def _run(database: Path, letters: Path, turn: int, where: str | None, after: int = 0) -> Said:
    """Let a process go on until it has said a word so many times, and kill it; or to its end."""
    said = Said()
    mode = "quiet" if where is None else "trouble"
    arguments = (database, letters, str(turn * 2 * LEASE_MS), mode)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.alerts.victim", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    with process:
        assert process.stdout is not None
        for line in process.stdout:
            # What was said between the decision and the death still comes out of the pipe.
            if said.hear(line) == where:
                after -= 1
                if after == 0:
                    process.send_signal(signal.SIGKILL)
    assert process.returncode == (0 if where is None else -signal.SIGKILL)
    return said


def _survives(folder: Path, kills: int) -> tuple[Counter[str], int]:
    """Where processes died, and how many alerts came twice."""
    database, letters = folder / "uptime.db", folder / "letters"
    with opened(database) as (_, writer):
        add_monitors(writer, 40 * kills)
    chance, died = random.Random(kills), Counter[str]()
    committed: set[str] = set()
    excused = Counter[str]()
    for turn in range(kills):
        where = WHERE[turn % len(WHERE)]
        said = _run(database, letters, turn, where, chance.randint(1, 8))
        committed |= said.committed
        excused.update(said.unmarked)
        died[said.last] += 1
    _run(database, letters, kills, None)
    arrived = Counter(letters.read_text().split())
    stored = {f"m{number}" for (number,) in outside(database, "SELECT monitor FROM incidents")}
    assert committed <= stored
    assert arrived.keys() == stored
    for name, count in arrived.items():
        assert count - 1 <= excused[name], f"{name} came {count} times"
    return died, sum(arrived.values()) - len(arrived)


def test_every_alert_arrives_through_five_kills(tmp_path: Path) -> None:
    died, twice = _survives(tmp_path, 5)
    print(f"5 kills: {dict(died)}, {twice} came twice")


@pytest.mark.slow
def test_every_alert_arrives_through_a_hundred_kills(tmp_path: Path) -> None:
    died, twice = _survives(tmp_path, 100)
    print(f"100 kills: {dict(died)}, {twice} came twice")
    assert all(died[where] >= 5 for where in ("committed", "sent"))
