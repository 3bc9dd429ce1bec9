"""The settings of a remote check, understood: which server, how to ask it, what to look at."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, cast

from uptime_desktop.checks.base import FieldSpec, FieldType, parse_fields
from uptime_desktop.checks.common_fields import (
    IP_VERSION,
    LATENCY,
    PASSWORD,
    TLS_FIELDS,
    USERNAME,
    tls_profile,
)
from uptime_desktop.checks.http.curl import curl_line
from uptime_desktop.checks.http.request import Request
from uptime_desktop.checks.net.address import Url, parse_url
from uptime_desktop.checks.redaction import basic_credentials, filled_in, secrets_in
from uptime_desktop.checks.remote.dialect import Dialect, SignIn
from uptime_desktop.checks.remote.gatus import GATUS
from uptime_desktop.checks.remote.healthchecks import HEALTHCHECKS
from uptime_desktop.checks.remote.kuma import METRICS, STATUS_PAGE
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import words

MOST_BODY_BYTES: Final = 4_194_304
_AUTO: Final = "auto"
_DIALECTS: Final = (METRICS, STATUS_PAGE, GATUS, HEALTHCHECKS)
_KUMA_KEY: Final = re.compile(r"uk[0-9]+_.+")
_PRINTABLE: Final = re.compile(r"[\x21-\x7e]*")

FIELDS: Final = (
    FieldSpec(
        "url",
        FieldType.TEXT,
        "the address of an Uptime Kuma, Gatus or Healthchecks server, or of its page or API",
        lowest=1,
        highest=8_192,
        is_secret=True,
        is_target=True,
        is_required=True,
        label="Address",
    ),
    FieldSpec(
        "server",
        FieldType.CHOICE,
        "what sort of server it is; auto finds out",
        _AUTO,
        choices=(words("auto"), *(dialect.key for dialect in _DIALECTS)),
        label="Server",
    ),
    FieldSpec(
        "api_key",
        FieldType.TEXT,
        "the API key of a Healthchecks project, or for the metrics of Uptime Kuma",
        highest=1_024,
        is_secret=True,
        is_password=True,
        label="API key",
    ),
    USERNAME,
    PASSWORD,
    FieldSpec(
        "only",
        FieldType.LINES,
        "the monitors to look at, by name; empty: all",
        highest=300,
        label="Only these",
    ),
    LATENCY,
    *TLS_FIELDS,
    IP_VERSION,
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One way to ask, with everything that is to be requested."""

    dialect: Dialect
    detail: str
    requests: tuple[Request, ...]
    repeat_with: str


@dataclass(frozen=True, slots=True)
class RemoteSpec:
    """`attempts` are made in this order until one is understood.

    `secrets` must not come back in evidence.
    """

    url: Url = field(repr=False)
    attempts: tuple[Attempt, ...] = field(repr=False)
    only: tuple[str, ...]
    latency_threshold_ms: int | None
    has_key: bool
    has_password: bool
    secrets: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Identity:
    """Who we are to the server."""

    user: str = ""
    password: str = field(default="", repr=False)
    key: str = field(default="", repr=False)

    @property
    def has_password(self) -> bool:
        return bool(self.user or self.password)

    def authorization(self, dialect: Dialect) -> str:
        if self.has_password:
            return "Basic " + basic_credentials(self.user, self.password)
        if self.key and dialect.sign_in is SignIn.KEY_AS_PASSWORD:
            return "Basic " + basic_credentials("", self.key)
        return ""

    def key_header(self, dialect: Dialect) -> dict[str, str]:
        return {"X-Api-Key": self.key} if self.key and dialect.sign_in is SignIn.KEY else {}


