"""Secrets leave the settings before they are stored and come back before a check."""

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import keyring
import pytest
from keyring.errors import KeyringLocked

from tests.checks.servers import answering, read_request, serving
from tests.domain.build import monitor as built_monitor
from tests.store.build import NOW
from tests.store.test_secrets import BrokenKeyring
from uptime_desktop.checks.base import evidence_left
from uptime_desktop.checks.credentials import (
    hidden_texts,
    secret_names,
    with_secrets,
    without_secrets,
)
from uptime_desktop.checks.redaction import redacted
from uptime_desktop.checks.registry import KINDS
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.meanings import Meanings
from uptime_desktop.store.secrets import Secrets

SETTINGS: dict[str, Setting] = {
    "url": "https://bob:hunter2@example.org/",
    "headers": {"Authorization": "Bearer t0k3n", "Accept": "text/html"},
    "method": "GET",
}


def test_what_is_stored_holds_no_secret_and_reads_back_whole() -> None:
    stored, secrets = without_secrets(KINDS["http"], "shop", SETTINGS)
    assert stored == {
        "url": "secret:shop/url",
        "headers": {"Authorization": "secret:shop/headers/Authorization", "Accept": "text/html"},
        "method": "GET",
    }
    assert sorted(secret_names(stored)) == sorted(secrets)
    assert with_secrets(KINDS["http"], stored, secrets.__getitem__, str) == SETTINGS


def test_what_is_stored_already_is_left_alone() -> None:
    stored, _ = without_secrets(KINDS["http"], "shop", SETTINGS)
    assert without_secrets(KINDS["http"], "shop", stored) == (stored, {})


def test_settings_without_secrets_stay_as_they_are() -> None:
    plain: dict[str, Setting] = {"url": "https://example.org/", "headers": {"Accept": "text/html"}}
    assert without_secrets(KINDS["http"], "shop", plain) == (plain, {})


HEADERS_IN_EVERY_FORM: list[Any] = [
    {"X-Plain": "${secret:tok}", "Cookie": "id=abcd", "Accept": "*/*"},
    ["X-Plain: ${secret:tok}", "Cookie: id=abcd", "Accept: */*"],
    ("X-Plain: ${secret:tok}", "Cookie: id=abcd", "Accept: */*"),
    "X-Plain: ${secret:tok}\nCookie: id=abcd\nAccept: */*",
]


@pytest.mark.parametrize("headers", HEADERS_IN_EVERY_FORM)
def test_a_table_is_understood_in_every_form_it_can_be_given(headers: Any) -> None:
    stored, secrets = without_secrets(KINDS["http"], "shop", {"url": "a", "headers": headers})
    assert stored["headers"] == {
        "X-Plain": "${secret:tok}",
        "Cookie": "secret:shop/headers/Cookie",
        "Accept": "*/*",
    }
    assert secrets == {"shop/headers/Cookie": "id=abcd"}
    named = {**secrets, "tok": "t0k3n"}
    whole = with_secrets(KINDS["http"], {"headers": headers}, named.__getitem__, str)
    assert whole["headers"] == {"X-Plain": "t0k3n", "Cookie": "id=abcd", "Accept": "*/*"}
    assert set(hidden_texts(KINDS["http"].fields, whole)) == {"id=abcd", "t0k3n"}
    assert secret_names({"": headers}) == ["tok"]


def test_a_whole_value_in_a_list_of_lines_can_be_the_name_of_a_secret() -> None:
    assert secret_names({"headers": ("X-Key: secret:tok", "Accept: */*")}) == ["tok"]


@pytest.mark.parametrize(
    ("body", "stored"),
    [
        ('{"user": "${ANN}", "password": "hunter2"}', '{"user": "${ANN}", "password": "#1"}'),
        ("password=hunter2&token=${secret:tok}", "password=#1&token=${secret:tok}"),
        ("go to https://${ANN}:hunter2@a.example/", "go to https://${ANN}:#1@a.example/"),
        ("token=${secret:shop/body/1}&pwd=abcd", "token=${secret:shop/body/1}&pwd=#2"),
        ("token=abc$${d} ${ANN}", "token=abc$${d} ${ANN}"),
    ],
)
def test_beside_the_name_of_a_secret_no_other_is_stored(body: str, stored: str) -> None:
    settings: dict[str, Setting] = {"url": "https://a.example/", "body": body}
    storable, secrets = without_secrets(KINDS["http"], "shop", settings)
    expected = re.sub(r"#(\d)", r"${secret:shop/body/\1}", stored)
    assert storable["body"] == expected
    assert without_secrets(KINDS["http"], "shop", storable) == (storable, {})
    known = {"shop/body/1": "x", "tok": "y", **secrets}
    whole = with_secrets(KINDS["http"], storable, known.__getitem__, str)
    assert whole == with_secrets(KINDS["http"], settings, known.__getitem__, str)


