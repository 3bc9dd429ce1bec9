"""The files around a database: its place, its backups, and what is set aside when it is damaged."""

import contextlib
import errno
import glob
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from uptime_desktop.domain.notation import instant_text
from uptime_desktop.store.errors import DATABASE_ERRORS, StoreError

BACKUPS_KEPT: Final = 3
_COMPANIONS: Final = ("-wal", "-shm")


def prepare_place(path: Path) -> None:
    """Make sure that there is a file we may write, creating it and its folder if need be.

    One that is there is not opened: closing it again would take away the locks that SQLite
    may hold on it elsewhere in this process.
    """
    cause = ""
    try:
        if path.is_dir():
            raise StoreError("{path} is a folder; name a file in it", path=str(path))
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        elif not _may_write(path):
            cause = os.strerror(errno.EACCES)
    except OSError as error:
        cause = error.strerror or type(error).__name__
    if cause:
        raise StoreError(
            "{path} cannot be opened for writing ({cause}); check its permissions and its disk",
            path=str(path),
            cause=cause,
        )


def has_log(path: Path) -> bool:
    """Whether changes wait in a log to be moved into the file."""
    log = _beside(path, "-wal")
    return log.exists() and log.stat().st_size > 0


def set_aside(path: Path, now: int) -> Path:
    """Rename a file, with what belongs to it, out of the way; where it went."""
    aside = _unused(path.with_name(f"{path.name}.damaged-{_stamp(now)}"))
    # The log first: were it left behind, SQLite would take it for that of the next file.
    for companion in (*_COMPANIONS, ""):
        with contextlib.suppress(FileNotFoundError):
            _beside(path, companion).rename(_beside(aside, companion))
    return aside


def back_up(connection: sqlite3.Connection, path: Path, version: int, now: int) -> Path:
    """Copy the whole database beside itself and forget the oldest copies."""
    backup = _unused(path.with_name(f"{path.name}.backup-{_stamp(now)}-v{version}"))
    unfinished = backup.with_name(f"{backup.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT, 0o600))
    connection.execute("VACUUM INTO ?", (str(unfinished),))
    unfinished.rename(backup)
    for old in backups(path)[BACKUPS_KEPT:]:
        old.unlink()
    return backup


def backups(path: Path) -> list[Path]:
    """Newest first: the date comes first in their names."""
    found = path.parent.glob(f"{glob.escape(path.name)}.backup-*-v*[0-9]")
    return sorted(found, reverse=True)


def newest_good_backup(path: Path, newest_version: int) -> Path | None:
    """The newest copy that passes SQLite's check and that this program can read."""
    return next((backup for backup in backups(path) if _is_good(backup, newest_version)), None)


def restore_backup(path: Path, backup: Path, now: int) -> Path:
    """Put a copy of a backup in the place of a closed database; where that one went."""
    aside = _unused(path.with_name(f"{path.name}.replaced-{_stamp(now)}"))
    incoming = path.with_name(f"{path.name}.unfinished")
    os.close(os.open(incoming, os.O_WRONLY | os.O_CREAT, 0o600))
    shutil.copyfile(backup, incoming)
    for companion in (*_COMPANIONS, ""):
        with contextlib.suppress(FileNotFoundError):
            _beside(path, companion).rename(_beside(aside, companion))
    incoming.rename(path)
    return aside


def is_whole(connection: sqlite3.Connection) -> bool:
    """Whether SQLite finds no damage. It reads the whole file: minutes for a gigabyte at worst."""
    try:
        return bool(connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",))
    except DATABASE_ERRORS:
        return False


@contextlib.contextmanager
def open_unchanged(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that leaves no trace; one without a log needs no place to write, either."""
    how = "mode=ro" if has_log(path) else "mode=ro&immutable=1"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)
    with contextlib.closing(connection):
        yield connection


def _may_write(path: Path) -> bool:
    effective = os.access in os.supports_effective_ids
    return os.access(path, os.R_OK | os.W_OK, effective_ids=effective)


def _is_good(backup: Path, newest_version: int) -> bool:
    try:
        with open_unchanged(backup) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            return 0 < version <= newest_version and is_whole(connection)
    except DATABASE_ERRORS:
        return False


def _beside(path: Path, companion: str) -> Path:
    return path.with_name(path.name + companion)


def _unused(path: Path) -> Path:
    candidate, number = path, 1
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.name}.{number}")
    return candidate


def _stamp(now: int) -> str:
    """Sorts by time and is allowed in file names everywhere."""
    return instant_text(now // 1_000 * 1_000).replace("-", "").replace(":", "")
