"""The settings of an http check, understood: pure."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Final, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from uptime_desktop.checks.base import parse_fields
from uptime_desktop.checks.common_fields import tls_profile
from uptime_desktop.checks.headers import authorization, parse_headers, require_header_name
from uptime_desktop.checks.http.assertions import Expectations
from uptime_desktop.checks.http.curl import curl_line
from uptime_desktop.checks.http.fields import FIELDS
from uptime_desktop.checks.http.json_query import parse_json_query
from uptime_desktop.checks.http.patterns import parse_pattern
from uptime_desktop.checks.http.request import Proxy, Request
from uptime_desktop.checks.net.address import Url, parse_host, parse_url
from uptime_desktop.checks.redaction import (
    filled_in,
    is_secret_name,
    secrets_in,
    secrets_in_text,
    shown_url,
    without,
)
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused, Word

MOST_REDIRECTS: Final = 10
_CODES: Final = re.compile(r"([1-9][0-9]{2})(?:-([1-9][0-9]{2}))?")
_MOST_LINES: Final = 50
_PROXY_PORTS: Final = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
_MOST_SOCKS_BYTES: Final = 255
_ALPN: Final = {"1.1": ("http/1.1",), "2": ("h2", "http/1.1"), "any": ("h2", "http/1.1")}

_EXPECTING: Final = ("keyword", "keyword_absent", "regex", "json_query", "header_match")
_NOTHING_EXPECTED: Final = Expectations()

_Values = Mapping[str, Setting | None]


@dataclass(frozen=True)
class HttpSpec:
    """What to request and what to expect.

    `given` are the headers a person configured, `signed` the one that signs us in. `filled` came in
    place of names that a person wrote.
    """

    request: Request
    accepted: frozenset[int] = field(repr=False)
    accepted_text: str
    follow_redirects: bool
    expected: Expectations
    latency_threshold_ms: int | None
    certificate_days: int
    given: Mapping[str, str] = field(repr=False)
    signed: str = field(repr=False)
    password: str = field(repr=False)
    filled: tuple[str, ...] = field(repr=False)

    def accepts(self, code: int) -> bool:
        return code in self.accepted

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """Every text that must not be told, also as a server would write it into JSON, longest
        first."""
        request = self.request
        query = parse_qsl(request.url.target.partition("?")[2])
        plain = [request.url.password, self.password]
        plain += [value for name, value in query if is_secret_name(name)]
        plain += secrets_in_text(request.body.decode("utf-8", "replace"))
        if request.proxy is not None:
            plain += [request.proxy.password, request.proxy.credentials]
        found = secrets_in(request.headers, *plain)
        written = (json.dumps(secret)[1:-1] for secret in found)
        return secrets_in((), *found, *written, *self.filled)

    @cached_property
    def repeat_with(self) -> str:
        """The command line that does the same by hand."""
        redirects = MOST_REDIRECTS if self.follow_redirects else 0
        line = curl_line(self.request, self.given, self.signed, redirects)
        return without(line, self.filled)


def parse_http(settings: Mapping[str, Setting]) -> HttpSpec:
    values = parse_fields(FIELDS, settings)
    url = parse_url("url", cast(str, values["url"]))
    given = parse_headers(cast("Mapping[str, str] | None", values["headers"]) or {})
    signed = authorization(values, url, given)
    body = _body(values)
    request = Request(
        cast(str, values["method"]),
        url,
        complete_headers(url, given, signed, body),
        body,
        cast(int, values["max_body"]),
        cast(str, values["ip_version"]),
        tls_profile(values, _ALPN[version := _http_version(values, url)]),
        parse_proxy("proxy", cast(str, values["proxy"])) if values["proxy"] else None,
        version,
    )
    codes = cast("tuple[str, ...]", values["accepted_codes"])
    return HttpSpec(
        request,
        _accepted(codes),
        ", ".join(codes),
        cast(bool, values["follow_redirects"]),
        _expectations(values),
        cast("int | None", values["latency_threshold"]),
        cast(int, values["certificate_days"]) if request.tls.verify else 0,
        given,
        signed,
        cast(str, values["password"] or ""),
        filled_in(settings),
    )


def complete_headers(
    url: Url, given: Mapping[str, str], signed: str, body: bytes
) -> tuple[tuple[str, str], ...]:
    """What a person configured, and what a request needs besides."""
    names = {name.lower() for name in given}
    headers = [] if "host" in names else [("Host", url.authority)]
    headers += given.items()
    for name, value in (
        ("User-Agent", "Uptime-Desktop"),
        ("Accept", "*/*"),
        ("Accept-Encoding", "gzip, deflate"),
    ):
        if name.lower() not in names:
            headers.append((name, value))
    if signed:
        headers.append(("Authorization", signed))
    if body:
        headers.append(("Content-Length", str(len(body))))
    headers.append(("Connection", "close"))
    return tuple(headers)


def parse_proxy(field_key: str, text: str) -> Proxy:
    text = text.strip()
    allowed = "an address such as http://proxy.example:3128, https://, socks5:// or socks5h://"
    wrong = Refused(field_key, "{value} is not a proxy", allowed, value=shown_url(text))
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise wrong from None
    is_bare = parts.path in {"", "/"} and not parts.query and not parts.fragment
    if parts.scheme not in _PROXY_PORTS or not parts.hostname or not is_bare or port == 0:
        raise wrong
    proxy = Proxy(
        parts.scheme,
        parse_host(field_key, unquote(parts.hostname)),
        port or _PROXY_PORTS[parts.scheme],
        unquote(parts.username or ""),
        unquote(parts.password or ""),
    )
    longest = max(len(proxy.user.encode()), len(proxy.password.encode()))
    if proxy.is_socks and longest > _MOST_SOCKS_BYTES:
        raise Refused(
            field_key,
            "the user name or password is too long for SOCKS",
            "{most} bytes",
            most=_MOST_SOCKS_BYTES,
        )
    return proxy


def _http_version(values: _Values, url: Url) -> str:
    version = cast(str, values["http_version"])
    if version == "2" and not url.is_tls:
        raise Refused("http_version", "HTTP/2 needs an https address", "1.1, any")
    return version


def _expectations(values: _Values) -> Expectations:
    if not any(values[key] for key in _EXPECTING):
        return _NOTHING_EXPECTED
    headers = cast("Mapping[str, str] | None", values["header_match"]) or {}
    for name in headers:
        require_header_name("header_match", name)
    return Expectations(
        cast(str, values["keyword"] or ""),
        cast(str, values["keyword_absent"] or ""),
        tuple(parse_pattern("regex", line) for line in _lines(values, "regex")),
        tuple(parse_json_query("json_query", line) for line in _lines(values, "json_query")),
        tuple((name, parse_pattern("header_match", text)) for name, text in headers.items()),
    )


def _lines(values: _Values, key: str) -> tuple[str, ...]:
    lines = cast("tuple[str, ...] | None", values[key]) or ()
    if len(lines) > _MOST_LINES:
        raise Refused(
            key, "{count} are too many", "{most} lines", count=len(lines), most=_MOST_LINES
        )
    return lines


def _body(values: _Values) -> bytes:
    text = cast(str, values["body"] or "")
    if text and values["method"] in {"GET", "HEAD"}:
        method = Word(values["method"])
        raise Refused("body", "a {method} request has none", "POST, PUT, PATCH", method=method)
    return text.encode("utf-8", "replace")


@cache
def _accepted(texts: tuple[str, ...]) -> frozenset[int]:
    allowed = "codes and ranges from 100 to 999, as in 200-299,401"
    if not texts:
        raise Refused("accepted_codes", "it is empty", allowed)
    found: set[int] = set()
    for text in texts:
        match = _CODES.fullmatch(text)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise Refused("accepted_codes", "{value} is not a range of codes", allowed, value=text)
        found.update(range(first, last + 1))
    return frozenset(found)
