"""The remote check: ask another server for its monitors and tell the worst of them."""

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from itertools import islice
from typing import Final

from uptime_desktop.checks.base import FieldSpec
from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.http.request import Request
from uptime_desktop.checks.http.transport import Answer, DirectTransport, Transport
from uptime_desktop.checks.look import looked
from uptime_desktop.checks.net.trust import certificate_of, known_certificate
from uptime_desktop.checks.net.workers import WORKERS
from uptime_desktop.checks.redaction import shown_header, shown_url, without
from uptime_desktop.checks.remote.dialect import NotThisServer, RemoteMonitor, SignIn
from uptime_desktop.checks.remote.settings import (
    FIELDS,
    MOST_BODY_BYTES,
    RemoteSpec,
    parse_remote,
)
from uptime_desktop.checks.remote.weighing import chosen, listing, said_of, weigh
from uptime_desktop.checks.trail import Trail, beginning_text
from uptime_desktop.checks.verdict import Verdict
from uptime_desktop.domain.model import Evidence, Outcome, Setting
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS: Final = 3
_KNOWN_CODES: Final = frozenset(HTTPStatus)
_MOST_SHOWN: Final = 60
_MOST_LISTED: Final = 200
# Below this a body is read in less than a millisecond.
_LARGE_BYTES: Final = 65_536


class RemoteKind:
    name: str = "remote"
    label: str = words("Remote server")
    fields: tuple[FieldSpec, ...] = FIELDS
    is_passive: bool = False

    def __init__(self, transport: Transport | None = None) -> None:
        self._transport = transport or DirectTransport()

    def parse(self, settings: Mapping[str, Setting]) -> RemoteSpec:
        return parse_remote(settings)

    def origin(self, spec: RemoteSpec) -> str:
        return spec.url.origin

    def describe(self, spec: RemoteSpec) -> str:
        return shown_url(spec.url.text)

    async def check(self, spec: RemoteSpec, timeout_s: float) -> Outcome:
        look = _Look(spec, self._transport, timeout_s)
        return await looked(look.trail, look.judged(), look.evidence)


