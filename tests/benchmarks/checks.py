"""What a check costs, next to a bare httpx loop making the same requests in the same run.

.venv/bin/python -m tests.benchmarks.checks [COUNT]
"""

import asyncio
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import httpx
import trustme

from uptime_desktop.checks.base import AnyKind
from uptime_desktop.checks.http.kind import HttpKind
from uptime_desktop.checks.tcp import TcpKind
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.status import Status

IN_FLIGHT: Final = 20
ROUNDS: Final = 3
BODY: Final = b"<html><body>" + b"all is well " * 40 + b"</body></html>"
ANSWER: Final = (
    b"HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nServer: target\r\n"
    b"Content-Type: text/html; charset=utf-8\r\nCache-Control: no-cache\r\nVary: Accept\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(BODY)
) + BODY


class Target(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.received = b""

    def data_received(self, data: bytes) -> None:
        self.received += data
        if self.received.endswith(b"\r\n\r\n"):
            self.transport.write(ANSWER)
            self.transport.close()


async def serve(folder: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    loop = asyncio.get_running_loop()
    servers = [
        await loop.create_server(Target, "127.0.0.1", 0, backlog=512, ssl=tls)
        for tls in (None, context)
    ]
    print(*(server.sockets[0].getsockname()[1] for server in servers), flush=True)
    await asyncio.Event().wait()


async def cpu_ms(count: int, once: Callable[[], Awaitable[None]]) -> float:
    """Milliseconds of processor per call, many calls at a time."""
    turns = iter(range(count))

    async def worker() -> None:
        for _ in turns:
            await once()

    await once()
    before = time.process_time()
    await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
    return (time.process_time() - before) * 1_000 / count


async def ours(kind: AnyKind, settings: dict[str, Setting], count: int) -> float:
    spec = kind.parse(settings)

    async def once() -> None:
        outcome = await kind.check(spec, 30)
        assert outcome.status is Status.UP, outcome

    return await cpu_ms(count, once)


async def bare_httpx(url: str, ca_file: Path, count: int) -> float:
    context = ssl.create_default_context(cafile=str(ca_file))
    limits = httpx.Limits(max_keepalive_connections=0)
    async with httpx.AsyncClient(verify=context, limits=limits, timeout=30) as client:

        async def once() -> None:
            response = await client.get(url)
            assert response.status_code == 200

        return await cpu_ms(count, once)


async def bare_streams(port: int, count: int) -> float:
    async def once() -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        await writer.wait_closed()

    return await cpu_ms(count, once)


async def measure(ports: list[int], ca_file: Path, count: int) -> None:
    print(f"{count:,} checks, {IN_FLIGHT} in flight, best of {ROUNDS}; CPU per 1 000 checks")
    print(f"{'':8} {'ours':>9} {'bare':>9} {'ratio':>7}")
    for scheme, port in zip(("http", "https"), ports, strict=True):
        url = f"{scheme}://127.0.0.1:{port}/"
        settings: dict[str, Setting] = {"url": url, "ca_file": str(ca_file)}
        report(
            scheme,
            [await ours(HttpKind(), settings, count) for _ in range(ROUNDS)],
            [await bare_httpx(url, ca_file, count) for _ in range(ROUNDS)],
            "httpx.AsyncClient",
        )
    settings = {"host": "127.0.0.1", "port": ports[0]}
    report(
        "tcp",
        [await ours(TcpKind(), settings, count) for _ in range(ROUNDS)],
        [await bare_streams(ports[0], count) for _ in range(ROUNDS)],
        "asyncio.open_connection",
    )


def report(name: str, our_ms: list[float], bare_ms: list[float], against: str) -> None:
    our, bare = min(our_ms), min(bare_ms)
    print(f"{name:8} {our:7.3f} s {bare:7.3f} s {our / bare:7.2f}  {against}")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3_000
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.benchmarks.checks", "serve", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as target:
            assert target.stdout is not None
            try:
                ports = [int(port) for port in target.stdout.readline().split()]
                asyncio.run(measure(ports, Path(folder) / "ca.pem", count))
            finally:
                target.kill()


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(Path(sys.argv[2])))
    else:
        main()
