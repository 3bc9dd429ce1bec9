"""Monitors on the command line: alone on the database, and through the running app."""

import io
import os
import re
import select
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from tests.cli.conftest import Command, running_app
from tests.website import Website
from uptime_desktop.cli.monitors import _evidence
from uptime_desktop.server.client import call
from uptime_desktop.server.instance import Instance


@pytest.mark.usefixtures("way")
class TestEitherWay:
    def test_what_is_added_is_listed_and_shown(self, command: Command, website: Website) -> None:
        added = command("add", f"{website.url}/up", "--name", "Shop", "--every", "1h", "--json")
        assert added.code == 0, added.err
        (monitor,) = added.document["monitors"]
        assert (monitor["id"], monitor["kind"], monitor["site"]) == ("shop", "http", "default")
        (listed,) = command("list", "--json").document["monitors"]
        assert listed["name"] == "Shop"
        shown = command("show", "Shop", "--json").document
        assert shown["id"] == "shop"
        assert shown["definition"]["every"] == "1h"
        assert shown["target"] == f"{website.url}/up"
        assert {"backoff_attempt", "next_run_at", "consecutive_failures"} <= shown.keys()

    def test_a_check_tells_by_its_exit_code_whether_all_is_up(
        self, command: Command, website: Website
    ) -> None:
        command("add", f"{website.url}/up", "--name", "good", "--every", "1h")
        command("add", f"{website.url}/down", "--name", "bad", "--every", "1h", "--retries", "0")
        assert command("check", "good").code == 0
        bad = command("check", "bad", "--json")
        assert bad.code == 1
        (result,) = bad.document["results"]
        assert (result["status"], result["reason"]) == ("down", "HTTP 503 Service Unavailable")
        assert command("check").code == 1
        state = command("show", "bad", "--json").document
        assert state["status"] == "down"
        assert state["backoff_attempt"] >= 1
        runs = command("history", "bad", "--json").document["runs"]
        assert runs[0]["status"] == "down"
        assert runs[0]["reason"] == "HTTP 503 Service Unavailable"

    def test_an_address_that_is_not_watched_is_checked_once(
        self, command: Command, website: Website
    ) -> None:
        assert command("check", f"{website.url}/up").code == 0
        assert command("check", f"{website.url}/down").code == 1
        assert command("list", "--json").document == {"monitors": []}

    def test_pausing_resuming_hinting_and_removing(
        self, command: Command, website: Website
    ) -> None:
        command("add", f"{website.url}/up", "--name", "web", "--every", "1h")
        assert command("pause", "web", "--json").document["status"] == "paused"
        until = command("pause", "web", "--for", "2h", "--json").document["paused_until"]
        assert until is not None
        assert command("resume", "web", "--json").document["status"] != "paused"
        hinted = command("hint", "web", "--every", "10m", "--for", "30m", "--json").document
        assert hinted["source"] == "hint-interval" or hinted["running_since"]
        assert command("hint", "web", "--clear", "--json").document["hint_until"] is None
        assert command("remove", "web").out == "web: removed\n"
        assert command("list", "--json").document == {"monitors": []}

    @pytest.mark.parametrize(
        ("words", "line"),
        [
            (["show", "nobody"], "MONITOR: there is no monitor 'nobody'. Allowed: an id, or"),
            (["add", "x.example", "--every", "1s"], "--every: 1 s is too short. Allowed: 5 s to"),
            (["add", "x.example", "--kind", "fax"], "--kind: 'fax' is not a kind of check. Allo"),
            (["add", "x.example", "--retries", "99"], "--retries: '99' is not a whole number in"),
            (["add", "ftp://x.example"], "URL: "),
            (["add"], "URL: no address is given. Allowed: one or more, or - for standard"),
            (["pause", "nobody", "--until", "noon"], "--until: 'noon' is not an instant with an"),
        ],
    )
    def test_bad_input_is_one_line_exit_two_and_nothing_changes(
        self, command: Command, words: list[str], line: str
    ) -> None:
        printed = command(*words)
        assert printed.code == 2
        assert printed.out == ""
        assert printed.err.startswith(f"uptime-desktop: {line}")
        assert printed.err.count("\n") == 1
        assert command("list", "--json").document == {"monitors": []}


