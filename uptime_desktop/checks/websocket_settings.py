"""The settings of a websocket check, understood: pure."""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, cast
from urllib.parse import parse_qsl

from uptime_desktop.checks.base import FieldSpec, FieldType, parse_fields
from uptime_desktop.checks.common_fields import (
    BEARER_TOKEN,
    CERTIFICATE_DAYS,
    IP_VERSION,
    LATENCY,
    PASSWORD,
    TLS_FIELDS,
    USERNAME,
    tls_profile,
)
from uptime_desktop.checks.headers import FRAMING, authorization, parse_headers
from uptime_desktop.checks.net.address import Url, parse_url
from uptime_desktop.checks.net.trust import TlsProfile
from uptime_desktop.checks.redaction import (
    HIDDEN,
    filled_in,
    secrets_in,
    secrets_in_text,
    shown_header,
    shown_url,
    without,
)
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import words

_ADDRESS: Final = "an address such as wss://example.org/path"
_SCHEME: Final = re.compile(r"(ws|wss|http|https)://", re.IGNORECASE)
_HTTP: Final = {"ws": "http", "wss": "https"}
_SUBPROTOCOL: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SET_BY_US: Final = FRAMING | {
    "sec-websocket-accept",
    "sec-websocket-extensions",
    "sec-websocket-key",
    "sec-websocket-protocol",
    "sec-websocket-version",
}
_REQUEST: Final = words("Request: headers, subprotocol, sign-in")
# The one of RFC 6455: any will do to see the upgrade.
_SAMPLE_KEY: Final = "dGhlIHNhbXBsZSBub25jZQ=="

FIELDS: Final = (
    FieldSpec(
        "url",
        FieldType.TEXT,
        "the WebSocket address to connect to",
        lowest=1,
        highest=8_192,
        is_secret=True,
        is_target=True,
        is_required=True,
        label="Address",
    ),
    FieldSpec(
        "send",
        FieldType.TEXT,
        "the text to send as a message",
        is_secret=True,
        label="Send",
        has_lines=True,
    ),
    FieldSpec(
        "expect",
        FieldType.TEXT,
        "a text that one of the first 16 messages must hold; left out: a ping must be answered",
        highest=4_096,
        label="Expect",
    ),
    LATENCY,
    CERTIFICATE_DAYS,
    FieldSpec(
        "headers",
        FieldType.MAPPING,
        "headers to send, as Name: value",
        is_secret=True,
        label="Headers",
        group=_REQUEST,
    ),
    FieldSpec(
        "subprotocol",
        FieldType.LIST,
        "subprotocols to offer, of which the server must choose one",
        highest=256,
        label="Subprotocols",
        group=_REQUEST,
    ),
    *(replace(spec, group=_REQUEST) for spec in (USERNAME, PASSWORD, BEARER_TOKEN)),
    *TLS_FIELDS,
    IP_VERSION,
)


@dataclass(frozen=True, slots=True)
class WebSocketSpec:
    """`request` is all but its key and the empty line; `secrets` must not come back in evidence."""

    url: Url = field(repr=False)
    request: bytes = field(repr=False)
    subprotocols: tuple[str, ...]
    send: str = field(repr=False)
    expect: str
    latency_threshold_ms: int | None
    certificate_days: int
    profile: TlsProfile
    ip_version: str
    secrets: tuple[str, ...] = field(repr=False)
    repeat_with: str

    @property
    def text(self) -> str:
        """The address without user and password."""
        return "ws" + self.url.text.removeprefix("http")


