"""What planning costs, next to a bare croniter call in the same run.

.venv/bin/python -m tests.benchmarks.schedule
"""

import random
import timeit
from collections.abc import Callable
from datetime import UTC
from zoneinfo import ZoneInfo

from croniter import croniter

from uptime_desktop.domain import plan
from uptime_desktop.domain.cron import CronExpression
from uptime_desktop.domain.model import (
    HOUR_MS,
    Cadence,
    Cron,
    Every,
    Monitor,
    Outcome,
    Schedule,
)
from uptime_desktop.domain.status import Status

START = 1_774_746_000
EXPRESSIONS = (
    "* * * * *",
    "*/5 * * * *",
    "30 2 * * *",
    "0 9 * * 1-5",
    "0 0 1,15 * 1",
    "0 0 29 2 *",
    "* * 1 1 *",
    "*/10 * * * * *",
)
ADVANCES = 100_000


def microseconds(call: Callable[[], object], count: int = 2_000) -> float:
    return min(timeit.repeat(call, number=count, repeat=5)) / count * 1e6


def bare_croniter(text: str) -> float:
    return microseconds(
        lambda: croniter(text, START, second_at_beginning=True).get_next(float), 500
    )


def next_run_per_expression() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    print(f"{'cron expression':18} {'ours':>10} {'croniter':>10} {'ratio':>7}")
    for text in EXPRESSIONS:
        expression = CronExpression(text)
        ours = microseconds(lambda e=expression: e.next_after(START, berlin), 500)  # type: ignore[misc]
        bare = bare_croniter(text)
        print(f"{text:18} {ours:8.1f}µs {bare:8.1f}µs {ours / bare:7.2f}")


def advance_calls() -> None:
    bare = bare_croniter("*/5 * * * *")
    schedules: dict[str, Schedule] = {
        "every 1 h": Every(HOUR_MS),
        "every 1 h, grid": Every(HOUR_MS, Cadence.GRID),
        "cron */5 * * * *": Cron.parse("*/5 * * * *", "Europe/Berlin"),
        "cron 0 9 * * 1-5": Cron.parse("0 9 * * 1-5", "Europe/Berlin"),
    }
    print(f"\n{ADVANCES:,} runs, start and advance   total   each    ratio to one croniter call")
    for name, schedule in schedules.items():
        seconds = timeit.timeit(lambda s=schedule: a_hundred_thousand_runs(s), number=1)  # type: ignore[misc]
        each = seconds / ADVANCES * 1e6
        print(f"{name:32} {seconds:6.2f}s {each:5.1f}µs {each / bare:7.2f}")


def a_hundred_thousand_runs(schedule: Schedule) -> None:
    monitor = Monitor("site", "web", 1, schedule)
    chance = random.Random(1)
    state = plan.begin(monitor, START * 1_000, UTC).state
    for _ in range(ADVANCES):
        now = state.next_run_at or 0
        outcome = Outcome(Status.DOWN if chance.random() < 0.1 else Status.UP)
        running = plan.start(monitor, state, now).state
        state = plan.advance(monitor, running, outcome, now + 200, chance.random(), UTC).state


if __name__ == "__main__":
    next_run_per_expression()
    advance_calls()
