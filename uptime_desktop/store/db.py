"""Opens the file: creates it, brings it up to date, notices a crash, sets a damaged one aside."""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, TypeVar

from peewee import SqliteDatabase

from uptime_desktop.domain.wording import Sentence
from uptime_desktop.store.connection import (
    BUSY_MS,
    Readers,
    connect,
    durable,
    has_mark,
    mark_new,
    raw,
    read_application_id,
    transaction,
)
from uptime_desktop.store.errors import DATABASE_ERRORS, StoreError, is_damage, store_error
from uptime_desktop.store.files import (
    back_up,
    backups,
    has_log,
    is_whole,
    newest_good_backup,
    open_unchanged,
    prepare_place,
    set_aside,
)
from uptime_desktop.store.load import Loaded, load
from uptime_desktop.store.meta import Meta, get_meta, set_meta
from uptime_desktop.store.migrations import STEPS, Step
from uptime_desktop.store.runs import record_interrupted
from uptime_desktop.store.salvage import salvage
from uptime_desktop.store.writer import Writer

APPLICATION_ID: Final = 0x55706474
"""`Updt` in the header of the file, so that no other program's database is taken for ours."""

_DAMAGED: Final = "{path} is damaged; start the app, which sets it aside and saves what it can"
_FOREIGN: Final = "{path} is another program's database; name another file"

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Store:
    """An opened database: `read` from any thread, write through the one `Writer`."""

    def __init__(self, path: Path):
        self.path = path
        self._readers = Readers(path)
        self._writer: Writer | None = None

    def read(
        self, act: Callable[Concatenate[SqliteDatabase, _P], _T], *args: _P.args, **named: _P.kwargs
    ) -> _T:
        """What `act` finds, all of it at one moment: `store.read(newest_runs, 7, limit=50)`."""
        try:
            with self._readers.borrow() as db:
                return act(db, *args, **named)
        except DATABASE_ERRORS as error:
            raise store_error(error, self.path) from error

    def load(self) -> Loaded:
        return self.read(load)

    def start_writer(self, now: Callable[[], int], *, busy_ms: int = BUSY_MS) -> Writer:
        """The one thread that writes; `now` is the wall clock, `busy_ms` how long it waits for
        another program to let go of the file before it holds results in memory."""
        if self._writer is not None:
            raise RuntimeError("one file has one writer")
        self._writer = Writer(self.path, now, busy_ms=busy_ms)
        return self._writer

    def close(self) -> int:
        """Close everything; how many changes could not be written."""
        self._readers.close()
        writer = self._writer or Writer(self.path, lambda: 0)
        return writer.close()


@dataclass(frozen=True, slots=True)
class Opened:
    """`notices` are sentences for people; `backup` can replace a file that had to be set aside."""

    store: Store
    notices: tuple[Sentence, ...] = ()
    backup: Path | None = None


class _Damaged(Exception):
    """The file is one of ours, and broken."""


def open_store(
    path: Path,
    now: int,
    *,
    busy_ms: int = BUSY_MS,
    steps: Sequence[Step] = STEPS,
    start_over: bool = True,
) -> Opened:
    """Open a database, creating it if there is none; `StoreError` if it cannot be had.

    A damaged file is set aside and a new one begun, or, without `start_over`, refused.
    After a crash this reads the whole file once, so call it off the thread that paints.
    """
    prepare_place(path)
    try:
        _require_ours(path)
        _ready(path, now, busy_ms, steps)
    except _Damaged:
        if start_over:
            return _start_over(path, now, busy_ms, steps)
        raise StoreError(_DAMAGED, path=str(path)) from None
    except DATABASE_ERRORS as error:
        raise store_error(error, path) from error
    return Opened(Store(path))


def examine(path: Path, *, steps: Sequence[Step] = STEPS) -> None:
    """Read all of a database without changing it; `StoreError` says what is wrong with it."""
    try:
        if read_application_id(path) != APPLICATION_ID:
            raise StoreError(_FOREIGN, path=str(path))
        with open_unchanged(path) as connection:
            _accepted_version(connection, path, len(steps))
            if not is_whole(connection):
                raise StoreError(_DAMAGED, path=str(path))
    except DATABASE_ERRORS as error:
        raise store_error(error, path) from error


