"""The commands that write all there is to files and take what other programs wrote."""

import shutil
import sys
import tempfile
from argparse import Namespace
from pathlib import Path
from typing import Final, cast

from uptime_desktop.cli.commands import (
    Answer,
    Commands,
    add_allow_secret_file,
    add_command,
    ask,
    database_of,
)
from uptime_desktop.cli.declared import STANDARD, read_text
from uptime_desktop.cli.output import print_json, print_line, print_table
from uptime_desktop.cli.parser import UsageError
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.exchange.counting import counted_text
from uptime_desktop.exchange.programs import PROGRAMS
from uptime_desktop.exchange.report import Fate
from uptime_desktop.exchange.whole_file import require_apart, write_text
from uptime_desktop.i18n import ntr, told, tr

_FORMATS: Final = ("toml", "backup", "csv")


def add_parser(commands: Commands, name: str, summary: str) -> None:
    parser = add_command(commands, name, summary)
    if name == "export":
        parser.add_argument(
            "file", metavar="FILE", nargs="?", help=tr("where to; default: standard output")
        )
        parser.add_argument(
            "--format",
            choices=_FORMATS,
            default="toml",
            help=tr("what is set (toml), everything with its history (backup), or runs (csv)"),
        )
        parser.add_argument(
            "--monitor", action="append", metavar="MONITOR", help=tr("with csv: only its runs")
        )
        parser.set_defaults(command=_export)
        return
    parser.add_argument(
        "file", metavar="FILE", help=tr("what the other program wrote; - is standard input")
    )
    parser.add_argument(
        "--from", dest="program", choices=PROGRAMS, help=tr("whose it is; default: by itself")
    )
    parser.add_argument(
        "--dry-run", action="store_true", help=tr("only say what would become of every field")
    )
    add_allow_secret_file(parser)
    parser.epilog = tr("Ends with 0 if it was taken, 2 if the file cannot be.")
    parser.set_defaults(command=_import)


def _export(arguments: Namespace) -> int:
    path = None if arguments.file in (None, STANDARD) else Path(arguments.file)
    if arguments.monitor and arguments.format != "csv":
        raise UsageError(tr("--monitor has no meaning without --format csv"))
    if path is not None:
        require_apart(path, database_of(arguments))
    if arguments.format == "toml":
        _export_toml(arguments, path)
    elif path is not None:
        _export_all(arguments, path.absolute())
    else:
        with tempfile.TemporaryDirectory() as place:
            written = Path(place) / "export"
            _export_all(arguments, written)
            with written.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
    return 0


def _export_toml(arguments: Namespace, path: Path | None) -> None:
    if path is None or not path.is_file():
        answer = ask(arguments, "export")
    else:
        before, name = read_text(arguments.file)
        answer = ask(arguments, "export", text=before, name=name)
    text = str(answer["text"])
    if path is not None:
        write_text(path, text)
    elif arguments.json:
        print_json(answer)
    else:
        sys.stdout.write(text)


def _export_all(arguments: Namespace, path: Path) -> None:
    if arguments.format == "csv":
        ask(arguments, "export_runs", path=str(path), monitors=arguments.monitor)
    else:
        ask(arguments, "back_up", path=str(path))


def _import(arguments: Namespace) -> int:
    if arguments.file == STANDARD:
        with tempfile.TemporaryDirectory() as place:
            read = Path(place) / "standard-input"
            with read.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
            return _import_from(arguments, read)
    path = Path(arguments.file).absolute()
    if not arguments.file or not path.exists():
        raise Refused("file", "{value} is not there", "a file", value=arguments.file)
    return _import_from(arguments, path)


def _import_from(arguments: Namespace, path: Path) -> int:
    try:
        answer = ask(
            arguments,
            "import",
            path=str(path),
            program=arguments.program,
            dry_run=arguments.dry_run,
            allow_secret_file=arguments.allow_secret_file,
        )
    except KeyboardInterrupt:
        print(tr("Cancelled; nothing was changed."), file=sys.stderr)
        raise
    if arguments.json:
        print_json(answer)
    elif "backup" in answer:
        _tell_backup(arguments, answer)
    else:
        _tell(arguments, answer)
    return 0


def _tell_backup(arguments: Namespace, answer: Answer) -> None:
    n = cast("dict[str, int]", answer["backup"]).get("monitors", 0)
    if arguments.dry_run:
        text = ntr("The backup is whole: {n} monitor.", "The backup is whole: {n} monitors.", n)
    else:
        text = ntr("{n} monitor restored.", "{n} monitors restored.", n)
    print_line(text.format(n=n))
    missing = cast("list[str]", answer["missing_secrets"])
    if missing:
        names = tr(", ").join(missing)
        print_line(
            tr("Secrets are not in a backup; these are to be entered: {names}").format(names=names)
        )


def _matters(line: dict[str, str]) -> bool:
    """Whether something of it is not as it was."""
    return line["fate"] not in (Fate.MAPPED, Fate.UNUSED)


def _tell(arguments: Namespace, answer: Answer) -> None:
    """Every field in a dry run, afterwards only what is not as it was."""
    lines = cast("list[dict[str, str]]", answer["report"])
    shown = [line for line in lines if arguments.dry_run or _matters(line)]
    rows = [
        [
            line["thing"],
            f"{line['path']} = {line['value']}" if line["value"] else line["path"],
            tr(line["fate"]),
            told(line["how"]),
        ]
        for line in shown
    ]
    if rows:
        print_table([tr("Of"), tr("Field"), tr("Became"), tr("How")], rows)
    counts = tr(", ").join(
        f"{sum(line['fate'] == fate for line in lines)} {tr(fate)}" for fate in Fate
    )
    print_line(tr("{program}: {counts}").format(program=answer["program"], counts=counts))
    for one in cast("list[dict[str, str]]", answer["not_taken"]):
        text = tr("Not taken over: {thing}: {reason}")
        print_line(text.format(thing=one["thing"], reason=told(one["why"])))
    print_line(counted_text(cast("dict[str, int]", answer["found"])))
    there = cast("list[str]", answer["already_there"])
    if there:
        n = len(there)
        text = ntr("{n} of them is here already.", "{n} of them are here already.", n)
        print_line(text.format(n=n))
    added = answer["added"]
    if isinstance(added, list):
        n = len(added)
        print_line(ntr("{n} monitor added.", "{n} monitors added.", n).format(n=n))
