"""The settings of a provider of alerts, as texts and as parts of addresses."""

from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import quote, urlsplit

from uptime_desktop.exchange.importers.gatus.variables import Variables, is_one_variable

IN_PATH: Final = "/:@!$&'()*+,;=-._~%?#"


class Settings:
    """The settings of one provider."""

    def __init__(self, table: Mapping[str, object], variables: Variables) -> None:
        self._table = table
        self._variables = variables

    def plain(self, key: str, default: str = "") -> str:
        value = self._table.get(key)
        found = self._variables.expanded(value) if isinstance(value, str) else ""
        return found.strip() or default

    def part(self, key: str, safe: str = "") -> str:
        """For a place in an address."""
        value = self._table.get(key)
        return self._variables.in_address(value, safe) if isinstance(value, str) else ""

    def several(self, key: str) -> list[str]:
        """Each for a place in an address."""
        return [quote(one, safe="") for one in self.texts(key)]

    def texts(self, key: str) -> list[str]:
        """What is in a list, or in a text between commas."""
        value = self._table.get(key)
        if isinstance(value, str):
            value = self._variables.expanded(value).split(",")
        found = value if isinstance(value, list) else []
        texts = (self._variables.expanded(one).strip() for one in found if isinstance(one, str))
        return [one for one in texts if one]

    def hook(self, key: str, *beginnings: str) -> str | None:
        """An address that Apprise knows as it is."""
        value = self._table.get(key)
        if is_one_variable(value) and isinstance(value, str):
            return self._variables.referring(value)
        is_known = self.plain(key).startswith(beginnings)
        return self.part(key, IN_PATH) if is_known else None

    def server(self, key: str, scheme: str, default: str = "") -> "Server | None":
        """A server and the place on it, in a scheme that has an `s` at its end for TLS."""
        try:
            parts = urlsplit(self.plain(key, default))
            port = parts.port
        except ValueError:
            return None
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            return None
        host = f"[{parts.hostname}]" if ":" in parts.hostname else quote(parts.hostname, safe="")
        name = scheme + "s" * (parts.scheme == "https")
        path = quote(parts.path.strip("/"), safe=IN_PATH.replace("?", "").replace("#", ""))
        return Server(name, host if port is None else f"{host}:{port}", path)


class Server(NamedTuple):
    scheme: str
    host: str
    path: str

    def address(self, *path: str, user: str = "", query: str = "") -> str:
        places = "/".join(one for one in (self.path, *path) if one)
        who = f"{user}@" if user else ""
        return f"{self.scheme}://{who}{self.host}/{places}" + (f"?{query}" if query else "")
