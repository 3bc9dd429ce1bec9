"""The http check over TLS, with certificates good and bad."""

import asyncio
import ssl
from pathlib import Path

import pytest
import trustme

from tests.checks.servers import answering, checked, finish, http_kind, ok, server_context, serving
from uptime_desktop.domain.model import Outcome, Unmet
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA(organization_name="Good Authority")


@pytest.fixture
def ca_file(authority: trustme.CA, tmp_path: Path) -> str:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(path)
    return str(path)


async def check_of(
    context: ssl.SSLContext, ca_file: str, host: str = "127.0.0.1", *, verify: bool = True
) -> Outcome:
    async with answering(ok(), tls=context) as server:
        url = f"https://{host}:{server.port}/"
        kind = http_kind(lambda _: ["127.0.0.1"])
        return await checked(url, kind, ca_file=ca_file, verify_certificate=verify)


async def test_a_trusted_certificate_is_up_and_described(
    authority: trustme.CA, ca_file: str
) -> None:
    context = server_context(authority, "127.0.0.1", "shop.example")
    outcome = await check_of(context, ca_file)
    assert (outcome.status, outcome.reason) == (Status.UP, "HTTP 200 OK")
    assert outcome.evidence is not None
    assert outcome.evidence.certificate.startswith("127.0.0.1, for ")
    assert "shop.example" in outcome.evidence.certificate
    assert "SHA-256" in outcome.evidence.certificate
    timings = dict(outcome.evidence.timings_ms)
    assert list(timings) == ["dns", "connect", "tls", "first_byte", "total"]


async def test_a_large_body_goes_out_whole(authority: trustme.CA, ca_file: str) -> None:
    async with answering(ok(), tls=server_context(authority, "127.0.0.1")) as server:
        await checked(server.url, ca_file=ca_file, method="POST", body="ä" * 65_000)
    assert server.requests[0].endswith("ä".encode() * 65_000)


async def test_a_host_name_outside_ascii_is_asked_for_by_its_ascii_form(
    authority: trustme.CA, ca_file: str
) -> None:
    context = server_context(authority, "bücher.example")
    assert (await check_of(context, ca_file, "bücher.example")).status is Status.UP


@pytest.mark.parametrize(
    ("days", "reason"),
    [
        (0, "certificate expired today"),
        (1, "certificate expired 1 day ago"),
        (3, "certificate expired 3 days ago"),
    ],
)
async def test_an_expired_certificate_is_down(
    authority: trustme.CA, ca_file: str, days: int, reason: str
) -> None:
    context = server_context(authority, "127.0.0.1", expired_days_ago=days)
    outcome = await check_of(context, ca_file)
    assert (outcome.status, outcome.reason) == (Status.DOWN, reason)
    assert outcome.evidence is not None
    assert "valid" in outcome.evidence.certificate


async def test_a_certificate_for_another_host_is_down(authority: trustme.CA, ca_file: str) -> None:
    context = server_context(authority, "other.example", "www.other.example")
    outcome = await check_of(context, ca_file, "shop.example")
    assert outcome.status is Status.DOWN
    assert outcome.reason == (
        "certificate is for other.example, www.other.example, not for shop.example"
    )
    assert (await check_of(context, ca_file)).status is Status.DOWN


async def test_a_certificate_of_an_unknown_authority_is_down(ca_file: str) -> None:
    stranger = trustme.CA(organization_name="Stranger")
    outcome = await check_of(server_context(stranger, "127.0.0.1"), ca_file)
    assert outcome.status is Status.DOWN
    assert outcome.reason.startswith("certificate is issued by ")
    assert outcome.reason.endswith(", which is not trusted")


async def test_without_verification_any_certificate_is_up(
    authority: trustme.CA, ca_file: str
) -> None:
    context = server_context(authority, "other.example", expired_days_ago=3)
    outcome = await check_of(context, ca_file, verify=False)
    assert outcome.status is Status.UP
    assert outcome.evidence is not None
    assert "other.example" in outcome.evidence.certificate


