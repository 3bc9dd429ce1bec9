"""Reads files that anybody may have written: bounded, and refused in one sentence if unusable."""

from pathlib import Path
from typing import Final

import msgspec

from uptime_desktop.domain.refusal import Refused, Word

MOST_BYTES: Final = 32 * 1024 * 1024
_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))


def read_bytes(path: Path) -> bytes:
    """All of a file that is not too large; what cannot be read is refused."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        problem = "{value} cannot be read: {reason}"
        reason = Word(error.strerror or "")
        raise Refused("file", problem, "a file", value=str(path), reason=reason) from error
    if len(content) > MOST_BYTES:
        most = MOST_BYTES // 1024 // 1024
        raise Refused("file", "{value} is too large", "up to {n} MiB", value=path.name, n=most)
    return content


def text_of(content: bytes, name: str) -> str:
    """The text in a file: UTF-8, or UTF-16 that says so."""
    encoding = next((one for mark, one in _MARKS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        problem = "{value} is not text in UTF-8 (byte {n})"
        raise Refused("file", problem, "UTF-8", value=name, n=error.start) from error
    if "\0" in text:
        n = text.count("\n", 0, text.index("\0")) + 1
        problem = "{value} has a NUL character in line {n}"
        raise Refused("file", problem, "text", value=name, n=n)
    return text


def json_of(content: bytes, name: str) -> object:
    """The JSON value in a file."""
    text = text_of(content, name)
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        problem = "{value} is not JSON: {reason}"
        raise Refused("file", problem, "a whole file", value=name, reason=Word(error)) from error
    except RecursionError as error:
        problem = "{value} is nested too deeply"
        raise Refused("file", problem, "a file as it was exported", value=name) from error
