"""What a monitor of Uptime-Watcher looks at, by its type, in the settings of our kinds of check."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from uptime_desktop.checks.dns import DnsKind
from uptime_desktop.checks.http.kind import HttpKind
from uptime_desktop.checks.ping import PingKind
from uptime_desktop.checks.redaction import HIDDEN, is_secret_name
from uptime_desktop.checks.registry import KINDS
from uptime_desktop.checks.tcp import TcpKind
from uptime_desktop.checks.tls import TlsKind
from uptime_desktop.checks.websocket import WebSocketKind
from uptime_desktop.domain.model import MAX_TIMEOUT_MS, Setting
from uptime_desktop.domain.notation import duration_notation
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.json_texts import is_whole_number
from uptime_desktop.exchange.importers.patterns import literal
from uptime_desktop.exchange.importers.taking import (
    number_of,
    require_text,
    take_duration,
    take_text,
    take_whole,
)
from uptime_desktop.exchange.report import NOT_IN_USE, Fate, Fields

Settings = dict[str, Setting]

_ANSWERED: Final = ("100-599",)
_NO_SERVER_ERROR: Final = ("100-499",)
_DOWN: Final = Sentence("what is not as expected counts as down, not as degraded")
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_DAYS: Final = 3_650
_MOST_PORT: Final = 65_535


def settings_of(fields: Fields) -> Settings | None:
    """Kind and settings of the monitor, None if there is no kind like its type.

    Refused if something is missing without which there is nothing to look at.
    """
    given = fields.peek("type")
    found = _TYPES.get(given) if isinstance(given, str) else None
    if found is None:
        return None
    kind, how, settings = found
    if how is None:
        fields.mapped("type", "kind")
    else:
        fields.approximated("type", how)
    return {"kind": kind, **settings(fields)}


def _web(fields: Fields) -> Settings:
    settings: Settings = {"url": take_text(fields, "url", "url")}
    if fields.peek("followRedirects") is False:
        settings["follow_redirects"] = False
    if isinstance(fields.peek("followRedirects"), bool):
        fields.mapped("followRedirects", "follow_redirects")
    return settings


def _page(fields: Fields) -> Settings:
    return {**_web(fields), "accepted_codes": _NO_SERVER_ERROR}


def _page_with_status(fields: Fields) -> Settings:
    code = fields.approximated("expectedStatusCode", _DOWN)
    return {**_web(fields), "accepted_codes": (str(code),)}


def _page_with_keyword(fields: Fields) -> Settings:
    fields.approximated("bodyKeyword", _DOWN)
    pattern = "(?i)" + literal(require_text(fields, "bodyKeyword"))
    return {**_web(fields), "accepted_codes": _ANSWERED, "regex": (pattern,)}


def _page_with_header(fields: Fields) -> Settings:
    fields.mapped("headerName", "header_match")
    name = require_text(fields, "headerName")
    _take_expected(fields, "expectedHeaderValue", name)
    words = map(literal, require_text(fields, "expectedHeaderValue").split())
    pattern = r"^\s*" + r"\s+".join(words) + r"\s*$"
    return {**_web(fields), "accepted_codes": _ANSWERED, "header_match": {name: pattern}}


def _page_with_json(fields: Fields) -> Settings:
    fields.mapped("jsonPath", "json_query")
    path = require_text(fields, "jsonPath")
    _take_expected(fields, "expectedJsonValue", path)
    query = f"{_json_path(path)} == {_json_value(require_text(fields, 'expectedJsonValue'))}"
    return {**_web(fields), "accepted_codes": _ANSWERED, "json_query": (query,)}


def _fast_page(fields: Fields) -> Settings:
    threshold = _threshold(fields, "maxResponseTime")
    return {**_web(fields), "accepted_codes": _ANSWERED, **threshold}


def _server_heartbeat(fields: Fields) -> Settings:
    fields.mapped("heartbeatStatusField", "json_query")
    path = require_text(fields, "heartbeatStatusField")
    fields.approximated("heartbeatExpectedStatus", _DOWN)
    for key in ("heartbeatTimestampField", "heartbeatMaxDriftSeconds"):
        fields.unsupported(key, Sentence("times in an answer are not compared"))
    query = f"{_json_path(path)} == {json.dumps(require_text(fields, 'heartbeatExpectedStatus'))}"
    return {**_web(fields), "accepted_codes": _ANSWERED, "json_query": (query,)}


def _host(fields: Fields) -> Settings:
    return {"host": take_text(fields, "host", "host").strip()}


def _port(fields: Fields) -> Settings:
    port = take_whole(fields, "port", "port", _MOST_PORT)
    return _host(fields) if port is None else {**_host(fields), "port": port}


def _certificate(fields: Fields) -> Settings:
    days = take_whole(fields, "certificateWarningDays", "certificate_days", _MOST_DAYS)
    return _port(fields) if days is None else {**_port(fields), "certificate_days": days}


def _websocket(fields: Fields) -> Settings:
    settings: Settings = {"url": take_text(fields, "url", "url")}
    threshold = _threshold(fields, "maxPongDelayMs", Sentence("connecting counts too"))
    return {**settings, **threshold}


def _records(fields: Fields) -> Settings:
    record_type = take_text(fields, "recordType", "record_type").strip().upper()
    settings: Settings = {**_host(fields), "record_type": record_type}
    expected = fields.peek("expectedValue")
    if expected is None or expected == "":
        fields.unsupported("expectedValue", NOT_IN_USE)
        return settings
    try:
        whole: Settings = {**settings, "expected": (require_text(fields, "expectedValue"),)}
        KINDS[DnsKind.name].parse(whole)
    except Refused:
        fields.unsupported("expectedValue", Sentence("it is not a whole answer of this type"))
        return settings
    fields.approximated("expectedValue", Sentence("a whole answer must be this, not a part of one"))
    return whole


def _threshold(fields: Fields, key: str, how: Sentence | None = None) -> Settings:
    if how is not None and number_of(fields.peek(key)) is not None:
        fields.approximated(key, how)
    threshold_ms = take_duration(fields, key, "latency_threshold", 1, MAX_TIMEOUT_MS)
    return {} if threshold_ms is None else {"latency_threshold": duration_notation(threshold_ms)}


def _take_expected(fields: Fields, key: str, name: str) -> None:
    """Say what became of a value, which is not to be seen under the name of a secret."""
    if is_secret_name(name) and key in fields:
        fields.note(key, HIDDEN, Fate.APPROXIMATED, _DOWN)
    fields.approximated(key, _DOWN)


def _json_path(path: str) -> str:
    """A path such as `items[0].full-name` in the words of JMESPath."""
    found = ""
    for segment in path.split("."):
        name, bracket, rest = segment.partition("[")
        if name:
            known = name if _PLAIN_NAME.fullmatch(name) else json.dumps(name)
            found += f".{known}" if found else known
        found += bracket + rest
    return found


def _json_value(text: str) -> str:
    """A value as JSON, so that it is compared as what it is; a text in quotes."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        value = text
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_text = isinstance(value, str) or (is_number and not is_whole_number(text))
    return json.dumps(text if is_text else value)


_Found = tuple[str, Sentence | None, Callable[[Fields], Settings]]
_TYPES: Final[Mapping[str, _Found]] = {
    "http": (HttpKind.name, None, _page),
    "http-header": (HttpKind.name, None, _page_with_header),
    "http-json": (HttpKind.name, None, _page_with_json),
    "http-keyword": (HttpKind.name, None, _page_with_keyword),
    "http-latency": (HttpKind.name, None, _fast_page),
    "http-status": (HttpKind.name, None, _page_with_status),
    "server-heartbeat": (
        HttpKind.name,
        Sentence("only the status is looked at, not how old it is"),
        _server_heartbeat,
    ),
    "ping": (PingKind.name, Sentence("ICMP packets are sent, no ports are tried"), _host),
    "port": (TcpKind.name, None, _port),
    "dns": (DnsKind.name, None, _records),
    "ssl": (TlsKind.name, None, _certificate),
    "websocket-keepalive": (WebSocketKind.name, None, _websocket),
}
