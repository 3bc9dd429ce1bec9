"""The settings of a dns check, understood: pure."""

import ipaddress
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, cast

from uptime_desktop.checks.base import FieldSpec, FieldType, parse_fields
from uptime_desktop.checks.common_fields import LATENCY, TLS_FIELDS, tls_profile
from uptime_desktop.checks.net.address import (
    Url,
    host_and_port,
    is_numeric,
    parse_host,
    parse_port,
    parse_url,
    split_port,
)
from uptime_desktop.checks.net.trust import VERIFIED, TlsProfile
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused, Word
from uptime_desktop.domain.wording import words

RECORD_TYPES: Final = ("A", "AAAA", "CNAME", "MX", "TXT", "NS", "SOA", "SRV", "CAA", "PTR")
SUCCESS: Final = "NOERROR"
_PORTS: Final = {"udp": 53, "tcp": 53, "tls": 853}
_USUAL_PATH: Final = "/dns-query"
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPED: Final = re.compile(r"\\(.)")
_FORMS: Final = {
    "CNAME": (re.compile(r"\S+"), "www.example.org."),
    "MX": (re.compile(r"\d+ \S+"), "10 mail.example.org."),
    "NS": (re.compile(r"\S+"), "ns1.example.org."),
    "PTR": (re.compile(r"\S+"), "www.example.org."),
    "SOA": (re.compile(r"\S+ \S+( \d+){5}"), "ns1.example.org. admin.example.org. 1 2 3 4 5"),
    "SRV": (re.compile(r"\d+ \d+ \d+ \S+"), "10 5 5060 sip.example.org."),
    "CAA": (re.compile(r"\d+ \w+ .*"), '0 issue "ca.example.org"'),
}

FIELDS: Final = (
    FieldSpec(
        "host",
        FieldType.TEXT,
        "the name to ask for; with PTR also an address",
        lowest=1,
        highest=300,
        is_target=True,
        is_required=True,
        label="Domain name",
    ),
    FieldSpec(
        "record_type",
        FieldType.CHOICE,
        "the type of record to ask for",
        "A",
        choices=RECORD_TYPES,
        label="Record type",
    ),
    FieldSpec(
        "resolver",
        FieldType.TEXT,
        "the name server to ask, also as tcp://, tls:// or https://; empty: the computer's own",
        highest=2_048,
        label="Name server",
    ),
    FieldSpec(
        "expected",
        FieldType.LINES,
        "answers that must be there, as in 10 mail.example.org.",
        highest=4_096,
        label="Expected answers",
    ),
    FieldSpec(
        "answers",
        FieldType.CHOICE,
        "whether the answers contain the expected ones or equal them",
        "contain",
        choices=(words("contain"), words("equal")),
        label="Answers",
    ),
    FieldSpec(
        "expected_rcode",
        FieldType.CHOICE,
        "the response code that counts as up",
        SUCCESS,
        choices=(SUCCESS, "NXDOMAIN", "SERVFAIL", "REFUSED"),
        label="Response code",
    ),
    LATENCY,
    *TLS_FIELDS,
)


@dataclass(frozen=True, slots=True)
class NameServer:
    """Whom to ask, and how; without a host the computer's own name servers."""

    transport: str = "udp"
    host: str = ""
    port: int = _PORTS["udp"]
    url: Url | None = None

    @property
    def text(self) -> str:
        if self.url is not None:
            return self.url.text
        if not self.host:
            return ""
        shown = host_and_port(self.host, self.port)
        return shown if self.transport == "udp" else f"{self.transport}://{shown}"

    @property
    def origin(self) -> str:
        return self.url.origin if self.url is not None else f"dns:{self.text or 'system'}"


@dataclass(frozen=True, slots=True)
class DnsSpec:
    """`expected` is in the form that `normal` gives."""

    name: str
    record_type: str = "A"
    server: NameServer = NameServer()
    expected: tuple[str, ...] = ()
    must_equal: bool = False
    rcode: str = SUCCESS
    latency_threshold_ms: int | None = None
    tls: TlsProfile = VERIFIED
    repeat_with: str = ""


