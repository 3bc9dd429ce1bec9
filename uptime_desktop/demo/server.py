"""Something to watch that is always there: a small web server and two ports, all on loopback.

It knows nothing of monitors. Each page behaves in its own way: quick, slow, failing, failing now
and then, leading elsewhere, or never answering.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from random import Random
from threading import Thread
from types import MappingProxyType
from typing import Final

from uptime_desktop.domain.model import SECOND_MS

HOST: Final = "127.0.0.1"
BANNER: Final = b"SSH-2.0-OpenSSH_9.9 nas\r\n"
BANNER_DELAY_MS: Final = 4.0

_FLAPS_EVERY_MS: Final = 90 * SECOND_MS
_FLAPS_UP_MS: Final = 60 * SECOND_MS
_UNEVEN: Final = 0.12
_MOST_HEAD_BYTES: Final = 16_384
_SEED: Final = 8


@dataclass(frozen=True, slots=True)
class Page:
    """How an address answers, and after how long; without a status it never does."""

    status: HTTPStatus | None
    body: str = ""
    delay_ms: float = 0.0
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def status_line(self) -> str:
        return "" if self.status is None else f"HTTP/1.1 {self.status.value} {self.status.phrase}"

    @property
    def sent_headers(self) -> tuple[tuple[str, str], ...]:
        kinds = {"<": "text/html; charset=utf-8", "{": "application/json"}
        return (
            ("Content-Type", kinds.get(self.body[:1], "text/plain; charset=utf-8")),
            ("Content-Length", str(len(self.body.encode()))),
            *self.headers,
            ("Connection", "close"),
        )


_FAILING: Final = Page(
    HTTPStatus.SERVICE_UNAVAILABLE,
    '{"error":"upstream pool exhausted","pool":"payments"}',
    205,
    (("Retry-After", "480"),),
)
_LOST: Final = Page(HTTPStatus.NOT_FOUND, "not found\n")
FLAPPING: Final = "/payments/status"
BAD_GATEWAY: Final = Page(HTTPStatus.BAD_GATEWAY, '{"error":"no gateway answers"}', 95)

PAGES: Final = MappingProxyType(
    {
        "/": Page(HTTPStatus.OK, "<!doctype html><title>Storefront</title>Welcome", 180),
        "/checkout/v2/health": _FAILING,
        "/search": Page(HTTPStatus.OK, '{"hits":42,"took_ms":640}', 640),
        "/images/logo.png": Page(
            HTTPStatus.FOUND, delay_ms=12, headers=(("Location", "/edge/logo.png"),)
        ),
        "/edge/logo.png": Page(HTTPStatus.OK, "a logo\n", 20),
        FLAPPING: Page(HTTPStatus.OK, '{"gateway":"ready"}', 90),
        "/wiki": Page(None),
        "/jobs/invoices": Page(HTTPStatus.OK, '{"last_export":"well"}', 130),
        "/jobs/sitemap": Page(HTTPStatus.OK, '{"last_export":"well"}', 60),
    }
)


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where everything listens; at `refusing_port` nothing does, nor can it."""

    url: str
    open_port: int
    banner_port: int
    refusing_port: int


def is_up_now(at: int) -> bool:
    """Whether the page that comes and goes answers well at this instant."""
    return at % _FLAPS_EVERY_MS < _FLAPS_UP_MS


@contextmanager
def serving(now: Callable[[], int]) -> Iterator[Addresses]:
    """Serve on ports that the system chooses until the block is left.

    It has a thread of its own: whoever looks at it may keep theirs as busy as they like.
    """
    begun: Future[tuple[Addresses, Callable[[], object]]] = Future()

    async def serve() -> None:
        told_to_stop = asyncio.Event()
        stop = partial(asyncio.get_running_loop().call_soon_threadsafe, told_to_stop.set)
        try:
            async with _listening(now) as addresses:
                begun.set_result((addresses, stop))
                await told_to_stop.wait()
        except OSError as error:
            begun.set_exception(error)

    thread = Thread(target=lambda: asyncio.run(serve()), name="demo-server", daemon=True)
    thread.start()
    addresses, stop = begun.result()
    try:
        yield addresses
    finally:
        stop()
        thread.join()


@asynccontextmanager
async def _listening(now: Callable[[], int]) -> AsyncIterator[Addresses]:
    talks = _Talks(now)
    servers = [
        await asyncio.start_server(talks.begin(talk), HOST, 0, limit=_MOST_HEAD_BYTES)
        for talk in (talks.answer, talks.listen, talks.greet)
    ]
    web_port, open_port, banner_port = (one.sockets[0].getsockname()[1] for one in servers)
    # Bound but not listening: the system refuses, and gives the port to nobody else.
    with socket.socket() as refusing:
        refusing.bind((HOST, 0))
        refusing_port = refusing.getsockname()[1]
        try:
            yield Addresses(f"http://{HOST}:{web_port}", open_port, banner_port, refusing_port)
        finally:
            for server in servers:
                server.close()
            await talks.close()


_Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]]


class _Talks:
    """The conversations under way, so that none outlives the server."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._chance = Random(_SEED)
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, talk: _Talk) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
        """What to call for a new connection."""

        async def whole(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                # Whoever hangs up, or says what is no request, has ended the talk.
                with suppress(OSError, EOFError, asyncio.LimitOverrunError):
                    await talk(reader, writer)
            finally:
                writer.close()

        def begun(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.get_running_loop().create_task(whole(reader, writer))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        return begun

    async def close(self) -> None:
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # The connections they closed get a turn to let go of their sockets.
        await asyncio.sleep(0)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method, _, rest = head.decode("latin-1").partition(" ")
        path = rest.partition(" ")[0].partition("?")[0]
        page = PAGES.get(path, _LOST)
        if path == FLAPPING and not is_up_now(self._now()):
            page = BAD_GATEWAY
        if page.status is None:
            await self.listen(reader, writer)
            return
        await self._pause(page.delay_ms)
        writer.write(_message(page, with_body=method != "HEAD"))
        await writer.drain()

    async def listen(self, reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        """Say nothing until the other side hangs up."""
        while await reader.read(_MOST_HEAD_BYTES):
            pass

    async def greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._pause(BANNER_DELAY_MS)
        writer.write(BANNER)
        await self.listen(reader, writer)

    async def _pause(self, about_ms: float) -> None:
        """Nothing real takes the same time twice."""
        uneven = about_ms * (1 + _UNEVEN * self._chance.uniform(-1, 1))
        await asyncio.sleep(uneven / SECOND_MS)


def _message(page: Page, *, with_body: bool) -> bytes:
    lines = [page.status_line, *(f"{name}: {value}" for name, value in page.sent_headers)]
    head = "\r\n".join(lines).encode() + b"\r\n\r\n"
    return head + page.body.encode() if with_body else head
