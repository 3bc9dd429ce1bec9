"""What is watched becomes what a configuration file says: all of it, and nothing else."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import keyring
import pytest

from tests.declared_build import NOW
from tests.fakes import FakeClock
from tests.store.test_secrets import MemoryKeyring
from tests.website import Website
from uptime_desktop.app import App, opened
from uptime_desktop.checks.http.settings import HttpSpec
from uptime_desktop.declaring import Plan
from uptime_desktop.domain.definition import describe_monitor
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused, RefusedFile
from uptime_desktop.domain.status import Status
from uptime_desktop.exchange.declared.file import read_declared
from uptime_desktop.exchange.declared.telling import difference_lines, difference_view
from uptime_desktop.store.errors import StoreError

pytestmark = pytest.mark.asyncio

SHOP: Final = """version = 1
[[site]]
id = "shop"
[[site.monitor]]
id = "home"
url = "https://shop.example/"
[[site.monitor]]
id = "api"
url = "https://shop.example/api"
every = "5m"
"""
PASSWORDS: Final = """version = 1
[[channel]]
id = "team"
url = "json://ann:PASSWORD@localhost"
[[site]]
id = "shop"
[[site.monitor]]
id = "basic"
url = "https://shop.example/"
username = "ann"
password = "PASSWORD"
[[site.monitor]]
id = "bearer"
url = "https://shop.example/"
bearer_token = "PASSWORD"
[[site.monitor]]
id = "userinfo"
url = "https://ann:PASSWORD@shop.example/"
[[site.monitor]]
id = "header"
url = "https://shop.example/"
headers = { Accept = "*/*", Authorization = "Bearer PASSWORD" }
"""


@asynccontextmanager
async def app_in(folder: Path) -> AsyncIterator[App]:
    async with opened(folder / "uptime.db", FakeClock(NOW)) as app:
        app.agree_to_secret_file()
        yield app


async def apply(app: App, text: str) -> Plan:
    return await app.apply(text, "shop.toml")


async def differences(app: App, text: str) -> list[str]:
    """As people are told of them."""
    plan = await app.plan(text, "shop.toml")
    return list(difference_lines(map(difference_view, plan.differences)))


def secrets_in(folder: Path) -> dict[str, str]:
    kept: dict[str, str] = json.loads((folder / "uptime.db.secrets.json").read_text())["secrets"]
    return kept


def stored_in(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(folder / "uptime.db")) as db:
        return {
            table: db.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
            for table in ("settings", "sites", "monitors", "windows", "channels")
        }


@pytest.fixture
def memory_keyring() -> Iterator[MemoryKeyring]:
    before = keyring.get_keyring()
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


async def test_a_plan_says_what_would_be_done_and_does_nothing(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        await apply(app, SHOP)
        before = stored_in(tmp_path)
        other = SHOP.replace('every = "5m"', 'every = "30s"').replace("home", "front")
        assert await differences(app, other + "[settings]\nmax_concurrent = 5\n") == [
            "~ setting max_concurrent",
            "    max_concurrent: 64 → 5",
            "+ monitor front",
            "    site: shop",
            "    name: front",
            "    kind: http",
            "    url: https://shop.example/",
            "    every: 1m",
            "~ monitor api",
            "    every: 5m → 30s",
            "- monitor home",
        ]
        assert stored_in(tmp_path) == before
        assert [job.monitor.id for job in app.jobs] == ["home", "api"]


@pytest.mark.parametrize("filling", ["", "# a long comment\n" * 2_000])
async def test_a_part_that_is_too_long_for_the_loop_is_read_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filling: str
) -> None:
    given: list[bool] = []

    def reading(text: str, name: str, document: object) -> object:
        given.append(document is not None)
        return read_declared(text, name)

    monkeypatch.setattr("uptime_desktop.declaring.making_so.read_declared", reading)
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        plan = await app.plan(SHOP + filling, "shop.toml")
    assert [one.id for one in plan.differences] == ["shop", "home", "api"]
    assert given == [not filling]


async def test_what_is_applied_holds_at_once_and_after_a_restart(tmp_path: Path) -> None:
    text = (
        SHOP
        + """[settings]
