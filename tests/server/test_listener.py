"""Jobs report over HTTP, and each dialect is answered as its clients expect."""

import asyncio
import errno
import logging
import os
import socket
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.fakes import until
from tests.server.rig import BACKUP, NOW_MS, PING_KEY, REPORT, UNKNOWN_ID, Rig, listening, read_all
from uptime_desktop.domain.heartbeats import Ping, Signal
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.server.listener import Address, AddressBook, CannotListen

pytestmark = pytest.mark.asyncio

ID = BACKUP.ping_id
PUSH = f"/api/push/{ID}"
EXTERNAL = "/api/v1/endpoints/home_backup/external"


@pytest_asyncio.fixture
async def rig(caplog: pytest.LogCaptureFixture) -> AsyncIterator[Rig]:
    async with listening(caplog) as rig:
        yield rig


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
@pytest.mark.parametrize("target", [f"/ping/{ID}", f"/{ID}/", f"/ping/{PING_KEY}/backup"])
async def test_a_ping_is_heard(rig: Rig, method: str, target: str) -> None:
    reply = await rig.ask(target, method)
    assert (reply.status, reply.body) == (200, "" if method == "HEAD" else "OK")
    assert reply.headers["content-length"] == "2"
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    assert reply.headers["access-control-allow-origin"] == "*"
    assert reply.headers["ping-body-limit"] == "10000"
    assert "no-cache" in reply.headers["cache-control"]
    assert rig.heard == [(BACKUP.key, Ping(Signal.SUCCESS, NOW_MS))]


async def test_a_ping_carries_what_the_job_sent(rig: Rig) -> None:
    run_id = "9b9c4a8e-2d3f-4b3a-9f63-0a1b2c3d4e5f"
    await rig.ask(f"/ping/{ID}/3?rid={run_id}", "POST", "grün\n")
    assert rig.heard == [(BACKUP.key, Ping(Signal.FAIL, NOW_MS, run_id, 3, body="grün\n"))]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("a" * 10_000, "a" * 10_000),
        ("a" * 10_001, "a" * 10_000),
        ("a" * 9_999 + "ü", "a" * 9_999),
        ("ab" * 500_000, "ab" * 5_000),
    ],
)
async def test_long_bodies_are_cut_not_refused(rig: Rig, sent: str, kept: str) -> None:
    reply = await rig.ask(f"/ping/{ID}", "POST", sent)
    assert (reply.status, reply.body) == (200, "OK")
    assert rig.heard[0][1].body == kept


@pytest.mark.parametrize(
    ("target", "method", "status", "text"),
    [
        (f"/ping/{UNKNOWN_ID}", "GET", 404, "not found"),
        (f"/ping/{UNKNOWN_ID}/fail", "POST", 404, "not found"),
        (f"/ping/{PING_KEY}/other", "GET", 404, "not found"),
        (f"/ping/{PING_KEY}x/backup", "GET", 404, "not found"),
        (f"/ping/{PING_KEY}x/backup?create=1", "GET", 404, "not found"),
        (f"/ping/{PING_KEY}/Backup?create=1", "GET", 400, "invalid url format"),
        (f"/ping/{ID}/256", "GET", 400, "invalid url format"),
        (f"/ping/{ID}?rid=1", "GET", 400, "invalid url format"),
        ("/", "GET", 404, "not found"),
        (f"/ping/{ID}", "PUT", 405, "method not allowed"),
        (f"/ping/{ID}", "OPTIONS", 405, "method not allowed"),
        (f"/ping/{PING_KEY}/backup", "DELETE", 405, "method not allowed"),
    ],
)
async def test_other_pings_are_refused(
    rig: Rig, target: str, method: str, status: int, text: str
) -> None:
    reply = await rig.ask(target, method)
    assert (reply.status, reply.body) == (status, text)
    assert reply.headers["access-control-allow-origin"] == "*"
    assert (reply.headers.get("allow") == "HEAD, GET, POST") == (status == 405)
    assert rig.heard == []
    assert rig.created == []