class TestAlone:
    def test_many_come_from_standard_input_all_or_none(
        self, command: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lines = "# mine\nexample.org\n\nhttps://example.net/path\ndb.example:5432\n"
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        monitors = command("add", "-", "--json").document["monitors"]
        assert [(one["kind"], one["target"]) for one in monitors] == [
            ("http", "https://example.org/"),
            ("http", "https://example.net/path"),
            ("tcp", "db.example:5432"),
        ]
        monkeypatch.setattr("sys.stdin", io.StringIO("fine.example\nftp://no.example\n"))
        assert command("add", "-").code == 2
        assert len(command("list", "--json").document["monitors"]) == 3

    def test_ids_are_made_from_names_and_never_clash(self, command: Command) -> None:
        for _ in range(3):
            command("add", "shop.example")
        monitors = command("list", "--json").document["monitors"]
        assert [one["id"] for one in monitors] == [
            "shop-example",
            "shop-example-2",
            "shop-example-3",
        ]
        assert command("show", "shop.example").code == 2  # three have that name

    def test_the_database_belongs_to_its_owner_alone(
        self, command: Command, database: Path
    ) -> None:
        command("add", "example.org")
        assert stat.S_IMODE(database.stat().st_mode) == 0o600

    def test_tables_are_plain_in_a_pipe(self, command: Command) -> None:
        assert command("list").out.startswith("Nothing is watched yet.")
        command("add", "example.org")
        header, row = command("list").out.splitlines()
        assert header.split()[:2] == ["Id", "Status"]
        assert row.split()[:2] == ["example-org", "pending"]

    def test_show_tells_the_evidence_in_lines(self, command: Command, website: Website) -> None:
        command("add", f"{website.url}/down", "--name", "bad", "--every", "1h", "--retries", "0")
        command("check", "bad")
        seen = command("show", "bad", "--json").document["evidence"]
        lines = command("show", "bad").out.splitlines()
        told = [line.split(maxsplit=1) for line in lines[lines.index("evidence") + 1 :]]
        assert told[0] == ["unmet", "status: expected 200-399, found 503"]
        assert told[1][0] == "timings_ms"
        assert re.fullmatch(r"(\w+ [0-9.e-]+ ms, )+total [0-9.e-]+ ms", told[1][1])
        assert ["address", seen["address"]] in told
        assert ["status_line", seen["status_line"]] in told
        assert ["body", "ok"] in told
        assert ["repeat_with", seen["repeat_with"]] in told
        (first, *_) = (line for line in told if line[0] == "headers")
        assert first[1] == ": ".join(seen["headers"][0])
        assert ": ".join(seen["headers"][1]) in (" ".join(line) for line in told)

    def test_of_a_long_body_only_the_first_lines_are_shown(self) -> None:
        seen: dict[str, object] = {
            "body": "\n".join(str(n) * 300 for n in range(30)),
            "headers": [],
            "address": "",
        }
        rows = list(_evidence(seen, ""))
        assert [row[0] for row in rows] == ["body", *[""] * 8]
        assert rows[0][1] == "0" * 200
        assert rows[-1][1] == "…"

    def test_doctor_looks_at_everything(self, command: Command) -> None:
        command("add", "example.org")
        found = command("doctor", "--json").document
        assert found.keys() == {
            "program", "python", "qt", "display", "tray", "notifications", "keyring", "network",
            "database",
        }  # fmt: skip
        assert found["python"]["ok"]
        assert found["qt"]["ok"]
        assert found["database"]["ok"]

    def test_a_database_that_is_none_is_one_sentence(
        self, command: Command, database: Path
    ) -> None:
        database.parent.mkdir(parents=True)
        database.write_bytes(b"this is not a database, and long enough to be sure of it" * 40)
        printed = command("list")
        assert printed.code == 1
        assert printed.err.count("\n") == 1
        assert str(database) in printed.err
        assert database.read_bytes().startswith(b"this is not a database")
        assert str(database) in command("doctor", "--json").document["database"]["text"]

    def test_a_damaged_database_is_refused_and_left_to_the_app(
        self, command: Command, database: Path
    ) -> None:
        command("add", "example.org")
        with sqlite3.connect(database) as connection:
            connection.execute("UPDATE meta SET value = 1 WHERE key = 'in_use'")
        connection.close()
        database.write_bytes(database.read_bytes()[:-3_000] + b"?" * 3_000)
        found = command("doctor", "--json").document["database"]
        assert found["ok"] is False
        assert "is damaged" in found["text"]
        printed = command("list")
        assert printed.code == 1
        assert printed.err.endswith("start the app, which sets it aside and saves what it can\n")
        assert sorted(path.name for path in database.parent.iterdir() if path.stat().st_size) == [
            "uptime.db"
        ]

    def test_a_database_of_a_newer_version_is_a_problem_to_doctor(
        self, command: Command, database: Path
    ) -> None:
        command("add", "example.org")
        with sqlite3.connect(database) as connection:
            connection.execute("PRAGMA user_version = 99")
        connection.close()
        printed = command("doctor", "--json")
        assert printed.code == 1
        assert "newer version" in printed.document["database"]["text"]

    def test_a_site_is_paused_and_resumed_as_a_whole(self, command: Command) -> None:
        command("add", "a.example", "b.example", "--site", "shop", "--every", "1h")
        assert command("pause", "--site", "shop").out == "shop: paused\n"
        statuses = [one["status"] for one in command("list", "--json").document["monitors"]]
        assert statuses == ["paused", "paused"]
        refused = command("resume", "a-example")
        assert (refused.code, refused.out) == (2, "")
        assert refused.err.startswith("uptime-desktop: --site: 'shop' is switched off")
        assert command("resume", "--site", "shop", "--json").document["is_active"] is True
        for words in (["pause"], ["pause", "x", "--site", "shop"], ["resume", "--site", "gone"]):
            assert command(*words).code == 2
        assert command("pause", "--site", "shop", "--for", "1h").code == 2

    def test_a_file_from_windows_is_read_as_one_from_here(
        self, command: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("\ufeffa.example\r\n\r\nb.example\r\n"))
        added = command("add", "-", "--json").document["monitors"]
        assert [one["target"] for one in added] == ["https://a.example/", "https://b.example/"]


class TestRunning:
    def test_a_second_start_says_so(self, database: Path) -> None:
        with running_app(database):
            second = subprocess.run(
                [sys.executable, "-m", "uptime_desktop", "run", "--headless"],
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "UPTIME_DESKTOP_DB": str(database)},
            )
            assert second.returncode == 1
            assert second.stderr == f"uptime-desktop: it is already running on {database}\n"

    def test_a_deleted_lock_lets_no_second_one_in(self, database: Path, command: Command) -> None:
        with running_app(database):
            database.with_name("uptime.db.lock").unlink()
            assert command("run", "--headless").code == 1
            assert command("add", "example.org", "--every", "1h").code == 0
            assert command("list", "--json").document["monitors"][0]["id"] == "example-org"
        assert not database.with_name("uptime.db.control").exists()

    def test_a_long_command_tells_how_far_it_is(self, database: Path, command: Command) -> None:
        told: list[tuple[int, int]] = []
        with running_app(database):
            endpoint = Instance(database).endpoint()
            assert endpoint is not None
            targets = [f"https://x.example/{n}" for n in range(3_000)]
            keys = {"every": "1h"}
            arguments: dict[str, object] = {"targets": targets, "keys": keys, "site": "many"}
            answer = call(endpoint, "add", arguments, lambda *progress: told.append(progress))
            assert len(cast("list[object]", answer["monitors"])) == 3_000
            assert command("pause", "--site", "many").code == 0
        assert told == sorted(told)
        assert all(0 < done <= total == 3_000 for done, total in told)
        assert told

    def test_who_follows_events_hears_of_the_end(
        self, database: Path, command: Command, website: Website
    ) -> None:
        command("add", f"{website.url}/up", "--every", "1h")
        follow = [sys.executable, "-u", "-m", "uptime_desktop", "events", "--follow"]
        pipe = subprocess.PIPE
        with (
            running_app(database) as app,
            subprocess.Popen(follow, stdout=pipe, stderr=pipe) as events,
        ):
            assert events.stdout is not None
            while not select.select([events.stdout], [], [], 0)[0]:
                command("check")
            app.kill()
            _, complaint = events.communicate(timeout=10)
        assert events.returncode == 1
        assert complaint.startswith(b"uptime-desktop: the running program ")

    def test_events_are_told_as_they_happen(
        self, database: Path, command: Command, website: Website
    ) -> None:
        with running_app(database):
            command(
                "add", f"{website.url}/down", "--name", "bad", "--every", "1h", "--retries", "0"
            )
            follow = [sys.executable, "-m", "uptime_desktop", "events", "--follow", "--json"]
            with subprocess.Popen(follow, stdout=subprocess.PIPE, text=True) as events:
                assert events.stdout is not None
                # The reader is there once it hears of a check that was asked for after it came.
                heard = ""
                while "ManualCheckStarted" not in heard:
                    command("check", "bad")
                    if select.select([events.stdout], [], [], 0)[0]:
                        heard = events.stdout.readline()
                events.send_signal(signal.SIGTERM)
                # Nobody reads what it still has to say.
                assert events.wait(10) == 0

    def test_ctrl_c_ends_it_with_everything_on_disk(
        self, database: Path, command: Command, website: Website
    ) -> None:
        with running_app(database) as app:
            command(
                "add", f"{website.url}/down", "--name", "bad", "--every", "1h", "--retries", "0"
            )
            command("check", "bad")
            app.send_signal(signal.SIGINT)
            assert app.wait(10) == 0
        with sqlite3.connect(database) as connection:
            (count,) = connection.execute("SELECT count(*) FROM runs").fetchone()
        connection.close()
        assert count >= 1
        assert not database.with_name("uptime.db-wal").exists()
        assert command("show", "bad", "--json").document["status"] == "down"

    def test_after_kill_nine_it_knows_what_it_knew(
        self, database: Path, command: Command, website: Website
    ) -> None:
        with running_app(database) as app:
            command(
                "add", f"{website.url}/down", "--name", "bad", "--every", "1h", "--retries", "0"
            )
            command("check", "bad")
            before = command("history", "bad", "--json").document["runs"]
            app.kill()
            app.wait(10)
        after = command("show", "bad", "--json").document
        assert after["backoff_attempt"] == 1
        assert after["status"] == "down"
        assert command("history", "bad", "--json").document["runs"] == before


