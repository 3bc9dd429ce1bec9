"""The whole program watching many addresses, next to a bare httpx loop asking as often.

.venv/bin/python -m tests.benchmarks.watching [SECONDS] [MONITORS …]

Both run against one loopback target. Printed per 1 000 checks: processor time and its ratio,
growth of the database and bytes written; and how soon and how evenly the first checks came.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from uptime_desktop.app import opened

INTERVAL_S: Final = 20
STARTING_S: Final = 35
TICKS: Final = os.sysconf("SC_CLK_TCK")
ANSWER: Final = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n"
    b"Content-Length: 3\r\n\r\nok\n"
)


class Target(asyncio.Protocol):
    """Answers at once and writes down when each address was asked for."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        print(time.time(), data.split(b" ", 2)[1].decode())
        self.transport.write(ANSWER)
        self.transport.close()


async def serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Target, "127.0.0.1", 0, backlog=1_024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


@contextmanager
def target(arrivals: Path) -> Iterator[int]:
    with arrivals.open("w") as file:
        command = [sys.executable, "-m", "tests.benchmarks.watching", "serve"]
        process = subprocess.Popen(command, stdout=file)
        try:
            while not (text := arrivals.read_text().partition("\n"))[1]:
                time.sleep(0.05)
            yield int(text[0])
        finally:
            process.terminate()
            process.wait()


async def make_database(database: Path, port: int, count: int) -> None:
    async with opened(database) as app:
        await app.add(
            {
                "name": f"m{number}",
                "kind": "http",
                "url": f"http://127.0.0.1:{port}/{number}",
                "every": f"{INTERVAL_S}s",
            }
            for number in range(count)
        )


@dataclass(frozen=True, slots=True)
class Taken:
    """What the program took of the computer."""

    starting_s: float
    steady_s: float
    written: int
    rss_mib: float


def watch(database: Path, seconds: int) -> Taken:
    """Run the program for a while; the first checks count as starting."""
    environment = {**os.environ, "UPTIME_DESKTOP_DB": str(database)}
    command = [sys.executable, "-m", "uptime_desktop", "run", "--headless"]
    with (database.parent / "log").open("w") as log:
        process = subprocess.Popen(command, stderr=log, env=environment)
        time.sleep(STARTING_S)
        starting_s = _cpu_s(process.pid)
        time.sleep(seconds - STARTING_S)
        steady_s = _cpu_s(process.pid) - starting_s
        rss_mib = _field(process.pid, "status", "VmRSS:") / 1_024
        written = _field(process.pid, "io", "\nwrite_bytes:")
        process.send_signal(signal.SIGTERM)
    assert process.wait() == 0
    return Taken(starting_s, steady_s, written, rss_mib)


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _field(pid: int, file: str, name: str) -> int:
    return int(Path(f"/proc/{pid}/{file}").read_text().split(name)[1].split()[0])


def bare_loop(port: int, count: int) -> float:
    """Processor seconds of a bare httpx loop for as many requests, in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.watching", "bare", str(port), str(count)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


async def _bare(port: int, count: int) -> None:
    turns = iter(range(count))
    limits = httpx.Limits(max_keepalive_connections=0)
    async with httpx.AsyncClient(limits=limits, timeout=30) as client:

        async def worker() -> None:
            for number in turns:
                (await client.get(f"http://127.0.0.1:{port}/bare{number}")).raise_for_status()

        before = time.process_time()
        await asyncio.gather(*(worker() for _ in range(20)))
    print(time.process_time() - before)


def measure(count: int, seconds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        database, arrivals = Path(folder) / "uptime.db", Path(folder) / "arrivals"
        with target(arrivals) as port:
            asyncio.run(make_database(database, port, count))
            size_before, started = database.stat().st_size, time.time()
            used = watch(database, seconds)
            lines = [line.split() for line in arrivals.read_text().splitlines()[1:]]
            bare_s = bare_loop(port, len(lines)) / len(lines) * 1_000
        grown = database.stat().st_size - size_before
    first: dict[str, float] = {}
    for at, path in lines:
        first.setdefault(path, float(at) - started)
    due = count * (seconds - STARTING_S) / INTERVAL_S
    steady = sum(STARTING_S <= float(at) - started < seconds for at, _ in lines)
    steady_s = used.steady_s / steady * 1_000
    print(
        f"{count:5} monitors, {len(lines)} checks in {seconds} s\n"
        f"  processor     {steady_s:6.3f} s per 1 000 checks once started,"
        f" bare httpx {bare_s:.3f} s, ratio {steady_s / bare_s:.2f}\n"
        f"  starting      {used.starting_s:6.2f} s of processor, the first {STARTING_S} s\n"
        f"  done          {100 * steady / due:6.1f} % of the checks due once started\n"
        f"  memory        {used.rss_mib:6.1f} MiB\n"
        f"  file growth   {grown / len(lines):6.1f} KB per 1 000 checks, closed\n"
        f"  written       {used.written / 1e3 / len(lines):6.2f} MB per 1 000 checks\n"
        f"  first checks  {len(first)} of {count}, the last after {max(first.values()):.1f} s,"
        f" at most {_busiest_second(sorted(first.values()))} within any second"
    )


def _busiest_second(moments: list[float]) -> int:
    return max(bisect_left(moments, at + 1) - index for index, at in enumerate(moments))


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:]] or [135, 500, 2_000]
    for count in numbers[1:]:
        measure(count, numbers[0])


if __name__ == "__main__":
    match sys.argv[1:2]:
        case ["serve"]:
            asyncio.run(serve())
        case ["bare"]:
            asyncio.run(_bare(int(sys.argv[2]), int(sys.argv[3])))
        case _:
            main()
