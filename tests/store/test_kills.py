"""`kill -9` at any moment: the file opens, and nothing that was said to be kept is gone."""

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

from tests.store.build import outside, sqlite3_of
from uptime_desktop.store.db import open_store
from uptime_desktop.store.files import is_whole
from uptime_desktop.store.load import Loaded

ROOT: Final = Path(__file__).parents[2]
LOST_AT_MOST_MS: Final = 1_000
WHERE: Final = ("inside", "committed", "submitted", "definition")


@dataclass
class Said:
    """What a process said before it was killed."""

    definitions: set[str] = field(default_factory=set)
    submitted: list[int] = field(default_factory=list)
    kept: int = 0
    last: str = ""

    def hear(self, line: str) -> str:
        word, _, rest = line.partition(" ")
        match word:
            case "definition":
                self.definitions.add(rest)
            case "submitted":
                self.submitted.append(int(rest))
            case "kept":
                self.kept = int(rest)
        if word not in ("ready", "submitted"):
            self.last = word
        assert word != "held", "the disk took everything"
        return word


def _kill_at(path: Path, where: str, after: int) -> Said:
    """Let a process write until it has said a word so many times, then kill it."""
    said = Said()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.store.victim", str(path), "4"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    with process:
        assert process.stdout is not None
        for line in process.stdout:
            # What was said between the decision and the death still comes out of the pipe.
            if said.hear(line.rstrip("\n")) == where:
                after -= 1
                if after == 0:
                    process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    return said


def _survives(path: Path, kills: int) -> Counter[str]:
    chance = random.Random(kills)
    definitions: set[str] = set()
    died = Counter[str]()
    for number in range(kills):
        where = WHERE[number % len(WHERE)]
        said = _kill_at(path, where, chance.randint(1, 60 if where == "submitted" else 6))
        definitions |= said.definitions
        died[said.last or "before anything was written"] += 1

        found = open_store(path, now=0)
        assert found.notices == ()
        _check_configuration(found.store.load(), definitions)
        _check_results(path, said)
        _check_transitions_are_whole(path)
        assert found.store.read(lambda db: is_whole(sqlite3_of(db)))
        # Never closed: the next process finds the file as a crash leaves it.
    return died


def _check_configuration(loaded: Loaded, definitions: set[str]) -> None:
    ids = {row.id for row in loaded.monitors}
    assert definitions <= ids
    for row in loaded.monitors:
        assert row.definition == {"every": "60s", "url": f"https://{row.id}.example/"}


def _check_results(path: Path, said: Said) -> None:
    """All that was kept is there, of the rest a beginning, and at most a second is missing."""
    stored = {at for (at,) in outside(path, "SELECT started_at FROM runs")}
    arrived = [at in stored for at in said.submitted]
    assert arrived == sorted(arrived, reverse=True)
    assert all(at in stored for at in said.submitted if at <= said.kept)
    if said.submitted and arrived[0]:
        newest = said.submitted[arrived.count(True) - 1]
        assert said.submitted[-1] - newest <= LOST_AT_MOST_MS
    elif said.submitted:
        assert said.submitted[-1] - said.submitted[0] <= LOST_AT_MOST_MS
    ((newest_state,),) = outside(path, "SELECT coalesce(max(saved_at), 0) FROM states")
    assert isinstance(newest_state, int)
    assert newest_state >= said.kept


def _check_transitions_are_whole(path: Path) -> None:
    """Every newest state has its run, every open incident its alert."""
    orphans = outside(
        path,
        "SELECT monitor FROM states LEFT JOIN runs USING (monitor)"
        " WHERE runs.started_at IS NULL UNION ALL"
        " SELECT states.monitor FROM states WHERE last_attempt_at <>"
        " (SELECT max(started_at) FROM runs WHERE runs.monitor = states.monitor) UNION ALL"
        " SELECT number FROM incidents WHERE number NOT IN (SELECT incident FROM outbox)",
    )
    assert orphans == []


def test_nothing_kept_is_lost_in_twenty_kills(path: Path) -> None:
    died = _survives(path, 20)
    print(f"20 kills: {dict(died)}")
    assert died["inside"]
    assert died["committed"]


@pytest.mark.slow
def test_nothing_kept_is_lost_in_two_hundred_kills(path: Path) -> None:
    died = _survives(path, 200)
    print(f"200 kills: {dict(died)}")
    assert died["inside"] >= 20
    assert died["committed"] >= 20
