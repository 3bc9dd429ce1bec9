"""A network of a test's own, in a namespace: hosts that answer, lie, lose packets or are not there.

Run as a program inside the namespace. It plays every host itself, through a tunnel device, pings
them all with the kind of socket named and prints what came of each as JSON.
"""

import asyncio
import json
import os
import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from uptime_desktop.checks.net.icmp import checksum
from uptime_desktop.checks.ping import PingKind
from uptime_desktop.domain.model import Outcome

US: Final = "10.9.0.1"
ROUTER: Final = "10.9.0.254"
_UP: Final = 0x1
_SET_ADDRESS, _SET_NETMASK, _SET_FLAGS, _MAKE_TUNNEL = 0x8916, 0x891C, 0x8914, 0x400454CA
_TUNNEL_WITHOUT_INFO: Final = 0x1001
_ICMP: Final = struct.Struct("!BBHHH")

Host = Callable[[bytes], list[bytes]]
"""What a host says to an IP packet with an echo request in it."""


def packet(source: str, message: bytes) -> bytes:
    """An ICMP message in an IP packet to us, both with their checksums."""
    message = message[:2] + b"\0\0" + message[4:]
    message = message[:2] + checksum(message).to_bytes(2, "big") + message[4:]
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(message), 0, 0, 64, 1, 0)
    head += socket.inet_aton(source) + socket.inet_aton(US)
    return head[:10] + checksum(head).to_bytes(2, "big") + head[12:] + message


def echoed(asked: bytes, source: str = "", **changed: int) -> bytes:
    """The reply to an echo request, right but for what is to be changed."""
    _, _, _, identifier, sequence = _ICMP.unpack_from(asked, 20)
    identifier ^= changed.get("identifier", 0)
    sequence += changed.get("sequence", 0)
    payload = bytes(byte ^ changed.get("payload", 0) for byte in asked[28:])
    source = source or socket.inet_ntoa(asked[16:20])
    return packet(source, _ICMP.pack(0, 0, 0, identifier, sequence) + payload)


def lying(asked: bytes) -> list[bytes]:
    return [
        echoed(asked, identifier=1),
        echoed(asked, sequence=7),
        echoed(asked, payload=1),
        echoed(asked, source="10.9.0.99"),
        packet(ROUTER, _ICMP.pack(3, 1, 0, 0, 0) + asked[:16] + b"\1\2\3\4" + asked[20:28]),
        packet(ROUTER, _ICMP.pack(3, 1, 0, 0, 0)),
    ]


def forgetful(asked: bytes) -> list[bytes]:
    sequence = _ICMP.unpack_from(asked, 20)[4]
    return [] if sequence == 1 else [echoed(asked)]


def reported(kind: int, code: int) -> Host:
    return lambda asked: [packet(ROUTER, _ICMP.pack(kind, code, 0, 0, 0) + asked[:28])]


HOSTS: Final[dict[str, Host]] = {
    "10.9.0.2": lambda asked: [echoed(asked)],
    "10.9.0.3": lambda asked: [echoed(asked)] * 3,
    "10.9.0.4": lambda _: [],
    "10.9.0.5": lying,
    "10.9.0.6": lambda asked: [*lying(asked), echoed(asked)],
    "10.9.0.7": forgetful,
    "10.9.0.8": reported(3, 1),
    "10.9.0.9": reported(3, 13),
    "10.9.0.10": reported(11, 0),
}
NOWHERE: Final = "198.51.100.1"
LOOPBACK: Final = ("127.0.0.1", "::1")


def make_network() -> int:
    """Loopback and a tunnel, both up; what the tunnel can be read and written by."""
    import fcntl  # noqa: PLC0415 - Windows has none, and must be able to read this module

    tunnel = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tunnel, _MAKE_TUNNEL, struct.pack("16sH22x", b"test0", _TUNNEL_WITHOUT_INFO))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as configuring:
        for request, address in ((_SET_ADDRESS, US), (_SET_NETMASK, "255.255.255.0")):
            wanted = struct.pack(
                "16sHH4s8x", b"test0", socket.AF_INET, 0, socket.inet_aton(address)
            )
            fcntl.ioctl(configuring, request, wanted)
        for name in (b"lo", b"test0"):
            fcntl.ioctl(configuring, _SET_FLAGS, struct.pack("16sH14x", name, _UP))
    return tunnel


async def pinged(tunnel: int) -> dict[str, Outcome]:
    def carry() -> None:
        asked = os.read(tunnel, 65_536)
        host = HOSTS.get(socket.inet_ntoa(asked[16:20]))
        # The system speaks IPv6 into every new device.
        for answer in host(asked) if host and asked[0] >> 4 == 4 else []:
            os.write(tunnel, answer)

    loop = asyncio.get_running_loop()
    loop.add_reader(tunnel, carry)
    kind = PingKind()
    targets = (*HOSTS, NOWHERE, *LOOPBACK)
    specs = [kind.parse({"host": target, "packet_interval": "10ms"}) for target in targets]
    outcomes = await asyncio.gather(*(kind.check(spec, 1.5) for spec in specs))
    loop.remove_reader(tunnel)
    return dict(zip(targets, outcomes, strict=True))


def main() -> None:
    tunnel = make_network()
    if sys.argv[1] == "datagram":
        Path("/proc/sys/net/ipv4/ping_group_range").write_text("0 0")
    outcomes = asyncio.run(pinged(tunnel))
    told = {
        target: {
            "status": outcome.status,
            "reason": outcome.reason,
            "body": outcome.evidence.body if outcome.evidence else "",
        }
        for target, outcome in outcomes.items()
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
