"""The grpc check: ask a server, or one of its services, by the standard health protocol."""

import re
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Final

from uptime_desktop.checks.base import FieldSpec
from uptime_desktop.checks.failure import Failed, sentence
from uptime_desktop.checks.grpc_health import (
    MOST_ANSWER_BYTES,
    Health,
    health_in,
    said_in,
    status_name,
)
from uptime_desktop.checks.grpc_settings import FIELDS, GrpcSpec, parse_grpc
from uptime_desktop.checks.look import looked
from uptime_desktop.checks.net.address import host_and_port
from uptime_desktop.checks.net.connection import connect
from uptime_desktop.checks.net.http2 import ALPN, Exchange, StreamAnswer
from uptime_desktop.checks.net.resolver import Resolver
from uptime_desktop.checks.net.trust import (
    certificate_of,
    context_for,
    known_certificate,
    secure,
)
from uptime_desktop.checks.redaction import shown_header, without
from uptime_desktop.checks.trail import Trail, beginning_text
from uptime_desktop.checks.verdict import Verdict
from uptime_desktop.domain.model import Evidence, Outcome, Setting
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words

_KNOWN_CODES: Final = frozenset(HTTPStatus)
_MOST_SHOWN: Final = 200
_MOST_TYPE_SHOWN: Final = 60
_STATUS: Final = re.compile(r"[0-9]{1,9}")
_UNPRINTABLE: Final = re.compile(r"[^\x20-\x7e\xa0-\uffff\U00010000-\U0010ffff]+")
_REASONS: Final = {
    "PERMISSION_DENIED": words("the server denies access to its health"),
    "UNAUTHENTICATED": words("the server wants to know who asks"),
    "UNIMPLEMENTED": words("the server has no health service"),
}


class GrpcKind:
    name: str = "grpc"
    label: str = words("gRPC health")
    fields: tuple[FieldSpec, ...] = FIELDS
    is_passive: bool = False

    def __init__(
        self, resolver: Resolver | None = None, wall_clock_s: Callable[[], float] = time.time
    ) -> None:
        self._resolver = resolver or Resolver()
        self._wall_clock_s = wall_clock_s

    def parse(self, settings: Mapping[str, Setting]) -> GrpcSpec:
        return parse_grpc(settings)

    def origin(self, spec: GrpcSpec) -> str:
        return host_and_port(spec.host, spec.port)

    def describe(self, spec: GrpcSpec) -> str:
        scheme = "grpc" if spec.tls is None else "grpcs"
        return f"{scheme}://{host_and_port(spec.host, spec.port)}/{spec.service}".removesuffix("/")

    async def check(self, spec: GrpcSpec, timeout_s: float) -> Outcome:
        look = _Look(spec)
        judged = look.judged(self._resolver, self._wall_clock_s, timeout_s)
        return await looked(look.trail, judged, look.evidence)


