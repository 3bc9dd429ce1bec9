"""Secrets: in the keyring, or in a private file if the user agreed, never in the database."""

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail
from keyring.errors import KeyringLocked

from tests.store.build import NOW
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.secrets import Secrets


class MemoryKeyring(KeyringBackend):
    """A keyring that works and forgets."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class BrokenKeyring(MemoryKeyring):
    """A keyring that is there and does not work."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.kept = _Broken(error)


class _Broken(dict[tuple[str, str], str]):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def get(self, *_: object) -> NoReturn:
        raise self._error

    def __setitem__(self, *_: object) -> NoReturn:
        raise self._error

    def __delitem__(self, *_: object) -> NoReturn:
        raise self._error


@pytest.fixture(autouse=True)
def _restore_keyring() -> Iterator[None]:
    before = keyring.get_keyring()
    yield
    keyring.set_keyring(before)


@pytest.fixture
def secrets(tmp_path: Path) -> Secrets:
    return Secrets(tmp_path / "uptime.db")


def test_a_secret_is_in_the_keyring_and_nowhere_else(secrets: Secrets, tmp_path: Path) -> None:
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    secrets.set("home/password", "hunter2")
    assert secrets.get("home/password") == "hunter2"
    [((service, name), kept)] = backend.kept.items()
    assert (service.partition(":")[0], name, kept) == ("uptime-desktop", "home/password", "hunter2")
    assert list(tmp_path.iterdir()) == []
    assert secrets.trouble() is None
    secrets.delete("home/password")
    secrets.delete("home/password")
    assert secrets.get("home/password") is None


def test_without_a_keyring_nothing_is_kept_before_the_user_agrees(secrets: Secrets) -> None:
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    assert secrets.trouble() == "This computer has no keyring to keep passwords in."
    assert secrets.get("token") is None
    with pytest.raises(StoreError) as refused:
        secrets.set("token", "abc")
    assert refused.value.text() == (
        "This computer has no keyring to keep passwords in. "
        "Allow a private file instead (on the command line with --allow-secret-file), "
        "or set up a keyring."
    )
    assert not secrets.path.exists()
    secrets.delete("token")


def test_with_consent_secrets_are_in_a_file_that_nobody_else_may_read(secrets: Secrets) -> None:
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    assert not secrets.has_consent()
    secrets.record_consent(NOW)
    assert secrets.has_consent()
    secrets.set("token", "abc")
    secrets.set("other", "ä ")
    assert stat.S_IMODE(secrets.path.stat().st_mode) == 0o600
    assert f'"agreed_at": {NOW}' in secrets.path.read_text()
    again = Secrets(secrets.database)
    assert (again.get("token"), again.get("other"), again.get("none")) == ("abc", "ä ", None)
    again.delete("token")
    assert secrets.get("token") is None
    secrets.withdraw_consent()
    assert not secrets.path.exists()


@pytest.mark.parametrize("error", [KeyringLocked("locked"), RuntimeError("no bus"), OSError(5)])
def test_a_broken_keyring_is_said_in_a_sentence(secrets: Secrets, error: Exception) -> None:
    keyring.set_keyring(BrokenKeyring(error))
    with pytest.raises(StoreError, match="The keyring of this computer does not work"):
        secrets.set("token", "abc")
    with pytest.raises(StoreError, match=type(error).__name__):
        secrets.get("token")
    assert secrets.trouble() is not None
    secrets.delete("token")
    secrets.record_consent(NOW)
    secrets.set("token", "abc")
    assert secrets.get("token") == "abc"


def test_a_keyring_that_appears_takes_over_what_is_set_again(secrets: Secrets) -> None:
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    secrets.record_consent(NOW)
    secrets.set("token", "old")
    keyring.set_keyring(MemoryKeyring())
    assert secrets.get("token") == "old"
    secrets.set("token", "new")
    assert secrets.get("token") == "new"
    assert "old" not in secrets.path.read_text()


def test_a_file_that_is_no_json_is_said_in_a_sentence(secrets: Secrets) -> None:
    secrets.path.write_text("{")
    with pytest.raises(StoreError, match="cannot be read"):
        secrets.get("token")


def test_a_damaged_file_does_not_hide_what_the_keyring_holds(secrets: Secrets) -> None:
    keyring.set_keyring(MemoryKeyring())
    secrets.set("token", "abc")
    secrets.path.write_text("{")
    assert secrets.get("token") == "abc"
    with pytest.raises(StoreError, match="cannot be read"):
        secrets.get("other")


def test_databases_do_not_touch_the_secrets_of_one_another(tmp_path: Path) -> None:
    keyring.set_keyring(MemoryKeyring())
    one, other = Secrets(tmp_path / "one.db"), Secrets(tmp_path / "other.db")
    one.set("home/password", "hunter2")
    other.set("home/password", "trustno1")
    assert one.get("home/password") == "hunter2"
    other.delete("home/password")
    assert one.get("home/password") == "hunter2"
    assert Secrets(tmp_path / "folder" / ".." / "one.db").get("home/password") == "hunter2"


@pytest.mark.parametrize("name", ["token", "home/password"])
def test_a_secret_of_when_databases_shared_a_service_is_found_and_moved(
    secrets: Secrets, name: str
) -> None:
    backend = MemoryKeyring()
    backend.kept["uptime-desktop", name] = "old"
    keyring.set_keyring(backend)
    assert secrets.get(name) == "old"
    assert ("uptime-desktop", name) not in backend.kept
    assert secrets.get(name) == "old"
    secrets.delete(name)
    assert secrets.get(name) is None


def test_what_another_database_still_has_in_the_shared_service_is_not_taken(
    secrets: Secrets,
) -> None:
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    secrets.set("token", "ours")
    backend.kept["uptime-desktop", "token"] = "theirs"
    secrets.delete("token")
    assert secrets.get("token") is None
    assert Secrets(secrets.database.with_name("other.db")).get("token") == "theirs"


@pytest.mark.parametrize("backend", [MemoryKeyring, fail.Keyring])
def test_the_names_that_people_gave_are_told(
    secrets: Secrets, backend: type[KeyringBackend]
) -> None:
    keyring.set_keyring(backend())
    secrets.record_consent(NOW)
    assert secrets.names() == []
    for name in ("token", "home/password", "key", "token"):
        secrets.set(name, "abc")
    assert secrets.names() == ["key", "token"]
    secrets.delete("token")
    assert Secrets(secrets.database).names() == ["key"]


def test_a_keyring_that_failed_is_not_asked_again_where_that_is_known(secrets: Secrets) -> None:
    keyring.set_keyring(BrokenKeyring(KeyringLocked("locked")))
    with pytest.raises(StoreError):
        secrets.get("token")
    keyring.set_keyring(MemoryKeyring())
    with pytest.raises(StoreError, match="does not work"):
        secrets.get("token", has_failed=True)
    assert secrets.get("token") is None
