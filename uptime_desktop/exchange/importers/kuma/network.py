"""Monitors of Uptime Kuma that look at hosts, ports and servers other than web servers."""

import re
from typing import Final

from uptime_desktop.checks.net.address import host_and_port
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.kuma.addressing import server_at
from uptime_desktop.exchange.importers.kuma.certificates import take_certificate_days
from uptime_desktop.exchange.importers.kuma.draft import Draft, NotForUs
from uptime_desktop.exchange.report import NOT_IN_USE

_DNS_PORT: Final = 53
_SQL_SERVER: Final = re.compile(
    r"(?:^|;)\s*(?:server|data source|addr|address)\s*=\s*(?:tcp:)?([^;,\\]+)(?:,\s*(\d{1,5}))?",
    re.IGNORECASE,
)
_USUAL_PORTS: Final = {
    "mongodb": 27_017,
    "mqtt": 1_883,
    "mysql": 3_306,
    "postgres": 5_432,
    "redis": 6_379,
    "sqlserver": 1_433,
}
_WITH_TLS: Final = {"mqtts": 8_883, "wss": 443, "ws": 80}
_ONLY_THE_PORT: Final = Sentence("only whether its port can be reached is looked at")
_NO_ADDRESS: Final = Sentence("it names no host that could be reached")
_BY_NAME: Final = "mongodb+srv"
_MAIL_PORT: Final = 25
_IMAP_PORT: Final = 143
_STARTTLS: Final = "starttls"
_TLS_ON_PORT: Final = frozenset({"secure", _STARTTLS})
_NO_ALERT: Final = frozenset({"", "none"})
_WANTS_ALERT: Final = Sentence("no connection can be expected to be refused; the monitor is paused")
_SERVING: Final = '{"status":"SERVING"}'
_MUST_SERVE: Final = Sentence("the answer must be that it serves")
_WANTS_IT_DOWN: Final = Sentence("the answer must be that it serves; the monitor is paused")
_HEALTH: Final = "grpc.health.v1.Health"
_TEXT_RECORDS: Final = ("A", "AAAA", "CNAME", "NS", "PTR", "TXT")


def port(draft: Draft) -> None:
    """One whose certificate is of interest must speak TLS, and one with STARTTLS as far as that."""
    table, keys = draft.table, draft.keys
    security, is_told = table.text("smtpsecurity"), table.flag("expirynotification")
    table.mapped("type", "kind")
    _host_and_port(draft)
    draft.must_pause = table.text("expectedtlsalert") not in _NO_ALERT
    table.unsupported("expectedtlsalert", _WANTS_ALERT if draft.must_pause else NOT_IN_USE)
    if security != _STARTTLS and not (is_told and security in _TLS_ON_PORT):
        keys["kind"] = "tcp"
        for name in ("smtpsecurity", "expirynotification"):
            table.unsupported(name, NOT_IN_USE)
        return
    keys["kind"] = "tls"
    if security == _STARTTLS:
        # Uptime Kuma waits for the greeting to see which of the two it is.
        protocol = "imap" if keys.get("port") == _IMAP_PORT else "smtp"
        keys["starttls"] = protocol
        how = Sentence("it is asked for as {protocol} does", protocol=protocol.upper())
        table.approximated("smtpsecurity", how)
    table.mapped("smtpsecurity", "kind")
    if is_told:
        take_certificate_days(draft)
    else:
        keys["certificate_days"], keys["verify_certificate"] = 0, False
        table.mapped("expirynotification", "certificate_days")


def ping(draft: Draft) -> None:
    table, keys = draft.table, draft.keys
    keys["kind"] = "ping"
    table.mapped("type", "kind")
    draft.text("hostname", "host")
    keys["count"] = table.whole("pingcount") or 1
    table.mapped("pingcount", "count")
    size = table.whole("packetsize")
    if size is not None:
        keys["packet_size"] = size
    table.mapped("packetsize", "packet_size")


def tailscale_ping(draft: Draft) -> None:
    draft.table.approximated("type", Sentence("it is an ordinary ping"))
    ping(draft)


def dns(draft: Draft) -> None:
    table, keys = draft.table, draft.keys
    keys["kind"] = "dns"
    table.mapped("type", "kind")
    draft.text("hostname", "host")
    draft.text("dnsresolvetype", "record_type")
    servers = [one.strip() for one in table.text("dnsresolveserver").split(",") if one.strip()]
    asked = table.whole("port") or _DNS_PORT
    if servers:
        bare = servers[0].removeprefix("[").removesuffix("]")
        keys["resolver"] = bare if asked == _DNS_PORT else host_and_port(bare, asked)
    if len(servers) > 1:
        table.approximated("dnsresolveserver", Sentence("only the first of them is asked"))
    table.mapped("dnsresolveserver", "resolver")
    table.mapped("port", "resolver")
    _take_conditions(draft)


