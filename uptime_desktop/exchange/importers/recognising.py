"""Tells whose file it is, and has it read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from uptime_desktop.domain.refusal import Refused, Word
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers import gatus, healthchecks, uptime_watcher
from uptime_desktop.exchange.importers.kuma import backup as kuma_backup
from uptime_desktop.exchange.importers.kuma import database as kuma_database
from uptime_desktop.exchange.reading import json_of, read_bytes

_SQLITE: Final = b"SQLite format 3\0"
_YAML: Final = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Program:
    """A program that people move in from."""

    id: str
    label: str
    read: Callable[[Path, int], Found]


def _read_kuma(path: Path, now: int) -> Found:
    if _begins_with(path, _SQLITE):
        return kuma_database.read(path, now)
    return kuma_backup.read(path, now)


PROGRAMS: Final[Mapping[str, Program]] = {
    one.id: one
    for one in (
        Program("uptime-kuma", "Uptime Kuma", _read_kuma),
        Program("gatus", "Gatus", gatus.read),
        Program("healthchecks", "Healthchecks", healthchecks.read),
        Program("uptime-watcher", "Uptime-Watcher", uptime_watcher.read),
    )
}


def program_named(name: str) -> Program:
    if name not in PROGRAMS:
        allowed = Word(", ".join(PROGRAMS))
        problem = "{value} is not a program that is known"
        raise Refused("from", problem, "{names}", value=name, names=allowed)
    return PROGRAMS[name]


def program_of(path: Path) -> Program:
    """The program whose file this is; refused if it is nobody's that we know."""
    if path.is_dir() or path.suffix.lower() in _YAML:
        return PROGRAMS["gatus"]
    if _begins_with(path, _SQLITE):
        return PROGRAMS["uptime-kuma"]
    document = json_of(read_bytes(path), path.name)
    for name, recognises in (
        ("uptime-kuma", kuma_backup.recognises),
        ("healthchecks", healthchecks.recognises),
        ("uptime-watcher", uptime_watcher.recognises),
    ):
        if recognises(document):
            return PROGRAMS[name]
    problem = "{value} is no file of a program that is known"
    labels = Word(", ".join(one.label for one in PROGRAMS.values()))
    raise Refused("file", problem, "a file of {labels}", value=path.name, labels=labels)


def _begins_with(path: Path, mark: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(mark)) == mark
    except OSError:
        return False
