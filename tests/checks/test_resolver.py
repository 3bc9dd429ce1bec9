"""Host names: found, not found, hanging; and the threads that look them up."""

import asyncio
import contextlib
import socket
import sys
import threading
from collections.abc import Iterator, Sequence

import pytest

from tests.checks.servers import answering, checked, http_kind, ok
from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.net.resolver import Resolver
from uptime_desktop.checks.net.workers import Kept, Workers
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio
all_of_127_is_loopback = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="only 127.0.0.1 is loopback here"
)


async def addresses(resolver: Resolver, host: str, ip_version: str = "any") -> list[str]:
    return [str(endpoint) for endpoint in await resolver.endpoints(host, 80, ip_version)]


def never(_: str) -> Sequence[str]:
    raise AssertionError("nothing to look up")


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", ["127.0.0.1:80"]),
        ("::1", ["[::1]:80"]),
        ("localhost", ["127.0.0.1:80", "[::1]:80"]),
    ],
)
async def test_what_needs_no_look_up_gets_none(host: str, expected: list[str]) -> None:
    assert await addresses(Resolver(never), host) == expected


async def test_a_name_that_does_not_exist_is_down() -> None:
    outcome = await checked("https://no-such-host.invalid")
    assert outcome.status is Status.DOWN
    assert outcome.reason.startswith("host name ")
    assert outcome.evidence is not None
    assert "dns" in dict(outcome.evidence.timings_ms)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (socket.gaierror(socket.EAI_NONAME, "unknown"), "host name not found"),
        (
            socket.gaierror(socket.EAI_AGAIN, "again"),
            "host name look-up failed: no answer from the name server",
        ),
        (socket.gaierror(socket.EAI_FAIL, "broken"), "host name look-up failed: broken"),
        (OSError("out of order"), "host name look-up failed"),
        (UnicodeError("label too long"), "host name look-up failed"),
    ],
)
async def test_a_failed_look_up_is_down_with_the_reason(error: Exception, reason: str) -> None:
    def look_up(_: str) -> Sequence[str]:
        raise error

    outcome = await checked("https://shop.example", http_kind(look_up))
    assert (outcome.status, outcome.reason) == (Status.DOWN, reason)


async def test_a_name_without_addresses_is_not_found() -> None:
    with pytest.raises(Failed, match="host name not found"):
        await addresses(Resolver(lambda _: []), "shop.example")


async def test_a_look_up_that_hangs_ends_at_its_own_timeout_and_holds_up_nobody() -> None:
    released = threading.Event()

    def look_up(host: str) -> Sequence[str]:
        if host == "hanging.example":
            released.wait(10)
        return ["127.0.0.1"]

    kind = http_kind(look_up, look_up_timeout_s=0.05)
    try:
        async with answering(ok()) as server:
            hanging, other = await asyncio.gather(
                checked("http://hanging.example", kind),
                checked(f"http://other.example:{server.port}", kind),
            )
    finally:
        released.set()
    assert hanging.reason == "host name look-up took longer than 50 ms"
    assert other.status is Status.UP


async def test_look_ups_of_one_name_are_shared_and_kept_for_a_while() -> None:
    asked: list[str] = []
    released = threading.Event()

    def look_up(host: str) -> Sequence[str]:
        asked.append(host)
        released.wait(10)
        return ["127.0.0.1"]

    resolver = Resolver(look_up)
    waiting = [asyncio.create_task(addresses(resolver, "a.example")) for _ in range(5)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    released.set()
    assert await asyncio.gather(*waiting[1:]) == [["127.0.0.1:80"]] * 4
    assert await addresses(resolver, "a.example") == ["127.0.0.1:80"]
    assert asked == ["a.example"]


async def test_a_kept_look_up_grows_old_and_a_failed_one_is_asked_again() -> None:
    asked: list[str] = []

    def look_up(host: str) -> Sequence[str]:
        asked.append(host)
        if len(asked) == 1:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return ["127.0.0.1"]

    resolver = Resolver(look_up, keep_s=0)
    with pytest.raises(Failed):
        await addresses(resolver, "a.example")
    await addresses(resolver, "a.example")
    await addresses(resolver, "a.example")
    assert len(asked) == 3


async def test_the_two_families_take_turns() -> None:
    resolver = Resolver(lambda _: ["::1", "::2", "::3", "127.0.0.1"])
    assert await addresses(resolver, "a.example") == [
        "[::1]:80",
        "127.0.0.1:80",
        "[::2]:80",
        "[::3]:80",
    ]
    assert await addresses(resolver, "a.example", "4") == ["127.0.0.1:80"]


async def test_a_missing_family_is_named() -> None:
    with pytest.raises(Failed, match=r"a\.example has no IPv6 address"):
        await addresses(Resolver(lambda _: ["127.0.0.1"]), "a.example", "6")


@all_of_127_is_loopback
async def test_the_next_address_is_tried_when_one_refuses() -> None:
    async with answering(ok()) as server:
        kind = http_kind(lambda _: ["127.0.0.3", "127.0.0.1"])
        outcome = await checked(f"http://a.example:{server.port}", kind)
    assert outcome.status is Status.UP
    assert outcome.evidence is not None
    assert outcome.evidence.address == (
        f"connection refused by 127.0.0.3:{server.port}; 127.0.0.1:{server.port}"
    )


@all_of_127_is_loopback
async def test_the_next_address_is_tried_when_one_is_silent() -> None:
    async with answering(ok()) as server:
        with full_backlog("127.0.0.2", server.port):
            kind = http_kind(lambda _: ["127.0.0.2", "127.0.0.1"])
            outcome = await checked(f"http://a.example:{server.port}", kind, timeout_s=0.4)
    assert outcome.status is Status.UP
    assert outcome.evidence is not None
    assert outcome.evidence.address == (
        f"no answer from 127.0.0.2:{server.port}; 127.0.0.1:{server.port}"
    )


@contextlib.contextmanager
def full_backlog(host: str, port: int) -> Iterator[None]:
    """An address at which connections are neither accepted nor refused."""
    with contextlib.ExitStack() as sockets:
        listening = sockets.enter_context(socket.socket())
        listening.bind((host, port))
        listening.listen(0)
        for _ in range(3):
            client = sockets.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex((host, port))
        yield


async def test_an_unknown_interface_of_a_link_local_address_is_down() -> None:
    outcome = await checked("http://[fe80::1%25nosuch0]/")
    assert (outcome.status, outcome.reason) == (
        Status.DOWN,
        "there is no network interface nosuch0",
    )


async def test_more_calls_than_threads_all_come_through() -> None:
    kept: Kept[int, int] = Kept(lambda number: number * 2, 60, Workers(most=2))
    assert await asyncio.gather(*map(kept.get, range(50))) == [n * 2 for n in range(50)]
    assert kept.known(7) == 14
    assert kept.known(99) is None
