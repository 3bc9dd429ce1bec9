"""The settings of an http check, understood: pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from uptime_desktop.checks.base import FieldSpec, FieldType, parse_fields
from uptime_desktop.checks.http.curl import curl_line
from uptime_desktop.checks.http.request import Request
from uptime_desktop.checks.net.address import Url, parse_url
from uptime_desktop.checks.net.trust import TlsProfile
from uptime_desktop.checks.redaction import basic_credentials, secrets_in
from uptime_desktop.domain.model import MAX_TIMEOUT_MS, Setting
from uptime_desktop.domain.refusal import Refused, Word
from uptime_desktop.domain.wording import words

MOST_REDIRECTS: Final = 10
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}")
_HEADER_VALUE: Final = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]*")
_FRAMING: Final = frozenset({"connection", "content-length", "transfer-encoding", "upgrade"})
_CODES: Final = re.compile(r"([1-9][0-9]{2})(?:-([1-9][0-9]{2}))?")
_REQUEST: Final = "Request: method, headers, body, redirects"
_CONNECTION: Final = "Connection: certificate, IP version, size"

FIELDS: Final = (
    FieldSpec(
        "url",
        FieldType.TEXT,
        "the web address to request",
        lowest=1,
        highest=8_192,
        is_secret=True,
        is_target=True,
        is_required=True,
        label="Address",
    ),
    FieldSpec(
        "method",
        FieldType.CHOICE,
        "the request method",
        "GET",
        choices=_METHODS,
        label="Method",
        group=_REQUEST,
    ),
    FieldSpec(
        "headers",
        FieldType.MAPPING,
        "headers to send, as Name: value",
        is_secret=True,
        label="Headers",
        group=_REQUEST,
    ),
    FieldSpec(
        "body",
        FieldType.TEXT,
        "the text to send as body",
        is_secret=True,
        label="Body",
        group=_REQUEST,
        has_lines=True,
    ),
    FieldSpec(
        "accepted_codes",
        FieldType.LIST,
        "status codes that count as up, as in 200-299,401",
        ("200-399",),
        label="Status codes",
    ),
    FieldSpec(
        "follow_redirects",
        FieldType.FLAG,
        "whether to follow redirects, at most 10",
        True,
        label="Follow redirects",
        group=_REQUEST,
    ),
    FieldSpec(
        "keyword",
        FieldType.TEXT,
        "a text the page must contain",
        highest=4_096,
        label="Has the text",
    ),
    FieldSpec(
        "keyword_absent",
        FieldType.TEXT,
        "a text the page must not contain",
        highest=4_096,
        label="Lacks the text",
    ),
    FieldSpec(
        "latency_threshold",
        FieldType.DURATION,
        "a longer response counts as degraded",
        lowest=1,
        highest=MAX_TIMEOUT_MS,
        label="Slow over",
    ),
    FieldSpec(
        "max_body",
        FieldType.WHOLE,
        "how many bytes of the body are read",
        1_048_576,
        highest=16_777_216,
        label="Most bytes read",
        group=_CONNECTION,
    ),
    FieldSpec(
        "verify_certificate",
        FieldType.FLAG,
        "whether the certificate must be trusted",
        True,
        label="Verify certificate",
        group=_CONNECTION,
    ),
    FieldSpec(
        "ca_file",
        FieldType.TEXT,
        "a file of certificate authorities to trust instead",
        label="Authorities",
        group=_CONNECTION,
    ),
    FieldSpec(
        "ip_version",
        FieldType.CHOICE,
        "which addresses to use",
        "any",
        choices=(words("any"), "4", "6"),
        label="IP version",
        group=_CONNECTION,
    ),
)


@dataclass(frozen=True, slots=True)
class HttpSpec:
    """What to request and what to expect. `secrets` must not come back in evidence."""

    request: Request
    accepted: tuple[range, ...]
    follow_redirects: bool
    keyword: str
    keyword_absent: str
    latency_threshold_ms: int | None
    secrets: tuple[str, ...]
    repeat_with: str

    def accepts(self, code: int) -> bool:
        return any(code in codes for codes in self.accepted)


def parse_http(settings: Mapping[str, Setting]) -> HttpSpec:
    values = parse_fields(FIELDS, settings)
    url = parse_url("url", cast(str, values["url"]))
    given = _headers(cast("Mapping[str, str] | None", values["headers"]) or {})
    request = Request(
        cast(str, values["method"]),
        url,
        complete_headers(url, given, body := _body(values)),
        body,
        cast(int, values["max_body"]),
        cast(str, values["ip_version"]),
        TlsProfile(cast(bool, values["verify_certificate"]), cast(str, values["ca_file"] or "")),
    )
    follows = cast(bool, values["follow_redirects"])
    return HttpSpec(
        request,
        _accepted(cast("tuple[str, ...]", values["accepted_codes"])),
        follows,
        cast(str, values["keyword"] or ""),
        cast(str, values["keyword_absent"] or ""),
        cast("int | None", values["latency_threshold"]),
        secrets_in(request.headers, url.password),
        curl_line(request, given, MOST_REDIRECTS if follows else 0),
    )


def complete_headers(
    url: Url, given: Mapping[str, str], body: bytes
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
    if (url.user or url.password) and "authorization" not in names:
        credentials = basic_credentials(url.user, url.password)
        headers.append(("Authorization", "Basic " + credentials))
    if body:
        headers.append(("Content-Length", str(len(body))))
    headers.append(("Connection", "close"))
    return tuple(headers)


def _body(values: Mapping[str, Setting | None]) -> bytes:
    text = cast(str, values["body"] or "")
    if text and values["method"] in {"GET", "HEAD"}:
        method = Word(values["method"])
        raise Refused("body", "a {method} request has none", "POST, PUT, PATCH", method=method)
    return text.encode("utf-8", "replace")


def _headers(given: Mapping[str, str]) -> dict[str, str]:
    """Refused unless each could only ever be read as one header."""
    seen = set()
    for name, value in given.items():
        lower = name.lower()
        if not _HEADER_NAME.fullmatch(name):
            raise Refused(
                "headers", "{name} is not a header's name", "letters, digits and -", name=name
            )
        if not _HEADER_VALUE.fullmatch(value):
            raise Refused(
                "headers", "the value of {name} has control characters", "one line", name=name
            )
        if lower in _FRAMING:
            raise Refused("headers", "{name} is set by the program", "other headers", name=name)
        if lower in seen:
            raise Refused("headers", "{name} is given twice", "each name once", name=name)
        seen.add(lower)
    return {name: value.strip() for name, value in given.items()}


def _accepted(texts: tuple[str, ...]) -> tuple[range, ...]:
    allowed = "codes and ranges from 100 to 999, as in 200-299,401"
    if not texts:
        raise Refused("accepted_codes", "it is empty", allowed)
    found = []
    for text in texts:
        match = _CODES.fullmatch(text)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last:
            raise Refused("accepted_codes", "{value} is not a range of codes", allowed, value=text)
        found.append(range(first, last + 1))
    return tuple(found)
