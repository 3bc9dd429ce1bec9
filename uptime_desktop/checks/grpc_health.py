"""The two messages of the gRPC health protocol, and how a call frames and ends them: pure.

The messages have one field each, so they are written and read here without a library.
"""

from enum import IntEnum
from typing import Final
from urllib.parse import unquote_to_bytes

from uptime_desktop.checks.failure import Failed
from uptime_desktop.domain.wording import words

PATH: Final = "/grpc.health.v1.Health/Check"
MOST_ANSWER_BYTES: Final = 4_096
_PREFIX_BYTES: Final = 5
_MOST_VARINT_BYTES: Final = 10
_SERVICE_FIELD: Final = b"\x0a"
_STATUS_FIELD: Final = 1
_MALFORMED: Final = words("the message is not the answer of a health service")
_STATUS_NAMES: Final = (
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
)


class Health(IntEnum):
    """What a server says of itself or of one of its services."""

    UNKNOWN = 0
    SERVING = 1
    NOT_SERVING = 2
    SERVICE_UNKNOWN = 3


class _Wire(IntEnum):
    """How a field of a message is written; groups are long gone."""

    VARINT = 0
    EIGHT_BYTES = 1
    COUNTED = 2
    FOUR_BYTES = 5


def status_name(code: int) -> str:
    """gRPC's own name of the way a call ended."""
    return _STATUS_NAMES[code] if code < len(_STATUS_NAMES) else "?"


def said_in(message: str) -> str:
    """The text of a `grpc-message` trailer, which is percent-encoded."""
    return unquote_to_bytes(message).decode("utf-8", "replace")


def framed_request(service: str) -> bytes:
    """The question, ready to be sent; no service means the server as a whole."""
    name = service.encode()
    message = _SERVICE_FIELD + _varint(len(name)) + name if name else b""
    return b"\x00" + len(message).to_bytes(4, "big") + message


def health_in(data: bytes) -> Health | int:
    """The state in a framed answer; a number where the protocol has grown since."""
    if not data:
        raise Failed("the answer has no message")
    if data[0] == 1:
        raise Failed("the message is compressed, which was not asked for")
    if data[0]:
        raise Failed(_MALFORMED)
    size = int.from_bytes(data[1:_PREFIX_BYTES], "big")
    message = data[_PREFIX_BYTES:]
    if len(data) < _PREFIX_BYTES or len(message) < size:
        raise Failed("the message is cut off")
    if len(message) > size:
        raise Failed("more than one message came")
    number = _status_in(message)
    return Health(number) if number in frozenset(Health) else number


def _status_in(message: bytes) -> int:
    """The one field that matters; others are passed over, the last of several counts."""
    number = at = 0
    while at < len(message):
        tag, at = _read_varint(message, at)
        field, wire = tag >> 3, tag & 0b111
        if not 0 < field < 1 << 29 or (field == _STATUS_FIELD and wire != _Wire.VARINT):
            raise Failed(_MALFORMED)
        value = 0
        match wire:
            case _Wire.VARINT:
                value, at = _read_varint(message, at)
            case _Wire.COUNTED:
                size, at = _read_varint(message, at)
                at += size
            case _Wire.EIGHT_BYTES:
                at += 8
            case _Wire.FOUR_BYTES:
                at += 4
            case _:
                raise Failed(_MALFORMED)
        if at > len(message):
            raise Failed(_MALFORMED)
        if field == _STATUS_FIELD:
            number = value
    return number


def _varint(number: int) -> bytes:
    written = bytearray()
    while number > 0x7F:
        written.append(number & 0x7F | 0x80)
        number >>= 7
    written.append(number)
    return bytes(written)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The number, and where what follows begins."""
    number = 0
    for place, byte in enumerate(data[at : at + _MOST_VARINT_BYTES]):
        number |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return number, at + place + 1
    raise Failed(_MALFORMED)
