"""Puts a new file in the place of an old one, whole or not at all."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from uptime_desktop.domain.refusal import Refused, Unable
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.reading import is_file, mark_of

_PRIVATE: Final = 0o600


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which is there under its name only once all of it is written.

    One that is replaced keeps who may read it; a new one is for its owner alone.
    """
    draft: Path | None = None
    target = _resolved(path)
    try:
        if target.exists() and not target.is_file():
            # A pipe or a device, which another file must not take the place of.
            with os.fdopen(_descriptor(path), "wb") as file:
                yield file
            return
        if target.exists() and not os.access(target, os.W_OK):
            # Another in its place would be no way round that.
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        mode = target.stat().st_mode & 0o777 if target.exists() else _PRIVATE
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".uptime-desktop-")
        draft = Path(name)
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(mode)
        draft.replace(target)
    except OSError as error:
        raise unwritten(path, error) from error
    finally:
        if draft is not None:
            with suppress(OSError):
                draft.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a text, in the encoding of the file that it replaces."""
    mark, encoding = mark_of(path) if is_file(path) else (b"", "utf-8")
    with whole_file(path) as file:
        file.write(mark + text.encode(encoding))


def _descriptor(path: Path) -> int:
    """Of a pipe only if somebody reads from it already: nobody may ever do."""
    descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(descriptor, True)
    return descriptor


def require_apart(path: Path, database: Path) -> None:
    """Refuse to write over the database, or a name that files beside it may have."""
    target, own = _resolved(path), _resolved(database)
    if target.parent == own.parent and target.name.startswith(own.name):
        problem = "{value} is a name of the database and of what belongs to it"
        raise Refused("file", problem, "another name", value=str(path))


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        # Links that lead in a circle are no error of the system.
        raise unwritten(path, error) from error


def unwritten(path: Path, error: Exception) -> Unable:
    """Why a file could not be written."""
    reason = error.strerror if isinstance(error, OSError) else None
    sentence = "{path} cannot be written: {reason}"
    return Unable(Sentence(sentence, path=str(path), reason=reason or str(error)))