def parse_remote(settings: Mapping[str, Setting]) -> RemoteSpec:
    values = parse_fields(FIELDS, settings)
    url = parse_url("url", cast(str, values["url"]))
    identity = _identity(url, values)
    plain = replace(url, user="", password="")
    attempts = _attempts(plain, identity, values)
    headers = [header for attempt in attempts for header in attempt.requests[0].headers]
    return RemoteSpec(
        plain,
        attempts,
        cast("tuple[str, ...]", values["only"] or ()),
        cast("int | None", values["latency_threshold"]),
        bool(identity.key),
        identity.has_password,
        secrets_in(headers, identity.password, identity.key, *filled_in(values)),
    )


def _identity(url: Url, values: Mapping[str, Setting | None]) -> _Identity:
    user, password = cast(str, values["username"] or ""), cast(str, values["password"] or "")
    key = cast(str, values["api_key"] or "").strip()
    if (url.user or url.password) and (user or password):
        raise Refused("username", "there is one in the address too", "one of the two")
    if ":" in user:
        raise Refused("username", "it has a colon", "a name without one")
    if not _PRINTABLE.fullmatch(key):
        raise Refused("api_key", "it is not plain ASCII", "letters, digits and - _")
    return _Identity(user or url.user, password or url.password, key)


def _attempts(
    url: Url, identity: _Identity, values: Mapping[str, Setting | None]
) -> tuple[Attempt, ...]:
    path, _, query = url.target.partition("?")
    server = cast(str, values["server"])
    allowed = [dialect for dialect in _DIALECTS if server in {_AUTO, dialect.key}]
    for dialect in allowed:
        if place := dialect.own_path.fullmatch(path):
            found, base = [dialect], place["base"]
            detail = place.groupdict().get("detail") or ""
            break
    else:
        found = allowed if server != _AUTO else _likely(identity)
        base, detail, query = path.removesuffix("/") + "/", "", ""
    if len(found) == 1:
        _require_fitting(found[0], identity)
    return tuple(
        _attempt(dialect, replace(url, target=base), one, query, identity, values)
        for dialect in found
        for one in ((detail,) if detail else dialect.details)
    )


def _likely(identity: _Identity) -> list[Dialect]:
    """What an address that says nothing may lead to."""
    if _KUMA_KEY.fullmatch(identity.key):
        return [METRICS]
    if identity.key:
        return [HEALTHCHECKS]
    return [GATUS, METRICS, STATUS_PAGE] if identity.has_password else [GATUS, STATUS_PAGE]


def _require_fitting(dialect: Dialect, identity: _Identity) -> None:
    if dialect.sign_in is SignIn.KEY and not identity.key:
        raise Refused("api_key", "it is missing", "the API key of the project")
    if dialect.sign_in is SignIn.PASSWORD and identity.key:
        raise Refused("api_key", "such a server takes none", "a user name and password, or nothing")
    if dialect.sign_in is SignIn.KEY_AS_PASSWORD and identity.key and identity.has_password:
        raise Refused("api_key", "there is a password too", "one of the two")


def _attempt(
    dialect: Dialect,
    base: Url,
    detail: str,
    query: str,
    identity: _Identity,
    values: Mapping[str, Setting | None],
) -> Attempt:
    given = identity.key_header(dialect)
    authorization = identity.authorization(dialect)
    tail = f"?{query}" if query and dialect.takes_query else ""
    requests = tuple(
        Request(
            method="GET",
            url=replace(base, target=base.target + page + tail),
            headers=(
                ("Host", base.authority),
                ("User-Agent", "Uptime-Desktop"),
                ("Accept", "application/json, text/plain, */*"),
                ("Accept-Encoding", "gzip, deflate"),
                *given.items(),
                *((("Authorization", authorization),) if authorization else ()),
                ("Connection", "close"),
            ),
            max_body=MOST_BODY_BYTES,
            ip_version=cast(str, values["ip_version"]),
            tls=tls_profile(values),
        )
        for page in dialect.pages(detail)
    )
    repeat_with = " && ".join(
        curl_line(request, given, authorization, follow=0) for request in requests
    )
    return Attempt(dialect, detail, requests, repeat_with)
