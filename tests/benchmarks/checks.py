"""What a check of each kind costs, next to the leanest loop with a library that does the same.

.venv/bin/python -m tests.benchmarks.checks [COUNT] [KIND …]

Both open a connection of their own for every check. A goal is the most that ours may cost of
theirs. A group looks at nothing: for it, the time to judge it anew when a member has changed.
"""

import asyncio
import json
import socket
import ssl
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Final

import dns.asyncquery
import dns.message
import grpc.aio  # type: ignore[import-untyped]
import httpx
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped]
from icmplib import async_ping  # type: ignore[import-untyped]
from websockets.asyncio.client import connect

from tests.benchmarks.targets import ENDPOINTS, HOST, Targets, serving_all
from uptime_desktop.checks.net.icmp import icmp_socket
from uptime_desktop.checks.registry import KINDS
from uptime_desktop.domain.groups import Member, derived
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.status import Status

IN_FLIGHT: Final = 20
ROUNDS: Final = 3
TIMEOUT_S: Final = 30
WEB_GOAL: Final = 1.3
GOAL: Final = 1.5
NAME: Final = "example.org"
# Else all channels to one address share a connection.
OWN_CONNECTION: Final = (("grpc.use_local_subchannel_pool", 1),)

Once = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Pair:
    """A check of ours, and the same by a bare loop."""

    name: str
    kind: str
    settings: Mapping[str, Setting]
    bare: Once
    against: str
    goal: float = GOAL


async def get_page(client: httpx.AsyncClient, url: str) -> None:
    assert (await client.get(url)).status_code == 200


async def open_stream(port: int, context: ssl.SSLContext | None = None) -> None:
    _, writer = await asyncio.open_connection(HOST, port, ssl=context)
    writer.close()
    await writer.wait_closed()


async def send_echoes(count: int, interval_s: float, is_privileged: bool) -> None:
    host = await async_ping(HOST, count, interval_s, TIMEOUT_S, privileged=is_privileged)
    assert host.packets_received == count


async def ask_name_server(port: int) -> None:
    query = dns.message.make_query(NAME, "A")
    assert (await dns.asyncquery.udp(query, HOST, TIMEOUT_S, port)).answer


async def ping_websocket(url: str, context: ssl.SSLContext | None = None) -> None:
    lean = connect(url, ssl=context, proxy=None, compression=None, ping_interval=None)
    async with lean as connection:
        await (await connection.ping())


async def ask_health(open_channel: Callable[[], grpc.aio.Channel]) -> None:
    async with open_channel() as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest())
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def ask_gatus(client: httpx.AsyncClient, url: str) -> None:
    response = await client.get(url)
    assert response.status_code == 200
    states = {}
    for endpoint in json.loads(response.content):
        name = f"{endpoint['group']}/{endpoint['name']}"
        states[name] = "up" if endpoint["results"][-1]["success"] else "down"
    down = [name for name, state in states.items() if state == "down"]
    assert len(states) == ENDPOINTS
    assert not down


def web_pairs(targets: Targets, client: httpx.AsyncClient) -> list[Pair]:
    page, safe_page = f"http://{HOST}:{targets.http}/", f"https://{HOST}:{targets.https}/"
    gatus = f"http://{HOST}:{targets.gatus}/"
    statuses = gatus + "api/v1/endpoints/statuses?page=1&pageSize=1"
    against, trust = "httpx.AsyncClient", {"ca_file": targets.ca_file}
    return [
        Pair("http", "http", {"url": page}, partial(get_page, client, page), against, WEB_GOAL),
        Pair(
            "https",
            "http",
            {"url": safe_page, **trust},
            partial(get_page, client, safe_page),
            against,
            WEB_GOAL,
        ),
        Pair(
            "remote",
            "remote",
            {"url": gatus, "server": "gatus"},
            partial(ask_gatus, client, statuses),
            f"httpx.AsyncClient, json.loads, {ENDPOINTS} endpoints",
        ),
    ]


def stream_pairs(targets: Targets, context: ssl.SSLContext) -> list[Pair]:
    against, safe = "asyncio.open_connection", {"host": HOST, "ca_file": targets.ca_file}
    plain_socket, safe_socket = f"ws://{HOST}:{targets.ws}/", f"wss://{HOST}:{targets.wss}/"
    return [
        Pair(
            "tcp",
            "tcp",
            {"host": HOST, "port": targets.http},
            partial(open_stream, targets.http),
            against,
        ),
        Pair(
            "tls",
            "tls",
            {**safe, "port": targets.https},
            partial(open_stream, targets.https, context),
            against,
        ),
        Pair(
            "ws",
            "websocket",
            {"url": plain_socket},
            partial(ping_websocket, plain_socket),
            "websockets.connect",
        ),
        Pair(
            "wss",
            "websocket",
            {"url": safe_socket, "ca_file": targets.ca_file},
            partial(ping_websocket, safe_socket, context),
            "websockets.connect",
        ),
    ]