max_concurrent = 5
[[channel]]
id = "team"
url = "json://localhost/x"
[[maintenance]]
id = "night"
days = ["sat"]
at = "02:00"
duration = "1h"
sites = ["shop"]
"""
    )
    for _ in range(2):
        async with app_in(tmp_path) as app:
            await apply(app, text)
            assert app.settings.max_concurrent == 5
            assert [channel.id for channel in app.channels.known] == ["team"]
            assert await app.channels.address("team") == "json://localhost/x"
            assert list(app.windows) == ["night"]
            assert [job.monitor.id for job in app.jobs] == ["home", "api"]
    async with app_in(tmp_path) as app:
        await apply(app, "version = 1\n")
        assert (app.jobs, app.sites, app.windows, app.channels.known) == ((), {}, {}, ())
        assert app.settings.max_concurrent == 64
        assert secrets_in(tmp_path) == {}


async def test_what_is_made_up_is_shown_to_nobody_and_then_stays(tmp_path: Path) -> None:
    text = (
        SHOP
        + """[[site.monitor]]
id = "backup"
kind = "heartbeat"
[[site.monitor]]
id = "grid"
url = "https://shop.example/"
every = "1m"
cadence = "grid"
"""
    )
    async with app_in(tmp_path) as app:
        told = "\n".join(await differences(app, text))
        assert "ping_id" not in told
        assert "anchor" not in told
        await apply(app, text)
        made_up = app.find("backup").monitor.settings["ping_id"]
        assert await differences(app, text) == []
        await apply(app, text.replace('kind = "heartbeat"', 'kind = "heartbeat"\ngrace = "1h"'))
        assert app.find("backup").monitor.settings["ping_id"] == made_up
        assert f'ping_id = "{made_up}"' in await app.toml()


async def test_history_stays_with_what_stays_and_goes_with_what_goes(
    tmp_path: Path, website: Website
) -> None:
    text = SHOP.replace("https://shop.example", website.url)
    async with app_in(tmp_path) as app:
        app.start_timer_only()
        await apply(app, text)
        numbers = {job.monitor.id: job.monitor.number for job in app.jobs}
        for job in app.jobs:
            await app.check_now(job)
        moved = text.replace(
            '[[site.monitor]]\nid = "api"', '[[site]]\nid = "b"\n[[site.monitor]]\nid = "api"'
        )
        await apply(
            app, moved.replace("5m", "7m").replace(f'"{website.url}/"', f'"{website.url}/up"')
        )
        assert app.find("b/api").monitor.number == numbers["api"]
        assert {job.state.health for job in app.jobs} == {Status.UP}
        for number in numbers.values():
            assert len(await app.history.runs(number)) == 1
        await apply(
            app,
            'version = 1\n[[site]]\nid = "shop"\n'
            + text[text.index('[[site.monitor]]\nid = "api"') :],
        )
        assert len(await app.history.runs(numbers["api"])) == 1
        assert len(await app.history.runs(numbers["home"])) == 0
        assert list(app.sites) == ["shop"]


async def test_a_declared_monitor_answers_to_its_site_and_id(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        await apply(app, SHOP.replace('id = "api"', 'id = "shop/home"'))
        assert app.find("shop/home").monitor.id == "shop/home"
        assert app.find("home").monitor.id == "home"
        assert app.find("shop/shop/home").monitor.id == "shop/home"
        with pytest.raises(Refused, match="there is no monitor 'blog/home'"):
            app.find("blog/home")


async def test_the_switch_of_a_site_stays_as_it_is_unless_the_file_says_it(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        await apply(app, SHOP)
        await app.switch_site("shop", on=False)
        assert await differences(app, SHOP) == []
        on = SHOP.replace('id = "shop"', 'id = "shop"\nactive = true')
        assert await differences(app, on) == ["~ site shop", "    active: false → –"]
        await apply(app, on)
        assert all(job.state.pause is None for job in app.jobs)
        await apply(app, on.replace("true", "false"))
        assert {job.state.status for job in app.jobs} == {Status.PAUSED}


async def test_taste_is_left_alone_unless_the_file_says_it(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        await app.change_settings(replace(app.settings, language="zh_CN", sound=True))
        assert await differences(app, "version = 1") == [
            "- setting sound",
            "    sound: true → false",
        ]
        named = 'version = 1\n[settings]\nlanguage = ""\nsound = true\n'
        assert await differences(app, named) == ["- setting language", "    language: zh_CN → –"]


async def test_what_is_over_may_stay_but_nothing_new_may_be_over(tmp_path: Path) -> None:
    once = (
        SHOP
        + """[[site.monitor]]
