"""The command on incidents: what was wrong, what is, and what people did about it."""

from argparse import ArgumentParser, Namespace
from typing import Final, cast

from uptime_desktop.cli.commands import Answer, Commands, add_command, ask, notation_help
from uptime_desktop.cli.output import print_json, print_table, status_text
from uptime_desktop.cli.parser import UsageError
from uptime_desktop.domain.model import DAY_MS, SECOND_MS
from uptime_desktop.domain.notation import parse_duration, parse_instant, parse_whole
from uptime_desktop.domain.refusal import Refused, require_between
from uptime_desktop.domain.wording import rough_duration_text, words
from uptime_desktop.engine.clock import wall_now
from uptime_desktop.i18n import told, tr

_ACTS: Final = {
    "acknowledged": words("seen"),
    "snoozed": words("snoozed"),
    "woken": words("no longer snoozed"),
    "noted": words("noted:"),
    "follows": words("follows from"),
    "stands": words("no longer follows from"),
}
_MOST: Final = 10_000
_LAST_NUMBER: Final = 1 << 62
_LONGEST_MS: Final = 3_650 * DAY_MS


def add_parser(commands: Commands, name: str, summary: str) -> None:
    parser = add_command(commands, name, summary)
    parser.epilog = notation_help()
    _takes_arguments(parser)
    parser.set_defaults(command=_execute)


def _takes_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "act",
        nargs="?",
        default="list",
        choices=("list", "show", "acknowledge", "snooze", "note"),
        help=tr("default: list"),
    )
    parser.add_argument("number", nargs="?", metavar="NUMBER", help=tr("of the incident"))
    parser.add_argument("text", nargs="?", metavar="TEXT", help=tr("the note to write down"))
    parser.add_argument("--monitor", metavar="MONITOR", help=tr("only of this monitor"))
    parser.add_argument("--open", action="store_true", help=tr("only those that are not over"))
    parser.add_argument("--count", default="20", metavar="N", help=tr("how many; default: 20"))
    parser.add_argument(
        "--for",
        dest="duration",
        metavar="D",
        help=tr("snooze this long; default: until it is over"),
    )


def _execute(arguments: Namespace) -> int:
    number, text = arguments.number, arguments.text
    extra = {"list": (number, text), "note": ()}.get(arguments.act, (text,))
    if any(word is not None for word in extra):
        given = " ".join(word for word in extra if word is not None)
        raise UsageError(tr("unrecognized arguments: %s") % given)
    if arguments.act == "list":
        return _list(arguments)
    if arguments.number is None:
        raise Refused("number", "it is missing", "the number of an incident, as the list shows it")
    number = parse_whole("number", arguments.number, 1, _LAST_NUMBER)
    return _print(arguments, _ask(arguments, number))


def _ask(arguments: Namespace, number: int) -> Answer:
    match arguments.act:
        case "show":
            return ask(arguments, "incident", incident=number)
        case "acknowledge":
            return ask(arguments, "incident_acknowledge", incident=number)
        case "snooze":
            for_ms = None
            if arguments.duration is not None:
                for_ms = parse_duration("for", arguments.duration)
                require_between("for", for_ms, SECOND_MS, _LONGEST_MS)
            return ask(arguments, "incident_snooze", incident=number, for_ms=for_ms)
        case _:
            return ask(arguments, "incident_note", incident=number, text=arguments.text or "")


def _list(arguments: Namespace) -> int:
    count = parse_whole("count", arguments.count, 1, _MOST)
    answer = ask(
        arguments,
        "incidents",
        monitor=arguments.monitor,
        open=arguments.open or None,
        count=count,
    )
    if arguments.json:
        print_json(answer)
        return 0
    found = cast("list[Answer]", answer["incidents"])
    if not found:
        print(tr("There is no trouble.") if arguments.open else tr("There was no trouble."))
        return 0
    headers = [
        *(tr("Number"), tr("Monitor"), tr("What"), tr("Began"), tr("Lasted"), tr("State")),
        tr("Reason"),
    ]
    print_table(headers, [_row(one) for one in found])
    return 0


def _row(incident: Answer) -> list[str]:
    return [
        str(incident["incident"]),
        str(incident["monitor"]),
        status_text(incident["kind"]),
        str(incident["opened_at"]),
        _lasted(incident),
        _state(incident),
        told(str(incident["reason"])),
    ]


def _lasted(incident: Answer) -> str:
    opened_at = parse_instant("opened_at", str(incident["opened_at"]))
    ended = incident["resolved_at"]
    until = wall_now() if ended is None else parse_instant("resolved_at", str(ended))
    return rough_duration_text(max(0, until - opened_at), tr)


def _state(incident: Answer) -> str:
    if incident["resolved_at"] is not None:
        return tr("over")
    if incident["cascade_reason"] is not None:
        return tr("follows {upstream}").format(
            upstream=str(incident["cascade_reason"]).removeprefix("upstream-")
        )
    if incident["snoozed_until"] is not None:
        return tr("snoozed")
    return tr("seen") if incident["acknowledged_at"] is not None else tr("open")


def _print(arguments: Namespace, answer: Answer) -> int:
    if arguments.json:
        print_json(answer)
        return 0
    rows = [[key, str(value)] for key, value in answer.items() if value and key != "story"]
    rows += [
        [str(one["at"]), f"{tr(_ACTS[str(one['act'])])} {one['text']}".rstrip()]
        for one in cast("list[Answer]", answer["story"])
    ]
    print_table([tr("Field"), tr("Value")], rows)
    return 0
