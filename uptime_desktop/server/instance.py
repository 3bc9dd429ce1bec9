"""One running program per database: a lock that dies with it, and a note how to reach it."""

import json
import os
import secrets
import socket
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Final

_PATIENCE_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the running program listens, and the word that proves we may ask."""

    port: int
    token: str
    pid: int


def new_token() -> str:
    return secrets.token_urlsafe(32)


class Instance:
    """The right to be the one program that runs on a database."""

    def __init__(self, database: Path) -> None:
        self._lock_path = database.with_name(database.name + ".lock")
        self._note_path = database.with_name(database.name + ".control")
        self._lock: IO[str] | None = None

    def acquire(self) -> bool:
        """Take the lock; False if another program holds it."""
        self._lock_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = self._lock_path.open("a+")
        if not _lock(lock) or _answers(self._note()):
            lock.close()
            return False
        self._lock = lock
        # A note that somebody left behind is no longer true.
        self._note_path.unlink(missing_ok=True)
        return True

    def announce(self, endpoint: Endpoint) -> None:
        """Let commands find us; nobody but the owner may read how."""
        draft = self._note_path.with_name(self._note_path.name + ".new")
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(asdict(endpoint), file)
        draft.replace(self._note_path)

    def release(self) -> None:
        if self._lock is not None:
            note = self._note()
            if note is not None and note.pid == os.getpid():
                self._note_path.unlink(missing_ok=True)
            self._lock.close()
            self._lock = None

    def endpoint(self) -> Endpoint | None:
        """Where the running program listens, if one does.

        Who was killed leaves a note behind but no lock.
        """
        note = self._note()
        if note is None:
            return None
        with suppress(OSError), self._lock_path.open("a+") as lock:
            return None if _lock(lock) and not _answers(note) else note
        return None

    def _note(self) -> Endpoint | None:
        with suppress(OSError, ValueError, TypeError):
            return Endpoint(**json.loads(self._note_path.read_text()))
        return None


def _answers(note: Endpoint | None) -> bool:
    """Whether who wrote the note still listens: somebody may have deleted the lock under them."""
    if note is None or note.pid == os.getpid():
        return False
    with suppress(OSError), socket.create_connection(("127.0.0.1", note.port), _PATIENCE_S):
        return True
    return False


def _lock(file: IO[str]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - exists on Windows only

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415 - exists elsewhere only

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