id = "once"
url = "https://shop.example/"
at = 2027-01-15T08:00:01Z
"""
    )
    window = '[[maintenance]]\nid = "w"\nstarts = 2020-01-01T00:00:00Z\nduration = "1h"\n'
    clock = FakeClock(NOW)
    async with opened(tmp_path / "uptime.db", clock) as app:
        await apply(app, once + window)
        await clock.advance(3_600_000)
        assert await differences(app, once + window) == []
        with pytest.raises(RefusedFile, match="is past"):
            await app.plan(once.replace("08:00:01", "08:00:02"), "shop.toml")


async def test_maintenance_that_was_ended_early_stays_so_until_it_is_another(
    tmp_path: Path,
) -> None:
    text = SHOP + '[[maintenance]]\nid = "w"\ncron = "0 * * * *"\nduration = "10m"\n'
    async with app_in(tmp_path) as app:
        await apply(app, text)
        await app.save_window(replace(app.windows["w"], off_until=NOW + 600_000))
        assert await differences(app, text) == []
        await apply(app, text + 'mode = "pause"\n')
        assert app.windows["w"].off_until == NOW + 600_000
        await apply(app, text.replace("10m", "20m"))
        assert app.windows["w"].off_until is None


@pytest.mark.parametrize("changed", range(5))
async def test_secrets_in_a_file_are_kept_apart_and_only_known_to_differ(
    tmp_path: Path, changed: int
) -> None:
    text = PASSWORDS.replace("PASSWORD", "hunter22")
    parts = PASSWORDS.split("PASSWORD")
    other = "".join(
        part + ("" if at == 5 else "swordfish" if at == changed else "hunter22")
        for at, part in enumerate(parts)
    )
    name = ("team", "basic", "bearer", "userinfo", "header")[changed]
    async with app_in(tmp_path) as app:
        await apply(app, text)
        assert b"hunter22" not in (tmp_path / "uptime.db").read_bytes()
        assert len(secrets_in(tmp_path)) == 5
        assert await differences(app, text) == []
        title, key = await differences(app, other)
        assert title.endswith(f" {name}")
        assert key.endswith(": *** → ***")
        plan = await apply(app, other)
        assert "swordfish" not in repr(plan.differences)
        assert sum("swordfish" in secret for secret in secrets_in(tmp_path).values()) == 1
        assert await differences(app, other) == []
        assert (await apply(app, text)).differences


async def test_a_changed_secret_is_used_from_then_on(tmp_path: Path) -> None:
    def password(app: App) -> str:
        spec = app._meanings.spec_of(app.find("basic").monitor)  # noqa: SLF001
        assert isinstance(spec, HttpSpec)
        return dict(spec.request.headers)["Authorization"]

    async with app_in(tmp_path) as app:
        await apply(app, PASSWORDS)
        first = password(app)
        await apply(app, PASSWORDS.replace('password = "PASSWORD"', 'password = "swordfish"'))
        second = password(app)
        job = app.find("basic")
        await app.edit(job, {**describe_monitor(job.monitor), "password": "hunter22"})
        assert len({first, second, password(app)}) == 3
        await apply(app, PASSWORDS.replace("PASSWORD@localhost", "swordfish@localhost"))
        assert await app.channels.address("team") == "json://ann:swordfish@localhost"


async def test_what_a_reference_names_must_be_there_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        SHOP
        + """password = "secret:shop"
