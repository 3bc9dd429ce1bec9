"""The parts of addresses in other programs' settings, taken apart and put together again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from uptime_desktop.checks.net.address import host_and_port


@dataclass(frozen=True, slots=True)
class Server:
    """Where something is; without a port it is the usual one."""

    host: str
    port: int | None = None
    is_tls: bool = False
    scheme: str = ""
    user: str = ""
    password: str = ""
    path: str = ""
    query: str = ""

    @property
    def authority(self) -> str:
        bare = f"[{self.host}]" if ":" in self.host else self.host
        return bare if self.port is None else host_and_port(self.host, self.port)


def server_at(text: str) -> Server | None:
    """The server that a URL names, None if it names none."""
    try:
        parts = urlsplit(text.strip() if "//" in text else f"//{text.strip()}")
        host, port = unquote(parts.hostname or ""), parts.port
    except ValueError:
        return None
    if not host:
        return None
    return Server(
        host,
        port,
        parts.scheme in {"https", "wss", "grpcs"},
        parts.scheme,
        unquote(parts.username or ""),
        unquote(parts.password or ""),
        parts.path,
        parts.query,
    )


def joined(
    scheme: str,
    authority: str,
    *places: str,
    sign_in: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
) -> str:
    """A URL of these parts; those of `sign_in` stand before the authority, empty ones left out.

    `authority` and what begins with a slash is taken as it is, everything else quoted.
    """
    user = ":".join(quote(part, safe="") for part in sign_in)
    path = "".join(
        place.rstrip("/") if place.startswith("/") else f"/{quote(place, safe='')}"
        for place in places
        if place
    )
    given = {key: value for key, value in (options or {}).items() if value}
    query = "&".join(f"{quote(key, safe='+')}={quote(given[key], safe='')}" for key in given)
    before = f"{user}@" if user else ""
    return f"{scheme}://{before}{authority}{path}" + (f"?{query}" if query else "")