def parse_dns(settings: Mapping[str, Setting]) -> DnsSpec:
    values = parse_fields(FIELDS, settings)
    record_type, rcode = cast(str, values["record_type"]), cast(str, values["expected_rcode"])
    server = _name_server(cast(str, values["resolver"] or ""))
    expected = cast("tuple[str, ...]", values["expected"] or ())
    if expected and rcode != SUCCESS:
        raise Refused("expected", "there are no answers with that response code", SUCCESS)
    spec = DnsSpec(
        _name(cast(str, values["host"]), record_type),
        record_type,
        server,
        tuple(_expected(record_type, text) for text in expected),
        values["answers"] == "equal",
        rcode,
        cast("int | None", values["latency_threshold"]),
        tls_profile(values, ("h2", "http/1.1") if server.transport == "https" else ("dot",)),
    )
    return replace(spec, repeat_with=_dig_line(spec))


def normal(record_type: str, text: str) -> str:
    """An answer in the one form in which two that mean the same are equal."""
    if record_type in {"A", "AAAA"}:
        return str(ipaddress.ip_address(text))
    if record_type == "TXT":
        return text
    if record_type == "CAA":
        text = text.replace('"', "")
    return " ".join(word.lower().removesuffix(".") or "." for word in text.split())


def _name(written: str, record_type: str) -> str:
    text = written.strip().removeprefix("dns://").removesuffix("/")
    if text == ".":
        return text
    name = parse_host("host", text)
    if not is_numeric(name):
        return name
    if record_type != "PTR":
        raise Refused("host", "{value} is an address, for PTR only", "a name", value=name)
    return ipaddress.ip_address(name.partition("%")[0]).reverse_pointer


def _name_server(written: str) -> NameServer:
    text = written.strip()
    if not text:
        return NameServer()
    scheme, separator, rest = text.partition("://")
    if not separator:
        scheme, rest = "udp", text
    scheme = scheme.lower()
    if scheme == "https":
        return _web_server(text)
    if scheme not in _PORTS:
        raise Refused(
            "resolver",
            "{value} is not a way to ask",
            "udp://, tcp://, tls://, https://",
            value=scheme,
        )
    host, port = split_port(rest.removesuffix("/"))
    return NameServer(
        scheme,
        parse_host("resolver", host),
        parse_port("resolver", port) if port else _PORTS[scheme],
    )


def _web_server(text: str) -> NameServer:
    url = parse_url("resolver", text)
    if url.user or url.password or "?" in url.target:
        raise Refused(
            "resolver", "it holds a user, a password or a query", "an address without them"
        )
    if url.target == "/":
        url = replace(url, target=_USUAL_PATH)
    return NameServer("https", url.host, url.port, url)


def _expected(record_type: str, text: str) -> str:
    """Refused unless an answer of this type can look like that."""
    if record_type == "TXT":
        return _unquoted(text)
    if record_type in {"A", "AAAA"}:
        version = 4 if record_type == "A" else 6
        if not is_numeric(text) or ipaddress.ip_address(text).version != version:
            raise Refused(
                "expected",
                "{value} is not an IPv{version} address",
                "an address such as {example}",
                example=Word("192.0.2.7" if version == 4 else "2001:db8::7"),
                value=text,
                version=version,
            )
    else:
        form, example = _FORMS[record_type]
        if not form.fullmatch(" ".join(text.split())):
            problem, shown = "{value} is no such record", Word(example)
            raise Refused("expected", problem, "as in {example}", value=text, example=shown)
    return normal(record_type, text)


def _unquoted(text: str) -> str:
    """A TXT record without the quotes that a zone file puts around each part of it."""
    if not (text.startswith('"') and text.endswith('"')):
        return text
    return _ESCAPED.sub(r"\1", "".join(_QUOTED.findall(text)))


def _dig_line(spec: DnsSpec) -> str:
    server, line = spec.server, ["dig"]
    if server.host:
        line += ["@" + server.host, "-p", str(server.port)]
    if server.transport == "tcp":
        line.append("+tcp")
    if server.transport == "tls":
        line.append("+tls")
    if server.url is not None:
        line.append("+https=" + server.url.target)
    if server.transport in {"tls", "https"}:
        line += _trust_options(spec.tls, server.host)
    return shlex.join([*line, spec.name, spec.record_type])


def _trust_options(tls: TlsProfile, host: str) -> list[str]:
    options = []
    if tls.verify:
        options.append(f"+tls-ca={tls.ca_file}" if tls.ca_file else "+tls-ca")
        options.append(f"+tls-hostname={host}")
    if tls.client_certificate:
        options.append(f"+tls-certfile={tls.client_certificate}")
        options.append(f"+tls-keyfile={tls.client_key or tls.client_certificate}")
    return options
