"""The settings of a gRPC health check, understood: pure."""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, cast

from uptime_desktop.checks.base import FieldSpec, FieldType, parse_fields
from uptime_desktop.checks.common_fields import (
    BEARER_TOKEN,
    CERTIFICATE_DAYS,
    IP_VERSION,
    LATENCY,
    TLS_FIELDS,
    tls_profile,
)
from uptime_desktop.checks.grpc_health import PATH, framed_request
from uptime_desktop.checks.net.address import host_and_port, parse_host, parse_port, split_port
from uptime_desktop.checks.net.http2 import ALPN
from uptime_desktop.checks.net.trust import TlsProfile
from uptime_desktop.checks.redaction import filled_in, secrets_in, shown_header, without
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused

_CALL: Final = "Call: metadata, token"
_TLS_PORT: Final = 443
_MOST_SERVICE_CHARACTERS: Final = 300
_NAME: Final = re.compile(r"[0-9a-z_.-]{1,256}")
_VALUE: Final = re.compile(r"[\x20-\x7e]*")
_OURS: Final = frozenset({"te", "content-type", "content-length", "host", "user-agent"})
_FORBIDDEN: Final = frozenset({"connection", "keep-alive", "transfer-encoding", "upgrade"})

FIELDS: Final = (
    FieldSpec(
        "host",
        FieldType.TEXT,
        "the server: host:port, grpc://host:port, or grpcs://host for TLS",
        lowest=1,
        highest=300 + _MOST_SERVICE_CHARACTERS,
        is_target=True,
        is_required=True,
        label="Host",
    ),
    FieldSpec(
        "port",
        FieldType.WHOLE,
        "the port to connect to; 443 with TLS if left out",
        lowest=1,
        highest=65_535,
        label="Port",
    ),
    FieldSpec("tls", FieldType.FLAG, "whether to speak TLS", False, label="TLS"),
    FieldSpec(
        "service",
        FieldType.TEXT,
        "the service to ask about; empty: the server as a whole",
        highest=_MOST_SERVICE_CHARACTERS,
        label="Service",
    ),
    LATENCY,
    CERTIFICATE_DAYS,
    FieldSpec(
        "metadata",
        FieldType.MAPPING,
        "metadata to send, as name: value",
        is_secret=True,
        label="Metadata",
        group=_CALL,
    ),
    replace(BEARER_TOKEN, group=_CALL),
    *TLS_FIELDS,
    IP_VERSION,
)


@dataclass(frozen=True, slots=True)
class GrpcSpec:
    """What to ask whom. `tls` is None in clear text; `secrets` must not come back in evidence."""

    host: str
    port: int
    service: str
    tls: TlsProfile | None
    headers: tuple[tuple[bytes, bytes], ...] = field(repr=False)
    message: bytes
    latency_threshold_ms: int | None
    certificate_days: int
    ip_version: str
    secrets: tuple[str, ...] = field(repr=False)
    repeat_with: str

    @property
    def server_name(self) -> str:
        """The host as a certificate names it."""
        return self.host.partition("%")[0].removesuffix(".")


def parse_grpc(settings: Mapping[str, Setting]) -> GrpcSpec:
    values = parse_fields(FIELDS, settings)
    is_tls, host, port, service = _target(values)
    metadata = _metadata(values)
    tls = tls_profile(values, (ALPN,))
    by_hand = _grpcurl_line(host, port, service, tls if is_tls else None, metadata)
    return GrpcSpec(
        host,
        port,
        service,
        tls if is_tls else None,
        _headers(host, port, metadata, is_tls=is_tls),
        framed_request(service),
        cast("int | None", values["latency_threshold"]),
        cast(int, values["certificate_days"]),
        cast(str, values["ip_version"]),
        secrets_in(metadata.items(), *filled_in(values)),
        without(by_hand, filled_in(values)),
    )


