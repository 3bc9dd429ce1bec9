"""The control API: the commands of the command line, for this computer and its owner only.

Loopback, a random port, a token that only the owner can read, and a check of the Host header
so that a web page cannot reach it by a name of its own.
"""

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

from uptime_desktop.domain.refusal import Refused
from uptime_desktop.store.errors import StoreError

Answer = dict[str, object]
Handle = Callable[[str, dict[str, object]], Awaitable[Answer]]
Follow = Callable[[Callable[[Answer], None]], Callable[[], None]]
"""Call back with every event from now on; the function returned ends it."""

_HOST: Final = "127.0.0.1"
_MOST_BYTES: Final = 16 * 1024 * 1024
_MOST_UNREAD: Final = 10_000


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

    async def _command(self, request: web.Request) -> web.Response:
        try:
            arguments = json.loads(await request.text() or "{}")
            if not isinstance(arguments, dict):
                return web.json_response({"error": "an object is expected"}, status=400)
            answer = await self._handle(request.match_info["command"], arguments)
        except Refused as refused:
            return web.json_response(
                {"error": {"field": refused.field, "text": refused.text()}}, status=422
            )
        except StoreError as error:
            return web.json_response({"error": str(error)}, status=409)
        except KeyError:
            return web.json_response({"error": "no such command"}, status=404)
        except (ValueError, RecursionError):
            return web.json_response({"error": "not JSON"}, status=400)
        return web.json_response(answer)

    async def _events(self, request: web.Request) -> web.StreamResponse:
        """One line of JSON per event; a reader that does not keep up is let go."""
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        await response.prepare(request)
        unread: asyncio.Queue[Answer | None] = asyncio.Queue()

        def hear(event: Answer) -> None:
            unread.put_nowait(event if unread.qsize() < _MOST_UNREAD else None)

        leave = self._follow(hear)
        try:
            while (event := await unread.get()) is not None:
                await response.write(json.dumps(event).encode() + b"\n")
        finally:
            leave()
        return response
