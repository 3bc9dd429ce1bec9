"""Servers on loopback for every kind of check, in a process of their own.

Their processor time is then not ours. They answer as fast as they can, always the same.
"""

import asyncio
import json
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import dns.message
import grpc.aio  # type: ignore[import-untyped]
import trustme
from grpc_health.v1 import health, health_pb2_grpc  # type: ignore[import-untyped]
from websockets.asyncio.server import ServerConnection, serve

from tests.checks.dns_server import answer_to
from tests.checks.servers import ok

HOST: Final = "127.0.0.1"
ENDPOINTS: Final = 14
_BACKLOG: Final = 512
_HEADERS: Final = (
    "Date: Thu, 01 Jan 2026 00:00:00 GMT",
    "Server: target",
    "Cache-Control: no-cache",
    "Vary: Accept",
    "Connection: close",
)
_PAGE: Final = ok(
    b"<html><body>" + b"all is well " * 40 + b"</body></html>",
    "Content-Type: text/html; charset=utf-8",
    *_HEADERS,
)


@dataclass(frozen=True, slots=True)
class Targets:
    """Where to find each of them; `gatus` tells of so many endpoints, all up."""

    ca_file: str
    http: int
    https: int
    gatus: int
    dns: int
    ws: int
    wss: int
    grpc: int
    grpcs: int


@contextmanager
def serving_all() -> Iterator[Targets]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.benchmarks.targets", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                yield Targets(**json.loads(process.stdout.readline()))
            finally:
                process.kill()


class _Pages(asyncio.Protocol):
    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self._received.endswith(b"\r\n\r\n"):
            self._transport.write(self._answer)
            self._transport.close()


class _Names(asyncio.DatagramProtocol):
    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, asker: tuple[Any, ...]) -> None:
        self._transport.sendto(answer_to(dns.message.from_wire(data)).to_wire(), asker)


async def _serve_pages(answer: bytes, tls: ssl.SSLContext | None = None) -> int:
    loop = asyncio.get_running_loop()
    pages = partial(_Pages, answer)
    server = await loop.create_server(pages, HOST, 0, backlog=_BACKLOG, ssl=tls)
    return _port_of(server.sockets[0])


async def _serve_names() -> int:
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(_Names, (HOST, 0))
    return _port_of(transport.get_extra_info("socket"))


async def _serve_websockets(tls: ssl.SSLContext | None = None) -> int:
    async def converse(connection: ServerConnection) -> None:
        await connection.wait_closed()

    server = await serve(converse, HOST, 0, ssl=tls, backlog=_BACKLOG)
    return _port_of(next(iter(server.sockets)))


async def _serve_grpc(server: grpc.aio.Server, issued: trustme.LeafCert | None = None) -> int:
    health_pb2_grpc.add_HealthServicer_to_server(health.aio.HealthServicer(), server)
    if issued is None:
        port = server.add_insecure_port(f"{HOST}:0")
    else:
        chain = b"".join(part.bytes() for part in issued.cert_chain_pems)
        pair = (issued.private_key_pem.bytes(), chain)
        port = server.add_secure_port(f"{HOST}:0", grpc.ssl_server_credentials([pair]))
    await server.start()
    assert isinstance(port, int)
    return port


def _gatus_page() -> bytes:
    endpoints = [
        {
            "name": f"endpoint {number}",
            "group": "shop",
            "key": f"shop_endpoint-{number}",
            "results": [
                {
                    "status": 200,
                    "hostname": f"{number}.shop.example",
                    "duration": 120_000_000 + number,
                    "conditionResults": [
                        {"condition": "[STATUS] == 200", "success": True},
                        {"condition": "[RESPONSE_TIME] < 500", "success": True},
                    ],
                    "success": True,
                    "timestamp": "2026-03-01T10:00:00.123456789Z",
                }
            ],
        }
        for number in range(ENDPOINTS)
    ]
    return ok(json.dumps(endpoints).encode(), "Content-Type: application/json", *_HEADERS)


def _port_of(listening: Any) -> int:
    port = listening.getsockname()[1]
    assert isinstance(port, int)
    return port


async def _serve_all(folder: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    issued = authority.issue_cert(HOST)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    issued.configure_cert(tls)
    # They stop when nothing holds them any more.
    calls, safe_calls = grpc.aio.server(), grpc.aio.server()
    ports = {
        "http": await _serve_pages(_PAGE),
        "https": await _serve_pages(_PAGE, tls),
        "gatus": await _serve_pages(_gatus_page()),
        "dns": await _serve_names(),
        "ws": await _serve_websockets(),
        "wss": await _serve_websockets(tls),
        "grpc": await _serve_grpc(calls),
        "grpcs": await _serve_grpc(safe_calls, issued),
    }
    print(json.dumps({"ca_file": str(folder / "ca.pem"), **ports}), flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve_all(Path(sys.argv[1])))