username = "ann"
headers = { X = "a${TOKEN}" }
[[channel]]
id = "team"
url = "${TEAM}"
[[channel]]
id = "boss"
url = "secret:boss"
"""
    )
    monkeypatch.delenv("TOKEN", raising=False)
    nothing = "the environment of the running app has no"
    async with app_in(tmp_path) as app:
        with pytest.raises(RefusedFile) as caught:
            await apply(app, text)
        assert [line.split(". ")[0] for line in caught.value.lines()] == [
            "shop.toml:11:12: site.shop.monitor.api.password: there is no secret 'shop'",
            f"shop.toml:13:11: site.shop.monitor.api.headers: {nothing} 'TOKEN'",
            f"shop.toml:16:7: channel.team.url: {nothing} 'TEAM'",
            "shop.toml:19:7: channel.boss.url: there is no secret 'boss'",
        ]
        assert not app.jobs
        monkeypatch.setenv("TOKEN", "hunter22")
        monkeypatch.setenv("TEAM", "json://localhost/x")
        await app.keep_secret("shop", "hunter22")
        await app.keep_secret("boss", "json://localhost/y")
        await apply(app, text)
        assert await differences(app, text) == []
        monkeypatch.delenv("TEAM")
        with pytest.raises(RefusedFile, match="has no 'TEAM'"):
            await app.plan(text, "shop.toml")


async def test_a_secret_that_changes_while_a_file_is_applied_is_used_as_it_is_then(
    tmp_path: Path,
) -> None:
    text = SHOP + 'headers = { X-Key = "${secret:shop}" }\n'
    async with app_in(tmp_path) as app:
        await app.keep_secret("shop", "hunter22")
        await asyncio.gather(apply(app, text), app.keep_secret("shop", "hunter33"))
        spec: HttpSpec = app._meanings.spec_of(app.find("api").monitor)  # noqa: SLF001
        assert ("X-Key", "hunter33") in spec.request.headers


async def test_a_reference_is_no_way_to_take_a_secret_away_from_who_else_needs_it(
    tmp_path: Path,
) -> None:
    async with app_in(tmp_path) as app:
        await apply(app, PASSWORDS)
        exported = await app.toml()
        renamed = exported.replace('id = "basic"', 'id = "other"').replace(
            'id = "team"', 'id = "t"'
        )
        await apply(app, renamed)
        assert {"basic/password", "channel/team"} <= secrets_in(tmp_path).keys()
    async with app_in(tmp_path) as app:
        assert await differences(app, renamed) == []
        assert await app.channels.address("t") == "json://ann:PASSWORD@localhost"
        await apply(app, renamed.replace("secret:channel/team", "json://localhost/z"))
        assert "channel/team" not in secrets_in(tmp_path)


async def test_what_referred_to_nobody_before_may_go_on_to(tmp_path: Path) -> None:
    text = (
        PASSWORDS
        + """depends_on = ["basic"]
channels = ["team"]
[[site.monitor]]
id = "group"
kind = "group"
members = ["basic", "bearer"]
[[maintenance]]
id = "w"
cron = "0 0 * * *"
duration = "1h"
monitors = ["basic"]
"""
    )
    async with app_in(tmp_path) as app:
        await apply(app, text)
        await app.remove(app.find("basic"))
        await app.channels.remove("team")
        exported = await app.toml()
        assert await differences(app, exported) == []
        with pytest.raises(RefusedFile) as caught:
            await app.plan(exported.replace('["basic"]', '["else"]'), "shop.toml")
        assert len(caught.value.lines()) == 2


FULL: Final = (
    SHOP.replace("https://shop.example/", "https://other.example/")
    + """password = "swordfish"
username = "ann"
[settings]
max_concurrent = 7
[[channel]]
id = "team"
url = "json://swordfish@localhost"
[[channel]]
id = "new"
url = "json://new@localhost"
"""
)
BEFORE: Final = (
    SHOP
    + """password = "hunter22"