def _target(values: Mapping[str, Setting | None]) -> tuple[bool, str, int, str]:
    """Port, TLS and service may stand with the host, as in `grpcs://shop.example:8443/cart`."""
    scheme, separator, rest = cast(str, values["host"]).strip().rpartition("://")
    is_tls = bool(values["tls"])
    if separator and scheme not in {"grpc", "grpcs"}:
        raise Refused("host", "{value} is not gRPC", "host:port, grpc://, grpcs://", value=scheme)
    if scheme == "grpc" and is_tls:
        raise Refused("tls", "the address begins with grpc://", "grpcs:// for TLS")
    is_tls = is_tls or scheme == "grpcs"
    authority, _, path = rest.partition("/")
    service = cast(str, values["service"] or "")
    if path and service:
        raise Refused("service", "it is given twice", "in host or in service")
    host, port = _host_and_port(authority, cast("int | None", values["port"]), is_tls=is_tls)
    return is_tls, host, port, _service(path or service)


def _host_and_port(authority: str, port: int | None, *, is_tls: bool) -> tuple[str, int]:
    host_text, port_text = split_port(authority)
    host = parse_host("host", host_text)
    if port_text and port is not None:
        raise Refused("port", "it is given twice", "in host or in port")
    if port_text:
        return host, parse_port("port", port_text)
    if port is None and not is_tls:
        raise Refused("port", "it is missing", "1 to 65535")
    return host, port or _TLS_PORT


def _service(text: str) -> str:
    if not text.isprintable() or len(text) > _MOST_SERVICE_CHARACTERS:
        raise Refused(
            "service", "{value} is not the name of a service", "as in shop.v1.Cart", value=text
        )
    return text


def _metadata(values: Mapping[str, Setting | None]) -> dict[str, str]:
    """Refused unless every server reads each as what it is meant to be."""
    given = dict(cast("Mapping[str, str] | None", values["metadata"]) or {})
    for name, value in given.items():
        if not _NAME.fullmatch(name):
            raise Refused(
                "metadata",
                "{name} is not a name of metadata",
                "lower-case letters, digits and . - _",
                name=name,
            )
        if name in _OURS or name in _FORBIDDEN or name.startswith("grpc-"):
            raise Refused("metadata", "{name} is set by the program", "other names", name=name)
        if not _VALUE.fullmatch(value):
            raise Refused(
                "metadata", "the value of {name} is not plain ASCII", "one line", name=name
            )
    token = cast(str, values["bearer_token"] or "")
    if not token:
        return given
    if "authorization" in given:
        raise Refused("bearer_token", "there is an authorization in metadata", "one of the two")
    if not _VALUE.fullmatch(token):
        raise Refused("bearer_token", "it is not plain ASCII", "one line")
    return {**given, "authorization": f"Bearer {token}"}


def _headers(
    host: str, port: int, metadata: Mapping[str, str], *, is_tls: bool
) -> tuple[tuple[bytes, bytes], ...]:
    # Which of our interfaces leads there is none of the server's business.
    authority = host_and_port(host.partition("%")[0], port)
    headers = {
        ":method": "POST",
        ":scheme": "https" if is_tls else "http",
        ":path": PATH,
        ":authority": authority,
        "te": "trailers",
        "content-type": "application/grpc",
        "user-agent": "Uptime-Desktop",
        **metadata,
    }
    return tuple((name.encode("ascii"), value.encode("ascii")) for name, value in headers.items())


def _grpcurl_line(
    host: str, port: int, service: str, tls: TlsProfile | None, metadata: Mapping[str, str]
) -> str:
    line = ["grpcurl"]
    if tls is None:
        line.append("-plaintext")
    elif not tls.verify:
        line.append("-insecure")
    elif tls.ca_file:
        line += ["-cacert", tls.ca_file]
    if tls is not None and tls.client_certificate:
        line += ["-cert", tls.client_certificate, "-key", tls.client_key or tls.client_certificate]
    for name, value in metadata.items():
        line += ["-H", ": ".join(shown_header(name, value))]
    if service:
        line += ["-d", json.dumps({"service": service}, ensure_ascii=False)]
    return shlex.join([*line, host_and_port(host, port), PATH.removeprefix("/")])
