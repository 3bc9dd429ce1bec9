"""Configuration files and the app on a real database: each can be made of the other."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from tests.declared_build import NOW, a_file, change_something
from tests.fakes import FakeClock
from uptime_desktop.app import App, opened

PROPERTY = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    # A smaller example would take minutes to find.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


@asynccontextmanager
async def app_in(folder: Path) -> AsyncIterator[App]:
    async with opened(folder / "uptime.db", FakeClock(NOW)) as app:
        app.agree_to_secret_file()
        yield app


@pytest.fixture(scope="module", autouse=True)
def _channel() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHANNEL", "json://localhost/x")
        yield


@given(st.data())
@PROPERTY
def test_what_is_set_and_written_to_a_file_differs_in_nothing(data: st.DataObject) -> None:
    async def check(folder: Path) -> None:
        async with app_in(folder) as app:
            for _ in range(data.draw(st.integers(3, 15))):
                await change_something(app, data.draw)
            text = await app.toml()
            note(text)
            assert (await app.plan(text, "x.toml")).differences == ()
        async with app_in(folder) as app:
            assert (await app.plan(text, "x.toml")).differences == ()
            assert await app.toml() == text

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(check(Path(folder)))


@given(st.data())
@PROPERTY
def test_a_file_that_was_applied_differs_in_nothing_and_is_written_as_it_was(
    data: st.DataObject,
) -> None:
    text = a_file(data.draw)
    note(text)

    async def check(folder: Path) -> None:
        async with app_in(folder) as app:
            await app.keep_secret("named", "json://hunter22@localhost")
            await app.apply(text, "x.toml")
            assert (await app.apply(text, "x.toml")).differences == ()
            exported = await app.toml()
            assert "hunter22" not in exported
            assert (await app.apply(exported, "x.toml")).differences == ()
            assert await app.toml((text, "x.toml")) == text
        async with app_in(folder) as app:
            assert (await app.plan(text, "x.toml")).differences == ()
            assert (await app.plan(exported, "x.toml")).differences == ()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(check(Path(folder)))


@given(st.data())
@PROPERTY
def test_whatever_changes_can_be_written_into_the_file(data: st.DataObject) -> None:
    text = a_file(data.draw)
    note(text)

    async def check(folder: Path) -> None:
        async with app_in(folder) as app:
            await app.keep_secret("named", "json://hunter22@localhost")
            await app.apply(text, "x.toml")
            for _ in range(data.draw(st.integers(2, 8))):
                await change_something(app, data.draw)
            result = await app.toml((text, "x.toml"))
            note(result)
            assert (await app.plan(result, "x.toml")).differences == ()
            assert await app.toml((result, "x.toml")) == result

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(check(Path(folder)))
