"""`preview`: the schedule made visible. It fires nothing and needs no database."""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import Final

from uptime_desktop.cli.commands import Commands, notation_help
from uptime_desktop.cli.output import print_json, print_plain
from uptime_desktop.domain.definition import (
    parse_backoff,
    parse_clamps,
    parse_jitter,
    parse_schedule,
)
from uptime_desktop.domain.model import Cron, Every, Monitor, Once, RuntimeState
from uptime_desktop.domain.next_run import DelayRange, interval_delay_range, next_run
from uptime_desktop.domain.notation import instant_text, parse_instant, parse_whole
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import countdown_text, rough_duration_text
from uptime_desktop.engine.clock import local_zone, wall_now
from uptime_desktop.i18n import tr

_MOST_RUNS: Final = 100_000
_MOST_FAILURES: Final = 1_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def add_parser(commands: Commands, name: str, summary: str) -> None:
    parser = commands.add_parser(
        name,
        help=summary,
        description=tr("Show when a schedule would run. Nothing is run or stored."),
        epilog=notation_help(),
        allow_abbrev=False,
    )
    schedule = parser.add_mutually_exclusive_group(required=True)
    schedule.add_argument("--every", metavar="D", help=tr("an interval, 5s to 30d"))
    schedule.add_argument("--cron", metavar="EXPR", help=tr("a cron expression"))
    schedule.add_argument("--at", metavar="T", help=tr("one instant"))
    parser.add_argument("--cadence", metavar="after|grid", help=tr("what the interval counts from"))
    parser.add_argument("--anchor", metavar="T", help=tr("a point of the grid; default: --from"))
    parser.add_argument("--dialect", metavar="extended|posix", help=tr("of the cron expression"))
    parser.add_argument("--tz", metavar="ZONE", help=tr("of the cron expression; default: yours"))
    parser.add_argument("--from", dest="start", metavar="T", help=tr("start after T; default: now"))
    parser.add_argument("--count", default="5", metavar="N", help=tr("how many runs; default: 5"))
    parser.add_argument(
        "--backoff",
        metavar="POLICY",
        help=tr("exponential (default), capped32, ladder, fixed or none"),
    )
    parser.add_argument(
        "--failures", default="0", metavar="N", help=tr("the run that ended at T was failure N")
    )
    parser.add_argument("--retry-delay", metavar="D", help=tr("of the fixed policy; default: 5m"))
    parser.add_argument(
        "--backoff-cap", metavar="D", help=tr("of the exponential policy; default: 1h")
    )
    parser.add_argument("--jitter", metavar="F", help=tr("0 to 0.5; default: 0.1, on a grid 0"))
    parser.add_argument("--min-interval", metavar="D", help=tr("never wait less"))
    parser.add_argument("--max-interval", metavar="D", help=tr("never wait more"))
    parser.add_argument("--json", action="store_true", help=tr("print JSON"))
    parser.set_defaults(command=execute)


def execute(arguments: argparse.Namespace) -> int:
    given = {key: value for key, value in vars(arguments).items() if isinstance(value, str)}
    start = parse_instant("from", given["start"]) if "start" in given else wall_now()
    count = parse_whole("count", given["count"], 1, _MOST_RUNS)
    failures = parse_whole("failures", given["failures"], 0, _MOST_FAILURES)
    monitor = _parse_monitor(given, start)
    zone = (monitor.schedule.zone if isinstance(monitor.schedule, Cron) else None) or local_zone()
    try:
        runs = list(_runs(monitor, start, count, failures, zone))
        texts = [instant_text(run) for run in runs]
    except OverflowError:
        raise Refused("count", "{value} runs go past the year 9999", "fewer", value=count) from None
    delay = None
    if isinstance(monitor.schedule, Every):
        delay = interval_delay_range(monitor, monitor.schedule.interval_ms, failures)
    if arguments.json:
        _print_json(texts, delay)
    else:
        _print_table(runs, texts, delay, start, zone)
    return 0


def _parse_monitor(given: Mapping[str, str], start: int) -> Monitor:
    return Monitor(
        site_id="",
        id="",
        number=0,
        schedule=parse_schedule(given, start),
        backoff=parse_backoff(given),
        clamps=parse_clamps(given),
        jitter_ppm=parse_jitter(given),
    )


def _runs(monitor: Monitor, start: int, count: int, failures: int, zone: tzinfo) -> Iterator[int]:
    """The next runs, each taken to end well and at once, moved by no jitter."""
    steady = replace(monitor, jitter_ppm=0)
    state = RuntimeState(backoff_attempt=failures)
    now = start
    for _ in range(1 if isinstance(monitor.schedule, Once) else count):
        planned = next_run(steady, state, now, 0.5, zone)
        if planned.at is None:
            return
        yield planned.at
        now = planned.at
        state = RuntimeState(planned_slot_at=planned.slot_at)


def _print_json(runs: list[str], delay: DelayRange | None) -> None:
    document: dict[str, object] = {"runs": runs}
    if delay is not None:
        document["delay_ms"] = {
            "target": delay.target_ms,
            "min": delay.min_ms,
            "max": delay.max_ms,
        }
    print_json(document)


def _print_table(
    runs: list[int], texts: list[str], delay: DelayRange | None, start: int, zone: tzinfo
) -> None:
    after = tr("After {time}").format(time=instant_text(start))
    rows = [(tr("Local time ({zone})").format(zone=zone), "UTC", after)]
    for run, text in zip(runs, texts, strict=True):
        local = datetime.fromtimestamp(run // 1_000, zone)
        rows.append((local.isoformat(" "), text, countdown_text(run - start, tr)))
    print_plain(rows)
    if delay is not None:
        sentence = tr("Waits {target}, with jitter and limits {least} to {most}.").format(
            target=rough_duration_text(delay.target_ms, tr),
            least=rough_duration_text(delay.min_ms, tr),
            most=rough_duration_text(delay.max_ms, tr),
        )
        print(f"\n{sentence}")
