"""The tls check of real servers, with certificates sound and broken."""

import asyncio
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
)
from cryptography.x509.oid import ExtendedKeyUsageOID

from tests.checks import chains
from tests.checks.chains import (
    NOW,
    Holder,
    asking_for_client,
    server_of,
    shaking_hands,
    the_end_after,
)
from tests.checks.servers import Answer, answering, finish, ok, serving
from uptime_desktop.checks.base import evidence_left
from uptime_desktop.checks.net import connection
from uptime_desktop.checks.net.connection import Connection
from uptime_desktop.checks.net.resolver import Resolver
from uptime_desktop.checks.tls import TlsKind
from uptime_desktop.domain.model import Outcome, Setting, Unmet
from uptime_desktop.domain.status import Status

pytestmark = pytest.mark.asyncio

KIND = TlsKind(Resolver(lambda _: ["127.0.0.1"]))
HOST = "shop.example"
MIDDLE = "the certificate of Middle"
REFUSES = "the server refuses the TLS handshake"


@dataclass
class Pki:
    """Who may be trusted: a root and an authority below it."""

    folder: Path
    root: Holder = field(default_factory=chains.root)

    def __post_init__(self) -> None:
        self.between = self.root.authority("Good Authority")
        (self.folder / "ca.pem").write_bytes(self.root.pem)

    @property
    def settings(self) -> dict[str, Setting]:
        return {"ca_file": str(self.folder / "ca.pem"), "server_name": HOST}

    def sound(self) -> ssl.SSLContext:
        return server_of(self.between.server(HOST, "www." + HOST), self.between)


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    return Pki(tmp_path_factory.mktemp("pki"))


async def checked(
    port: int, settings: Mapping[str, Setting] | None = None, timeout_s: float = 10.0
) -> Outcome:
    spec = KIND.parse({"host": "127.0.0.1", "port": port, **(settings or {})})
    async with asyncio.timeout(timeout_s):
        return await KIND.check(spec, timeout_s)


async def check_of(context: ssl.SSLContext, **settings: Setting) -> Outcome:
    async with serving(shaking_hands(context)) as server:
        return await checked(server.port, settings)


async def test_a_sound_certificate_is_up_and_described(pki: Pki) -> None:
    async with serving(shaking_hands(pki.sound())) as server:
        outcome = await checked(server.port, pki.settings)
    assert outcome.status is Status.UP
    assert outcome.reason == (
        "certificate valid for 90 more days, issued by Good Authority, TLSv1.3"
    )
    seen = outcome.evidence
    assert seen is not None
    assert seen.address == f"127.0.0.1:{server.port}"
    assert seen.status_line.startswith("TLSv1.3 TLS_")
    assert seen.certificate.startswith("shop.example, for shop.example, www.shop.example, issued")
    assert [name for name, _ in seen.timings_ms] == ["dns", "connect", "tls", "total"]
    own, between = seen.body.split("\n\n")
    assert "subject: CN=shop.example" in own
    assert "key: EC 256" in own
    assert "signed with: SHA256" in own
    assert "subject: CN=Good Authority\nissuer: CN=Good Root" in between


@pytest.mark.parametrize(
    ("days", "reason", "status"),
    [
        (1, "certificate valid for 1 more day, ", Status.UP),
        (0, "certificate valid for less than a day, ", Status.UP),
    ],
)
async def test_the_days_left_are_said(pki: Pki, days: int, reason: str, status: Status) -> None:
    context = server_of(pki.between.server(HOST, days=(-1, days)), pki.between)
    outcome = await check_of(context, certificate_days=0, **pki.settings)
    assert outcome.status is status
    assert outcome.reason.startswith(reason)


async def test_a_certificate_that_ends_soon_is_degraded(pki: Pki) -> None:
    context = server_of(pki.between.server(HOST, days=(-1, 13)), pki.between)
    outcome = await check_of(context, **pki.settings)
    assert (outcome.status, outcome.reason) == (
        Status.DEGRADED,
        "certificate expires in 13 days",
    )
    assert outcome.evidence is not None
    assert [unmet.expected for unmet in outcome.evidence.unmet] == [">= 14 days"]


