"""The remote check: the formats of other servers, and servers that are not what they should be."""

import asyncio
import contextlib
import gzip
import json
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from tests.checks.servers import (
    Server,
    answering,
    finish,
    ok,
    read_request,
    server_context,
    serving,
)
from uptime_desktop.checks.base import evidence_left
from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.http.transport import DirectTransport
from uptime_desktop.checks.net.resolver import Resolver
from uptime_desktop.checks.redaction import basic_credentials
from uptime_desktop.checks.remote import gatus, healthchecks, kuma
from uptime_desktop.checks.remote.dialect import MOST_MONITORS, NotThisServer, RemoteMonitor
from uptime_desktop.checks.remote.kind import RemoteKind
from uptime_desktop.checks.remote.settings import MOST_BODY_BYTES
from uptime_desktop.domain.model import Evidence, Outcome, Setting, Unmet
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status

KIND = RemoteKind()
BODIES = Path(__file__).parent / "remote_bodies"
KUMA_KEY = "uk3_hunter22"
HEALTHCHECKS_KEY = "hunter22hunter22"
CURL = "curl --include --compressed "
KUMA_API = "http://k.example/api/status-page"
GATUS_PAGE = "/api/v1/endpoints/statuses?page=1&pageSize=1"
HTML = ok(b"<!DOCTYPE html><title>hello</title>", "Content-Type: text/html")
NOT_FOUND = ok(b"<h1>Not Found</h1>", "Content-Type: text/html", status="404 Not Found")


def body(name: str) -> bytes:
    return (BODIES / name).read_bytes()


KUMA_1 = {
    "/api/status-page/main": ok(body("kuma_page_v1.json")),
    "/api/status-page/heartbeat/main": ok(body("kuma_beats_v1.json")),
}
KUMA_2 = {
    "/api/status-page/main": ok(body("kuma_page_v2.json")),
    "/api/status-page/heartbeat/main": ok(body("kuma_beats_v2.json")),
}


