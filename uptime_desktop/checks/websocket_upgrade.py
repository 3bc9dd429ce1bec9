"""From an HTTP request to an open WebSocket, or to what the server answers instead."""

import asyncio
import contextlib
import re
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, cast

import h11

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.net.connection import Connection
from uptime_desktop.checks.redaction import shown_url
from uptime_desktop.checks.trail import Trail

if TYPE_CHECKING:
    from websockets.client import ClientProtocol
    from websockets.http11 import Response

_MOST_HEAD_BYTES: Final = 65_536
_MOST_BODY_BYTES: Final = 2_048
_BODY_S: Final = 1.0
_MOST_SHOWN: Final = 60
_SWITCHES: Final = re.compile(rb"HTTP/1\.[01] 101\b")
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_KNOWN_CODES: Final = frozenset(HTTPStatus)


@dataclass(slots=True)
class Answer:
    """What the server says to the request; `body` is only there where it refuses."""

    status_line: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")


async def upgrade(
    connection: Connection,
    protocol: "ClientProtocol",
    request: bytes,
    trail: Trail,
    answer: Answer,
) -> bytes:
    """Ask, and fill `answer`; the bytes that came after it. Raises `Failed` where refused.

    A subprotocol that was not agreed on is no failure here: `protocol.handshake_exc` tells.
    """
    key = f"Sec-WebSocket-Key: {protocol.key}\r\n\r\n"
    await connection.send(request + key.encode())
    head, rest = await _head(connection, trail)
    if not _SWITCHES.match(head):
        raise await _refused(connection, head + rest, answer)
    protocol.receive_data(head)
    for event in cast("list[Response]", protocol.events_received()):
        answer.status_line = f"HTTP/1.1 {event.status_code} {event.reason_phrase}".strip()
        answer.headers = list(event.headers.raw_items())
    return rest


async def _head(connection: Connection, trail: Trail) -> tuple[bytes, bytes]:
    received = b""
    while b"\r\n\r\n" not in received:
        data = await connection.receive()
        if not received:
            trail.begin(None)
        received += data
        trail.received = received
        if not received:
            raise Failed("connection closed without an answer")
        if not b"HTTP/".startswith(received[:5]):
            raise Failed("the server's answer is not HTTP")
        if not data:
            raise Failed("connection closed in the middle of the headers")
        if len(received) > _MOST_HEAD_BYTES:
            raise Failed("the headers of the answer are larger than 64 KiB")
    end = received.index(b"\r\n\r\n") + 4
    return received[:end], received[end:]


async def _refused(connection: Connection, received: bytes, answer: Answer) -> Failed:
    """Why it is no WebSocket, with what the server says about it."""
    protocol = h11.Connection(h11.CLIENT)
    protocol.send(h11.Request(method="GET", target="/", headers=[("Host", "any")]))
    protocol.send(h11.EndOfMessage())
    protocol.receive_data(received)
    code = 0
    with contextlib.suppress(TimeoutError, Failed, h11.RemoteProtocolError):
        async with asyncio.timeout(_BODY_S):
            while len(answer.body) < _MOST_BODY_BYTES:
                event = protocol.next_event()
                if event is h11.NEED_DATA:
                    protocol.receive_data(await connection.receive())
                elif isinstance(event, h11.Response):
                    code = event.status_code
                    _note(event, answer)
                elif isinstance(event, h11.Data):
                    answer.body += bytes(event.data)[:_MOST_BODY_BYTES]
                elif isinstance(event, h11.EndOfMessage):
                    break
    if not code:
        return Failed("the server's answer is not HTTP")
    location = answer.header("location")
    if code in _REDIRECTS and location:
        target = shown_url(location)[:_MOST_SHOWN]
        return Failed(
            "HTTP {code}: redirected to {target}, which is not followed", code=code, target=target
        )
    said = answer.status_line.partition(" ")[2]
    return Failed("not a WebSocket: the server answers HTTP {said}", said=said)


def _note(event: h11.Response, answer: Answer) -> None:
    code, phrase = event.status_code, event.reason.decode("latin-1").strip()[:_MOST_SHOWN]
    if not phrase and code in _KNOWN_CODES:
        phrase = HTTPStatus(code).phrase
    version = event.http_version.decode("ascii")
    answer.status_line = f"HTTP/{version} {code} {phrase}".strip()
    answer.headers = [
        (name.decode("latin-1"), value.decode("utf-8", "replace"))
        for name, value in event.headers.raw_items()
    ]
