"""One HTTP exchange: a request out, an answer back, over a connection opened for it.

The seam for other ways to the server: `routed` has the one for a proxy or HTTP/2.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import h11

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.http.body import Body
from uptime_desktop.checks.http.request import Request
from uptime_desktop.checks.net.connection import Connection, connect
from uptime_desktop.checks.net.resolver import Resolver
from uptime_desktop.checks.net.trust import context_for, secure
from uptime_desktop.checks.trail import Trail

_MOST_HEAD_BYTES: Final = 65_536
# More than this around a body is an attack, as in chunks of one byte, and costs us the most.
_MOST_FRAMING_BYTES: Final = 131_072
_MOST_INTERIM: Final = 16
# A body in chunks of one byte is thousands of events a read: let others run between them.
_EVENTS_A_TURN: Final = 64
_END: Final = h11.EndOfMessage()


@dataclass(slots=True)
class Answer:
    """What came back, as far as it came."""

    version: str
    code: int
    phrase: str
    headers: list[tuple[str, str]]
    body: Body

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")


class Transport(Protocol):
    async def exchange(
        self, request: Request, timeout_s: float, trail: Trail, begun: Callable[[Answer], None]
    ) -> None:
        """Call `begun` when the headers are there, then fill the answer's body.

        Raises `Failed`; what had come by then stays with the trail and the answer.
        """


class DirectTransport:
    """HTTP/1.1 straight to the server."""

    def __init__(
        self, resolver: Resolver | None = None, wall_clock_s: Callable[[], float] = time.time
    ) -> None:
        self._resolver = resolver or Resolver()
        self._wall_clock_s = wall_clock_s

    async def exchange(
        self, request: Request, timeout_s: float, trail: Trail, begun: Callable[[Answer], None]
    ) -> None:
        url = request.url
        trail.received = b""
        context = await context_for(request.tls) if url.is_tls else None
        trail.begin("dns")
        endpoints = await self._resolver.endpoints(url.host, url.port, request.ip_version)
        trail.begin("connect")
        connection = await connect(endpoints, timeout_s, trail)
        try:
            if context is not None:
                trail.begin("tls")
                await secure(connection, context, url.server_name, trail, self._wall_clock_s())
            trail.begin("first_byte")
            await converse(connection, request, trail, begun)
        finally:
            connection.close()


async def converse(
    connection: Connection,
    request: Request,
    trail: Trail,
    begun: Callable[[Answer], None],
    written: h11.Request | None = None,
) -> None:
    """Speak HTTP/1.1; `written` is the request, where it must look other than usual."""
    protocol = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MOST_HEAD_BYTES)
    try:
        await connection.send(_sent(protocol, written or request.event, request.body))
    except Failed:
        # A server may answer and close before it has read everything: the answer counts.
        if not request.body:
            raise
    answer: Answer | None = None
    reader = Reader(connection, protocol, trail)
    while True:
        event = await reader.next(answer)
        if isinstance(event, h11.Response):
            answer = _answer(event, request.max_body)
            begun(answer)
        elif isinstance(event, h11.Data) and answer is not None:
            body = answer.body
            body.feed(bytes(event.data))
            while body.pending is not None:
                await asyncio.sleep(0)
                body.go_on()
            if body.is_full:
                return
        elif event is None or isinstance(event, h11.EndOfMessage):
            return


class Reader:
    """Events out of bytes, with every way a server can break the protocol put into words."""

    def __init__(self, connection: Connection, protocol: h11.Connection, trail: Trail) -> None:
        self._connection = connection
        self._protocol = protocol
        self._trail = trail
        self._received = 0
        self._interim = 0
        self._events = 0
        self._is_at_end = False

    async def next(self, answer: Answer | None) -> object:
        """The next event that matters; None when enough was read."""
        while True:
            self._events += 1
            if self._events % _EVENTS_A_TURN == 0:
                await asyncio.sleep(0)
            try:
                event = self._protocol.next_event()
            except h11.RemoteProtocolError as error:
                raise self._broken(error, answer) from None
            if isinstance(event, h11.InformationalResponse):
                self._interim += 1
                if self._interim > _MOST_INTERIM:
                    raise Failed("the server sends interim answers without end")
            elif event is not h11.NEED_DATA:
                return event
            elif self._received - _body_bytes(answer) > _MOST_FRAMING_BYTES:
                return None
            else:
                await self._read()

    async def _read(self) -> None:
        data = await self._connection.receive()
        if not self._trail.received:
            self._trail.begin(None)
            self._trail.received = data
            if not data:
                raise Failed("connection closed without an answer")
            if not b"HTTP/".startswith(data[:5]):
                raise Failed("the server's answer is not HTTP")
        self._is_at_end = not data
        self._received += len(data)
        self._protocol.receive_data(data)

    def _broken(self, error: h11.RemoteProtocolError, answer: Answer | None) -> Failed:
        if error.error_status_hint == 431:
            return Failed("the headers of the answer are larger than 64 KiB")
        if answer is None:
            if self._is_at_end:
                return Failed("connection closed in the middle of the headers")
            return Failed("the server's answer is not HTTP")
        if self._is_at_end:
            return Failed("connection closed before the end of the body")
        return Failed("the body of the answer is malformed")


def _body_bytes(answer: Answer | None) -> int:
    return answer.body.wire_bytes if answer is not None else 0


def _sent(protocol: h11.Connection, event: h11.Request, body: bytes) -> bytes:
    parts = [protocol.send(event)]
    if body:
        parts.append(protocol.send(h11.Data(data=body)))
    parts.append(protocol.send(_END))
    return b"".join(part for part in parts if part)


def _answer(event: h11.Response, max_body: int) -> Answer:
    headers = [
        (name.decode("latin-1"), value.decode("utf-8", "replace"))
        for name, value in event.headers.raw_items()
    ]
    version, phrase = event.http_version.decode("ascii"), event.reason.decode("latin-1")
    return make_answer(version, event.status_code, phrase, headers, max_body)


def make_answer(
    version: str, code: int, phrase: str, headers: list[tuple[str, str]], max_body: int
) -> Answer:
    """An answer whose body is still to come."""
    answer = Answer(version, code, phrase, headers, Body("", max_body))
    encoding = answer.header("content-encoding")
    if encoding:
        answer.body = Body(encoding, max_body)
    return answer
