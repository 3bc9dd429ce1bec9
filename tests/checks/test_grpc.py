"""The grpc check: its settings, a real gRPC server, and servers that break the rules."""

import asyncio
import contextlib
import ssl
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc  # type: ignore[import-untyped]
import pytest
import trustme
from grpc_health.v1 import health, health_pb2, health_pb2_grpc  # type: ignore[import-untyped]
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import StreamEnded
from hypothesis import given
from hypothesis import strategies as st

from tests.checks.servers import Server, answering, finish, server_context, serving
from uptime_desktop.checks.base import evidence_left
from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.grpc import GrpcKind
from uptime_desktop.checks.grpc_health import Health, framed_request, health_in
from uptime_desktop.checks.net.http2 import Exchange, StreamAnswer
from uptime_desktop.checks.net.resolver import Resolver
from uptime_desktop.checks.trail import Trail
from uptime_desktop.domain.model import Evidence, Outcome, Setting, Unmet
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status

KIND = GrpcKind()
METHOD = "grpc.health.v1.Health/Check"
CERTIFICATE_ENDS = datetime(2037, 1, 10, tzinfo=UTC)
SETTINGS = bytes(3) + b"\x04" + bytes(5)
SERVING = b"\x00\x00\x00\x00\x02\x08\x01"


async def checked(port: int, timeout_s: float = 5.0, **settings: Setting) -> Outcome:
    spec = KIND.parse({"host": "127.0.0.1", "port": port, **settings})
    async with asyncio.timeout(timeout_s):
        return await KIND.check(spec, timeout_s)


def evidence_of(outcome: Outcome) -> Evidence:
    assert outcome.evidence is not None
    return outcome.evidence


