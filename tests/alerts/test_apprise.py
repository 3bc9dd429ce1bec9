"""Messages through Apprise to a real server, and what is said when they do not get there."""

import asyncio
import json
import logging
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from aiohttp import web

from uptime_desktop.alerts import apprise_channel
from uptime_desktop.alerts.apprise_channel import (
    MOST_THREADS,
    AppriseCourier,
    can_use,
    without_address,
)
from uptime_desktop.alerts.message import Message
from uptime_desktop.alerts.notice import NotDelivered
from uptime_desktop.domain.status import Status

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("apprise")]

TOKEN = "T0kenT0kenT0ken"
MESSAGE = Message("Shop is down", "<b>refused</b>\nNext try at 12:04.", Status.DOWN)


@dataclass
class Hook:
    """A server that takes messages, as long as it is well."""

    status: int = 200
    got: list[dict[str, object]] = field(default_factory=list)
    gate: asyncio.Event | None = None
    at_once: int = 0
    most_at_once: int = 0
    port: int = 0

    @property
    def address(self) -> str:
        return f"json://user:{TOKEN}@127.0.0.1:{self.port}/hook/{TOKEN}"

    async def take(self, request: web.Request) -> web.Response:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        if self.gate is not None:
            await self.gate.wait()
        self.at_once -= 1
        self.got.append(json.loads(await request.text()))
        return web.Response(status=self.status)


@asynccontextmanager
async def listening() -> AsyncIterator[Hook]:
    hook = Hook()
    app = web.Application()
    app.router.add_post("/{tail:.*}", hook.take)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    hook.port = runner.addresses[0][1]
    try:
        yield hook
    finally:
        if hook.gate is not None:
            hook.gate.set()
        await runner.cleanup()


class Log(logging.Handler):
    """What a log of everything would say; pytest's own hears more than that."""

    text = ""

    def emit(self, record: logging.LogRecord) -> None:
        if record.name != "aiohttp.access":
            self.text += record.getMessage() + "\n"


@pytest.fixture
def log() -> Iterator[Log]:
    root, handler = logging.getLogger(), Log()
    level = root.level
    root.setLevel(logging.DEBUG)
    root.addHandler(handler)
    yield handler
    root.removeHandler(handler)
    root.setLevel(level)


async def problem(address: str) -> str:
    with pytest.raises(NotDelivered) as failure:
        await AppriseCourier().send(address, MESSAGE)
    return str(failure.value)


async def test_a_message_arrives_as_it_was_written() -> None:
    async with listening() as hook:
        await AppriseCourier().send(hook.address, MESSAGE)
    (got,) = hook.got
    assert (got["title"], got["message"]) == (MESSAGE.title, MESSAGE.text)
    assert got["type"] == "failure"


async def test_a_refusal_is_one_sentence_without_the_address(
    log: Log,
) -> None:
    async with listening() as hook:
        hook.status = 403
        said = await problem(hook.address)
    assert "403" in said
    assert TOKEN not in said
    assert TOKEN not in log.text


@pytest.mark.parametrize(
    "address", [f"json://127.0.0.1:1/{TOKEN}", f"nonsense://{TOKEN}", TOKEN, f"slack://{TOKEN}"]
)
async def test_what_cannot_be_reached_is_said_without_the_address(address: str, log: Log) -> None:
    said = await problem(address)
    assert said
    assert TOKEN not in said
    assert TOKEN not in log.text


async def test_what_else_is_secret_is_hidden_too() -> None:
    async with listening() as hook:
        hook.status = 418
        courier = AppriseCourier(lambda text: text.replace("418", "***"))
        with pytest.raises(NotDelivered) as failure:
            await courier.send(hook.address, MESSAGE)
    assert "***" in str(failure.value)
    assert "418" not in str(failure.value)


async def test_who_does_not_answer_in_time_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apprise_channel, "SEND_WITHIN_S", 0.2)
    async with listening() as hook:
        hook.gate = asyncio.Event()
        assert await problem(hook.address) == "it does not answer"


async def test_only_so_many_are_on_their_way_at_once() -> None:
    async with listening() as hook:
        hook.gate = asyncio.Event()
        courier = AppriseCourier()
        sends = [asyncio.create_task(courier.send(hook.address, MESSAGE)) for _ in range(10)]
        async with asyncio.timeout(20):
            while hook.at_once < MOST_THREADS:  # noqa: ASYNC110 - a server's count has no event
                await asyncio.sleep(0.01)
        threads = [one for one in threading.enumerate() if one.name == "alert-courier"]
        assert len(threads) == MOST_THREADS
        assert all(one.daemon for one in threads)
        hook.gate.set()
        await asyncio.gather(*sends)
    assert hook.most_at_once == MOST_THREADS
    assert len(hook.got) == 10


async def test_an_address_is_known_to_be_usable_or_not() -> None:
    assert await asyncio.to_thread(can_use, "json://127.0.0.1/hook")
    assert not await asyncio.to_thread(can_use, "nonsense://host")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"no route to slack://a/{TOKEN}", "no route to ***"),
        (f"user {TOKEN}\n refused", "user *** refused"),
        ("slack said no", "slack said no"),
        ("x" * 300, "x" * 200 + "…"),
    ],
)
async def test_no_part_of_an_address_is_in_a_sentence(text: str, said: str) -> None:
    assert without_address(text, f"slack://a/{TOKEN}") == said
