"""The tls check: shake hands and read the certificate, nothing else is asked of the server."""

import time
from collections.abc import Callable, Mapping

from uptime_desktop.checks.base import FieldSpec
from uptime_desktop.checks.failure import sentence
from uptime_desktop.checks.look import looked
from uptime_desktop.checks.net.address import host_and_port
from uptime_desktop.checks.net.certificate import Certificate
from uptime_desktop.checks.net.connection import Connection, connect
from uptime_desktop.checks.net.resolver import Resolver
from uptime_desktop.checks.net.starttls import start
from uptime_desktop.checks.net.trust import (
    TlsContext,
    certificates_of,
    context_for,
    days_left,
    known_certificate,
    secure,
)
from uptime_desktop.checks.tls_settings import FIELDS, TlsSpec, parse_tls
from uptime_desktop.checks.trail import Trail, beginning_text
from uptime_desktop.checks.verdict import Verdict
from uptime_desktop.domain.model import Evidence, Outcome, Setting
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words


class TlsKind:
    name: str = "tls"
    label: str = words("TLS certificate")
    fields: tuple[FieldSpec, ...] = FIELDS
    is_passive: bool = False

    def __init__(
        self, resolver: Resolver | None = None, wall_clock_s: Callable[[], float] = time.time
    ) -> None:
        self._resolver = resolver or Resolver()
        self._wall_clock_s = wall_clock_s

    def parse(self, settings: Mapping[str, Setting]) -> TlsSpec:
        return parse_tls(settings)

    def origin(self, spec: TlsSpec) -> str:
        return host_and_port(spec.host, spec.port)

    def describe(self, spec: TlsSpec) -> str:
        return host_and_port(spec.host, spec.port)

    async def check(self, spec: TlsSpec, timeout_s: float) -> Outcome:
        look = _Look(spec, self._wall_clock_s())
        judged = look.judged(self._resolver, timeout_s)
        return await looked(look.trail, judged, look.evidence)


class _Look:
    """One check under way, and what it has seen."""

    __slots__ = ("now_s", "spec", "status_line", "trail", "verdict")

    def __init__(self, spec: TlsSpec, now_s: float) -> None:
        self.spec = spec
        self.now_s = now_s
        self.trail = Trail()
        self.verdict = Verdict()
        self.status_line = ""

    async def judged(self, resolver: Resolver, timeout_s: float) -> tuple[Status, str]:
        trail, spec = self.trail, self.spec
        context = await context_for(spec.profile)
        trail.begin("dns")
        endpoints = await resolver.endpoints(spec.host, spec.port, spec.ip_version)
        trail.begin("connect")
        connection = await connect(endpoints, timeout_s, trail)
        try:
            await self._shake_hands(connection, context)
        finally:
            connection.close()
        chain = await certificates_of(trail.chain or (trail.certificate,))
        return self._weighed(chain[0] if chain else None, connection.tls_version)

    def evidence(self, total_ms: float) -> Evidence:
        trail = self.trail
        known = [known_certificate(der) for der in trail.chain or (trail.certificate,)]
        chain = [certificate for certificate in known if certificate is not None]
        return Evidence(
            trail.timings_ms(total_ms),
            trail.address,
            self.status_line,
            body=_chain_text(chain) if chain else beginning_text(trail.received),
            certificate=chain[0].summary if chain else "",
            repeat_with=self.spec.repeat_with,
            unmet=tuple(self.verdict.unmet),
        )

    async def _shake_hands(self, connection: Connection, context: TlsContext) -> None:
        trail, spec = self.trail, self.spec
        if spec.starttls:
            trail.begin("starttls")
            await self._prepare(connection)
        trail.begin("tls")
        await secure(connection, context, spec.server_name, trail, self.now_s, self._prepare)
        self.verdict.expect_fast(trail.finish(), spec.latency_threshold_ms)
        trail.chain = connection.chain()
        name, _, bits = connection.cipher or ("", "", 0)
        self.status_line = f"{connection.tls_version} {name}, {bits} bits"
        await connection.farewell()

    async def _prepare(self, connection: Connection) -> None:
        if self.spec.starttls:
            await start(connection, self.spec.starttls, self.trail)

    def _weighed(self, own: Certificate | None, version: str) -> tuple[Status, str]:
        spec, verdict = self.spec, self.verdict
        verdict.expect_days(own, spec.certificate_days, self.now_s)
        if own is None:
            verdict.miss(
                sentence("the server's certificate cannot be read"), "certificate", "one", "none"
            )
            return verdict.judged("")
        if spec.fingerprint and own.fingerprint != spec.fingerprint:
            reason = sentence("certificate is not the one with the expected fingerprint")
            verdict.miss(reason, "fingerprint", spec.fingerprint, own.fingerprint)
        return verdict.judged(self._said(own, version))

    def _said(self, own: Certificate, version: str) -> str:
        days, issuer = days_left(own, self.now_s), own.issuer
        if not self.spec.profile.verify:
            return sentence(
                "certificate not verified, until {date}, issued by {issuer}, {version}",
                date=f"{own.valid_until:%Y-%m-%d}",
                issuer=issuer,
                version=version,
            )
        if days < 1:
            return sentence(
                "certificate valid for less than a day, issued by {issuer}, {version}",
                issuer=issuer,
                version=version,
            )
        if days == 1:
            return sentence(
                "certificate valid for 1 more day, issued by {issuer}, {version}",
                issuer=issuer,
                version=version,
            )
        return sentence(
            "certificate valid for {days} more days, issued by {issuer}, {version}",
            days=days,
            issuer=issuer,
            version=version,
        )


def _chain_text(chain: list[Certificate]) -> str:
    whole = "\n\n".join(certificate.details for certificate in chain)
    return beginning_text(whole.encode())