class TestSettings:
    @pytest.mark.parametrize(
        ("settings", "described", "origin"),
        [
            ({"host": "a.example:50051"}, "grpc://a.example:50051", "a.example:50051"),
            ({"host": "a.example", "port": 50051}, "grpc://a.example:50051", "a.example:50051"),
            ({"host": "grpc://A.example:1/"}, "grpc://a.example:1", "a.example:1"),
            ({"host": "grpcs://a.example"}, "grpcs://a.example:443", "a.example:443"),
            ({"host": "grpcs://a.example:8443"}, "grpcs://a.example:8443", "a.example:8443"),
            ({"host": "a.example", "tls": True}, "grpcs://a.example:443", "a.example:443"),
            ({"host": "[::1]:50051"}, "grpc://[::1]:50051", "[::1]:50051"),
            ({"host": "a:1", "service": "shop.Cart"}, "grpc://a:1/shop.Cart", "a:1"),
            ({"host": "grpc://a:1/shop.Cart"}, "grpc://a:1/shop.Cart", "a:1"),
        ],
    )
    def test_a_server_is_named(
        self, settings: dict[str, Setting], described: str, origin: str
    ) -> None:
        spec = KIND.parse(settings)
        assert (KIND.describe(spec), KIND.origin(spec)) == (described, origin)

    @pytest.mark.parametrize(
        ("settings", "field"),
        [
            ({}, "host"),
            ({"host": "a.example"}, "port"),
            ({"host": "grpc://a.example"}, "port"),
            ({"host": "a.example:0"}, "port"),
            ({"host": "a.example:1", "port": 1}, "port"),
            ({"host": "https://a.example"}, "host"),
            ({"host": "grpc://user:secret@a.example:1"}, "host"),
            ({"host": "grpc://a.example:1", "tls": True}, "tls"),
            ({"host": "grpc://a:1/shop.Cart", "service": "shop.Cart"}, "service"),
            ({"host": "a:1", "service": "a\nb"}, "service"),
            ({"host": "a:1", "metadata": {"X-Team": "a"}}, "metadata"),
            ({"host": "a:1", "metadata": {":path": "/"}}, "metadata"),
            ({"host": "a:1", "metadata": {"grpc-timeout": "1S"}}, "metadata"),
            ({"host": "a:1", "metadata": {"te": "gzip"}}, "metadata"),
            ({"host": "a:1", "metadata": {"connection": "close"}}, "metadata"),
            ({"host": "a:1", "metadata": {"x-team": "a\r\nb"}}, "metadata"),
            ({"host": "a:1", "metadata": {"x-team": "ä"}}, "metadata"),
            (
                {"host": "a:1", "metadata": {"authorization": "x"}, "bearer_token": "y"},
                "bearer_token",
            ),
            ({"host": "a:1", "bearer_token": "a\nb"}, "bearer_token"),
            ({"host": "a:1", "client_key": "key.pem"}, "client_key"),
            ({"host": "a:1", "url": "x"}, "url"),
        ],
    )
    def test_a_wrong_setting_is_refused_by_name(
        self, settings: dict[str, Setting], field: str
    ) -> None:
        with pytest.raises(Refused) as refused:
            KIND.parse(settings)
        assert refused.value.field == field
        assert "secret" not in str(refused.value)

    @pytest.mark.parametrize(
        ("settings", "line"),
        [
            ({"host": "a:1"}, "grpcurl -plaintext a:1 " + METHOD),
            (
                {"host": "grpcs://a", "service": "shop.Cart"},
                'grpcurl -d \'{"service": "shop.Cart"}\' a:443 ' + METHOD,
            ),
            (
                {"host": "grpcs://a", "verify_certificate": False},
                "grpcurl -insecure a:443 " + METHOD,
            ),
            (
                {"host": "grpcs://a", "ca_file": "ca.pem", "client_certificate": "me.pem"},
                "grpcurl -cacert ca.pem -cert me.pem -key me.pem a:443 " + METHOD,
            ),
            (
                {"host": "a:1", "metadata": {"x-team": "shop"}, "bearer_token": "hunter22"},
                "grpcurl -plaintext -H 'x-team: shop' -H 'authorization: ***' a:1 " + METHOD,
            ),
        ],
    )
    def test_the_line_that_repeats_it(self, settings: dict[str, Setting], line: str) -> None:
        assert KIND.parse(settings).repeat_with == line

    def test_no_secret_is_shown(self) -> None:
        spec = KIND.parse({"host": "a:1", "bearer_token": "hunter22"})
        assert "hunter22" not in repr(spec)

    def test_tls_settings_mean_nothing_in_clear_text(self) -> None:
        assert KIND.parse({"host": "a:1", "verify_certificate": False}).tls is None


class TestMessages:
    @given(st.text(max_size=300))
    def test_a_question_is_the_one_that_google_writes(self, service: str) -> None:
        message = health_pb2.HealthCheckRequest(service=service).SerializeToString()
        assert framed_request(service) == b"\x00" + len(message).to_bytes(4, "big") + message

    @given(st.sampled_from(Health))
    def test_an_answer_that_google_writes_is_read(self, state: Health) -> None:
        message = health_pb2.HealthCheckResponse(status=state.value).SerializeToString()
        assert health_in(b"\x00" + len(message).to_bytes(4, "big") + message) is state

    @pytest.mark.parametrize(
        ("message", "number"),
        [
            (b"", Health.UNKNOWN),
            (b"\x08\x01", Health.SERVING),
            (b"\x08\x02\x08\x01", Health.SERVING),
            (b"\x08\x81\x80\x00", Health.SERVING),
            (b"\x12\x02ab\x08\x02", Health.NOT_SERVING),
            (b"\x11" + bytes(8) + b"\x1d" + bytes(4) + b"\x08\x01", Health.SERVING),
            (b"\x08\x63", 99),
        ],
    )
    def test_fields_of_tomorrow_are_passed_over(self, message: bytes, number: int) -> None:
        assert health_in(b"\x00" + len(message).to_bytes(4, "big") + message) == number

    @pytest.mark.parametrize(
        "message",
        [
            b"\x08",
            b"\x08\xff",
            b"\x08" + b"\xff" * 11,
            b"\x0a\x01a",
            b"\x00\x01",
            b"\x12\x05ab",
            b"\x12" + b"\xff" * 9 + b"\x01",
            b"\x11abc",
            b"\x0b\x0c",
            b"\x0f",
        ],
    )
    def test_what_is_no_message_is_refused(self, message: bytes) -> None:
        with pytest.raises(Failed, match="not the answer of a health service"):
            health_in(b"\x00" + len(message).to_bytes(4, "big") + message)

    @given(st.binary(max_size=64))
    def test_any_bytes_are_read_or_refused(self, data: bytes) -> None:
        with contextlib.suppress(Failed):
            assert health_in(data) >= 0


