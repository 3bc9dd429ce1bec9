"""Host names to addresses, by the computer's own rules, without ever holding up the loop."""

import asyncio
import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.net.address import host_and_port, is_numeric
from uptime_desktop.checks.net.workers import WORKERS, Kept, Workers
from uptime_desktop.domain.wording import duration_text

_LOOK_UP_TIMEOUT_S: Final = 10.0
_KEEP_S: Final = 5.0
_LOOPBACK: Final = ("127.0.0.1", "::1")

LookUp = Callable[[str], Sequence[str]]
"""Numeric addresses of a host name, best first; a link-local one as `fe80::1%2`."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to connect."""

    family: socket.AddressFamily
    sockaddr: tuple[str, int] | tuple[str, int, int, int]

    def __str__(self) -> str:
        return host_and_port(self.sockaddr[0], self.sockaddr[1])


def system_look_up(host: str) -> Sequence[str]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(_numeric(*sockaddr) for *_, sockaddr in found))


class Resolver:
    """Look-ups on threads of their own, with a timeout and a memory of a few seconds."""

    def __init__(
        self,
        look_up: LookUp = system_look_up,
        timeout_s: float = _LOOK_UP_TIMEOUT_S,
        keep_s: float = _KEEP_S,
        workers: Workers = WORKERS,
    ) -> None:
        self._timeout_s = timeout_s
        self._found = Kept(look_up, keep_s, workers)

    async def endpoints(self, host: str, port: int, ip_version: str = "any") -> list[Endpoint]:
        """Where to connect, in the order to try; never empty."""
        if is_numeric(host):
            addresses: Sequence[str] = (host,)
        elif host == "localhost":
            addresses = _LOOPBACK
        else:
            addresses = await self._look_up(host)
        found = _alternating([_endpoint(address, port) for address in addresses])
        if ip_version != "any":
            wanted = socket.AF_INET6 if ip_version == "6" else socket.AF_INET
            found = [endpoint for endpoint in found if endpoint.family == wanted]
            if not found:
                raise Failed("{host} has no IPv{version} address", host=host, version=ip_version)
        if not found:
            raise Failed("host name not found")
        return found

    async def _look_up(self, host: str) -> Sequence[str]:
        known = self._found.known(host)
        if known is not None:
            return known
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._found.get(host)
        except TimeoutError:
            limit = duration_text(round(self._timeout_s * 1_000))
            raise Failed("host name look-up took longer than {limit}", limit=limit) from None
        except socket.gaierror as error:
            raise _failure(error) from None
        except (OSError, UnicodeError):
            raise Failed("host name look-up failed") from None


def _failure(error: socket.gaierror) -> Failed:
    if error.errno in {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}:
        return Failed("host name not found")
    if error.errno == socket.EAI_AGAIN:
        return Failed("host name look-up failed: no answer from the name server")
    return Failed("host name look-up failed: {error}", error=error.strerror or str(error.errno))


def _alternating(endpoints: list[Endpoint]) -> list[Endpoint]:
    """The two families in turn, so that one that leads nowhere costs one attempt, not all."""
    if len(endpoints) < 2:
        return endpoints
    first = [endpoint for endpoint in endpoints if endpoint.family == endpoints[0].family]
    other = [endpoint for endpoint in endpoints if endpoint.family != endpoints[0].family]
    return [endpoint for pair in zip_longest(first, other) for endpoint in pair if endpoint]


def _numeric(address: int | str, _port: int | bytes, _flow: int = 0, scope: int = 0) -> str:
    address = str(address)
    return f"{address}%{scope}" if scope and "%" not in address else address


@lru_cache(maxsize=4_096)
def _endpoint(address: str, port: int) -> Endpoint:
    if ipaddress.ip_address(address).version == 4:
        return Endpoint(socket.AF_INET, (address, port))
    plain, _, scope = address.partition("%")
    return Endpoint(socket.AF_INET6, (plain, port, 0, _scope_number(scope)))


def _scope_number(scope: str) -> int:
    if not scope or scope.isdigit():
        return int(scope or 0)
    try:
        return socket.if_nametoindex(scope)
    except OSError:
        raise Failed("there is no network interface {name}", name=scope) from None
