"""The command that keeps passwords and tokens by name, for settings to refer to."""

import getpass
import sys
from argparse import ArgumentParser, Namespace
from typing import cast

from uptime_desktop.cli.commands import Answer, Commands, add_allow_secret_file, add_command, ask
from uptime_desktop.cli.output import print_json, print_table
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.i18n import tr


def add_parser(commands: Commands, name: str, summary: str) -> None:
    parser = add_command(commands, name, summary)
    parser.epilog = tr(
        "Settings refer to it as secret:NAME, or inside a text as ${secret:NAME}; ${NAME} is a"
        " variable of the environment."
    )
    _takes_act(parser)
    parser.set_defaults(command=_secret)


def _takes_act(parser: ArgumentParser) -> None:
    acts = tr("set keeps what standard input says, or what you type; remove forgets it")
    parser.add_argument("act", choices=("list", "set", "remove"), help=acts)
    parser.add_argument("name", metavar="NAME", nargs="?", help=tr("what to call it"))
    add_allow_secret_file(parser)


def _secret(arguments: Namespace) -> int:
    if arguments.act == "list":
        return _list(arguments)
    if arguments.name is None:
        raise Refused("name", "it is missing", "what to call the secret")
    prompt = tr("{name}: ").format(name=arguments.name)
    secret = typed(prompt) if arguments.act == "set" else None
    answer = ask(
        arguments,
        "secret",
        name=arguments.name,
        secret=secret,
        allow_secret_file=arguments.allow_secret_file,
    )
    if arguments.json:
        print_json(answer)
    else:
        kept = tr("{name} is kept") if secret is not None else tr("{name} is forgotten")
        print(kept.format(name=arguments.name))
    return 0


def typed(prompt: str) -> str:
    """A secret: never from an argument, for the list of processes would show it."""
    is_shown = sys.stdin.isatty()
    try:
        secret = getpass.getpass(prompt) if is_shown else sys.stdin.read().rstrip("\r\n")
        # Where the locale says little, bytes that are no text come through as they are.
        secret.encode()
    except UnicodeError:
        allowed = "text; other data can be kept as base64"
        raise Refused("secret", "it is not text in UTF-8", allowed) from None
    if not secret:
        raise Refused("secret", "it is empty", "the text to keep")
    return secret


def _list(arguments: Namespace) -> int:
    answer = ask(arguments, "secrets")
    if arguments.json:
        print_json(answer)
        return 0
    secrets = cast("list[Answer]", answer["secrets"])
    if not secrets:
        print(tr("No secret is kept or referred to."))
        return 0
    rows = [[str(one["name"]), tr("kept") if one["kept"] else tr("missing")] for one in secrets]
    print_table([tr("Secret"), tr("State")], rows)
    return 0