@dataclass
class RealServer:
    """grpcio's server with its health service, on a port of each sort."""

    servicer: health.HealthServicer
    port: int
    tls_port: int
    ca_file: str
    metadata: list[tuple[str, str]]


class _Listening(grpc.ServerInterceptor):  # type: ignore[misc] # grpcio has no types
    def __init__(self, heard: list[tuple[str, str]]) -> None:
        self._heard = heard

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], grpc.RpcMethodHandler],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler:
        self._heard[:] = [tuple(pair) for pair in handler_call_details.invocation_metadata]
        return continuation(handler_call_details)


@contextlib.contextmanager
def real_server(folder: Path, *, with_health: bool = True) -> Iterator[RealServer]:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    certificate = authority.issue_cert(
        "127.0.0.1", common_name="grpc server", not_after=CERTIFICATE_ENDS
    )
    key, chain = certificate.private_key_pem.bytes(), certificate.cert_chain_pems[0].bytes()
    heard: list[tuple[str, str]] = []
    servicer = health.HealthServicer()
    with ThreadPoolExecutor(2) as threads:
        server = grpc.server(threads, interceptors=[_Listening(heard)])
        if with_health:
            health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
        port = server.add_insecure_port("127.0.0.1:0")
        credentials = grpc.ssl_server_credentials([(key, chain)])
        tls_port = server.add_secure_port("127.0.0.1:0", credentials)
        server.start()
        try:
            yield RealServer(servicer, port, tls_port, str(folder / "ca.pem"), heard)
        finally:
            server.stop(None).wait()


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    with real_server(tmp_path_factory.mktemp("grpc")) as server:
        states = health_pb2.HealthCheckResponse
        server.servicer.set("shop.Cart", states.SERVING)
        server.servicer.set("shop.Stock", states.NOT_SERVING)
        server.servicer.set("shop.Late", states.UNKNOWN)
        server.servicer.set("shop.Gone", states.SERVICE_UNKNOWN)
        yield server


