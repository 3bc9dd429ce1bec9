"""A question to a name server and its answer, by UDP, TCP, TLS or HTTPS, over our own sockets."""

import asyncio
import os
import socket
import time
from collections.abc import Callable, Sequence
from typing import Final

from uptime_desktop.checks.dns_message import Question, is_truncated
from uptime_desktop.checks.dns_settings import DnsSpec
from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.http.request import Request
from uptime_desktop.checks.http.routed import RoutedTransport
from uptime_desktop.checks.http.transport import Answer, Transport
from uptime_desktop.checks.net.address import Url, is_numeric
from uptime_desktop.checks.net.connection import Connection, connect, failure
from uptime_desktop.checks.net.resolver import Endpoint, Resolver
from uptime_desktop.checks.net.trust import context_for, secure
from uptime_desktop.checks.net.workers import WORKERS, Kept
from uptime_desktop.checks.trail import Trail
from uptime_desktop.domain.status import Status

_MOST_BYTES: Final = 65_535
_MOST_SERVERS: Final = 4
_MOST_STRANGE: Final = 64
_WAITS: Final = (1.0, 2.0, 4.0)
# Silence is told by us, a little before the check would be cut off as too slow.
_USED_OF_TIMEOUT: Final = 0.9
_KEEP_SYSTEM_S: Final = 30.0
_SYSTEM_FILE: Final = "/etc/resolv.conf"
_NO_IDENTIFIER: Final = b"\0\0"
_MEDIA_TYPE: Final = "application/dns-message"

ReadSystem = Callable[[str], Sequence[tuple[str, int]]]
"""Address and port of each name server that a file, or a system without it, names."""


def system_name_servers(file: str) -> Sequence[tuple[str, int]]:
    """Reads files or a registry: never on the loop."""
    # 75 ms that a program without dns monitors never pays.
    import dns.resolver  # noqa: PLC0415

    try:
        found = dns.resolver.Resolver(file)
    except dns.resolver.NoResolverConfiguration:
        return ()
    servers = (str(server) for server in found.nameservers)
    return tuple((server, found.port) for server in servers if is_numeric(server))


class Exchange:
    def __init__(
        self,
        resolver: Resolver | None = None,
        transport: Transport | None = None,
        read_system: ReadSystem = system_name_servers,
        wall_clock_s: Callable[[], float] = time.time,
    ) -> None:
        self._resolver = resolver or Resolver()
        self._transport = transport or RoutedTransport(self._resolver, wall_clock_s)
        self._system = Kept(read_system, _KEEP_SYSTEM_S, WORKERS)
        self._wall_clock_s = wall_clock_s

    async def servers(self, spec: DnsSpec) -> Sequence[tuple[str, int]]:
        """Host and port of each that may be asked."""
        if spec.server.host:
            return ((spec.server.host, spec.server.port),)
        known = self._system.known(_SYSTEM_FILE)
        return known if known is not None else await self._system.get(_SYSTEM_FILE)

    async def ask(
        self,
        spec: DnsSpec,
        servers: Sequence[tuple[str, int]],
        question: Question,
        timeout_s: float,
        trail: Trail,
    ) -> bytes:
        """The answer to the question; whether it makes sense is for others to say."""
        server = spec.server
        if server.url is not None:
            return await self._by_https(spec, server.url, question, timeout_s, trail)
        if not servers:
            raise Failed("this computer has no name server configured", Status.UNKNOWN)
        trail.begin("dns")
        found = [await self._resolver.endpoints(host, port) for host, port in servers]
        endpoints = [endpoint for some in found for endpoint in some]
        if server.transport == "udp":
            return await _by_datagram(endpoints, question, timeout_s, trail)
        if server.transport == "tcp":
            return await _by_stream(endpoints, question, timeout_s, trail)
        return await self._by_tls(spec, endpoints, question, timeout_s, trail)

    async def _by_tls(
        self,
        spec: DnsSpec,
        endpoints: list[Endpoint],
        question: Question,
        timeout_s: float,
        trail: Trail,
    ) -> bytes:
        context = await context_for(spec.tls)
        name = spec.server.host.partition("%")[0].removesuffix(".")
        trail.begin("connect")
        connection = await connect(endpoints, timeout_s, trail)
        try:
            trail.begin("tls")
            await secure(connection, context, name, trail, self._wall_clock_s())
            return await _converse(connection, question, trail)
        finally:
            connection.close()

    async def _by_https(
        self, spec: DnsSpec, url: Url, question: Question, timeout_s: float, trail: Trail
    ) -> bytes:
        answers: list[Answer] = []
        request = _web_request(spec, url, question)
        await self._transport.exchange(request, timeout_s, trail, answers.append)
        if not answers:
            raise Failed("connection closed without an answer")
        answer = answers[-1]
        data = bytes(answer.body.decoded)
        trail.received = data
        if answer.code != 200:
            raise Failed("the server answers HTTP {code}", code=answer.code)
        media_type = answer.header("content-type").partition(";")[0].strip().lower()
        if media_type != _MEDIA_TYPE:
            raise Failed("the server's answer is not DNS")
        if not question.is_answered_by(data, _NO_IDENTIFIER):
            raise Failed("the answer does not fit the question")
        return data


