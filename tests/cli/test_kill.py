"""`kill -9` of the app under load, at random moments: it knows what it knew, nothing repeats."""

import random
import shutil
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, running_app
from tests.website import Website
from uptime_desktop.domain.notation import parse_instant

MONITORS = 60
LOST_AT_MOST_S = 1.0


@pytest.mark.parametrize("kills", [pytest.param(20), pytest.param(200, marks=pytest.mark.slow)])
def test_what_was_known_is_known_and_only_lost_runs_are_run_again(
    kills: int, database: Path, command: Command, website: Website
) -> None:
    kinds = ("up", "down", "up")
    targets = [f"{website.url}/{kinds[number % 3]}/{number}" for number in range(MONITORS)]
    added = command("add", *targets, "--every", "1h", "--retries", "0", "--json")
    paths = {
        one["id"]: one["target"].removeprefix(website.url) for one in added.document["monitors"]
    }
    pristine = database.with_name("pristine.db")
    shutil.copy(database, pristine)
    chance, lost = random.Random(9), 0

    for _ in range(kills):
        for leftover in database.parent.glob("uptime.db*"):
            leftover.unlink()
        shutil.copy(pristine, database)
        website.asked.clear()
        website.answered_at.clear()
        with running_app(database) as app:
            asking = threading.Thread(target=command, args=("check",))
            asking.start()
            time.sleep(chance.uniform(0.05, 0.7))  # a crash waits for nothing
            app.kill()
            killed_at = time.time()
            app.wait()
            asking.join()
        stored = _stored(database)
        answered = dict(website.answered_at)
        with running_app(database):
            monitors = command("list", "--json").document["monitors"]
        assert {one["id"] for one in monitors} == paths.keys()
        for monitor in monitors:
            path = paths[monitor["id"]]
            is_stored = monitor["id"] in stored
            if path in answered and answered[path] < killed_at - LOST_AT_MOST_S:
                assert is_stored, "a result older than a second was lost"
            if is_stored:
                last = parse_instant("at", monitor["last_attempt_at"])
                assert last < killed_at * 1_000, "a run whose result is known was repeated"
                assert monitor["source"] != "catch-up", "a run whose result is known repeats"
                assert monitor["backoff_attempt"] == int(path.startswith("/down"))
                assert monitor["status"] == ("down" if path.startswith("/down") else "up")
            else:
                lost += path in answered
                assert _is_asked_for(monitor, killed_at * 1_000)
    print(f"{kills} kills, {lost} answers younger than a second were lost and are asked for again")


def _is_asked_for(monitor: dict[str, Any], killed_at: float) -> bool:
    """Whether it is run again, or will be within the time in which many are spread."""
    if monitor["running_since"] or monitor["source"] == "catch-up":
        return True
    if monitor["last_attempt_at"] is None:
        return parse_instant("at", monitor["next_run_at"]) < killed_at + 60_000
    return parse_instant("at", monitor["last_attempt_at"]) > killed_at


def _stored(database: Path) -> set[str]:
    """The monitors whose last result is on disk, with no later run begun, in a whole file."""
    connection = sqlite3.connect(database)
    assert connection.execute("PRAGMA quick_check").fetchone() == ("ok",)
    rows = connection.execute(
        "SELECT id FROM monitors JOIN states ON states.monitor = monitors.number"
        " WHERE running_since IS NULL AND number IN (SELECT monitor FROM runs)"
    ).fetchall()
    connection.close()
    return {name for (name,) in rows}