def _require_ours(path: Path) -> None:
    """Refuse a file that is not ours before anything in it is changed; mark one that is new.

    A file without our mark, but with backups or a log of changes beside it, is ours and damaged.
    """
    is_empty = path.stat().st_size == 0
    try:
        if not is_empty and read_application_id(path) == APPLICATION_ID:
            return
    except DATABASE_ERRORS as error:
        if not is_damage(error):
            raise
        if not (has_mark(path, APPLICATION_ID) or backups(path) or has_log(path)):
            raise StoreError(
                "{path} is not an Uptime Desktop database; name another file", path=str(path)
            ) from error
        raise _Damaged from error
    if backups(path) or has_log(path):
        raise _Damaged
    if not is_empty:
        raise StoreError(_FOREIGN, path=str(path))
    mark_new(path, APPLICATION_ID)


def _ready(path: Path, now: int, busy_ms: int, steps: Sequence[Step]) -> None:
    """Bring the file up to date and note that it is in use."""
    try:
        db = connect(path, busy_ms=busy_ms)
    except DATABASE_ERRORS as error:
        raise _explained(error, path) from error
    try:
        connection = raw(db)
        version = _accepted_version(connection, path, len(steps))
        if version and get_meta(db, Meta.IN_USE) and not is_whole(connection):
            raise _Damaged
        path.chmod(0o600)
        _migrate(connection, path, version, steps, now)
        with durable(connection), transaction(connection):
            record_interrupted(db)
            set_meta(db, Meta.IN_USE, 1)
        load(db)
    except DATABASE_ERRORS as error:
        raise _explained(error, path) from error
    finally:
        db.close()


def _accepted_version(connection: sqlite3.Connection, path: Path, newest: int) -> int:
    """The version of the file, 0 for a new one; refused if it is from the future."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > newest:
        raise StoreError(
            "{path} was written by a newer version of Uptime Desktop (format {version}, "
            "this one knows {newest}); update Uptime Desktop to open it",
            path=str(path),
            version=version,
            newest=newest,
        )
    return int(version)


def _migrate(
    connection: sqlite3.Connection, path: Path, version: int, steps: Sequence[Step], now: int
) -> None:
    """Take the steps the file has not been through, each whole, after one copy of it as it was."""
    if 0 < version < len(steps):
        back_up(connection, path, version, now)
    for number, step in enumerate(steps[version:], version + 1):
        # Rebuilding a table would otherwise cascade; the check before the commit stands in.
        connection.execute("PRAGMA foreign_keys = OFF")
        with transaction(connection):
            step(connection)
            if connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise StoreError("{path} could not be brought up to date", path=str(path))
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("PRAGMA foreign_keys = ON")


def _explained(error: Exception, path: Path) -> Exception:
    return _Damaged() if is_damage(error) else store_error(error, path)


def _start_over(path: Path, now: int, busy_ms: int, steps: Sequence[Step]) -> Opened:
    """A new file in the place of a damaged one, with what could be saved of it."""
    aside = set_aside(path, now)
    notices = [
        Sentence(
            "{path} was damaged and has been set aside as {name}.", path=str(path), name=aside.name
        )
    ]
    prepare_place(path)
    try:
        mark_new(path, APPLICATION_ID)
        _ready(path, now, busy_ms, steps)
    except _Damaged:
        raise StoreError(
            "{path} is damaged again at once; check the disk", path=str(path)
        ) from None
    db = connect(path, busy_ms=busy_ms)
    try:
        monitors = salvage(raw(db), aside, len(steps))
    finally:
        db.close()
    if monitors:
        kept = "A new file has {n} of its monitors, without their history."
        notices.append(Sentence(kept, n=monitors))
    else:
        notices.append(Sentence("A new, empty file was started."))
    backup = newest_good_backup(path, len(steps))
    if backup is not None:
        whole = "The backup {name} is whole and can be put in its place."
        notices.append(Sentence(whole, name=backup.name))
    return Opened(Store(path), tuple(notices), backup)
