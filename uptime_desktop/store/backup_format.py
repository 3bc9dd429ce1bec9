"""How a backup is written down: one JSON document, each part of it on a line of its own.

    {"format": "uptime-desktop-backup", "version": 1, "schema": 3, "made_at": "…Z", "parts": [
    {"table": "sites", "columns": ["number", …], "rows": [[1,…],…]},
    …
    ],
    "rows": 4711, "sha256": "…"}

So it is read and written line by line, however long it is. The checksum is that of all bytes
before its own first digit. It allows no other spelling, so a line must be spelt as it is here, down
to the spaces: no key can stand twice. Blobs are in base64.
"""

import contextlib
import hashlib
import os
import re
import sqlite3
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, BinaryIO, Final

import msgspec

from uptime_desktop.domain.heartbeats import Signal
from uptime_desktop.domain.notation import instant_text, parse_instant
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import Sentence, words
from uptime_desktop.long_work import Progress
from uptime_desktop.store.codes import INTERRUPTED, MERGED, RESOLUTION_CODE, SOURCE, STATUS
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.incidents import Act, Severity
from uptime_desktop.store.migrations import STEPS
from uptime_desktop.store.outbox import OCCASION_CODE, Fate

TABLES: Final = (
    *("meta", "settings", "sites", "monitors", "states", "reasons", "runs", "evidence"),
    *("incidents", "incident_entries", "outbox", "deliveries", "pings", "windows", "channels"),
    *("rollups", "open_buckets"),
)
"""All there are, each after what it refers to; the parts of a backup come in this order."""

ROWS_A_PART: Final = 500
BYTES_A_PART: Final = 1024 * 1024
MOST_LINE_BYTES: Final = 8 * 1024 * 1024
"""Room for a single row far larger than any should be."""

_VERSION: Final = 1
_HEADER_BYTES: Final = 300
_BEGINNING: Final = re.compile(rb'\{"format": "uptime-desktop-backup", "version": ([0-9]{1,9}), ')
_HEADER: Final = re.compile(
    rb'"schema": ([0-9]{1,9}), "made_at": "([0-9TZ:.-]{1,40})", "parts": \[\n'
)
_PART: Final = re.compile(rb'\{"table": "([a-z_]{1,40})", "columns": ')
_END_OF_PARTS: Final = b"],\n"
_TRAILER: Final = re.compile(rb'("rows": ([0-9]{1,18}), "sha256": ")([0-9a-f]{64})"\}\n')
_NEWER: Final = words(
    "this backup was made by a newer version of Uptime Desktop; update Uptime Desktop to restore it"
)

_TYPES: Final[Mapping[str, Any]] = {
    "INTEGER": Annotated[int, msgspec.Meta(ge=-(1 << 63), le=(1 << 63) - 1)],
    "TEXT": str,
    "REAL": float,
    "BLOB": bytes,
}
_CODES: Final[Mapping[tuple[str, str], Iterable[int]]] = {
    ("runs", "status"): (*STATUS, INTERRUPTED),
    ("runs", "source"): SOURCE,
    ("incidents", "kind"): STATUS,
    ("incidents", "severity"): Severity,
    ("outbox", "occasion"): OCCASION_CODE.values(),
    ("outbox", "fate"): Fate,
    ("rollups", "resolution"): (MERGED,),
    ("open_buckets", "resolution"): RESOLUTION_CODE.values(),
}
"""Columns of small numbers that stand for words, from 0 up to the largest there is."""

_WORDS: Final[Mapping[tuple[str, str], type[StrEnum]]] = {
    ("pings", "signal"): Signal,
    ("incident_entries", "act"): Act,
}

