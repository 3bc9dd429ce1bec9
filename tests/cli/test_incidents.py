"""Incidents on the command line: alone on the database, and through the running app."""

import pytest

from tests.cli.conftest import Command
from tests.website import Website


@pytest.fixture
def trouble(command: Command, website: Website, way: str) -> str:  # noqa: ARG001
    """The number of an incident that is open."""
    down = f"{website.url}/down"
    command("add", down, "--name", "Shop", "--every", "1h", "--retries", "0")
    command("check", "shop")
    (incident,) = command("incidents", "--json").document["incidents"]
    return str(incident["incident"])


def test_an_incident_is_listed_and_shown(command: Command, trouble: str) -> None:
    (listed,) = command("incidents", "--open", "--monitor", "Shop", "--json").document["incidents"]
    assert (listed["monitor"], listed["kind"], listed["severity"]) == ("shop", "down", "high")
    assert listed["reason"] == "HTTP 503 Service Unavailable"
    assert listed["resolved_at"] is None
    assert command("incidents", "show", trouble, "--json").document["story"] == []
    table = command("incidents").out
    assert "shop" in table
    assert "open" in table


def test_what_people_do_about_it_is_its_story(command: Command, trouble: str) -> None:
    command("incidents", "acknowledge", trouble)
    command("incidents", "snooze", trouble, "--for", "2h")
    command("incidents", "note", trouble, "called the provider")
    shown = command("incidents", "show", trouble, "--json").document
    acts = [(one["act"], one["text"]) for one in shown["story"]]
    assert [act for act, _ in acts] == ["acknowledged", "snoozed", "noted"]
    assert acts[1][1] == shown["snoozed_until"]
    assert acts[2][1] == "called the provider"
    assert shown["note"] == "called the provider"
    assert shown["acknowledged_at"] is not None
    assert shown["snoozed_until"] is not None
    assert "snoozed" in command("incidents").out
    command("incidents", "snooze", trouble)
    shown = command("incidents", "show", trouble, "--json").document
    assert shown["snoozed_until"] == "recovery"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("show",), 2, "NUMBER: it is missing"),
        (("show", "nine"), 2, "'nine' is not a whole number"),
        (("show", "999"), 2, "NUMBER: there is no incident 999"),
        (("acknowledge", "999"), 2, "NUMBER: there is no incident 999"),
        (("snooze", "999"), 2, "NUMBER: there is no incident 999"),
        (("note", "999", "hello"), 2, "NUMBER: there is no incident 999"),
        (("note", "1"), 2, "TEXT: it is empty"),
        (("list", "5", "foo"), 2, "unrecognized arguments: 5 foo"),
        (("list", "5"), 2, "unrecognized arguments: 5"),
        (("acknowledge", "1", "foo"), 2, "unrecognized arguments: foo"),
        (("snooze", "1", "--for", "soon"), 2, "--for: 'soon' is not a duration"),
        (("--monitor", "nobody"), 2, "--monitor: there is no monitor 'nobody'"),
        (("--count", "0"), 2, "--count: '0' is not a whole number"),
    ],
)
def test_a_wrong_word_is_one_sentence(
    command: Command, website: Website, words: tuple[str, ...], code: int, said: str
) -> None:
    command("add", f"{website.url}/up", "--every", "1h")
    printed = command("incidents", *words)
    assert (printed.code, printed.out) == (code, "")
    assert said in printed.err


def test_no_trouble_is_said_in_words(command: Command, website: Website) -> None:
    command("add", f"{website.url}/up", "--every", "1h")
    assert command("incidents").out == "There was no trouble.\n"
    assert command("incidents", "--open").out == "There is no trouble.\n"