class _Look:
    """One check under way, and what it has seen."""

    __slots__ = (
        "_timeout_s",
        "_transport",
        "answer",
        "attempt",
        "monitors",
        "spec",
        "trail",
        "verdict",
    )

    def __init__(self, spec: RemoteSpec, transport: Transport, timeout_s: float) -> None:
        self.spec = spec
        self.trail = Trail()
        self.verdict = Verdict()
        self.attempt = spec.attempts[0]
        self.answer: Answer | None = None
        self.monitors: list[RemoteMonitor] | None = None
        self._transport = transport
        self._timeout_s = timeout_s

    async def judged(self) -> tuple[Status, str]:
        verdict = self.verdict
        try:
            self.monitors, absent = await self._asked()
        except Failed:
            self.trail.finish()
            # Evidence names it however the rest went.
            await certificate_of(self.trail.certificate)
            raise
        total_ms = self.trail.finish()
        await certificate_of(self.trail.certificate)
        status, said = said_of(self.monitors)
        if status is Status.UNKNOWN and not absent:
            return status, said
        weigh(self.monitors, absent, verdict)
        verdict.expect_fast(total_ms, self.spec.latency_threshold_ms)
        return verdict.judged(said)

    async def _asked(self) -> tuple[list[RemoteMonitor], list[str]]:
        """The monitors to look at, and the names of those that should be there."""
        for attempt in self.spec.attempts:
            self.attempt = attempt
            try:
                return await self._read([await self._body(one) for one in attempt.requests])
            except NotThisServer:
                continue
        raise self._not_found()

    async def _read(self, bodies: list[bytes]) -> tuple[list[RemoteMonitor], list[str]]:
        read, spec = self.attempt.dialect.read, self.spec

        def found() -> tuple[list[RemoteMonitor], list[str]]:
            return chosen(read(bodies), spec.only, spec.secrets)

        is_large = sum(map(len, bodies)) >= _LARGE_BYTES
        return await WORKERS.run(found) if is_large else found()

    async def _body(self, request: Request) -> bytes:
        """What a page holds; a redirect is followed only as long as it is the same server."""
        for _ in range(_MOST_REDIRECTS + 1):
            self.answer = None
            await self._transport.exchange(request, self._timeout_s, self.trail, self._begun)
            answer = self._required_answer()
            location = answer.header("location") if answer.code in _REDIRECTS else ""
            if not location:
                self._require_good(answer)
                return bytes(answer.body.decoded)
            request = self._redirected(request, location)
        raise Failed("redirected more than {count} times", count=_MOST_REDIRECTS)

    def _redirected(self, request: Request, location: str) -> Request:
        try:
            url = request.url.joined(location)
        except ValueError:
            url = None
        if url is None or not (url.origin == request.url.origin or url.is_upgrade_of(request.url)):
            target = self._shown(shown_url(location))
            raise Failed("redirected to {target}, another server", target=target)
        headers = tuple(
            (name, url.authority if name == "Host" else value) for name, value in request.headers
        )
        return replace(request, url=replace(url, user="", password=""), headers=headers)

    def _begun(self, answer: Answer) -> None:
        self.answer = answer

    def _required_answer(self) -> Answer:
        if self.answer is None:
            raise Failed("connection closed without an answer")
        return self.answer

    def _require_good(self, answer: Answer) -> None:
        if answer.code in {401, 403}:
            raise self._denied(answer.code)
        if answer.code == 404:
            raise NotThisServer
        if answer.code != 200:
            raise Failed("HTTP {said}", said=f"{answer.code} {_phrase(answer.code)}".strip())
        if answer.body.undecoded:
            how = self._shown(answer.body.undecoded)
            raise Failed("the body is compressed as {how}, unreadable here", how=how)
        if answer.body.is_full:
            raise Failed("the answer is larger than {most} MiB", most=MOST_BODY_BYTES >> 20)

    def _denied(self, code: int) -> Failed:
        spec, wanted = self.spec, self.attempt.dialect.sign_in
        if spec.has_key and (wanted is SignIn.KEY or not spec.has_password):
            return Failed("the API key is not accepted (HTTP {code})", code=code)
        if spec.has_password:
            return Failed("the user name or password is not accepted (HTTP {code})", code=code)
        if wanted is SignIn.KEY_AS_PASSWORD:
            return Failed(
                "the server wants an API key, or user name and password (HTTP {code})", code=code
            )
        return Failed("the server wants a user name and password (HTTP {code})", code=code)

    def _not_found(self) -> Failed:
        attempt = self.attempt
        if len({one.dialect.key for one in self.spec.attempts}) > 1:
            return Failed(
                "no Uptime Kuma or Gatus server answers here; Healthchecks needs an API key"
            )
        return Failed(
            attempt.dialect.absence,
            server=attempt.dialect.title,
            detail=attempt.detail[:_MOST_SHOWN],
        )

    def evidence(self, total_ms: float) -> Evidence:
        answer, secrets, trail = self.answer, self.spec.secrets, self.trail
        certificate = known_certificate(trail.certificate)
        headers = answer.headers if answer is not None else ()
        return Evidence(
            trail.timings_ms(total_ms),
            trail.address,
            self._status_line(answer) if answer is not None else "",
            tuple(shown_header(name, value, secrets) for name, value in headers),
            self._body_text(),
            certificate.summary if certificate else "",
            self.attempt.repeat_with,
            tuple(self.verdict.unmet),
        )

    def _status_line(self, answer: Answer) -> str:
        phrase = self._shown(answer.phrase.strip()) or _phrase(answer.code)
        return f"HTTP/{answer.version} {answer.code} {phrase}".strip()

    def _shown(self, text: str) -> str:
        """Short and without our secrets: the server chose the text."""
        return without(text, self.spec.secrets)[:_MOST_SHOWN]

    def _body_text(self) -> str:
        if self.monitors is not None:
            return beginning_text(listing(islice(self.monitors, _MOST_LISTED)).encode())
        answer = self.answer
        if answer is None:
            return beginning_text(self.trail.received, secrets=self.spec.secrets)
        if answer.body.undecoded or _may_tell_secrets(answer):
            return ""
        return shown_url(beginning_text(answer.body.decoded, secrets=self.spec.secrets))


def _may_tell_secrets(answer: Answer) -> bool:
    """A list that could not be read may name addresses by which anyone can report to a check."""
    return answer.code == 200 and answer.body.decoded.lstrip().startswith((b"{", b"["))


def _phrase(code: int) -> str:
    return HTTPStatus(code).phrase if code in _KNOWN_CODES else ""