def test_a_dollar_that_names_nothing_survives_being_kept() -> None:
    settings: dict[str, Setting] = {"url": "https://example.org/", "password": "a$${b}c"}
    stored, secrets = without_secrets(KINDS["http"], "shop", settings)
    whole = with_secrets(KINDS["http"], settings, str, str)
    assert with_secrets(KINDS["http"], stored, secrets.__getitem__, str) == whole
    assert whole["password"] == "a${b}c"


@pytest.fixture
def kept(tmp_path: Path) -> Secrets:
    secrets = Secrets(tmp_path / "uptime.db")
    secrets.record_consent(NOW)
    return secrets


async def meanings_with(kept: Secrets, settings: Mapping[str, Any]) -> Meanings:
    kept.set("tok", "t0k3n-value")
    meanings = Meanings(kept)
    await meanings.fetch_secrets([settings])
    return meanings


@pytest.mark.asyncio
@pytest.mark.parametrize("headers", HEADERS_IN_EVERY_FORM)
async def test_what_is_stored_is_typed_and_can_be_understood(kept: Secrets, headers: Any) -> None:
    settings = {"url": "http://a.example/", "headers": headers, "accepted_codes": "200,401"}
    monitor = built_monitor(kind="http", settings=settings)
    meanings = await meanings_with(kept, settings)
    stored, secrets, meaning = meanings.storable(monitor)
    assert stored.settings["accepted_codes"] == ("200", "401")
    assert isinstance(stored.settings["headers"], Mapping)
    async with meanings.keeping(secrets):
        meanings.understand(stored)
    assert meanings.spec_of(stored) == meaning.spec
    sent = dict(meanings.spec_of(stored).request.headers)
    assert (sent["X-Plain"], sent["Cookie"]) == ("t0k3n-value", "id=abcd")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"headers": ["X: ${secret:none}"]},
            "headers: there is no secret 'none'. Allowed: one that was kept with:",
        ),
        (
            {"password": "secret:shop/password"},
            "password: there is no secret 'shop/password'. Allowed: it entered again: edit the",
        ),
        (
            {"bearer_token": "${NO_SUCH_VARIABLE}"},
            "bearer_token: the environment of the running app has no 'NO_SUCH_VARIABLE'. Allowed:",
        ),
        (
            {"headers": ["X: ${secret:tok}", "Bad Name: x"]},
            "headers: 'Bad Name' is not a header's name. Allowed: letters, digits and -.",
        ),
    ],
)
async def test_a_name_without_a_secret_is_refused_at_the_setting_that_has_it(
    kept: Secrets, settings: dict[str, Any], said: str
) -> None:
    whole = {"url": "http://a.example/", **settings}
    meanings = await meanings_with(kept, whole)
    with pytest.raises(Refused) as refused:
        meanings.storable(built_monitor(kind="http", settings=whole))
    assert str(refused.value).startswith(said)


def echo(data: bytes) -> bytes:
    head = f"HTTP/1.1 500 Broken t0k3n-value\r\nX-Echo: {data.decode()}\r\nContent-Length: "
    return f"{head}{len(data)}\r\n\r\n".encode() + data


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "settings",
    [
        {"headers": {"X-Plain": "${secret:tok}"}},
        {"headers": {"X-Plain": "secret:tok"}},
        {"headers": {"X-Plain": "${PLANTED}"}},
        {"url": "?q=${secret:tok}"},
        {"url": "${PLANTED}/"},
        {"method": "POST", "body": "hello ${secret:tok}"},
        {"headers": {"X-Plain": "${secret:tok}"}, "header_match": {"X-Echo": "none such"}},
        {"headers": {"X-Plain": "${secret:tok}"}, "keyword": "none such"},
    ],
)
async def test_what_came_in_place_of_a_name_is_hidden_wherever_it_stood(
    kept: Secrets, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]
) -> None:
    monkeypatch.setenv("PLANTED", "t0k3n-value")
    async with answering(echo(b"you said t0k3n-value")) as server:
        whole = {**settings, "url": server.url + settings.get("url", "")}
        monitor = built_monitor(kind="http", settings=whole, timeout_ms=5_000)
        meanings = await meanings_with(kept, whole)
        meanings.understand(monitor)
        outcome = await meanings.check(monitor)
    assert b"t0k3n-value" in server.requests[0]
    assert outcome.evidence is not None
    assert outcome.evidence.body == "you said ***"
    assert "t0k3n-value" not in f"{outcome} {meanings.target_of(monitor)}"
    assert redacted("said t0k3n-value") == "said ***"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("http", {"url": "https://a.example/?q=${secret:tok}", "headers": ["X: ${secret:tok}"]}),
        ("websocket", {"url": "wss://a.example/${secret:tok}", "headers": ["X: ${secret:tok}"]}),
        ("websocket", {"url": "wss://a.example/", "send": "hello ${secret:tok}"}),
        ("grpc", {"host": "grpcs://a.example", "metadata": ["x-plain: ${secret:tok}"]}),
        ("remote", {"url": "https://a.example/${secret:tok}/", "username": "ann"}),
        ("tcp", {"host": "a.example:1", "send": "hello ${secret:tok}"}),
    ],
)
async def test_every_kind_hides_what_came_in_place_of_a_name(
    kept: Secrets, kind: str, settings: dict[str, Any]
) -> None:
    monitor = built_monitor(kind=kind, settings=settings)
    meanings = await meanings_with(kept, settings)
    meanings.understand(monitor)
    spec = meanings.spec_of(monitor)
    assert "t0k3n-value" in spec.secrets
    assert "t0k3n-value" not in f"{spec} {meanings.target_of(monitor)}"