async def _by_datagram(
    endpoints: list[Endpoint], question: Question, timeout_s: float, trail: Trail
) -> bytes:
    """Ask one after the other until one answers, and again by TCP if that is cut short."""
    asked = endpoints[:_MOST_SERVERS]
    unit_s = min(1.0, timeout_s * _USED_OF_TIMEOUT / len(asked) / sum(_WAITS))
    for endpoint in asked:
        trail.addresses.append(str(endpoint))
        trail.begin("first_byte")
        try:
            data = await _datagram(endpoint, question, unit_s, trail)
            break
        except Failed as failed:
            if failed.status is not Status.DOWN or endpoint is asked[-1]:
                raise
            trail.addresses[-1] = failed.reason
    if not is_truncated(data):
        return data
    try:
        return await _by_stream([endpoint], question, timeout_s, trail)
    except Failed as failed:
        raise Failed(
            "the answer is too long for UDP, and by TCP: {why}",
            failed.status,
            why=failed.reason,
        ) from None


async def _datagram(endpoint: Endpoint, question: Question, unit_s: float, trail: Trail) -> bytes:
    """Ask, and again when nothing comes, over a socket that hears this server only."""
    identifier = os.urandom(2)
    wire = question.numbered(identifier)
    loop = asyncio.get_running_loop()
    strange = 0
    try:
        with socket.socket(endpoint.family, socket.SOCK_DGRAM) as asking:
            asking.setblocking(False)
            asking.connect(endpoint.sockaddr)
            for wait in _WAITS:
                await loop.sock_sendall(asking, wire)
                try:
                    async with asyncio.timeout(wait * unit_s):
                        while strange < _MOST_STRANGE:
                            data = await loop.sock_recv(asking, _MOST_BYTES)
                            if question.is_answered_by(data, identifier):
                                trail.begin(None)
                                return data
                            trail.received = data
                            strange += 1
                    break
                except TimeoutError:
                    continue
    except OSError as error:
        raise failure(error, endpoint) from None
    if strange:
        raise Failed("answers from {address} do not fit the question", address=str(endpoint))
    raise Failed("no answer from {address}", address=str(endpoint))


async def _by_stream(
    endpoints: list[Endpoint], question: Question, timeout_s: float, trail: Trail
) -> bytes:
    trail.begin("connect")
    connection = await connect(endpoints, timeout_s, trail)
    try:
        return await _converse(connection, question, trail)
    finally:
        connection.close()


async def _converse(connection: Connection, question: Question, trail: Trail) -> bytes:
    """One question and its answer, each after its length."""
    trail.begin("first_byte")
    identifier = os.urandom(2)
    wire = question.numbered(identifier)
    await connection.send(len(wire).to_bytes(2, "big") + wire)
    received = bytearray()
    while len(received) < 2 or len(received) < 2 + int.from_bytes(received[:2], "big"):
        data = await connection.receive()
        trail.begin(None)
        if not data:
            if not received:
                raise Failed("connection closed without an answer")
            raise Failed("connection closed before the end of the answer")
        received += data
    answer = bytes(received[2 : 2 + int.from_bytes(received[:2], "big")])
    if not question.is_answered_by(answer, identifier):
        trail.received = answer
        raise Failed("the answer does not fit the question")
    return answer


def _web_request(spec: DnsSpec, url: Url, question: Question) -> Request:
    # Without an identifier, so that what lies between may keep the answer.
    body = question.numbered(_NO_IDENTIFIER)
    headers = (
        ("Host", url.authority),
        ("User-Agent", "Uptime-Desktop"),
        ("Accept", _MEDIA_TYPE),
        ("Content-Type", _MEDIA_TYPE),
        ("Content-Length", str(len(body))),
        ("Connection", "close"),
    )
    return Request("POST", url, headers, body, _MOST_BYTES, tls=spec.tls, http_version="any")
