"""Bytes to and from one address over a socket of its own, opened for one check, never kept.

On the loop's socket calls rather than on transports: the cheapest, nothing is read ahead of
us, and closing is immediate, so a cancelled check leaves nothing behind.
"""

import asyncio
import contextlib
import errno
import socket
import ssl
from collections.abc import Sequence
from typing import Final

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.net.resolver import Endpoint
from uptime_desktop.checks.trail import Trail
from uptime_desktop.domain.status import Status

_READ_BYTES: Final = 65_536
_LONGEST_FOR_ONE_OF_MANY_S: Final = 3.0
_REASONS: Final = {
    errno.ECONNREFUSED: "connection refused by {address}",
    errno.ECONNRESET: "connection reset by {address}",
    errno.ECONNABORTED: "connection reset by {address}",
    errno.EPIPE: "connection reset by {address}",
    errno.ETIMEDOUT: "no answer from {address}",
    errno.EHOSTUNREACH: "no route to {address}",
    errno.ENETUNREACH: "no route to {address}",
    errno.EADDRNOTAVAIL: "no route to {address}",
    errno.EACCES: "this computer does not allow connections to {address}",
    errno.EPERM: "this computer does not allow connections to {address}",
}
_NO_SOCKETS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class Connection:
    __slots__ = ("_incoming", "_loop", "_outgoing", "_socket", "_tls", "endpoint")

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._loop = asyncio.get_running_loop()
        self._tls: ssl.SSLObject | None = None
        self._incoming: ssl.MemoryBIO | None = None
        self._outgoing: ssl.MemoryBIO | None = None
        try:
            self._socket = socket.socket(endpoint.family, socket.SOCK_STREAM)
        except OSError as error:
            raise _failure(error, endpoint) from None
        self._socket.setblocking(False)

    async def open(self) -> None:
        try:
            await self._loop.sock_connect(self._socket, self.endpoint.sockaddr)
        except OSError as error:
            raise _failure(error, self.endpoint) from None

    async def start_tls(self, context: ssl.SSLContext, server_name: str) -> bytes:
        """Shake hands; the server's certificate in DER. Raises `ssl.SSLError`."""
        self._incoming = incoming = ssl.MemoryBIO()
        self._outgoing = outgoing = ssl.MemoryBIO()
        tls = context.wrap_bio(incoming, outgoing, server_hostname=server_name)
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                await self._flush()
                data = await self._receive_raw()
                if not data:
                    raise Failed(
                        "connection closed by {address} in the TLS handshake",
                        address=str(self.endpoint),
                    ) from None
                incoming.write(data)
            except ssl.SSLError:
                # Tell the server why, if it is still there.
                with contextlib.suppress(Failed):
                    await self._flush()
                raise
        # The last flight goes out with the first bytes sent: one packet less.
        self._tls = tls
        return tls.getpeercert(binary_form=True) or b""

    async def send(self, data: bytes) -> None:
        if self._tls is None:
            await self._send_raw(data)
        else:
            try:
                self._tls.write(data)
            except ssl.SSLError as error:
                raise Failed("TLS failed: {error}", error=tls_words(error)) from None
            await self._flush()

    async def receive(self) -> bytes:
        """Some bytes; none at the end."""
        if self._tls is None or self._incoming is None:
            return await self._receive_raw()
        while True:
            try:
                return self._tls.read(_READ_BYTES)
            except ssl.SSLWantReadError:
                data = await self._receive_raw()
                if not data:
                    # Many servers end without the farewell that TLS asks for; whether the
                    # answer is complete is for the protocol above to say.
                    return b""
                self._incoming.write(data)
            except ssl.SSLZeroReturnError:
                return b""
            except ssl.SSLError as error:
                raise Failed("TLS failed: {error}", error=tls_words(error)) from None

    def close(self) -> None:
        self._socket.close()

    async def _flush(self) -> None:
        data = self._outgoing.read() if self._outgoing is not None else b""
        if data:
            await self._send_raw(data)

    async def _send_raw(self, data: bytes) -> None:
        try:
            await self._loop.sock_sendall(self._socket, data)
        except OSError as error:
            raise _failure(error, self.endpoint) from None

    async def _receive_raw(self) -> bytes:
        try:
            return await self._loop.sock_recv(self._socket, _READ_BYTES)
        except OSError as error:
            raise _failure(error, self.endpoint) from None


async def connect(endpoints: Sequence[Endpoint], timeout_s: float, trail: Trail) -> Connection:
    """Try one address after the other, each recorded; the first that accepts is taken."""
    share_s = min(_LONGEST_FOR_ONE_OF_MANY_S, timeout_s / len(endpoints))
    for endpoint in endpoints[:-1]:
        try:
            async with asyncio.timeout(share_s):
                return await _connected(endpoint, trail)
        except TimeoutError:
            trail.addresses.append(f"no answer from {endpoint}")
        except Failed as failed:
            if failed.status is not Status.DOWN:
                raise
            trail.addresses.append(failed.reason)
    return await _connected(endpoints[-1], trail)


async def _connected(endpoint: Endpoint, trail: Trail) -> Connection:
    connection = Connection(endpoint)
    try:
        await connection.open()
    except BaseException:
        connection.close()
        raise
    trail.addresses.append(str(endpoint))
    return connection


def tls_words(error: ssl.SSLError) -> str:
    """OpenSSL's `WRONG_VERSION_NUMBER` in lower case and with spaces."""
    return (error.reason or "protocol error").replace("_", " ").lower()


def _failure(error: OSError, endpoint: Endpoint) -> Failed:
    if error.errno in _NO_SOCKETS:
        return Failed("this computer has no free sockets", Status.UNKNOWN)
    template = _REASONS.get(error.errno or 0)
    if template is None:
        said = error.strerror or str(error)
        return Failed("no connection to {address}: {said}", address=str(endpoint), said=said)
    return Failed(template, address=str(endpoint))