Row = tuple[int | float | str | bytes | None, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of some schema. `head` is how each of its parts begins."""

    name: str
    columns: tuple[str, ...]
    head: bytes
    decoder: msgspec.json.Decoder[list[Row]]


@cache
def tables_of(schema: int) -> Mapping[str, Table]:
    """The tables as that many steps of migration make them, in the order of a backup."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        for step in STEPS[:schema]:
            step(connection)
        found = {
            name: connection.execute(f"PRAGMA table_info({name})").fetchall() for name in TABLES
        }
    return {name: _table(name, columns) for name, columns in found.items() if columns}


def _table(name: str, columns: Sequence[tuple[int, str, str, int, object, int]]) -> Table:
    names = tuple(column for _, column, *_ in columns)
    kinds = tuple(
        _kind(name, column, declared, is_nullable=not (is_required or is_key))
        for _, column, declared, is_required, _, is_key in columns
    )
    listed = msgspec.json.encode(names).replace(b",", b", ")
    head = b'{"table": "%s", "columns": %s, "rows": ' % (name.encode(), listed)
    rows = types.GenericAlias(list, (types.GenericAlias(tuple, kinds),))
    return Table(name, names, head, msgspec.json.Decoder(rows))


def _kind(table: str, column: str, declared: str, *, is_nullable: bool) -> Any:
    """What a value of this column must be, as msgspec checks it."""
    kind = _TYPES[declared]
    if codes := _CODES.get((table, column)):
        kind = Annotated[int, msgspec.Meta(ge=0, le=int(max(codes)))]
    elif known := _WORDS.get((table, column)):
        kind = Annotated[str, msgspec.Meta(pattern=rf"^({'|'.join(known)})\Z")]
    return kind | None if is_nullable else kind


class BackupWriter:
    """Writes the lines of a backup, adding up what its last line says."""

    def __init__(self, file: BinaryIO, schema: int, made_at: int) -> None:
        self.rows = 0
        self._file = file
        self._sum = hashlib.sha256()
        self._between = b"\n"
        made = instant_text(made_at)
        about = f'"version": {_VERSION}, "schema": {schema}, "made_at": "{made}", "parts": ['
        self._write(b'{"format": "uptime-desktop-backup", ' + about.encode())

    def add(self, table: Table, rows: Iterable[Row]) -> None:
        """Write rows, in several parts if they are large."""
        part: list[bytes] = []
        size = 0
        for row in rows:
            text = msgspec.json.encode(row)
            if part and size + len(text) > BYTES_A_PART:
                self._add_part(table, part)
                part, size = [], 0
            part.append(text)
            size += len(text)
        if part:
            self._add_part(table, part)

    def finish(self) -> None:
        self._write(b"\n" + _END_OF_PARTS)
        self._write(f'"rows": {self.rows}, "sha256": "'.encode())
        self._write(f'{self._sum.hexdigest()}"}}\n'.encode())

    def _add_part(self, table: Table, part: Sequence[bytes]) -> None:
        rows = b"[" + b",".join(part) + b"]"
        try:
            # What could not be read again would be no backup.
            table.decoder.decode(rows)
        except ValueError as error:
            unusual = "the table {table} holds what no backup can: {detail}"
            raise StoreError(unusual, table=table.name, detail=str(error)) from error
        line = self._between + table.head + rows + b"}"
        if len(line) > MOST_LINE_BYTES:
            too_large = "the table {table} has a row that is too large for a backup"
            raise StoreError(too_large, table=table.name)
        self._write(line)
        self._between = b",\n"
        self.rows += len(part)

    def _write(self, content: bytes) -> None:
        self._file.write(content)
        self._sum.update(content)


class BackupReader:
    """Reads a backup from its beginning, trusting nothing in it.

    `parts` refuses the whole at its end if the checksum does not fit, so whatever is done with
    a part must be undone then.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._size = file.seek(0, os.SEEK_END)
        self._done = file.seek(0)
        self._line_number = 0
        self._sum = hashlib.sha256()
        self.schema, self.made_at = self._header()
        self.tables = tables_of(self.schema)

    def parts(self, progress: Progress) -> Iterator[tuple[Table, list[Row]]]:
        order = list(self.tables)
        position = rows_read = 0
        while (line := self._line(MOST_LINE_BYTES)) != _END_OF_PARTS:
            table, rows = self._part(line)
            if order.index(table.name) < position:
                raise self._unreadable(Sentence("{table} is not in its place", table=table.name))
            position = order.index(table.name)
            rows_read += len(rows)
            self._sum.update(line)
            progress(self._done, self._size)
            yield table, rows
        self._sum.update(line)
        self._trailer(rows_read)
        progress(self._done, self._size)

    def _header(self) -> tuple[int, int]:
        line = self._file.readline(_HEADER_BYTES)
        self._line_number, self._done = 1, len(line)
        self._sum.update(line)
        beginning = _BEGINNING.match(line)
        if beginning is None:
            raise StoreError("this file is not a backup of Uptime Desktop; choose another")
        if int(beginning[1]) > _VERSION:
            raise StoreError(_NEWER)
        header = _HEADER.fullmatch(line, beginning.end())
        if header is None or int(beginning[1]) < _VERSION:
            raise self._unreadable(Sentence("it does not begin as a backup does"))
        schema = int(header[1])
        if schema > len(STEPS):
            raise StoreError(_NEWER)
        try:
            made_at = parse_instant("made_at", header[2].decode())
        except Refused as error:
            raise self._unreadable(error.text()) from error
        if schema < 1:
            raise self._unreadable(Sentence("it does not begin as a backup does"))
        return schema, made_at

    def _part(self, line: bytes) -> tuple[Table, list[Row]]:
        named = _PART.match(line)
        if named is None:
            raise self._unreadable(Sentence("it is not a part of a backup"))
        name = named[1].decode()
        table = self.tables.get(name)
        if table is None:
            raise self._unreadable(Sentence("there is no table {table}", table=name))
        if not line.startswith(table.head):
            raise self._unreadable(Sentence("{table} has other columns", table=name))
        content = line[len(table.head) :].removesuffix(b"\n").removesuffix(b",")
        if not content.endswith(b"}"):
            raise self._unreadable(Sentence("it is not a part of a backup"))
        try:
            return table, table.decoder.decode(content[:-1])
        except ValueError as error:
            raise self._unreadable(str(error)) from error

    def _trailer(self, rows_read: int) -> None:
        trailer = _TRAILER.fullmatch(self._line(_HEADER_BYTES))
        if trailer is None or self._file.read(1):
            raise self._unreadable(Sentence("it does not end as a backup does"))
        self._sum.update(trailer[1])
        if self._sum.hexdigest().encode() != trailer[3] or int(trailer[2]) != rows_read:
            raise StoreError("this backup was changed or damaged since it was made; use another")

    def _line(self, most_bytes: int) -> bytes:
        line = self._file.readline(most_bytes + 1)
        self._line_number += 1
        self._done += len(line)
        if len(line) > most_bytes:
            raise self._unreadable(Sentence("it is too long"))
        if not line.endswith(b"\n"):
            cut = "this backup ends too early, in line {n}; copy it again or use another"
            raise StoreError(cut, n=self._line_number)
        return line

    def _unreadable(self, detail: str) -> StoreError:
        unreadable = "line {n} of this backup cannot be used: {detail}"
        return StoreError(unreadable, n=self._line_number, detail=detail)
