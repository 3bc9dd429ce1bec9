"""ICMP echo over a socket of its own: packets out, and the answers that belong to them back.

Knows nothing of monitors. What a raw socket hears of other programs' pings is passed over.
"""

import asyncio
import contextlib
import errno
import os
import socket
import struct
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Final

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.net.resolver import Endpoint
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words

_HEADER: Final = struct.Struct("!BBHHH")
_LARGEST_REPORT: Final = 2_048
_LONGEST_IP_HEADER: Final = 60
# Data that is there is read without a turn of the loop: let others run between floods.
_PACKETS_A_TURN: Final = 64
_ERROR_QUEUE_OPTIONS: Final = {
    socket.AF_INET: (socket.IPPROTO_IP, 11),
    socket.AF_INET6: (socket.IPPROTO_IPV6, 25),
}
_EXTENDED_ERROR: Final = struct.Struct("=IBBBxII")
_NO_ROUTE: Final = frozenset(
    {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
)
_NO_SOCKETS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_DENIED: Final = frozenset({errno.EACCES, errno.EPERM})
_UNREACHABLE: Final = words("destination unreachable")
_PROBLEMS_4: Final = {
    (3, 0): words("network unreachable"),
    (3, 1): words("host unreachable"),
    (3, 4): words("packet too large"),
    (3, 9): words("not allowed there"),
    (3, 10): words("not allowed there"),
    (3, 13): words("not allowed there"),
    (11, 0): words("too many hops"),
}
_PROBLEMS_6: Final = {
    (1, 0): words("network unreachable"),
    (1, 1): words("not allowed there"),
    (1, 3): words("host unreachable"),
    (2, 0): words("packet too large"),
    (3, 0): words("too many hops"),
}


@dataclass(frozen=True, slots=True)
class _Version:
    """The numbers in which ICMP for IPv4 and IPv6 differ."""

    request: int
    reply: int
    reports: frozenset[int]
    problems: dict[tuple[int, int], str]
    protocol: int


_VERSION_4: Final = _Version(8, 0, frozenset({3, 11, 12}), _PROBLEMS_4, socket.IPPROTO_ICMP)
_VERSION_6: Final = _Version(128, 129, frozenset({1, 2, 3, 4}), _PROBLEMS_6, socket.IPPROTO_ICMPV6)


@dataclass(frozen=True, slots=True)
class EchoAnswer:
    """What became of one packet; `problem` where `source` reports that it went nowhere."""

    sequence: int
    at: float
    problem: str = ""
    source: str = ""


OpenSocket = Callable[[socket.AddressFamily], socket.socket]


def icmp_socket(family: socket.AddressFamily) -> socket.socket:
    """A socket that any user may have where the system allows, else one for the privileged."""
    protocol = _VERSION_4.protocol if family == socket.AF_INET else _VERSION_6.protocol
    try:
        return socket.socket(family, socket.SOCK_DGRAM, protocol)
    except OSError as error:
        if error.errno in _NO_SOCKETS:
            raise
    return socket.socket(family, socket.SOCK_RAW, protocol)


class Echo:
    """Echo requests to one address, each with our identifier, its number and random bytes."""

    def __init__(self, endpoint: Endpoint, size: int, open_socket: OpenSocket = icmp_socket):
        self.address = endpoint.sockaddr[0]
        self._endpoint = endpoint
        self._version = _VERSION_4 if endpoint.family == socket.AF_INET else _VERSION_6
        self._target = socket.inet_pton(endpoint.family, self.address)
        self._payload = os.urandom(size)
        self._read_bytes = max(_LARGEST_REPORT, size + _HEADER.size + _LONGEST_IP_HEADER)
        self._reported: deque[EchoAnswer] = deque()
        self._ignored = 0
        self._loop = asyncio.get_running_loop()
        try:
            self._socket = open_socket(endpoint.family)
        except OSError as error:
            raise self._unopened(error) from None
        try:
            self._identifier = self._prepared()
        except BaseException:
            self._socket.close()
            raise

    async def send(self, sequence: int) -> None:
        packet = self._packet(sequence)
        try:
            await self._loop.sock_sendto(self._socket, packet, self._endpoint.sockaddr)
        except OSError as error:
            # It may be the report about an earlier packet that is told here.
            if not self._take_reports():
                raise self._unsent(error) from None
            await self.send(sequence)

    async def receive(self) -> EchoAnswer:
        """The next answer to one of our packets."""
        while True:
            if self._reported:
                return self._reported.popleft()
            try:
                data, sender = await self._loop.sock_recvfrom(self._socket, self._read_bytes)
            except OSError as error:
                if not self._take_reports():
                    raise self._unsent(error) from None
                continue
            answer = self._understood(data, sender[0], perf_counter())
            if answer is not None:
                return answer
            self._ignored += 1
            if self._ignored % _PACKETS_A_TURN == 0:
                await asyncio.sleep(0)

    def close(self) -> None:
        self._socket.close()

    def _prepared(self) -> int:
        """Our identifier: where the system gives each socket one, that."""
        self._socket.setblocking(False)
        given = 0
        if self._socket.type == socket.SOCK_DGRAM and sys.platform == "linux":
            self._socket.setsockopt(*_ERROR_QUEUE_OPTIONS[self._endpoint.family], 1)
            self._socket.bind(("", 0))
            given = self._socket.getsockname()[1]
        return given or int.from_bytes(os.urandom(2), "big")

    def _packet(self, sequence: int) -> bytes:
        request = self._version.request
        packet = _HEADER.pack(request, 0, 0, self._identifier, sequence) + self._payload
        if self._version is _VERSION_6:
            # The system computes it, because the address it chooses is part of the sum.
            return packet
        return packet[:2] + checksum(packet).to_bytes(2, "big") + packet[4:]

    def _understood(self, data: bytes, sender: str, at: float) -> EchoAnswer | None:
        """What a packet says about one of ours; None for everybody else's."""
        start = 0
        if self._version is _VERSION_4 and data and data[0] >> 4 == 4:
            # No ICMP message begins like this: it is the IP header that some sockets show.
            start = (data[0] & 15) * 4
        if len(data) < start + _HEADER.size:
            return None
        kind, code, _, identifier, sequence = _HEADER.unpack_from(data, start)
        body = start + _HEADER.size
        if kind == self._version.reply:
            is_ours = identifier == self._identifier and data[body:] == self._payload
            return EchoAnswer(sequence, at) if is_ours and self._is_there(sender) else None
        if kind in self._version.reports:
            quoted = self._quoted_sequence(data[body:])
            if quoted is not None:
                return EchoAnswer(quoted, at, self._problem(kind, code), sender)
        return None

    def _quoted_sequence(self, quoted: bytes) -> int | None:
        """The number of our packet that a report quotes, with the IP header it had."""
        if self._version is _VERSION_4:
            length = (quoted[0] & 15) * 4 if quoted else 0
            protocol, target = quoted[9:10], quoted[16:20]
        else:
            length = 40
            protocol, target = quoted[6:7], quoted[24:40]
        if protocol != bytes([self._version.protocol]) or target != self._target:
            return None
        return self._own_sequence(quoted[length:])

    def _own_sequence(self, message: bytes) -> int | None:
        if len(message) < _HEADER.size:
            return None
        kind, _, _, identifier, sequence = _HEADER.unpack_from(message)
        is_ours = kind == self._version.request and identifier == self._identifier
        return sequence if is_ours else None

    def _problem(self, kind: int, code: int) -> str:
        return self._version.problems.get((kind, code), _UNREACHABLE)

    def _take_reports(self) -> bool:
        """Read what Linux keeps aside for a datagram socket; whether there was anything."""
        if self._socket.type != socket.SOCK_DGRAM or sys.platform != "linux":
            return False
        found = False
        with contextlib.suppress(BlockingIOError):
            while True:
                message, ancillary, _, sent_to = self._socket.recvmsg(
                    self._read_bytes, 512, socket.MSG_ERRQUEUE
                )
                found = True
                for _, _, data in ancillary if self._is_there(sent_to[0]) else ():
                    self._note_report(message, data)
        return found

    def _is_there(self, address: str) -> bool:
        return socket.inet_pton(self._endpoint.family, address) == self._target

    def _note_report(self, message: bytes, data: bytes) -> None:
        sequence = self._own_sequence(message)
        if sequence is None or len(data) < _EXTENDED_ERROR.size:
            return
        _, _, kind, code, _, _ = _EXTENDED_ERROR.unpack_from(data)
        problem = self._problem(kind, code)
        answer = EchoAnswer(sequence, perf_counter(), problem, self._offender(data))
        self._reported.append(answer)

    def _offender(self, data: bytes) -> str:
        """The address that follows in a socket's own form."""
        family = self._endpoint.family
        start = _EXTENDED_ERROR.size + (4 if family == socket.AF_INET else 8)
        packed = data[start : start + len(self._target)]
        return socket.inet_ntop(family, packed) if len(packed) == len(self._target) else ""

    def _unopened(self, error: OSError) -> Failed:
        if error.errno in _NO_SOCKETS:
            return Failed("this computer has no free sockets", Status.UNKNOWN)
        if error.errno == errno.EAFNOSUPPORT:
            return Failed("no route to {address}", address=self.address)
        if sys.platform == "linux":
            return Failed(
                "this computer does not allow ping; to allow it: {command}",
                Status.UNKNOWN,
                command='sudo sysctl -w net.ipv4.ping_group_range="0 2147483647"',
            )
        return Failed("this computer allows ping to administrators only", Status.UNKNOWN)

    def _unsent(self, error: OSError) -> Failed:
        if error.errno in _NO_ROUTE:
            return Failed("no route to {address}", address=self.address)
        if error.errno in _DENIED:
            return Failed("this computer does not allow ping to {address}", address=self.address)
        if error.errno == errno.EMSGSIZE:
            size = len(self._payload)
            return Failed(
                "{size} bytes are too many for a ping from here", Status.UNKNOWN, size=size
            )
        if error.errno in _NO_SOCKETS:
            return Failed("this computer has no free sockets", Status.UNKNOWN)
        said = error.strerror or str(error)
        return Failed("no ping to {address}: {said}", address=self.address, said=said)


def checksum(packet: bytes) -> int:
    """The internet checksum: a sum of 16-bit words with carry is the remainder by 65535."""
    if len(packet) % 2:
        packet += b"\0"
    return 0xFFFF - int.from_bytes(packet, "big") % 0xFFFF
