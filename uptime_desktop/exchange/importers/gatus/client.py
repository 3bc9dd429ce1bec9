"""The `client` of an endpoint: how Gatus connects, in the settings of our kinds of check."""

from typing import Final

from uptime_desktop.domain.model import MAX_TIMEOUT_MS, MIN_TIMEOUT_MS, Setting
from uptime_desktop.domain.notation import duration_notation
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.gatus.values import WRONG, Source, is_nothing
from uptime_desktop.exchange.report import NOT_IN_USE, Fate

_TLS_KINDS: Final = frozenset({"http", "tls", "websocket", "grpc"})
# A handshake alone is made without one.
_SHOWING_A_CERTIFICATE: Final = _TLS_KINDS - {"tls"}
_NETWORKS: Final = {"ip": "any", "ip4": "4", "ip6": "6"}
_DEFAULT_TIMEOUT_MS: Final = 10_000
_OWN_RESOLVER: Final = Sentence("names are looked up by the computer's own name servers")
_SIGN_INS: Final = ("oauth2", "identity-aware-proxy", "kerberos")
_TUNNEL: Final = "tunnel"
_NO_SIGN_IN: Final = Sentence("there is no such sign-in; the monitor is paused")
_NO_TUNNEL: Final = Sentence("there are no tunnels; the monitor is paused")
_NOT_ANEW: Final = Sentence("TLS is never negotiated anew")
_NO_COOKIES: Final = Sentence("no cookies are kept between requests")


def client_settings(endpoint: Source, kind: str) -> dict[str, Setting]:
    """The keys that say how to connect; a timeout is always among them."""
    # Before there was a table for it, it stood in the endpoint.
    keys = _trust(endpoint, kind)
    client = endpoint.inside("client")
    if client is None:
        return {"timeout": duration_notation(_DEFAULT_TIMEOUT_MS), **keys}
    keys |= {"timeout": _timeout(client), **_trust(client, kind)}
    if kind == "http" and client.flag("ignore-redirect") is not None:
        client.note("ignore-redirect", Fate.MAPPED, "follow_redirects")
        if client.flag("ignore-redirect"):
            keys["follow_redirects"] = False
    if kind == "http" and (proxy := client.referring("proxy-url", "proxy")):
        keys["proxy"] = proxy
    if kind in _SHOWING_A_CERTIFICATE:
        keys |= _own_certificate(client)
    if kind == "ping" and client.peek("network") in _NETWORKS:
        client.note("network", Fate.MAPPED, "ip_version")
        keys["ip_version"] = _NETWORKS[client.peek("network")]
    client.leave("dns-resolver", _OWN_RESOLVER)
    for key in _needed(kind):
        why = _NO_TUNNEL if key == _TUNNEL else _NO_SIGN_IN
        client.leave(key, NOT_IN_USE if is_nothing(client.table.get(key)) else why)
    client.leave("store-cookies", _NO_COOKIES if client.flag("store-cookies") else NOT_IN_USE)
    client.finish(NOT_IN_USE)
    return keys


def is_hindered(endpoint: Source, kind: str) -> bool:
    """Whether Gatus signs in or gets there in a way that we cannot: each run would fail."""
    client = endpoint.table.get("client")
    return isinstance(client, dict) and any(
        not is_nothing(client.get(key)) for key in _needed(kind)
    )


def _needed(kind: str) -> tuple[str, ...]:
    """What would have to be there, if it is asked for; only pages are ever signed in to."""
    return (_TUNNEL, *(_SIGN_INS if kind == "http" else ()))


def _trust(table: Source, kind: str) -> dict[str, Setting]:
    is_insecure = table.flag("insecure") if kind in _TLS_KINDS else None
    if is_insecure is None:
        return {}
    table.note("insecure", Fate.MAPPED, "verify_certificate")
    return {"verify_certificate": False} if is_insecure else {}


def _timeout(client: Source) -> str:
    found = client.duration_ms("timeout")
    if "timeout" in client and found is None:
        client.leave("timeout", WRONG)
    asked = found if found is not None and found >= 1 else _DEFAULT_TIMEOUT_MS
    taken = min(max(round(asked), MIN_TIMEOUT_MS), MAX_TIMEOUT_MS)
    if found is not None and taken == asked:
        client.note("timeout", Fate.MAPPED, "timeout")
    elif found is not None:
        how = Sentence("it is {limit} here", limit=duration_notation(taken))
        client.note("timeout", Fate.APPROXIMATED, how)
    return duration_notation(taken)


def _own_certificate(client: Source) -> dict[str, Setting]:
    tls = client.inside("tls")
    if tls is None:
        return {}
    certificate = tls.text("certificate-file", "client_certificate")
    key = tls.text("private-key-file", "client_key")
    tls.leave("renegotiation", NOT_IN_USE if tls.peek("renegotiation") == "never" else _NOT_ANEW)
    tls.finish()
    if not certificate or not key:
        return {}
    return {"client_certificate": certificate, "client_key": key}
