"""Frames to and from a server over an open WebSocket, never more than we want to hold."""

import asyncio
import contextlib
import os
import re
from collections import deque
from typing import TYPE_CHECKING, Final, cast

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.net.connection import Connection

if TYPE_CHECKING:
    from websockets.client import ClientProtocol
    from websockets.frames import Frame

MOST_MESSAGE_BYTES: Final = 65_536
_MOST_FRAMES: Final = 512
# A piece full of the smallest frames takes a few milliseconds to read.
_PIECE_BYTES: Final = 1_024
_FAREWELL_S: Final = 1.0
_MOST_SHOWN: Final = 80
_UNPRINTABLE: Final = re.compile(r"[^\x20-\x7e\xa0-\U0010ffff]+")
_CONTINUED, _TEXT, _BINARY, _PONG = 0x0, 0x1, 0x2, 0xA
_NORMAL_CLOSE: Final = 1_000
_NO_CODE: Final = 1_005


class Session:
    """`rest` is what came with the server's consent."""

    def __init__(self, connection: Connection, protocol: "ClientProtocol", rest: bytes) -> None:
        self._connection = connection
        self._protocol = protocol
        self._rest = rest
        self._frames: deque[Frame] = deque()
        self._counted = 0

    async def send(self, text: str) -> None:
        self._protocol.send_text(text.encode("utf-8", "replace"))
        await self._flush()

    async def ping(self) -> None:
        """Wait for the answer to a ping; messages that come before it are left aside."""
        # Random, so that an answer to nothing is not taken for one.
        question = os.urandom(4)
        self._protocol.send_ping(question)
        await self._flush()
        while True:
            frame = await self._frame()
            if frame.opcode == _PONG and bytes(frame.data) == question:
                return

    async def message(self) -> bytes:
        """The next one, whole."""
        data = b""
        while True:
            frame = await self._frame()
            if frame.opcode in {_CONTINUED, _TEXT, _BINARY}:
                data += bytes(frame.data)
                if frame.fin:
                    return data

    async def close(self) -> None:
        """Take leave, and wait a moment for the server to do the same."""
        if self._protocol.state.name != "OPEN":
            return
        with contextlib.suppress(Failed, TimeoutError):
            async with asyncio.timeout(_FAREWELL_S):
                self._protocol.send_close(_NORMAL_CLOSE)
                await self._flush()
                while True:
                    await self._frame()

    async def _frame(self) -> "Frame":
        while not self._frames:
            self._require_going_on()
            await self._read()
        return self._frames.popleft()

    def _require_going_on(self) -> None:
        closed, error = self._protocol.close_rcvd, self._protocol.parser_exc
        if closed is not None:
            raise _closed(closed.code, closed.reason)
        if isinstance(error, EOFError):
            address = str(self._connection.endpoint)
            raise Failed("connection closed by {address} without a word", address=address)
        if error is not None:
            raise _broken(error)
        if self._counted > _MOST_FRAMES:
            raise Failed("the server sends more than {count} frames", count=_MOST_FRAMES)

    async def _read(self) -> None:
        """A piece at a time, so that thousands of frames at once hold up nobody."""
        if not self._rest:
            self._rest = await self._connection.receive()
            if not self._rest:
                self._protocol.receive_eof()
                return
        else:
            await asyncio.sleep(0)
        piece, self._rest = self._rest[:_PIECE_BYTES], self._rest[_PIECE_BYTES:]
        self._protocol.receive_data(piece)
        # After the handshake there is nothing but frames.
        found = cast("list[Frame]", self._protocol.events_received())
        self._counted += len(found)
        self._frames.extend(found)
        await self._flush()

    async def _flush(self) -> None:
        data = b"".join(self._protocol.data_to_send())
        if data:
            # A server that left may have said why: that is still to be read.
            with contextlib.suppress(Failed):
                await self._connection.send(data)


def _closed(code: int, reason: str) -> Failed:
    said = _UNPRINTABLE.sub(" ", reason).strip()[:_MOST_SHOWN]
    if said:
        return Failed("closed by the server with code {code}: {said}", code=code, said=said)
    if code == _NO_CODE:
        return Failed("closed by the server without a code")
    return Failed("closed by the server with code {code}", code=code)


def _broken(error: Exception) -> Failed:
    from websockets.exceptions import PayloadTooBig  # noqa: PLC0415

    if isinstance(error, PayloadTooBig):
        return Failed("a message of the server is larger than 64 KiB")
    return Failed("what the server sends is not WebSocket: {error}", error=str(error)[:_MOST_SHOWN])
