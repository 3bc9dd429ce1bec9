"""The proxies of Uptime Kuma, which monitors refer to, as the URLs that ours name themselves."""

from collections.abc import Iterable, Mapping
from typing import Final

from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.kuma.addressing import joined
from uptime_desktop.exchange.importers.kuma.table import Table
from uptime_desktop.exchange.importers.kuma.taking import one_line

_SCHEMES: Final = {
    "http": "http",
    "https": "https",
    "socks": "socks5h",
    "socks5": "socks5",
    "socks5h": "socks5h",
}
_PARTS: Final = ("protocol", "host", "port", "auth", "username", "password")
_EACH_ITS_OWN: Final = Sentence("each monitor names its own")


def proxies_of(tables: Iterable[Table]) -> Mapping[str, str | None]:
    """By number; empty for one that is off, None for one that cannot be gone through."""
    found: dict[str, str | None] = {}
    for table in tables:
        number, is_on = table.text("id"), "active" not in table or table.flag("active")
        found[number] = ""
        scheme = _SCHEMES.get(table.text("protocol").lower())
        host, port = table.text("host"), table.whole("port")
        if scheme is None or not host or port is None:
            protocol = table.text("protocol")
            table.refuse(Sentence("there is no going through {proxy}", proxy=one_line(protocol)))
            table.finish()
            found[number] = None if is_on else ""
            continue
        if is_on:
            bare = f"[{host}]" if ":" in host else host
            user = (table.text("username"), table.text("password"))
            sign_in = user if table.flag("auth") and user[0] else ()
            found[number] = joined(scheme, f"{bare}:{port}", sign_in=sign_in)
        for name in _PARTS:
            table.mapped(name, "proxy")
        for name in ("id", "active", "default"):
            table.approximated(name, _EACH_ITS_OWN)
        table.finish()
    return found