async def test_the_expected_fingerprint_is_met_however_it_is_written(pki: Pki) -> None:
    holder = pki.between.server(HOST)
    context = server_of(holder, pki.between)
    digest = sha256(holder.der).hexdigest()
    for written in (digest, holder.certificate.fingerprint(SHA256()).hex(":").upper()):
        assert (await check_of(context, fingerprint=written, **pki.settings)).status is Status.UP
    other = "0" * 64
    outcome = await check_of(context, fingerprint=other, **pki.settings)
    assert outcome.status is Status.DOWN
    assert outcome.reason == "certificate is not the one with the expected fingerprint"
    assert outcome.evidence is not None
    assert outcome.evidence.unmet == (Unmet("fingerprint", other, digest),)


async def test_a_slow_handshake_is_degraded(pki: Pki) -> None:
    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.02)
        await shaking_hands(pki.sound())(reader, writer)

    async with serving(slow) as server:
        outcome = await checked(server.port, {**pki.settings, "latency_threshold": "1ms"})
    assert outcome.status is Status.DEGRADED
    assert outcome.reason.endswith("more than 1 ms")


async def test_an_address_may_stand_in_the_certificate(pki: Pki) -> None:
    context = server_of(pki.between.server("127.0.0.1"), pki.between)
    settings = {**pki.settings, "server_name": ""}
    assert (await check_of(context, **settings)).status is Status.UP


async def test_unverified_any_certificate_is_up_but_its_end_still_counts(pki: Pki) -> None:
    stranger = chains.root("Stranger")
    settings = {**pki.settings, "verify_certificate": False}
    outcome = await check_of(server_of(stranger.server("other.example")), **settings)
    assert outcome.status is Status.UP
    assert outcome.reason.startswith("certificate not verified, until ")
    expired = server_of(pki.between.server(HOST, days=(-9, -3)), pki.between)
    outcome = await check_of(expired, **settings)
    assert (outcome.status, outcome.reason) == (Status.DEGRADED, "certificate has expired")


def _expired(pki: Pki) -> ssl.SSLContext:
    return server_of(pki.between.server(HOST, days=(-9, -3)), pki.between)


def _early(pki: Pki) -> ssl.SSLContext:
    return server_of(pki.between.server(HOST, days=(5, 90)), pki.between)


def _other_host(pki: Pki) -> ssl.SSLContext:
    return server_of(pki.between.server("other.example"), pki.between)


def _unknown_root(_: Pki) -> ssl.SSLContext:
    return server_of(chains.root("Stranger").server(HOST))


def _unknown_root_above_another(_: Pki) -> ssl.SSLContext:
    middle = chains.root("Stranger").authority("Middle")
    return server_of(middle.server(HOST), middle)


def _unknown_root_sent_along(_: Pki) -> ssl.SSLContext:
    stranger = chains.root("Stranger")
    middle = stranger.authority("Middle")
    return server_of(middle.server(HOST), middle, stranger)


def _self_signed(_: Pki) -> ssl.SSLContext:
    return server_of(chains.self_signed(HOST))


def _weak_key(pki: Pki) -> ssl.SSLContext:
    return server_of(pki.between.server(HOST, key=chains.rsa_of(1024)), pki.between)


def _weak_key_above(pki: Pki) -> ssl.SSLContext:
    middle = pki.root.authority("Middle", key=chains.rsa_of(1024))
    return server_of(middle.server(HOST), middle)


def _weak_signature(pki: Pki) -> ssl.SSLContext:
    middle = pki.root.authority("Middle", key=chains.rsa_of(2048))
    return server_of(chains.signed_with_sha1(middle.server(HOST)), middle)


def _link_missing(pki: Pki) -> ssl.SSLContext:
    return server_of(pki.between.server(HOST, tells_where_issuer_is=True))