username = "ann"
[[channel]]
id = "team"
url = "json://hunter22@localhost"
[[maintenance]]
id = "w"
cron = "0 0 * * *"
duration = "1h"
"""
)


def _fill(db: Any) -> None:
    db.execute_sql("PRAGMA max_page_count = 1")


async def test_a_disk_that_is_full_leaves_everything_as_it_was(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        await apply(app, BEFORE)
        exported, stored, secrets = await app.toml(), stored_in(tmp_path), secrets_in(tmp_path)
        app._writer.call(_fill).result()  # noqa: SLF001
        large = "".join(f'[[site]]\nid = "s{n}"\nname = "{"x" * 200}"\n' for n in range(2_000))
        with pytest.raises(StoreError, match="is full"):
            await apply(app, FULL + large)
        assert (await app.toml(), stored_in(tmp_path), secrets_in(tmp_path)) == (
            exported,
            stored,
            secrets,
        )
        assert await differences(app, BEFORE) == []
        assert await app.channels.address("team") == "json://hunter22@localhost"
        assert app.settings.max_concurrent == 64


@pytest.mark.parametrize("table", ["settings", "channels", "monitors", "sites"])
async def test_what_cannot_be_stored_to_its_end_is_not_begun(tmp_path: Path, table: str) -> None:
    event = "UPDATE" if table == "monitors" else "INSERT"
    text = FULL + '[[site]]\nid = "late"\n'
    async with app_in(tmp_path) as app:
        await apply(app, BEFORE)
        exported, stored, secrets = await app.toml(), stored_in(tmp_path), secrets_in(tmp_path)
        with closing(sqlite3.connect(tmp_path / "uptime.db")) as db:
            db.execute(
                f"CREATE TRIGGER no BEFORE {event} ON {table} BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        with pytest.raises(StoreError):
            await apply(app, text)
        assert (await app.toml(), stored_in(tmp_path), secrets_in(tmp_path)) == (
            exported,
            stored,
            secrets,
        )
        with closing(sqlite3.connect(tmp_path / "uptime.db")) as db:
            db.execute("DROP TRIGGER no")
        await apply(app, text)
        assert await differences(app, text) == []


class _Weary(dict[tuple[str, str], str]):
    """Takes some secrets, and then no more until it has slept."""

    strength = 10**6

    def __setitem__(self, key: tuple[str, str], value: str) -> None:
        self.strength -= 1
        if self.strength < 0:
            raise OSError("the keyring is locked")
        super().__setitem__(key, value)


@pytest.mark.parametrize("strength", [0, 1, 2])
async def test_a_keyring_that_raises_leaves_everything_as_it_was(
    tmp_path: Path, memory_keyring: MemoryKeyring, strength: int
) -> None:
    kept = memory_keyring.kept = _Weary()
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        await apply(app, BEFORE)
        exported, stored = await app.toml(), stored_in(tmp_path)
        secrets = dict(kept)
        kept.strength = strength
        with pytest.raises(StoreError, match="the keyring is locked"):
            await apply(app, FULL)
        assert (await app.toml(), stored_in(tmp_path)) == (exported, stored)
        if strength == 0:
            assert dict(kept) == secrets
        kept.strength = 10**6
        await apply(app, FULL)
        assert await differences(app, FULL) == []
        assert sum("swordfish" in secret for secret in kept.values()) == 2


async def test_without_a_place_for_secrets_a_file_with_some_is_not_taken(tmp_path: Path) -> None:
    async with opened(tmp_path / "uptime.db", FakeClock(NOW)) as app:
        with pytest.raises(StoreError, match="--allow-secret-file"):
            await apply(app, PASSWORDS)
        assert (app.jobs, app.sites, app.channels.known) == ((), {}, ())
        assert stored_in(tmp_path)["monitors"] == []


async def test_five_thousand_monitors_are_planned_and_applied_right(tmp_path: Path) -> None:
    def text(every: str, *left_out: int) -> str:
        parts = ["version = 1\n"]
        for site in range(50):
            parts.append(f'[[site]]\nid = "s{site}"\n')
            parts += [
                f'[[site.monitor]]\nid = "m{n}"\nurl = "https://x.example/{n}"\nevery = "{every}"\n'
                for n in range(site * 100, site * 100 + 100)
                if n not in left_out
            ]
        return "".join(parts)

    async with app_in(tmp_path) as app:
        assert len((await apply(app, text("1h"))).differences) == 5_050
        assert await differences(app, text("1h")) == []
        plan = await apply(app, text("2h", 7, 77, 777))
        assert len(plan.differences) == 5_000
        assert len(app.jobs) == 4_997
        exported = await app.toml((text("1h", 8), "x.toml"))
        assert exported.count('every = "2h"') == 4_997
    async with app_in(tmp_path) as app:
        assert await differences(app, text("2h", 7, 77, 777)) == []
        assert await differences(app, exported) == []


async def test_one_change_comes_after_the_other(tmp_path: Path) -> None:
    keys: dict[str, Setting] = {"name": "x", "url": "https://x.example"}
    async with app_in(tmp_path) as app:
        await asyncio.gather(
            apply(app, SHOP), app.add([keys], "else"), apply(app, SHOP), app.add([keys], "shop")
        )
        assert [job.monitor.id for job in app.jobs] == ["home", "api", "x"]
        assert list(app.sites) == ["shop"]


async def test_what_a_person_sets_while_a_file_is_applied_comes_after_it(tmp_path: Path) -> None:
    text = "version = 1\n[settings]\nmax_concurrent = 7\n"
    async with app_in(tmp_path) as app:
        applied = asyncio.ensure_future(app.apply(text, "uptime.toml"))
        await asyncio.sleep(0)
        await asyncio.gather(
            app.change_settings(replace(app.settings, per_origin=3)),
            app.channels.add("Ours", "json://localhost/ours"),
        )
        await applied
        assert (app.settings.max_concurrent, app.settings.per_origin) == (7, 3)
        assert await differences(app, text) == [
            "- setting per_origin",
            "    per_origin: 3 → 8",
            "- channel ours",
        ]
    async with app_in(tmp_path) as app:
        assert (app.settings.max_concurrent, app.settings.per_origin) == (7, 3)
        assert [one.id for one in app.channels.known] == ["ours"]


async def test_what_means_nothing_now_can_be_moved_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLACE", "shop.example")
    async with app_in(tmp_path) as app:
        await apply(app, SHOP + '[[site]]\nid = "lan"\n')
        for name in ("one", "two"):
            await app.add([{"name": name, "url": "https://x.example", "bearer_token": "${PLACE}"}])
    monkeypatch.delenv("PLACE")
    async with app_in(tmp_path) as app:
        await app.move([app.find("one"), app.find("two")], "lan")
        assert {app.find(name).monitor.site_id for name in ("one", "two")} == {"lan"}


async def test_nothing_goes_that_the_rest_of_the_file_refers_to(tmp_path: Path) -> None:
    whole = """version = 1
