"""What one request means, without a socket."""

import pytest

from tests.server.rig import BACKUP, PING_KEY
from uptime_desktop.domain.heartbeats import Signal
from uptime_desktop.domain.notation import go_duration_ms
from uptime_desktop.server.pings import (
    Answer,
    ByEndpoint,
    ById,
    BySlug,
    Report,
    body_text,
    read_request,
)

ID = BACKUP.ping_id
RUN_ID = "9b9c4a8e-2d3f-4b3a-9f63-0a1b2c3d4e5f"


def read(target: str, method: str = "GET", authorization: str = "") -> Report:
    report = read_request(method, target, authorization)
    assert isinstance(report, Report)
    return report


def refused(target: str, method: str = "GET", authorization: str = "") -> Answer:
    answer = read_request(method, target, authorization)
    assert isinstance(answer, Answer)
    return answer


@pytest.mark.parametrize("start", ["/ping/", "/", "http://localhost:8737/ping/"])
@pytest.mark.parametrize(
    ("rest", "signal", "exit_code"),
    [
        ("", Signal.SUCCESS, None),
        ("/start", Signal.START, None),
        ("/fail", Signal.FAIL, None),
        ("/log", Signal.LOG, None),
        ("/0", Signal.SUCCESS, 0),
        ("/1", Signal.FAIL, 1),
        ("/007", Signal.FAIL, 7),
        ("/255", Signal.FAIL, 255),
    ],
)
def test_the_path_says_what_happened(
    start: str, rest: str, signal: Signal, exit_code: int | None
) -> None:
    by_id, by_slug = read(f"{start}{ID}{rest}"), read(f"{start}{PING_KEY}/backup{rest}")
    assert by_id.claim == ById(ID)
    assert by_slug.claim == BySlug(PING_KEY, "backup", may_create=False)
    for report in (by_id, by_slug):
        assert (report.signal, report.exit_code, report.run_id) == (signal, exit_code, "")


@pytest.mark.parametrize("target", [f"/ping/{ID}/", f"/{ID}/"])
def test_an_id_may_end_in_a_slash(target: str) -> None:
    assert read(target).claim == ById(ID)


@pytest.mark.parametrize(
    ("target", "status", "text"),
    [
        ("/", 404, "not found"),
        ("", 404, "not found"),
        ("*", 404, "not found"),
        ("/ping", 404, "not found"),
        ("/ping/", 404, "not found"),
        ("/favicon.ico", 404, "not found"),
        ("/ping/not-a-uuid", 404, "not found"),
        (f"/ping/{ID.upper()}", 404, "not found"),
        (f"/ping/{ID.replace('-', '')}", 404, "not found"),
        (f"/ping/{ID}/start/", 404, "not found"),
        (f"/ping/{PING_KEY}/backup/", 404, "not found"),
        (f"/ping/{PING_KEY}/backup/start/", 404, "not found"),
        (f"/ping//{ID}", 404, "not found"),
        (f"/ping/../ping/{ID}", 404, "not found"),
        (f"/ping/..%2f{ID}", 404, "not found"),
        (f"/ping%2f{ID}", 404, "not found"),
        (f"/ping/{ID}%2fstart", 404, "not found"),
        (f"/ping/{ID}\x00", 404, "not found"),
        (f"/ping/{ID}/256", 400, "invalid url format"),
        (f"/ping/{ID}/{'9' * 5_000}", 400, "invalid url format"),
        (f"/ping/{PING_KEY}/backup/256", 400, "invalid url format"),
        (f"/ping/{PING_KEY}/Backup", 400, "invalid url format"),
        (f"/ping/{PING_KEY}/{'a' * 101}", 400, "invalid url format"),
        (f"/ping/{ID}?rid=", 400, "invalid url format"),
        (f"/ping/{ID}?rid=7", 400, "invalid url format"),
        (f"/ping/{ID}?rid={RUN_ID}0", 400, "invalid url format"),
        (f"/ping/{ID}?" + "a&" * 200, 400, "invalid url format"),
    ],
)
def test_what_is_no_ping_is_refused(target: str, status: int, text: str) -> None:
    answer = refused(target)
    assert (answer.status, answer.text) == (status, text)