@pytest.mark.asyncio
async def test_a_check_that_was_stopped_leaves_nothing_secret_behind(kept: Secrets) -> None:
    was_asked = asyncio.Event()

    async def hang(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await read_request(reader)
        was_asked.set()
        await asyncio.Event().wait()

    async with serving(hang) as server:
        settings = {"url": server.url, "headers": {"X-Plain": "${secret:tok}"}}
        monitor = built_monitor(kind="http", settings=settings, timeout_ms=5_000)
        meanings = await meanings_with(kept, settings)
        meanings.understand(monitor)
        looking = asyncio.ensure_future(meanings.check(monitor))
        await was_asked.wait()
        looking.cancel()
        with pytest.raises(asyncio.CancelledError) as stopped:
            await looking
    left = evidence_left(stopped.value)
    assert left is not None
    assert "X-Plain: ***" in left.repeat_with


@pytest.mark.asyncio
async def test_a_header_with_a_secret_by_name_does_not_follow_elsewhere(kept: Secrets) -> None:
    async with answering(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") as last:
        moved = f"HTTP/1.1 302 Found\r\nLocation: {last.url}\r\nContent-Length: 0\r\n\r\n"
        async with answering(moved.encode()) as first:
            headers = {
                "X-Plain": "${secret:tok}",
                "X-Back": "https://ann:hunter2@a.example/",
                "X-Note": "hello",
            }
            settings = {"url": first.url, "headers": headers}
            monitor = built_monitor(kind="http", settings=settings, timeout_ms=5_000)
            meanings = await meanings_with(kept, settings)
            meanings.understand(monitor)
            await meanings.check(monitor)
    assert b"t0k3n-value" in first.requests[0]
    assert b"hello" in last.requests[0]
    assert b"t0k3n-value" not in last.requests[0]
    assert b"hunter2" not in last.requests[0]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("send", "secret"),
    [
        ("AUTH password=hunter2\\r\\n\\r\\n", "hunter2"),
        ("AUTH hunter2\\r\\n\\r\\n", "hunter2"),
        ("say ${secret:tok}\\r\\n\\r\\n", "t0k3n-value"),
    ],
)
async def test_what_tcp_sent_is_not_kept_where_it_comes_back(
    kept: Secrets, send: str, secret: str
) -> None:
    async with answering(f"bad {secret}, bye".encode()) as server:
        target = f"127.0.0.1:{server.port}"
        settings = {"host": target, "send": send, "expect": "welcome"}
        monitor = built_monitor(kind="tcp", settings=settings, timeout_ms=5_000)
        meanings = await meanings_with(kept, settings)
        meanings.understand(monitor)
        outcome = await meanings.check(monitor)
    assert secret.encode() in server.requests[0]
    assert outcome.evidence is not None
    assert outcome.evidence.body == "bad ***, bye"
    assert secret not in f"{outcome} {meanings.spec_of(monitor)}".replace(target, "")


@pytest.mark.asyncio
async def test_a_keyring_that_does_not_work_stops_only_what_needs_it(
    kept: Secrets, caplog: pytest.LogCaptureFixture
) -> None:
    kept.set("other", "value")
    before = keyring.get_keyring()
    keyring.set_keyring(BrokenKeyring(KeyringLocked("locked")))
    needy = {"url": "http://a.example/", "bearer_token": "secret:tok"}
    also = {"url": "http://a.example/", "bearer_token": "secret:more"}
    free = {"url": "http://a.example/", "bearer_token": "secret:other"}
    meanings = Meanings(kept)
    try:
        await meanings.fetch_secrets([needy, free, also])
    finally:
        keyring.set_keyring(before)
    meanings.understand(built_monitor(kind="http", settings=free))
    for settings in (needy, also):
        with pytest.raises(Refused, match="The keyring of this computer does not work") as refused:
            meanings.understand(built_monitor(kind="http", settings=settings))
        assert refused.value.field == "bearer_token"
    assert len(caplog.records) == 1


@pytest.mark.asyncio
async def test_only_a_secret_that_is_there_can_be_forgotten(kept: Secrets) -> None:
    meanings = Meanings(kept)
    await meanings.keep_secret("tok", "value")
    assert await meanings.named_secrets() == ["tok"]
    await meanings.keep_secret("tok", None)
    with pytest.raises(Refused, match="there is no secret 'tok'"):
        await meanings.keep_secret("tok", None)