@pytest.mark.asyncio
class TestRealServer:
    @pytest.mark.parametrize(
        ("service", "status", "reason", "line", "unmet"),
        [
            ("", Status.UP, "serving", "0 OK", ()),
            ("shop.Cart", Status.UP, "serving", "0 OK", ()),
            (
                "shop.Stock",
                Status.DOWN,
                "not serving",
                "0 OK",
                (Unmet("health", "SERVING", "NOT_SERVING"),),
            ),
            (
                "shop.Late",
                Status.DOWN,
                "the server does not know the health of the service",
                "0 OK",
                (Unmet("health", "SERVING", "UNKNOWN"),),
            ),
            (
                "shop.Gone",
                Status.DOWN,
                "the server knows no service 'shop.Gone'",
                "0 OK",
                (Unmet("health", "SERVING", "SERVICE_UNKNOWN"),),
            ),
            (
                "shop.Nobody",
                Status.DOWN,
                "the server knows no service 'shop.Nobody'",
                "5 NOT_FOUND",
                (Unmet("grpc-status", "0 OK", "5 NOT_FOUND"),),
            ),
        ],
    )
    async def test_its_word_decides(
        self,
        real: RealServer,
        service: str,
        status: Status,
        reason: str,
        line: str,
        unmet: tuple[Unmet, ...],
    ) -> None:
        outcome = await checked(real.port, service=service)
        assert (outcome.status, outcome.reason) == (status, reason)
        assert outcome.response_ms is not None
        evidence = evidence_of(outcome)
        assert evidence.status_line == f"HTTP/2 200, grpc-status {line}"
        assert evidence.unmet == unmet
        assert evidence.address == f"127.0.0.1:{real.port}"
        phases = [name for name, _ in evidence.timings_ms]
        assert phases == ["dns", "connect", "first_byte", "total"]

    async def test_what_it_says_is_kept(self, real: RealServer) -> None:
        evidence = evidence_of(await checked(real.port))
        assert evidence.body == "SERVING"
        assert ("content-type", "application/grpc") in evidence.headers
        assert ("grpc-status", "0") in evidence.headers
        assert evidence.repeat_with.startswith("grpcurl -plaintext 127.0.0.1:")

    async def test_over_tls(self, real: RealServer) -> None:
        outcome = await checked(real.tls_port, tls=True, ca_file=real.ca_file)
        assert (outcome.status, outcome.reason) == (Status.UP, "serving")
        evidence = evidence_of(outcome)
        assert evidence.certificate.startswith("grpc server, for 127.0.0.1")
        phases = [name for name, _ in evidence.timings_ms]
        assert phases == ["dns", "connect", "tls", "first_byte", "total"]

    async def test_a_certificate_that_ends_soon_is_degraded(self, real: RealServer) -> None:
        now = CERTIFICATE_ENDS - timedelta(days=4, hours=12)
        kind = GrpcKind(wall_clock_s=now.timestamp)
        spec = kind.parse(
            {"host": "127.0.0.1", "port": real.tls_port, "tls": True, "ca_file": real.ca_file}
        )
        outcome = await kind.check(spec, 5.0)
        assert outcome.status is Status.DEGRADED
        assert outcome.reason == "certificate expires in 4 days"

    @pytest.mark.parametrize(
        ("service", "status", "reason"),
        [
            ("shop.Cart", Status.DEGRADED, "took "),
            ("shop.Stock", Status.DOWN, "not serving; took "),
        ],
    )
    async def test_a_slow_answer_is_degraded_and_a_bad_one_still_down(
        self, real: RealServer, service: str, status: Status, reason: str
    ) -> None:
        def slow_look_up(_: str) -> list[str]:
            time.sleep(0.02)
            return ["127.0.0.1"]

        kind = GrpcKind(Resolver(slow_look_up))
        spec = kind.parse(
            {"host": f"a.example:{real.port}", "service": service, "latency_threshold": "1ms"}
        )
        outcome = await kind.check(spec, 5.0)
        assert outcome.status is status
        assert outcome.reason.startswith(reason)
        assert outcome.reason.endswith("more than 1 ms")
        assert evidence_of(outcome).unmet[-1].what == "latency"

    async def test_metadata_and_token_arrive(self, real: RealServer) -> None:
        outcome = await checked(real.port, metadata={"x-team": "shop"}, bearer_token="hunter22")
        assert outcome.status is Status.UP
        assert ("x-team", "shop") in real.metadata
        assert ("authorization", "Bearer hunter22") in real.metadata
        assert "hunter22" not in repr(outcome)

    async def test_a_server_without_a_health_service_says_so(self, tmp_path: Path) -> None:
        with real_server(tmp_path, with_health=False) as server:
            outcome = await checked(server.port)
        assert outcome.status is Status.DOWN
        assert outcome.reason.startswith("the server has no health service")
        assert evidence_of(outcome).status_line == "HTTP/2 200, grpc-status 12 UNIMPLEMENTED"

    async def test_tls_to_a_port_without(self, real: RealServer) -> None:
        outcome = await checked(real.port, tls=True)
        assert (outcome.status, outcome.reason) == (Status.DOWN, "the server does not speak TLS")

    async def test_nobody_listens(self) -> None:
        async with answering(b"") as server:
            pass
        outcome = await checked(server.port)
        assert outcome.status is Status.DOWN
        assert outcome.reason == f"connection refused by 127.0.0.1:{server.port}"


