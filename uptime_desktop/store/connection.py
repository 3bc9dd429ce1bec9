"""Connections to the file: how they are set up, borrowed for reading, and used in transactions."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Final, cast

from peewee import SqliteDatabase

PAGE_BYTES: Final = 512
"""The smallest there are: a group of a few runs dirties a few pages all over the file, and what
is written is pages, not rows. Measured: half the bytes of 1 KiB pages, reads about as fast."""

CHECKPOINT_PAGES: Final = 16_000
"""Rarely moved from the log into the file, so that a page changed often is moved once."""

BUSY_MS: Final = 1_000


def connect(path: Path, *, busy_ms: int = BUSY_MS, read_only: bool = False) -> SqliteDatabase:
    """An open connection that any one thread at a time may use."""
    pragmas: list[tuple[str, str | int]] = [
        ("page_size", PAGE_BYTES),
        ("journal_mode", "wal"),
        ("synchronous", "normal"),
        ("foreign_keys", 1),
        ("wal_autocheckpoint", CHECKPOINT_PAGES),
        ("journal_size_limit", PAGE_BYTES * CHECKPOINT_PAGES),
        ("temp_store", "memory"),
    ]
    if read_only:
        pragmas = [("query_only", 1)]
    db = SqliteDatabase(
        str(path),
        pragmas=pragmas,
        timeout=busy_ms / 1_000,
        thread_safe=False,
        check_same_thread=False,
    )
    db.connect()
    return db


def mark_new(path: Path, application_id: int) -> None:
    """Begin an empty file. The mark is in the file itself, not only in a log, from the start."""
    connection = sqlite3.connect(path, isolation_level=None)
    with contextlib.closing(connection):
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute(f"PRAGMA application_id = {application_id}")


def read_application_id(path: Path) -> int:
    """Whose database this is, without changing anything in it.

    Not by reading the file ourselves: closing it would take away the locks that SQLite may hold
    on it elsewhere in this process, and another process would then delete the log under it.
    """
    address = f"{path.absolute().as_uri()}?mode=ro"
    with contextlib.closing(sqlite3.connect(address, uri=True, timeout=0)) as connection:
        (found,) = connection.execute("PRAGMA application_id").fetchone()
        return int(found)


def has_mark(path: Path, application_id: int) -> bool:
    """Whether the header names this application; for a file that SQLite cannot read any more."""
    with path.open("rb") as file:
        header = file.read(100)
    named = int.from_bytes(header[68:72], "big")
    return header.startswith(b"SQLite format 3\0") and named == application_id


def raw(db: SqliteDatabase) -> sqlite3.Connection:
    """The driver's connection, for statements too hot to be built by a query builder."""
    return cast(sqlite3.Connection, db.connection())  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All or nothing. A full disk ends a transaction by itself: rolling back must not mind."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextlib.contextmanager
def durable(connection: sqlite3.Connection) -> Iterator[None]:
    """A commit inside is on disk before it returns, not only safe from a crash of the program."""
    connection.execute("PRAGMA synchronous = FULL")
    try:
        yield
    finally:
        connection.execute("PRAGMA synchronous = NORMAL")


class Readers:
    """Connections for reading, opened as needed and kept for the next reader."""

    def __init__(self, path: Path):
        self._path = path
        self._idle: list[SqliteDatabase] = []
        self._lock = Lock()
        self._is_closed = False

    @contextlib.contextmanager
    def borrow(self) -> Iterator[SqliteDatabase]:
        """A connection of one's own, inside which everything is seen at one moment."""
        with self._lock:
            db = self._idle.pop() if self._idle else None
        db = db or connect(self._path, read_only=True)
        try:
            raw(db).execute("BEGIN")
            yield db
        finally:
            if raw(db).in_transaction:
                raw(db).execute("ROLLBACK")
            self._give_back(db)

    def close(self) -> None:
        """Close what is idle now and whatever comes back later."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for db in idle:
            db.close()

    def _give_back(self, db: SqliteDatabase) -> None:
        with self._lock:
            if not self._is_closed:
                self._idle.append(db)
                return
        db.close()