def _link_missing_untold(pki: Pki) -> ssl.SSLContext:
    return server_of(pki.between.server(HOST))


def _link_expired(pki: Pki) -> ssl.SSLContext:
    middle = pki.root.authority("Middle", days=(-9, -3))
    return server_of(middle.server(HOST), middle)


def _link_early(pki: Pki) -> ssl.SSLContext:
    middle = pki.root.authority("Middle", days=(5, 90))
    return server_of(middle.server(HOST), middle)


def _link_no_authority(pki: Pki) -> ssl.SSLContext:
    middle = pki.root.authority("Middle", may_issue=False)
    return server_of(middle.server(HOST), middle)


def _signed_by_another(pki: Pki) -> ssl.SSLContext:
    middle, namesake = pki.root.authority("Middle"), pki.root.authority("Middle")
    return server_of(namesake.server(HOST), middle)


def _not_for_servers(pki: Pki) -> ssl.SSLContext:
    usage = ExtendedKeyUsageOID.CLIENT_AUTH
    return server_of(pki.between.server(HOST, usage=usage), pki.between)


def _old_versions(pki: Pki) -> ssl.SSLContext:
    return server_of(pki.between.server(HOST), versions=("TLSv1", "TLSv1_1"))


def _old_ciphers(pki: Pki) -> ssl.SSLContext:
    versions = ("TLSv1_2", "TLSv1_2")
    # Without any encryption: no client offers that by itself, whoever built its OpenSSL.
    ciphers = "eNULL:@SECLEVEL=0"
    return server_of(pki.between.server(HOST), ciphers=ciphers, versions=versions)


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (_expired, "certificate expired 2 days ago"),
        (_early, f"certificate is not valid yet, only from {NOW + timedelta(5):%Y-%m-%d} on"),
        (_other_host, "certificate is for other.example, not for shop.example"),
        (_unknown_root, "certificate is issued by Stranger, which is not trusted"),
        (_unknown_root_above_another, "certificate leads to Stranger, which is not trusted"),
        (_unknown_root_sent_along, "certificate leads to Stranger, which is not trusted"),
        (_self_signed, "certificate is self-signed"),
        (_weak_key, "the server's key is too weak: RSA 1024"),
        (_weak_key_above, "the key of the authority Middle is too weak: RSA 1024"),
        (
            _weak_signature,
            "the certificate of shop.example is signed with SHA1, which is too weak",
        ),
        (
            _link_missing,
            "the server does not send the certificate of the authority in between, Good Authority",
        ),
        (_link_missing_untold, "certificate is issued by Good Authority, which is not trusted"),
        (
            _link_expired,
            f"{MIDDLE}, above the server's own, expired on {the_end_after(-3):%Y-%m-%d}",
        ),
        (
            _link_early,
            f"{MIDDLE}, above the server's own, is not valid before {NOW + timedelta(5):%Y-%m-%d}",
        ),
        (_link_no_authority, "certificate is issued by Middle, which is no authority"),
        (_signed_by_another, "certificate was not signed by the authority it names"),
        (_not_for_servers, "certificate is not made for servers"),
        (_old_versions, "the server offers no TLS 1.2 or newer"),
        (
            _old_ciphers,
            f"{REFUSES}: no cipher in common, or it does not know {HOST}",
        ),
    ],
)
async def test_what_is_wrong_with_tls_is_said(
    pki: Pki, broken: Callable[[Pki], ssl.SSLContext], reason: str
) -> None:
    outcome = await check_of(broken(pki), **pki.settings)
    assert (outcome.status, outcome.reason) == (Status.DOWN, reason)
    seen = outcome.evidence
    assert seen is not None
    if "certificate" in reason or "key" in reason:
        assert ", issued by " in seen.certificate
        assert "subject: " in seen.body
    assert [name for name, _ in seen.timings_ms] == ["dns", "connect", "tls", "total"]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (_expired, "certificate expired 2 days ago"),
        (_link_missing, "the server does not send the certificate of the authority in between, "),
        (_self_signed, "certificate is self-signed"),
    ],
)
async def test_where_openssl_keeps_what_it_rejects_to_itself_a_second_look_is_taken(
    pki: Pki,
    broken: Callable[[Pki], ssl.SSLContext],
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Connection, "chain", lambda _: ())
    script = [(b"", b"+OK ready\r\n"), (b"STLS\r\n", b"+OK go on\r\n")]
    async with serving(shaking_hands(broken(pki), script)) as server:
        outcome = await checked(server.port, {**pki.settings, "starttls": "pop3"})
    assert outcome.reason.startswith(reason)
    assert outcome.evidence is not None
    assert ", issued by " in outcome.evidence.certificate


