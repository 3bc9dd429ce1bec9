"""An answer by HTTP/2, read as far as it is wanted."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from uptime_desktop.checks.http.request import Request
from uptime_desktop.checks.http.transport import Answer, make_answer
from uptime_desktop.checks.net.connection import Connection
from uptime_desktop.checks.net.http2 import Exchange, StreamAnswer
from uptime_desktop.checks.trail import Trail

if TYPE_CHECKING:
    from h2.events import Event

_STREAM: Final = 1
# Frames of a hundred bytes are small, but no attack.
_FRAMING_SHARE: Final = 8
_FRAME_HEAD, _GOAWAY, _LARGEST_FAREWELL = 9, b"\x07", 1_024
# They are about a connection, and HTTP/2 has its own words for it.
_NOT_SENT: Final = frozenset({"host", "connection", "keep-alive", "proxy-connection", "te"})


async def converse_by_http2(
    connection: Connection, request: Request, trail: Trail, begun: Callable[[Answer], None]
) -> None:
    await _PageExchange(trail, request.max_body, begun).run(
        connection, _headers(request), request.body
    )


class _PageExchange(Exchange):
    """One whose bodies, ours and the server's, may be longer than what is granted at once."""

    __slots__ = ("_begun", "_farewells", "_max_body", "_page", "_unsent")

    def __init__(self, trail: Trail, max_body: int, begun: Callable[[Answer], None]) -> None:
        # What may come grows with the body: headers alone get no more than their share.
        super().__init__(trail, StreamAnswer(), most_body=0)
        self._begun = begun
        self._farewells = _Farewells()
        self._max_body = max_body
        self._page: Answer | None = None
        self._unsent = b""

    async def run(
        self, connection: Connection, headers: Sequence[tuple[bytes, bytes]], body: bytes
    ) -> None:
        protocol = self._protocol
        protocol.initiate_connection()
        protocol.send_headers(_STREAM, headers, end_stream=not body)
        self._unsent = body
        self._send_what_is_granted()
        await connection.send(protocol.data_to_send())
        while not self.answer.is_complete:
            await self._receive(await connection.receive())
            if self.answer.is_complete:
                return
            self._send_what_is_granted()
            reply = protocol.data_to_send()
            if reply:
                await connection.send(reply)

    def _send_what_is_granted(self) -> None:
        protocol = self._protocol
        while self._unsent:
            granted = protocol.local_flow_control_window(_STREAM)
            size = min(granted, protocol.max_outbound_frame_size, len(self._unsent))
            if size <= 0:
                return
            piece, self._unsent = self._unsent[:size], self._unsent[size:]
            protocol.send_data(_STREAM, piece, end_stream=not self._unsent)

    def _events(self, data: bytes) -> "list[Event]":
        return super()._events(self._farewells.removed(data))

    def _take(self, event: "Event") -> None:
        from h2 import events  # noqa: PLC0415

        # It is HTTP/2: frames are nothing to show to people.
        self._trail.received = b""
        if isinstance(event, events.DataReceived) and self._page is not None:
            self._read(event.data or b"", event.flow_controlled_length or 0)
        else:
            super()._take(event)
        if isinstance(event, events.ResponseReceived):
            answer = self.answer
            self._page = make_answer("2", answer.code, "", answer.headers, self._max_body)
            self._begun(self._page)

    def _read(self, data: bytes, length: int) -> None:
        assert self._page is not None
        body = self._page.body
        body.feed(data)
        while body.pending is not None:
            body.go_on()
        self._most_body += len(data) + len(data) // _FRAMING_SHARE
        if body.is_full:
            self.answer.is_complete = True
        elif length:
            self._protocol.acknowledge_received_data(length, _STREAM)


class _Farewells:
    """Takes out the frames by which a server that goes says that it still answers this request.

    The library would hear no more of it after one.
    """

    __slots__ = ("_kept", "_passing")

    def __init__(self) -> None:
        self._kept = b""
        self._passing = 0

    def removed(self, data: bytes) -> bytes:
        """What is left of the bytes; the beginning of a frame is kept until more is there."""
        data = self._kept + data
        passed = bytearray()
        at = 0
        while at < len(data):
            if not self._passing:
                size = _FRAME_HEAD + int.from_bytes(data[at : at + 3], "big")
                is_farewell = data[at + 3 : at + 4] == _GOAWAY and size <= _LARGEST_FAREWELL
                if len(data) - at < (size if is_farewell else _FRAME_HEAD):
                    break
                if is_farewell and _still_answers(data[at + _FRAME_HEAD : at + size]):
                    at += size
                    continue
                self._passing = size
            piece = data[at : at + self._passing]
            passed += piece
            at += len(piece)
            self._passing -= len(piece)
        self._kept = data[at:]
        return bytes(passed)


def _still_answers(farewell: bytes) -> bool:
    last_stream, error = int.from_bytes(farewell[:4], "big"), farewell[4:8]
    return last_stream >= _STREAM and error == bytes(4)


def _headers(request: Request) -> list[tuple[bytes, bytes]]:
    named = {name.lower(): value for name, value in request.headers}
    url = request.url
    headers = [
        (":method", request.method),
        (":scheme", url.scheme),
        (":authority", named.get("host", url.authority)),
        (":path", url.target),
        *((name, value) for name, value in named.items() if name not in _NOT_SENT),
    ]
    return [(name.encode("ascii"), value.encode()) for name, value in headers]
