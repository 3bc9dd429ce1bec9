"""What can be set for an http check: declared only, understood in `settings`."""

from dataclasses import replace
from typing import Final

from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.checks.common_fields import (
    BEARER_TOKEN,
    CERTIFICATE_DAYS,
    CONNECTION,
    IP_VERSION,
    LATENCY,
    PASSWORD,
    TLS_FIELDS,
    USERNAME,
)
from uptime_desktop.checks.http.patterns import MOST_CHARACTERS
from uptime_desktop.domain.wording import words

_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_REQUEST: Final = words("Request: method, headers, body, redirects")
_SIGN_IN: Final = words("Sign-in: user name, password, token")
_CONTENT: Final = words("Content: patterns, JSON, headers")

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
        "accepted_codes",
        FieldType.LIST,
        "status codes that count as up, as in 200-299,401",
        ("200-399",),
        label="Status codes",
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
    LATENCY,
    CERTIFICATE_DAYS,
    FieldSpec(
        "regex",
        FieldType.LINES,
        "RE2 patterns that must be found in the page, one a line",
        highest=MOST_CHARACTERS,
        label="Matches",
        group=_CONTENT,
    ),
    FieldSpec(
        "json_query",
        FieldType.LINES,
        "what a JSON page must say, one JMESPath query a line, as in data.status == ok; "
        "operators: == != < <= > >= contains matches exists",
        highest=4_096,
        label="JSON says",
        group=_CONTENT,
    ),
    FieldSpec(
        "header_match",
        FieldType.MAPPING,
        "headers the answer must have, as Name: RE2 pattern",
        is_secret=True,
        label="Headers match",
        group=_CONTENT,
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
        "follow_redirects",
        FieldType.FLAG,
        "whether to follow redirects, at most 10",
        True,
        label="Follow redirects",
        group=_REQUEST,
    ),
    replace(USERNAME, group=_SIGN_IN),
    replace(PASSWORD, group=_SIGN_IN),
    replace(BEARER_TOKEN, group=_SIGN_IN),
    FieldSpec(
        "http_version",
        FieldType.CHOICE,
        "which HTTP to speak; any: 2 if the server offers it",
        "1.1",
        choices=("1.1", "2", words("any")),
        label="HTTP version",
        group=CONNECTION,
    ),
    FieldSpec(
        "proxy",
        FieldType.TEXT,
        "the proxy to go through, as in http://proxy.example:3128 or socks5h://127.0.0.1:1080",
        highest=2_048,
        is_secret=True,
        label="Proxy",
        group=CONNECTION,
    ),
    FieldSpec(
        "max_body",
        FieldType.WHOLE,
        "how many bytes of the body are read",
        1_048_576,
        highest=16_777_216,
        label="Most bytes read",
        group=CONNECTION,
    ),
    *TLS_FIELDS,
    IP_VERSION,
)