@pytest.mark.parametrize("rid", [RUN_ID, RUN_ID.upper()])
def test_a_run_is_told_from_others(rid: str) -> None:
    assert read(f"/ping/{ID}/start?rid={rid}").run_id == RUN_ID


@pytest.mark.parametrize(
    ("query", "may_create"), [("", False), ("?create=1", True), ("?create=0", False)]
)
def test_a_slug_may_ask_to_be_made(query: str, may_create: bool) -> None:
    claim = read(f"/{PING_KEY}/new-job_2/start{query}").claim
    assert claim == BySlug(PING_KEY, "new-job_2", may_create)


@pytest.mark.parametrize(
    ("query", "signal", "message", "took_ms"),
    [
        ("", Signal.SUCCESS, "", None),
        ("?status=up&msg=OK&ping=", Signal.SUCCESS, "OK", None),
        ("?status=&msg=all%20is+well&ping=12.5", Signal.SUCCESS, "all is well", 12.5),
        ("?status=down&msg=disk%0Afull%00", Signal.FAIL, "disk full", None),
        ("?status=UP", Signal.FAIL, "", None),
        ("?ping=-1", Signal.SUCCESS, "", None),
        ("?ping=nan", Signal.SUCCESS, "", None),
        ("?ping=1e999", Signal.SUCCESS, "", None),
        ("?ping=soon", Signal.SUCCESS, "", None),
        ("?msg=%ff%E2%9C%93", Signal.SUCCESS, "\ufffd✓", None),
        ("?msg=\udcff", Signal.SUCCESS, "\ufffd", None),
    ],
)
def test_a_push_is_read(query: str, signal: Signal, message: str, took_ms: float | None) -> None:
    report = read(f"/api/push/{ID}{query}")
    assert report.claim == ById(ID)
    assert (report.signal, report.message, report.took_ms) == (signal, message, took_ms)


@pytest.mark.parametrize(
    ("query", "signal", "message", "took_ms"),
    [
        ("?success=true", Signal.SUCCESS, "", None),
        ("?success=true&error=ignored&duration=10s", Signal.SUCCESS, "", 10_000.0),
        ("?success=false&error=disk%20full&duration=1m30s", Signal.FAIL, "disk full", 90_000.0),
        ("?success=false&duration=-1s", Signal.FAIL, "", None),
    ],
)
def test_an_external_endpoint_is_read(
    query: str, signal: Signal, message: str, took_ms: float | None
) -> None:
    target = f"/api/v1/endpoints/caf%C3%A9_backup/external{query}"
    report = read(target, "POST", f"Bearer {ID}")
    assert report.claim == ByEndpoint("café_backup", ID)
    assert (report.signal, report.message, report.took_ms) == (signal, message, took_ms)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("0", 0.0),
        ("10s", 10_000.0),
        ("1.5h", 5_400_000.0),
        ("1h15m30.918s", 4_530_918.0),
        ("300ms", 300.0),
        (".5s", 500.0),
        ("1.s", 1_000.0),
        ("+1us", 0.001),
        ("2µs", 0.002),
        ("2μs", 0.002),
        ("1500000ns", 1.5),
        ("-2m", -120_000.0),
        ("", None),
        ("-", None),
        ("10", None),
        ("s", None),
        (".s", None),
        ("1d", None),
        ("1s ", None),
        ("１s", None),
        ("9" * 60 + "h", None),
        ("1s" * 40, None),
    ],
)
def test_durations_as_go_writes_them(text: str, milliseconds: float | None) -> None:
    assert go_duration_ms(text) == (
        milliseconds if milliseconds is None else pytest.approx(milliseconds)
    )


@pytest.mark.parametrize(
    ("kept", "is_whole", "text"),
    [
        (b"", True, ""),
        ("grün\n".encode(), True, "grün\n"),
        (b"a\0b", True, "ab"),
        (b"\xff\xfe", True, "\ufffd\ufffd"),
        ("grü".encode()[:-1], True, "gr\ufffd"),
        ("grü".encode()[:-1], False, "gr"),
    ],
)
def test_bodies_become_text(kept: bytes, is_whole: bool, text: str) -> None:
    assert body_text(kept, is_whole=is_whole) == text
