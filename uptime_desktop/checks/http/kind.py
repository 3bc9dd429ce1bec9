"""The http check: request an address, follow where it leads, judge what comes back."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Final

from uptime_desktop.checks.base import FieldSpec, leave_evidence
from uptime_desktop.checks.failure import Failed, sentence
from uptime_desktop.checks.http.body import charset_of
from uptime_desktop.checks.http.request import Request
from uptime_desktop.checks.http.settings import FIELDS, MOST_REDIRECTS, HttpSpec, parse_http
from uptime_desktop.checks.http.transport import Answer, DirectTransport, Transport
from uptime_desktop.checks.net.certificate import Certificate
from uptime_desktop.checks.net.trust import certificate_of, known_certificate
from uptime_desktop.checks.redaction import is_secret_name, shown_header, shown_url, without
from uptime_desktop.checks.trail import Trail, beginning_text
from uptime_desktop.domain.model import Evidence, Outcome, Setting
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import duration_text, words

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_KNOWN_CODES: Final = frozenset(HTTPStatus)
_MOST_SHOWN: Final = 60


class HttpKind:
    name: str = "http"
    label: str = words("Web address (HTTP)")
    fields: tuple[FieldSpec, ...] = FIELDS
    is_passive: bool = False

    def __init__(self, transport: Transport | None = None) -> None:
        self._transport = transport or DirectTransport()

    def parse(self, settings: Mapping[str, Setting]) -> HttpSpec:
        return parse_http(settings)

    def origin(self, spec: HttpSpec) -> str:
        return spec.request.url.origin

    def describe(self, spec: HttpSpec) -> str:
        return shown_url(spec.request.url.text)

    async def check(self, spec: HttpSpec, timeout_s: float) -> Outcome:
        look = _Look(spec)
        try:
            await look.follow(self._transport, timeout_s)
            status, reason = look.judged()
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


class _Look:
    """One check under way, and what it has seen."""

    __slots__ = ("answer", "spec", "total_ms", "trail")

    def __init__(self, spec: HttpSpec) -> None:
        self.spec = spec
        self.trail = Trail()
        self.answer: Answer | None = None
        self.total_ms = 0.0

    async def follow(self, transport: Transport, timeout_s: float) -> None:
        """Request, and go on to where a redirect leads."""
        request = self.spec.request
        for _ in range(MOST_REDIRECTS + 1):
            self.answer = None
            await transport.exchange(request, timeout_s, self.trail, self._begun)
            following = self._redirected(request) if self.spec.follow_redirects else None
            if following is None:
                self.finish()
                return
            request = following
        raise Failed("redirected more than {count} times", count=MOST_REDIRECTS)

    def finish(self) -> None:
        self.total_ms = self.trail.finish()

    def judged(self) -> tuple[Status, str]:
        answer, spec = self.answer, self.spec
        if answer is None:
            raise Failed("connection closed without an answer")
        said = without(f"HTTP {answer.code} {_phrase(answer)}".strip(), spec.secrets)
        if not spec.accepts(answer.code):
            return Status.DOWN, said
        if spec.keyword or spec.keyword_absent:
            _require_keywords(spec, answer)
        threshold_ms = spec.latency_threshold_ms
        if threshold_ms is not None and self.total_ms > threshold_ms:
            took, limit = duration_text(round(self.total_ms)), duration_text(threshold_ms)
            return Status.DEGRADED, sentence(
                "took {took}, more than {limit}", took=took, limit=limit
            )
        return Status.UP, said

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
        )

    def _begun(self, answer: Answer) -> None:
        self.answer = answer

    def _redirected(self, request: Request) -> Request | None:
        answer = self.answer
        if answer is None or answer.code not in _REDIRECTS:
            return None
        location = answer.header("location")
        return redirected(request, answer.code, location) if location else None


def redirected(request: Request, code: int, location: str) -> Request:
    """The request that follows a redirect; secrets go to the same server only."""
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
        elif is_same or is_upgrade or not is_secret_name(name):
            headers.append((name, value))
    return replace(
        request,
        url=url,
        method="GET" if becomes_get and request.method != "HEAD" else request.method,
        body=b"" if becomes_get else request.body,
        headers=tuple(headers),
    )


def _require_keywords(spec: HttpSpec, answer: Answer) -> None:
    if answer.body.undecoded:
        raise Failed("the body is compressed as {how}, unreadable here", how=answer.body.undecoded)
    text = answer.body.decoded.decode(charset_of(answer.header("content-type")), "replace")
    if spec.keyword and spec.keyword not in text:
        raise Failed("keyword '{keyword}' not found", keyword=spec.keyword[:_MOST_SHOWN])
    if spec.keyword_absent and spec.keyword_absent in text:
        raise Failed(
            "keyword '{keyword}' found, which must be absent",
            keyword=spec.keyword_absent[:_MOST_SHOWN],
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