Said = Callable[[H2Connection], None]


@contextlib.asynccontextmanager
async def saying(said: Said, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """An HTTP/2 server that reads the whole request and then says what it likes."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        protocol = H2Connection(
            H2Configuration(
                client_side=False, validate_outbound_headers=False, normalize_outbound_headers=False
            )
        )
        protocol.initiate_connection()
        while not any(
            isinstance(event, StreamEnded)
            for event in protocol.receive_data(await reader.read(65_536))
        ):
            pass
        said(protocol)
        writer.write(protocol.data_to_send())
        await finish(writer)

    async with serving(answer, tls=tls) as server:
        yield server


def call(
    body: bytes = SERVING,
    trailers: dict[str, str] | None = None,
    kind: str = "application/grpc",
    code: str = "200",
) -> Said:
    """A complete answer: headers, a body, trailers."""

    def said(protocol: H2Connection) -> None:
        protocol.send_headers(1, [(":status", code), ("content-type", kind)])
        protocol.send_data(1, body, end_stream=trailers == {})
        if trailers != {}:
            protocol.send_headers(
                1, list((trailers or {"grpc-status": "0"}).items()), end_stream=True
            )

    return said


def only_headers(**headers: str) -> Said:
    def said(protocol: H2Connection) -> None:
        pairs = [(name.replace("_", "-"), value) for name, value in headers.items()]
        protocol.send_headers(1, [(":status", "200"), *pairs], end_stream=True)

    return said


def unfinished(protocol: H2Connection) -> None:
    protocol.send_headers(1, [(":status", "200"), ("content-type", "application/grpc")])


def reset(protocol: H2Connection) -> None:
    protocol.reset_stream(1, ErrorCodes.REFUSED_STREAM)


def good_bye(protocol: H2Connection) -> None:
    protocol.close_connection(ErrorCodes.ENHANCE_YOUR_CALM, b"too_many_pings")


def good_bye_without_words(protocol: H2Connection) -> None:
    protocol.close_connection(ErrorCodes.NO_ERROR, b"\x00\x01")


def interim_first(protocol: H2Connection) -> None:
    protocol.send_headers(1, [(":status", "103")])
    call()(protocol)


def ping_first(protocol: H2Connection) -> None:
    protocol.ping(b"12345678")
    call()(protocol)


def many_headers(protocol: H2Connection) -> None:
    pairs = [(f"x-{number}", "a" * 1_000) for number in range(80)]
    protocol.send_headers(1, [(":status", "200"), *pairs])


def no_code(protocol: H2Connection) -> None:
    protocol.send_headers(1, [(":status", "abc")])


CASES = [
    (call(), Status.UP, "serving"),
    (interim_first, Status.UP, "serving"),
    (ping_first, Status.UP, "serving"),
    (call(b"\x00\x00\x00\x00\x00"), Status.DOWN, "the server does not know the health"),
    (call(b"\x00\x00\x00\x00\x02\x08\x63"), Status.DOWN, "the server answers with health 99"),
    (call(b""), Status.DOWN, "the answer has no message"),
    (call(b"\x01\x00\x00\x00\x02\x08\x01"), Status.DOWN, "the message is compressed"),
    (call(b"\x07\x00\x00\x00\x02\x08\x01"), Status.DOWN, "the message is not the answer"),
    (call(b"\x00\x00\x00\x00\x02\x08"), Status.DOWN, "the message is cut off"),
    (call(b"\x00\xff\xff\xff\xff\x08"), Status.DOWN, "the message is cut off"),
    (call(b"\x00\x00"), Status.DOWN, "the message is cut off"),
    (call(SERVING * 2), Status.DOWN, "more than one message came"),
    (call(b"\x00\x00\x00\x00\x02\x0f\x0f"), Status.DOWN, "the message is not the answer"),
    (call(bytes(16_000)), Status.DOWN, "the answer is larger than 4096 bytes"),
    (call(trailers={}), Status.DOWN, "the answer ends without a gRPC status"),
    (call(trailers={"x": "y"}), Status.DOWN, "the answer ends without a gRPC status"),
    (call(trailers={"grpc-status": "ok"}), Status.DOWN, "the gRPC status 'ok' is not a number"),
    (call(trailers={"grpc-status": "99"}), Status.DOWN, "gRPC status 99 ?"),
    (
        call(trailers={"grpc-status": "14", "grpc-message": "no%20database%21%0A"}),
        Status.DOWN,
        "gRPC status 14 UNAVAILABLE: no database!",
    ),
    (
        only_headers(content_type="application/grpc", grpc_status="16", grpc_message="who%3F"),
        Status.DOWN,
        "the server wants to know who asks: who?",
    ),
    (only_headers(grpc_status="7"), Status.DOWN, "the server denies access to its health"),
    (only_headers(grpc_status="5"), Status.DOWN, "the server tells no health of its own"),
    (
        call(b"<html>", {}, "text/html; charset=utf-8"),
        Status.DOWN,
        "the server answers with text/html; charset=utf-8, not with gRPC",
    ),
    (only_headers(), Status.DOWN, "the server answers with no type, not with gRPC"),
    (call(b"busy", {}, "text/plain", "503"), Status.DOWN, "HTTP 503 Service Unavailable"),
    (call(b"", {}, "text/plain", "599"), Status.DOWN, "HTTP 599"),
    (unfinished, Status.DOWN, "connection closed before the end of the answer"),
    (lambda _: None, Status.DOWN, "connection closed without an answer"),
    (reset, Status.DOWN, "the server reset the stream: REFUSED_STREAM"),
    (good_bye, Status.DOWN, "the server ended the connection: ENHANCE_YOUR_CALM, too_many_pings"),
    (good_bye_without_words, Status.DOWN, "the server ended the connection: NO_ERROR"),
    (many_headers, Status.DOWN, "the headers of the answer are larger than 64 KiB"),
    (no_code, Status.DOWN, "the server breaks the rules of HTTP/2"),
]


@pytest.mark.asyncio
class TestOddServers:
    @pytest.mark.parametrize(("said", "status", "reason"), CASES)
    async def test_every_answer_has_its_sentence(
        self, said: Said, status: Status, reason: str
    ) -> None:
        async with saying(said) as server:
            outcome = await checked(server.port)
        assert outcome.status is status
        assert outcome.reason.startswith(reason)
        assert evidence_of(outcome).address

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"", "connection closed without an answer"),
            (b"HTTP/1.1 400 Bad Request\r\n\r\n", "the server answers in HTTP/1, not in HTTP/2"),
            (b"H", "the server answers in HTTP/1, not in HTTP/2"),
            (b"SSH-2.0-OpenSSH_9.2\r\n", "the server's answer is not HTTP/2"),
            (b"\x00\x00\x00\x01\x04", "the server's answer is not HTTP/2"),
            (b"\x00\x00\x01\x04\x00\x00\x00\x00\x00!", "the server breaks the rules of HTTP/2"),
            (SETTINGS + b"\x00\x00\x01" + bytes(6) + b"!", "the server breaks the rules of HTTP/2"),
            (SETTINGS + b"\xff" * 40, "connection closed without an answer"),
            (b"\x00\x00\x00", "connection closed without an answer"),
        ],
    )
    async def test_what_is_no_http2_is_said(self, data: bytes, reason: str) -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(10)
            writer.write(data)
            await finish(writer)

        async with serving(answer) as server:
            outcome = await checked(server.port)
        assert (outcome.status, outcome.reason) == (Status.DOWN, reason)
        assert evidence_of(outcome).status_line == ""

    @pytest.mark.parametrize(
        "frame",
        [
            pytest.param(SETTINGS, id="settings"),
            pytest.param(b"\x00\x00\x08\x06" + bytes(5) + b"12345678", id="ping"),
            pytest.param(bytes(3) + b"\xee" + bytes(5), id="unknown"),
        ],
    )
    async def test_frames_without_end_are_left_and_hold_up_nobody(self, frame: bytes) -> None:
        async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(SETTINGS)
            while True:
                writer.write(frame * 4_096)
                await writer.drain()

        async with serving(answer) as server:
            checking = asyncio.ensure_future(checked(server.port, 30))
            turns = 0
            while not checking.done():
                await asyncio.sleep(0)
                turns += 1
            outcome = checking.result()
        assert (outcome.status, outcome.reason) == (
            Status.DOWN,
            "the server sends frames without end",
        )
        assert turns > 50

    async def test_a_silent_server_is_left_at_the_timeout(self) -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(SETTINGS)
            await reader.read()

        async with serving(silent) as server:
            with pytest.raises(TimeoutError) as timeout:
                await checked(server.port, 0.5)
            await asyncio.wait_for(server.gone.wait(), 5)
        evidence = evidence_left(timeout.value)
        assert evidence is not None
        assert "first_byte" in dict(evidence.timings_ms)
        assert evidence.repeat_with

    async def test_a_certificate_nobody_trusts_is_down(self) -> None:
        context = server_context(trustme.CA(organization_name="Nobody"), "127.0.0.1")
        async with saying(call(), context) as server:
            outcome = await checked(server.port, tls=True)
        assert outcome.status is Status.DOWN
        assert "not trusted" in outcome.reason
        assert evidence_of(outcome).certificate.startswith("127.0.0.1")

    async def test_a_tls_server_without_http2_is_down(self, tmp_path: Path) -> None:
        authority = trustme.CA()
        authority.cert_pem.write_to_path(tmp_path / "ca.pem")
        async with saying(call(), server_context(authority, "127.0.0.1")) as server:
            outcome = await checked(server.port, tls=True, ca_file=str(tmp_path / "ca.pem"))
        assert (outcome.status, outcome.reason) == (Status.DOWN, "the server does not offer HTTP/2")
        assert evidence_of(outcome).certificate

    @pytest.mark.parametrize(
        "said",
        [
            call(trailers={"grpc-status": "16", "grpc-message": "a" * 190 + "%68unter22 is bad"}),
            call(trailers={"grpc-status": "hunter22"}),
            call(trailers={}, kind="text/hunter22"),
            call(b"hunter22", {}, "text/plain", "401"),
            lambda protocol: protocol.close_connection(1, b"a" * 55 + b"hunter22"),
        ],
    )
    async def test_a_secret_that_comes_back_is_hidden_even_where_it_would_be_cut(
        self, said: Said
    ) -> None:
        async with saying(said) as server:
            outcome = await checked(server.port, bearer_token="hunter22")
        assert outcome.status is Status.DOWN
        assert "hunt" not in repr(outcome)


class _Recorded:
    """A connection that gives back what was recorded."""

    def __init__(self, data: bytes) -> None:
        self._parts = [data, b""]

    async def send(self, data: bytes) -> None:
        pass

    async def receive(self) -> bytes:
        return self._parts.pop(0)


def _recorded_answer() -> bytes:
    client, server = H2Connection(), H2Connection(H2Configuration(client_side=False))
    client.initiate_connection()
    request = [(":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "a")]
    client.send_headers(1, request, end_stream=True)
    server.initiate_connection()
    server.receive_data(client.data_to_send())
    call()(server)
    return server.data_to_send()


@given(st.data())
def test_a_damaged_answer_is_read_or_refused(data: st.DataObject) -> None:
    recorded = bytearray(_recorded_answer())
    places = st.integers(0, len(recorded) - 1)
    for place, byte in data.draw(
        st.lists(st.tuples(places, st.integers(0, 255)), min_size=1, max_size=6)
    ):
        recorded[place] = byte
    exchange = Exchange(Trail(), StreamAnswer(), 4_096)
    with contextlib.suppress(Failed):
        asyncio.run(exchange.run(_Recorded(bytes(recorded)), [(b":method", b"POST")], b""))  # type: ignore[arg-type]
