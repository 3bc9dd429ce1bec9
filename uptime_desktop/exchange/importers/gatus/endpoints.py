"""An endpoint of Gatus as one of our monitors, by what its address begins with."""

import json
import re
from collections.abc import Callable
from typing import Final, NamedTuple

from uptime_desktop.checks.headers import FRAMING
from uptime_desktop.checks.redaction import HIDDEN, looks_secret, texts_in
from uptime_desktop.domain.model import MAX_INTERVAL_MS, MIN_INTERVAL_MS, Setting
from uptime_desktop.domain.notation import duration_notation
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.gatus.client import client_settings, is_hindered
from uptime_desktop.exchange.importers.gatus.expectations import Expectations
from uptime_desktop.exchange.importers.gatus.values import WRONG, Source, replaced_sentence
from uptime_desktop.exchange.importers.gatus.variables import Written, names_in
from uptime_desktop.exchange.report import NOT_IN_USE, Fate

_DEFAULT_INTERVAL_MS: Final = 60_000
_RANDOM: Final = re.compile(r"\[RANDOM_STRING_([0-9]{1,9})\]")
_MOST_INSERTED: Final = 8_192
_MOST_BODY: Final = 65_536
_LOCAL_ADDRESS: Final = "[LOCAL_ADDRESS]"
_BODYLESS: Final = frozenset({"GET", "HEAD", ""})
_SECRET: Final = "secret:"
_SUBPROTOCOL: Final = "sec-websocket-protocol"
_FRAMING: Final = re.compile("|".join(FRAMING), re.IGNORECASE)
_UPGRADE: Final = re.compile(f"{_FRAMING.pattern}|sec-websocket-(?!protocol).*", re.IGNORECASE)
# What of an address does not say which server is meant.
_APART: Final = re.compile(r"(?<=://)[^/?#]*@|(?<=[^:/])[/?#].*", re.DOTALL)

_NO_BODY: Final = Sentence("a GET or HEAD request has no body here")
_FIXED: Final = Sentence("placeholders in it have fixed values, the same each time")
_WRAPPED: Final = Sentence("the body is kept as the JSON that is sent")
_SET_BY_US: Final = Sentence("the program sets it itself")
_BANNER: Final = Sentence("the server must greet as SSH does; nobody signs in")
_HANDSHAKE: Final = Sentence("there is a handshake only, nothing is sent after it")
_NOBODY: Final = Sentence("nobody signs in and no command is run")
_STORED: Final = Sentence("a text that begins so would name a secret of yours")
_SSH_GREETING: Final = "SSH-"


class Made(NamedTuple):
    """The kind of a monitor and its own settings; `against` says why there must be none. One that
    would give false alarms as it is `must_pause`."""

    kind: str
    settings: dict[str, Setting]
    against: str = ""
    must_pause: bool = False


def made_of(endpoint: Source) -> Made:
    """What an endpoint is; all about it but its name, group and alerts is accounted for."""
    address = endpoint.peek("url")
    scheme = "dns" if endpoint.table.get("dns") is not None else address.partition("://")[0]
    make = _SCHEMES.get(scheme)
    if make is None:
        why = Sentence("there is no kind of check for {scheme}", scheme=scheme[:20])
        endpoint.leave("url", why if "://" in address else WRONG)
        return Made("", {}, why)
    kind, settings = make(endpoint)
    settings |= client_settings(endpoint, kind)
    is_secure = scheme in ("https", "wss", "grpcs", "tls", "starttls")
    expected = Expectations(
        "ssh" if scheme == "ssh" else kind,
        has_certificate=is_secure,
        is_verified="verify_certificate" not in settings,
        record_type=str(settings.get("record_type", "")),
        sends="send" in settings,
    )
    against, must_pause = _judged(endpoint, expected)
    settings |= expected.settings()
    texts = (text for value in settings.values() for text in texts_in(value))
    if any(text.startswith(_SECRET) for text in texts):
        against = against or _STORED
    settings["every"] = _every(endpoint)
    return Made(kind, settings, against, must_pause or is_hindered(endpoint, kind))


