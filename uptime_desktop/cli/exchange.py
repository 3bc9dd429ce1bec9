"""The commands that write all there is to files and take what other programs wrote."""

import shutil
import sys
import tempfile
from argparse import Namespace
from pathlib import Path
from typing import Final, cast

from uptime_desktop.cli.commands import Answer, Commands, Failed, add_command, ask
from uptime_desktop.cli.declared import STANDARD, read_text
from uptime_desktop.cli.output import print_json, print_line, print_table
from uptime_desktop.domain.wording import words
from uptime_desktop.exchange.whole_file import write_text
from uptime_desktop.i18n import ntr, told, tr

_PROGRAMS: Final = ("uptime-kuma", "gatus", "healthchecks", "uptime-watcher")
_FORMATS: Final = ("toml", "backup", "csv")
_FATES: Final = {
    "mapped": words("mapped"),
    "approximated": words("approximated"),
    "not supported": words("not supported"),
    "not in use": words("not in use"),
}


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
    parser.add_argument("file", metavar="FILE", help=tr("what the other program wrote"))
    parser.add_argument(
        "--from", dest="program", choices=_PROGRAMS, help=tr("whose it is; default: by itself")
    )
    parser.add_argument(
        "--dry-run", action="store_true", help=tr("only say what would become of every field")
    )
    parser.add_argument(
        "--allow-secret-file",
        action="store_true",
        help=tr("where there is no keyring, keep passwords in a file that only you can read"),
    )
    parser.set_defaults(command=_import)


def _export(arguments: Namespace) -> int:
    path = None if arguments.file in (None, STANDARD) else Path(arguments.file)
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
    path = Path(arguments.file).absolute()
    if not path.exists():
        raise Failed(tr("{path} is not there").format(path=arguments.file))
    answer = ask(
        arguments,
        "import",
        path=str(path),
        program=arguments.program,
        dry_run=arguments.dry_run,
        allow_secret_file=arguments.allow_secret_file,
    )
    if arguments.json:
        print_json(answer)
    elif "backup" in answer:
        _tell_backup(arguments, cast("dict[str, int]", answer["backup"]))
    else:
        _tell(arguments, answer)
    return 0


def _tell_backup(arguments: Namespace, rows: dict[str, int]) -> None:
    n = rows.get("monitors", 0)
    if arguments.dry_run:
        text = ntr("The backup is whole: {n} monitor.", "The backup is whole: {n} monitors.", n)
    else:
        text = ntr("{n} monitor restored.", "{n} monitors restored.", n)
    print_line(text.format(n=n))


def _matters(line: dict[str, str]) -> bool:
    """Whether something of it is not as it was."""
    return line["fate"] not in ("mapped", "not in use")


def _tell(arguments: Namespace, answer: Answer) -> None:
    """Every field in a dry run, afterwards only what is not as it was."""
    lines = cast("list[dict[str, str]]", answer["report"])
    shown = [line for line in lines if arguments.dry_run or _matters(line)]
    rows = [
        [
            line["thing"],
            f"{line['path']} = {line['value']}" if line["value"] else line["path"],
            tr(_FATES[line["fate"]]),
            told(line["how"]),
        ]
        for line in shown
    ]
    if rows:
        print_table([tr("Of"), tr("Field"), tr("Became"), tr("How")], rows)
    counts = tr(", ").join(
        f"{sum(line['fate'] == fate for line in lines)} {tr(word)}" for fate, word in _FATES.items()
    )
    print_line(tr("{program}: {counts}").format(program=answer["program"], counts=counts))
    found = cast("dict[str, int]", answer["found"])
    print_line(
        tr(
            "{monitors} monitors, {sites} sites, {channels} channels,"
            " {windows} maintenance windows, {pasts} with history"
        ).format(**found)
    )
    there = cast("list[str]", answer["already_there"])
    if there:
        n = len(there)
        text = ntr("{n} of them is here already.", "{n} of them are here already.", n)
        print_line(text.format(n=n))
    added = answer["added"]
    if isinstance(added, list):
        n = len(added)
        print_line(ntr("{n} monitor added.", "{n} monitors added.", n).format(n=n))
