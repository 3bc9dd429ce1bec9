"""The ping check: its settings, this computer, and networks that lose packets or lie.

Real pings go to loopback. What a network can do wrong comes in two ways: everywhere as ICMP
messages over a real UDP socket in place of the ICMP one, and where the system lets a test have
a network of its own, over that.
"""

import asyncio
import contextlib
import errno
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.checks.ping_network import HOSTS, LOOPBACK, NOWHERE
from uptime_desktop.checks.base import evidence_left
from uptime_desktop.checks.net.icmp import checksum, icmp_socket
from uptime_desktop.checks.net.resolver import Resolver
from uptime_desktop.checks.ping import PingKind
from uptime_desktop.domain.model import Outcome, Setting, Unmet
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status

KIND = PingKind()
COMMAND = 'sudo sysctl -w net.ipv4.ping_group_range="0 2147483647"'
only_linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux is asked")


@pytest.mark.parametrize(
    ("written", "host"),
    [
        ("Example.org", "example.org"),
        ("ping://example.org/", "example.org"),
        ("192.0.2.7", "192.0.2.7"),
        ("[::1]", "::1"),
        ("ping://[::1]", "::1"),
        ("bücher.example", "xn--bcher-kva.example"),
    ],
)
def test_a_host_is_named(written: str, host: str) -> None:
    spec = KIND.parse({"host": written})
    assert KIND.describe(spec) == KIND.origin(spec) == spec.host == host


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({}, "host"),
        ({"host": "two words"}, "host"),
        ({"host": "tcp://a"}, "host"),
        ({"host": "-c"}, "host"),
        ({"host": "a", "count": 0}, "count"),
        ({"host": "a", "count": 21}, "count"),
        ({"host": "a", "packet_interval": "9ms"}, "packet_interval"),
        ({"host": "a", "packet_interval": "6s"}, "packet_interval"),
        ({"host": "a", "packet_size": 65_501}, "packet_size"),
        ({"host": "a", "max_loss": 100}, "max_loss"),
        ({"host": "a", "port": 7}, "port"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(settings: dict[str, Setting], field: str) -> None:
    with pytest.raises(Refused) as refused:
        KIND.parse(settings)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"host": "a"}, "ping -n -c 3 -i 0.2 -s 56 a"),
        (
            {"host": "::1", "count": 1, "packet_interval": "5s", "ip_version": "6"},
            "ping -n -c 1 -i 5 -6 -s 56 ::1",
        ),
    ],
)
def test_the_line_that_repeats_it(settings: dict[str, Setting], line: str) -> None:
    assert KIND.parse(settings).repeat_with == line


@pytest.mark.parametrize("message", [b"", b"\x08\x00", b"abc", b"\xff" * 1_001])
def test_a_message_with_its_checksum_sums_up_to_nothing(message: bytes) -> None:
    padded = message + b"\0" * (len(message) % 2)
    assert checksum(padded + checksum(message).to_bytes(2, "big")) in {0, 0xFFFF}


async def checked(kind: PingKind, timeout_s: float = 5.0, **settings: Setting) -> Outcome:
    spec = kind.parse({"host": "127.0.0.1", "packet_interval": "10ms", **settings})
    # Later than the runner would, so that a busy computer fails no test.
    async with asyncio.timeout(timeout_s + 10):
        return await kind.check(spec, timeout_s)


def may_ping(family: socket.AddressFamily) -> bool:
    try:
        with icmp_socket(family) as opened:
            opened.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
    except OSError:
        return False
    return True


pings_4 = pytest.mark.skipif(not may_ping(socket.AF_INET), reason="no ping over IPv4 here")
pings_6 = pytest.mark.skipif(not may_ping(socket.AF_INET6), reason="no ping over IPv6 here")


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [0, 1, 56, 8_000])
@pytest.mark.parametrize(
    "host", [pytest.param("127.0.0.1", marks=pings_4), pytest.param("::1", marks=pings_6)]
)
async def test_this_computer_answers(host: str, size: int) -> None:
    outcome = await checked(KIND, host=host, packet_size=size)
    assert outcome.status is Status.UP
    assert outcome.reason.startswith("3 of 3 answered, ")
    assert outcome.reason.endswith(" ms on average")
    evidence = outcome.evidence
    assert evidence is not None
    assert evidence.address == host
    assert evidence.status_line.startswith(f"{size + 8} bytes from {host}: seq=1 time=")
    assert [line.partition(" ")[0] for line in evidence.body.splitlines()] == ["packet"] * 3 + [
        "min"
    ]
    assert [name for name, _ in evidence.timings_ms] == ["dns", "first_byte", "total"]


