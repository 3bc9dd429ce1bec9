"""URLs, hosts and ports as people write them, turned into what a socket and a server need."""

import ipaddress
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

import idna

from uptime_desktop.checks.redaction import shown_url
from uptime_desktop.domain.refusal import Refused

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_HAS_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?://|(?!\d))")
_AUTHORITY: Final = re.compile(r"(?s)[^:]*://(?:[^/?#]*@)?([^/?#]*).*")
_LABEL: Final = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?")
_MOST_HOST_CHARACTERS: Final = 253
_SAFE_IN_PATH: Final = "/%:@!$&'()*+,;=~"
_SAFE_IN_QUERY: Final = _SAFE_IN_PATH + "?"
_WEB_ADDRESS: Final = "an address such as https://example.org/path"


@dataclass(frozen=True, slots=True)
class Url:
    """An http or https address. `host` is ASCII without brackets, `target` path and query."""

    scheme: str
    host: str
    port: int
    target: str
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def is_tls(self) -> bool:
        return self.scheme == "https"

    @property
    def authority(self) -> str:
        """Host and port as the `Host` header names them."""
        # Which of our interfaces leads there is none of the server's business.
        host = self.host.partition("%")[0]
        if self.port == _DEFAULT_PORTS[self.scheme]:
            return bracketed(host)
        return host_and_port(host, self.port)

    @property
    def server_name(self) -> str:
        """The host as a certificate names it."""
        return self.host.partition("%")[0].removesuffix(".")

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{host_and_port(self.host, self.port)}"

    @property
    def text(self) -> str:
        """The address without user and password."""
        return f"{self.scheme}://{self.authority}{self.target}"

    def is_upgrade_of(self, other: "Url") -> bool:
        """Whether it is the same host by https where it was http, both on their usual ports."""
        change = (other.scheme, other.port, self.scheme, self.port)
        return self.host == other.host and change == ("http", 80, "https", 443)

    def joined(self, location: str) -> "Url":
        """Where a redirect leads; refused unless that is a web address."""
        return parse_url("url", urljoin(self.text, location))


def parse_url(field: str, text: str) -> Url:
    """A web address; one without a scheme is taken for https."""
    text = text.strip()
    if not text or not text.isprintable():
        raise _no_web_address(field, text)
    if "/" not in text and is_numeric(text):
        text = bracketed(text)
    written = text if _HAS_SCHEME.match(text) else "https://" + text
    try:
        parts = urlsplit(written)
        port = parts.port
    except ValueError:
        # Whatever else may be wrong, a port that is a number is out of range.
        _, written_port = split_port(_AUTHORITY.sub(r"\1", written))
        if written_port.isdecimal():
            parse_port(field, written_port)
        raise _no_web_address(field, text) from None
    if parts.scheme not in _DEFAULT_PORTS:
        raise _no_web_address(field, text)
    if port == 0:
        parse_port(field, "0")
    if not parts.hostname:
        raise Refused(field, "{value} names no host", _WEB_ADDRESS, value=shown_url(text))
    return Url(
        parts.scheme,
        parse_host(field, unquote(parts.hostname)),
        _DEFAULT_PORTS[parts.scheme] if port is None else port,
        _target(parts),
        unquote(parts.username or ""),
        unquote(parts.password or ""),
    )


def parse_host(field: str, text: str) -> str:
    """A host name in ASCII, or a numeric address without brackets."""
    bare = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    if is_numeric(bare):
        return bare.lower()
    try:
        name = bare if bare.isascii() else idna.encode(bare, uts46=True).decode("ascii")
    except idna.IDNAError:
        name = ""
    labels = name.removesuffix(".").split(".")
    if len(name) > _MOST_HOST_CHARACTERS or not all(map(_LABEL.fullmatch, labels)):
        raise Refused(field, "{value} is not a host name", "a name or an address", value=text)
    return name.lower()


def parse_port(field: str, text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text) or not 1 <= int(text) <= 65_535:
        raise Refused(field, "{value} is not a port", "1 to 65535", value=text)
    return int(text)


def split_port(text: str) -> tuple[str, str]:
    """`host:port` taken apart; the port is empty where there is none, as in a bare `::1`."""
    host, colon, port = text.rpartition(":")
    if not colon or (":" in host and not host.endswith("]")):
        return text, ""
    return host, port


@lru_cache(maxsize=4_096)
def is_numeric(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def host_and_port(host: str, port: int) -> str:
    return f"{bracketed(host)}:{port}"


def bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _target(parts: SplitResult) -> str:
    path = quote(parts.path, safe=_SAFE_IN_PATH) or "/"
    return f"{path}?{quote(parts.query, safe=_SAFE_IN_QUERY)}" if parts.query else path


def _no_web_address(field: str, text: str) -> Refused:
    return Refused(field, "{value} is not a web address", _WEB_ADDRESS, value=shown_url(text))