@pytest.mark.parametrize(
    ("days", "certificate_days", "status", "reason"),
    [
        (30, 7, Status.UP, "HTTP 200 OK"),
        (30, 31, Status.DEGRADED, "certificate expires in 30 days"),
        (5, 7, Status.DEGRADED, "certificate expires in 5 days"),
        (0, 1, Status.DEGRADED, "certificate expires within a day"),
        (5, 0, Status.UP, "HTTP 200 OK"),
    ],
)
async def test_a_certificate_that_runs_out_soon_is_degraded(
    authority: trustme.CA,
    ca_file: str,
    days: int,
    certificate_days: int,
    status: Status,
    reason: str,
) -> None:
    context = server_context(authority, "127.0.0.1", expired_days_ago=-days - 1)
    async with answering(ok(), tls=context) as server:
        outcome = await checked(server.url, ca_file=ca_file, certificate_days=certificate_days)
        unverified = await checked(
            server.url, verify_certificate=False, certificate_days=certificate_days
        )
    assert (outcome.status, outcome.reason) == (status, reason)
    assert unverified.status is Status.UP
    if status is Status.DEGRADED:
        assert outcome.evidence is not None
        assert outcome.evidence.unmet == (
            Unmet("certificate", f">= {certificate_days} days", f"{days} days"),
        )


async def test_a_server_that_wants_to_know_us_gets_our_certificate(
    authority: trustme.CA, ca_file: str, tmp_path: Path
) -> None:
    context = server_context(authority, "127.0.0.1")
    context.verify_mode = ssl.CERT_REQUIRED
    authority.configure_trust(context)
    ours = authority.issue_cert("client.example")
    certificate, key = tmp_path / "client.pem", tmp_path / "client.key"
    ours.cert_chain_pems[0].write_to_path(certificate)
    ours.private_key_pem.write_to_path(key)
    async with answering(ok(), tls=context) as server:
        known = await checked(
            server.url, ca_file=ca_file, client_certificate=str(certificate), client_key=str(key)
        )
        unknown = await checked(server.url, ca_file=ca_file)
        missing = await checked(server.url, ca_file=ca_file, client_certificate=str(key) + "x")
    assert known.status is Status.UP
    assert unknown.status is Status.DOWN
    assert missing.status is Status.UNKNOWN
    assert missing.reason.startswith("the client certificate ")


async def test_a_server_with_old_tls_only_is_up_where_that_is_allowed(
    authority: trustme.CA, ca_file: str
) -> None:
    context = server_context(authority, "127.0.0.1")
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    async with answering(ok(), tls=context) as server:
        fine = await checked(server.url, ca_file=ca_file)
        strict = await checked(server.url, ca_file=ca_file, min_tls="1.3")
        lenient = await checked(server.url, ca_file=ca_file, min_tls="1.0")
    assert (fine.status, strict.status, lenient.status) == (Status.UP, Status.DOWN, Status.UP)


async def test_the_system_s_list_does_not_trust_a_test_authority(authority: trustme.CA) -> None:
    outcome = await check_of(server_context(authority, "127.0.0.1"), "")
    assert outcome.status is Status.DOWN
    assert "not trusted" in outcome.reason


async def test_a_server_without_tls_is_told_as_such() -> None:
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        await reader.read()

    async with serving(plain) as server:
        outcome = await checked(server.url.replace("http:", "https:"))
    assert (outcome.status, outcome.reason) == (Status.DOWN, "the server does not speak TLS")


async def test_a_server_that_hangs_up_in_the_handshake_is_told_as_such() -> None:
    async def leave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65_536)
        writer.close()

    async with serving(leave) as server:
        outcome = await checked(server.url.replace("http:", "https:"))
    assert outcome.status is Status.DOWN
    assert outcome.reason == f"connection closed by 127.0.0.1:{server.port} in the TLS handshake"


async def test_a_handshake_that_the_server_refuses_is_down() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65_536)
        writer.write(bytes.fromhex("15 0303 0002 0228"))
        await finish(writer)

    async with serving(refuse) as server:
        outcome = await checked(server.url.replace("http:", "https:"))
    assert outcome.status is Status.DOWN
    assert outcome.reason.startswith("the server refuses the TLS handshake: ")


async def test_a_server_that_never_shakes_hands_is_left_at_the_timeout() -> None:
    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        while await reader.read(65_536):
            pass

    async with serving(silent) as server:
        with pytest.raises(TimeoutError):
            await checked(server.url.replace("http:", "https:"), timeout_s=0.1)
        await asyncio.wait_for(server.gone.wait(), 5)
