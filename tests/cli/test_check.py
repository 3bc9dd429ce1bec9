"""`check`, and groups on the command line: alone on the database, and through the running app."""

import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.website import Website


@pytest.fixture
def shop(command: Command, website: Website, way: str) -> None:  # noqa: ARG001
    """A group made before anything is known of its two members."""
    for name, path in (("good", "up"), ("bad", "down")):
        later = ("--at", "2999-01-01T00:00:00Z", "--retries", "0")
        command("add", f"{website.url}/{path}", "--name", name, *later)
    added = command("add", "--kind", "group", "good", "bad", "--name", "Shop", "--json")
    assert len(added.document["monitors"]) == 1, added.err


@pytest.mark.usefixtures("shop")
class TestEitherWay:
    def test_with_one_wrong_name_nothing_is_run(self, command: Command, website: Website) -> None:
        printed = command("check", "good", "nobody", f"{website.url}/up")
        assert (printed.code, printed.out) == (2, "")
        assert "there is no monitor 'nobody'" in printed.err
        assert website.asked == []

    def test_a_group_is_judged_after_its_members(self, command: Command) -> None:
        results = command("check", "--json").document["results"]
        found = {one["name"]: one["status"] for one in results}
        assert found == {"good": "up", "bad": "down", "Shop": "down"}

    def test_to_check_a_group_is_to_check_its_members(
        self, command: Command, website: Website
    ) -> None:
        assert command("check", "shop").code == 1
        website.has_recovered = True
        (group,) = command("check", "Shop", "--json").document["results"]
        assert (group["name"], group["status"]) == ("Shop", "up")
        assert sorted(website.asked) == ["/down", "/down", "/up", "/up"]

    def test_a_paused_member_is_left_alone(self, command: Command, website: Website) -> None:
        command("pause", "bad")
        (group,) = command("check", "shop", "--json").document["results"]
        assert (group["status"], website.asked) == ("up", ["/up"])

    def test_a_group_has_members_and_no_schedule(self, command: Command) -> None:
        command("check")
        command("remove", "bad")
        shown = command("show", "shop", "--json").document
        assert shown["members"] == {"good": "up", "bad": "missing"}
        assert shown["schedule"] == ""
        assert "every" not in shown["definition"]
        lines = [line.split() for line in command("show", "shop").out.splitlines()]
        assert ["bad", "missing"] in lines


@pytest.mark.usefixtures("shop")
def test_groups_of_groups_are_judged_from_the_inside(command: Command) -> None:
    assert command("add", "--kind", "group", "shop,good", "--name", "All").code == 0
    results = command("check", "all", "good", "--json").document["results"]
    assert [(one["name"], one["status"]) for one in results] == [("All", "down"), ("good", "up")]


@pytest.mark.usefixtures("way")
def test_a_job_that_reports_says_how_it_stands(command: Command) -> None:
    command("add", "--kind", "heartbeat", "--name", "Backup")
    printed = command("check", "--json")
    assert printed.code == 0, printed.err
    assert [one["status"] for one in printed.document["results"]] == ["pending"]


def test_a_group_without_members_says_what_is_missing(command: Command) -> None:
    printed = command("add", "--kind", "group", "--name", "Shop")
    assert printed.code == 2
    assert printed.err.startswith("uptime-desktop: MEMBERS: it is missing. Allowed: the ids of")
    helped = " ".join(command("add", "--help").out.split())
    assert "of a group: the ids of its members" in helped
    assert "add --kind group shop mail" in helped


def test_what_an_address_refers_to_may_be_missing_without_harm_to_others(
    command: Command, website: Website
) -> None:
    absent = f"{website.url}/${{NO_SUCH_VARIABLE}}"
    results = command("check", f"{website.url}/up", absent, "--json").document["results"]
    assert [one["status"] for one in results] == ["up", "unknown"]


def test_a_run_that_ended_with_the_app_is_not_under_way(
    command: Command, database: Path, website: Website
) -> None:
    command("add", f"{website.url}/up", "--name", "web", "--every", "1h")
    with sqlite3.connect(database) as connection:
        changed = connection.execute("UPDATE states SET running_since = saved_at")
        assert changed.rowcount == 1
    connection.close()
    assert "checking" not in command("list").out
    assert command("show", "web", "--json").document["running_since"] is None


def test_files_are_named_from_the_folder_one_is_in(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command("add", "a.example", "--name", "a", "--ca-file", "pki/ca.pem")
    command("add", "b.example", "--name", "b", "--client-certificate", "~/me.pem")
    shown = [command("show", name, "--json").document["definition"] for name in "ab"]
    assert shown[0]["ca_file"] == str(tmp_path / "pki" / "ca.pem")
    assert shown[1]["client_certificate"] == "~/me.pem"