class TestSecrets:
    def test_a_password_needs_a_place_and_is_then_nowhere_else(
        self, database: Path, command: Command, website: Website
    ) -> None:
        url = website.url.replace("http://", "http://bob:hunter2@") + "/down"
        with running_app(database):
            words = ("add", url, "--name", "web", "--every", "1h", "--retries", "0")
            headers = ("--headers", "X-Api-Key: s3same", "--headers", "Accept: text/plain")
            refused = command(*words, *headers)
            assert refused.code == 1
            assert refused.err.startswith("uptime-desktop: This computer has no keyring")
            assert command(*words, *headers, "--allow-secret-file").code == 0
            printed = [
                command("check", "web", "--json"),
                command("show", "web"),
                command("show", "web", "--json"),
                command("list"),
                command("history", "web", "--json"),
            ]
            assert printed[0].code == 1
            with sqlite3.connect(database) as connection:
                dump = "\n".join(connection.iterdump())
            connection.close()
        secrets = database.with_name("uptime.db.secrets.json")
        assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
        assert "hunter2" in secrets.read_text()
        files = [path for path in database.parent.iterdir() if path != secrets]
        everything = [*(path.read_bytes() for path in files), dump.encode()]
        everything += [one.out.encode() + one.err.encode() for one in printed]
        for text in everything:
            assert b"hunter2" not in text
            assert b"s3same" not in text
        assert command("check", "web").code == 1  # and it still works after a restart
        command("remove", "web")
        assert "hunter2" not in secrets.read_text()