def parse_websocket(settings: Mapping[str, Setting]) -> WebSocketSpec:
    values = parse_fields(FIELDS, settings)
    url = _parse_address(cast(str, values["url"]))
    given = parse_headers(cast("Mapping[str, str] | None", values["headers"]) or {}, _SET_BY_US)
    subprotocols = _subprotocols(cast("tuple[str, ...] | None", values["subprotocol"]) or ())
    signed_in = authorization(values, url, given)
    headers = _complete(url, given, subprotocols, signed_in)
    profile = tls_profile(values)
    send = cast(str, values["send"] or "")
    ip_version = cast(str, values["ip_version"])
    by_hand = _curl_line(url, given, subprotocols, signed_in, profile, ip_version)
    return WebSocketSpec(
        url,
        _request(url, headers),
        subprotocols,
        send,
        cast(str, values["expect"] or ""),
        cast("int | None", values["latency_threshold"]),
        cast(int, values["certificate_days"]),
        profile,
        ip_version,
        _secrets(
            [*headers, *parse_qsl(url.target.partition("?")[2])],
            url.password,
            cast(str, values["password"] or ""),
            *secrets_in_text(send),
            *filled_in(values),
        ),
        without(by_hand, filled_in(values)),
    )


def _parse_address(text: str) -> Url:
    """One without a scheme is taken for wss; http and https mean the same as ws and wss."""
    text = text.strip()
    scheme = _SCHEME.match(text)
    if scheme is None and "://" in text:
        raise Refused("url", "{value} is not a WebSocket address", _ADDRESS, value=shown_url(text))
    if scheme is not None:
        name = scheme[1].lower()
        text = _HTTP.get(name, name) + text[len(name) :]
    return parse_url("url", text)


def _subprotocols(given: tuple[str, ...]) -> tuple[str, ...]:
    for name in given:
        if not _SUBPROTOCOL.fullmatch(name):
            raise Refused(
                "subprotocol", "{value} is not a subprotocol", "names without spaces", value=name
            )
    return given


def _complete(
    url: Url, given: Mapping[str, str], subprotocols: tuple[str, ...], signed_in: str
) -> list[tuple[str, str]]:
    names = {name.lower() for name in given}
    headers = [] if "host" in names else [("Host", url.authority)]
    headers += given.items()
    if "user-agent" not in names:
        headers.append(("User-Agent", "Uptime-Desktop"))
    if signed_in:
        headers.append(("Authorization", signed_in))
    headers += _upgrade(subprotocols)
    return headers


def _upgrade(subprotocols: tuple[str, ...]) -> list[tuple[str, str]]:
    headers = [
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
    ]
    if subprotocols:
        headers.append(("Sec-WebSocket-Protocol", ", ".join(subprotocols)))
    return headers


def _secrets(named: list[tuple[str, str]], *others: str) -> tuple[str, ...]:
    """Every text that must not be told, also as a server would write it into JSON."""
    found = secrets_in(named, *others)
    return secrets_in((), *found, *(json.dumps(secret)[1:-1] for secret in found))


def _request(url: Url, headers: list[tuple[str, str]]) -> bytes:
    lines = [f"GET {url.target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers), ""]
    return "\r\n".join(lines).encode()


def _curl_line(
    url: Url,
    given: Mapping[str, str],
    subprotocols: tuple[str, ...],
    signed_in: str,
    profile: TlsProfile,
    ip_version: str,
) -> str:
    """It shows the upgrade; curl leaves the frames after it as they are."""
    line = ["curl", "--include", "--no-buffer", "--http1.1", "--max-time", "10"]
    if ip_version != "any":
        line.append("--ipv" + ip_version)
    if not profile.verify:
        line.append("--insecure")
    elif profile.ca_file:
        line += ["--cacert", profile.ca_file]
    if profile.client_certificate:
        line += ["--cert", profile.client_certificate]
        line += ["--key", profile.client_key] if profile.client_key else []
    for name, value in (*_upgrade(subprotocols), ("Sec-WebSocket-Key", _SAMPLE_KEY)):
        line += ["--header", f"{name}: {value}"]
    for name, value in given.items():
        line += ["--header", ": ".join(shown_header(name, value))]
    if signed_in:
        line += ["--header", f"Authorization: {HIDDEN}"]
    return shlex.join([*line, shown_url(url.text)])
