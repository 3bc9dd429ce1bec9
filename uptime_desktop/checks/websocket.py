"""The websocket check: upgrade, talk a little, and take leave."""

import importlib
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from uptime_desktop.checks.base import FieldSpec
from uptime_desktop.checks.failure import Failed, sentence
from uptime_desktop.checks.look import looked
from uptime_desktop.checks.net.address import host_and_port
from uptime_desktop.checks.net.connection import Connection, connect
from uptime_desktop.checks.net.resolver import Resolver
from uptime_desktop.checks.net.trust import certificate_of, context_for, known_certificate, secure
from uptime_desktop.checks.net.workers import WORKERS
from uptime_desktop.checks.redaction import shown_header, shown_url, without
from uptime_desktop.checks.trail import Trail, beginning_text
from uptime_desktop.checks.verdict import Verdict
from uptime_desktop.checks.websocket_session import MOST_MESSAGE_BYTES, Session
from uptime_desktop.checks.websocket_settings import FIELDS, WebSocketSpec, parse_websocket
from uptime_desktop.checks.websocket_upgrade import Answer, upgrade
from uptime_desktop.domain.model import Evidence, Outcome, Setting
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words

if TYPE_CHECKING:
    from websockets.client import ClientProtocol

_LIBRARY: Final = "websockets.client"
_MOST_MESSAGES: Final = 16
_MOST_SHOWN: Final = 60


class WebSocketKind:
    name: str = "websocket"
    label: str = words("WebSocket")
    fields: tuple[FieldSpec, ...] = FIELDS
    is_passive: bool = False

    def __init__(
        self, resolver: Resolver | None = None, wall_clock_s: Callable[[], float] = time.time
    ) -> None:
        self._resolver = resolver or Resolver()
        self._wall_clock_s = wall_clock_s

    def parse(self, settings: Mapping[str, Setting]) -> WebSocketSpec:
        return parse_websocket(settings)

    def origin(self, spec: WebSocketSpec) -> str:
        return host_and_port(spec.url.host, spec.url.port)

    def describe(self, spec: WebSocketSpec) -> str:
        return shown_url(spec.text)

    async def check(self, spec: WebSocketSpec, timeout_s: float) -> Outcome:
        look = _Look(spec, self._wall_clock_s())
        judged = look.judged(self._resolver, timeout_s)
        outcome = await looked(look.trail, judged, look.evidence)
        # Whatever words of the server's are in it may hold what we sent.
        return replace(outcome, reason=without(outcome.reason, spec.secrets))


