"""Reads files that anybody may have written: bounded, and refused in one sentence if unusable."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from uptime_desktop.domain.refusal import Refused, Word

MOST_BYTES: Final = 32 * 1024 * 1024
_MOST_CONTAINERS: Final = 1_000_000
_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file to read from; what cannot be read is refused."""
    try:
        if path.exists() and not path.is_file():
            # A pipe may never end, or never begin.
            raise Refused("file", "{value} is no file", "a file", value=str(path))
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise unreadable(path, error) from error


def begins_with(path: Path, mark: bytes) -> bool:
    """Whether it is a file that begins like this."""
    with suppress(OSError, Refused), opened(path) as file:
        return file.read(len(mark)) == mark
    return False


def is_file(path: Path) -> bool:
    """Whether it is a file, as far as can be seen."""
    with suppress(OSError):
        return path.is_file()
    return False


def read_bytes(path: Path) -> bytes:
    """All of a file that is not too large."""
    with opened(path) as file:
        return read_stream(file, path.name)


def read_stream(stream: BinaryIO, name: str) -> bytes:
    """All that comes, unless that is too much."""
    content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        most = MOST_BYTES // 1024 // 1024
        raise Refused("file", "{value} is too large", "up to {n} MiB", value=name, n=most)
    return content


def unreadable(path: Path, error: OSError) -> Refused:
    problem, reason = "{value} cannot be read: {reason}", Word(error.strerror or error)
    return Refused("file", problem, "a file", value=str(path), reason=reason)


def text_of(content: bytes, name: str) -> str:
    """The text in a file: UTF-8, or UTF-16 that says so."""
    mark, encoding = _mark(content)
    try:
        text = content.removeprefix(mark).decode(encoding)
    except UnicodeDecodeError as error:
        problem = "{value} is not text in UTF-8 (byte {n})"
        raise Refused("file", problem, "UTF-8", value=name, n=error.start) from error
    if "\0" in text:
        n = text.count("\n", 0, text.index("\0")) + 1
        problem = "{value} has a NUL character in line {n}"
        raise Refused("file", problem, "text", value=name, n=n)
    return text


def mark_of(path: Path) -> tuple[bytes, str]:
    """What a file that is there begins with to tell its encoding, and that encoding."""
    try:
        with path.open("rb") as file:
            return _mark(file.read(max(len(mark) for mark, _ in _MARKS)))
    except OSError:
        return _mark(b"")


def _mark(content: bytes) -> tuple[bytes, str]:
    return next((one for one in _MARKS if content.startswith(one[0])), (b"", "utf-8"))


def json_of(content: bytes, name: str) -> object:
    """The JSON value in a file."""
    if content.count(b"[") + content.count(b"{") > _MOST_CONTAINERS:
        # Each takes many times the room in memory that it takes in the file.
        problem = "{value} has too many lists and tables"
        raise Refused("file", problem, "up to {n}", value=name, n=_MOST_CONTAINERS)
    text = text_of(content, name)
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        problem = "{value} is not JSON: {reason}"
        raise Refused("file", problem, "a whole file", value=name, reason=Word(error)) from error
    except RecursionError as error:
        problem = "{value} is nested too deeply"
        raise Refused("file", problem, "a file as it was exported", value=name) from error
