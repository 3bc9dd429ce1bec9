"""The way through a proxy: what it is told, and its refusals in words.

A fault of the proxy's own says nothing about the server behind it: the outcome is unknown.
"""

import ipaddress
from typing import Final

import h11

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.http.request import Proxy
from uptime_desktop.checks.http.transport import Reader
from uptime_desktop.checks.net.address import host_and_port, is_numeric
from uptime_desktop.checks.net.connection import Connection
from uptime_desktop.checks.trail import Trail
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words

PROXY_AUTHENTICATION: Final = 407
_MOST_HEAD_BYTES: Final = 65_536
_MOST_SHOWN: Final = 60
_END: Final = h11.EndOfMessage()
_ASKS: Final = words("it asks for a user name and password")
_DENIES: Final = words("it does not accept the user name and password")
_NOT_SOCKS: Final = words("its answer is not SOCKS 5")

_VERSION, _CONNECT, _IPV4, _NAME, _IPV6 = 5, 1, 1, 3, 4
_NO_SIGN_IN, _BY_PASSWORD, _SIGN_IN_VERSION = 0, 2, 1
# Those that are about the server; any other is about the proxy and us.
_UNREACHED: Final = {
    1: words("it does not say why"),
    3: words("no route to the network"),
    4: words("no route to the host"),
    5: words("connection refused"),
    6: words("too many hops"),
}
_REFUSALS: Final = {
    2: words("its rules do not allow it"),
    7: words("it does not know the command"),
    8: words("it does not know this kind of address"),
}


class Tunnelled(Connection):
    """A connection inside another one, so that there may be TLS inside of TLS.

    `ahead` was read from the outer one already.
    """

    __slots__ = ("_ahead", "_outer")

    def __init__(self, outer: Connection, ahead: bytes) -> None:
        super().__init__(outer.endpoint)
        # The outer one has the socket that is used.
        self._socket.close()
        self._outer = outer
        self._ahead = ahead

    def close(self) -> None:
        self._outer.close()

    async def _send_raw(self, data: bytes) -> None:
        await self._outer.send(data)

    async def _receive_raw(self) -> bytes:
        if self._ahead:
            ahead, self._ahead = self._ahead, b""
            return ahead
        return await self._outer.receive()


def proxy_failure(failed: Failed) -> Failed:
    """What went wrong on the way to the proxy, or with it."""
    return Failed("no way through the proxy: {why}", Status.UNKNOWN, why=failed.reason)


def proxy_denial(proxy: Proxy) -> Failed:
    """It wants to know who we are."""
    return proxy_failure(Failed(_DENIES if proxy.has_credentials else _ASKS))


async def tunnel(connection: Connection, proxy: Proxy, host: str, port: int) -> Tunnelled:
    """Have the proxy connect us to a server."""
    host = host.partition("%")[0]
    if proxy.is_socks:
        ahead = await _tunnel_by_socks(_Exactly(connection), proxy, host, port)
    else:
        ahead = await _tunnel_by_http(connection, proxy, host_and_port(host, port))
    return Tunnelled(connection, ahead)


async def _tunnel_by_http(connection: Connection, proxy: Proxy, target: str) -> bytes:
    headers = [("Host", target), ("User-Agent", "Uptime-Desktop")]
    if proxy.has_credentials:
        headers.append(("Proxy-Authorization", "Basic " + proxy.credentials))
    protocol = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MOST_HEAD_BYTES)
    request = protocol.send(h11.Request(method="CONNECT", target=target, headers=headers)) or b""
    try:
        await connection.send(request + (protocol.send(_END) or b""))
        answer = await Reader(connection, protocol, Trail()).next(None)
    except Failed as failed:
        raise proxy_failure(failed) from None
    if not isinstance(answer, h11.Response):
        raise proxy_failure(Failed("the server's answer is not HTTP"))
    code = answer.status_code
    if 200 <= code < 300:
        return protocol.trailing_data[0]
    if code == PROXY_AUTHENTICATION:
        raise proxy_denial(proxy)
    said = f"HTTP {code} {answer.reason.decode('latin-1')[:_MOST_SHOWN]}".strip()
    if code >= 500:
        raise _unreached(target, said)
    raise proxy_failure(Failed("{said}", said=said))


class _Exactly:
    """As many bytes as a message has, however they come."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.buffered = b""

    async def send(self, data: bytes) -> None:
        await self._connection.send(data)

    async def take(self, count: int) -> bytes:
        while len(self.buffered) < count:
            data = await self._connection.receive()
            if not data:
                raise Failed("connection closed without an answer")
            self.buffered += data
        taken, self.buffered = self.buffered[:count], self.buffered[count:]
        return taken


async def _tunnel_by_socks(stream: _Exactly, proxy: Proxy, host: str, port: int) -> bytes:
    try:
        await _sign_in(stream, proxy)
        await stream.send(bytes((_VERSION, _CONNECT, 0)) + _address(host) + port.to_bytes(2, "big"))
        version, reply, _, kind = await stream.take(4)
        if version != _VERSION or kind not in {_IPV4, _NAME, _IPV6}:
            raise Failed(_NOT_SOCKS)
        # The address it uses itself is of no interest.
        size = (await stream.take(1))[0] if kind == _NAME else 4 if kind == _IPV4 else 16
        await stream.take(size + 2)
    except Failed as failed:
        raise proxy_failure(failed) from None
    if reply in _UNREACHED:
        raise _unreached(host_and_port(host, port), _UNREACHED[reply])
    if reply:
        raise proxy_failure(
            Failed(_REFUSALS[reply])
            if reply in _REFUSALS
            else Failed("it refuses with error {code}", code=reply)
        )
    return stream.buffered


async def _sign_in(stream: _Exactly, proxy: Proxy) -> None:
    offered = (_NO_SIGN_IN, _BY_PASSWORD) if proxy.has_credentials else (_NO_SIGN_IN,)
    await stream.send(bytes((_VERSION, len(offered), *offered)))
    version, chosen = await stream.take(2)
    if version != _VERSION:
        raise Failed(_NOT_SOCKS)
    if chosen not in offered:
        raise Failed(_DENIES if proxy.has_credentials else _ASKS)
    if chosen == _BY_PASSWORD:
        user, password = proxy.user.encode(), proxy.password.encode()
        await stream.send(
            bytes((_SIGN_IN_VERSION, len(user))) + user + bytes((len(password),)) + password
        )
        _, refusal = await stream.take(2)
        if refusal:
            raise Failed(_DENIES)


def _address(host: str) -> bytes:
    if not is_numeric(host):
        return bytes((_NAME, len(host))) + host.encode("ascii")
    packed = ipaddress.ip_address(host).packed
    return bytes((_IPV4 if len(packed) == 4 else _IPV6,)) + packed


def _unreached(target: str, why: str) -> Failed:
    return Failed("the proxy cannot reach {target}: {why}", target=target, why=why)