class _Look:
    """One check under way, and what it has seen."""

    __slots__ = ("answer", "messages", "now_s", "spec", "trail", "verdict")

    def __init__(self, spec: WebSocketSpec, now_s: float) -> None:
        self.spec = spec
        self.now_s = now_s
        self.trail = Trail()
        self.verdict = Verdict()
        self.answer = Answer()
        self.messages: list[bytes] = []

    async def judged(self, resolver: Resolver, timeout_s: float) -> tuple[Status, str]:
        trail, spec, url = self.trail, self.spec, self.spec.url
        context = await context_for(spec.profile) if url.is_tls else None
        await _load()
        trail.begin("dns")
        endpoints = await resolver.endpoints(url.host, url.port, spec.ip_version)
        trail.begin("connect")
        connection = await connect(endpoints, timeout_s, trail)
        try:
            if context is not None:
                trail.begin("tls")
                await secure(connection, context, url.server_name, trail, self.now_s)
            trail.begin("first_byte")
            said = await self._converse(connection)
        finally:
            connection.close()
        self.verdict.expect_fast(trail.finish(), spec.latency_threshold_ms)
        certificate = await certificate_of(trail.certificate)
        self.verdict.expect_days(certificate, spec.certificate_days, self.now_s)
        return self.verdict.judged(said)

    def evidence(self, total_ms: float) -> Evidence:
        trail, answer, secrets = self.trail, self.answer, self.spec.secrets
        certificate = known_certificate(trail.certificate)
        body = b"\n".join(self.messages) or answer.body
        if not answer.status_line:
            body = trail.received
        return Evidence(
            trail.timings_ms(total_ms),
            trail.address,
            without(answer.status_line, secrets),
            tuple(shown_header(name, value, secrets) for name, value in answer.headers),
            beginning_text(body, secrets=secrets),
            certificate.summary if certificate else "",
            self.spec.repeat_with,
            tuple(self.verdict.unmet),
        )

    async def _converse(self, connection: Connection) -> str:
        """What is said where all is well."""
        spec = self.spec
        protocol = _protocol(spec)
        rest = await upgrade(connection, protocol, spec.request, self.trail, self.answer)
        session = Session(connection, protocol, rest)
        if not self._is_agreed(protocol):
            await session.close()
            return ""
        if spec.send:
            await session.send(spec.send)
        if spec.expect:
            said = sentence("'{expected}' came back", expected=spec.expect[:_MOST_SHOWN])
            await self._expect(session)
        else:
            said = sentence("open, and the ping was answered")
            await session.ping()
        self.trail.finish()
        await session.close()
        return said

    def _is_agreed(self, protocol: "ClientProtocol") -> bool:
        """Whether the server took one of our subprotocols, if it had to."""
        error, chosen = protocol.handshake_exc, self.answer.header("sec-websocket-protocol")
        if error is None and (protocol.subprotocol or not self.spec.subprotocols):
            return True
        if error is not None and not _is_about_subprotocol(error, self.answer):
            raise _not_switched(error)
        offered = ", ".join(self.spec.subprotocols) or "none"
        if chosen:
            reason = sentence(
                "the server chose the subprotocol {chosen}, which was not offered",
                chosen=chosen[:_MOST_SHOWN],
            )
        else:
            reason = sentence("the server chose no subprotocol of {offered}", offered=offered)
        self.verdict.miss(reason, "subprotocol", offered, chosen or "none")
        return False

    async def _expect(self, session: Session) -> None:
        expected = self.spec.expect.encode("utf-8", "replace")
        spent = 0
        while len(self.messages) < _MOST_MESSAGES and spent < MOST_MESSAGE_BYTES:
            message = await session.message()
            self.messages.append(message)
            spent += len(message)
            if expected in message:
                return
        shown = self.spec.expect[:_MOST_SHOWN]
        reason = sentence(
            "'{expected}' is in none of the first {count} messages",
            expected=shown,
            count=len(self.messages),
        )
        last = beginning_text(self.messages[-1], secrets=self.spec.secrets)
        self.verdict.miss(reason, "message", self.spec.expect, last)


async def _load() -> None:
    """The library takes 20 ms: at first use, and then not on the loop."""
    if _LIBRARY not in sys.modules:
        await WORKERS.run(lambda: importlib.import_module(_LIBRARY))


def _protocol(spec: WebSocketSpec) -> "ClientProtocol":
    from websockets.client import ClientProtocol  # noqa: PLC0415
    from websockets.typing import Subprotocol  # noqa: PLC0415
    from websockets.uri import WebSocketURI  # noqa: PLC0415

    url = spec.url
    return ClientProtocol(
        WebSocketURI(url.is_tls, url.host, url.port, url.target, ""),
        subprotocols=[Subprotocol(name) for name in spec.subprotocols],
        max_size=MOST_MESSAGE_BYTES,
    )


def _is_about_subprotocol(error: Exception, answer: Answer) -> bool:
    from websockets.exceptions import InvalidHeader, NegotiationError  # noqa: PLC0415

    if isinstance(error, InvalidHeader):
        return error.name.lower() == "sec-websocket-protocol"
    return isinstance(error, NegotiationError) and not answer.header("sec-websocket-extensions")


def _not_switched(error: Exception) -> Failed:
    from websockets.exceptions import (  # noqa: PLC0415
        InvalidHeader,
        InvalidUpgrade,
        NegotiationError,
    )

    if isinstance(error, InvalidUpgrade):
        return Failed("the server agrees to switch, but not to WebSocket")
    if isinstance(error, InvalidHeader) and error.name.lower() == "sec-websocket-accept":
        return Failed("the server's Sec-WebSocket-Accept does not answer our key")
    if isinstance(error, NegotiationError):
        return Failed("the server uses extensions that were not offered")
    return Failed("the server's answer to the upgrade is malformed")
