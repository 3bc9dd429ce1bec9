"""The command on alert channels: where alerts go beside the screen."""

from argparse import ArgumentParser, Namespace
from typing import cast

from uptime_desktop.cli.commands import Answer, Commands, add_allow_secret_file, add_command, ask
from uptime_desktop.cli.output import print_json, print_line, print_table
from uptime_desktop.cli.secrets import typed
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.i18n import told, tr


def add_parser(commands: Commands, name: str, summary: str) -> None:
    parser = add_command(commands, name, summary)
    parser.epilog = tr(
        "The address, an Apprise URL such as slack://… or mailto://…, is read from standard input"
        " or typed unseen: it holds secrets. It may be secret:NAME or hold ${NAME}."
    )
    _takes_arguments(parser)
    parser.set_defaults(command=_execute)


def _takes_arguments(parser: ArgumentParser) -> None:
    acts = ("list", "add", "test", "on", "off", "remove")
    parser.add_argument("act", nargs="?", default="list", choices=acts, help=tr("default: list"))
    parser.add_argument(
        "channel", nargs="?", metavar="ID", help=tr("which one; with add: its name")
    )
    add_allow_secret_file(parser)


def _execute(arguments: Namespace) -> int:
    if arguments.act == "list":
        return _list(arguments)
    if not arguments.channel:
        raise Refused("channel", "it is missing", "the id of a channel, as the list shows it")
    answer = _ask(arguments)
    if arguments.json:
        print_json(answer)
    else:
        print_line(_said(arguments.act).format(channel=answer["id"]))
    return 0


def _ask(arguments: Namespace) -> Answer:
    named = arguments.channel
    match arguments.act:
        case "add":
            allowed = arguments.allow_secret_file
            url = typed(tr("Address of {name}: ").format(name=named))
            return ask(arguments, "channel_add", name=named, url=url, allow_secret_file=allowed)
        case "test":
            return ask(arguments, "channel_test", channel=named)
        case "remove":
            return ask(arguments, "channel_remove", channel=named)
        case act:
            return ask(arguments, "channel_switch", channel=named, on=act == "on")


def _said(act: str) -> str:
    return {
        "add": tr("{channel} is told of trouble from now on"),
        "test": tr("a message was sent to {channel}"),
        "on": tr("{channel} is on"),
        "off": tr("{channel} is off"),
        "remove": tr("{channel} is removed"),
    }[act]


def _list(arguments: Namespace) -> int:
    answer = ask(arguments, "channels")
    if arguments.json:
        print_json(answer)
        return 0
    found = cast("list[Answer]", answer["channels"])
    if not found:
        print(tr("Alerts go to the screen only."))
        return 0
    rows = [
        [
            str(one["id"]),
            str(one["name"]),
            tr("on") if one["is_on"] else tr("off"),
            told(str(one["problem"] or "")),
        ]
        for one in found
    ]
    print_table([tr("Id"), tr("Name"), tr("State"), tr("Problem")], rows)
    return 0