def mail_server(draft: Draft) -> None:
    """Where STARTTLS is only used if it is offered, the greeting is all there is to see."""
    table, keys = draft.table, draft.keys
    security = table.text("smtpsecurity")
    table.approximated("type", Sentence("only its greeting and its encryption are looked at"))
    _host_and_port(draft)
    keys.setdefault("port", _MAIL_PORT)
    if security not in _TLS_ON_PORT:
        keys["kind"], keys["expect"] = "tcp", "220"
        table.approximated("smtpsecurity", Sentence("only the greeting of the server is looked at"))
        return
    # When the certificate ends is not told, but one that does not count is no success.
    keys["kind"], keys["certificate_days"] = "tls", 0
    if security == _STARTTLS:
        keys["starttls"] = "smtp"
    table.mapped("smtpsecurity", "starttls")


def grpc(draft: Draft) -> None:
    """Ours asks the health service; any other can only be reached."""
    table, keys = draft.table, draft.keys
    server = server_at(table.text("grpcurl"))
    if server is None:
        raise NotForUs(_NO_ADDRESS)
    is_tls = table.flag("grpcenabletls") or server.is_tls
    keys["host"] = server.host
    keys["port"] = server.port or (443 if is_tls else 80)
    table.mapped("grpcurl", "host")
    if table.text("grpcservicename") not in {_HEALTH, _HEALTH.rpartition(".")[2]}:
        keys["kind"] = "tcp"
        table.approximated("type", _ONLY_THE_PORT)
        return
    keys["kind"], keys["tls"] = "grpc", is_tls
    table.mapped("type", "kind")
    table.mapped("grpcenabletls", "tls")
    for name in ("grpcservicename", "grpcmethod", "grpcprotobuf"):
        table.mapped(name, "kind")
    service = table.table("grpcbody").get("service")
    if isinstance(service, str) and service:
        keys["service"] = service
    table.mapped("grpcbody", "service")
    given = table.table("grpcmetadata")
    if given:
        keys["metadata"] = {name.lower(): str(value) for name, value in given.items()}
    table.mapped("grpcmetadata", "metadata")
    if not _is_healthy_as_wanted(draft):
        draft.must_pause = True
        table.unsupported("keyword", _WANTS_IT_DOWN)
        table.unsupported("invertkeyword", _WANTS_IT_DOWN)
    for name in ("keyword", "invertkeyword"):
        table.approximated(name, _MUST_SERVE)


def _is_healthy_as_wanted(draft: Draft) -> bool:
    """Whether the answer that all is well is one that Uptime Kuma would be content with."""
    value = draft.table.value("keyword")
    keyword = value if isinstance(value, str) else ""
    return (keyword in _SERVING) is not draft.table.flag("invertkeyword")


def database(draft: Draft) -> None:
    """What a connection string names, as a port that must be open."""
    table, keys = draft.table, draft.keys
    usual = _USUAL_PORTS[table.text("type")]
    text = table.text("databaseconnectionstring")
    host, found = "", None
    scheme, is_url, rest = text.partition("://")
    if is_url:
        # Of several servers the first; what is in the password may not be a URL's.
        server = server_at("//" + rest.rpartition("@")[2].partition(",")[0])
        host, found = (server.host, server.port) if server else ("", None)
    elif match := _SQL_SERVER.search(text):
        host, found = match[1].strip(), int(match[2]) if match[2] else None
    if host and scheme.strip().lower() == _BY_NAME:
        # Which servers there are stands in these records; the name itself need have no address.
        keys["kind"], keys["host"] = "dns", f"_mongodb._tcp.{host}"
        keys["record_type"] = "SRV"
        how = Sentence("only whether the records that name its servers are there is looked at")
    else:
        _reach(draft, host, found or usual)
        keys["kind"] = "tcp"
        how = _ONLY_THE_PORT
    table.approximated("type", how)
    table.approximated("databaseconnectionstring", how)


def mqtt(draft: Draft) -> None:
    table = draft.table
    server = server_at(table.text("hostname"))
    usual = _WITH_TLS.get(server.scheme if server else "", _USUAL_PORTS["mqtt"])
    given = table.whole("port") or (server.port if server else None)
    _reach(draft, server.host if server else "", given or usual)
    draft.keys["kind"] = "tcp"
    table.approximated("type", _ONLY_THE_PORT)
    table.mapped("hostname", "host")
    table.mapped("port", "port")


def _reach(draft: Draft, host: str, number: int) -> None:
    if not host:
        raise NotForUs(_NO_ADDRESS)
    draft.keys["host"], draft.keys["port"] = host, number


def _host_and_port(draft: Draft) -> None:
    draft.text("hostname", "host")
    number = draft.table.whole("port")
    if number is not None:
        draft.keys["port"] = number
    draft.table.mapped("port", "port")


def _take_conditions(draft: Draft) -> None:
    """One that a record equals something can be said here, too."""
    table = draft.table
    found = table.parsed("conditions")
    one = found[0] if isinstance(found, list) and len(found) == 1 else None
    if not isinstance(one, dict) or draft.keys.get("record_type") not in _TEXT_RECORDS:
        table.unsupported("conditions")
        return
    value = one.get("value")
    is_equal = (one.get("variable"), one.get("operator")) == ("record", "equals")
    if is_equal and isinstance(value, str) and value:
        draft.keys["expected"] = (value,)
        table.mapped("conditions", "expected")
    else:
        table.unsupported("conditions")
