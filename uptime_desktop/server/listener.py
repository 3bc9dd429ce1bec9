"""The heartbeat listener: hears the pings of jobs, over HTTP.

It is told which monitors there are and says which of them was pinged; what a ping means for a
monitor is not its affair.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from uptime_desktop.domain.heartbeats import Ping
from uptime_desktop.domain.refusal import Decided, UserError
from uptime_desktop.domain.wording import Say, Sentence
from uptime_desktop.server.addresses import Address, AddressBook
from uptime_desktop.server.connections import SERVER, Connection, Door
from uptime_desktop.server.limits import Limits
from uptime_desktop.server.pings import (
    BODY_LIMIT,
    Answer,
    ByEndpoint,
    ById,
    BySlug,
    Dialect,
    Report,
    Verdict,
    answer,
    body_text,
    read_request,
)

__all__ = ["Address", "AddressBook", "CannotListen", "Listener"]

_PINGS_PER_MINUTE: Final = 60
_MISTAKES_PER_MINUTE: Final = 60
_MOST_TOKENS: Final = 65_536
_MOST_NEIGHBOURS: Final = 4_096
_MOST_BODY: Final = 1024 * 1024
_CLOSING_S: Final = 0.5
_HEADERS: Final = {
    Dialect.HEALTHCHECKS: {
        "Content-Type": "text/plain; charset=utf-8",
        "Access-Control-Allow-Origin": "*",
        "Ping-Body-Limit": str(BODY_LIMIT),
    },
    Dialect.KUMA: {"Content-Type": "application/json; charset=utf-8"},
    Dialect.GATUS: {"Content-Type": "text/plain; charset=utf-8"},
}
_ALL_HEADERS: Final = {"Server": SERVER, "Cache-Control": "no-cache, no-store"}

_log = logging.getLogger(__name__)


class CannotListen(UserError):
    """The address cannot be had."""

    def __init__(self, host: str, port: int, problem: str) -> None:
        self.sentence = Sentence(
            "pings cannot be received on {host} port {port}: {problem}; choose another address",
            host=host,
            port=port,
            problem=problem,
        )
        super().__init__(self.sentence)

    def text(self, say: Say = str) -> str:
        return self.sentence.text(say)


class Listener:
    """Hears pings for the monitors it knows, within limits, until it is closed."""

    def __init__(
        self,
        hear: Callable[[tuple[str, str], Ping], None],
        create: Callable[[str], Awaitable[Address]],
        wall: Callable[[], int],
        monotonic: Callable[[], float],
    ) -> None:
        """`hear` is told the monitor and its ping, `create` makes a monitor for a new slug.

        `wall` is in milliseconds, `monotonic` in seconds.
        """
        self._hear = hear
        self._create = create
        self._wall = wall
        self._monotonic = monotonic
        self._book = AddressBook()
        self._creating: dict[str, asyncio.Task[Address]] = {}
        self._pings = Limits(_PINGS_PER_MINUTE, _MOST_TOKENS)
        self._mistakes = Limits(_MISTAKES_PER_MINUTE, _MOST_NEIGHBOURS)
        self._door: Door | None = None
        self._runner: web.ServerRunner | None = None

    def use(self, book: AddressBook) -> None:
        """These are all there are from now on."""
        self._book = book

    async def start(self, host: str, port: int) -> int:
        """Listen, and tell on which port."""
        door = Door(self._handle, self._monotonic)
        runner = web.ServerRunner(door, shutdown_timeout=_CLOSING_S)
        await runner.setup()
        try:
            await web.TCPSite(runner, host, port, backlog=1_024).start()
        except (OSError, OverflowError, UnicodeError) as error:
            await runner.cleanup()
            raise CannotListen(host, port, _problem(error)) from error
        self._door, self._runner = door, runner
        return int(runner.addresses[0][1])

    async def close(self) -> None:
        runner, door, self._runner, self._door = self._runner, self._door, None, None
        if runner is None or door is None:
            return
        await runner.cleanup()
        door.stop_looking()
        unfinished = list(self._creating.values())
        for task in unfinished:
            task.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        connection = request.protocol
        assert isinstance(connection, Connection)
        authorization = request.headers.get("Authorization", "")
        report = read_request(request.method, request.raw_path, authorization)
        body = await _body(request) if request.can_read_body else _NO_BODY
        if body is None:
            said = answer(Dialect.HEALTHCHECKS, Verdict.MALFORMED)
        elif isinstance(report, Report):
            said = await self._answer(report, body.text, connection.neighbour)
        else:
            said = self._mistaken(report, connection.neighbour)
        response = _response(said)
        if body is None or not body.is_at_end:
            response.force_close()
        connection.answered()
        return response

    async def _answer(self, report: Report, body: str, neighbour: str) -> Answer:
        dialect, claim, verdict = report.dialect, report.claim, Verdict.HEARD
        found = self._found(claim)
        if not found:
            if not self._mistakes.allows(neighbour, self._monotonic()):
                return answer(dialect, Verdict.LIMITED)
            if not (isinstance(claim, BySlug) and self._may_create(claim)):
                return answer(dialect, self._unfound(claim))
            verdict = Verdict.HEARD if claim.slug in self._creating else Verdict.CREATED
            try:
                found = [await self._made(claim.slug)]
            except UserError as error:
                _log.warning("No monitor could be made for a ping: %s", error)
                # To try again helps only where it may be allowed then.
                is_final = isinstance(error, Decided)
                return answer(dialect, Verdict.UNKNOWN if is_final else Verdict.UNAVAILABLE)
        if len(found) > 1 and isinstance(claim, BySlug):
            return self._mistaken(answer(dialect, Verdict.AMBIGUOUS), neighbour)
        if not self._pings.allows(found[0].ping_id, self._monotonic()):
            return answer(dialect, Verdict.LIMITED)
        if report.complaint is not None:
            return report.complaint
        self._hear(found[0].key, report.ping(self._wall(), body))
        return answer(dialect, verdict)

    def _found(self, claim: ById | BySlug | ByEndpoint) -> list[Address]:
        match claim:
            case ById():
                return self._book.by_id(claim.ping_id)
            case BySlug():
                return self._book.by_slug(claim.ping_key, claim.slug)
            case ByEndpoint():
                return self._book.by_endpoint(claim.external_key, claim.token)

    def _unfound(self, claim: ById | BySlug | ByEndpoint) -> Verdict:
        if isinstance(claim, ByEndpoint) and self._book.has_endpoint(claim.external_key):
            return Verdict.UNPROVEN
        return Verdict.UNKNOWN

    def _may_create(self, claim: BySlug) -> bool:
        return self._book.is_ping_key(claim.ping_key) and claim.may_create

    def _mistaken(self, said: Answer, neighbour: str) -> Answer:
        """The same, unless this address has been wrong too often."""
        if self._mistakes.allows(neighbour, self._monotonic()):
            return said
        return answer(said.dialect, Verdict.LIMITED)

    async def _made(self, slug: str) -> Address:
        """The monitor that is made for a slug: one, however many ask for it at once."""
        task = self._creating.get(slug)
        if task is None:
            task = asyncio.create_task(self._make(slug))
            self._creating[slug] = task
            task.add_done_callback(lambda _: self._creating.pop(slug, None))
        return await asyncio.shield(task)

    async def _make(self, slug: str) -> Address:
        address = await self._create(slug)
        self._book.add(address)
        return address


def _problem(error: Exception) -> str:
    """What the system says, without what asyncio adds to it."""
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")


@dataclass(frozen=True, slots=True)
class _Body:
    """What is kept of a body, and whether all of it has been read."""

    text: str
    is_at_end: bool


_NO_BODY: Final = _Body("", is_at_end=True)


async def _body(request: web.BaseRequest) -> _Body | None:
    """The body; None if it is broken off or not what it says it is.

    More is read than is kept, so that the client gets to hear us, but not without end.
    """
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        # The answer itself is still to come.
        request.writer.output_size = 0
    kept, seen = bytearray(), 0
    try:
        async for part in request.content.iter_any():
            seen += len(part)
            kept += part[: BODY_LIMIT - len(kept)]
            if seen > _MOST_BODY:
                break
    except (web.RequestPayloadError, ConnectionError):
        return None
    text = body_text(bytes(kept), is_whole=seen <= BODY_LIMIT)
    return _Body(text, is_at_end=seen <= _MOST_BODY)


def _response(said: Answer) -> web.Response:
    headers = {**_ALL_HEADERS, **_HEADERS[said.dialect]}
    if said.allow:
        headers["Allow"] = said.allow
    return web.Response(status=said.status, body=said.text.encode(), headers=headers)