def packet_pairs(targets: Targets) -> list[Pair]:
    with icmp_socket(socket.AF_INET) as opened:
        is_privileged = opened.type == socket.SOCK_RAW
    settings: dict[str, Setting] = {"host": HOST, "packet_interval": "10ms"}
    pings = [
        Pair(
            f"ping {count}",
            "ping",
            {**settings, "count": count},
            partial(send_echoes, count, 0.01, is_privileged),
            f"icmplib.async_ping, {'raw' if is_privileged else 'datagram'} sockets",
        )
        for count in (3, 1)
    ]
    question: dict[str, Setting] = {"host": NAME, "resolver": f"{HOST}:{targets.dns}"}
    ask = partial(ask_name_server, targets.dns)
    return [*pings, Pair("dns", "dns", question, ask, "dns.asyncquery.udp")]


def grpc_pairs(targets: Targets) -> list[Pair]:
    address, safe_address = f"{HOST}:{targets.grpc}", f"{HOST}:{targets.grpcs}"
    trust = grpc.ssl_channel_credentials(Path(targets.ca_file).read_bytes())
    plain = partial(grpc.aio.insecure_channel, address, options=OWN_CONNECTION)
    safe = partial(grpc.aio.secure_channel, safe_address, trust, options=OWN_CONNECTION)
    settings: dict[str, Setting] = {"host": safe_address, "tls": True, "ca_file": targets.ca_file}
    return [
        Pair("grpc", "grpc", {"host": address}, partial(ask_health, plain), "grpc.aio"),
        Pair("grpcs", "grpc", settings, partial(ask_health, safe), "grpc.aio"),
    ]


def our_check(pair: Pair) -> Once:
    kind = KINDS[pair.kind]
    spec = kind.parse(pair.settings)

    async def once() -> None:
        outcome = await kind.check(spec, TIMEOUT_S)
        assert outcome.status is Status.UP, outcome

    return once


async def cpu_ms(count: int, once: Once) -> float:
    """Milliseconds of processor per call, many calls at a time."""
    turns = iter(range(count))

    async def worker() -> None:
        for _ in turns:
            await once()

    await once()
    before = time.process_time()
    await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
    return (time.process_time() - before) * 1_000 / count


async def measure(targets: Targets, count: int, chosen: set[str]) -> None:
    context = ssl.create_default_context(cafile=targets.ca_file)
    limits = httpx.Limits(max_keepalive_connections=0)
    async with httpx.AsyncClient(verify=context, limits=limits, timeout=TIMEOUT_S) as client:
        pairs = [
            *web_pairs(targets, client),
            *stream_pairs(targets, context),
            *packet_pairs(targets),
            *grpc_pairs(targets),
        ]
        names = list(KINDS)
        for pair in sorted(pairs, key=lambda pair: names.index(pair.kind)):
            if not chosen or chosen & {pair.name, pair.kind}:
                await compare(pair, count)


async def compare(pair: Pair, count: int) -> None:
    ours = our_check(pair)
    rounds = [(await cpu_ms(count, ours), await cpu_ms(count, pair.bare)) for _ in range(ROUNDS)]
    our, bare = (min(times) for times in zip(*rounds, strict=True))
    mark = "!" if our / bare > pair.goal else " "
    print(
        f"{pair.name:8} {our:7.3f} s {bare:7.3f} s {our / bare:7.2f}{mark}"
        f" {pair.goal:5.1f}  {pair.against}",
        flush=True,
    )


def judge_groups(count: int) -> None:
    """One of the members goes down and comes back, again and again."""
    members = [Member(f"endpoint {number}", Status.UP) for number in range(ENDPOINTS - 1)]
    changing = [Member("changing", status) for status in (Status.DOWN, Status.UP)]
    rounds = []
    for _ in range(ROUNDS):
        before = time.process_time()
        for changed in islice(cycle(changing), count):
            derived([*members, changed], None)
        rounds.append((time.process_time() - before) * 1e9 / count)
    print(f"group    {min(rounds):7,.0f} µs per 1 000 changes among {ENDPOINTS} members")


def main() -> None:
    words = sys.argv[1:]
    count = int(words.pop(0)) if words and words[0].isdecimal() else 1_000
    print(f"{count:,} checks, {IN_FLIGHT} in flight, best of {ROUNDS}; CPU per 1 000 checks")
    print(f"{'':8} {'ours':>9} {'bare':>9} {'ratio':>7}  {'goal':>5}")
    with serving_all() as targets:
        asyncio.run(measure(targets, count, set(words)))
    if not words or "group" in words:
        judge_groups(count)


if __name__ == "__main__":
    main()
