"""The commands on configuration files: `plan` and `apply`."""

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any, Final, cast

from uptime_desktop.cli.commands import Answer, Commands, add_allow_secret_file, add_command, ask
from uptime_desktop.cli.output import let_go, print_json, visible
from uptime_desktop.exchange.declared.telling import difference_lines
from uptime_desktop.exchange.reading import read_bytes, read_stream, text_of
from uptime_desktop.i18n import ntr, tr

STANDARD: Final = "-"


def add_parser(commands: Commands, name: str, summary: str) -> None:
    parser = add_command(commands, name, summary)
    parser.add_argument("file", metavar="FILE", help=tr("a TOML file; - is standard input"))
    if name == "apply":
        add_allow_secret_file(parser)
    else:
        parser.epilog = tr("Ends with 0 if nothing differs, 1 if something does.")
    parser.set_defaults(command=_plan if name == "plan" else _apply)


def _plan(arguments: Namespace) -> int:
    text, name = read_text(arguments.file)
    answer = ask(arguments, "plan", text=text, name=name)
    try:
        _told(arguments, answer)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the beginning of it still wants to know.
        let_go()
    return int(bool(answer["differences"]))


def _apply(arguments: Namespace) -> int:
    text, name = read_text(arguments.file)
    allowed = arguments.allow_secret_file
    _told(arguments, ask(arguments, "apply", text=text, name=name, allow_secret_file=allowed))
    return 0


def _told(arguments: Namespace, answer: Answer) -> None:
    """Say what differs."""
    views = cast("list[dict[str, Any]]", answer["differences"])
    if arguments.json:
        print_json(answer)
        return
    for line in difference_lines(views, tr):
        print(visible(line))
    counts = {act: sum(view["act"] == act for view in views) for act in ("added", "changed")}
    added, changed = counts["added"], counts["changed"]
    removed = len(views) - added - changed
    if not views:
        print(tr("Nothing differs."))
    else:
        told = ntr("{n} difference", "{n} differences", len(views)).format(n=len(views))
        parts = tr("{added} added, {changed} changed, {removed} removed").format(
            added=added, changed=changed, removed=removed
        )
        print(f"{told}: {parts}")


def read_text(name: str) -> tuple[str, str]:
    """The text of a file, and what to call it."""
    if name != STANDARD:
        return text_of(read_bytes(Path(name)), name), name
    shown = tr("standard input")
    return text_of(read_stream(sys.stdin.buffer, shown), shown), shown
