"""The tcp check: connect, and if asked say something and wait for the answer."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, cast

from uptime_desktop.checks.base import FieldSpec, FieldType, parse_fields
from uptime_desktop.checks.common_fields import IP_VERSION, LATENCY
from uptime_desktop.checks.failure import Failed, sentence
from uptime_desktop.checks.look import looked
from uptime_desktop.checks.net.address import host_and_port, parse_host, parse_port, split_port
from uptime_desktop.checks.net.connection import Connection, connect
from uptime_desktop.checks.net.resolver import Resolver
from uptime_desktop.checks.redaction import (
    HIDDEN,
    filled_in,
    looks_secret,
    secrets_in,
    secrets_in_text,
    without,
)
from uptime_desktop.checks.trail import Trail, beginning_text
from uptime_desktop.checks.verdict import Verdict
from uptime_desktop.domain.model import Evidence, Outcome, Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words

_MOST_READ: Final = 65_536
_MOST_SHOWN: Final = 60
_ESCAPE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|(.)|$)", re.DOTALL)
_ESCAPES: Final = {"r": "\r", "n": "\n", "t": "\t", "0": "\0", "\\": "\\"}

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
        "port", FieldType.WHOLE, "the port to connect to", lowest=1, highest=65_535, label="Port"
    ),
    FieldSpec(
        "send",
        FieldType.TEXT,
        r"what to send first; \r \n \t \0 \xNN \\ work",
        is_secret=True,
        label="Send",
    ),
    FieldSpec(
        "expect",
        FieldType.TEXT,
        r"what must come back within 64 KiB; \r \n \t \0 \xNN \\ work",
        highest=4_096,
        label="Expect",
    ),
    LATENCY,
    replace(IP_VERSION, group=""),
)


@dataclass(frozen=True, slots=True)
class TcpSpec:
    """Whom to connect to and what to say. `secrets`, longest first, must not be told."""

    host: str
    port: int
    send: bytes = field(default=b"", repr=False)
    expect: bytes = b""
    expect_written: str = ""
    repeat_with: str = ""
    latency_threshold_ms: int | None = None
    ip_version: str = "any"
    secrets: tuple[str, ...] = field(default=(), repr=False)


class TcpKind:
    name: str = "tcp"
    label: str = words("TCP port")
    fields: tuple[FieldSpec, ...] = FIELDS
    is_passive: bool = False

    def __init__(self, resolver: Resolver | None = None) -> None:
        self._resolver = resolver or Resolver()

    def parse(self, settings: Mapping[str, Setting]) -> TcpSpec:
        values = parse_fields(FIELDS, settings)
        host, port = _host_and_port(cast(str, values["host"]), cast("int | None", values["port"]))
        send, expect = cast(str, values["send"] or ""), cast(str, values["expect"] or "")
        said = _unescaped("send", send)
        return TcpSpec(
            host,
            port,
            said,
            _unescaped("expect", expect),
            expect,
            without(_netcat_line(host, port, send, expect), filled_in(values)),
            cast("int | None", values["latency_threshold"]),
            cast(str, values["ip_version"]),
            _secrets(values, send, said.decode("utf-8", "replace")),
        )

    def origin(self, spec: TcpSpec) -> str:
        return host_and_port(spec.host, spec.port)

    def describe(self, spec: TcpSpec) -> str:
        return host_and_port(spec.host, spec.port)

    async def check(self, spec: TcpSpec, timeout_s: float) -> Outcome:
        trail, verdict = Trail(), Verdict()
        look = self._look(spec, timeout_s, trail, verdict)
        outcome = await looked(
            trail, look, lambda total_ms: _evidence(spec, trail, verdict, total_ms)
        )
        return replace(outcome, reason=without(outcome.reason, spec.secrets))

    async def _look(
        self, spec: TcpSpec, timeout_s: float, trail: Trail, verdict: Verdict
    ) -> tuple[Status, str]:
        trail.begin("dns")
        endpoints = await self._resolver.endpoints(spec.host, spec.port, spec.ip_version)
        trail.begin("connect")
        connection = await connect(endpoints, timeout_s, trail)
        try:
            if spec.send or spec.expect:
                trail.begin("first_byte")
                await connection.send(spec.send)
            if spec.expect:
                await _expect(connection, spec, trail)
        finally:
            connection.close()
        verdict.expect_fast(trail.finish(), spec.latency_threshold_ms)
        return verdict.judged(sentence("connected to {address}", address=trail.addresses[-1]))


async def _expect(connection: Connection, spec: TcpSpec, trail: Trail) -> None:
    expected = spec.expect_written[:_MOST_SHOWN]
    while spec.expect not in trail.received:
        if len(trail.received) >= _MOST_READ:
            raise Failed("'{expected}' is not in the first 64 KiB", expected=expected)
        data = await connection.receive()
        trail.begin(None)
        if not data:
            raise Failed("connection closed before '{expected}' came", expected=expected)
        trail.received += data


def _evidence(spec: TcpSpec, trail: Trail, verdict: Verdict, total_ms: float) -> Evidence:
    return Evidence(
        trail.timings_ms(total_ms),
        trail.address,
        body=beginning_text(trail.received, secrets=spec.secrets),
        repeat_with=spec.repeat_with,
        unmet=tuple(verdict.unmet),
    )


def _host_and_port(written: str, port: int | None) -> tuple[str, int]:
    """The port may stand with the host, as in `tcp://db.example:5432`."""
    text = written.strip().removeprefix("tcp://").removesuffix("/")
    host_text, port_text = split_port(text)
    host = parse_host("host", host_text)
    if port_text and port is not None:
        raise Refused("port", "it is given twice", "in host or in port")
    if port_text:
        return host, parse_port("port", port_text)
    if port is None:
        raise Refused("port", "it is missing", "1 to 65535")
    return host, port


def _unescaped(field: str, text: str) -> bytes:
    """The bytes meant: text in UTF-8, and any byte as an escape."""
    found = bytearray()
    at = 0
    for match in _ESCAPE.finditer(text):
        found += text[at : match.start()].encode("utf-8", "replace")
        at = match.end()
        if match[1]:
            found.append(int(match[1], 16))
        elif match[2] in _ESCAPES:
            found += _ESCAPES[match[2]].encode()
        else:
            raise Refused(field, "{value} is no escape", r"\r \n \t \0 \xNN \\", value=match[0])
    return bytes(found + text[at:].encode("utf-8", "replace"))


def _secrets(values: Mapping[str, Setting | None], *said: str) -> tuple[str, ...]:
    found = {secret for text in said for secret in _secrets_said(text)}
    return secrets_in((), *found, *filled_in(values))


def _secrets_said(text: str) -> set[str]:
    """What must not be kept of an answer that repeats what we said, whole, a line or a word."""
    found = secrets_in_text(text)
    for line in text.splitlines():
        # As in `AUTH password` and `PASS password`.
        words_said = line.split()
        if looks_secret(line):
            found |= {line, *words_said[-1:]} if len(words_said) > 1 else {line}
    return found


def _netcat_line(host: str, port: int, send: str, expect: str) -> str:
    if not send:
        options = ["-v"] if expect else ["-v", "-z"]
        return shlex.join(["nc", *options, host, str(port)])
    said = HIDDEN if looks_secret(send) else send
    return f"printf %b {shlex.quote(said)} | " + shlex.join(["nc", "-v", host, str(port)])
