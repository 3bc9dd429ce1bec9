"""The http check: request an address, follow where it leads, judge what comes back."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Final

from uptime_desktop.checks.base import FieldSpec, leave_evidence
from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.http.assertions import Miss, Page, missed, shown_part
from uptime_desktop.checks.http.body import charset_of
from uptime_desktop.checks.http.fields import FIELDS
from uptime_desktop.checks.http.request import Request
from uptime_desktop.checks.http.routed import RoutedTransport
from uptime_desktop.checks.http.settings import MOST_REDIRECTS, HttpSpec, parse_http
from uptime_desktop.checks.http.transport import Answer, DirectTransport, Transport
from uptime_desktop.checks.net.certificate import Certificate
from uptime_desktop.checks.net.resolver import Resolver
from uptime_desktop.checks.net.trust import certificate_of, known_certificate
from uptime_desktop.checks.net.workers import WORKERS
from uptime_desktop.checks.redaction import shown_header, shown_url, without
from uptime_desktop.checks.trail import Trail, beginning_text
from uptime_desktop.checks.verdict import Verdict
from uptime_desktop.domain.model import Evidence, Outcome, Setting
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_KNOWN_CODES: Final = frozenset(HTTPStatus)
_MOST_SHOWN: Final = 60
# What can be searched and decoded here and now; a longer page goes to a thread.
_SHORT_BYTES: Final = 8_192


class HttpKind:
    name: str = "http"
    label: str = words("Web address (HTTP)")
    fields: tuple[FieldSpec, ...] = FIELDS
    is_passive: bool = False

    def __init__(
        self,
        transport: Transport | None = None,
        routed: Transport | None = None,
        wall_clock_s: Callable[[], float] = time.time,
    ) -> None:
        resolver = Resolver()
        self._direct = transport or DirectTransport(resolver)
        self._routed = routed or RoutedTransport(resolver)
        self._wall_clock_s = wall_clock_s

    def parse(self, settings: Mapping[str, Setting]) -> HttpSpec:
        return parse_http(settings)

    def origin(self, spec: HttpSpec) -> str:
        return spec.request.url.origin

    def describe(self, spec: HttpSpec) -> str:
        return shown_url(spec.request.url.text)

    async def check(self, spec: HttpSpec, timeout_s: float) -> Outcome:
        look = _Look(spec)
        try:
            await look.follow(self._way, timeout_s)
            status, reason = await look.judged(self._wall_clock_s)
        except Failed as failed:
            look.finish()
            status, reason = failed.status, without(failed.reason, spec.secrets)
        except asyncio.CancelledError as stop:
            look.finish()
            leave_evidence(stop, look.evidence(known_certificate(look.trail.certificate)))
            raise
        response_ms = look.total_ms if look.answer else None
        certificate = await certificate_of(look.trail.certificate)
        return Outcome(status, reason, response_ms, evidence=look.evidence(certificate))

    def _way(self, request: Request) -> Transport:
        return self._direct if request.is_direct else self._routed


class _Look:
    """One check under way, and what it has seen."""

    __slots__ = ("answer", "spec", "total_ms", "trail", "verdict")

    def __init__(self, spec: HttpSpec) -> None:
        self.spec = spec
        self.trail = Trail()
        self.verdict = Verdict()
        self.answer: Answer | None = None
        self.total_ms = 0.0

    async def follow(self, way: Callable[[Request], Transport], timeout_s: float) -> None:
        """Request, and go on to where a redirect leads."""
        request = self.spec.request
        for _ in range(MOST_REDIRECTS + 1):
            self.answer = None
            await way(request).exchange(request, timeout_s, self.trail, self._begun)
            following = self._redirected(request) if self.spec.follow_redirects else None
            if following is None:
                self.finish()
                return
            request = following
        raise Failed("redirected more than {count} times", count=MOST_REDIRECTS)

    def finish(self) -> None:
        self.total_ms = self.trail.finish()

    async def judged(self, wall_clock_s: Callable[[], float]) -> tuple[Status, str]:
        """Every expectation is looked at, so that all that is wrong is told at once."""
        answer, spec, verdict = self.answer, self.spec, self.verdict
        if answer is None:
            raise Failed("connection closed without an answer")
        said = without(f"HTTP {answer.code} {_phrase(answer)}".strip(), spec.secrets)
        if not spec.accepts(answer.code):
            verdict.miss(said, "status", spec.accepted_text, str(answer.code))
        if spec.expected.are_any:
            for miss in await self._misses(answer):
                verdict.miss(*miss)
        if spec.certificate_days and self.trail.certificate:
            certificate = await certificate_of(self.trail.certificate)
            verdict.expect_days(certificate, spec.certificate_days, wall_clock_s())
        verdict.expect_fast(self.total_ms, spec.latency_threshold_ms)
        return verdict.judged(said)

    async def _misses(self, answer: Answer) -> list[Miss]:
        body = answer.body
        page = Page(
            answer.headers,
            body.decoded,
            charset_of(answer.header("content-type")),
            body.undecoded,
            body.is_full,
        )
        shown = partial(shown_part, secrets=self.spec.secrets)
        if page.size <= _SHORT_BYTES:
            return missed(self.spec.expected, page, shown)
        return await WORKERS.run(partial(missed, self.spec.expected, page, shown))

    def evidence(self, certificate: Certificate | None) -> Evidence:
        answer, secrets = self.answer, self.spec.secrets
        return Evidence(
            self.trail.timings_ms(self.total_ms),
            self.trail.address,
            "" if answer is None else without(_status_line(answer), secrets),
            ()
            if answer is None
            else tuple(shown_header(name, value, secrets) for name, value in answer.headers),
            _body_text(answer, self.trail, secrets),
            certificate.summary if certificate else "",
            self.spec.repeat_with,
            tuple(self.verdict.unmet),
        )

    def _begun(self, answer: Answer) -> None:
        self.answer = answer

    def _redirected(self, request: Request) -> Request | None:
        answer = self.answer
        if answer is None or answer.code not in _REDIRECTS:
            return None
        location = answer.header("location")
        if not location:
            return None
        return redirected(request, answer.code, location, self.spec.secrets)


def redirected(
    request: Request, code: int, location: str, secrets: tuple[str, ...] = ()
) -> Request:
    """The request that follows a redirect; headers with secrets go to the same server only."""
    try:
        url = replace(request.url.joined(location), user="", password="")
    except ValueError:
        target = shown_url(location)[:_MOST_SHOWN]
        raise Failed("redirected to {target}, not a web address", target=target) from None
    becomes_get = code == 303 or (code in {301, 302} and request.method == "POST")
    is_same = url.origin == request.url.origin
    is_upgrade = url.is_upgrade_of(request.url)
    headers = [("Host", url.authority)]
    for name, value in request.headers:
        lower = name.lower()
        if lower == "host":
            if is_same:
                headers[0] = (name, value)
        elif becomes_get and lower.startswith("content-"):
            continue
        elif is_same or is_upgrade or shown_header(name, value, secrets) == (name, value):
            headers.append((name, value))
    return replace(
        request,
        url=url,
        method="GET" if becomes_get and request.method != "HEAD" else request.method,
        body=b"" if becomes_get else request.body,
        headers=tuple(headers),
    )


def _phrase(answer: Answer) -> str:
    """The server's own words, or the usual ones where it says none."""
    if answer.phrase.strip():
        return answer.phrase.strip()[:_MOST_SHOWN]
    return HTTPStatus(answer.code).phrase if answer.code in _KNOWN_CODES else ""


def _status_line(answer: Answer) -> str:
    return f"HTTP/{answer.version} {answer.code} {_phrase(answer)}".strip()


def _body_text(answer: Answer | None, trail: Trail, secrets: tuple[str, ...]) -> str:
    if answer is None:
        return beginning_text(trail.received, secrets=secrets)
    if answer.body.undecoded:
        return ""
    return beginning_text(answer.body.decoded, charset_of(answer.header("content-type")), secrets)
