"""Commands on planned work: maintenance list, add, start, end, remove."""

from argparse import ArgumentParser, Namespace
from typing import Final, cast

from uptime_desktop.cli.commands import (
    Answer,
    Commands,
    Failed,
    add_command,
    ask,
    notation_help,
    sentence_of,
)
from uptime_desktop.cli.output import print_json, print_line, print_table, status_text
from uptime_desktop.domain.notation import parse_instant
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import countdown_text, words
from uptime_desktop.engine.clock import wall_now
from uptime_desktop.i18n import tr

_ACTS: Final = {
    "list": words("list the windows and whether they are in force"),
    "add": words("plan a window, once or again and again"),
    "start": words("begin maintenance now"),
    "end": words("end what is in force now; later times stay"),
    "remove": words("remove a window"),
}
_KEYS: Final = {
    "starts": words("an instant at which it begins"),
    "ends": words("an instant at which it ends"),
    "days": words("the days of each week instead, as in mon,tue"),
    "at": words("the time of those days, as in 02:00"),
    "cron": words("a cron expression for its starts instead"),
    "tz": words("the time zone of days or cron; default: yours"),
}
_MODES: Final = {"silence": words("silence"), "pause": words("pause")}
_FLAGS: Final = {"duration": "for", "sites": "site", "monitors": "monitor"}
"""Keys of a file that are called otherwise here."""


def add_parser(commands: Commands, name: str, summary: str) -> None:
    parser = commands.add_parser(
        name, help=summary, description=sentence_of(summary), allow_abbrev=False
    )
    acts: Commands = parser.add_subparsers(
        metavar="ACT", title=tr("acts"), required=True, parser_class=type(parser)
    )
    for act, what in _ACTS.items():
        _PARSERS[act](add_command(acts, act, tr(what)))


def _add_list(parser: ArgumentParser) -> None:
    parser.set_defaults(command=_list)


def _add_add(parser: ArgumentParser) -> None:
    parser.epilog = notation_help()
    parser.add_argument("--name", metavar="NAME", required=True, help=tr("what to call it"))
    when = parser.add_argument_group(tr("when"))
    for key, what in _KEYS.items():
        when.add_argument(f"--{key}", metavar="X", help=tr(what))
    when.add_argument("--for", dest="duration", metavar="D", help=tr("how long, 1m to 30d"))
    _takes_scope(parser)
    parser.set_defaults(command=_add)


def _add_start(parser: ArgumentParser) -> None:
    parser.epilog = notation_help()
    parser.add_argument("--for", dest="duration", metavar="D", help=tr("how long; default: 1h"))
    parser.add_argument("--name", metavar="NAME", help=tr("what to call it"))
    _takes_scope(parser)
    parser.set_defaults(command=_start)


def _add_end(parser: ArgumentParser) -> None:
    parser.add_argument("window", metavar="WINDOW", nargs="?", help=tr("default: all in force"))
    parser.set_defaults(command=_end)


def _add_remove(parser: ArgumentParser) -> None:
    parser.add_argument("window", metavar="WINDOW", help=tr("an id or a unique name"))
    parser.set_defaults(command=_remove)


def _takes_scope(parser: ArgumentParser) -> None:
    scope = parser.add_argument_group(tr("for what; default: everything"))
    scope.add_argument(
        "--site", dest="sites", metavar="SITE", action="append", help=tr("all monitors of a site")
    )
    monitor = tr("an id or a unique name")
    scope.add_argument(
        "--monitor", dest="monitors", metavar="MONITOR", action="append", help=monitor
    )
    mode = tr("check and stay silent (default), or do not check")
    parser.add_argument("--mode", metavar="silence|pause", help=mode)


def _list(arguments: Namespace) -> int:
    answer = ask(arguments, "maintenance_list")
    if arguments.json:
        print_json(answer)
        return 0
    if not _windows(answer):
        print(tr("No maintenance is planned."))
        return 0
    rows = [
        [
            *(str(one["id"]), str(one["name"]), _state(one), tr(_MODES[str(one["mode"])])),
            *(_scope(one), _when(one), _next(one)),
        ]
        for one in _windows(answer)
    ]
    headers = [
        *(tr("Id"), tr("Name"), tr("State"), tr("Mode")),
        *(tr("For"), tr("When"), tr("Next")),
    ]
    print_table(headers, rows)
    return 0


def _add(arguments: Namespace) -> int:
    keys = ("name", *_KEYS, "duration", "mode", "sites", "monitors")
    return _added(arguments, "maintenance_add", keys)


def _start(arguments: Namespace) -> int:
    keys = ("name", "duration", "mode", "sites", "monitors")
    return _added(arguments, "maintenance_start", keys)


def _added(arguments: Namespace, command: str, keys: tuple[str, ...]) -> int:
    given = {key: value for key in keys if (value := getattr(arguments, key)) is not None}
    try:
        answer = ask(arguments, command, keys=given)
    except Refused as refusal:
        refusal.field = _FLAGS.get(refusal.field, refusal.field)
        raise
    if arguments.json:
        print_json(answer)
    else:
        _print_state(answer)
    return 0


def _end(arguments: Namespace) -> int:
    answer = ask(arguments, "maintenance_end", window=arguments.window)
    if arguments.json:
        print_json(answer)
        return 0
    if not _windows(answer):
        raise Failed(tr("no maintenance is in force"))
    for window in _windows(answer):
        _print_state(window)
    return 0


def _remove(arguments: Namespace) -> int:
    answer = ask(arguments, "maintenance_remove", window=arguments.window)
    if arguments.json:
        print_json(answer)
    else:
        print_line(f"{answer['id']}: {status_text(answer['status'])}")
    return 0


def _print_state(window: Answer) -> None:
    print_line(f"{window['id']}: {_state(window)}, {_next(window)}".removesuffix(", –"))


def _state(window: Answer) -> str:
    if window["in_force"]:
        return tr("in force")
    if window["starts_at"] is not None:
        return tr("planned")
    return tr("over") if window["is_on"] else tr("off")


def _scope(window: Answer) -> str:
    names = (*cast("list[str]", window["sites"]), *cast("list[str]", window["monitors"]))
    return ", ".join(names) or tr("everything")


def _when(window: Answer) -> str:
    """When it is, in the notation of the flags."""
    said = cast("dict[str, str]", window["definition"])
    if "starts" in said:
        return tr("{start} to {end}").format(start=said["starts"], end=said["ends"])
    starts = said.get("cron") or f"{','.join(said['days'])} {said['at']}"
    zone = f" {said['tz']}" if "tz" in said else ""
    return tr("{starts} for {duration}").format(starts=starts + zone, duration=said["duration"])


def _next(window: Answer) -> str:
    """When it changes next, counted from now."""
    at = window["ends_at" if window["in_force"] else "starts_at"]
    if at is None:
        return "–"
    countdown = countdown_text(parse_instant("at", str(at)) - wall_now(), tr)
    text = tr("ends {countdown}") if window["in_force"] else tr("starts {countdown}")
    return text.format(countdown=countdown)


def _windows(answer: Answer) -> list[Answer]:
    return cast("list[Answer]", answer["windows"])


_PARSERS: Final = {
    "list": _add_list,
    "add": _add_add,
    "start": _add_start,
    "end": _add_end,
    "remove": _add_remove,
}
