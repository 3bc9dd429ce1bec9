"""The http check through proxies: HTTP with and without tunnel, TLS to the proxy, SOCKS."""

import asyncio
import base64
import contextlib
import ipaddress
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import trustme

from tests.checks.servers import (
    Answer,
    answering,
    checked,
    finish,
    ok,
    read_request,
    server_context,
    serving,
)
from tests.checks.test_http_version import Http2, offering
from uptime_desktop.checks.base import evidence_left
from uptime_desktop.checks.http.kind import HttpKind
from uptime_desktop.checks.http.routed import RoutedTransport
from uptime_desktop.checks.http.transport import DirectTransport
from uptime_desktop.checks.net.resolver import LookUp, Resolver
from uptime_desktop.domain.model import Evidence, Outcome, Setting
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio

SECRET = "hunter22"
HTTP_SIGN_IN = "Basic " + base64.b64encode(f"me:{SECRET}".encode()).decode()


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA(organization_name="Good Authority")


@pytest.fixture
def ca_file(authority: trustme.CA, tmp_path: Path) -> str:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(path)
    return str(path)


@dataclass
class Relay:
    """A proxy, what it was asked for, and where it really goes."""

    sign_in: bool = False
    asked: list[str] = field(default_factory=list)
    heads: list[bytes] = field(default_factory=list)

    async def http(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await read_request(reader)
        self.heads.append(request)
        method, target, _ = request.split(b"\r\n")[0].decode().split(" ")
        self.asked.append(target)
        if self.sign_in and f"Proxy-Authorization: {HTTP_SIGN_IN}".encode() not in request:
            writer.write(ok(b"who are you?", status="407 Proxy Authentication Required"))
            return await finish(writer)
        address = urlsplit(target if method != "CONNECT" else f"//{target}")
        try:
            server = await asyncio.open_connection("127.0.0.1", address.port)
        except OSError:
            writer.write(ok(b"", status="502 Bad Gateway"))
            return await finish(writer)
        if method == "CONNECT":
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            path = address.path + (f"?{address.query}" if address.query else "")
            server[1].write(request.replace(target.encode(), path.encode(), 1))
        return await both_ways(reader, writer, *server)

    async def socks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        offered = await reader.readexactly((await reader.readexactly(2))[1])
        wanted = 2 if self.sign_in else 0
        if wanted not in offered:
            writer.write(b"\x05\xff")
            return await finish(writer)
        writer.write(bytes((5, wanted)))
        if self.sign_in:
            user = await reader.readexactly((await reader.readexactly(2))[1])
            password = await reader.readexactly((await reader.readexactly(1))[0])
            is_right = (user, password) == (b"me", SECRET.encode())
            writer.write(b"\x01" + bytes((not is_right,)))
            if not is_right:
                return await finish(writer)
        host = await socks_host(reader)
        port = int.from_bytes(await reader.readexactly(2), "big")
        self.asked.append(f"{host}:{port}")
        try:
            server = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.write(bytes((5, 5, 0, 1)) + bytes(6))
            return await finish(writer)
        # In pieces, and with a name: both are allowed.
        for piece in (b"\x05", b"\x00\x00", b"\x03\x04", b"here", b"\x00\x50"):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
        return await both_ways(reader, writer, *server)


async def socks_host(reader: asyncio.StreamReader) -> str:
    kind = (await reader.readexactly(4))[3]
    if kind == 3:
        return (await reader.readexactly((await reader.readexactly(1))[0])).decode()
    return str(ipaddress.ip_address(await reader.readexactly(4 if kind == 1 else 16)))


async def both_ways(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    server_reader: asyncio.StreamReader,
    server_writer: asyncio.StreamWriter,
) -> None:
    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65_536):
                sink.write(data)
                await sink.drain()
        sink.close()

    try:
        await asyncio.gather(pump(reader, server_writer), pump(server_reader, writer))
    finally:
        server_writer.transport.abort()


def kind_of(look_up: LookUp | None = None) -> HttpKind:
    resolver = Resolver(look_up) if look_up else Resolver()
    return HttpKind(DirectTransport(resolver), RoutedTransport(resolver))


@contextlib.asynccontextmanager
async def relaying(
    relay: Relay, scheme: str = "http", tls: ssl.SSLContext | None = None
) -> AsyncIterator[str]:
    """The address of a proxy that works."""
    answer = relay.socks if scheme.startswith("socks") else relay.http
    async with serving(answer, tls=tls) as server:
        yield f"{scheme}://127.0.0.1:{server.port}"