async def test_a_slug_of_two_monitors_is_ambiguous(rig: Rig) -> None:
    rig.listener.use(
        AddressBook([BACKUP, Address(("office", "b"), UNKNOWN_ID, "backup", "")], PING_KEY)
    )
    reply = await rig.ask(f"/ping/{PING_KEY}/backup?create=1")
    assert (reply.status, reply.body) == (409, "ambiguous slug")
    assert rig.heard == []
    assert (await rig.ask(f"/ping/{ID}")).status == 200


async def test_a_new_slug_is_made_once_and_then_known(rig: Rig) -> None:
    target = f"/{PING_KEY}/new-job/start?create=1"
    first, second = await rig.ask(target), await rig.ask(target)
    assert [(one.status, one.body) for one in (first, second)] == [(201, "Created"), (200, "OK")]
    assert rig.created == ["new-job"]
    assert rig.heard == [(("pings", "new-job"), Ping(Signal.START, NOW_MS))] * 2


async def test_a_slug_that_many_ask_for_at_once_is_made_once(rig: Rig) -> None:
    rig.creation.clear()
    asked = [
        asyncio.create_task(rig.ask(f"/ping/{PING_KEY}/new?create=1", "POST", str(number)))
        for number in range(5)
    ]
    await until(lambda: rig.created)
    await asyncio.sleep(0)
    rig.creation.set()
    statuses = sorted([reply.status for reply in await asyncio.gather(*asked)])
    assert statuses == [200, 200, 200, 200, 201]
    assert rig.created == ["new"]
    assert len(rig.heard) == 5


async def test_a_slug_is_known_twice_over_but_once(rig: Rig) -> None:
    rig.creation.clear()
    asked = asyncio.create_task(rig.ask(f"/ping/{PING_KEY}/new?create=1"))
    await until(lambda: rig.created)
    made = Address(("pings", "new"), "00000000-0000-0000-0000-000000000001", "new", "_new")
    rig.listener.use(AddressBook([BACKUP, made], PING_KEY))
    rig.creation.set()
    assert (await asked).status == 201
    assert (await rig.ask(f"/ping/{PING_KEY}/new")).status == 200


async def test_without_a_ping_key_no_slug_is_known(rig: Rig) -> None:
    rig.listener.use(AddressBook([BACKUP], ""))
    for target in (f"/ping/{PING_KEY}/backup", f"/{PING_KEY}/new?create=1"):
        assert (await rig.ask(target)).status == 404
    assert rig.created == []


async def test_a_monitor_that_is_gone_is_not_known(rig: Rig) -> None:
    rig.listener.use(AddressBook([REPORT], PING_KEY))
    assert (await rig.ask(f"/ping/{ID}")).status == 404
    assert (await rig.ask(f"/ping/{REPORT.ping_id}")).status == 200


async def test_a_slug_that_cannot_be_made_says_so(caplog: pytest.LogCaptureFixture) -> None:
    async with listening() as rig:
        rig.failure = Refused("name", "{value} is taken", "another name", value="x")
        reply = await rig.ask(f"/ping/{PING_KEY}/x?create=1")
    assert (reply.status, reply.body) == (503, "temporarily unavailable")
    assert [one.levelname for one in caplog.records] == ["WARNING"]


async def test_a_fault_of_ours_is_logged_and_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    async with listening() as rig:
        rig.failure = RuntimeError("a secret of ours")
        reply = await rig.ask(f"/ping/{ID}")
    assert (reply.status, reply.body) == (500, "internal error")
    assert "a secret of ours" in caplog.text


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    ("query", "ping"),
    [
        ("", Ping(Signal.SUCCESS, NOW_MS)),
        ("?status=up&msg=OK&ping=42", Ping(Signal.SUCCESS, NOW_MS, message="OK", took_ms=42.0)),
        ("?status=down&msg=full", Ping(Signal.FAIL, NOW_MS, message="full")),
    ],
)
async def test_a_push_is_heard(rig: Rig, method: str, query: str, ping: Ping) -> None:
    reply = await rig.ask(PUSH + query, method)
    assert (reply.status, reply.body) == (200, '{"ok":true}')
    assert reply.headers["content-type"] == "application/json; charset=utf-8"
    assert rig.heard == [(BACKUP.key, ping)]


