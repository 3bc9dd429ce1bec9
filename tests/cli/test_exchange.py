"""Moving in and out on the command line: alone on the database, and through the running app."""

import csv
import io
import json
import os
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Command, running_app
from tests.exchange.kuma_files import SECRETS, backup
from tests.exchange.source import written
from uptime_desktop.store.runs_csv import COLUMNS

GATUS: Final = """
endpoints:
  - name: Website
    group: core
    url: "http://127.0.0.1:9/"
    interval: 1h
    conditions: ["[STATUS] == 200"]
"""
MOVED: Final = ("import", "--allow-secret-file")
KINDS: Final = {"http", "ping", "tcp", "dns", "heartbeat", "group"}


@pytest.fixture
def kuma(tmp_path: Path) -> str:
    """A backup of Uptime Kuma; nothing in it is looked at before an hour is over."""
    document = backup()
    for one in document["monitorList"]:
        one["active"] = False
    return str(written(tmp_path, document))


@pytest.fixture
def gatus(tmp_path: Path) -> str:
    path = tmp_path / "config.yaml"
    path.write_text(GATUS)
    return str(path)


def monitors(command: Command) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = command("list", "--json").document["monitors"]
    return listed


@pytest.mark.usefixtures("way")
class TestEitherWay:
    def test_a_dry_run_tells_of_every_field_and_does_nothing(
        self, command: Command, kuma: str, database: Path
    ) -> None:
        printed = command(*MOVED, kuma, "--dry-run")
        assert (printed.code, printed.err) == (0, "")
        assert "monitorList[0].url = https://shop.example/health?x=1" in printed.out
        assert "not supported" in printed.out
        assert "Uptime Kuma: " in printed.out
        assert " monitors, " in printed.out
        assert "added" not in printed.out
        assert not any(secret in printed.out for secret in SECRETS)
        assert monitors(command) == []
        assert not database.with_name("uptime.db.secrets.json").exists()

    def test_what_is_taken_is_watched_and_only_what_differs_is_told(
        self, command: Command, kuma: str
    ) -> None:
        printed = command(*MOVED, kuma)
        assert (printed.code, printed.err) == (0, "")
        listed = monitors(command)
        assert {one["kind"] for one in listed} <= KINDS
        assert printed.out.splitlines()[-1] == f"{len(listed)} monitors added."
        assert "monitorList[0].url " not in printed.out
        assert "not in use  " not in printed.out
        assert not any(secret in printed.out for secret in SECRETS)
        again = command(*MOVED, kuma)
        assert again.code == 0
        there = f"{len(listed)} of them are here already."
        assert again.out.splitlines()[-2:] == [there, "0 monitors added."]
        assert monitors(command) == listed

    def test_json_has_it_all(self, command: Command, gatus: str) -> None:
        dry = command("import", gatus, "--dry-run", "--json").document
        assert (dry["program"], dry["added"], dry["already_there"]) == ("Gatus", None, [])
        assert dry["found"] == {"monitors": 1, "sites": 1, "channels": 0, "windows": 0, "pasts": 0}
        (line,) = [line for line in dry["report"] if line["path"] == "endpoints[0].url"]
        assert (line["thing"], line["fate"], line["how"]) == ("Website", "mapped", "url")
        real = command("import", gatus, "--from", "gatus", "--json").document
        assert real["added"] == ["website"]
        again = command("import", gatus, "--json").document
        assert (again["added"], again["already_there"]) == ([], ["website"])

    @pytest.mark.parametrize(
        ("words", "code", "said"),
        [
            (("import",), 2, "FILE"),
            (("import", "nothing.json"), 2, "FILE: 'nothing.json' is not there"),
            (("import", "x" * 300), 1, "File name too long"),
            (("import", "{other}"), 2, "is no file of a program that is known"),
            (("import", "{empty}"), 2, "is not JSON"),
            (("import", "{kuma}", "--from", "nagios"), 2, "invalid choice: 'nagios'"),
            (("import", "{kuma}", "--from", "healthchecks"), 2, "FILE: "),
            (("import", "{folder}", "--from", "uptime-kuma"), 2, "is no file"),
            (("import", "{half}"), 2, "cannot be restored"),
            (("export", "--format", "xml"), 2, "invalid choice: 'xml'"),
            (("export", "--format", "csv", "--monitor", "nobody"), 2, "--monitor: there is no"),
            (("export", "--monitor", "nobody"), 2, "--monitor has no meaning without --format csv"),
            (("export", "{folder}"), 1, "cannot be written"),
            (("export", "{folder}", "--format", "backup"), 1, "cannot be written"),
            (("export", "{folder}/a/b", "--format", "csv"), 1, "cannot be written"),
        ],
    )
    def test_a_wrong_word_is_one_sentence(
        self,
        command: Command,
        kuma: str,
        tmp_path: Path,
        words: tuple[str, ...],
        code: int,
        said: str,
    ) -> None:
        folder = tmp_path / "folder"
        folder.mkdir()
        files = {"other": "{}", "empty": "", "half": '{"format": "uptime-desktop-backup"'}
        for name, text in files.items():
            (tmp_path / f"{name}.json").write_text(text)
        places = {name: str(tmp_path / f"{name}.json") for name in files}
        given = [word.format(kuma=kuma, folder=folder, **places) for word in words]
        printed = command(*given)
        assert (printed.code, printed.out) == (code, ""), printed
        assert said in printed.err
        assert len(printed.err.splitlines()) == 1

    def test_a_backup_is_restored_into_an_empty_database_and_no_other(
        self, command: Command, gatus: str, tmp_path: Path
    ) -> None:
        command("import", gatus, "--json")
        kept, other = str(tmp_path / "kept.backup"), str(tmp_path / "other.db")
        assert command("export", "--format", "backup", kept) == (0, "", "")
        refused = command("import", kept)
        assert (refused.code, refused.out) == (1, "")
        assert "a backup is only restored where nothing is set up" in refused.err
        dry = command("import", kept, "--dry-run", "--db", other)
        assert dry == (0, "The backup is whole: 1 monitor.\n", "")
        assert command("list", "--json", "--db", other).document["monitors"] == []
        assert command("import", kept, "--db", other) == (0, "1 monitor restored.\n", "")
        (one,) = command("list", "--json", "--db", other).document["monitors"]
        assert one["id"] == "website"
        wrong = command("import", kept, "--from", "uptime-kuma", "--db", str(tmp_path / "new.db"))
        assert wrong.code == 2

    def test_runs_are_a_table_of_all_or_some(
        self, command: Command, gatus: str, tmp_path: Path
    ) -> None:
        command("import", gatus, "--json")
        command("add", "--name", "Other", "--every", "1h", "http://127.0.0.1:9/other")
        command("check", "website", "other")
        printed = command("export", "--format", "csv")
        assert (printed.code, printed.err) == (0, "")
        header, *rows = csv.reader(io.StringIO(printed.out))
        assert tuple(header) == COLUMNS
        assert {row[1] for row in rows} == {"website", "other"}
        path = tmp_path / "runs.csv"
        some = ("export", str(path), "--format", "csv", "--monitor", "other")
        assert command(*some) == (0, "", "")
        with path.open(newline="") as file:
            assert {row[1] for row in csv.reader(file)} == {"monitor", "other"}


