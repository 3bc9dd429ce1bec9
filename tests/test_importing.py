"""What another program's file holds becomes ours, beside what is here and none of its business."""

import json
import sqlite3
from contextlib import closing
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import pytest

from tests.exchange import uptime_watcher_files
from tests.exchange.kuma_files import NOW, backup, insert, monitor
from tests.exchange.source import written
from tests.exchange.test_healthchecks import V3 as HEALTHCHECKS
from tests.fakes import FakeClock
from tests.importing_build import (
    NIGHT,
    app_in,
    everything,
    found,
    http,
    kuma_database,
    moved_in,
    past,
    take,
    whole_lines,
)
from tests.website import Website
from uptime_desktop.app import opened
from uptime_desktop.domain.definition import describe_monitor
from uptime_desktop.domain.maintenance_definition import parse_window
from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS, Keys, PauseReason
from uptime_desktop.domain.status import Status
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.report import Fate
from uptime_desktop.importing import Brought, Sighted

pytestmark = pytest.mark.asyncio

GATUS: Final = """
maintenance: {start: "23:00", duration: 1h}
alerting:
  custom: {url: "https://hook.example/alert", method: POST}
endpoints:
  - name: Website
    group: core
    url: "https://${WATCHED_HOST}/health"
    headers: {Authorization: "Bearer ${API_TOKEN}"}
    conditions: ["[STATUS] == 200"]
    maintenance-windows: [{start: "07:30", duration: 40m}]
external-endpoints:
  - {name: Nightly, group: core, token: external-potato, heartbeat: {interval: 30m}}
"""

# What is taken


