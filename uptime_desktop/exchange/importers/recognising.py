"""Tells whose file it is, and has it read."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from uptime_desktop.domain.refusal import Refused, Word
from uptime_desktop.domain.wording import words
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers import gatus, healthchecks, uptime_watcher
from uptime_desktop.exchange.importers.kuma import backup as kuma_backup
from uptime_desktop.exchange.importers.kuma import database as kuma_database
from uptime_desktop.exchange.importers.kuma.snapshot import SQLITE
from uptime_desktop.exchange.programs import PROGRAMS
from uptime_desktop.exchange.reading import begins_with, is_file, json_of, opened, read_bytes

_YAML: Final = (".yaml", ".yml")
_BEGINNINGS: Final = (b"{", b"[")
_KUMA_DATABASE: Final = "kuma.db"
_KUMA_SETTINGS: Final = "db-config.json"
_DUMPS: Final = (b"-- MySQL dump", b"-- MariaDB dump", b"/*!", b"/*M!", b"-- phpMyAdmin SQL Dump")
_OURS: Final = b"Updt"
_HEADER_BYTES: Final = 72
"""Up to and with the mark that says whose database it is."""


def _read_kuma(path: Path, now: int) -> Found:
    _refuse_other_databases(path)
    if is_file(path / _KUMA_DATABASE):
        path = path / _KUMA_DATABASE
    if begins_with(path, SQLITE):
        return kuma_database.read(path, now)
    return kuma_backup.read(path, now)


_READERS: Final[Mapping[str, Callable[[Path, int], Found]]] = {
    "uptime-kuma": _read_kuma,
    "gatus": gatus.read,
    "healthchecks": healthchecks.read,
    "uptime-watcher": uptime_watcher.read,
}


def read(path: Path, program: str | None, now: int) -> Found:
    """What there is in the file of a program, which tells by itself whose it is unless that is
    said."""
    program = program or program_of(path)
    if program not in _READERS:
        allowed = Word(", ".join(PROGRAMS))
        problem = "{value} is not a program that is known"
        raise Refused("from", problem, "{names}", value=program, names=allowed)
    return _READERS[program](path, now)


def program_of(path: Path) -> str:
    """The program whose file this is; refused if it is nobody's that we know."""
    _refuse_other_databases(path)
    if is_file(path / _KUMA_DATABASE):
        return "uptime-kuma"
    if path.is_dir() or path.suffix.lower() in _YAML:
        return "gatus"
    if path.suffix.lower() == ".toml":
        problem = "{value} is a configuration file"
        raise Refused("file", problem, "uptime-desktop apply FILE", value=path.name)
    if begins_with(path, SQLITE):
        _refuse_own(path)
        return "uptime-kuma"
    content = read_bytes(path)
    if not path.suffix and content.lstrip()[:1] not in _BEGINNINGS:
        # As from standard input: what is not JSON may be YAML.
        return "gatus"
    document = json_of(content, path.name)
    for name, recognises in (
        ("uptime-kuma", kuma_backup.recognises),
        ("healthchecks", healthchecks.recognises),
        ("uptime-watcher", uptime_watcher.recognises),
    ):
        if recognises(document):
            return name
    problem = "{value} is no file of a program that is known"
    labels = Word(", ".join(PROGRAMS.values()))
    raise Refused("file", problem, "a file of {labels}", value=path.name, labels=labels)


def _refuse_other_databases(path: Path) -> None:
    """Refuse what shows that Uptime Kuma has its data in MariaDB: its settings, alone or in its
    folder, where an old `kuma.db` may be left, or an SQL dump."""
    settings = path / _KUMA_SETTINGS if path.is_dir() else path
    if settings.name == _KUMA_SETTINGS and is_file(settings):
        found = json_of(read_bytes(settings), settings.name)
        if isinstance(found, dict) and found.get("type") != "sqlite":
            raise _only_sqlite(
                words("{value} says that Uptime Kuma keeps its data in MariaDB"), settings
            )
    if path.suffix.lower() == ".sql" or any(begins_with(path, mark) for mark in _DUMPS):
        raise _only_sqlite(words("{value} is an SQL dump"), path)


def _only_sqlite(problem: str, path: Path) -> Refused:
    return Refused("file", problem, "the kuma.db of Uptime Kuma, or its backup", value=path.name)


def _refuse_own(path: Path) -> None:
    """Refuse a database of ours, which is opened as it is."""
    with opened(path) as file:
        header = file.read(_HEADER_BYTES)
    if header.endswith(_OURS):
        problem = "{value} is a database of Uptime Desktop"
        raise Refused("file", problem, "uptime-desktop run --db FILE", value=path.name)