@contextlib.asynccontextmanager
async def serving_pages(
    pages: Mapping[str, bytes], other: bytes = NOT_FOUND
) -> AsyncIterator[Server]:
    """An HTTP server with an answer for each path, and one for all others."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await read_request(reader)
        server.requests.append(request)
        writer.write(pages.get(request.split()[1].decode(), other))
        await finish(writer)

    async with serving(answer) as server:
        yield server


async def checked(url: str, timeout_s: float = 5.0, **settings: Setting) -> Outcome:
    spec = KIND.parse({"url": url, **settings})
    async with asyncio.timeout(timeout_s):
        return await KIND.check(spec, timeout_s)


async def check_of(
    pages: Mapping[str, bytes], path: str = "", other: bytes = NOT_FOUND, **settings: Setting
) -> Outcome:
    async with serving_pages(pages, other) as server:
        return await checked(server.url + path, 5.0, **settings)


def evidence_of(outcome: Outcome) -> Evidence:
    assert outcome.evidence is not None
    return outcome.evidence


def asked(settings: dict[str, Setting]) -> list[tuple[str, list[str]]]:
    """The dialects that would be tried, and what each requests."""
    return [
        (attempt.dialect.key, [request.url.text for request in attempt.requests])
        for attempt in KIND.parse(settings).attempts
    ]


class TestSettings:
    @pytest.mark.parametrize(
        ("url", "settings", "expected"),
        [
            ("k.example/metrics", {}, [("kuma-metrics", ["https://k.example/metrics"])]),
            ("k.example/dashboard/12", {}, [("kuma-metrics", ["https://k.example/metrics"])]),
            (
                "k.example/",
                {"server": "kuma-metrics"},
                [("kuma-metrics", ["https://k.example/metrics"])],
            ),
            ("k.example", {"api_key": KUMA_KEY}, [("kuma-metrics", ["https://k.example/metrics"])]),
            (
                "http://k.example:3001/status/main",
                {},
                [
                    (
                        "kuma-status-page",
                        [
                            "http://k.example:3001/api/status-page/main",
                            "http://k.example:3001/api/status-page/heartbeat/main",
                        ],
                    )
                ],
            ),
            (
                "k.example/kuma/api/status-page/heartbeat/a-b",
                {},
                [
                    (
                        "kuma-status-page",
                        [
                            "https://k.example/kuma/api/status-page/a-b",
                            "https://k.example/kuma/api/status-page/heartbeat/a-b",
                        ],
                    )
                ],
            ),
            (
                "k.example",
                {"server": "kuma-status-page"},
                [
                    (
                        "kuma-status-page",
                        [
                            "https://k.example/api/status-page/default",
                            "https://k.example/api/status-page/heartbeat/default",
                        ],
                    )
                ],
            ),
            ("g.example", {"server": "gatus"}, [("gatus", ["https://g.example" + GATUS_PAGE])]),
            (
                "g.example/up/api/v1/endpoints/statuses?page=4",
                {},
                [("gatus", ["https://g.example/up" + GATUS_PAGE])],
            ),
            (
                "hc.example",
                {"api_key": HEALTHCHECKS_KEY},
                [
                    ("healthchecks", ["https://hc.example/api/v3/checks/"]),
                    ("healthchecks", ["https://hc.example/api/v1/checks/"]),
                ],
            ),
            (
                "hc.example/api/v2/checks/?tag=prod&tag=db",
                {"api_key": HEALTHCHECKS_KEY},
                [("healthchecks", ["https://hc.example/api/v2/checks/?tag=prod&tag=db"])],
            ),
            (
                "hc.example/projects/11111111-2222-4333-8444-555555555555/checks/",
                {"api_key": HEALTHCHECKS_KEY},
                [
                    ("healthchecks", ["https://hc.example/api/v3/checks/"]),
                    ("healthchecks", ["https://hc.example/api/v1/checks/"]),
                ],
            ),
        ],
    )
    def test_an_address_says_what_to_ask(
        self, url: str, settings: dict[str, Setting], expected: list[tuple[str, list[str]]]
    ) -> None:
        assert asked({"url": url, **settings}) == expected

    @pytest.mark.parametrize(
        ("settings", "dialects"),
        [
            ({}, ["gatus", "kuma-status-page"]),
            (
                {"username": "me", "password": "hunter22"},
                ["gatus", "kuma-metrics", "kuma-status-page"],
            ),
        ],
    )
    def test_an_address_that_says_nothing_is_tried(
        self, settings: dict[str, Setting], dialects: list[str]
    ) -> None:
        assert [dialect for dialect, _ in asked({"url": "a.example", **settings})] == dialects

    @pytest.mark.parametrize(
        ("settings", "field"),
        [
            ({}, "url"),
            ({"url": "ftp://a"}, "url"),
            ({"url": "a", "server": "nagios"}, "server"),
            ({"url": "a", "server": "healthchecks"}, "api_key"),
            ({"url": "a/api/v3/checks/"}, "api_key"),
            ({"url": "a", "server": "gatus", "api_key": "secret"}, "api_key"),
            ({"url": "a/status/main", "api_key": "secret"}, "api_key"),
            ({"url": "a", "api_key": "secret\nx"}, "api_key"),
            ({"url": "a/metrics", "api_key": "secret", "password": "secret"}, "api_key"),
            ({"url": "https://me:secret@a/", "username": "me"}, "username"),
            ({"url": "a", "username": "m:e"}, "username"),
            ({"url": "a", "client_key": "key.pem"}, "client_key"),
            ({"url": "a", "keyword": "x"}, "keyword"),
        ],
    )
    def test_a_wrong_setting_is_refused_by_name(
        self, settings: dict[str, Setting], field: str
    ) -> None:
        with pytest.raises(Refused) as refused:
            KIND.parse(settings)
        assert refused.value.field == field
        assert "secret" not in str(refused.value)

    def test_no_secret_is_shown(self) -> None:
        settings: dict[str, Setting] = {"url": "https://me:hunter22@k.example/metrics?token=abcd1"}
        spec = KIND.parse(settings)
        assert KIND.describe(spec) == "https://k.example/metrics?token=***"
        assert KIND.origin(spec) == "https://k.example:443"
        assert "hunter22" not in repr(spec)
        assert "abcd1" not in repr(spec)
        assert basic_credentials("me", "hunter22") not in repr(spec)

    @pytest.mark.parametrize(
        ("settings", "line"),
        [
            (
                {"url": "http://hc.example/", "api_key": HEALTHCHECKS_KEY},
                CURL + "--header 'X-Api-Key: ***' http://hc.example/api/v3/checks/",
            ),
            (
                {"url": "http://k.example/metrics", "api_key": KUMA_KEY},
                CURL + "--user '***' http://k.example/metrics",
            ),
            (
                {"url": "http://k.example/status/a"},
                f"{CURL}{KUMA_API}/a && {CURL}{KUMA_API}/heartbeat/a",
            ),
        ],
    )
    def test_the_line_that_repeats_it(self, settings: dict[str, Setting], line: str) -> None:
        assert KIND.parse(settings).attempts[0].repeat_with == line


def states(monitors: list[RemoteMonitor]) -> list[tuple[str, str, Status | None]]:
    return [(one.name, one.state, one.status) for one in monitors]


class TestFormats:
    def test_metrics_of_kuma_1(self) -> None:
        assert states(kuma.read_metrics([body("kuma_metrics_v1.txt")])) == [
            ("Shop", "up", Status.UP),
            ('Mail "new", {C:\\mail}', "down", Status.DOWN),
            ("Backup", "pending", Status.DEGRADED),
            ("Old wiki", "maintenance", None),
        ]

    def test_metrics_of_kuma_2(self) -> None:
        assert states(kuma.read_metrics([body("kuma_metrics_v2.txt")])) == [
            ("Shop", "up", Status.UP),
            ("Database", "up", Status.UP),
            ("Odd", "unknown", None),
        ]

    def test_a_status_page_of_kuma_1(self) -> None:
        bodies = [body("kuma_page_v1.json"), body("kuma_beats_v1.json")]
        assert states(kuma.read_status_page(bodies)) == [
            ("Shop", "up", Status.UP),
            ("Mail", "down", Status.DOWN),
            ("Just made", "new", None),
        ]

    def test_a_status_page_of_kuma_2_that_shows_days(self) -> None:
        bodies = [body("kuma_page_v2.json"), body("kuma_beats_v2.json")]
        assert states(kuma.read_status_page(bodies)) == [
            ("Shop", "up", Status.UP),
            ("Mail", "pending", Status.DEGRADED),
            ("Wiki", "maintenance", None),
        ]

    def test_endpoints_of_gatus(self) -> None:
        found = gatus.read([body("gatus_v5.json")])
        assert states(found) == [
            ("shop/front", "up", Status.UP),
            ("shop/back", "down", Status.DOWN),
            ("mail", "down", Status.DOWN),
            ("later", "new", None),
        ]
        assert [one.detail for one in found] == [
            "",
            "[STATUS] (503) == 200",
            "dial tcp: connection refused",
            "",
        ]
        assert found[0].aliases == ("front", "shop_front")

    @pytest.mark.parametrize("data", [b"null", b"[]"])
    def test_gatus_without_endpoints(self, data: bytes) -> None:
        assert gatus.read([data]) == []

    def test_checks_of_healthchecks(self) -> None:
        found = healthchecks.read([body("healthchecks_v3.json")])
        assert states(found) == [
            ("Nightly backup", "up", Status.UP),
            ("Invoices", "down", Status.DOWN),
            ("Reports", "grace", Status.DEGRADED),
            ("Asleep", "paused", None),
            ("fresh", "new", None),
        ]
        assert found[0].detail == "last ping 2026-03-01T02:00:04+00:00"

    def test_checks_of_old_healthchecks_seen_with_a_key_that_only_reads(self) -> None:
        assert states(healthchecks.read([body("healthchecks_v1.json")])) == [
            ("Nightly backup", "started", Status.UP),
            ("99aa11bb", "up", Status.UP),
        ]

    def test_a_state_of_tomorrow_does_not_count(self) -> None:
        found = healthchecks.read([b'{"checks":[{"name":"a","status":"resting"}]}'])
        assert states(found) == [("a", "resting", None)]

    @pytest.mark.parametrize(
        "text",
        [
            b'monitor_status{monitor_name="a} 1',
            b'monitor_status{monitor_name="a"',
            b'monitor_status{monitor_name="a"}',
            b'monitor_status{monitor_type="http"} 1',
            b"monitor_status{" + b'a="' * 1_000_000,
            b"monitor_status{" + b'monitor_name="a",' * 200_000,
            b"monitor_status{" + b'a="b",' * 500_000,
        ],
    )
    def test_a_damaged_line_of_metrics_is_said(self, text: bytes) -> None:
        with pytest.raises(Failed, match="damaged"):
            kuma.read_metrics([text])

    def test_metrics_of_another_program(self) -> None:
        with pytest.raises(NotThisServer):
            kuma.read_metrics([b"# TYPE gatus_results_total counter\ngatus_results_total 1\n"])

    def test_too_many_monitors_are_refused(self) -> None:
        checks = json.dumps({"checks": [{"status": "up"}] * (MOST_MONITORS + 1)}).encode()
        endpoints = json.dumps([{"key": "a", "results": []}] * (MOST_MONITORS + 1)).encode()
        metrics = b'monitor_status{monitor_name="a"} 1\n' * (MOST_MONITORS + 1)
        for read, data in (
            (healthchecks.read, checks),
            (gatus.read, endpoints),
            (kuma.read_metrics, metrics),
        ):
            with pytest.raises(Failed, match="more than 10000 monitors"):
                read([data])

    @given(st.binary(max_size=200) | st.text(alphabet='monitr_sau{}="\\n ,1', max_size=200))
    def test_anything_is_read_or_refused(self, data: bytes | str) -> None:
        given_bytes = data if isinstance(data, bytes) else ("monitor_status{" + data).encode()
        for read in (kuma.read_metrics, gatus.read, healthchecks.read):
            with contextlib.suppress(Failed, NotThisServer):
                read([given_bytes])


@pytest.mark.asyncio
class TestServers:
    async def test_all_up(self) -> None:
        outcome = await check_of(
            {"/metrics": ok(body("kuma_metrics_v2.txt"))}, "metrics", api_key=KUMA_KEY
        )
        assert (outcome.status, outcome.reason) == (Status.UP, "2 of 2 up")
        assert outcome.response_ms is not None
        evidence = evidence_of(outcome)
        assert evidence.body == "up: Shop\nup: Database\nunknown: Odd"
        assert evidence.status_line == "HTTP/1.1 200 OK"
        assert evidence.unmet == ()
        timings = [name for name, _ in evidence.timings_ms]
        assert timings == ["dns", "connect", "first_byte", "total"]

    async def test_one_that_is_down_and_one_that_is_late(self) -> None:
        outcome = await check_of({"/metrics": ok(body("kuma_metrics_v1.txt"))}, "metrics")
        assert outcome.status is Status.DOWN
        assert outcome.reason == (
            '1 of 3 down: Mail "new", {C:\\mail}; 1 of 3 degraded: Backup (pending)'
        )
        evidence = evidence_of(outcome)
        assert evidence.unmet == (
            Unmet('Mail "new", {C:\\mail}', "up", "down"),
            Unmet("Backup", "up", "pending"),
        )
        assert evidence.body.splitlines() == [
            'down: Mail "new", {C:\\mail}',
            "pending: Backup",
            "up: Shop",
            "maintenance: Old wiki",
        ]

    @pytest.mark.parametrize(
        ("pages", "status", "reason"),
        [
            (KUMA_1, Status.DOWN, "1 of 2 down: Mail"),
            (KUMA_2, Status.DEGRADED, "1 of 2 degraded: Mail (pending)"),
        ],
    )
    async def test_a_status_page(
        self, pages: Mapping[str, bytes], status: Status, reason: str
    ) -> None:
        outcome = await check_of(pages, "status/main")
        assert (outcome.status, outcome.reason) == (status, reason)

    async def test_gatus_is_found_by_its_answer(self) -> None:
        outcome = await check_of({GATUS_PAGE: ok(body("gatus_v5.json"))})
        assert outcome.reason == "2 of 3 down: shop/back, mail"
        evidence = evidence_of(outcome)
        assert "down: shop/back ([STATUS] (503) == 200)" in evidence.body
        assert evidence.repeat_with.endswith("pageSize=1'")

    async def test_kuma_is_found_by_its_default_status_page(self) -> None:
        pages = {path.replace("main", "default"): page for path, page in KUMA_1.items()}
        outcome = await check_of(pages, other=HTML)
        assert outcome.reason == "1 of 2 down: Mail"
        assert "status-page/default" in evidence_of(outcome).repeat_with

    async def test_healthchecks(self) -> None:
        async with serving_pages({"/api/v3/checks/": ok(body("healthchecks_v3.json"))}) as server:
            outcome = await checked(server.url, api_key=HEALTHCHECKS_KEY)
        assert outcome.status is Status.DOWN
        assert outcome.reason == "1 of 3 down: Invoices; 1 of 3 degraded: Reports (grace)"
        assert f"X-Api-Key: {HEALTHCHECKS_KEY}".encode() in server.requests[0]
        assert "ping/1111" not in repr(outcome)

    async def test_old_healthchecks_is_asked_by_its_first_version(self) -> None:
        pages = {"/api/v1/checks/": ok(body("healthchecks_v1.json"))}
        outcome = await check_of(pages, api_key=HEALTHCHECKS_KEY)
        assert (outcome.status, outcome.reason) == (Status.UP, "2 of 2 up")
        assert "/api/v1/" in evidence_of(outcome).repeat_with

    @pytest.mark.parametrize(
        ("settings", "user", "password"),
        [
            ({"api_key": KUMA_KEY}, "", KUMA_KEY),
            ({"username": "me", "password": "hunter22"}, "me", "hunter22"),
        ],
    )
    async def test_kuma_gets_its_key_as_a_password(
        self, settings: dict[str, Setting], user: str, password: str
    ) -> None:
        async with serving_pages({"/metrics": ok(body("kuma_metrics_v2.txt"))}) as server:
            outcome = await checked(server.url + "metrics", 5.0, **settings)
        credentials = basic_credentials(user, password)
        assert f"Authorization: Basic {credentials}".encode() in server.requests[0]
        assert password not in repr(outcome)

    @pytest.mark.parametrize(
        ("only", "status", "reason"),
        [
            (["Nightly backup"], Status.UP, "1 of 1 up"),
            (["nightly BACKUP", "invoices"], Status.DOWN, "1 of 2 down: Invoices"),
            (["nightly-backup"], Status.UP, "1 of 1 up"),
            (["Reports"], Status.DEGRADED, "1 of 1 degraded: Reports (grace)"),
            (["Nightly backup", "Gone, too"], Status.DOWN, "not on the server: Gone, too"),
            (["Asleep", "fresh"], Status.UNKNOWN, "no monitor is active: paused, new"),
            (["Asleep", "Gone"], Status.DOWN, "not on the server: Gone"),
        ],
    )
    async def test_only_some_are_looked_at(
        self, only: list[str], status: Status, reason: str
    ) -> None:
        outcome = await check_of(
            {"/api/v3/checks/": ok(body("healthchecks_v3.json"))},
            api_key=HEALTHCHECKS_KEY,
            only=tuple(only),
        )
        assert (outcome.status, outcome.reason) == (status, reason)

    async def test_one_that_is_not_there_is_named(self) -> None:
        pages = {GATUS_PAGE: ok(body("gatus_v5.json"))}
        outcome = await check_of(pages, only=("front", "gone"))
        assert evidence_of(outcome).unmet == (Unmet("gone", "up", "not there"),)

    async def test_many_that_are_down_are_counted(self) -> None:
        checks = [{"name": f"job {n}", "status": "down"} for n in range(1, 151)]
        pages = {"/api/v3/checks/": ok(json.dumps({"checks": checks}).encode())}
        outcome = await check_of(pages, api_key=HEALTHCHECKS_KEY)
        assert outcome.reason == ("150 of 150 down: job 1, job 2, job 3, job 4, job 5 and 145 more")
        assert len(evidence_of(outcome).unmet) == 100
        assert len(evidence_of(outcome).body) <= 2_048

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b'{"checks":[]}', "the server shows no monitors"),
            (b'{"checks":[{"name":"a","status":"paused"}]}', "no monitor is active: paused"),
        ],
    )
    async def test_where_nothing_is_watched_nothing_is_known(
        self, data: bytes, reason: str
    ) -> None:
        outcome = await check_of(
            {"/api/v3/checks/": ok(data)}, api_key=HEALTHCHECKS_KEY, latency_threshold="1ms"
        )
        assert (outcome.status, outcome.reason) == (Status.UNKNOWN, reason)

    async def test_a_slow_answer_is_degraded(self) -> None:
        def slow_look_up(_: str) -> list[str]:
            time.sleep(0.02)
            return ["127.0.0.1"]

        kind = RemoteKind(DirectTransport(Resolver(slow_look_up)))
        async with serving_pages({"/metrics": ok(body("kuma_metrics_v2.txt"))}) as server:
            url = f"http://a.example:{server.port}/metrics"
            outcome = await kind.check(kind.parse({"url": url, "latency_threshold": "1ms"}), 5)
        assert outcome.status is Status.DEGRADED
        assert evidence_of(outcome).unmet[0].what == "latency"


@pytest.mark.asyncio
class TestOtherServers:
    @pytest.mark.parametrize(
        ("answer", "settings", "reason"),
        [
            (
                ok(b"", status="401 Unauthorized"),
                {"server": "healthchecks", "api_key": HEALTHCHECKS_KEY},
                "the API key is not accepted (HTTP 401)",
            ),
            (
                ok(b"", status="401 Unauthorized"),
                {"server": "kuma-metrics", "api_key": KUMA_KEY},
                "the API key is not accepted (HTTP 401)",
            ),
            (
                ok(b"", status="403 Forbidden"),
                {"server": "gatus", "username": "me", "password": "hunter22"},
                "the user name or password is not accepted (HTTP 403)",
            ),
            (
                ok(b"", status="401 Unauthorized"),
                {"server": "gatus"},
                "the server wants a user name and password (HTTP 401)",
            ),
            (
                ok(b"", status="401 Unauthorized"),
                {"server": "kuma-metrics"},
                "the server wants an API key, or user name and password (HTTP 401)",
            ),
            (NOT_FOUND, {"server": "gatus"}, "no Gatus server answers here"),
            (HTML, {"server": "gatus"}, "no Gatus server answers here"),
            (HTML, {"server": "kuma-metrics"}, "no Uptime Kuma server answers here"),
            (
                NOT_FOUND,
                {"server": "kuma-status-page"},
                "no Uptime Kuma server answers here, or it has no status page 'default'",
            ),
            (
                NOT_FOUND,
                {"api_key": HEALTHCHECKS_KEY},
                "no Healthchecks server answers here",
            ),
            (ok(b'{"detail":"hi"}'), {"server": "gatus"}, "no Gatus server answers here"),
            (ok(b"[1, 2]"), {"server": "gatus"}, "no Gatus server answers here"),
            (
                HTML,
                {},
                "no Uptime Kuma or Gatus server answers here; Healthchecks needs an API key",
            ),
            (ok(b"", status="502 Bad Gateway"), {}, "HTTP 502 Bad Gateway"),
            (ok(b"", status="599 What"), {}, "HTTP 599"),
            (ok(b'[{"key":"a","results":'), {}, "the answer is damaged: it is not JSON"),
            (ok(b'[{"key":"a","x":' + b"[" * 100_000), {}, "the answer is nested too deeply"),
            (
                ok(b"", "Location: https://other.example/", status="302 Found"),
                {},
                "redirected to https://other.example/, another server",
            ),
            (ok(b"", "Location: /", status="302 Found"), {}, "redirected more than 3 times"),
            (
                ok(b"", "Location: ftp://a/", status="302 Found"),
                {},
                "redirected to ftp://a/, another server",
            ),
            (
                ok(b"abc", "Content-Encoding: br"),
                {},
                "the body is compressed as br, unreadable here",
            ),
            (b"", {}, "connection closed without an answer"),
            (b"SSH-2.0-x\r\n", {}, "the server's answer is not HTTP"),
            (ok(b"[]")[:-1], {}, "connection closed before the end of the body"),
        ],
    )
    async def test_every_wrong_answer_has_its_sentence(
        self, answer: bytes, settings: dict[str, Setting], reason: str
    ) -> None:
        outcome = await check_of({}, "", answer, **settings)
        assert (outcome.status, outcome.reason) == (Status.DOWN, reason)
        evidence = evidence_of(outcome)
        assert evidence.address
        assert evidence.repeat_with.startswith("curl ")
        assert "hunter22" not in repr(outcome)

    @pytest.mark.parametrize("size", [MOST_BODY_BYTES, MOST_BODY_BYTES + 1])
    async def test_an_answer_without_end_is_left(self, size: int) -> None:
        outcome = await check_of({GATUS_PAGE: ok(b"[" + b" " * (size - 1))})
        assert (outcome.status, outcome.reason) == (
            Status.DOWN,
            "the answer is larger than 4 MiB",
        )

    async def test_a_bomb_is_left(self) -> None:
        bomb = gzip.compress(b"[" + b" " * (MOST_BODY_BYTES * 4))
        outcome = await check_of({GATUS_PAGE: ok(bomb, "Content-Encoding: gzip")})
        assert outcome.reason == "the answer is larger than 4 MiB"

    async def test_a_large_answer_is_read_beside_the_loop(self) -> None:
        checks = [{"name": f"job {n}", "status": "up", "desc": "a" * 300} for n in range(9_000)]
        pages = {"/api/v3/checks/": ok(json.dumps({"checks": checks}).encode())}
        outcome = await check_of(pages, api_key=HEALTHCHECKS_KEY)
        assert outcome.reason == "9000 of 9000 up"

    async def test_a_redirect_on_the_same_server_is_followed(self) -> None:
        there = ok(b"", "Location: /kuma/metrics", status="301 Moved Permanently")
        pages = {"/metrics": there, "/kuma/metrics": ok(body("kuma_metrics_v2.txt"))}
        async with serving_pages(pages) as server:
            outcome = await checked(server.url + "metrics", api_key=KUMA_KEY)
        assert outcome.status is Status.UP
        assert b"Authorization" in server.requests[1]

    async def test_a_list_that_cannot_be_read_is_not_kept(self) -> None:
        pages = {"/api/v3/checks/": ok(body("healthchecks_v3.json")[:-9])}
        outcome = await check_of(pages, api_key=HEALTHCHECKS_KEY)
        assert outcome.reason == "the answer is damaged: it is not JSON"
        assert "ping/1111" not in repr(outcome)

    @pytest.mark.parametrize(
        "name",
        [
            HEALTHCHECKS_KEY,
            "a" * 70 + HEALTHCHECKS_KEY,
            "a" * 70 + "\\u0068unter22hunter22",
        ],
    )
    async def test_a_secret_that_comes_back_is_hidden_even_where_it_would_be_cut(
        self, name: str
    ) -> None:
        data = f'{{"checks":[{{"name":"{name}","status":"down"}}]}}'.encode()
        outcome = await check_of({"/api/v3/checks/": ok(data)}, api_key=HEALTHCHECKS_KEY)
        assert outcome.status is Status.DOWN
        assert "hunt" not in repr(outcome)

    @pytest.mark.parametrize(
        "answer",
        [
            ok(b"", status=f"500 {'a' * 50}{HEALTHCHECKS_KEY}"),
            ok(b"a", f"Content-Encoding: {'a' * 50}{HEALTHCHECKS_KEY}"),
            ok(b"", f"Location: http://{'a' * 43}{HEALTHCHECKS_KEY}/", status="302 Found"),
            ok(HEALTHCHECKS_KEY.encode(), status="500 Sorry"),
        ],
    )
    async def test_a_secret_in_a_wrong_answer_is_hidden_too(self, answer: bytes) -> None:
        outcome = await check_of({}, "", answer, api_key=HEALTHCHECKS_KEY)
        assert outcome.status is Status.DOWN
        assert "hunt" not in repr(outcome)

    async def test_names_are_on_one_line_and_short(self) -> None:
        checks = [{"name": "a\n\x1b[31m" + "b" * 500, "status": "down"}]
        pages = {"/api/v3/checks/": ok(json.dumps({"checks": checks}).encode())}
        outcome = await check_of(pages, api_key=HEALTHCHECKS_KEY)
        assert outcome.reason == "1 of 1 down: a  [31m" + "b" * 73 + "…"

    async def test_nobody_listens(self) -> None:
        async with answering(b"") as server:
            pass
        outcome = await checked(server.url)
        assert outcome.reason == f"connection refused by 127.0.0.1:{server.port}"

    async def test_a_silent_server_is_left_at_the_timeout(self) -> None:
        async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
            await reader.read()

        async with serving(silent) as server:
            with pytest.raises(TimeoutError) as timeout:
                await checked(server.url, 0.5)
            await asyncio.wait_for(server.gone.wait(), 5)
        evidence = evidence_left(timeout.value)
        assert evidence is not None
        assert "first_byte" in dict(evidence.timings_ms)
        assert evidence.repeat_with

    async def test_over_tls(self, tmp_path: Path) -> None:
        authority = trustme.CA()
        authority.cert_pem.write_to_path(tmp_path / "ca.pem")
        context = server_context(authority, "127.0.0.1")
        async with answering(ok(body("kuma_metrics_v2.txt")), tls=context) as server:
            url = server.url + "metrics"
            trusted = await checked(url, ca_file=str(tmp_path / "ca.pem"))
            distrusted = await checked(url)
        assert trusted.status is Status.UP
        assert evidence_of(trusted).certificate.startswith("127.0.0.1")
        assert distrusted.status is Status.DOWN
        assert evidence_of(distrusted).certificate.startswith("127.0.0.1")