[[channel]]
id = "team"
url = "json://localhost/x"
[[site]]
id = "other"
[[site.monitor]]
id = "gone"
url = "https://gone.example/"
[[site]]
id = "shop"
channels = ["team"]
depends_on = ["gone"]
[[site.monitor]]
id = "stays"
url = "https://shop.example/"
depends_on = ["gone"]
channels = ["team"]
[[site.monitor]]
id = "group"
kind = "group"
members = ["gone", "stays"]
[[maintenance]]
id = "night"
cron = "0 0 * * *"
duration = "1h"
sites = ["other"]
monitors = ["gone"]
"""
    rest = "version = 1\n" + whole[whole.index('[[site]]\nid = "shop"') :]
    async with app_in(tmp_path) as app:
        with pytest.raises(RefusedFile) as fresh:
            await apply(app, rest)
        await apply(app, whole)
        with pytest.raises(RefusedFile) as caught:
            await apply(app, rest)
        assert caught.value.lines() == fresh.value.lines()
        assert len(caught.value.lines()) == 7
        assert await differences(app, whole) == []


async def test_a_secret_is_not_replaced_under_whoever_else_refers_to_it(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        await apply(app, PASSWORDS)
        renamed = (await app.toml()).replace('id = "bearer"', 'id = "other"')
        renamed = renamed.replace('id = "team"', 'id = "t"')
        await apply(app, renamed)
        again = """[[site.monitor]]
