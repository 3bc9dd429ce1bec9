"""A name server on loopback, by UDP and TCP on one port, by TLS and by HTTPS, right or wrong."""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, StreamEnded

from tests.checks.servers import Server, finish, read_request, serving

Respond = Callable[[dns.message.Message], Sequence[bytes]]
"""The messages that come back for a question."""

ZONE = {
    ("example.org.", "A"): ("192.0.2.7", "192.0.2.8"),
    ("example.org.", "AAAA"): ("2001:db8::7",),
    ("example.org.", "MX"): ("10 Mail.example.org.", "20 mail2.example.org."),
    ("example.org.", "TXT"): ('"v=spf1 include:example.net" " -all"', '"say \\"hi\\""'),
    ("example.org.", "NS"): ("ns1.example.org.",),
    ("example.org.", "SOA"): ("ns1.example.org. admin.example.org. 7 3600 600 86400 300",),
    ("example.org.", "CAA"): ('0 issue "ca.example.net"',),
    ("_sip._tcp.example.org.", "SRV"): ("10 5 5060 sip.example.org.",),
    ("7.2.0.192.in-addr.arpa.", "PTR"): ("www.example.org.",),
    ("www.example.org.", "CNAME"): ("web.example.org.",),
    ("web.example.org.", "CNAME"): ("example.org.",),
    ("dangling.example.org.", "CNAME"): ("empty.example.org.",),
    ("empty.example.org.", "TXT"): ("nothing else",),
    ("circle.example.org.", "CNAME"): ("circle2.example.org.",),
    ("circle2.example.org.", "CNAME"): ("circle.example.org.",),
    ("quoted.example.org.", "TXT"): ('"\\"hi\\""',),
    ("rude.example.org.", "TXT"): ('"\\027[31mred\\007"',),
}
_MOST_CHAINED = 20


def answer_to(query: dns.message.Message) -> dns.message.Message:
    """What the zone has, chains of CNAMEs followed, as a resolver would."""
    response = dns.message.make_response(query, recursion_available=True)
    asked = query.question[0]
    name, kind = asked.name.to_text().lower(), dns.rdatatype.to_text(asked.rdtype)
    if name not in {known for known, _ in ZONE}:
        response.set_rcode(dns.rcode.NXDOMAIN)
    for _ in range(_MOST_CHAINED):
        if (name, kind) in ZONE:
            response.answer.append(dns.rrset.from_text(name, 300, "IN", kind, *ZONE[name, kind]))
            return response
        if (name, "CNAME") not in ZONE:
            break
        chained = dns.rrset.from_text(name, 60, "IN", "CNAME", *ZONE[name, "CNAME"])
        if chained not in response.answer:
            response.answer.append(chained)
        name = chained[0].target.to_text()
    soa = ZONE["example.org.", "SOA"]
    response.authority.append(dns.rrset.from_text("example.org.", 300, "IN", "SOA", *soa))
    return response


def from_zone(query: dns.message.Message) -> Sequence[bytes]:
    return [answer_to(query).to_wire()]


def with_rcode(rcode: dns.rcode.Rcode) -> Respond:
    def respond(query: dns.message.Message) -> Sequence[bytes]:
        response = dns.message.make_response(query)
        response.set_rcode(rcode)
        return [response.to_wire()]

    return respond


def truncated(query: dns.message.Message) -> Sequence[bytes]:
    response = dns.message.make_response(query)
    response.flags |= dns.flags.TC
    return [response.to_wire()]


def silent(_: dns.message.Message) -> Sequence[bytes]:
    return []


@dataclass
class NameServer:
    """`asked` are the questions so far, each with how it came."""

    port: int
    asked: list[tuple[str, dns.message.Message]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def ways(self) -> list[str]:
        return [way for way, _ in self.asked]


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, respond: Respond, server: NameServer) -> None:
        self._respond = respond
        self._server = server
        self._transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, asker: tuple[Any, ...]) -> None:
        query = dns.message.from_wire(data)
        self._server.asked.append(("udp", query))
        for message in self._respond(query):
            self._transport.sendto(message, asker)


@contextlib.asynccontextmanager
async def name_server(
    udp: Respond | None = from_zone,
    tcp: Respond | None = from_zone,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[NameServer]:
    """Each way answers as it is told; one that is None is closed."""
    datagrams, streams = _one_port()
    server = NameServer(datagrams.getsockname()[1])

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The client may hang up at any point.
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            length = int.from_bytes(await reader.readexactly(2), "big")
            query = dns.message.from_wire(await reader.readexactly(length))
            server.asked.append(("tcp", query))
            for message in tcp(query) if tcp else ():
                writer.write(len(message).to_bytes(2, "big") + message)
            if tcp is silent:
                await reader.read()
            await finish(writer)
        writer.transport.abort()

    loop = asyncio.get_running_loop()
    async with contextlib.AsyncExitStack() as opened:
        if udp is None:
            datagrams.close()
        else:
            transport, _ = await loop.create_datagram_endpoint(
                lambda: _Datagrams(udp, server), sock=datagrams
            )
            opened.callback(transport.close)
        if tcp is None:
            streams.close()
        else:
            listening = await asyncio.start_server(converse, sock=streams, ssl=tls)
            opened.callback(listening.close)
        yield server
    # One more turn, in which closed transports let go of their sockets.
    await asyncio.sleep(0)


def _one_port() -> tuple[socket.socket, socket.socket]:
    """A UDP and a TCP socket on one port that nobody else has."""
    while True:
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        streams = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        datagrams.bind(("127.0.0.1", 0))
        try:
            streams.bind(datagrams.getsockname())
        except OSError:
            datagrams.close()
            streams.close()
        else:
            return datagrams, streams


@contextlib.asynccontextmanager
async def web_name_server(
    tls: ssl.SSLContext,
    respond: Respond = from_zone,
    status: str = "200 OK",
    media_type: str = "application/dns-message",
) -> AsyncIterator[Server]:
    """DNS over HTTPS."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await read_request(reader)
        server.requests.append(asked)
        head, _, body = asked.partition(b"\r\n\r\n")
        assert b"application/dns-message" in head
        message = b"".join(respond(dns.message.from_wire(body)))
        lines = [f"HTTP/1.1 {status}", f"Content-Type: {media_type}"]
        lines += [f"Content-Length: {len(message)}", "", ""]
        writer.write("\r\n".join(lines).encode() + message)
        await finish(writer)

    async with serving(converse, tls=tls) as server:
        yield server


@contextlib.asynccontextmanager
async def http2_name_server(tls: ssl.SSLContext) -> AsyncIterator[Server]:
    """DNS over HTTPS by a server that speaks HTTP/2 only."""
    tls.set_alpn_protocols(["h2"])

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        protocol = H2Connection(H2Configuration(client_side=False))
        protocol.initiate_connection()
        asked = b""
        while data := await reader.read(65_536):
            for event in protocol.receive_data(data):
                if isinstance(event, DataReceived):
                    asked += event.data
                elif isinstance(event, StreamEnded):
                    server.requests.append(asked)
                    headers = [(":status", "200"), ("content-type", "application/dns-message")]
                    protocol.send_headers(event.stream_id, headers)
                    (message,) = from_zone(dns.message.from_wire(asked))
                    protocol.send_data(event.stream_id, message, end_stream=True)
            writer.write(protocol.data_to_send())
            await writer.drain()

    async with serving(converse, tls=tls) as server:
        yield server
