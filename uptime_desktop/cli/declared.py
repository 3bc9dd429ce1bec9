"""The commands on configuration files: `plan`, `apply` and `export`."""

import os
import sys
import tempfile
from argparse import Namespace
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

from uptime_desktop.cli.commands import Answer, Commands, Failed, add_command, ask
from uptime_desktop.cli.output import print_json, visible
from uptime_desktop.exchange.declared.telling import difference_lines
from uptime_desktop.exchange.reading import MOST_BYTES, read_bytes, text_of
from uptime_desktop.i18n import ntr, tr

_STANDARD: Final = "-"


def add_parser(commands: Commands, name: str, summary: str) -> None:
    parser = add_command(commands, name, summary)
    if name == "export":
        parser.add_argument(
            "file", metavar="FILE", nargs="?", help=tr("where to; default: standard output")
        )
        parser.set_defaults(command=_export)
        return
    parser.add_argument("file", metavar="FILE", help=tr("a TOML file; - is standard input"))
    if name == "apply":
        parser.add_argument(
            "--allow-secret-file",
            action="store_true",
            help=tr("where there is no keyring, keep passwords in a file that only you can read"),
        )
    else:
        parser.epilog = tr("Ends with 0 if nothing differs, 1 if something does.")
    parser.set_defaults(command=_plan if name == "plan" else _apply)


def _plan(arguments: Namespace) -> int:
    text, name = _read(arguments.file)
    answer = ask(arguments, "plan", text=text, name=name)
    return int(_told(arguments, answer) > 0)


def _apply(arguments: Namespace) -> int:
    text, name = _read(arguments.file)
    allowed = arguments.allow_secret_file
    _told(arguments, ask(arguments, "apply", text=text, name=name, allow_secret_file=allowed))
    return 0


def _told(arguments: Namespace, answer: Answer) -> int:
    """Say what differs; how much that is."""
    views = cast("list[dict[str, Any]]", answer["differences"])
    if arguments.json:
        print_json(answer)
        return len(views)
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
    return len(views)


def _export(arguments: Namespace) -> int:
    path = None if arguments.file in (None, _STANDARD) else Path(arguments.file)
    if path is None or not path.exists():
        answer = ask(arguments, "export")
    else:
        before, name = _read(arguments.file)
        answer = ask(arguments, "export", text=before, name=name)
    text = str(answer["text"])
    if path is not None:
        _write(path, text)
    elif arguments.json:
        print_json(answer)
    else:
        sys.stdout.write(text)
    return 0


def _read(name: str) -> tuple[str, str]:
    """The text of a file, and what to call it."""
    if name != _STANDARD:
        return text_of(read_bytes(Path(name)), name), name
    shown = tr("standard input")
    content = sys.stdin.buffer.read(MOST_BYTES + 1)
    return text_of(content, shown), shown


def _write(path: Path, text: str) -> None:
    """Put a new file in the place of the old one, whole or not at all."""
    target = path.resolve()
    try:
        mode = target.stat().st_mode & 0o7777 if target.exists() else 0o600
        handle, draft = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".new")
    except OSError as error:
        raise Failed(_unwritten(path, error)) from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(mode)
        Path(draft).replace(target)
    except OSError as error:
        with suppress(OSError):
            Path(draft).unlink()
        raise Failed(_unwritten(path, error)) from error


def _unwritten(path: Path, error: OSError) -> str:
    return tr("{path} cannot be written: {reason}").format(path=path, reason=error.strerror)