def _judged(endpoint: Source, expected: Expectations) -> tuple[str, bool]:
    """Takes the conditions; why there cannot be a monitor, if so, and whether it must pause."""
    written: dict[str, str] = {}
    for at, value in endpoint.items("conditions"):
        if isinstance(value, str):
            written[f"conditions[{at}]"] = value
        else:
            endpoint.leave_part(f"conditions[{at}]", value, WRONG)
    all_became = expected.take_all([endpoint.variables.expanded(one) for one in written.values()])
    for (place, value), became in zip(written.items(), all_became, strict=True):
        is_replaced = names_in(value) and became.fate is Fate.MAPPED
        fate, how = became.fate, became.how
        if is_replaced:
            fate, how = Fate.APPROXIMATED, replaced_sentence(value)
        shown = HIDDEN if looks_secret(value) else value
        endpoint.note_part(place, shown, fate, endpoint.variables.hidden(how))
    against = next((became.how for became in all_became if became.is_against), "")
    return against, any(became.must_pause for became in all_became)


def _every(endpoint: Source) -> str:
    found = endpoint.duration_ms("interval")
    if "interval" in endpoint and found is None:
        endpoint.leave("interval", WRONG)
    asked = found or _DEFAULT_INTERVAL_MS
    taken = min(max(round(asked), MIN_INTERVAL_MS), MAX_INTERVAL_MS)
    if found is not None and taken == asked:
        endpoint.note("interval", Fate.MAPPED, "every")
    elif found is not None:
        how = Sentence("it is {limit} here", limit=duration_notation(taken))
        endpoint.note("interval", Fate.APPROXIMATED, how)
    return duration_notation(taken)


def _http(endpoint: Source) -> tuple[str, dict[str, Setting]]:
    settings: dict[str, Setting] = {"url": _address(endpoint)}
    method = endpoint.text("method", "method")
    if method:
        settings["method"] = method
    headers = _headers(endpoint)
    if method.upper() in _BODYLESS:
        endpoint.leave("body", _NO_BODY if endpoint.peek("body") else NOT_IN_USE)
        endpoint.leave("graphql", _NO_BODY if endpoint.flag("graphql") else NOT_IN_USE)
    elif body := _body(endpoint, "body"):
        settings["body"] = _as_graphql(endpoint, body, headers)
    return "http", settings | ({"headers": headers} if headers else {})


def _as_graphql(endpoint: Source, body: str, headers: dict[str, str]) -> str:
    """The body as it is, or as the query that it was said to be."""
    if not endpoint.flag("graphql"):
        return body
    endpoint.note("graphql", Fate.APPROXIMATED, _WRAPPED)
    if "content-type" not in map(str.lower, headers):
        headers["Content-Type"] = "application/json"
    return json.dumps({"query": body}, ensure_ascii=False)


def _address(endpoint: Source) -> str:
    """The address; a variable in it stays one unless it says which server is meant."""
    value = endpoint.table.get("url")
    if not isinstance(value, Written):
        return endpoint.referring("url", "url")
    address = endpoint.variables.referring(value)
    if "${" in _APART.sub("", address):
        address = endpoint.variables.expanded(value).replace("${", "$${")
    endpoint.keep("url", value, address, "url")
    return address


def _headers(endpoint: Source, own: re.Pattern[str] = _FRAMING) -> dict[str, str]:
    """The headers to send, but those that are `own` to the program."""
    headers: dict[str, str] = {}
    given = endpoint.inside("headers")
    if given is None:
        return headers
    for name in given.table:
        if own.fullmatch(name):
            given.leave(name, _SET_BY_US)
        elif text := given.referring(name, "headers"):
            headers[name] = text
    return headers