async def test_a_server_that_goes_away_between_two_looks_leaves_the_reason(
    pki: Pki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Connection, "chain", lambda _: ())
    served = 0

    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal served
        served += 1
        if served == 1:
            await shaking_hands(_unknown_root(pki))(reader, writer)

    async with serving(once) as server:
        outcome = await checked(server.port, pki.settings)
    assert outcome.reason == "certificate is issued by an authority that is not trusted"
    assert served == 2


@pytest.mark.parametrize("version", ["TLSv1_2", "TLSv1_3"])
@pytest.mark.parametrize(
    ("shown", "status", "reason"),
    [
        ("none", Status.DOWN, "the server asks for a client certificate"),
        ("good", Status.UP, "certificate valid for "),
        (
            "stranger",
            Status.DOWN,
            "the server does not trust the authority of our client certificate",
        ),
        ("expired", Status.DOWN, "the server says that our client certificate has expired"),
        ("server", Status.DOWN, "the server does not accept our client certificate"),
    ],
)
async def test_a_server_that_wants_to_know_us(
    pki: Pki, tmp_path: Path, version: str, shown: str, status: Status, reason: str
) -> None:
    usage = ExtendedKeyUsageOID.CLIENT_AUTH
    ours = {
        "good": pki.root.server("me", usage=usage),
        "stranger": chains.root("Stranger").server("me", usage=usage),
        "expired": pki.root.server("me", usage=usage, days=(-9, -3)),
        "server": pki.root.server("me"),
    }
    settings = dict(pki.settings)
    if shown in ours:
        settings["client_certificate"] = ours[shown].write(tmp_path, "me.pem")
    holder = pki.between.server(HOST)
    context = server_of(holder, pki.between, versions=(version, version))
    outcome = await check_of(asking_for_client(context, pki.root), **settings)
    assert outcome.status is status
    assert outcome.reason.startswith(reason)


@pytest.mark.parametrize(
    ("certificate", "key", "password", "reason"),
    [
        ("missing", "key", "", "the client certificate {file} cannot be read: is it there?"),
        ("garbage", "key", "", "there is no client certificate in {file}"),
        ("mine", "missing", "", "the client key {file} cannot be read: is it there?"),
        ("mine", "garbage", "", "there is no client key in {file}"),
        ("mine", "mine", "", "there is no client key in {file}"),
        ("mine", "locked", "", "the client key {file} needs a password"),
        ("mine", "locked", "wrong", "the password of the client key {file} is wrong"),
        ("mine", "other", "", "the client key {file} does not belong to the client certificate"),
    ],
)
async def test_a_client_certificate_that_cannot_be_used_is_our_own_fault(
    pki: Pki, tmp_path: Path, certificate: str, key: str, password: str, reason: str
) -> None:
    mine, other = pki.root.server("me"), pki.root.server("other")
    locked = mine.key.private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"right")
    )
    texts = {"mine": mine.pem, "key": mine.key_pem, "other": other.key_pem, "locked": locked}
    for name, text in {**texts, "garbage": b"garbage"}.items():
        (tmp_path / name).write_bytes(text)
    outcome = await check_of(
        pki.sound(),
        client_certificate=str(tmp_path / certificate),
        client_key=str(tmp_path / key),
        client_key_password=password,
        **pki.settings,
    )
    at_fault = certificate if certificate in ("missing", "garbage") else key
    assert outcome.status is Status.UNKNOWN
    assert outcome.reason == reason.format(file=tmp_path / at_fault)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "the CA file {file} cannot be read"),
        (b"", "the CA file {file} is empty"),
        (b"garbage", "there is no certificate in the CA file {file}"),
    ],
)
async def test_a_ca_file_that_cannot_be_used_is_our_own_fault(
    pki: Pki, tmp_path: Path, text: bytes | None, reason: str
) -> None:
    file = tmp_path / "ca.pem"
    if text is not None:
        file.write_bytes(text)
    outcome = await check_of(pki.sound(), **{**pki.settings, "ca_file": str(file)})
    assert (outcome.status, outcome.reason) == (Status.UNKNOWN, reason.format(file=file))


