"""What can go wrong with the file, in one sentence each."""

import sqlite3
from pathlib import Path
from typing import Final

import peewee

from uptime_desktop.domain.refusal import UserError
from uptime_desktop.domain.wording import Say, Sentence, words

DATABASE_ERRORS: Final = (
    sqlite3.Error,
    peewee.DatabaseError,
    peewee.InterfaceError,
    UnicodeDecodeError,
)
"""What a statement raises: peewee's own where it builds the query, the driver's elsewhere, and
from either what becomes of damaged text."""

_BUSY: Final = words("{path} is in use by another program; close that program and try again")
_SENTENCES: Final = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_FULL: words("the disk that holds {path} is full; free some space"),
    sqlite3.SQLITE_READONLY: words("{path} cannot be written; check its permissions and its disk"),
    sqlite3.SQLITE_PERM: words("{path} may not be opened; check its permissions"),
    sqlite3.SQLITE_AUTH: words("{path} may not be opened; check its permissions"),
    sqlite3.SQLITE_CANTOPEN: words(
        "{path} cannot be opened; check that its folder is there and writable"
    ),
    sqlite3.SQLITE_IOERR: words(
        "the disk that holds {path} does not answer properly; check the disk"
    ),
    sqlite3.SQLITE_NOTADB: words("{path} is not an Uptime Desktop database; name another file"),
    sqlite3.SQLITE_CORRUPT: words("{path} is damaged; start Uptime Desktop again to set it aside"),
}
_OUTSIDE_CAUSES: Final = frozenset(_SENTENCES) | {sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PROTOCOL}


class StoreError(UserError):
    """The store cannot do it, for a reason a person can act on.

    `problem` is a template and `values` fill it, so that it can be translated.
    """

    def __init__(self, problem: str, **values: str | int):
        super().__init__(problem)
        self.sentence = Sentence(problem, **values)

    def text(self, say: Say = str) -> str:
        return self.sentence.text(say)

    def __str__(self) -> str:
        return self.sentence


class NoPlace(StoreError):
    """There is nowhere to keep a secret, as long as nobody agrees to a file."""


def store_error(error: Exception, path: Path) -> StoreError:
    """The sentence for an error of the database."""
    problem = _SENTENCES.get(primary_code(error), words("{path} cannot be used: {detail}"))
    detail = str(error.args[-1] if error.args else error)
    return StoreError(problem, path=str(path), detail=detail)


def is_outside_cause(error: Exception) -> bool:
    """Whether disk, lock or permissions are at fault, so that trying again later makes sense."""
    return primary_code(error) in _OUTSIDE_CAUSES


def is_damage(error: Exception) -> bool:
    """Text that is not UTF-8 counts too: the driver fails on it, even inside error messages."""
    return isinstance(error, UnicodeDecodeError) or primary_code(error) in (
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    )


def primary_code(error: Exception) -> int:
    """SQLite's result code without its finer half; peewee wraps the error that carries it."""
    for candidate in (error, *error.args, error.__context__):
        code = getattr(candidate, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_IOERR_SHMSIZE:
            # The file that is shared by all who read could not grow.
            return sqlite3.SQLITE_FULL
        if isinstance(code, int):
            return code & 0xFF
    return sqlite3.SQLITE_ERROR
