"""Sites, monitors and settings."""

from dataclasses import replace

import pytest

from tests.store.build import NOW, add_monitors, broke, outside
from uptime_desktop.domain.model import RuntimeState, Site
from uptime_desktop.domain.records import Change
from uptime_desktop.store import monitors, settings, sites
from uptime_desktop.store.db import Store
from uptime_desktop.store.documents import Json
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.writer import Writer

DEFINITION: dict[str, Json] = {
    "every": "60s",
    "backoff": "exponential",
    "url": "https://shop.example/",
    "retries": 2,
    "follow_redirects": True,
    "accepted": ["200-299", "304"],
    "headers": {"accept": "text/html"},
}


def test_a_monitor_is_kept_with_its_definition_and_first_state(
    store: Store, writer: Writer
) -> None:
    site = writer.call(sites.add_site, "shop", "Shop").result()
    state = RuntimeState(next_run_at=NOW, saved_at=NOW)
    row = writer.call(
        monitors.add_monitor,
        id="home",
        site_id="shop",
        name="Home",
        kind="http",
        definition=DEFINITION,
        state=state,
    ).result()
    loaded = store.load()
    assert loaded.sites == (site,) == (Site(1, "shop", "Shop"),)
    assert loaded.monitors == (row,)
    assert loaded.monitors[0].definition == DEFINITION
    assert list(loaded.monitors[0].definition) == list(DEFINITION)
    assert loaded.states == {row.number: state}


def test_editing_keeps_the_number_and_the_history(store: Store, writer: Writer) -> None:
    (number,) = add_monitors(writer)
    writer.submit(broke(number, NOW))
    row = replace(store.load().monitors[0], name="Start", definition={"every": "5m"})
    writer.call(monitors.edit_monitor, row).result()
    assert store.load().monitors == (row,)
    assert number in store.load().states


def test_removing_a_monitor_takes_its_history_and_never_reuses_its_number(
    store: Store, writer: Writer
) -> None:
    first, second = add_monitors(writer, 2)
    writer.submit(broke(first, NOW))
    writer.submit(broke(second, NOW))
    writer.call(monitors.remove_monitors, [second]).result()
    for table in ("states", "runs", "evidence", "incidents", "open_buckets"):
        assert outside(store.path, f"SELECT DISTINCT monitor FROM {table}") == [(first,)]
    assert add_monitors(writer)[0] > second


def test_changes_of_a_removed_monitor_are_void(store: Store, writer: Writer) -> None:
    kept, removed = add_monitors(writer, 2)
    writer.call(monitors.remove_monitors, [removed]).result()
    writer.submit(broke(removed, NOW))
    writer.submit(Change(kept, RuntimeState(saved_at=NOW)))
    assert writer.flush()
    assert set(store.load().states) == {kept}


def test_a_second_monitor_or_site_of_the_same_id_is_refused(store: Store, writer: Writer) -> None:
    add_monitors(writer)
    row = store.load().monitors[0]
    again = writer.call(
        monitors.add_monitor, id=row.id, site_id=row.site_id, name="", kind="tcp", definition={}
    )
    with pytest.raises(StoreError, match="there is already a monitor monitor-0-0"):
        again.result()
    with pytest.raises(StoreError, match="there is already a site site-0"):
        writer.call(sites.add_site, "site-0", "Again").result()
    assert store.load().monitors == (row,)


def test_a_monitor_needs_a_site_and_a_site_with_monitors_stays(
    store: Store, writer: Writer
) -> None:
    with pytest.raises(StoreError, match="there is no site nowhere"):
        writer.call(
            monitors.add_monitor, id="a", site_id="nowhere", name="", kind="tcp", definition={}
        ).result()
    (number,) = add_monitors(writer)
    site = store.load().sites[0]
    with pytest.raises(StoreError, match="still has monitors"):
        writer.call(sites.remove_site, site.number).result()
    writer.call(monitors.remove_monitors, [number]).result()
    writer.call(sites.remove_site, site.number).result()
    assert store.load().sites == ()


def test_a_site_can_be_switched_off(store: Store, writer: Writer) -> None:
    add_monitors(writer)
    off = replace(store.load().sites[0], is_active=False)
    writer.call(sites.edit_site, off).result()
    assert store.load().sites == (off,)


@pytest.mark.parametrize("value", [None, True, 5, 0.25, "60s", ["a", 1], {"from": "22:00"}])
def test_a_setting_is_read_as_it_was_written(store: Store, writer: Writer, value: Json) -> None:
    writer.call(settings.set_setting, "quiet", "before").result()
    writer.call(settings.set_setting, "quiet", value).result()
    assert store.load().settings == {"quiet": value}
    writer.call(settings.remove_setting, "quiet").result()
    assert store.load().settings == {}
