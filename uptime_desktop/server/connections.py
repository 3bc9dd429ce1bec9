"""Open connections to the listener: how many there may be, and for how long without an answer.

aiohttp reads and writes them; it neither counts them nor minds a request that never ends.
"""

import asyncio
import ipaddress
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

Handle = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]

SERVER: Final = "Uptime-Desktop"
_MOST_OPEN: Final = 512
_MOST_OPEN_EACH: Final = 64
_REQUEST_WITHIN_S: Final = 10.0
_IDLE_S: Final = 60.0
_LOOK_EVERY_S: Final = 1.0
_LINGER_S: Final = 2.0
_FULL: Final = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

_log = logging.getLogger(__name__)


class Connection(web.RequestHandler):
    """One client, and since when it has kept us waiting."""

    __slots__ = ("_begun", "_door", "_is_admitted", "neighbour")

    def __init__(self, door: "Door") -> None:
        super().__init__(
            door,
            loop=asyncio.get_running_loop(),
            access_log=None,  # type: ignore[arg-type]  # its caller passes None, too
            keepalive_timeout=_IDLE_S,
            lingering_time=_LINGER_S,
            auto_decompress=False,
        )
        self._door = door
        self._begun: float | None = None
        self._is_admitted = False
        self.neighbour = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.neighbour = _neighbour(transport.get_extra_info("peername"))
        self._is_admitted = self._door.admit(self)
        if not self._is_admitted:
            transport.write(_FULL)
            transport.close()
            return
        self._begun = self._door.monotonic()
        super().connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._is_admitted:
            if self._begun is None:
                self._begun = self._door.monotonic()
            super().data_received(data)

    def connection_lost(self, exc: BaseException | None) -> None:
        if self._is_admitted:
            self._door.leave(self)
        super().connection_lost(exc)

    def answered(self) -> None:
        """The request is done with; the next one has its own time."""
        self._begun = None

    def look(self, now: float) -> None:
        """Let go of who does not come to an end, with a request or with reading our answers."""
        transport = self.transport
        if transport is None:
            return
        if self._begun is None and transport.get_write_buffer_size():
            self._begun = now
        if self._begun is not None and now - self._begun >= _REQUEST_WITHIN_S:
            transport.abort()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002 - it quotes what the client sent
    ) -> web.StreamResponse:
        """Garbage is the client's affair, anything else is ours."""
        if status >= 500:
            _log.error("A ping could not be handled", exc_info=exc)
        if request.writer.output_size > 0:
            raise ConnectionError("an answer is already under way")
        text = "invalid request" if status < 500 else "internal error"
        response = web.Response(status=status, text=text, headers={"Server": SERVER})
        response.force_close()
        return response


class Door(web.Server):
    """Lets connections in, and looks after those that are open while there are any."""

    def __init__(self, handle: Handle, monotonic: Callable[[], float]) -> None:
        super().__init__(handle)
        self.monotonic = monotonic
        self._open: set[Connection] = set()
        self._from: Counter[str] = Counter()
        self._next_look: asyncio.TimerHandle | None = None

    def __call__(self) -> Connection:
        return Connection(self)

    def admit(self, connection: Connection) -> bool:
        here = self._from[connection.neighbour]
        if len(self._open) >= _MOST_OPEN or here >= _MOST_OPEN_EACH:
            return False
        self._open.add(connection)
        self._from[connection.neighbour] = here + 1
        if self._next_look is None:
            self._look_later()
        return True

    def leave(self, connection: Connection) -> None:
        self._open.discard(connection)
        self._from[connection.neighbour] -= 1
        if not self._from[connection.neighbour]:
            del self._from[connection.neighbour]

    def stop_looking(self) -> None:
        if self._next_look is not None:
            self._next_look.cancel()

    def _look(self) -> None:
        self._next_look = None
        now = self.monotonic()
        for connection in list(self._open):
            connection.look(now)
        if self._open:
            self._look_later()

    def _look_later(self) -> None:
        self._next_look = asyncio.get_running_loop().call_later(_LOOK_EVERY_S, self._look)


def _neighbour(peer: object) -> str:
    """Who limits are for: an address, or the network that one IPv6 customer has."""
    host = str(peer[0]) if isinstance(peer, tuple) else ""
    if ":" not in host:
        return host
    address = ipaddress.IPv6Address(host.partition("%")[0])
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))
