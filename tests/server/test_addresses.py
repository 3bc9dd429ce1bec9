"""Names of monitors, as requests claim them."""

import pytest

from tests.server.rig import BACKUP, PING_KEY, REPORT, UNKNOWN_ID
from uptime_desktop.server.addresses import Address, AddressBook, external_key


@pytest.mark.parametrize(
    ("group", "name", "key"),
    [
        ("home", "backup", "home_backup"),
        ("", "Backup", "_backup"),
        (" My Site ", "a/b_c.d,e#f+g&h i", "my-site_a-b-c-d-e-f-g-h-i"),
        ("Büro", "Café", "büro_café"),
    ],
)
def test_a_gatus_key_is_made_of_group_and_name(group: str, name: str, key: str) -> None:
    assert external_key(group, name) == key


def test_an_address_is_found_by_each_of_its_names() -> None:
    book = AddressBook([BACKUP, REPORT], PING_KEY)
    assert book.by_id(BACKUP.ping_id) == [BACKUP]
    assert book.by_slug(PING_KEY, "backup") == [BACKUP]
    assert book.by_endpoint("home_backup", BACKUP.ping_id) == [BACKUP]
    assert book.has_endpoint("home_report")
    assert book.is_ping_key(PING_KEY)


def test_a_name_of_one_sort_is_none_of_another() -> None:
    book = AddressBook([BACKUP, REPORT], PING_KEY)
    assert book.by_id("backup") == []
    assert book.by_id(UNKNOWN_ID) == []
    assert book.by_slug("", "backup") == []
    assert book.by_slug(BACKUP.ping_id, "backup") == []
    assert book.by_endpoint("home_report", BACKUP.ping_id) == []
    assert not book.has_endpoint("home")


def test_nothing_is_found_under_an_empty_name() -> None:
    book = AddressBook([Address(("a", "b"), UNKNOWN_ID, "", "")])
    assert book.by_slug("", "") == []
    assert book.by_endpoint("", UNKNOWN_ID) == []
    assert not book.is_ping_key("")


def test_known_twice_is_known_once() -> None:
    book = AddressBook([BACKUP, BACKUP], PING_KEY)
    book.add(BACKUP)
    assert book.by_slug(PING_KEY, "backup") == [BACKUP]
