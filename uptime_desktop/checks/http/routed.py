"""Any way to the server but the plain one: through a proxy, by HTTP/2, or both."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.http.http2 import converse_by_http2
from uptime_desktop.checks.http.proxy import (
    PROXY_AUTHENTICATION,
    proxy_denial,
    proxy_failure,
    tunnel,
)
from uptime_desktop.checks.http.request import Proxy, Request
from uptime_desktop.checks.http.transport import Answer, converse
from uptime_desktop.checks.net.connection import Connection, connect
from uptime_desktop.checks.net.http2 import ALPN
from uptime_desktop.checks.net.resolver import Resolver
from uptime_desktop.checks.net.trust import Prepare, TlsProfile, context_for, secure
from uptime_desktop.checks.trail import Trail

_PLAIN: Final = ("http/1.1",)


class RoutedTransport:
    """Slower than the direct one, which therefore stays apart."""

    def __init__(
        self, resolver: Resolver | None = None, wall_clock_s: Callable[[], float] = time.time
    ) -> None:
        self._resolver = resolver or Resolver()
        self._wall_clock_s = wall_clock_s

    async def exchange(
        self, request: Request, timeout_s: float, trail: Trail, begun: Callable[[Answer], None]
    ) -> None:
        url, proxy = request.url, request.proxy
        trail.received = b""
        context = await context_for(request.tls) if url.is_tls else None
        host = await self._host_for_proxy(request, trail)
        connection = await self._reach(request, timeout_s, trail)
        try:
            if proxy is not None and (url.is_tls or proxy.is_socks):
                trail.begin("proxy")
                connection = await tunnel(connection, proxy, host, url.port)
            if context is not None:
                trail.begin("tls")
                await secure(
                    connection,
                    context,
                    url.server_name,
                    trail,
                    self._wall_clock_s(),
                    prepare=_again(proxy, host, url.port),
                )
            trail.begin("first_byte")
            await _converse(connection, request, trail, begun)
        finally:
            connection.close()

    async def _host_for_proxy(self, request: Request, trail: Trail) -> str:
        """What the proxy is told: a name, or the address that we look up ourselves."""
        url, proxy = request.url, request.proxy
        if proxy is None or proxy.resolves_names:
            return url.host
        trail.begin("dns")
        endpoints = await self._resolver.endpoints(url.host, url.port, request.ip_version)
        return endpoints[0].sockaddr[0]

    async def _reach(self, request: Request, timeout_s: float, trail: Trail) -> Connection:
        """Connect to whom we speak to first."""
        proxy = request.proxy
        if proxy is None:
            return await self._connected(
                request.url.host, request.url.port, request.ip_version, timeout_s, trail
            )
        # An address of the server was already chosen where that is up to us.
        ip_version = request.ip_version if proxy.resolves_names else "any"
        try:
            connection = await self._connected(proxy.host, proxy.port, ip_version, timeout_s, trail)
            trail.addresses[-1] = f"proxy {trail.addresses[-1]}"
            if proxy.is_tls:
                trail.begin("proxy")
                await self._secure_proxy(connection, request.tls, proxy)
        except Failed as failed:
            raise proxy_failure(failed) from None
        return connection

    async def _connected(
        self, host: str, port: int, ip_version: str, timeout_s: float, trail: Trail
    ) -> Connection:
        trail.begin("dns")
        endpoints = await self._resolver.endpoints(host, port, ip_version)
        trail.begin("connect")
        return await connect(endpoints, timeout_s, trail)

    async def _secure_proxy(self, connection: Connection, tls: TlsProfile, proxy: Proxy) -> None:
        profile = replace(
            tls, client_certificate="", client_key="", client_key_password="", alpn=_PLAIN
        )
        try:
            # Its certificate is not the one that the check is about.
            await secure(
                connection, await context_for(profile), proxy.host, Trail(), self._wall_clock_s()
            )
        except BaseException:
            connection.close()
            raise


def _again(proxy: Proxy | None, host: str, port: int) -> Prepare | None:
    """What must be said before TLS can begin anew."""
    if proxy is None:
        return None

    async def prepare(connection: Connection) -> None:
        await tunnel(connection, proxy, host, port)

    return prepare


async def _converse(
    connection: Connection, request: Request, trail: Trail, begun: Callable[[Answer], None]
) -> None:
    proxy = request.proxy
    if connection.protocol == ALPN:
        await converse_by_http2(connection, request, trail, begun)
    elif request.http_version == "2":
        raise Failed("the server does not offer HTTP/2")
    elif proxy is None or proxy.is_socks or request.url.is_tls:
        await converse(connection, request, trail, begun)
    else:
        await _ask_proxy(connection, proxy, request, trail, begun)


async def _ask_proxy(
    connection: Connection,
    proxy: Proxy,
    request: Request,
    trail: Trail,
    begun: Callable[[Answer], None],
) -> None:
    """Without TLS the proxy makes the request itself, so it gets the whole address."""

    def answered(answer: Answer) -> None:
        begun(answer)
        if answer.code == PROXY_AUTHENTICATION:
            raise proxy_denial(proxy)

    credentials = (
        (("Proxy-Authorization", "Basic " + proxy.credentials),) if proxy.has_credentials else ()
    )
    event = request.event_for(request.url.text, *credentials)
    await converse(connection, request, trail, answered, event)
