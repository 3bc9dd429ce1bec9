"""Whose file it is."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from tests.exchange.kuma_files import NOW, backup, create, insert
from tests.exchange.uptime_watcher_files import CURRENT as WATCHER
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.exchange.importers.recognising import program_of, read
from uptime_desktop.exchange.programs import PROGRAMS
from uptime_desktop.store.db import open_store

GATUS = Path(__file__).parent / "gatus"


def written(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document))
    return path


def test_each_file_is_recognised_by_itself(tmp_path: Path) -> None:
    create(tmp_path / "kuma.db", 2).close()
    checks = {"checks": [{"name": "a", "timeout": 60, "grace": 60, "uuid": "x"}]}
    for path, name in (
        (tmp_path / "kuma.db", "uptime-kuma"),
        (written(tmp_path / "kuma.json", backup()), "uptime-kuma"),
        (written(tmp_path / "checks.json", checks), "healthchecks"),
        (written(tmp_path / "watcher.json", WATCHER), "uptime-watcher"),
        (GATUS / "current.yaml", "gatus"),
        (GATUS, "gatus"),
    ):
        assert program_of(path) == name, path


@pytest.mark.parametrize("settings", [None, {"type": "sqlite"}])
def test_the_data_folder_of_uptime_kuma_is_its_database(
    tmp_path: Path, settings: object | None
) -> None:
    connection = create(tmp_path / "kuma.db", 2)
    row = {"name": "Shop", "type": "http", "url": "https://shop.example/"}
    insert(connection, "monitor", row)
    connection.close()
    (tmp_path / "config.yaml").write_text("a: b")
    if settings is not None:
        written(tmp_path / "db-config.json", settings)
    assert program_of(tmp_path) == "uptime-kuma"
    assert [keys["name"] for keys in read(tmp_path, None, NOW).monitors] == ["Shop"]


def test_what_uptime_kuma_keeps_elsewhere_is_told_in_one_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    create(folder / "kuma.db", 2).close()
    settings = {"type": "mariadb", "hostname": "db", "password": "hunter2"}
    alone = written(folder / "db-config.json", settings)
    dump = tmp_path / "kuma.sql"
    dump.write_text("CREATE TABLE monitor (id INT);")
    unnamed = tmp_path / "dump.txt"
    unnamed.write_text("-- MariaDB dump 10.19  Distrib 10.11.6-MariaDB\n")
    for path in (folder, alone, dump, unnamed):
        for look in (program_of, lambda path: read(path, "uptime-kuma", NOW)):
            with pytest.raises(Refused, match=r"Allowed: the kuma\.db of Uptime Kuma") as refused:
                look(path)
            assert "hunter2" not in str(refused.value)


def test_what_is_our_own_is_told_where_it_belongs(tmp_path: Path) -> None:
    open_store(tmp_path / "own.db", 0).store.close()
    (tmp_path / "own.toml").write_text("version = 1")
    for name, way in (("own.db", "run --db FILE"), ("own.toml", "apply FILE")):
        with pytest.raises(Refused, match=f"Allowed: uptime-desktop {way}"):
            program_of(tmp_path / name)


def test_what_is_nobodys_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "other.json", {"hello": "world"})
    with pytest.raises(Refused, match="a file of Uptime Kuma, Gatus, Healthchecks"):
        program_of(tmp_path / "other.json")
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE songs (name TEXT)")
    connection.close()
    assert program_of(tmp_path / "other.db") == "uptime-kuma"
    with pytest.raises(Refused, match=r"other\.db"):
        read(tmp_path / "other.db", None, 0)
    with pytest.raises(Refused, match="uptime-kuma, gatus, healthchecks, uptime-watcher"):
        read(tmp_path / "other.db", "nagios", 0)


def test_every_program_by_its_name_can_be_read(tmp_path: Path) -> None:
    for name in PROGRAMS:
        with pytest.raises(Refused) as refused:
            read(tmp_path / "missing", name, 0)
        assert refused.value.field == "file"


@pytest.mark.parametrize(
    ("text", "name"), [("endpoints: []\n", "gatus"), (json.dumps(WATCHER), "uptime-watcher")]
)
def test_what_has_no_name_is_known_by_how_it_begins(tmp_path: Path, text: str, name: str) -> None:
    (tmp_path / "standard-input").write_text(text)
    assert program_of(tmp_path / "standard-input") == name


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Refused, match="is no file"):
        program_of(tmp_path / "pipe")
