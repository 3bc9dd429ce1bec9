"""How many pings a second the listener hears, and what that does to the window's loop.

.venv/bin/python -m tests.benchmarks.pings [SECONDS] [CONNECTIONS]

A process of its own sends pings to 2 000 monitors over connections that stay open, to asyncio's
own loop and to Qt's. Printed: pings a second as they came and per second of processor time, how
late a beat of 10 ms came on the same loop, and memory before and after.
"""

import asyncio
import os
import selectors
import socket
import subprocess
import sys
import time
import uuid
from itertools import cycle
from pathlib import Path
from typing import Final

from uptime_desktop.domain.heartbeats import Ping
from uptime_desktop.engine.clock import wall_now
from uptime_desktop.server.listener import Address, AddressBook, Listener

MONITORS: Final = 2_000
BEAT_S: Final = 0.01
PAGE_MIB: Final = os.sysconf("SC_PAGE_SIZE") / 2**20
REQUEST: Final = (
    "GET /ping/{} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: load\r\nAccept: */*\r\n\r\n"
)


def ping_id(number: int) -> str:
    return str(uuid.UUID(int=number))


def load(port: int, seconds: float, connections: int) -> None:
    """Ask again over each connection as soon as it has answered; count the answers."""
    requests = cycle([REQUEST.format(ping_id(number)).encode() for number in range(MONITORS)])
    counts = {b"200": 0, b"429": 0}
    waiting = selectors.DefaultSelector()
    for _ in range(connections):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        waiting.register(connection, selectors.EVENT_READ)
        connection.send(next(requests))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for key, _ in waiting.select(0.5):
            assert isinstance(key.fileobj, socket.socket)
            counts[key.fileobj.recv(4_096)[9:12]] += 1
            key.fileobj.send(next(requests))
    print(counts[b"200"], counts[b"429"])


async def measure(name: str, seconds: float, connections: int) -> None:
    heard: list[Ping] = []

    def hear(_key: tuple[str, str], ping: Ping) -> None:
        heard[:] = [ping]

    async def create(slug: str) -> Address:
        raise AssertionError(slug)

    listener = Listener(hear, create, wall_now, time.monotonic)
    before = time.perf_counter()
    known = [Address(("s", str(n)), ping_id(n), f"m{n}", f"s_m{n}") for n in range(MONITORS)]
    listener.use(AddressBook(known, "key"))
    knowing_ms = (time.perf_counter() - before) * 1_000
    port = await listener.start("127.0.0.1", 0)
    words = [str(port), str(seconds), str(connections)]
    rss, processor_s = rss_mib(), time.process_time()
    loader = subprocess.Popen(  # noqa: ASYNC220 - before anything is measured
        [sys.executable, "-m", "tests.benchmarks.pings", "load", *words],
        stdout=subprocess.PIPE,
        text=True,
    )
    late = []
    while loader.poll() is None:
        before = time.perf_counter()
        await asyncio.sleep(BEAT_S)
        late.append((time.perf_counter() - before - BEAT_S) * 1_000)
    processor_s = time.process_time() - processor_s
    await listener.close()
    assert loader.stdout is not None
    accepted, limited = (int(word) for word in loader.stdout.read().split())
    loader.stdout.close()
    late.sort()
    print(
        f"{name:8} {(accepted + limited) / seconds:6.0f} pings/s,"
        f" {(accepted + limited) / processor_s:6.0f} per second of processor"
        f" ({accepted} heard, {limited} refused), stall p50 {late[len(late) // 2]:.1f} ms,"
        f" p99 {late[len(late) * 99 // 100]:.1f} ms, max {late[-1]:.1f} ms,"
        f" {rss:.1f} MiB before, {rss_mib():.1f} MiB after,"
        f" {MONITORS} monitors known in {knowing_ms:.1f} ms"
    )


def rss_mib() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_MIB


def on_qt(seconds: float, connections: int) -> None:
    import qasync  # noqa: PLC0415
    from PySide6.QtWidgets import QApplication  # noqa: PLC0415

    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    loop = qasync.QEventLoop(QApplication([]))
    with loop:
        loop.run_until_complete(measure("qt", seconds, connections))


def main() -> None:
    numbers = sys.argv[1:3] + ["10", "32"][len(sys.argv[1:3]) :]
    for name in ("asyncio", "qt"):
        subprocess.run([sys.executable, "-m", "tests.benchmarks.pings", name, *numbers], check=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["load", port, seconds, connections]:
            load(int(port), float(seconds), int(connections))
        case ["asyncio", seconds, connections]:
            asyncio.run(measure("asyncio", float(seconds), int(connections)))
        case ["qt", seconds, connections]:
            on_qt(float(seconds), int(connections))
        case _:
            main()