def test_why_something_is_down_is_known_after_a_restart(command: Command, website: Website) -> None:
    command("add", f"{website.url}/down", "--name", "bad", "--every", "1h", "--retries", "0")
    command("check", "bad")
    assert command("show", "bad", "--json").document["reason"] == "HTTP 503 Service Unavailable"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--every", "1s"], "--every: 1 s is too short. Allowed: 5 s to 30 d."),
        (["--at", "2020-01-01T00:00:00Z"], "--at: '2020-01-01T00:00:00Z' is past. Allowed: a time"),
    ],
)
def test_a_hint_that_cannot_be_is_refused(command: Command, words: list[str], line: str) -> None:
    command("add", "example.org", "--every", "1h")
    printed = command("hint", "example-org", *words)
    assert printed.code == 2
    assert printed.err.startswith(f"uptime-desktop: {line}")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["pause", "example-org", "--for", "9999999d"], "--for: 9999999 d is too long. Allowed: 1"),
        (["hint", "example-org", "--every", "10s", "--for", "0s"], "--for: 0 ms is too short."),
        (["add", "example.org", "--name", "a\x1bb"], "--name: 'a\\x1bb' cannot be a name."),
        (["add", "example.org", "--name", "\udcff"], "'\\udcff' is not text; UTF-8 is expected"),
        (["check", "bob:hunter2@127.0.0.1:1"], ""),
    ],
)
def test_what_would_do_harm_later_is_refused_at_once(
    command: Command, words: list[str], line: str
) -> None:
    command("add", "example.org", "--every", "1h")
    printed = command(*words)
    assert printed.code == 2
    assert printed.err.startswith(f"uptime-desktop: {line}")
    assert printed.err.count("\n") == 1
    assert "hunter2" not in printed.err
    assert command("list").code == 0


