"""Commands on monitors: add, list, show, check, pause, resume, hint, remove."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.checks.registry import KINDS, has_target, kind_named, takes_members
from uptime_desktop.cli.commands import (
    Answer,
    Commands,
    Failed,
    add_command,
    ask,
    notation_help,
)
from uptime_desktop.cli.output import print_json, print_line, print_table, status_text
from uptime_desktop.domain.definition import ALERT_KEYS, TIMING_KEYS
from uptime_desktop.domain.model import DAY_MS, MAX_INTERVAL_MS, SECOND_MS
from uptime_desktop.domain.notation import parse_duration, parse_instant
from uptime_desktop.domain.refusal import Refused, require_between
from uptime_desktop.domain.wording import countdown_text, unmet_text, words
from uptime_desktop.engine.clock import wall_now
from uptime_desktop.i18n import told, tr

_SEVERAL: Final = (FieldType.LINES, FieldType.LIST, FieldType.MAPPING, FieldType.MONITORS)
_MOST_LINES: Final = 8
_LONGEST_LINE: Final = 200
_LONGEST_PAUSE_MS: Final = 3_650 * DAY_MS
_TIMING_HELP: Final = {
    "every": words("an interval, 5s to 30d; default: 60s"),
    "cron": words("a cron expression instead"),
    "at": words("one instant instead"),
    "cadence": words("after (default) or grid"),
    "anchor": words("a point of the grid"),
    "dialect": words("of the cron expression: extended (default) or posix"),
    "tz": words("of the cron expression; default: yours"),
    "backoff": words("exponential (default), capped32, ladder, fixed or none"),
    "backoff_cap": words("of the exponential policy; default: 1h"),
    "retry_delay": words("of the fixed policy; default: 5m"),
    "jitter": words("0 to 0.5; default: 0.1, on a grid 0"),
    "min_interval": words("never wait less"),
    "max_interval": words("never wait more"),
    "auto_pause_after": words("pause after so many failures in a row; 0: never"),
    "catch_up": words("once (default) or skip what was missed while closed"),
    "timeout": words("of each attempt, 1s to 5m; default: 30s"),
    "retries": words("further attempts before it counts as down, 0 to 10; default: 1"),
}


_ALERT_HELP: Final = {
    "alert_after": words("failed runs in a row before anyone is told; default: 1"),
    "repeat_every": words("tell again while it lasts, 1m to 30d; 0: never"),
    "recovery_notice": words("whether to tell when it is over: yes or no"),
    "channels": words("who is told: ids of channels, and desktop; default: all"),
}


def add_parser(commands: Commands, name: str, summary: str) -> None:
    parser = add_command(commands, name, summary)
    parser.set_defaults(command_name=name)
    _PARSERS[name](parser)


def _takes_monitor(parser: ArgumentParser) -> None:
    parser.add_argument("monitor", metavar="MONITOR", help=tr("an id or a unique name"))


def _add_list(parser: ArgumentParser) -> None:
    parser.set_defaults(command=_list)


def _add_show(parser: ArgumentParser) -> None:
    _takes_monitor(parser)
    parser.set_defaults(command=_show)


def _add_check(parser: ArgumentParser) -> None:
    parser.add_argument(
        "monitors", metavar="MONITOR|URL", nargs="*", help=tr("default: all monitors")
    )
    parser.set_defaults(command=_check)


def _add_act(parser: ArgumentParser) -> None:
    _takes_monitor(parser)
    parser.set_defaults(command=_act)


def _takes_monitor_or_site(parser: ArgumentParser) -> None:
    parser.add_argument("monitor", metavar="MONITOR", nargs="?", help=tr("an id or a unique name"))
    parser.add_argument("--site", metavar="SITE", help=tr("all monitors of a site instead"))


def _add_resume(parser: ArgumentParser) -> None:
    _takes_monitor_or_site(parser)
    parser.set_defaults(command=_resume)


def _add_pause(parser: ArgumentParser) -> None:
    _takes_monitor_or_site(parser)
    until = parser.add_mutually_exclusive_group()
    until.add_argument("--for", dest="duration", metavar="D", help=tr("resume after this long"))
    until.add_argument("--until", metavar="T", help=tr("resume at this instant"))
    parser.set_defaults(command=_pause)


def _add_hint(parser: ArgumentParser) -> None:
    _takes_monitor(parser)
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--every", metavar="D", help=tr("an interval"))
    how.add_argument("--at", metavar="T", help=tr("one extra run at this instant"))
    how.add_argument("--clear", action="store_true", help=tr("back to the schedule"))
    parser.add_argument("--for", dest="duration", metavar="D", help=tr("how long; default: 1h"))
    parser.set_defaults(command=_hint)


def _add_add(parser: ArgumentParser) -> None:
    parser.epilog = " ".join((notation_help(), *_examples()))
    parser.add_argument(
        "targets",
        metavar="URL",
        nargs="*",
        help=tr("what to watch; - reads one a line from stdin; of a group: the ids of its members"),
    )
    parser.add_argument("--name", metavar="NAME", help=tr("default: from the address"))
    parser.add_argument("--site", metavar="SITE", help=tr("the group it belongs to"))
    parser.add_argument("--kind", metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--tags", metavar="A,B", help=tr("words to find it by"))
    parser.add_argument(
        "--depends-on", metavar="A,B", help=tr("what is upstream: ids of monitors, or site:ID")
    )
    parser.add_argument(
        "--allow-secret-file",
        action="store_true",
        help=tr("where there is no keyring, keep passwords in a file that only you can read"),
    )
    alerts = parser.add_argument_group(tr("alerts"))
    for key in ALERT_KEYS:
        alerts.add_argument(_flag(key), metavar="X", help=tr(_ALERT_HELP[key]))
    timing = parser.add_argument_group(tr("when"))
    for key in TIMING_KEYS:
        timing.add_argument(_flag(key), metavar="X", help=tr(_TIMING_HELP[key]))
    for name, kind in KINDS.items():
        group = parser.add_argument_group(f"{name}: {tr(kind.label)}")
        for field in kind.fields:
            if not field.is_target and field.flag not in parser._option_string_actions:  # noqa: SLF001
                group.add_argument(field.flag, **_options(field))  # type: ignore[arg-type]
    parser.set_defaults(command=_add)


def _examples() -> tuple[str, str]:
    return (
        tr("A group: {example}.").format(example="add --kind group shop mail --name Office"),
        tr("A cron job: {example}.").format(
            example="add --kind heartbeat --name Backup --every 1d --grace 1h"
        ),
    )


def _options(field: FieldSpec) -> dict[str, object]:
    several = field.type in _SEVERAL
    words = {"metavar": "|".join(field.choices) or "X", "help": tr(field.help).replace("%", "%%")}
    return {**words, "action": "append"} if several else dict(words)


def _flag(key: str) -> str:
    return "--" + key.replace("_", "-")


def _add(arguments: Namespace) -> int:
    own = {"command", "command_name", "db", "json", "targets", "site", "allow_secret_file"}
    keys = {k: v for k, v in vars(arguments).items() if k not in own and v is not None}
    keys |= {key: _absolute(keys[key]) for key in _file_keys() & keys.keys()}
    targets = list(_targets(arguments.targets))
    kind = None if arguments.kind is None else kind_named(arguments.kind)
    if not targets and kind is not None and takes_members(kind):
        raise Refused("members", "it is missing", "the ids of the monitors that belong to it")
    if not targets and (kind is None or has_target(kind)):
        raise Refused("targets", "no address is given", "one or more, or - for standard input")
    answer = ask(
        arguments,
        "add",
        targets=targets,
        keys=keys,
        site=arguments.site,
        allow_secret_file=arguments.allow_secret_file,
    )
    if arguments.json:
        print_json(answer)
    else:
        for monitor in _monitors(answer):
            where, schedule = monitor.get("ping_url", monitor["target"]), monitor["schedule"]
            print_line(f"{monitor['id']}: {where}" + (f", {schedule}" if schedule else ""))
    return 0


def _file_keys() -> set[str]:
    return {field.key for kind in KINDS.values() for field in kind.fields if field.is_file}


def _absolute(path: str) -> str:
    """The app that runs is in another folder than who typed this; `~` and variables stay."""
    return path if not path or path.startswith(("~", "$", "secret:")) else str(Path.cwd() / path)


def _targets(given: list[str]) -> Iterator[str]:
    for target in given:
        if target == "-":
            # Editors on Windows begin a file with a mark of its encoding.
            lines = (line.strip("\ufeff \t\r\n") for line in sys.stdin)
            yield from (line for line in lines if line and not line.startswith("#"))
        else:
            yield target


def _list(arguments: Namespace) -> int:
    answer = ask(arguments, "list")
    if arguments.json:
        print_json(answer)
        return 0
    monitors = _monitors(answer)
    if not monitors:
        print(tr("Nothing is watched yet. Add an address: uptime-desktop add https://example.org"))
        return 0
    rows = [
        [
            str(monitor["id"]),
            status_text(monitor["status"]),
            *(str(monitor[key]) for key in ("name", "site", "target")),
            _next(monitor),
            told(str(monitor["reason"] or "")),
        ]
        for monitor in monitors
    ]
    headers = [
        *(tr("Id"), tr("Status"), tr("Name"), tr("Site")),
        *(tr("Target"), tr("Next run"), tr("Reason")),
    ]
    print_table(headers, rows)
    return 0


def _next(monitor: Answer) -> str:
    at = monitor["next_run_at"]
    if monitor["running_since"]:
        return tr("checking")
    if at is None:
        return "–"
    return countdown_text(parse_instant("next_run_at", str(at)) - wall_now(), tr)


def _show(arguments: Namespace) -> int:
    answer = ask(arguments, "show", monitor=arguments.monitor)
    if arguments.json:
        print_json(answer)
    else:
        print_table([tr("Field"), tr("Value")], list(_fields(answer)))
    return 0


def _fields(answer: Answer, prefix: str = "") -> Iterator[list[str]]:
    """One row per field; what is inside another is indented under its name."""
    for key, value in answer.items():
        if key == "evidence" and isinstance(value, dict):
            yield [prefix + key, ""]
            yield from _evidence(value, prefix + "  ")
        elif key == "members" and isinstance(value, dict):
            yield [prefix + key, ""]
            yield from ([f"{prefix}  {name}", status_text(one)] for name, one in value.items())
        elif isinstance(value, dict):
            yield [prefix + key, ""]
            yield from _fields(value, prefix + "  ")
        elif value not in (None, "", [], "–"):
            is_status = key in ("status", "health")
            yield [prefix + key, status_text(value) if is_status else _text(value)]


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_text(one) for one in value)
    return str(value).replace("\n", " ")


def _evidence(seen: Answer, prefix: str) -> Iterator[list[str]]:
    """What the last run saw: what was amiss first, and long texts only as they begin."""
    for key, lines in (
        ("unmet", [_unmet(one) for one in _entries(seen, "unmet")]),
        ("timings_ms", [", ".join(_timing(one) for one in _entries(seen, "timings_ms"))]),
        ("address", [_text(seen.get("address", ""))]),
        ("status_line", [_text(seen.get("status_line", ""))]),
        ("certificate", [_text(seen.get("certificate", ""))]),
        ("headers", [": ".join(map(_text, one)) for one in _entries(seen, "headers")]),
        ("body", _beginning(str(seen.get("body", "")))),
        ("repeat_with", [_text(seen.get("repeat_with", ""))]),
    ):
        for place, line in enumerate(line for line in lines if line):
            yield [prefix + key if place == 0 else "", line]


def _entries(seen: Answer, key: str) -> list[Any]:
    value = seen.get(key)
    return value if isinstance(value, list) else []


def _unmet(one: Answer) -> str:
    return unmet_text(str(one["what"]), str(one["expected"]), str(one["actual"]), tr)


def _timing(one: tuple[str, float]) -> str:
    phase, spent_ms = one
    spent = tr("{n} ms").format(n=f"{spent_ms:.3g}" if spent_ms < 100 else round(spent_ms))
    return f"{phase} {spent}"


def _beginning(text: str) -> list[str]:
    lines = [line[:_LONGEST_LINE] for line in text.splitlines() if line.strip()]
    return lines if len(lines) <= _MOST_LINES else [*lines[:_MOST_LINES], "…"]


def _check(arguments: Namespace) -> int:
    answer = ask(arguments, "check", monitors=arguments.monitors)
    results = cast("list[Answer]", answer["results"])
    if arguments.json:
        print_json(answer)
    elif results:
        rows = [
            [
                str(one["name"]),
                status_text(one["status"]),
                _milliseconds(one),
                told(str(one["reason"] or "")),
            ]
            for one in results
        ]
        print_table([tr("Monitor"), tr("Status"), tr("Response"), tr("Reason")], rows)
    else:
        raise Failed(tr("there is no monitor to check; add one or name an address"))
    return int(any(one["status"] == "down" for one in results))


def _milliseconds(result: Answer) -> str:
    value = result["response_ms"]
    return tr("{n} ms").format(n=f"{value:.0f}") if isinstance(value, int | float) else "–"


def _pause(arguments: Namespace) -> int:
    until = None
    if arguments.duration is not None:
        duration_ms = parse_duration("for", arguments.duration)
        require_between("for", duration_ms, SECOND_MS, _LONGEST_PAUSE_MS)
        until = wall_now() + duration_ms
    elif arguments.until is not None:
        until = parse_instant("until", arguments.until)
    if until is not None and arguments.site is not None:
        raise Refused("site", "a site is paused until it is resumed", "no --for and no --until")
    return _done(arguments, ask(arguments, "pause", **_one_or_site(arguments), until=until))


def _resume(arguments: Namespace) -> int:
    return _done(arguments, ask(arguments, "resume", **_one_or_site(arguments)))


def _one_or_site(arguments: Namespace) -> dict[str, str | None]:
    if (arguments.monitor is None) == (arguments.site is None):
        raise Refused("site", "one thing is to be named", "a MONITOR, or --site SITE")
    return {"monitor": arguments.monitor, "site": arguments.site}


def _hint(arguments: Namespace) -> int:
    details: dict[str, int] = {}
    if arguments.every is not None:
        details["interval_ms"] = parse_duration("every", arguments.every)
    if arguments.at is not None:
        details["run_at"] = parse_instant("at", arguments.at)
    if arguments.duration is not None:
        details["for_ms"] = parse_duration("for", arguments.duration)
        require_between("for", details["for_ms"], SECOND_MS, MAX_INTERVAL_MS)
    return _done(arguments, ask(arguments, "hint", monitor=arguments.monitor, **details))


def _act(arguments: Namespace) -> int:
    name = arguments.command_name
    return _done(arguments, ask(arguments, name, monitor=arguments.monitor))


def _done(arguments: Namespace, answer: Answer) -> int:
    if arguments.json:
        print_json(answer)
    else:
        print_line(f"{answer['id']}: {status_text(answer['status'])}")
    return 0


def _monitors(answer: Answer) -> list[Answer]:
    return cast("list[Answer]", answer["monitors"])


_PARSERS: Final = {
    "add": _add_add,
    "list": _add_list,
    "show": _add_show,
    "check": _add_check,
    "pause": _add_pause,
    "resume": _add_resume,
    "hint": _add_hint,
    "remove": _add_act,
}