class _Look:
    """One check under way, and what it has seen."""

    __slots__ = ("answer", "health", "spec", "trail", "verdict")

    def __init__(self, spec: GrpcSpec) -> None:
        self.spec = spec
        self.trail = Trail()
        self.verdict = Verdict()
        self.answer = StreamAnswer()
        self.health = ""

    async def judged(
        self, resolver: Resolver, wall_clock_s: Callable[[], float], timeout_s: float
    ) -> tuple[Status, str]:
        verdict, spec = self.verdict, self.spec
        try:
            await self._ask(resolver, wall_clock_s, timeout_s)
        except Failed:
            self.trail.finish()
            # Evidence names it however the rest went.
            await certificate_of(self.trail.certificate)
            raise
        total_ms = self.trail.finish()
        certificate = await certificate_of(self.trail.certificate)
        self._require_healthy()
        verdict.expect_fast(total_ms, spec.latency_threshold_ms)
        verdict.expect_days(certificate, spec.certificate_days, wall_clock_s())
        return verdict.judged(sentence("serving"))

    async def _ask(
        self, resolver: Resolver, wall_clock_s: Callable[[], float], timeout_s: float
    ) -> None:
        trail, spec = self.trail, self.spec
        context = await context_for(spec.tls) if spec.tls is not None else None
        trail.begin("dns")
        endpoints = await resolver.endpoints(spec.host, spec.port, spec.ip_version)
        trail.begin("connect")
        connection = await connect(endpoints, timeout_s, trail)
        try:
            if context is not None:
                trail.begin("tls")
                await secure(connection, context, spec.server_name, trail, wall_clock_s())
                if connection.protocol != ALPN:
                    raise Failed("the server does not offer HTTP/2")
            trail.begin("first_byte")
            exchange = Exchange(trail, self.answer, MOST_ANSWER_BYTES, spec.secrets)
            await exchange.run(connection, spec.headers, spec.message)
        finally:
            connection.close()

    def _require_healthy(self) -> None:
        answer, miss = self.answer, self.verdict.miss
        kind = _value(answer.headers, "content-type") or ""
        status = self._status()
        if answer.code != 200:
            miss(_http_words(answer.code), "status", "200", str(answer.code))
        elif status is None and not kind.startswith("application/grpc"):
            shown = self._tame(kind, _MOST_TYPE_SHOWN) or "no type"
            reason = sentence("the server answers with {kind}, not with gRPC", kind=shown)
            miss(reason, "content-type", "application/grpc", shown)
        elif status is None:
            miss(sentence("the answer ends without a gRPC status"), "grpc-status", "0 OK", "none")
        elif status:
            miss(self._ended_badly(status), "grpc-status", "0 OK", _named(status))
        else:
            self._require_serving()

    def _require_serving(self) -> None:
        health = health_in(bytes(self.answer.body))
        self.health = health.name if isinstance(health, Health) else str(health)
        match health:
            case Health.SERVING:
                return
            case Health.NOT_SERVING:
                reason = sentence("not serving")
            case Health.SERVICE_UNKNOWN:
                reason = self._not_known()
            case Health.UNKNOWN:
                reason = sentence("the server does not know the health of the service")
            case number:
                reason = sentence("the server answers with health {number}", number=number)
        self.verdict.miss(reason, "health", Health.SERVING.name, self.health)

    def _status(self) -> int | None:
        """The number a call ends with; an answer of headers only has it there."""
        ended = self.answer.trailers or self.answer.headers
        written = _value(ended, "grpc-status")
        if written is None:
            return None
        if not _STATUS.fullmatch(written):
            raise Failed(
                "the gRPC status '{value}' is not a number",
                value=self._tame(written, _MOST_TYPE_SHOWN),
            )
        return int(written)

    def _ended_badly(self, status: int) -> str:
        name = status_name(status)
        if name == "NOT_FOUND":
            reason = self._not_known()
        else:
            reason = sentence(_REASONS.get(name, "gRPC status {status}"), status=_named(status))
        ended = self.answer.trailers or self.answer.headers
        said = self._tame(said_in(_value(ended, "grpc-message") or ""), _MOST_SHOWN)
        return f"{reason}: {said}" if said else reason

    def _not_known(self) -> str:
        if not self.spec.service:
            return sentence("the server tells no health of its own, only of its services")
        return sentence("the server knows no service '{service}'", service=self.spec.service)

    def evidence(self, total_ms: float) -> Evidence:
        spec, answer, trail = self.spec, self.answer, self.trail
        certificate = known_certificate(trail.certificate)
        return Evidence(
            trail.timings_ms(total_ms),
            trail.address,
            self._status_line(),
            tuple(self._header(*header) for header in (*answer.headers, *answer.trailers)),
            self.health or beginning_text(answer.body or trail.received, secrets=spec.secrets),
            certificate.summary if certificate else "",
            spec.repeat_with,
            tuple(self.verdict.unmet),
        )

    def _status_line(self) -> str:
        answer = self.answer
        status = _value(answer.trailers or answer.headers, "grpc-status")
        if not answer.code or status is None:
            return f"HTTP/2 {answer.code}" if answer.code else ""
        is_number = _STATUS.fullmatch(status)
        shown = _named(int(status)) if is_number else self._tame(status, _MOST_TYPE_SHOWN)
        return f"HTTP/2 {answer.code}, grpc-status {shown}"

    def _header(self, name: str, value: str) -> tuple[str, str]:
        if name == "grpc-message":
            value = said_in(value)
        return shown_header(name, value, self.spec.secrets)

    def _tame(self, text: str, most: int) -> str:
        """On one line, short and without our secrets: the server chose the text."""
        text = _UNPRINTABLE.sub(" ", without(text, self.spec.secrets)).strip()
        return text if len(text) <= most else text[:most] + "…"


def _value(headers: list[tuple[str, str]], name: str) -> str | None:
    return next((value for key, value in headers if key == name), None)


def _named(status: int) -> str:
    return f"{status} {status_name(status)}"


def _http_words(code: int) -> str:
    phrase = HTTPStatus(code).phrase if code in _KNOWN_CODES else ""
    return f"HTTP {code} {phrase}".strip()