@pytest.mark.asyncio
@pings_4
async def test_many_pings_at_once_do_not_mistake_each_others_answers() -> None:
    outcomes = await asyncio.gather(*(checked(KIND, 20.0) for _ in range(30)))
    assert {outcome.status for outcome in outcomes} == {Status.UP}


@pytest.mark.asyncio
async def test_the_response_time_is_the_average() -> None:
    async with network(lambda asked: [echo(asked)]) as there:
        outcome = await checked(over(there), count=2)
    assert outcome.evidence is not None
    *packets, _ = outcome.evidence.body.splitlines()
    times = [float(line.split()[2]) for line in packets]
    assert outcome.response_ms == pytest.approx(sum(times) / 2, abs=0.1)


Peer = Callable[[bytes], list[bytes]]
"""What comes back for one ICMP message."""


Address = tuple[str, int]


@contextlib.asynccontextmanager
async def network(peer: Peer) -> AsyncIterator[Address]:
    """Where ICMP messages can be sent in UDP, to one who answers as the test has it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.bind(("127.0.0.1", 0))
        there.setblocking(False)

        def answer() -> None:
            asked, asker = there.recvfrom(65_536)
            for message in peer(asked):
                there.sendto(message, asker)

        loop = asyncio.get_running_loop()
        loop.add_reader(there, answer)
        try:
            yield there.getsockname()
        finally:
            loop.remove_reader(there)


def over(there: Address) -> PingKind:
    """A kind whose ICMP messages all travel there."""
    return PingKind(open_socket=lambda family: Diverted(family, there))


class Diverted(socket.socket):
    """A UDP socket that sends everything to one place, whoever is meant."""

    def __init__(self, family: int, there: Address) -> None:
        super().__init__(family, socket.SOCK_DGRAM)
        self.there = there

    def sendto(self, data: Any, *_: Any) -> int:
        return super().sendto(data, self.there)


def echo(asked: bytes) -> bytes:
    return b"\0" + asked[1:]


def report(asked: bytes, target: str = "127.0.0.1", kind: int = 3, code: int = 1) -> bytes:
    """That a packet went nowhere, quoted with the IP header it had."""
    ip_header = b"\x45" + bytes(8) + b"\x01" + bytes(6) + socket.inet_aton(target)
    return bytes([kind, code, 0, 0, 0, 0, 0, 0]) + ip_header + asked[:8]


def with_ip_header(message: bytes) -> bytes:
    return b"\x46" + bytes(23) + message


def flipped(message: bytes, position: int) -> bytes:
    return message[:position] + bytes([message[position] ^ 1]) + message[position + 1 :]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "strange",
    [
        pytest.param(lambda asked: asked, id="our own request"),
        pytest.param(lambda asked: flipped(echo(asked), 5), id="another identifier"),
        pytest.param(lambda asked: flipped(echo(asked), 6), id="another number"),
        pytest.param(lambda asked: flipped(echo(asked), -1), id="another content"),
        pytest.param(lambda asked: echo(asked)[:-1], id="content cut short"),
        pytest.param(lambda asked: echo(asked)[:5], id="a header cut short"),
        pytest.param(lambda _: b"", id="nothing"),
        pytest.param(lambda _: b"\x4f", id="an IP header cut short"),
        pytest.param(lambda asked: report(asked, target="192.0.2.1"), id="news of another host"),
        pytest.param(lambda asked: report(asked)[:30], id="news cut short"),
        pytest.param(lambda _: b"\3\1" + bytes(6), id="news of nothing"),
    ],
)
async def test_packets_that_are_not_our_answers_are_passed_over(
    strange: Callable[[bytes], bytes],
) -> None:
    async with network(lambda asked: [strange(asked)] * 3) as there:
        silent = await checked(over(there), 0.3)
    async with network(lambda asked: [strange(asked)] * 100 + [echo(asked)]) as there:
        answered = await checked(over(there))
    assert (silent.status, silent.reason) == (Status.DOWN, "no answer from 127.0.0.1")
    assert answered.status is Status.UP


@pytest.mark.asyncio
@only_linux
async def test_an_answer_from_elsewhere_is_passed_over() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.bind(("127.0.0.2", 0))
        there.setblocking(False)

        async def answer() -> None:
            loop = asyncio.get_running_loop()
            asked, asker = await loop.sock_recvfrom(there, 1_000)
            await loop.sock_sendto(there, echo(asked), asker)

        outcome, _ = await asyncio.gather(
            checked(over(there.getsockname()), 0.3, count=1), answer()
        )
    assert outcome.reason == "no answer from 127.0.0.1"


@pytest.mark.asyncio
async def test_an_ip_header_before_the_answer_is_skipped() -> None:
    async with network(lambda asked: [with_ip_header(echo(asked))]) as there:
        assert (await checked(over(there))).status is Status.UP


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("kind_and_code", "problem"),
    [
        ((3, 0), "network unreachable"),
        ((3, 1), "host unreachable"),
        ((3, 7), "destination unreachable"),
        ((3, 13), "not allowed there"),
        ((11, 0), "too many hops"),
    ],
)
async def test_a_report_that_a_packet_went_nowhere_is_told(
    kind_and_code: tuple[int, int], problem: str
) -> None:
    kind_number, code = kind_and_code
    async with network(lambda asked: [report(asked, kind=kind_number, code=code)]) as there:
        outcome = await checked(over(there), count=2)
    assert (outcome.status, outcome.reason) == (Status.DOWN, f"{problem}, says 127.0.0.1")
    assert outcome.response_ms is None
    assert outcome.evidence is not None
    assert outcome.evidence.body == "\n".join(
        f"packet {number}: {problem}, says 127.0.0.1" for number in (1, 2)
    )
    assert outcome.evidence.address == "127.0.0.1"


@pytest.mark.asyncio
@only_linux
async def test_a_report_that_the_system_keeps_aside_is_told_too() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as closed:
        closed.bind(("127.0.0.1", 0))
        there = closed.getsockname()
    outcome = await checked(over(there))
    assert outcome.reason == "destination unreachable, says 127.0.0.1"


def losing(*lost: int) -> Peer:
    return lambda asked: [] if asked[7] in lost else [echo(asked)]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("lost", "max_loss", "status", "reason"),
    [
        ((1,), 0, Status.DEGRADED, "1 of 4 packets lost"),
        ((3,), 24, Status.DEGRADED, "1 of 4 packets lost"),
        ((0,), 25, Status.UP, "3 of 4 answered, "),
        ((0, 1, 2), 99, Status.UP, "1 of 4 answered, "),
        ((0, 1, 2, 3), 99, Status.DOWN, "no answer from 127.0.0.1"),
    ],
)
async def test_more_loss_than_allowed_is_degraded_and_all_of_it_down(
    lost: tuple[int, ...], max_loss: int, status: Status, reason: str
) -> None:
    async with network(losing(*lost)) as there:
        outcome = await checked(over(there), 1.0, count=4, max_loss=max_loss)
    assert outcome.status is status
    assert outcome.reason.startswith(reason)
    assert (outcome.response_ms is None) is (status is Status.DOWN)
    assert outcome.evidence is not None
    fates = outcome.evidence.body.splitlines()[:4]
    assert [number for number in range(4) if fates[number].endswith("no answer")] == list(lost)
    if status is Status.DEGRADED:
        assert outcome.evidence.unmet == (Unmet("loss", f"<= {max_loss} %", "25 %"),)


@pytest.mark.asyncio
async def test_a_slow_average_is_degraded_beside_the_loss() -> None:
    loop = asyncio.get_running_loop()

    def busy(asked: bytes) -> list[bytes]:
        until = loop.time() + 0.002
        while loop.time() < until:
            pass
        return losing(0)(asked)

    async with network(busy) as there:
        outcome = await checked(over(there), 1.0, count=2, latency_threshold="1ms")
    assert outcome.status is Status.DEGRADED
    assert outcome.reason.startswith("1 of 2 packets lost; took ")
    assert outcome.evidence is not None
    assert [unmet.what for unmet in outcome.evidence.unmet] == ["loss", "latency"]


@pytest.mark.asyncio
async def test_a_check_cut_off_leaves_what_it_had_seen() -> None:
    async with network(losing(1)) as there:
        kind = over(there)
        spec = kind.parse({"host": "127.0.0.1", "count": 2, "packet_interval": "10ms"})
        with pytest.raises(TimeoutError) as timeout:
            async with asyncio.timeout(0.2):
                await kind.check(spec, 30)
    evidence = evidence_left(timeout.value)
    assert evidence is not None
    assert evidence.address == "127.0.0.1"
    assert evidence.body.splitlines()[1] == "packet 2: no answer"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("first", "said"), [("::1", "no route to ::1"), ("127.0.0.9", "no answer from 127.0.0.9")]
)
async def test_an_address_that_leads_nowhere_is_followed_by_the_next(first: str, said: str) -> None:
    async with network(lambda asked: [echo(asked)]) as there:

        def open_socket(family: socket.AddressFamily) -> socket.socket:
            if family == socket.AF_INET6:
                raise OSError(errno.EAFNOSUPPORT, "no IPv6")
            return Diverted(family, there)

        # All answers are from 127.0.0.1, none from the other address.
        kind = PingKind(Resolver(lambda _: [first, "127.0.0.1"]), open_socket)
        outcome = await checked(kind, 2.5, host="both.example")
    assert outcome.status is Status.UP
    assert outcome.evidence is not None
    assert outcome.evidence.address == f"{said}; 127.0.0.1"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("error", "status", "reason"),
    [
        (errno.ENETUNREACH, Status.DOWN, "no route to 127.0.0.1"),
        (errno.EPERM, Status.DOWN, "this computer does not allow ping to 127.0.0.1"),
        (errno.EMSGSIZE, Status.UNKNOWN, "56 bytes are too many for a ping from here"),
        (errno.ENOBUFS, Status.UNKNOWN, "this computer has no free sockets"),
        (errno.EIO, Status.DOWN, f"no ping to 127.0.0.1: {os.strerror(errno.EIO)}"),
    ],
)
async def test_a_packet_that_cannot_be_sent(error: int, status: Status, reason: str) -> None:
    class Broken(socket.socket):
        def sendto(self, *_: Any) -> int:
            raise OSError(error, os.strerror(error))

    kind = PingKind(open_socket=lambda family: Broken(family, socket.SOCK_DGRAM))
    outcome = await checked(kind)
    assert (outcome.status, outcome.reason) == (status, reason)
    assert outcome.evidence is not None
    assert outcome.evidence.body == ""


@pytest.mark.asyncio
@only_linux
@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (
            errno.EPERM,
            "this computer does not allow ping; to allow it: " + COMMAND,
        ),
        (errno.EMFILE, "this computer has no free sockets"),
    ],
)
async def test_without_a_socket_nothing_is_known_of_the_target(error: int, reason: str) -> None:
    def refuse(_: socket.AddressFamily) -> socket.socket:
        raise OSError(error, "no")

    outcome = await checked(PingKind(open_socket=refuse))
    assert (outcome.status, outcome.reason) == (Status.UNKNOWN, reason)


@pytest.mark.asyncio
async def test_more_packets_than_the_timeout_has_room_for_are_our_own_fault() -> None:
    outcome = await checked(KIND, 5.0, count=20, packet_interval="1s")
    assert (outcome.status, outcome.reason) == (
        Status.UNKNOWN,
        "20 packets, 1 s apart, take longer than the timeout allows",
    )


@pytest.mark.asyncio
async def test_a_name_that_does_not_exist_is_down() -> None:
    outcome = await checked(PingKind(Resolver(lambda _: [])), host="a.example")
    assert (outcome.status, outcome.reason) == (Status.DOWN, "host name not found")


def told_in_a_network(kind_of_socket: str) -> dict[str, dict[str, str]]:
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("no network of our own to be had here")
    done = subprocess.run(
        [unshare, "-rn", sys.executable, "-m", "tests.checks.ping_network", kind_of_socket],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=Path(__file__).parents[2],
        check=False,
    )
    if "unshare" in done.stderr or "/dev/net/tun" in done.stderr:
        pytest.skip("no network of our own to be had here")
    assert done.returncode == 0, done.stderr
    told: dict[str, dict[str, str]] = json.loads(done.stdout)
    return told


@only_linux
@pytest.mark.parametrize("kind_of_socket", ["datagram", "raw"])
def test_over_a_network_that_answers_loses_and_lies(kind_of_socket: str) -> None:
    told = told_in_a_network(kind_of_socket)
    answered, lost = ("up", "3 of 3 answered"), ("down", "no answer from ")
    expected = dict(
        zip(
            (*HOSTS, NOWHERE, *LOOPBACK),
            [
                answered,
                answered,
                lost,
                lost,
                answered,
                ("degraded", "1 of 3 packets lost"),
                ("down", "host unreachable, says 10.9.0.254"),
                ("down", "not allowed there, says 10.9.0.254"),
                ("down", "too many hops, says 10.9.0.254"),
                ("down", "no route to 198.51.100.1"),
                answered,
                answered,
            ],
            strict=True,
        )
    )
    for target, (status, reason) in expected.items():
        assert (told[target]["status"], target) == (status, target)
        assert told[target]["reason"].startswith(reason)
