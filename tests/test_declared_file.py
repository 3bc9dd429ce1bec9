"""A configuration file that is the truth: what runs is what it says, or nothing does."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from tests.declared_build import NOW
from tests.fakes import FakeClock, until
from tests.test_reception import ANYWHERE, PING_KEY, get, listening
from tests.website import Website
from uptime_desktop import operations
from uptime_desktop.app import App, opened
from uptime_desktop.cli import main
from uptime_desktop.config import ConfigFile
from uptime_desktop.declared_file import DeclaredFile, Differs, Mark
from uptime_desktop.declared_file import _mark as mark_of
from uptime_desktop.domain.alerts import Fault, Faults
from uptime_desktop.domain.definition import describe_monitor
from uptime_desktop.domain.maintenance_definition import parse_window
from uptime_desktop.domain.model import PauseReason
from uptime_desktop.domain.refusal import RefusedFile, Unable
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio

SHOP: Final = """version = 1
[[site]]
id = "shop"
[[site.monitor]]
id = "home"
url = "http://127.0.0.1:9/"
every = "1h"
"""
OTHER: Final = SHOP.replace("1h", "2h")
MORE: Final = SHOP + '[[site.monitor]]\nid = "api"\nurl = "http://127.0.0.1:9/"\nevery = "1h"\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.toml"
    path.write_text(SHOP)
    return path


def overwrite(path: Path, text: str) -> None:
    path.write_text(text)


def rename(path: Path, other: Path) -> None:
    path.rename(other)


def lose(path: Path) -> None:
    """Have looking for it fail, otherwise than by not finding it."""
    path.unlink()
    path.symlink_to("x" * 300)


def allow(path: Path, mode: int) -> None:
    path.chmod(mode)


def names(app: App) -> list[str]:
    return [job.monitor.id for job in app.jobs]


async def passes(clock: FakeClock, look: Callable[[], object]) -> None:
    """Let time pass until this is so; whoever reads a file does that in a thread."""

    async def step() -> None:
        while not look():
            await clock.advance(100)
            await asyncio.sleep(0.001)

    await asyncio.wait_for(step(), 20)


# At the start


async def test_an_empty_database_becomes_what_the_file_says(tmp_path: Path, file: Path) -> None:
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        await app.change_settings(replace(app.settings, language="en"))
        await app.obey(ConfigFile(file))
        assert (names(app), app.declared_in, app.fault) == (["home"], file, None)
        assert app.settings.language == "en"
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        await app.obey(ConfigFile(file))
        assert names(app) == ["home"]


async def test_a_file_that_differs_is_refused_with_every_difference(
    tmp_path: Path, file: Path
) -> None:
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        await app.add([{"name": "else", "url": "https://x.example"}])
        before = await app.toml()
        with pytest.raises(Differs) as caught:
            await app.obey(ConfigFile(file))
        first, *lines = caught.value.lines()
        assert first == f"{file} differs from what is stored; --accept-changes makes it so"
        titles = [line for line in lines if not line.startswith(" ")]
        assert titles == ["+ site shop", "- site default", "+ monitor home", "- monitor else"]
        assert (await app.toml(), app.declared_in) == (before, None)
        await app.add([{"name": "more", "url": "https://x.example"}])
        await app.obey(ConfigFile(file, accept_changes=True))
        assert names(app) == ["home"]


async def test_settings_alone_are_something_that_can_differ(tmp_path: Path, file: Path) -> None:
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        await app.change_settings(replace(app.settings, compact_rows=True))
        await app.obey(ConfigFile(file))
    async with opened(tmp_path / "other.db", FakeClock(NOW)) as app:
        await app.change_settings(replace(app.settings, max_concurrent=7))
        with pytest.raises(Differs) as caught:
            await app.obey(ConfigFile(file))
        assert "- setting max_concurrent" in caught.value.lines()


async def test_a_wrong_file_is_refused_at_the_start(tmp_path: Path, file: Path) -> None:
    overwrite(file, SHOP + "colour = 1\n")
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        with pytest.raises(RefusedFile, match="no such setting"):
            await app.obey(ConfigFile(file, accept_changes=True))
        assert (names(app), app.declared_in) == ([], None)


class TestCommand:
    """`run --config`, as long as it does not come to running."""

    @pytest.fixture
    def database(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        path = tmp_path / "data" / "uptime.db"
        monkeypatch.setenv("UPTIME_DESKTOP_DB", str(path))
        monkeypatch.setattr("uptime_desktop.cli.run.start_log", lambda _: None)
        return path

    async def run(self, *words: str) -> int:
        return await asyncio.to_thread(main, ("run", "--headless", *words))

    async def test_a_difference_ends_it_with_1_and_changes_nothing(
        self, database: Path, file: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        async with opened(database) as app:
            await app.apply(OTHER, "x")
            before = await app.toml()
        assert await self.run("--config", str(file)) == 1
        said = capsys.readouterr()
        first, *more = said.err.splitlines()
        assert first == (
            f"uptime-desktop: {file} differs from what is stored; --accept-changes makes it so"
        )
        assert more == ["~ monitor home", "    every: 2h → 1h"]
        assert said.out == ""
        async with opened(database) as app:
            assert await app.toml() == before

    @pytest.mark.usefixtures("database")
    async def test_a_wrong_file_ends_it_with_2_and_all_lines(
        self, file: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        overwrite(file, SHOP + "colour = 1\nretries = 99\n")
        assert await self.run("--config", str(file)) == 2
        first, second = capsys.readouterr().err.splitlines()
        assert first.startswith(f"{file}:8:10: site.shop.monitor.home.colour: ")
        assert second.startswith(f"{file}:9:11: site.shop.monitor.home.retries: '99'")

    @pytest.mark.usefixtures("database")
    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("--accept-changes",), "--accept-changes has no meaning without --config"),
            (("--allow-secret-file",), "--allow-secret-file has no meaning without --config"),
            (("--config", "no-such.toml"), "no-such.toml' cannot be read: No such file"),
            (("--config",), "--config"),
        ],
    )
    async def test_wrong_words_are_one_sentence(
        self, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
    ) -> None:
        assert await self.run(*words) == 2
        err = capsys.readouterr().err
        assert said in err
        assert len(err.splitlines()) == 1


# While it runs


def replace_whole(path: Path, text: str) -> None:
    other = path.with_suffix(".new")
    other.write_text(text)
    other.replace(path)


def truncate_and_write(path: Path, text: str) -> None:
    with path.open("w") as file:
        for line in text.splitlines(keepends=True):
            file.write(line)
            file.flush()


def keep_size_and_age(path: Path, text: str) -> None:
    """As tools do that copy files."""
    before = path.stat()
    other = path.with_suffix(".new")
    other.write_text(text)
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)
    assert path.stat().st_size == before.st_size


@asynccontextmanager
async def followed(app: App) -> AsyncIterator[None]:
    """The file is followed and nothing else is done, so that only that waits for time to pass."""
    task = asyncio.ensure_future(app._truth.follow())  # noqa: SLF001
    yield
    task.cancel()


@pytest.mark.parametrize("save", [overwrite, replace_whole, truncate_and_write, keep_size_and_age])
async def test_a_saved_file_is_taken_within_two_seconds(
    tmp_path: Path, file: Path, save: Callable[[Path, str], None]
) -> None:
    clock = FakeClock(NOW)
    heard: list[None] = []
    async with opened(tmp_path / "uptime.db", clock) as app:
        await app.obey(ConfigFile(file))
        app.on_redefined(lambda: heard.append(None))
        job, saved_at = app.find("home"), clock.monotonic()
        save(file, OTHER)
        async with followed(app):
            while describe_monitor(job.monitor)["every"] != "2h":
                await until(lambda: clock.is_waited_for)
                await clock.advance(100)
                assert clock.monotonic() - saved_at < 2_000
            await until(lambda: heard)
        assert app.fault is None


async def test_a_file_that_nobody_writes_is_looked_at_twice_a_second(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, looks = FakeClock(NOW), 0

    def look(path: Path) -> Mark | None:
        nonlocal looks
        looks += 1
        return mark_of(path)

    async with opened(tmp_path / "uptime.db", clock) as app:
        await app.obey(ConfigFile(file))
        monkeypatch.setattr("uptime_desktop.declared_file._mark", look)
        async with followed(app):
            for _ in range(20):
                await until(lambda: clock.is_waited_for)
                await clock.advance(500)
            await until(lambda: clock.is_waited_for)
        assert looks == 20


async def test_nothing_goes_while_the_rest_of_a_file_may_still_come(
    tmp_path: Path, file: Path
) -> None:
    clock = FakeClock(NOW)
    overwrite(file, MORE)
    async with opened(tmp_path / "uptime.db", clock) as app:
        await app.obey(ConfigFile(file))
        job = app.find("api")
        async with followed(app):

            async def pass_ms(ms: int) -> None:
                for _ in range(ms // 100):
                    await until(lambda: clock.is_waited_for)
                    await clock.advance(100)

            overwrite(file, SHOP)
            await pass_ms(1_100)
            overwrite(file, MORE)
            await pass_ms(3_000)
            assert app.find("api") is job
            overwrite(file, SHOP)
            await pass_ms(2_000)
            await until(lambda: names(app) == ["home"])


async def test_a_file_is_let_be_while_it_is_written(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock(NOW)
    faults: list[Faults] = []

    def look(path: Path) -> Mark | None:
        found = mark_of(path)
        if path.stat().st_size == 0:
            overwrite(path, OTHER)
        return found

    async with opened(tmp_path / "uptime.db", clock) as app:
        app.on_faults(faults.append)
        await app.obey(ConfigFile(file))
        monkeypatch.setattr("uptime_desktop.declared_file._mark", look)
        app.start(ANYWHERE)
        overwrite(file, "")
        job = app.find("home")
        await passes(clock, lambda: describe_monitor(job.monitor)["every"] == "2h")
        assert (app.fault, faults) == (None, [])


async def test_a_file_that_cannot_be_looked_at_is_said_and_then_followed_again(
    tmp_path: Path, file: Path
) -> None:
    clock = FakeClock(NOW)
    async with opened(tmp_path / "uptime.db", clock) as app:
        await app.obey(ConfigFile(file))
        app.start(ANYWHERE)
        lose(file)
        await passes(clock, lambda: "File name too long" in (app.fault or ""))
        assert names(app) == ["home"]
        replace_whole(file, OTHER)
        await passes(clock, lambda: app.fault is None)
        assert describe_monitor(app.find("home").monitor)["every"] == "2h"


async def test_a_secret_that_was_missing_is_used_as_soon_as_it_is_kept(
    tmp_path: Path, file: Path
) -> None:
    clock = FakeClock(NOW)
    async with opened(tmp_path / "uptime.db", clock) as app:
        await app.obey(ConfigFile(file, allow_secret_file=True))
        async with followed(app):
            overwrite(file, SHOP + 'bearer_token = "secret:shop"\n')
            for _ in range(3_000):
                await until(lambda: clock.is_waited_for)
                await clock.advance(100)
            assert "no secret 'shop'" in (app.fault or "")
            kept_at = clock.monotonic()
            await app.keep_secret("shop", "hunter22")
            while app.fault is not None:
                await until(lambda: clock.is_waited_for)
                await clock.advance(100)
            assert clock.monotonic() - kept_at < 2_000


async def test_monitors_come_and_go_with_the_file(tmp_path: Path, file: Path) -> None:
    clock = FakeClock(NOW)
    async with opened(tmp_path / "uptime.db", clock) as app:
        await app.obey(ConfigFile(file))
        app.start(ANYWHERE)
        overwrite(file, MORE + "[settings]\nmax_concurrent = 3\n")
        await passes(clock, lambda: names(app) == ["home", "api"])
        assert app.settings.max_concurrent == 3
        overwrite(file, SHOP)
        await passes(clock, lambda: names(app) == ["home"])
        assert app.settings.max_concurrent == 64


async def test_a_wrong_file_leaves_what_runs_and_says_so(
    tmp_path: Path, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock(NOW)
    faults: list[Faults] = []
    async with opened(tmp_path / "uptime.db", clock) as app:
        app.on_faults(faults.append)
        await app.obey(ConfigFile(file))
        app.start(ANYWHERE)
        job = app.find("home")
        overwrite(file, MORE + "colour = 1\nretries = 99\n")
        await passes(clock, lambda: app.fault)
        assert app.fault is not None
        assert app.fault.startswith(f"What is watched stays as it was: {file}:12:10: site.shop.")
        assert app.fault.endswith("And 1 more.")
        assert faults == [{Fault.FILE: app.fault}]
        errors = [one.getMessage() for one in caplog.records if one.levelno == logging.ERROR]
        assert [line.split(": ")[0] for line in errors] == [
            f"{file} was not taken; what is watched stays as it was",
            f"{file}:12:10",
            f"{file}:13:11",
        ]
        assert app.file_error is not None
        assert app.file_error.lines() == errors[1:]
        assert (names(app), app.find("home") is job) == (["home"], True)
        await clock.advance(60_000)
        assert len([one for one in caplog.records if one.levelno == logging.ERROR]) == 3
        overwrite(file, MORE)
        await passes(clock, lambda: names(app) == ["home", "api"])
        await passes(clock, lambda: app.fault is None)
        assert faults[-1] == {}


async def test_a_file_that_is_gone_is_a_fault_until_it_is_back(tmp_path: Path, file: Path) -> None:
    clock = FakeClock(NOW)
    async with opened(tmp_path / "uptime.db", clock) as app:
        await app.obey(ConfigFile(file))
        app.start(ANYWHERE)
        aside = file.with_suffix(".aside")
        rename(file, aside)
        await passes(clock, lambda: app.fault)
        assert "cannot be read: No such file" in str(app.fault)
        assert names(app) == ["home"]
        rename(aside, file)
        await passes(clock, lambda: app.fault is None)
        overwrite(file, "")
        await passes(clock, lambda: app.fault)
        assert "version: it is missing" in str(app.fault)
        assert names(app) == ["home"]


async def test_what_is_wrong_outside_the_file_is_tried_again(tmp_path: Path, file: Path) -> None:
    clock = FakeClock(NOW)
    async with opened(tmp_path / "uptime.db", clock) as app:
        app.agree_to_secret_file()
        await app.obey(ConfigFile(file))
        app.start(ANYWHERE)
        overwrite(file, SHOP + 'username = "ann"\npassword = "secret:shop"\n')
        await passes(clock, lambda: app.fault)
        await app.keep_secret("shop", "hunter22")
        await passes(clock, lambda: app.fault is None)
        assert app.find("home").monitor.settings["password"] == "secret:shop"


async def test_what_stays_wrong_is_tried_again_less_and_less_often(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, tries, waits = FakeClock(NOW), list[int](), list[int]()
    take, wait = DeclaredFile._take_again, DeclaredFile._pass  # noqa: SLF001

    def noted_take(self: DeclaredFile, *, may_remove: bool) -> Awaitable[bool]:
        tries.append(clock.monotonic())
        return take(self, may_remove=may_remove)

    def noted_wait(self: DeclaredFile, ms: int) -> Awaitable[None]:
        waits.append(ms)
        return wait(self, ms)

    monkeypatch.setattr(DeclaredFile, "_take_again", noted_take)
    monkeypatch.setattr(DeclaredFile, "_pass", noted_wait)
    monkeypatch.setattr("uptime_desktop.declared_file._LONGEST_MS", 60_000)
    async with opened(tmp_path / "uptime.db", clock) as app:
        await app.obey(ConfigFile(file))
        app.start(ANYWHERE)
        overwrite(file, MORE + "colour = 1\n")
        while len(tries) < 6:
            await until(lambda: waits)
            await clock.advance(waits.pop())
    gaps = [round((after - before) / 1_000) for before, after in pairwise(tries)]
    assert gaps == pytest.approx([10, 20, 40, 60, 60], abs=2)


async def test_a_file_that_others_may_read_by_now_is_another(file: Path) -> None:
    before = mark_of(file)
    allow(file, 0o604)
    assert mark_of(file) != before


async def test_edits_are_refused_naming_the_file(tmp_path: Path, file: Path) -> None:
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        app.agree_to_secret_file()
        window = '[[maintenance]]\nid = "w"\ncron = "0 0 * * *"\nduration = "1h"\n'
        channel = '[[channel]]\nid = "team"\nurl = "json://localhost/x"\n'
        overwrite(file, SHOP + window + channel)
        await app.obey(ConfigFile(file))
        before, job = await app.toml(), app.find("home")
        keys = describe_monitor(job.monitor)
        for edit in (
            lambda: app.add([{"name": "x", "url": "https://x.example"}]),
            lambda: app.edit(job, keys),
            lambda: app.move([job], "shop"),
            lambda: app.remove(job),
            lambda: app.change_site(replace(app.sites["shop"], name="Shop")),
            lambda: app.save_window(
                parse_window({"id": "v", "cron": "0 0 * * *", "duration": "1h"}, NOW)
            ),
            lambda: app.remove_window("w"),
            lambda: app.channels.add("Boss", "json://localhost/y"),
            lambda: app.channels.edit("team", is_on=False),
            lambda: app.channels.remove("team"),
            lambda: app.change_settings(replace(app.settings, max_concurrent=3)),
            lambda: app.apply(OTHER, "other.toml"),
        ):
            with pytest.raises(Unable) as caught:
                await edit()
            assert str(file) in caught.value.text()
        commands: dict[str, dict[str, object]] = {
            "add": {"targets": ["https://x.example"]},
            "remove": {"monitor": "home"},
            "channel_remove": {"channel": "team"},
            "maintenance_remove": {"window": "w"},
            "apply": {"text": OTHER, "name": "other.toml"},
        }
        for name, arguments in commands.items():
            with pytest.raises(Unable, match="says what is watched"):
                await operations.call(app, name, arguments)
        assert await app.toml() == before
        plan = await app.plan(OTHER, "other.toml")
        assert len(plan.differences) == 3


async def test_pausing_resuming_and_checking_stay_allowed(
    tmp_path: Path, file: Path, website: Website
) -> None:
    overwrite(file, SHOP.replace("http://127.0.0.1:9", website.url))
    async with opened(tmp_path / "uptime.db") as app:
        await app.obey(ConfigFile(file))
        app.start(ANYWHERE)
        job = app.find("home")
        app.pause(job)
        assert job.state.status is Status.PAUSED
        app.resume(job)
        await operations.call(app, "pause", {"monitor": "shop/home"})
        await operations.call(app, "resume", {"monitor": "shop/home"})
        await operations.call(app, "hint", {"monitor": "home", "interval_ms": 10_000})
        assert (await app.check_now(job)).status is Status.UP
        app.agree_to_secret_file()
        await app.keep_secret("name", "hunter22")
        assert app.declared_in == file


async def test_taste_is_free_unless_the_file_says_it(tmp_path: Path, file: Path) -> None:
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        overwrite(file, SHOP + "[settings]\ncompact_rows = true\n")
        await app.obey(ConfigFile(file))
        await app.change_settings(replace(app.settings, language="zh_CN", start_minimised=True))
        assert (app.declares("language"), app.declares("compact_rows")) == (False, True)
        with pytest.raises(Unable, match="says what is watched"):
            await app.change_settings(replace(app.settings, compact_rows=False))
        assert app.settings.compact_rows
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        await app.obey(ConfigFile(file))
        assert app.settings.language == "zh_CN"


async def test_the_switch_of_a_site_is_free_unless_the_file_says_it(
    tmp_path: Path, file: Path
) -> None:
    clock = FakeClock(NOW)
    async with opened(tmp_path / "uptime.db", clock) as app:
        await app.obey(ConfigFile(file))
        app.start(ANYWHERE)
        await app.switch_site("shop", on=False)
        pause = app.find("home").state.pause
        assert pause is not None
        assert pause.reason is PauseReason.SITE
        overwrite(file, SHOP.replace('id = "shop"', 'id = "shop"\nactive = true'))
        await passes(clock, lambda: app.find("home").state.pause is None)
        with pytest.raises(Unable, match="says what is watched"):
            await operations.call(app, "pause", {"site": "shop"})


async def test_what_is_stored_can_take_over(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock(NOW)
    async with opened(tmp_path / "uptime.db", clock) as app:
        await app.obey(ConfigFile(file))
        app.start(ANYWHERE)
        overwrite(file, SHOP + "colour = 1\n")
        await passes(clock, lambda: app.fault)
        app.take_over()
        assert (app.declared_in, app.fault) == (None, None)
        await app.add([{"name": "x", "url": "https://x.example", "every": "1h"}], "shop")
        overwrite(file, SHOP)
        looks = list[Path]()
        monkeypatch.setattr("uptime_desktop.declared_file._mark", looks.append)
        for _ in range(40):
            await clock.advance(500)
            await asyncio.sleep(0.001)
        # Those that were under way.
        assert len(looks) <= 2
        assert names(app) == ["home", "x"]
        app.take_over()


async def test_a_change_that_has_begun_ends_before_what_is_stored_takes_over(
    tmp_path: Path, file: Path
) -> None:
    clock = FakeClock(NOW)
    async with opened(tmp_path / "uptime.db", clock) as app:
        await app.obey(ConfigFile(file))
        app.start(ANYWHERE)
        told: list[None] = []

        def take_over() -> None:
            told.append(None)
            if len(told) == 1:
                app.take_over()

        app.on_redefined(take_over)
        overwrite(file, MORE)
        await passes(clock, lambda: names(app) == ["home", "api"])
        await passes(clock, lambda: app.declared_in is None)
        await app.remove(app.find("api"))
        assert names(app) == ["home"]
    async with opened(tmp_path / "uptime.db", clock) as app:
        assert names(app) == ["home"]


async def test_a_job_that_introduces_itself_is_told_that_it_cannot(
    tmp_path: Path, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    overwrite(file, SHOP + f'[settings]\nping_key = "{PING_KEY}"\n')
    async with opened(tmp_path / "uptime.db") as app:
        await app.obey(ConfigFile(file))
        app.start(ANYWHERE)
        await listening(app)
        host, port = app._reception.address()  # noqa: SLF001
        url = f"http://{host}:{port}/ping/{PING_KEY}/nightly"
        status, said = await get(f"{url}?create=1")
        assert (status, said) == (404, "not found")
        assert names(app) == ["home"]
        assert str(file) in caplog.text
        assert "Traceback" not in caplog.text
        assert not [one for one in caplog.records if one.exc_info]
