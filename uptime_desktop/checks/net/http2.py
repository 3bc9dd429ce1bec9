"""One HTTP/2 exchange on a connection opened for it: a request out, an answer and trailers back.

What is asked, and whether the answer is a good one, is for the protocol above to say.
"""

import asyncio
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.net.connection import Connection
from uptime_desktop.checks.redaction import without
from uptime_desktop.checks.trail import Trail
from uptime_desktop.domain.wording import words

if TYPE_CHECKING:
    from h2.connection import H2Connection
    from h2.events import Event

ALPN: Final = "h2"
_STREAM: Final = 1
# More than this around a body is an attack: frames that say nothing cost us the most.
_MOST_FRAMING_BYTES: Final = 131_072
# A slice of the smallest frames is a few milliseconds of work: let others run between them.
_SLICE_BYTES: Final = 2_048
_MOST_SHOWN: Final = 60
_LAWLESS: Final = words("the server breaks the rules of HTTP/2")


@dataclass(slots=True)
class StreamAnswer:
    """What came back, as far as it came. `code` is 0 until the headers are there."""

    code: int = 0
    headers: list[tuple[str, str]] = field(default_factory=list)
    trailers: list[tuple[str, str]] = field(default_factory=list)
    body: bytearray = field(default_factory=bytearray)
    is_complete: bool = False


class Exchange:
    """One request on one stream; the answer is filled as it comes.

    `most_body` must fit the window that every server is granted, 65 535 bytes. `secrets` must not
    come back in a reason.
    """

    __slots__ = ("_most_body", "_protocol", "_received", "_secrets", "_trail", "answer")

    def __init__(
        self, trail: Trail, answer: StreamAnswer, most_body: int, secrets: Collection[str] = ()
    ) -> None:
        self.answer = answer
        self._trail = trail
        self._most_body = most_body
        self._secrets = secrets
        self._received = 0
        self._protocol = _protocol()

    async def run(
        self, connection: Connection, headers: Sequence[tuple[bytes, bytes]], body: bytes
    ) -> None:
        protocol = self._protocol
        protocol.initiate_connection()
        protocol.send_headers(_STREAM, headers)
        protocol.send_data(_STREAM, body, end_stream=True)
        await connection.send(protocol.data_to_send())
        while not self.answer.is_complete:
            await self._receive(await connection.receive())
            reply = protocol.data_to_send()
            if reply and not self.answer.is_complete:
                await connection.send(reply)

    async def _receive(self, data: bytes) -> None:
        if not self._received:
            self._trail.received = data
            _require_http2(data)
        elif not data:
            raise Failed(
                "connection closed before the end of the answer"
                if self.answer.code
                else "connection closed without an answer"
            )
        self._received += len(data)
        if self._received > self._most_body + _MOST_FRAMING_BYTES:
            raise Failed("the server sends frames without end")
        for at in range(0, len(data), _SLICE_BYTES):
            if at:
                await asyncio.sleep(0)
            for event in self._events(data[at : at + _SLICE_BYTES]):
                self._take(event)
                if self.answer.is_complete:
                    return

    def _events(self, data: bytes) -> "list[Event]":
        from h2.exceptions import DenialOfServiceError, ProtocolError  # noqa: PLC0415

        try:
            return self._protocol.receive_data(data)
        except DenialOfServiceError:
            raise Failed("the headers of the answer are larger than 64 KiB") from None
        except ProtocolError:
            raise Failed(_LAWLESS) from None

    def _take(self, event: "Event") -> None:
        from h2 import events  # noqa: PLC0415

        answer = self.answer
        if isinstance(event, events.ResponseReceived):
            self._trail.begin(None)
            headers = _texts(event.headers or ())
            answer.code = _code(headers)
            answer.headers = [header for header in headers if header[0] != ":status"]
        elif isinstance(event, events.DataReceived):
            answer.body += event.data or b""
            if len(answer.body) > self._most_body:
                raise Failed("the answer is larger than {most} bytes", most=self._most_body)
        elif isinstance(event, events.TrailersReceived):
            answer.trailers = _texts(event.headers or ())
        elif isinstance(event, events.StreamEnded):
            answer.is_complete = True
        elif isinstance(event, events.StreamReset):
            raise Failed("the server reset the stream: {error}", error=_named(event.error_code))
        elif isinstance(event, events.ConnectionTerminated):
            raise self._farewell(event.error_code, event.additional_data or b"")

    def _farewell(self, code: int | None, said: bytes) -> Failed:
        text = without(said.decode("ascii", "replace"), self._secrets)[:_MOST_SHOWN]
        if not text.strip() or not text.isprintable():
            return Failed("the server ended the connection: {error}", error=_named(code))
        return Failed(
            "the server ended the connection: {error}, {said}", error=_named(code), said=text
        )


def _protocol() -> "H2Connection":
    # 14 ms that a program without such monitors never pays.
    from h2.config import H2Configuration  # noqa: PLC0415
    from h2.connection import H2Connection  # noqa: PLC0415
    from h2.settings import SettingCodes, Settings  # noqa: PLC0415

    protocol = H2Connection(
        # The headers are ours, and valid; those of the server need not be UTF-8.
        H2Configuration(
            header_encoding=None, validate_outbound_headers=False, normalize_outbound_headers=False
        )
    )
    protocol.local_settings = Settings(
        client=True,
        initial_values={
            SettingCodes.ENABLE_PUSH: 0,
            SettingCodes.MAX_HEADER_LIST_SIZE: H2Connection.DEFAULT_MAX_HEADER_LIST_SIZE,
        },
    )
    return protocol


def _require_http2(first: bytes) -> None:
    if not first:
        raise Failed("connection closed without an answer")
    if b"HTTP/".startswith(first[:5]):
        raise Failed("the server answers in HTTP/1, not in HTTP/2")
    # A server begins with its settings, a frame of type 4, and never with a long one.
    if first[0] or first[3:4] not in {b"", b"\x04"}:
        raise Failed("the server's answer is not HTTP/2")


def _code(headers: list[tuple[str, str]]) -> int:
    written = next((value for name, value in headers if name == ":status"), "")
    if not re.fullmatch(r"[1-9][0-9]{2}", written):
        raise Failed(_LAWLESS)
    return int(written)


def _texts(headers: Sequence[tuple[bytes | str, bytes | str]]) -> list[tuple[str, str]]:
    return [(_text(name), _text(value)) for name, value in headers]


def _text(data: bytes | str) -> str:
    return data if isinstance(data, str) else data.decode("utf-8", "replace")


def _named(code: int | None) -> str:
    """HTTP/2's own name of an error, `REFUSED_STREAM`, or its number."""
    return str(getattr(code, "name", code))