id = "bearer"
url = "https://x/"
bearer_token = "another"
[[channel]]
id = "team"
url = "json://ann:another@localhost"
"""
        with pytest.raises(RefusedFile) as caught:
            await apply(app, renamed + again)
        told = [line.split(": ", 1)[1] for line in caught.value.lines()]
        said = "belongs to another, which is to have a new one"
        assert [line.partition(". ")[0] for line in told] == [
            f"channel.t.url: 'secret:channel/team' {said}",
            f"site.shop.monitor.other.bearer_token: 'secret:bearer/bearer_token' {said}",
        ]


async def test_what_changes_while_it_is_exported_is_as_it_was(tmp_path: Path) -> None:
    text = 'version = 1\n[[channel]]\nid = "team"\nurl = "json://localhost/x"\n'
    async with app_in(tmp_path) as app:
        await apply(app, text)
        file = text.replace("team", "other")
        exporting = asyncio.ensure_future(app.toml((file, "x")))
        await asyncio.sleep(0)
        await app.channels.remove("team")
        assert 'id = "team"' in await exporting


async def test_a_user_name_may_come_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_USER", "ann")
    text = SHOP + 'username = "${SHOP_USER}"\npassword = "swordfish"\n'
    async with app_in(tmp_path) as app:
        await apply(app, text)
        spec: HttpSpec = app._meanings.spec_of(app.find("api").monitor)  # noqa: SLF001
        assert ("Authorization", "Basic YW5uOnN3b3JkZmlzaA==") in spec.request.headers
        assert await differences(app, text) == []
        assert 'username = "${SHOP_USER}"' in await app.toml()


WRONG: Final = """version = 2
[[channel]]
id = "ops"
url = "nonsense"
name = ""
on = "yes"
[[site]]
id = "s"
depends_on = ["b"]
[[site.monitor]]
id = "a"
timeout = "10"
[[site.monitor]]
id = "b"
url = "https://x.example/"
cron = "61 * * * *"
tz = "Europe/Berlin"
body = { a = "hunter22" }
[[site.monitor]]
id = "c"
url = "https://x.example/"
every = "1"
cron = "0 0 * * *"
jitter = 0.00005
[[maintenance]]
id = "w"
days = ["monday"]
at = "25:00"
duration = "1"
sites = ["nowhere"]
"""


async def test_all_that_is_wrong_is_said_and_nothing_that_only_follows_from_it(
    tmp_path: Path,
) -> None:
    async with app_in(tmp_path) as app:
        with pytest.raises(RefusedFile) as caught:
            await app.plan(WRONG, "x")
        places = [f"{one.line} {one.field}" for one in caught.value.problems]
        assert places == [
            "1 version",
            "4 channel.ops.url",
            "5 channel.ops.name",
            "6 channel.ops.on",
            "9 site.s.depends_on",
            "10 site.s.monitor.a.url",
            "12 site.s.monitor.a.timeout",
            "16 site.s.monitor.b.cron",
            "18 site.s.monitor.b.body",
            "22 site.s.monitor.c.every",
            "23 site.s.monitor.c.cron",
            "27 maintenance.w.days",
            "28 maintenance.w.at",
            "29 maintenance.w.duration",
            "30 maintenance.w.sites",
        ]
        assert "hunter22" not in "".join(caught.value.lines())


LACKING: Final = """version = 1
[[site]]
id = "s"
[[site.monitor]]
id = "x"
url = "htp://x"
regex = "("
depends_on = ["nobody"]
channels = ["ghost"]
[[site.monitor]]
id = "y"
kind = "tcp"
expect = "("
channels = ["ghost"]
[[site.monitor]]
id = "z"
kind = "grpc"
depends_on = ["nobody"]
[[maintenance]]
id = "w"
days = ["sun"]
duration = "2x"
sites = ["ghost"]
[[maintenance]]
id = "until"
starts = "x"
ends = "2026-01-01T00:00:00Z"
[[maintenance]]
id = "back"
starts = "2026-01-01T00:00:00Z"
ends = "2025-01-01T00:00:00Z"
sites = ["ghost"]
[[site]]
id = "  "
[[site.monitor]]
id = "fine"
url = "https://x.example"
every = "30"
"""


async def test_what_is_missing_or_has_no_name_hides_nothing_else_that_is_wrong(
    tmp_path: Path,
) -> None:
    async with app_in(tmp_path) as app:
        with pytest.raises(RefusedFile) as caught:
            await app.plan(LACKING, "x")
        places = [f"{one.line} {one.field}" for one in caught.value.problems]
        assert places == [
            "6 site.s.monitor.x.url",
            "7 site.s.monitor.x.regex",
            "8 site.s.monitor.x.depends_on",
            "9 site.s.monitor.x.channels",
            "10 site.s.monitor.y.host",
            "10 site.s.monitor.y.port",
            "14 site.s.monitor.y.channels",
            "15 site.s.monitor.z.host",
            "18 site.s.monitor.z.depends_on",
            "19 maintenance.w.at",
            "22 maintenance.w.duration",
            "23 maintenance.w.sites",
            "26 maintenance.until.starts",
            "31 maintenance.back.ends",
            "32 maintenance.back.sites",
            "34 site.  .id",
            "38 site.  .monitor.fine.every",
        ]


async def test_secrets_of_things_with_odd_ids_are_told_apart(tmp_path: Path) -> None:
    text = """version = 1
[[channel]]
id = "url"
url = "json://user:first@127.0.0.1:9/"
[[site]]
id = "shop"
[[site.monitor]]
id = "channel"
url = "https://ann:second@127.0.0.1:1/"
[[site.monitor]]
id = "a"
url = "https://127.0.0.1:1/"
headers = { bearer_token = "third" }
[[site.monitor]]
id = "a/headers"
url = "https://127.0.0.1:1/"
bearer_token = "fourth"
"""
    async with app_in(tmp_path) as app:
        await apply(app, text)
        assert await differences(app, text) == []
        kept = " ".join(secrets_in(tmp_path).values())
        assert all(one in kept for one in ("first", "second", "third", "fourth"))
        await app.remove(app.find("a"))
        assert "fourth" in " ".join(secrets_in(tmp_path).values())
