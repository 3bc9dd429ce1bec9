"""Bytes to and from one address over a socket of its own, opened for one check, never kept.

On the loop's socket calls rather than on transports: the cheapest, nothing is read ahead of
us, and closing is immediate, so a cancelled check leaves nothing behind.
"""

import asyncio
import contextlib
import errno
import socket
import ssl
import sys
from collections.abc import Sequence
from typing import Final

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.net.resolver import Endpoint
from uptime_desktop.checks.net.tls_failure import broken_off
from uptime_desktop.checks.trail import Trail
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words

_READ_BYTES: Final = 65_536
_LONGEST_FOR_ONE_OF_MANY_S: Final = 3.0
_FAREWELL_S: Final = 1.0
_MOST_CERTIFICATES: Final = 16
_REASONS: Final = {
    errno.ECONNREFUSED: words("connection refused by {address}"),
    errno.ECONNRESET: words("connection reset by {address}"),
    errno.ECONNABORTED: words("connection reset by {address}"),
    errno.EPIPE: words("connection reset by {address}"),
    errno.ETIMEDOUT: words("no answer from {address}"),
    errno.EHOSTUNREACH: words("no route to {address}"),
    errno.ENETUNREACH: words("no route to {address}"),
    errno.EADDRNOTAVAIL: words("no route to {address}"),
    errno.EACCES: words("this computer does not allow connections to {address}"),
    errno.EPERM: words("this computer does not allow connections to {address}"),
}
_NO_SOCKETS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class Connection:
    """`first_bytes` began the server's part of the TLS handshake, whatever they are."""

    __slots__ = (
        "_incoming",
        "_loop",
        "_outgoing",
        "_socket",
        "_tls",
        "endpoint",
        "first_bytes",
        "shows_certificate",
    )

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.first_bytes = b""
        self.shows_certificate = False
        self._loop = asyncio.get_running_loop()
        self._tls: ssl.SSLObject | None = None
        self._incoming: ssl.MemoryBIO | None = None
        self._outgoing: ssl.MemoryBIO | None = None
        try:
            self._socket = socket.socket(endpoint.family, socket.SOCK_STREAM)
        except OSError as error:
            raise failure(error, endpoint) from None
        self._socket.setblocking(False)

    async def open(self) -> None:
        try:
            await self._loop.sock_connect(self._socket, self.endpoint.sockaddr)
        except OSError as error:
            raise failure(error, self.endpoint) from None

    async def start_tls(self, context: ssl.SSLContext, server_name: str) -> bytes:
        """Shake hands; the server's certificate in DER. Raises `ssl.SSLError`."""
        self._incoming = incoming = ssl.MemoryBIO()
        self._outgoing = outgoing = ssl.MemoryBIO()
        self._tls = tls = context.wrap_bio(incoming, outgoing, server_hostname=server_name)
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
                self.first_bytes = self.first_bytes or data
                incoming.write(data)
            except ssl.SSLError:
                # Tell the server why, if it is still there.
                with contextlib.suppress(Failed):
                    await self._flush()
                raise
        # The last flight goes out with the first bytes sent: one packet less.
        return tls.getpeercert(binary_form=True) or b""

    @property
    def protocol(self) -> str | None:
        """What the server chose from the protocols offered in the TLS handshake."""
        return self._tls.selected_alpn_protocol() if self._tls is not None else None

    @property
    def cipher(self) -> tuple[str, str, int] | None:
        """Name, protocol and bits; there as soon as both sides agree, also if TLS fails later."""
        return self._tls.cipher() if self._tls is not None else None

    @property
    def tls_version(self) -> str:
        return (self._tls.version() if self._tls is not None else None) or ""

    def chain(self) -> tuple[bytes, ...]:
        """The certificates as the server sent them, its own first, also those not trusted.

        Empty where Python or OpenSSL, before 3, do not hand them out.
        """
        if self._tls is None:
            return ()
        if sys.version_info >= (3, 13):
            return tuple(self._tls.get_unverified_chain()[:_MOST_CERTIFICATES])
        return _chain_inside(self._tls)[:_MOST_CERTIFICATES]

    async def farewell(self) -> None:
        """End TLS in order and hear whether the server took us.

        In TLS 1.3 a server that wants another certificate of us, or one at all, says so only now.
        Any sign of life means that it does not; so does silence, for lack of a better sign.
        """
        tls, incoming = self._tls, self._incoming
        if tls is None or incoming is None:
            return
        with contextlib.suppress(ssl.SSLError):
            # It always asks for more: the server's own farewell.
            tls.unwrap()
        with contextlib.suppress(Failed, TimeoutError):
            async with asyncio.timeout(_FAREWELL_S):
                await self._flush()
                incoming.write(await self._receive_raw() if self.tls_version == "TLSv1.3" else b"")
        try:
            tls.read(_READ_BYTES)
        except (ssl.SSLWantReadError, ssl.SSLZeroReturnError):
            return
        except ssl.SSLError as error:
            raise self._broken_off(error) from None

    async def send(self, data: bytes) -> None:
        if self._tls is None:
            await self._send_raw(data)
        else:
            try:
                self._tls.write(data)
            except ssl.SSLError as error:
                raise self._broken_off(error) from None
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
                raise self._broken_off(error) from None

    def close(self) -> None:
        self._socket.close()

    def _broken_off(self, error: ssl.SSLError) -> Failed:
        return broken_off(error, shows_certificate=self.shows_certificate)

    async def _flush(self) -> None:
        data = self._outgoing.read() if self._outgoing is not None else b""
        if data:
            await self._send_raw(data)

    async def _send_raw(self, data: bytes) -> None:
        try:
            await self._loop.sock_sendall(self._socket, data)
        except OSError as error:
            raise failure(error, self.endpoint) from None

    async def _receive_raw(self) -> bytes:
        try:
            return await self._loop.sock_recv(self._socket, _READ_BYTES)
        except OSError as error:
            raise failure(error, self.endpoint) from None


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


def _chain_inside(tls: ssl.SSLObject) -> tuple[bytes, ...]:
    """What Python shows from 3.13 on, and had inside before; pip relies on it, too."""
    import _ssl  # noqa: PLC0415 - a name that need not exist

    ask = getattr(getattr(tls, "_sslobj", None), "get_unverified_chain", None)
    chain = ask() if ask is not None else None
    return tuple(one.public_bytes(_ssl.ENCODING_DER) for one in chain or ())


def failure(error: OSError, endpoint: Endpoint) -> Failed:
    """What a socket says, in words."""
    if error.errno in _NO_SOCKETS:
        return Failed("this computer has no free sockets", Status.UNKNOWN)
    template = _REASONS.get(error.errno or 0)
    if template is None:
        said = error.strerror or str(error)
        return Failed("no connection to {address}: {said}", address=str(endpoint), said=said)
    return Failed(template, address=str(endpoint))
