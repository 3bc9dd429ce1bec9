"""The command `add`: a monitor for each address, with a flag for every setting of every kind."""

import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.checks.registry import KINDS, has_target, kind_named, takes_members
from uptime_desktop.cli.commands import (
    Answer,
    Commands,
    add_allow_secret_file,
    add_command,
    ask,
    notation_help,
)
from uptime_desktop.cli.output import print_json, print_line
from uptime_desktop.domain.definition import ALERT_KEYS, TIMING_KEYS
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import words
from uptime_desktop.i18n import tr

_SEVERAL: Final = (FieldType.LINES, FieldType.LIST, FieldType.MAPPING, FieldType.MONITORS)
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
    add_allow_secret_file(parser)
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
    own = {"command", "db", "json", "targets", "site", "allow_secret_file"}
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
        for monitor in cast("list[Answer]", answer["monitors"]):
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