def seen(outcome: Outcome) -> Evidence:
    assert outcome.evidence is not None
    return outcome.evidence


SCHEMES = ["http", "https", "socks5", "socks5h"]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("is_tls", [False, True], ids=["http page", "https page"])
async def test_a_page_behind_a_proxy_is_up_and_every_phase_is_known(
    scheme: str, is_tls: bool, authority: trustme.CA, ca_file: str
) -> None:
    relay = Relay()
    context = server_context(authority, "127.0.0.1")
    proxy_context = context if scheme == "https" else None
    async with (
        answering(ok(), tls=context if is_tls else None) as server,
        relaying(relay, scheme, proxy_context) as proxy,
    ):
        outcome = await checked(
            server.url + "path?q=1", proxy=proxy, ca_file=ca_file, keyword="well"
        )
    assert (outcome.status, outcome.reason) == (Status.UP, "HTTP 200 OK")
    evidence = seen(outcome)
    assert evidence.address == f"proxy 127.0.0.1:{urlsplit(proxy).port}"
    assert server.requests[0].startswith(b"GET /path?q=1 HTTP/1.1\r\n")
    assert b"Proxy-" not in server.requests[0]
    assert bool(evidence.certificate) is is_tls
    phases = {"dns", "connect", "first_byte", "total"}
    phases |= {"tls"} if is_tls else set()
    phases |= {"proxy"} if is_tls or scheme != "http" else set()
    assert set(dict(evidence.timings_ms)) == phases
    is_forwarded = not is_tls and scheme in {"http", "https"}
    target = server.url + "path?q=1" if is_forwarded else f"127.0.0.1:{server.port}"
    assert relay.asked == [target]


@pytest.mark.parametrize("scheme", ["http", "socks5", "socks5h"])
@pytest.mark.parametrize("is_tls", [False, True], ids=["http page", "https page"])
@pytest.mark.parametrize(
    ("userinfo", "reason"),
    [
        (f"me:{SECRET}@", "HTTP 200 OK"),
        ("", "no way through the proxy: it asks for a user name and password"),
        (
            "me:wrong-one@",
            "no way through the proxy: it does not accept the user name and password",
        ),
    ],
)
async def test_a_proxy_that_wants_to_know_who_we_are(
    scheme: str, is_tls: bool, userinfo: str, reason: str, authority: trustme.CA, ca_file: str
) -> None:
    tls = server_context(authority, "127.0.0.1") if is_tls else None
    async with answering(ok(), tls=tls) as server, relaying(Relay(sign_in=True), scheme) as proxy:
        url = proxy.replace("://", f"://{userinfo}")
        outcome = await checked(server.url, proxy=url, ca_file=ca_file)
    assert outcome.reason == reason
    assert outcome.status is (Status.UP if reason == "HTTP 200 OK" else Status.UNKNOWN)
    told = repr(outcome) + repr(kind_of().parse({"url": server.url, "proxy": url}))
    for secret in (SECRET, "wrong-one", HTTP_SIGN_IN.split()[1]):
        assert secret not in told
    if userinfo:
        assert f"--proxy '{proxy.replace('://', '://***@')}'" in seen(outcome).repeat_with


async def test_the_sign_in_at_the_proxy_is_not_told_to_the_server(
    authority: trustme.CA, ca_file: str
) -> None:
    relay = Relay(sign_in=True)
    tls = server_context(authority, "127.0.0.1")
    async with answering(ok(), tls=tls) as server, relaying(relay) as proxy:
        url = proxy.replace("://", f"://me:{SECRET}@")
        await checked(server.url, proxy=url, ca_file=ca_file, username="you", password="for-you")
    assert HTTP_SIGN_IN.encode() not in server.requests[0]
    assert b"Authorization: Basic " in server.requests[0]
    assert base64.b64encode(b"you:for-you") not in relay.heads[0]


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_proxy_that_nobody_runs_says_nothing_about_the_page(scheme: str) -> None:
    async with answering(ok()) as server:
        pass
    proxy = f"{scheme}://127.0.0.1:{server.port}"
    outcome = await checked("http://shop.example/", kind_of(lambda _: ["127.0.0.1"]), proxy=proxy)
    assert outcome.status is Status.UNKNOWN
    assert outcome.reason == (
        f"no way through the proxy: connection refused by 127.0.0.1:{server.port}"
    )


async def test_a_proxy_whose_name_nobody_knows() -> None:
    outcome = await checked(
        "http://127.0.0.1:9/", kind_of(lambda _: []), proxy="http://proxy.example:3128"
    )
    assert outcome.reason == "no way through the proxy: host name not found"
    assert outcome.status is Status.UNKNOWN


