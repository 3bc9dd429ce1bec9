"""Channels are kept, and their addresses are secrets."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.fakes import FakeClock
from tests.store.build import NOW, outside
from uptime_desktop.app import App, opened
from uptime_desktop.channel_book import ChannelBook
from uptime_desktop.checks.redaction import redacted
from uptime_desktop.domain.alerts import Channel
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.store.secrets import Secrets

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("apprise")]

URL = "json://user:pa55word@127.0.0.1/hook"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "uptime.db"


@pytest_asyncio.fixture
async def app(path: Path) -> AsyncIterator[App]:
    async with opened(path, FakeClock(NOW)) as app:
        app.agree_to_secret_file()
        yield app


@pytest.fixture
def book(app: App) -> ChannelBook:
    return app.channels


@pytest.fixture
def secrets(path: Path) -> Secrets:
    return Secrets(path)


def stored(path: Path) -> list[tuple[object, ...]]:
    return outside(path, "SELECT id, name, url, is_on FROM channels")


async def test_an_address_is_kept_as_a_secret_and_never_in_the_database(
    book: ChannelBook, path: Path, secrets: Secrets
) -> None:
    channel = await book.add("Team Chat", URL)
    assert channel == Channel("team-chat", "Team Chat", "secret:channel/team-chat")
    assert stored(path) == [("team-chat", "Team Chat", "secret:channel/team-chat", 1)]
    assert secrets.get("channel/team-chat") == URL
    assert await book.address("team-chat") == URL
    assert "pa55word" not in redacted(f"sent to {URL}")
    for file in path.parent.glob("uptime.db*"):
        if "secrets" not in file.name:
            assert b"pa55word" not in file.read_bytes()


async def test_channels_are_there_after_a_restart(app: App, path: Path) -> None:
    await app.channels.add("Chat", URL)
    await app.channels.add("Mail", URL, is_on=False)
    async with opened(path, FakeClock(NOW)) as again:
        assert again.channels.known == app.channels.known
        assert await again.channels.address("mail") == URL


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("${HOOK_URL}", "${HOOK_URL}"),
        ("json://${HOOK_HOST}/${HOOK_TOKEN}", "json://${HOOK_HOST}/${HOOK_TOKEN}"),
        ("json://127.0.0.1/clear/${HOOK_TOKEN}", "secret:channel/chat"),
    ],
)
async def test_an_address_may_name_variables_of_the_environment(
    book: ChannelBook, path: Path, monkeypatch: pytest.MonkeyPatch, url: str, shown: str
) -> None:
    monkeypatch.setenv("HOOK_URL", "json://h.example/tok")
    monkeypatch.setenv("HOOK_HOST", "h.example")
    monkeypatch.setenv("HOOK_TOKEN", "tok")
    await book.add("Chat", url)
    assert stored(path) == [("chat", "Chat", shown, 1)]
    assert await book.written_address("chat") == url
    address = await book.address("chat")
    assert "$" not in address
    assert address.endswith("/tok")


@pytest.mark.parametrize(
    ("name", "url", "channel_id", "sentence"),
    [
        ("", URL, None, "name: '' cannot be a name"),
        ("Chat", "nonsense://t0ken", None, "url: nothing can be sent to this address"),
        (
            "Chat",
            "${NO_SUCH_VARIABLE}",
            None,
            "url: the environment of the running app has no 'NO_SUCH_VARIABLE'",
        ),
        ("Chat", URL, "desktop", "id: 'desktop' cannot be the id of a channel"),
        ("Chat", URL, "sound", "id: 'sound' cannot be the id of a channel"),
        ("Chat", URL, "Ä B", "id: 'Ä B' cannot be the id of a channel"),
    ],
)
async def test_what_cannot_be_a_channel_is_refused_without_its_address(
    book: ChannelBook, path: Path, name: str, url: str, channel_id: str | None, sentence: str
) -> None:
    assert "NO_SUCH_VARIABLE" not in os.environ
    with pytest.raises(Refused) as refusal:
        await book.add(name, url, channel_id)
    assert str(refusal.value).startswith(sentence)
    assert "t0ken" not in str(refusal.value)
    assert stored(path) == []


async def test_a_channel_can_be_changed_and_switched_off(
    book: ChannelBook, path: Path, secrets: Secrets
) -> None:
    await book.add("Chat", URL)
    assert await book.address("chat") == URL
    await book.edit("chat", name="Team", is_on=False)
    assert stored(path) == [("chat", "Team", "secret:channel/chat", 0)]
    await book.edit("chat", url=URL + "2")
    assert await book.address("chat") == URL + "2"
    assert secrets.get("channel/chat") == URL + "2"
    assert [one.name for one in book.known] == ["Team"]


async def test_an_address_that_becomes_a_variable_is_forgotten_as_a_secret(
    book: ChannelBook, secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOOK_URL", URL + "3")
    await book.add("Chat", URL)
    await book.edit("chat", url="${HOOK_URL}")
    assert secrets.get("channel/chat") is None
    assert await book.address("chat") == URL + "3"


async def test_a_channel_that_is_removed_takes_its_secret_along(
    book: ChannelBook, path: Path, secrets: Secrets
) -> None:
    await book.add("Chat", URL)
    await book.remove("chat")
    assert (stored(path), book.known, secrets.get("channel/chat")) == ([], (), None)
    with pytest.raises(Refused, match="there is no channel 'chat'"):
        await book.remove("chat")


async def test_an_address_that_nobody_kept_is_refused_until_it_is_written_anew(
    book: ChannelBook, secrets: Secrets
) -> None:
    await book.add("Chat", URL)
    secrets.delete("channel/chat")
    with pytest.raises(Refused, match="the address of 'chat' is not kept any more"):
        await book.address("chat")
    await book.edit("chat", url=URL)
    assert await book.address("chat") == URL


async def test_whoever_listens_hears_of_every_change(app: App, book: ChannelBook) -> None:
    heard: list[int] = []
    app.on_redefined(lambda: heard.append(len(book.known)))
    await book.add("Chat", URL)
    await book.edit("chat", is_on=False)
    await book.remove("chat")
    assert heard == [1, 1, 0]
