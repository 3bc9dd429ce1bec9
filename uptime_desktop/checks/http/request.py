"""What an http check sends, and how the server may be reached: values, no sockets."""

from dataclasses import dataclass, field

import h11

from uptime_desktop.checks.net.address import Url
from uptime_desktop.checks.net.trust import VERIFIED, TlsProfile


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent, and how the server may be reached. Headers are complete and valid."""

    method: str
    url: Url
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""
    max_body: int = 1_048_576
    ip_version: str = "any"
    tls: TlsProfile = VERIFIED
    # Built once: its validation is a tenth of what a check costs.
    event: h11.Request = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        headers = [(name.encode("ascii"), value.encode()) for name, value in self.headers]
        event = h11.Request(method=self.method, target=self.url.target, headers=headers)
        object.__setattr__(self, "event", event)