@pytest.mark.parametrize(
    ("scheme", "is_tls", "reason"),
    [
        ("http", True, "the proxy cannot reach 127.0.0.1:{port}: HTTP 502 Bad Gateway"),
        ("http", False, "HTTP 502 Bad Gateway"),
        ("socks5", False, "the proxy cannot reach 127.0.0.1:{port}: connection refused"),
        ("socks5h", True, "the proxy cannot reach 127.0.0.1:{port}: connection refused"),
    ],
)
async def test_a_server_that_the_proxy_cannot_reach_is_down(
    scheme: str, is_tls: bool, reason: str
) -> None:
    async with answering(ok()) as gone:
        pass
    url = gone.url.replace("http:", "https:") if is_tls else gone.url
    async with relaying(Relay(), scheme) as proxy:
        outcome = await checked(url, proxy=proxy)
    assert (outcome.status, outcome.reason) == (Status.DOWN, reason.format(port=gone.port))


def saying(data: bytes) -> Answer:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65_536)
        writer.write(data)
        await finish(writer)

    return answer


@pytest.mark.parametrize(
    ("scheme", "data", "why"),
    [
        ("http", b"", "connection closed without an answer"),
        ("http", b"SSH-2.0-OpenSSH_9.2\r\n", "the server's answer is not HTTP"),
        ("http", ok(b"", status="403 Not for you"), "HTTP 403 Not for you"),
        (
            "http",
            b"HTTP/1.1 200 OK\r\nX: " + b"a" * 1_000_000,
            "the headers of the answer are larger than 64 KiB",
        ),
        (
            "http",
            b"HTTP/1.1 100 Continue\r\n\r\n" * 50,
            "the server sends interim answers without end",
        ),
        ("https", b"HTTP/1.1 400 Bad Request\r\n\r\n", "the server does not speak TLS"),
        ("socks5h", b"", "connection closed without an answer"),
        ("socks5h", b"\x05", "connection closed without an answer"),
        ("socks5h", b"HTTP/1.1 400 Bad Request\r\n\r\n", "its answer is not SOCKS 5"),
        ("socks5h", b"\x05\x00" + b"\x04" * 10, "its answer is not SOCKS 5"),
        ("socks5h", b"\x05\x00\x05\x00\x00\x09" + b"\x00" * 10, "its answer is not SOCKS 5"),
        ("socks5h", b"\x05\x00\x05\x02\x00\x01" + b"\x00" * 6, "its rules do not allow it"),
        ("socks5h", b"\x05\x00\x05\x63\x00\x01" + b"\x00" * 6, "it refuses with error 99"),
        ("socks5h", b"\x05\x07", "it asks for a user name and password"),
    ],
)
async def test_a_proxy_that_breaks_the_rules_is_named_as_the_one_at_fault(
    scheme: str, data: bytes, why: str
) -> None:
    async with serving(saying(data)) as server:
        proxy = f"{scheme}://127.0.0.1:{server.port}"
        outcome = await checked("https://127.0.0.1:9/", proxy=proxy)
    assert outcome.status is Status.UNKNOWN
    assert outcome.reason == f"no way through the proxy: {why}"
    assert seen(outcome).address == f"proxy 127.0.0.1:{server.port}"


@pytest.mark.parametrize("scheme", ["http", "https", "socks5h"])
async def test_a_certificate_behind_a_proxy_that_is_not_trusted_is_told_with_its_words(
    scheme: str, authority: trustme.CA, ca_file: str
) -> None:
    expired = server_context(authority, "127.0.0.1", expired_days_ago=3)
    proxy_tls = server_context(authority, "127.0.0.1") if scheme == "https" else None
    async with (
        answering(ok(), tls=expired) as server,
        relaying(Relay(), scheme, proxy_tls) as proxy,
    ):
        outcome = await checked(server.url, proxy=proxy, ca_file=ca_file)
    assert (outcome.status, outcome.reason) == (Status.DOWN, "certificate expired 3 days ago")
    assert seen(outcome).certificate


async def test_a_proxy_whose_own_certificate_is_not_trusted(
    authority: trustme.CA, ca_file: str
) -> None:
    stranger = server_context(trustme.CA(organization_name="Stranger"), "127.0.0.1")
    async with (
        answering(ok(), tls=server_context(authority, "127.0.0.1")) as server,
        relaying(Relay(), "https", stranger) as proxy,
    ):
        outcome = await checked(server.url, proxy=proxy, ca_file=ca_file)
        unverified = await checked(server.url, proxy=proxy, verify_certificate=False)
    assert outcome.status is Status.UNKNOWN
    assert outcome.reason.startswith("no way through the proxy: certificate is issued by ")
    assert seen(outcome).certificate == ""
    assert unverified.status is Status.UP


