"""Which fields of a monitor mean something to which types: all types have all of them."""

from typing import Final

_REQUESTS: Final = frozenset({"http", "json-query", "keyword"})
_WEB: Final = _REQUESTS | {"real-browser", "websocket-upgrade"}
_DATABASES: Final = frozenset({"mongodb", "mysql", "postgres", "redis", "sqlserver"})
_HOSTS: Final = frozenset(
    "dns gamedig mqtt ping port radius sip-options smtp snmp steam tailscale-ping".split()
)
_OWNERS: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(
        (
            *("auth", "basicauth", "bearertoken", "body", "cachebust", "headers"),
            *("httpbodyencoding", "ignoretls", "ipfamily", "maxredirects", "method"),
            *("oauth", "proxyid", "tlsca", "tlscert", "tlskey"),
        ),
        _REQUESTS,
    ),
    "acceptedstatuscodes": _REQUESTS | {"websocket-upgrade"},
    **dict.fromkeys(("expectedvalue", "jsonpath"), frozenset({"json-query", "mqtt", "snmp"})),
    "conditions": frozenset({"dns", "mqtt", "mysql", "postgres", "sqlserver"}),
    "database": _DATABASES,
    "dns": frozenset({"dns"}),
    "docker": frozenset({"docker"}),
    "expectedtlsalert": frozenset({"port"}),
    "expirynotification": _REQUESTS | {"port"},
    "game": frozenset({"gamedig"}),
    "grpc": frozenset({"grpc-keyword"}),
    "hostname": _HOSTS,
    "invertkeyword": frozenset({"keyword", "grpc-keyword"}),
    "kafka": frozenset({"kafka-producer"}),
    "keyword": frozenset({"keyword", "grpc-keyword"}),
    "mqtt": frozenset({"mqtt"}),
    "packetsize": frozenset({"ping", "tailscale-ping"}),
    "ping": frozenset({"ping", "tailscale-ping"}),
    "port": _HOSTS,
    "pushtoken": frozenset({"push"}),
    "rabbitmq": frozenset({"rabbitmq"}),
    "radius": frozenset({"radius"}),
    "remotebrowser": frozenset({"real-browser"}),
    "smtp": frozenset({"smtp", "port"}),
    "snmp": frozenset({"snmp"}),
    "url": _WEB,
    "ws": frozenset({"websocket-upgrade"}),
}
"""By how the names begin."""


def belongs_elsewhere(name: str, kind: str) -> bool:
    """Whether a field is only there because other types have it."""
    return any(name.startswith(start) and kind not in kinds for start, kinds in _OWNERS.items())