async def test_a_backup_of_uptime_kuma_is_watched_as_it_was(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        brought = await moved_in(app, written(tmp_path, backup()))
        jobs = {job.monitor.id: job for job in app.jobs}
        shop = describe_monitor(jobs["shop"].monitor)
        assert shop["url"] == "https://shop.example/health?x=1"
        assert shop["channels"] == ("desktop", "night-watch")
        assert jobs["shop"].monitor.site_id == "production"
        assert set(app.sites) == {job.monitor.site_id for job in app.jobs}
        assert [channel.id for channel in app.channels.known] == ["night-watch"]
        assert (len(brought.monitors), brought.channels) == (len(app.jobs), 1)
        assert (brought.sites, brought.windows, brought.pasts) == (len(app.sites), 0, 0)
        before = everything(app, tmp_path)
        assert "hunter2" not in repr(before[1])  # type: ignore[index]
    async with app_in(tmp_path) as app:
        assert everything(app, tmp_path) == before


async def test_a_database_of_uptime_kuma_comes_with_its_history(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        brought = await moved_in(app, kuma_database(tmp_path))
        number = app.find("shop").monitor.number
        runs = await app.history.runs(number)
        assert [run.status for run in runs].count(Status.DOWN) == 2
        assert (len(runs), brought.pasts) == (60, 1)
        uptimes = await app.history.uptimes(DAY_MS, NOW)
        assert uptimes == {number: 58 / 60}
        (incident,) = await app.history.incidents()
        assert incident.resolved_at == NOW - 29 * MINUTE_MS
        points = await app.history.response_times(number, DAY_MS, NOW)
        assert {point.median_ms for point in points} >= {20.0}
        (window,) = app.windows.values()
        assert (window.name, window.monitors) == ("Patch day", frozenset({"shop"}))


async def test_what_was_paused_is_and_is_not_looked_at(tmp_path: Path, website: Website) -> None:
    names = [f"off-{at}" for at in range(1_000)]
    async with opened(tmp_path / "uptime.db") as app:
        app.start()
        many = ({"id": name, "url": f"{website.url}/{name}"} for name in names)
        await take(app, *many, http("on"), paused=frozenset(names))
        (ours,) = await app.add([{"name": "ours", "url": f"{website.url}/up"}])
        await app.check_now(app.job_of(ours))
        assert set(website.asked) == {"/up"}
        paused = [job.monitor.id for job in app.jobs if job.state.pause is not None]
        assert paused == names
        off = app.find("off-0").state.pause
        assert off is not None
        assert off.reason is PauseReason.ASKED
    async with opened(tmp_path / "uptime.db") as app:
        assert [job.monitor.id for job in app.jobs if job.state.pause is not None] == names


async def test_ids_that_are_taken_are_others_here_and_so_is_what_refers_to_them(
    tmp_path: Path,
) -> None:
    async with app_in(tmp_path) as app:
        await app.add([http("shop", name="Ours")])
        await take(
            app,
            http("shop"),
            http("db", depends_on=("shop",)),
            {"id": "all", "kind": "group", "members": ("shop", "db")},
            {"id": "whole", "kind": "group", "members": ("all",)},
            windows=({**NIGHT, "monitors": ("shop",)},),
        )
        assert app.find("shop").monitor.name == "Ours"
        assert app.find("shop-2").monitor.name == "shop"
        assert app.find("db").monitor.depends_on == ("shop-2",)
        assert app.find("all").monitor.settings["members"] == ("shop-2", "db")
        assert app.find("whole").monitor.settings["members"] == ("all",)
        assert app.windows["night"].monitors == {"shop-2"}


async def test_a_site_of_the_same_id_is_the_same_site(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        await app.add([http("ours")], "web")
        before = app.sites["web"]
        brought = await take(app, http("shop"))
        assert (app.sites, brought.sites) == ({"web": before}, 0)
        assert app.find("shop").monitor.site_id == "web"


async def test_channels_and_windows_of_taken_ids_get_free_ones(tmp_path: Path) -> None:
    keys = [{"id": name, "name": name} for name in ("ops", "ops-2", "desktop")]
    windows = [
        {**NIGHT, "id": name, "at": at} for name, at in (("night", "3:00"), ("night-2", "4:00"))
    ]
    async with app_in(tmp_path) as app:
        await app.channels.add("Ours", "json://ann:s3same@localhost/ours", "ops")
        await app.save_window(parse_window(NIGHT, NOW))
        brought = await take(
            app,
            http("shop", channels=("ops", "ops-2", "desktop")),
            channels=tuple(one | {"url": f"json://b:pw@localhost/{one['id']}"} for one in keys),
            windows=tuple(windows),
        )
        assert (brought.channels, brought.windows) == (3, 2)
        ids = app.find("shop").monitor.alert.channels
        assert ids is not None
        addresses = [await app.channels.address(one) for one in ids]
        assert addresses == [f"json://b:pw@localhost/{one['id']}" for one in keys]
        assert await app.channels.address("ops") == "json://ann:s3same@localhost/ours"
        assert len(app.windows) == 3


async def test_a_channel_that_goes_where_one_of_ours_does_is_that_one(tmp_path: Path) -> None:
    url = "json://ann:s3same@localhost/ours"
    async with app_in(tmp_path) as app:
        ours = await app.channels.add("Ours", url, is_on=False)
        theirs = {"id": "theirs", "name": "Theirs", "url": url}
        brought = await take(app, http("shop", channels=("theirs",)), channels=(theirs,))
        assert (brought.channels, app.channels.known) == (0, (ours,))
        assert app.find("shop").monitor.alert.channels == ("ours",)


async def test_a_long_name_that_two_channels_have_is_no_reason_to_lose_one(tmp_path: Path) -> None:
    list_ = [
        {"id": at, "name": "Everybody who has to hear of it at night, first", "active": True}
        | {"config": json.dumps({"type": "apprise", "appriseURL": f"json://localhost/{at}"})}
        for at in (1, 2)
    ]
    document = {**backup(), "notificationList": list_}
    async with app_in(tmp_path) as app:
        brought = await moved_in(app, written(tmp_path, document))
        assert brought.channels == 2


async def test_a_window_for_all_of_a_file_is_not_for_what_was_here(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        await take(app, http("shop"), windows=(NIGHT,))
        assert app.windows["night"].monitors == frozenset()
        other = {**NIGHT, "id": "other", "at": "05:00"}
        await take(app, http("db"), windows=(other,))
        assert app.windows["other"].monitors == {"db"}


async def test_a_site_that_is_switched_off_stays_so(tmp_path: Path) -> None:
    document = deepcopy(uptime_watcher_files.CURRENT)
    document["sites"][0]["monitoring"] = False
    async with app_in(tmp_path) as app:
        await moved_in(app, written(tmp_path, document))
        assert [site.is_active for site in app.sites.values()] == [False] + [True] * (
            len(app.sites) - 1
        )


# What is here already


def kuma_json(folder: Path) -> Path:
    return written(folder, backup())


def gatus_file(folder: Path) -> Path:
    path = folder / "config.yaml"
    path.write_text(GATUS)
    return path


def healthchecks_file(folder: Path) -> Path:
    return written(folder, HEALTHCHECKS)


def healthchecks_read_only(folder: Path) -> Path:
    """As a key lists them that may only read."""
    checks = [
        {key: value for key, value in check.items() if key not in ("uuid", "ping_url")}
        for check in HEALTHCHECKS["checks"]
    ]
    return written(folder, {"checks": checks})


def uptime_watcher_file(folder: Path) -> Path:
    return written(folder, uptime_watcher_files.CURRENT)


@pytest.mark.parametrize(
    "file",
    [
        kuma_json,
        kuma_database,
        gatus_file,
        healthchecks_file,
        healthchecks_read_only,
        uptime_watcher_file,
    ],
)
async def test_importing_twice_adds_nothing(
    tmp_path: Path, file: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHED_HOST", "shop.example")
    monkeypatch.setenv("API_TOKEN", "s3cret-token")
    path = file(tmp_path)
    async with app_in(tmp_path) as app:
        # The ids that the file would have are taken, and so is what it calls its channel.
        names = ("Shop", "Website", "All", "Production", "Nightly", "Network")
        await app.add(
            [http(f"x{at}", id=name.lower(), name="Ours") for at, name in enumerate(names)]
        )
        await app.channels.add("Night watch", "json://ann:s3same@localhost")
        first = await moved_in(app, path)
        assert first.monitors
        before = everything(app, tmp_path)
        sighted = await app.look_into(path)
        assert sighted.twins == {str(keys["id"]) for keys in sighted.found.monitors}
        again = await app.bring_in(sighted)
        assert again == Brought((), 0, 0, 0, 0)
        assert everything(app, tmp_path) == before


async def test_maintenance_that_was_switched_on_by_hand_comes_only_once(tmp_path: Path) -> None:
    path = kuma_database(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        insert(
            connection, "maintenance", {"id": 2, "title": "Now", "strategy": "manual", "active": 1}
        )
        insert(connection, "monitor_maintenance", {"monitor_id": 1, "maintenance_id": 2})
    clock = FakeClock(NOW)
    async with opened(tmp_path / "uptime.db", clock) as app:
        assert (await moved_in(app, path)).windows == 2
        before = dict(app.windows)
        await clock.advance(HOUR_MS)
        assert (await moved_in(app, path)).windows == 0
        assert app.windows == before


@pytest.mark.parametrize(
    "other", [{"starts": "2026-02-02T05:00:00Z"}, {"mode": "silence"}, {"name": "Else"}]
)
async def test_another_window_of_the_same_days_is_another(
    tmp_path: Path, other: dict[str, str]
) -> None:
    once: dict[str, Any] = {
        "id": "once",
        "name": "Once",
        "mode": "pause",
        "starts": "2026-02-02T03:00:00Z",
    }
    async with app_in(tmp_path) as app:
        for given in (once, {**once, **other}):
            ends = given["starts"].replace(":00:00Z", ":30:00Z")
            window = {**given, "ends": ends, "monitors": ("shop",)}
            assert (await take(app, http("shop"), windows=(window,))).windows == 1


async def test_a_twin_is_left_alone_and_referred_to(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        await app.add([http("here", name="shop", url="https://shop.example/", every="7m")])
        await take(
            app,
            http("shop", every="1m"),
            {"id": "all", "kind": "group", "members": ("shop",)},
            paused=frozenset({"shop"}),
            past=lambda: iter([past("shop", Status.UP)]),
            past_count=1,
        )
        assert app.find("all").monitor.settings["members"] == ("here",)
        ours = app.find("here")
        assert describe_monitor(ours.monitor)["every"] == "7m"
        assert ours.state.pause is None
        assert await app.history.runs(ours.monitor.number) == ()
        assert len(app.jobs) == 2


def job(name: str, token: str) -> dict[str, Any]:
    return {"id": name, "kind": "heartbeat", "every": "30m", "token": token}


@pytest.mark.parametrize(
    ("later", "came"),
    [
        (("gamma",), {"gamma"}),
        (("aaa", "alpha", "beta"), {"aaa"}),
        (("beta", "alpha"), set()),
    ],
)
async def test_jobs_with_one_token_are_told_apart_by_their_names(
    tmp_path: Path, later: tuple[str, ...], came: set[str]
) -> None:
    async with app_in(tmp_path) as app:
        await take(app, job("alpha", "shared"), job("beta", "shared"))
        brought = await take(app, *(job(name, "shared") for name in later))
        assert {monitor.id for monitor in brought.monitors} == came


async def test_a_job_with_a_token_of_its_own_is_known_by_it_under_another_name(
    tmp_path: Path,
) -> None:
    async with app_in(tmp_path) as app:
        await take(app, job("nightly", "its-own"), job("hourly", "another"))
        assert (await take(app, job("every night", "its-own"))).monitors == ()


async def test_what_came_to_a_group_and_a_window_since_is_told_and_not_doubled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def file(*members: str) -> Found:
        group: Keys = {"id": "all", "kind": "group", "members": members}
        return found(
            *(http(name) for name in members), group, windows=({**NIGHT, "monitors": members},)
        )

    async with app_in(tmp_path) as app:
        await app.bring_in(Sighted(file("a", "b"), frozenset()))
        grown = file("a", "b", "c")
        monkeypatch.setattr("uptime_desktop.importing.moving_in._read", lambda *_: grown)
        brought = await app.bring_in(sighted := await app.look_into(tmp_path))
        assert [monitor.id for monitor in brought.monitors] == ["c"]
        assert brought.windows == 0
        assert {
            line.thing: line.how for line in whole_lines(sighted.found.report)
        } == dict.fromkeys(("all", "Night"), "it is here already, without some of these monitors")


# What is not


async def test_what_cannot_be_is_left_out_with_what_is_built_on_it_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = found(
        http("good"),
        http("bad", retries=99),
        {"id": "inner", "kind": "group", "members": ("good", "bad")},
        {"id": "outer", "kind": "group", "members": ("inner",)},
        channels=({"id": "odd", "name": "Odd", "url": "nonsense"},),
        windows=({"id": "odd", "name": "Odd window", "days": ("someday",), "at": "1:00"},),
    )
    monkeypatch.setattr("uptime_desktop.importing.moving_in._read", lambda *_: whole)
    async with app_in(tmp_path) as app:
        sighted = await app.look_into(tmp_path)
        lines = {line.thing: (line.fate, line.how) for line in whole_lines(whole.report)}
        assert lines.keys() == {"bad", "inner", "outer", "Odd", "Odd window"}
        assert {fate for fate, _ in lines.values()} == {Fate.UNSUPPORTED}
        assert lines["bad"][1].startswith("it cannot be taken: retries: ")
        assert lines["inner"][1].startswith("it cannot be taken: members: there is no monitor")
        brought = await app.bring_in(sighted)
        assert [monitor.id for monitor in brought.monitors] == ["good"]
        assert (brought.channels, brought.windows) == (0, 0)


async def test_a_circle_through_what_was_here_costs_only_what_closes_it(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        await app.add([http("router", name="Router")], "network")
        await app.add([http("ours", name="Ours")], "web")
        await app.change_site(replace(app.sites["web"], depends_on=("site:network",)))
        members = ("ours",)
        group: Keys = {"id": "all", "kind": "group", "members": members, "site": "network"}
        brought = await take(app, http("db", depends_on=("ours",)), group)
        assert [monitor.id for monitor in brought.monitors] == ["db"]


async def test_groups_in_a_circle_cost_only_one_of_them_and_what_is_built_on_it(
    tmp_path: Path,
) -> None:
    async with app_in(tmp_path) as app:
        circle = {"a": ("b",), "b": ("c", "db"), "c": ("a", "db"), "d": ("db",)}
        groups: list[Keys] = [
            {"id": name, "kind": "group", "members": of} for name, of in circle.items()
        ]
        brought = await take(app, *groups, http("db"))
        assert [monitor.id for monitor in brought.monitors] == ["d", "db"]


async def test_a_window_whose_monitors_are_left_out_is_left_out(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        gone = {**NIGHT, "monitors": ("bad",)}
        brought = await take(app, http("good"), http("bad", retries=99), windows=(gone,))
        assert (brought.windows, app.windows) == (0, {})


# What is no business of theirs


def with_notification(url: str) -> dict[str, Any]:
    config = json.dumps({"type": "apprise", "appriseURL": url})
    return {"id": 1, "name": "Chat", "active": True, "config": config}


@pytest.mark.parametrize(
    "keys",
    [
        {"headers": '{"X-Key": "secret:ours"}'},
        {"url": "secret:ours"},
        {"body": "secret:ours", "method": "POST"},
        {"authMethod": "basic", "basic_auth_user": "me", "basic_auth_pass": "secret:ours"},
    ],
)
async def test_no_text_of_theirs_names_a_secret_of_ours(
    tmp_path: Path, keys: dict[str, Any]
) -> None:
    document = {
        "version": "1.23.16",
        "notificationList": [with_notification("secret:channel/ours")],
        "monitorList": [
            monitor(1, "Sly", "http", **{"url": "https://x.example/", **keys}),
            monitor(2, "Good", "http", url="https://y.example/"),
        ],
    }
    async with app_in(tmp_path) as app:
        await app.keep_secret("ours", "https://s3same.example/")
        await app.channels.add("Ours", "json://ann:s3same@localhost")
        sighted = await app.look_into(written(tmp_path, document))
        told = {
            line.thing: line.how
            for line in sighted.found.report.lines
            if line.fate is Fate.UNSUPPORTED
        }
        brought = await app.bring_in(sighted)
        assert [one.id for one in brought.monitors] == ["good"], told
        assert brought.channels == 0
        assert "s3same" not in repr(sighted)


async def test_a_secret_is_not_named_by_a_part_of_a_list_either(tmp_path: Path) -> None:
    async with app_in(tmp_path) as app:
        await app.keep_secret("ours", "s3same")
        brought = await take(
            app,
            http("lines", headers="Accept: */*\nX-Key: secret:ours"),
            http("list", headers=("Accept: */*", "X-Key:   secret:ours")),
            http("inside", headers={"X-Key": "a ${secret:ours}"}),
            knows_variables=True,
        )
        assert brought.monitors == ()


async def test_what_looks_like_a_variable_is_a_text_like_any(
    tmp_path: Path, website: Website, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OURS", "s3same")
    document = {
        "version": "1.23.16",
        "notificationList": [with_notification("json://localhost/${OURS}")],
        "monitorList": [
            monitor(
                *(1, "Shop", "http"),
                url=f"{website.url}/${{OURS}}?a=${{secret:ours}}&b=$${{OURS}}",
                headers='{"X-Plain": "${OURS}", "Authorization": "Bearer ${OURS}"}',
                method="GET",
            )
        ],
    }
    async with app_in(tmp_path) as app:
        await app.keep_secret("ours", "s3same")
        await moved_in(app, written(tmp_path, document))
        assert "s3same" not in await app.channels.address("chat")
        job = app.find("shop")
        app.start_timer_only()
        await app.check_now(job)
        (asked,) = map(unquote, website.asked)
        assert asked == "/${OURS}?a=${secret:ours}&b=$${OURS}"
        spec: Any = app._meanings.spec_of(job.monitor)  # noqa: SLF001
        sent = dict(spec.request.headers)
        assert (sent["X-Plain"], sent["Authorization"]) == ("${OURS}", "Bearer ${OURS}")


async def test_a_program_that_knows_variables_means_those_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHED_HOST", "shop.example")
    monkeypatch.delenv("API_TOKEN", raising=False)
    async with app_in(tmp_path) as app:
        sighted = await app.look_into(gatus_file(tmp_path))
        told = [line.how for line in whole_lines(sighted.found.report)]
        assert any("the environment of the running app has no 'API_TOKEN'" in one for one in told)
        monkeypatch.setenv("API_TOKEN", "s3cret-token")
        await moved_in(app, gatus_file(tmp_path))
        settings = app.find("website").monitor.settings
        assert settings["headers"] == {"Authorization": "Bearer ${API_TOKEN}"}