@pytest.mark.parametrize(
    ("scheme", "asked"), [("socks5", "127.0.0.1"), ("socks5h", "shop.example")]
)
async def test_names_are_looked_up_here_or_by_the_proxy(scheme: str, asked: str) -> None:
    looked_up = []

    def look_up(host: str) -> list[str]:
        looked_up.append(host)
        return ["::1", "127.0.0.1"]

    relay = Relay()
    async with answering(ok()) as server, relaying(relay, scheme) as proxy:
        url = f"http://shop.example:{server.port}/"
        settings: dict[str, Setting] = {"ip_version": "4"} if scheme == "socks5" else {}
        outcome = await checked(url, kind_of(look_up), 5.0, proxy=proxy, **settings)
    assert outcome.status is Status.UP
    assert relay.asked == [f"{asked}:{server.port}"]
    assert looked_up == (["shop.example"] if scheme == "socks5" else [])


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_redirects_go_through_the_proxy_too(
    scheme: str, authority: trustme.CA, ca_file: str
) -> None:
    relay = Relay()
    tls = server_context(authority, "127.0.0.1")
    async with (
        answering(ok(b"", "X-Last: yes"), tls=tls) as last,
        answering(ok(b"", f"Location: {last.url}there#top", status="302 Found")) as first,
        relaying(relay, scheme, tls if scheme == "https" else None) as proxy,
    ):
        outcome = await checked(first.url, proxy=proxy, ca_file=ca_file)
    assert outcome.status is Status.UP
    assert ("X-Last", "yes") in seen(outcome).headers
    assert len(relay.asked) == 2
    assert last.requests[0].startswith(b"GET /there HTTP/1.1\r\n")


@pytest.mark.parametrize("scheme", ["http", "https", "socks5h"])
async def test_http2_goes_through_a_proxy_too(
    scheme: str, authority: trustme.CA, ca_file: str
) -> None:
    proxy_tls = server_context(authority, "127.0.0.1") if scheme == "https" else None
    async with (
        serving(Http2().answer, tls=offering(authority, "h2")) as server,
        relaying(Relay(), scheme, proxy_tls) as proxy,
    ):
        outcome = await checked(
            server.url, proxy=proxy, ca_file=ca_file, http_version="2", keyword="well"
        )
    assert outcome.status is Status.UP
    assert seen(outcome).status_line == "HTTP/2 200 OK"


async def test_bytes_that_come_together_with_the_proxy_s_answer_are_not_lost() -> None:
    async def eager(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(3)
        writer.write(b"\x05\x00")
        await reader.read(65_536)
        writer.write(b"\x05\x00\x00\x01" + bytes(6) + b"SSH-2.0-OpenSSH_9.2\r\n")
        await reader.read()

    async with serving(eager) as server:
        outcome = await checked("http://127.0.0.1:9/", proxy=f"socks5h://127.0.0.1:{server.port}")
    assert (outcome.status, outcome.reason) == (Status.DOWN, "the server's answer is not HTTP")
    assert seen(outcome).body == "SSH-2.0-OpenSSH_9.2\r\n"


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_proxy_that_never_answers_is_left_at_the_timeout(scheme: str) -> None:
    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        while await reader.read(65_536):
            pass

    async with serving(silent) as server:
        proxy = f"{scheme}://127.0.0.1:{server.port}"
        with pytest.raises(TimeoutError) as timeout:
            await checked("https://127.0.0.1:9/", timeout_s=0.5, proxy=proxy)
        await asyncio.wait_for(server.gone.wait(), 5)
    evidence = evidence_left(timeout.value)
    assert evidence is not None
    assert "proxy" in dict(evidence.timings_ms)
    assert evidence.address == f"proxy 127.0.0.1:{server.port}"


async def test_a_cancelled_check_lets_go_of_the_proxy(authority: trustme.CA, ca_file: str) -> None:
    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await read_request(reader)
        hanging.set()
        await reader.read()

    hanging = asyncio.Event()
    tls = server_context(authority, "127.0.0.1")
    async with serving(silent, tls=tls) as server, serving(Relay().http, tls=tls) as between:
        proxy = f"https://127.0.0.1:{between.port}"
        task = asyncio.create_task(checked(server.url, proxy=proxy, ca_file=ca_file))
        await hanging.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(between.gone.wait(), 5)