@pytest.mark.parametrize("token", [UNKNOWN_ID, "abc", ID.upper(), "%00"])
async def test_an_unknown_push_is_refused(rig: Rig, token: str) -> None:
    reply = await rig.ask(f"/api/push/{token}?status=up")
    assert reply.status == 404
    assert reply.body == '{"ok":false,"msg":"Monitor not found or not active."}'
    assert rig.heard == []


async def test_an_external_endpoint_is_heard(rig: Rig) -> None:
    query = "?success=false&error=disk%20full&duration=1.5s"
    reply = await rig.ask(EXTERNAL + query, "POST", Authorization=f"Bearer {ID}")
    assert (reply.status, reply.body) == (200, "")
    ping = Ping(Signal.FAIL, NOW_MS, message="disk full", took_ms=1_500.0)
    assert rig.heard == [(BACKUP.key, ping)]


@pytest.mark.parametrize(
    ("target", "method", "authorization", "status", "text"),
    [
        (EXTERNAL, "POST", f"Bearer {ID}", 400, "missing or invalid success query parameter"),
        (f"{EXTERNAL}?success=yes", "POST", "", 400, "missing or invalid success query parameter"),
        (f"{EXTERNAL}?success=true", "POST", "", 401, "invalid Authorization header"),
        (f"{EXTERNAL}?success=true", "POST", ID, 401, "invalid Authorization header"),
        (f"{EXTERNAL}?success=true", "POST", f"Bearer {UNKNOWN_ID}", 401, "invalid token"),
        (f"{EXTERNAL}?success=true", "POST", f"Bearer {REPORT.ping_id}", 401, "invalid token"),
        (
            "/api/v1/endpoints/home_other/external?success=true",
            "POST",
            f"Bearer {ID}",
            404,
            "not found",
        ),
        (f"{EXTERNAL}?success=true&duration=1d", "POST", f"Bearer {ID}", 400, "invalid duration"),
        (f"{EXTERNAL}?success=true", "GET", f"Bearer {ID}", 405, "method not allowed"),
    ],
)
async def test_other_external_results_are_refused(
    rig: Rig, target: str, method: str, authorization: str, status: int, text: str
) -> None:
    reply = await rig.ask(target, method, Authorization=authorization)
    assert (reply.status, reply.body) == (status, text)
    assert rig.heard == []


async def test_endpoints_of_one_name_are_told_apart_by_their_tokens(rig: Rig) -> None:
    twin = Address(("office", "b"), UNKNOWN_ID, "b", BACKUP.external_key)
    rig.listener.use(AddressBook([BACKUP, twin], PING_KEY))
    for address in (BACKUP, twin):
        bearer = f"Bearer {address.ping_id}"
        reply = await rig.ask(f"{EXTERNAL}?success=true", "POST", Authorization=bearer)
        assert reply.status == 200
    assert [key for key, _ in rig.heard] == [BACKUP.key, twin.key]


async def test_the_sixty_first_ping_within_a_minute_is_refused_in_every_dialect(rig: Rig) -> None:
    for _ in range(60):
        assert (await rig.ask(f"/ping/{ID}")).status == 200
    bearer = f"Bearer {ID}"
    replies = [
        await rig.ask(f"/ping/{ID}"),
        await rig.ask(f"/ping/{PING_KEY}/backup"),
        await rig.ask(PUSH),
        await rig.ask(f"{EXTERNAL}?success=true", "POST", Authorization=bearer),
    ]
    assert [reply.status for reply in replies] == [429] * 4
    limited = '{"ok":false,"msg":"rate limit exceeded"}'
    assert [reply.body for reply in replies] == [
        "rate limit exceeded",
        "rate limit exceeded",
        limited,
        "rate limit exceeded",
    ]
    assert (await rig.ask(f"/ping/{REPORT.ping_id}")).status == 200
    rig.seconds += 60
    assert (await rig.ask(f"/ping/{ID}")).status == 200
    assert len(rig.heard) == 62