async def test_a_server_that_speaks_first_is_up(pki: Pki) -> None:
    async with serving(shaking_hands(pki.sound(), then=b"220 mail.example ready\r\n")) as server:
        assert (await checked(server.port, pki.settings)).status is Status.UP


async def test_a_server_that_says_nothing_after_the_handshake_is_up(
    pki: Pki, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_FAREWELL_S", 0.01)
    context = pki.sound()
    context.num_tickets = 0
    async with serving(shaking_hands(context, stays=True)) as server:
        outcome = await checked(server.port, pki.settings)
    assert outcome.status is Status.UP


SMTP = [
    (b"", b"220-mail.example\r\n220 ready\r\n"),
    (b"EHLO uptime-desktop.invalid\r\n", b"250-mail.example\r\n250-SIZE\r\n250 STARTTLS\r\n"),
    (b"STARTTLS\r\n", b"220 go ahead\r\n"),
]


@pytest.mark.parametrize(
    ("protocol", "script"),
    [
        ("smtp", SMTP),
        ("smtp", [(b"", b"220\r\n"), *SMTP[1:]]),
        (
            "imap",
            [
                (b"", b"* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n"),
                (b"a1 STARTTLS\r\n", b"* NO one knows\r\na1 OK begin\r\n"),
            ],
        ),
        ("pop3", [(b"", b"+OK POP3 ready\r\n"), (b"STLS\r\n", b"+OK begin\r\n")]),
        (
            "ftp",
            [
                (b"", b"220-Welcome\r\n to this server\r\n220 ready\r\n"),
                (b"AUTH TLS\r\n", b"234 AUTH TLS OK\r\n"),
            ],
        ),
        ("postgres", [(bytes.fromhex("0000000804d2162f"), b"S")]),
    ],
)
async def test_tls_is_asked_for_in_the_server_s_own_protocol(
    pki: Pki, protocol: str, script: list[tuple[bytes, bytes]]
) -> None:
    async with serving(shaking_hands(pki.sound(), script)) as server:
        outcome = await checked(server.port, {**pki.settings, "starttls": protocol})
    assert outcome.status is Status.UP, outcome.reason
    assert outcome.evidence is not None
    phases = [name for name, _ in outcome.evidence.timings_ms]
    assert phases == ["dns", "connect", "starttls", "tls", "total"]
    assert f"-starttls {protocol}" in outcome.evidence.repeat_with


@pytest.mark.parametrize(
    ("protocol", "script", "reason"),
    [
        ("smtp", [(b"", b"421 too busy\r\n")], "the server answers 421 too busy"),
        (
            "smtp",
            [*SMTP[:2], (b"STARTTLS\r\n", b"502 what?\x1b[31m\r\n")],
            "the server does not offer STARTTLS: 502 what? [31m",
        ),
        (
            "smtp",
            [*SMTP[:2], (b"STARTTLS\r\n", b"220 go\r\n250 injected\r\n")],
            "the server speaks on before TLS begins",
        ),
        ("smtp", [(b"", b"+OK POP3 ready\r\n")], "the server does not speak SMTP"),
        ("smtp", [(b"", b"220-" + b"on and on\r\n220-" * 4_000)], "the server does not speak SMTP"),
        ("imap", [(b"", b"SSH-2.0-OpenSSH\r\n")], "the server does not speak IMAP"),
        (
            "imap",
            [(b"", b"* OK ready\r\n"), (b"a1 STARTTLS\r\n", b"a1 BAD no\r\n")],
            "the server does not offer STARTTLS: a1 BAD no",
        ),
        (
            "pop3",
            [(b"", b"+OK\r\n"), (b"STLS\r\n", b"-ERR no\r\n")],
            "the server does not offer STARTTLS: -ERR no",
        ),
        ("postgres", [(b"", b"N")], "the server does not offer TLS"),
        ("postgres", [(b"", b"Sx")], "the server speaks on before TLS begins"),
        ("postgres", [(b"", b"E\0\0\0")], "the server does not speak PostgreSQL"),
    ],
)
async def test_a_server_that_does_not_go_over_to_tls_is_down(
    protocol: str, script: list[tuple[bytes, bytes]], reason: str
) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for heard, said in script:
            await reader.readexactly(len(heard))
            writer.write(said)
        await reader.read()

    async with serving(answer) as server:
        outcome = await checked(server.port, {"starttls": protocol})
    assert (outcome.status, outcome.reason) == (Status.DOWN, reason)
    assert outcome.evidence is not None
    assert outcome.evidence.body


async def leave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(65_536)
    await finish(writer)


async def leave_at_once(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await finish(writer)


def saying(data: bytes) -> Answer:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65_536)
        writer.write(data)
        await writer.drain()
        await reader.read()

    return answer


ALERT = bytes.fromhex("15 0303 0002 02")


@pytest.mark.parametrize(
    ("answer", "reason", "body"),
    [
        (leave, "connection closed by 127.0.0.1:{port} in the TLS handshake", ""),
        (saying(b"SSH-2.0-OpenSSH_9.2\r\n"), "the server does not speak TLS", "SSH-2.0-OpenSSH"),
        (saying(ok()), "the server does not speak TLS", "HTTP/1.1 200 OK"),
        (saying(b"\x16\x03\x03\x00\x04\xff\0\0\0"), "TLS handshake failed: ", ""),
        (saying(ALERT + b"\x70"), "the server does not know shop.example", ""),
        (
            saying(ALERT + b"\x50"),
            "the server breaks off the TLS handshake: internal error",
            "",
        ),
        (saying(ALERT + b"\x46"), "the server offers no TLS 1.2 or newer", ""),
    ],
)
async def test_a_server_that_does_not_shake_hands_is_down(
    pki: Pki, answer: Answer, reason: str, body: str
) -> None:
    async with serving(answer) as server:
        outcome = await checked(server.port, pki.settings)
    assert outcome.status is Status.DOWN
    assert outcome.reason.startswith(reason.format(port=server.port))
    assert outcome.evidence is not None
    assert outcome.evidence.body.startswith(body)


async def test_a_server_that_leaves_before_tls_is_down() -> None:
    async with serving(leave_at_once) as server:
        outcome = await checked(server.port, {"starttls": "smtp"})
    assert outcome.reason == f"connection closed by 127.0.0.1:{server.port} before TLS began"


async def test_nobody_listens() -> None:
    async with answering(b"") as server:
        pass
    outcome = await checked(server.port)
    assert (outcome.status, outcome.reason) == (
        Status.DOWN,
        f"connection refused by 127.0.0.1:{server.port}",
    )


@pytest.mark.parametrize(("starttls", "phase"), [("none", "tls"), ("imap", "starttls")])
async def test_a_silent_server_is_left_at_the_timeout(starttls: str, phase: str) -> None:
    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        while await reader.read(65_536):
            pass

    async with serving(silent) as server:
        with pytest.raises(TimeoutError) as timeout:
            await checked(server.port, {"starttls": starttls}, 0.5)
        await asyncio.wait_for(server.gone.wait(), 5)
    seen = evidence_left(timeout.value)
    assert seen is not None
    assert [name for name, _ in seen.timings_ms] == ["dns", "connect", phase, "total"]
