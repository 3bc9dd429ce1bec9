"""The control API: the commands of the command line, for this computer and its owner only.

Loopback, a random port, a token that only the owner can read, and a check of the Host header
so that a web page cannot reach it by a name of its own.
"""

import asyncio
import hmac
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

from uptime_desktop.domain.refusal import Refused, RefusedFile, UserError
from uptime_desktop.domain.wording import words
from uptime_desktop.i18n import said_in
from uptime_desktop.long_work import Progress, unheard

Answer = dict[str, object]
Handle = Callable[[str, dict[str, object], Progress], Awaitable[Answer]]
"""Do what a command asks, and tell on the way how much is done, and of how much."""

Follow = Callable[[Callable[[Answer], None]], Callable[[], None]]
"""Call back with every event from now on; the function returned ends it."""

LINES: Final = "application/x-ndjson"
_HOST: Final = "127.0.0.1"
_MOST_BYTES: Final = 128 * 1024 * 1024
"""The longest configuration file fits into it, whatever JSON makes of its characters."""

_MOST_UNREAD: Final = 10_000
_PROGRESS_EVERY_S: Final = 0.1
_FAILED: Final = words("the running program failed at it; its log tells more")
_log = logging.getLogger(__name__)


class ControlServer:
    def __init__(self, token: str, handle: Handle, follow: Follow) -> None:
        self._token = token.encode()
        self._handle = handle
        self._follow = follow
        self._port = 0
        self._runner: web.AppRunner | None = None

    async def start(self) -> int:
        """Listen, and tell on which port."""
        application = web.Application(middlewares=[self._guard], client_max_size=_MOST_BYTES)
        application.router.add_post("/v1/{command}", self._command)
        application.router.add_get("/v1/events", self._events)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, _HOST, 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self._port

    async def close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if request.headers.get("Host") not in (f"{_HOST}:{self._port}", f"localhost:{self._port}"):
            return web.json_response({"error": "wrong host"}, status=403)
        given = request.headers.get("Authorization", "").encode(errors="replace")
        if not hmac.compare_digest(given, b"Bearer " + self._token):
            return web.json_response({"error": "wrong token"}, status=401)
        return await handler(request)

    async def _command(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Accept") == LINES:
            return await self._command_with_progress(request)
        status, answer = await self._answer(request, unheard)
        return web.json_response(answer, status=status)

    async def _command_with_progress(self, request: web.Request) -> web.StreamResponse:
        """Lines of how far it is, then one with the answer and what its status would have been."""
        response = web.StreamResponse(headers={"Content-Type": LINES})
        newest: tuple[int, int] | None = None

        def note(done: int, total: int) -> None:
            nonlocal newest
            newest = done, total

        task = asyncio.create_task(self._answer(request, note))
        try:
            await response.prepare(request)
            while not (await asyncio.wait([task], timeout=_PROGRESS_EVERY_S))[0]:
                if newest is not None:
                    await response.write(_line({"done": newest[0], "total": newest[1]}))
            status, answer = task.result()
            await response.write(_line({"status": status, "answer": answer}))
        except ConnectionError:
            # Whoever asked has gone: what is not done yet is not wanted any more.
            task.cancel()
            await asyncio.wait([task])
        return response

    async def _answer(self, request: web.Request, progress: Progress) -> tuple[int, Answer]:
        say = said_in(request.headers.get("Accept-Language", ""))
        command = request.match_info["command"]
        try:
            arguments = json.loads(await request.text() or "{}")
        except (ValueError, RecursionError):
            return 400, {"error": "not JSON"}
        if not isinstance(arguments, dict):
            return 400, {"error": "an object is expected"}
        try:
            return 200, await self._handle(command, arguments, progress)
        except Refused as refused:
            return 422, {"error": {"field": refused.field, "text": refused.text(say)}}
        except RefusedFile as refused_file:
            return 422, {"error": {"lines": refused_file.lines(say)}}
        except UserError as error:
            return 409, {"error": error.text(say)}
        except Exception:  # noqa: BLE001
            # A bug of ours: the log has it whole, whoever asked gets a sentence.
            _log.exception("The command %s failed", command)
            return 500, {"error": say(_FAILED)}

    async def _events(self, request: web.Request) -> web.StreamResponse:
        """One line of JSON per event; a reader that does not keep up is let go."""
        response = web.StreamResponse(headers={"Content-Type": LINES})
        unread: asyncio.Queue[Answer | None] = asyncio.Queue()

        def hear(event: Answer) -> None:
            unread.put_nowait(event if unread.qsize() < _MOST_UNREAD else None)

        leave = self._follow(hear)
        try:
            await response.prepare(request)
            while (event := await unread.get()) is not None:
                await response.write(_line(event))
        except ConnectionError:
            # The reader has gone.
            return response
        finally:
            leave()
        return response


def _line(document: Answer) -> bytes:
    return json.dumps(document).encode() + b"\n"
