"""What an http check sends, and how the server may be reached: values, no sockets."""

from dataclasses import dataclass, field
from functools import cached_property

import h11

from uptime_desktop.checks.net.address import Url, host_and_port
from uptime_desktop.checks.net.trust import VERIFIED, TlsProfile
from uptime_desktop.checks.redaction import HIDDEN, basic_credentials


@dataclass(frozen=True, slots=True)
class Proxy:
    """Who passes our requests on. `host` is ASCII without brackets."""

    scheme: str
    host: str
    port: int
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)

    @property
    def is_tls(self) -> bool:
        return self.scheme == "https"

    @property
    def is_socks(self) -> bool:
        return self.scheme.startswith("socks5")

    @property
    def resolves_names(self) -> bool:
        """Whether it is told the server's name; `socks5` gets an address that we looked up."""
        return self.scheme != "socks5"

    @property
    def has_credentials(self) -> bool:
        return bool(self.user or self.password)

    @property
    def credentials(self) -> str:
        """User and password as a header carries them; empty where there are none."""
        return basic_credentials(self.user, self.password) if self.has_credentials else ""

    @property
    def shown(self) -> str:
        """The address as people may see it."""
        userinfo = HIDDEN + "@" if self.has_credentials else ""
        return f"{self.scheme}://{userinfo}{host_and_port(self.host, self.port)}"


@dataclass(frozen=True)
class Request:
    """What is sent, and how the server may be reached. Headers are complete and valid.

    `http_version` is `1.1`, `2`, or `any` for the newest that the server offers.
    """

    method: str
    url: Url = field(repr=False)
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    body: bytes = field(default=b"", repr=False)
    max_body: int = 1_048_576
    ip_version: str = "any"
    tls: TlsProfile = VERIFIED
    proxy: Proxy | None = None
    http_version: str = "1.1"

    @cached_property
    def event(self) -> h11.Request:
        """Built once: its validation is a tenth of what a check costs."""
        return self.event_for(self.url.target)

    @property
    def is_direct(self) -> bool:
        """Whether it is HTTP/1.1 straight to the server, as almost always."""
        version = self.http_version
        return self.proxy is None and (
            version == "1.1" or (version == "any" and not self.url.is_tls)
        )

    def event_for(self, target: str, *more: tuple[str, str]) -> h11.Request:
        """The request for a target written as its receiver needs it, with more headers."""
        headers = [(name.encode("ascii"), value.encode()) for name, value in self.headers + more]
        return h11.Request(method=self.method, target=target, headers=headers)
