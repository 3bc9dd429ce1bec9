"""Commands on what has happened: history, events."""

import sys
from argparse import ArgumentParser, Namespace
from typing import Final, cast

from uptime_desktop.cli.commands import Answer, Commands, Failed, add_command, ask, database_of
from uptime_desktop.cli.output import let_go, print_json, print_line, print_table, status_text
from uptime_desktop.domain.notation import parse_whole
from uptime_desktop.i18n import told, tr
from uptime_desktop.server.client import ControlError, follow
from uptime_desktop.server.instance import Instance

_MOST_RUNS: Final = 10_000


def add_parser(commands: Commands, name: str, summary: str) -> None:
    parser = add_command(commands, name, summary)
    _PARSERS[name](parser)


def _add_history(parser: ArgumentParser) -> None:
    parser.add_argument("monitor", metavar="MONITOR", help=tr("an id or a unique name"))
    parser.add_argument("--count", default="20", metavar="N", help=tr("how many runs; default: 20"))
    parser.add_argument(
        "--stats", action="store_true", help=tr("how often it was up, and how fast")
    )
    parser.set_defaults(command=_history)


def _add_events(parser: ArgumentParser) -> None:
    parser.add_argument("--follow", action="store_true", required=True, help=tr("until Ctrl-C"))
    parser.set_defaults(command=_events)


def _history(arguments: Namespace) -> int:
    count = parse_whole("count", arguments.count, 1, _MOST_RUNS)
    stats = arguments.stats or None
    answer = ask(arguments, "history", monitor=arguments.monitor, count=count, stats=stats)
    if arguments.json:
        print_json(answer)
        return 0
    if arguments.stats:
        _print_stats(cast("list[Answer]", answer["stats"]))
        return 0
    rows = [
        [_cell(key, run[key]) for key in _COLUMNS] for run in cast("list[Answer]", answer["runs"])
    ]
    headers = [
        *(tr("Started"), tr("Status"), tr("Response ms")),
        *(tr("Attempts"), tr("Source"), tr("Reason")),
    ]
    print_table(headers, rows)
    return 0


def _print_stats(stats: list[Answer]) -> None:
    headers = [
        *(tr("Last"), tr("Uptime"), tr("Runs"), tr("Down")),
        *(tr("Mean ms"), tr("Median ms"), tr("p95 ms")),
    ]
    rows = [
        [
            str(one["span"]),
            "–" if one["uptime"] is None else f"{cast(float, one['uptime']):.3%}",
            *(str(one["runs"]), str(one["down"])),
            *(_milliseconds(one[key]) for key in ("mean_ms", "median_ms", "p95_ms")),
        ]
        for one in stats
    ]
    print_table(headers, rows)


def _milliseconds(value: object) -> str:
    return "–" if value is None else f"{cast(float, value):.1f}"


def _cell(key: str, value: object) -> str:
    if value is None:
        return "–"
    return status_text(value) if key == "status" else told(str(value))


def _events(arguments: Namespace) -> int:
    endpoint = Instance(database_of(arguments)).endpoint()
    if endpoint is None:
        raise Failed(tr("the app is not running, so nothing happens; start it with 'run'"))
    try:
        for event in follow(endpoint):
            if arguments.json:
                print_json(event)
            else:
                details = ", ".join(f"{k} {v}" for k, v in event.items() if k not in _HEAD)
                who = f"{event['timestamp']}  {event['monitor_id']}  {event['event']}"
                print_line(f"{who}  {details}")
            sys.stdout.flush()
    except KeyboardInterrupt:
        # A reader that does not read would keep us from ending.
        let_go()
        return 0
    except ControlError as error:
        raise Failed(str(error)) from error
    return 0


_COLUMNS: Final = ("started_at", "status", "response_ms", "attempts", "source", "reason")
_HEAD: Final = ("timestamp", "monitor_id", "site_id", "event", "correlation_id", "persisted")
_PARSERS: Final = {"history": _add_history, "events": _add_events}