def test_a_symlink_to_a_database_is_that_database(database: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(database)
    with running_app(database):
        second = subprocess.run(
            [sys.executable, "-m", "uptime_desktop", "run", "--headless", "--db", str(link)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert second.returncode == 1
        assert "already running" in second.stderr


def test_an_unwritable_place_is_one_sentence(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    printed = command("add", "a.example", "--db", str(tmp_path / "file" / "uptime.db"))
    assert printed.code == 1
    assert printed.err.count("\n") == 1


def test_sigterm_ends_a_command_as_ctrl_c_does(database: Path) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
    with subprocess.Popen([sys.executable, "-m", "uptime_desktop", "check", url]) as check:
        connection, _ = silent.accept()
        check.send_signal(signal.SIGTERM)
        assert check.wait(10) == 130
        connection.close()
    silent.close()
    assert not database.with_name("uptime.db-wal").exists()


def test_a_check_of_what_is_paused_meanwhile_is_answered(database: Path, command: Command) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    with running_app(database):
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        command("add", url, "--name", "hung", "--at", "2999-01-01T00:00:00Z")
        words = [sys.executable, "-m", "uptime_desktop", "check", "hung", "--json"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as check:
            connection, _ = silent.accept()
            command("pause", "hung")
            answer, _ = check.communicate(timeout=10)
        connection.close()
    silent.close()
    assert '"status": "unknown"' in answer
