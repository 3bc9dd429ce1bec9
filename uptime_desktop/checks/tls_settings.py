"""The settings of a tls check, understood: pure."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, cast

from uptime_desktop.checks.base import FieldSpec, FieldType, parse_fields
from uptime_desktop.checks.common_fields import (
    CERTIFICATE_DAYS,
    CONNECTION,
    IP_VERSION,
    LATENCY,
    TLS_FIELDS,
    tls_profile,
)
from uptime_desktop.checks.net.address import (
    host_and_port,
    is_numeric,
    parse_host,
    parse_port,
    split_port,
)
from uptime_desktop.checks.net.starttls import STARTTLS, usual_port
from uptime_desktop.checks.net.trust import WEAK_CIPHERS, TlsProfile
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import words

_NONE: Final = "none"
_HTTPS_PORT: Final = 443
_SOON_DAYS: Final = 14
_FINGERPRINT: Final = re.compile(r"[0-9a-f]{64}")
_BETWEEN_DIGITS: Final = str.maketrans("", "", ": ")

FIELDS: Final = (
    FieldSpec(
        "host",
        FieldType.TEXT,
        "the host to connect to, or host:port",
        lowest=1,
        highest=300,
        is_target=True,
        is_required=True,
        label="Host",
    ),
    FieldSpec(
        "port",
        FieldType.WHOLE,
        "the port to connect to; left out: 443, or the usual one of the protocol in starttls",
        lowest=1,
        highest=65_535,
        label="Port",
    ),
    FieldSpec(
        "starttls",
        FieldType.CHOICE,
        "the protocol in which TLS is asked for first",
        _NONE,
        choices=(words("none"), *STARTTLS),
        label="STARTTLS",
    ),
    replace(CERTIFICATE_DAYS, default=_SOON_DAYS),
    FieldSpec(
        "fingerprint",
        FieldType.TEXT,
        "the SHA-256 that the server's certificate must have",
        highest=200,
        label="Fingerprint",
    ),
    LATENCY,
    FieldSpec(
        "server_name",
        FieldType.TEXT,
        "the name to ask for, if it is not the host",
        highest=253,
        label="Server name",
        group=CONNECTION,
    ),
    *TLS_FIELDS,
    IP_VERSION,
)


@dataclass(frozen=True, slots=True)
class TlsSpec:
    host: str
    port: int
    server_name: str
    starttls: str
    """The protocol, or empty where TLS begins at once."""
    fingerprint: str
    certificate_days: int
    latency_threshold_ms: int | None
    profile: TlsProfile
    ip_version: str
    repeat_with: str


def parse_tls(settings: Mapping[str, Setting]) -> TlsSpec:
    values = parse_fields(FIELDS, settings)
    starttls = cast(str, values["starttls"]).removesuffix(_NONE)
    host, port = _host_and_port(
        cast(str, values["host"]), cast("int | None", values["port"]), starttls
    )
    named = cast(str, values["server_name"] or "").strip()
    spec = TlsSpec(
        host,
        port,
        parse_host("server_name", named) if named else host.partition("%")[0].removesuffix("."),
        starttls,
        _fingerprint(cast(str, values["fingerprint"] or "")),
        cast(int, values["certificate_days"]),
        cast("int | None", values["latency_threshold"]),
        tls_profile(values, alpn=()),
        cast(str, values["ip_version"]),
        "",
    )
    return replace(spec, repeat_with=_openssl_line(spec))


def _host_and_port(written: str, port: int | None, starttls: str) -> tuple[str, int]:
    """The port may stand with the host, as in `tls://mail.example:993`."""
    text = written.strip().removeprefix("tls://").removesuffix("/")
    if "/" in text:
        raise Refused(
            "host", "{value} is not a host", "host, host:port, tls://host:port", value=text
        )
    host_text, port_text = split_port(text)
    host = parse_host("host", host_text)
    if port_text and port is not None:
        raise Refused("port", "it is given twice", "in host or in port")
    if port_text:
        return host, parse_port("port", port_text)
    if port is None:
        port = usual_port(starttls) if starttls else _HTTPS_PORT
    return host, port


def _fingerprint(text: str) -> str:
    digits = text.translate(_BETWEEN_DIGITS).lower()
    if digits and not _FINGERPRINT.fullmatch(digits):
        raise Refused(
            "fingerprint",
            "{value} is not a SHA-256",
            "64 hexadecimal digits, with or without colons",
            value=text,
        )
    return digits


def _openssl_line(spec: TlsSpec) -> str:
    line = ["openssl", "s_client", "-connect", host_and_port(spec.host, spec.port), "-showcerts"]
    name, profile = spec.server_name, spec.profile
    if is_numeric(name):
        checked = ["-noservername", "-verify_ip", name]
    else:
        checked = ["-servername", name, "-verify_hostname", name]
    line += checked if profile.verify else checked[:-2]
    if profile.verify:
        line.append("-verify_return_error")
        if profile.ca_file:
            line += ["-CAfile", profile.ca_file]
    if spec.starttls:
        line += ["-starttls", spec.starttls]
    if profile.client_certificate:
        line += ["-cert", profile.client_certificate]
        line += ["-key", profile.client_key] if profile.client_key else []
    line += ["-min_protocol", f"TLSv{profile.min_version}".removesuffix(".0")]
    if profile.takes_weak_keys:
        line += ["-cipher", WEAK_CIPHERS]
    if spec.ip_version != "any":
        line.append("-" + spec.ip_version)
    # Without input it ends after the handshake.
    return shlex.join(line) + " </dev/null"