async def test_who_guesses_is_limited_but_right_pings_still_come_through(rig: Rig) -> None:
    guesses = [f"/ping/{UNKNOWN_ID}", f"/api/push/{UNKNOWN_ID}", f"/{PING_KEY}/none"]
    for number in range(60):
        assert (await rig.ask(guesses[number % 3])).status == 404
    assert [(await rig.ask(target)).status for target in guesses] == [429] * 3
    assert (await rig.ask(f"/ping/{PING_KEY}/new?create=1")).status == 429
    assert (await rig.ask(f"/ping/{ID}")).status == 200
    assert rig.created == []
    rig.seconds += 60
    assert (await rig.ask(guesses[0])).status == 404


async def test_a_nearly_right_token_is_answered_like_any_other_wrong_one(rig: Rig) -> None:
    def told(answer: bytes) -> bytes:
        return b"\n".join(one for one in answer.split(b"\r\n") if not one.startswith(b"Date:"))

    async def asked(*targets: str) -> set[bytes]:
        lines = "HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        return {told(await rig.exchange(f"GET {one} {lines}".encode())) for one in targets}

    nearly = ID[:-1] + ("0" if ID[-1] != "0" else "1")
    wrong = "00000000-0000-0000-0000-000000000000"
    assert len(await asked(f"/ping/{nearly}", f"/ping/{wrong}", f"/{PING_KEY[:-1]}x/backup")) == 1
    assert len(await asked(f"/api/push/{nearly}", f"/api/push/{wrong}", "/api/push/x")) == 1


async def test_an_address_in_use_is_a_sentence(rig: Rig) -> None:
    second = Rig()
    with pytest.raises(CannotListen) as raised:
        await second.listener.start("127.0.0.1", rig.port)
    assert raised.value.text() == (
        f"pings cannot be received on 127.0.0.1 port {rig.port}: {os.strerror(errno.EADDRINUSE)};"
        " choose another address"
    )
    await second.listener.close()


@pytest.mark.parametrize(
    ("host", "port"), [("192.0.2.1", 0), ("no-such-host.invalid", 0), ("127.0.0.1", 70_000)]
)
async def test_an_address_that_is_not_ours_is_a_sentence(host: str, port: int) -> None:
    with pytest.raises(CannotListen, match=f"pings cannot be received on {host} port {port}: "):
        await Rig().listener.start(host, port)


async def test_closed_it_hears_nothing_and_can_listen_again() -> None:
    async with listening() as rig:
        async with rig.connected():
            await rig.listener.close()
        with pytest.raises(OSError, match="Connect call failed"):
            await rig.ask(f"/ping/{ID}")
        rig.port = await rig.listener.start("127.0.0.1", rig.port)
        assert (await rig.ask(f"/ping/{ID}")).status == 200


async def test_closing_does_not_wait_for_what_is_being_made() -> None:
    async with listening() as rig, rig.connected() as (reader, writer):
        rig.creation.clear()
        writer.write(f"GET /{PING_KEY}/new?create=1 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await until(lambda: rig.created)
        await rig.listener.close()
        assert await read_all(reader) == b""
    assert rig.heard == []


async def test_it_listens_on_ipv6_too() -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    rig = Rig()
    rig.listener.use(AddressBook([BACKUP], ""))
    try:
        port = await rig.listener.start("::1", 0)
    except CannotListen:
        pytest.skip("no IPv6 here")
    reader, writer = await asyncio.open_connection("::1", port)
    writer.write(f"GET /{ID} HTTP/1.0\r\n\r\n".encode())
    assert (await reader.read()).endswith(b"OK")
    writer.close()
    await writer.wait_closed()
    await rig.listener.close()


async def test_nothing_of_a_ping_is_logged(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        await rig.ask(f"/ping/{ID}")
        await rig.ask(f"/ping/{UNKNOWN_ID}")
    assert ID not in caplog.text
    assert UNKNOWN_ID not in caplog.text
