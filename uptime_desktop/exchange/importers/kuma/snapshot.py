"""A private copy of Uptime Kuma's database, which may be in use: read only, and then gone.

What the program has not yet written into the file itself, but beside it (`-wal`), is in it too.
The file of the user is never opened as a database: that alone could change it.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from uptime_desktop.domain.refusal import Refused, Word
from uptime_desktop.exchange.importers.kuma.table import MOST_FIELDS, MOST_TABLES, require_few
from uptime_desktop.exchange.importers.kuma.taking import one_line
from uptime_desktop.exchange.reading import begins_with

SQLITE: Final = b"SQLite format 3\0"
"""What a database begins with."""

MOST_BYTES: Final = 16 * 1024**3
MOST_ROWS: Final = MOST_TABLES
_MOST_CHARACTERS: Final = 64 * 1024 * 1024
_MOST_VALUE_BYTES: Final = 4 * 1024 * 1024
_TRIES: Final = 5
_NEEDED: Final = frozenset({"monitor", "heartbeat", "notification"})
_MOST_TABLES: Final = 500
_STEPS: Final = 1_000_000
_MOST_STEPS: Final = 2_000
"""Millions of steps of the database's machine: minutes, where a whole file takes seconds."""

Row = dict[str, object]


class Snapshot:
    """The copy, as long as it is open."""

    def __init__(self, connection: sqlite3.Connection, name: str) -> None:
        self._connection = connection
        self._name = name
        self._steps = 0
        self._characters = self._fields = 0
        self.tables = self._find_tables()

    def columns(self, table: str) -> Sequence[str]:
        if table not in self.tables:
            return ()
        found = self._connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return [str(name) for (name,) in found]

    def rows(self, table: str) -> list[Row]:
        """All rows of a table of definitions; none if there is no such table."""
        if table not in self.tables:
            return []
        cursor = self._connection.execute(f"SELECT * FROM {_quoted(table)} LIMIT {MOST_ROWS + 1}")
        names = [str(column[0]) for column in cursor.description]
        found: list[Row] = []
        for values in cursor:
            found.append(dict(zip(names, values, strict=True)))
            self._characters += sum(len(one) for one in values if isinstance(one, str | bytes))
            self._fields += len(values)
            require_few(table, len(found), MOST_ROWS)
            require_few(table, self._fields, MOST_FIELDS)
            require_few(table, self._characters, _MOST_CHARACTERS)
        return found

    def count(self, table: str) -> int:
        found = self._connection.execute(f"SELECT COUNT(*) FROM {_quoted(table)}").fetchone()
        return int(found[0])

    def stream(
        self, table: str, columns: Sequence[str], order: str
    ) -> Iterator[tuple[object, ...]]:
        """These columns of all rows, by monitor and then by `order`; with no more in memory."""
        names = ", ".join(map(_quoted, columns))
        # Sorted by the index that is there for it, or, in a file without one, on the disk.
        sql = f"SELECT {names} FROM {_quoted(table)} ORDER BY monitor_id, {_quoted(order)}"
        return self._connection.execute(sql)

    def numbers(self, table: str) -> set[int]:
        """The monitors that a table speaks of."""
        if "monitor_id" not in self.columns(table):
            return set()
        sql = f"SELECT DISTINCT monitor_id FROM {_quoted(table)} LIMIT {MOST_ROWS}"
        return {one for (one,) in self._connection.execute(sql) if isinstance(one, int)}

    def take_any_time(self) -> None:
        """From now on a long history may take as long as it does."""
        self._connection.set_progress_handler(None, 0)

    def _find_tables(self) -> frozenset[str]:
        self._connection.set_progress_handler(self._is_over, _STEPS)
        sql = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        found = self._connection.execute(f"{sql} LIMIT {_MOST_TABLES}").fetchall()
        # A table that is none could do anything when it is read.
        tables = frozenset(
            str(name) for name, made in found if "VIRTUAL" not in str(made).upper().split()[:2]
        )
        if not tables >= _NEEDED:
            problem = "{value} is no database of Uptime Kuma"
            raise Refused("file", problem, "its kuma.db", value=self._name)
        return tables

    def _is_over(self) -> bool:
        self._steps += 1
        return self._steps > _MOST_STEPS


@contextmanager
def snapshot(path: Path) -> Iterator[Snapshot]:
    """The copy of a database; refused if it is none, or not Uptime Kuma's."""
    if not begins_with(path, SQLITE):
        problem = "{value} is no SQLite database, or an encrypted one"
        raise Refused("file", problem, "the kuma.db of Uptime Kuma", value=path.name)
    try:
        with tempfile.TemporaryDirectory(prefix="uptime-desktop-") as folder:
            copy = _copied(path, Path(folder))
            with closing(_connected(copy)) as connection:
                opened = Snapshot(connection, path.name)
                _forget(folder)
                yield opened
    except (sqlite3.Error, UnicodeDecodeError) as error:
        # Not even what is said of a damaged file need be a text.
        problem = "{value} cannot be read: {reason}"
        reason = Word(one_line(str(error)))
        allowed = "a whole file, copied while Uptime Kuma was stopped"
        raise Refused("file", problem, allowed, value=path.name, reason=reason) from error


def _copied(path: Path, folder: Path) -> Path:
    beside = path.with_name(path.name + "-wal")
    copy = folder / "kuma.db"
    try:
        _require_room(path, beside, folder)
        for _ in range(_TRIES):
            before = _state(path)
            shutil.copyfile(path, copy)
            if beside.exists():
                shutil.copyfile(beside, folder / "kuma.db-wal")
            # What is beside it is only moved into the file while that changes.
            if _state(path) == before:
                return copy
    except OSError as error:
        problem = "{value} cannot be copied: {reason}"
        reason = Word(error.strerror or "")
        raise Refused("file", problem, "a file", value=str(path), reason=reason) from error
    problem = "{value} is being written to"
    raise Refused("file", problem, "a file at rest: stop Uptime Kuma first", value=path.name)


def _forget(folder: str) -> None:
    """What is open needs no name, and without one it is gone even if we are killed."""
    # Windows keeps what is open.
    with suppress(OSError):
        for one in Path(folder).iterdir():
            one.unlink()


def _require_room(path: Path, beside: Path, folder: Path) -> None:
    size = path.stat().st_size + (beside.stat().st_size if beside.exists() else 0)
    most = min(MOST_BYTES, shutil.disk_usage(folder).free)
    if size > most:
        n = most // 1024**2
        problem = "{value} is too large to be copied"
        raise Refused("file", problem, "up to {n} MiB", value=path.name, n=n)


def _state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _connected(copy: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{copy.as_uri()}?mode=ro", uri=True, check_same_thread=False)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE_BYTES)
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