def test_a_backup_goes_to_standard_output(command: Command, gatus: str, tmp_path: Path) -> None:
    command("import", gatus, "--json")
    printed = command("export", "--format", "backup", "-")
    assert json.loads(printed.out)["format"] == "uptime-desktop-backup"
    path = tmp_path / "kept"
    path.write_text(printed.out)
    other = str(tmp_path / "other.db")
    assert command("import", str(path), "--db", other).out == "1 monitor restored.\n"


def test_what_comes_on_standard_input_is_taken(
    command: Command, kuma: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(kuma).read_bytes())))
    printed = command(*MOVED, "-", "--json")
    assert (printed.code, printed.err) == (0, "")
    assert printed.document["added"] == [one["id"] for one in monitors(command)]


def test_secrets_that_a_backup_only_names_are_told(
    command: Command, kuma: str, tmp_path: Path
) -> None:
    command(*MOVED, kuma)
    path, other = str(tmp_path / "kept"), str(tmp_path / "other.db")
    command("export", "--format", "backup", path)
    printed = command("import", path, "--db", other)
    assert printed.code == 0
    assert "these are to be entered: " in printed.out
    assert "shop/password" in printed.out
    assert not any(secret in printed.out for secret in SECRETS)


def test_history_of_a_backup_is_there_again(command: Command, gatus: str, tmp_path: Path) -> None:
    command("import", gatus, "--json")
    command("check", "website")
    path, other = str(tmp_path / "kept"), str(tmp_path / "other.db")
    command("export", "--format", "backup", path)
    command("import", path, "--db", other)
    assert (
        command("history", "website", "--json", "--db", other).document
        == command("history", "website", "--json").document
    )


def test_passwords_without_a_place_for_them_leave_nothing(command: Command, kuma: str) -> None:
    printed = command("import", kuma)
    assert (printed.code, printed.out) == (1, "")
    assert "--allow-secret-file" in printed.err
    assert monitors(command) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("words", [["import"], ["export"], ["export", "--format", "backup"]])
def test_nobody_waits_for_the_other_end_of_a_pipe(
    words: list[str], command: Command, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    printed = command(*words, str(tmp_path / "pipe"))
    assert printed.code != 0
    assert "is no file" in printed.err or "cannot be written" in printed.err
    assert printed.err.count("\n") == 1


def test_an_empty_name_is_no_folder_to_look_through(command: Command) -> None:
    printed = command("import", "")
    assert (printed.code, printed.out) == (2, "")
    assert "'' is not there" in printed.err


def test_while_a_file_decides_nothing_is_taken(
    command: Command, database: Path, gatus: str, tmp_path: Path
) -> None:
    config = tmp_path / "shop.toml"
    config.write_text('version = 1\n[[site]]\nid = "shop"\n')
    with running_app(database, "--config", str(config)):
        printed = command("import", gatus)
        assert (printed.code, printed.out) == (1, "")
        assert f"{config} says what is watched" in printed.err
        assert command("import", gatus, "--dry-run").code == 0