def _body(endpoint: Source, to: str) -> str:
    """What is sent, with what Gatus would put in the place of its placeholders."""
    value = endpoint.table.get("body")
    if not isinstance(value, str) or not value:
        endpoint.leave("body", NOT_IN_USE if value in (None, "") else WRONG)
        return ""
    body = plain = endpoint.variables.referring(value)
    if len(body) <= _MOST_BODY:
        for name in ("name", "group", "url"):
            text = endpoint.peek(name)[:_MOST_INSERTED]
            body = body.replace(f"[ENDPOINT_{name.upper()}]", text)
        body = _RANDOM.sub(lambda match: "x" * min(int(match[1]), _MOST_INSERTED), body)
        body = body.replace(_LOCAL_ADDRESS, "127.0.0.1:0")
    shown = HIDDEN if looks_secret(value) else value
    if body != plain:
        endpoint.note("body", Fate.APPROXIMATED, _FIXED, shown)
    else:
        endpoint.keep("body", value, body, to, shown)
    return body


def _host(endpoint: Source) -> str:
    return endpoint.text("url", "host").partition("://")[2].rstrip("/")


def _tcp(endpoint: Source) -> tuple[str, dict[str, Setting]]:
    settings: dict[str, Setting] = {"host": _host(endpoint)}
    if body := _body(endpoint, "send"):
        escaped = body.replace("\\", "\\\\").replace("\r", "\\r").replace("\n", "\\n")
        settings["send"] = escaped
    return "tcp", settings


def _ping(endpoint: Source) -> tuple[str, dict[str, Setting]]:
    return "ping", {"host": _host(endpoint), "count": 1}


def _dns(endpoint: Source) -> tuple[str, dict[str, Setting]]:
    settings: dict[str, Setting] = {"resolver": endpoint.text("url", "resolver")}
    query = endpoint.inside("dns")
    if query is not None:
        settings["host"] = query.text("query-name", "host").removesuffix(".")
        settings["record_type"] = query.text("query-type", "record_type").upper()
        query.finish()
    return "dns", settings


def _tls(endpoint: Source) -> tuple[str, dict[str, Setting]]:
    endpoint.leave("body", _HANDSHAKE if endpoint.peek("body") else NOT_IN_USE)
    return "tls", {"host": _host(endpoint)}


def _starttls(endpoint: Source) -> tuple[str, dict[str, Setting]]:
    return "tls", {"host": _host(endpoint), "starttls": "smtp"}


def _websocket(endpoint: Source) -> tuple[str, dict[str, Setting]]:
    settings: dict[str, Setting] = {"url": _address(endpoint)}
    headers = _headers(endpoint, _UPGRADE)
    for name in list(headers):
        if name.lower() == _SUBPROTOCOL:
            settings["subprotocol"] = headers.pop(name)
    if headers:
        settings["headers"] = headers
    if body := _body(endpoint, "send"):
        settings["send"] = body
    return "websocket", settings


def _grpc(endpoint: Source) -> tuple[str, dict[str, Setting]]:
    return "grpc", {"host": endpoint.text("url", "host").rstrip("/")}


def _ssh(endpoint: Source) -> tuple[str, dict[str, Setting]]:
    host = endpoint.peek("url").partition("://")[2].rstrip("/")
    endpoint.note("url", Fate.APPROXIMATED, _BANNER)
    endpoint.leave("ssh", _NOBODY)
    endpoint.leave("body", _NOBODY)
    has_port = re.search(r"[^:\]]:[0-9]+$|\]:[0-9]+$", host) is not None
    return "tcp", {"host": host if has_port else f"{host}:22", "expect": _SSH_GREETING}


_SCHEMES: Final[dict[str, Callable[[Source], tuple[str, dict[str, Setting]]]]] = {
    "http": _http,
    "https": _http,
    "tcp": _tcp,
    "icmp": _ping,
    "dns": _dns,
    "tls": _tls,
    "starttls": _starttls,
    "ws": _websocket,
    "wss": _websocket,
    "grpc": _grpc,
    "grpcs": _grpc,
    "ssh": _ssh,
}
