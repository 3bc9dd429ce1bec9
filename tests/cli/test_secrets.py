"""The secret command: what it keeps, and what it refuses."""

import io
from pathlib import Path

import pytest

from tests.cli.conftest import Command


def typing(monkeypatch: pytest.MonkeyPatch, data: bytes, errors: str = "strict") -> None:
    stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors=errors)
    monkeypatch.setattr("sys.stdin", stdin)


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_what_is_no_text_is_refused(
    command: Command, monkeypatch: pytest.MonkeyPatch, errors: str
) -> None:
    typing(monkeypatch, b"\xff\xfe\x80", errors)
    printed = command("secret", "set", "bin", "--allow-secret-file")
    assert (printed.code, printed.out) == (2, "")
    assert "it is not text in UTF-8" in printed.err
    assert len(printed.err.splitlines()) == 1


def test_a_secret_that_is_not_there_cannot_be_removed(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    typing(monkeypatch, b"abcd\n")
    assert command("secret", "set", "tok", "--allow-secret-file").code == 0
    printed = command("secret", "remove", "typo")
    assert printed.code == 2
    assert "there is no secret 'typo'" in printed.err
    assert command("secret", "remove", "tok").code == 0
    assert command("secret", "remove", "tok").code == 2


def test_without_a_keyring_the_flag_that_helps_is_named(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    typing(monkeypatch, b"abcd\n")
    printed = command("secret", "set", "tok")
    assert printed.code != 0
    assert "--allow-secret-file" in printed.err


def test_a_header_given_as_a_flag_can_hold_the_name_of_a_secret(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("add", "http://127.0.0.1:9/", "--name", "a", "--every", "1h")
    header = ("--headers", "Authorization: Bearer ${secret:tok}", "--headers", "Accept: */*")
    refused = command(*words, *header)
    assert refused.code == 2
    assert "headers" in refused.err
    assert command("list", "--json").document["monitors"] == []
    typing(monkeypatch, b"abcd-efgh\n")
    assert command("secret", "set", "tok", "--allow-secret-file").code == 0
    assert command(*words, *header).code == 0
    listed = command("secret", "list", "--json").document["secrets"]
    assert listed == [{"name": "tok", "kept": True}]


def test_a_damaged_file_of_secrets_stops_only_what_needs_it(
    command: Command, database: Path
) -> None:
    typed = ("--password", "hunter22", "--username", "ann", "--allow-secret-file")
    add = ("add", "http://127.0.0.1:9/", "--every", "1h", "--name")
    assert command(*add, "needy", *typed).code == 0
    assert command(*add, "free").code == 0
    database.with_name("uptime.db.secrets.json").write_text("{")
    targets = {one["id"]: one["target"] for one in command("list", "--json").document["monitors"]}
    assert targets["free"] == "http://127.0.0.1:9/"
    assert "cannot be read" in targets["needy"]


def test_the_secret_of_a_channel_is_listed_by_the_name_that_it_was_given(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    typing(monkeypatch, b"json://127.0.0.1:9/x\n")
    assert command("secret", "set", "team-chat", "--allow-secret-file").code == 0
    file, backup = tmp_path / "a.toml", tmp_path / "all.json"
    file.write_text('version = 1\n[[channel]]\nid = "team"\nurl = "secret:team-chat"\n')
    assert command("apply", str(file)).code == 0
    assert command("secret", "remove", "team-chat").code == 0
    listed = command("secret", "list", "--json").document["secrets"]
    assert listed == [{"name": "team-chat", "kept": False}]
    assert command("export", "--format", "backup", str(backup)).code == 0
    elsewhere = ("--db", str(tmp_path / "other.db"), "--json")
    restored = command("import", str(backup), *elsewhere).document
    assert restored["missing_secrets"] == ["team-chat"]
