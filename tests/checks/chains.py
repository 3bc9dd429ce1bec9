"""Chains of certificates, sound and broken, and a TLS server that says why it objects."""

import asyncio
import ssl
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import (
    AuthorityInformationAccessOID,
    ExtendedKeyUsageOID,
    NameOID,
    ObjectIdentifier,
)

from tests.checks.servers import Answer
from uptime_desktop.checks.net.address import is_numeric

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

NOW: Final = datetime.now(UTC)  # noqa: TID251 - certificates are valid or not by the real clock
_RSA_SHA256: Final = bytes.fromhex("2a864886f70d01010b")
_RSA_SHA1: Final = bytes.fromhex("2a864886f70d010105")


def the_end_after(days: int) -> datetime:
    """When a certificate ends that is made for so many days, or ended."""
    return NOW + timedelta(days=days, hours=1)


def elliptic() -> Key:
    return ec.generate_private_key(ec.SECP256R1())


def rsa_of(bits: int) -> Key:
    return rsa.generate_private_key(65_537, bits)


@dataclass(frozen=True)
class Holder:
    """A certificate with its key, and what it was issued by, nearest first."""

    certificate: x509.Certificate
    key: Key
    above: tuple["Holder", ...] = ()

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)

    @property
    def der(self) -> bytes:
        return self.certificate.public_bytes(Encoding.DER)

    @property
    def key_pem(self) -> bytes:
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def authority(
        self,
        name: str,
        *,
        key: Key | None = None,
        days: tuple[int, int] = (-1, 90),
        may_issue: bool = True,
    ) -> "Holder":
        """One between this and a server."""
        return _issued(name, key or elliptic(), self, days, may_issue=may_issue)

    def server(
        self,
        *names: str,
        key: Key | None = None,
        days: tuple[int, int] = (-1, 90),
        usage: ObjectIdentifier = ExtendedKeyUsageOID.SERVER_AUTH,
        tells_where_issuer_is: bool = False,
    ) -> "Holder":
        extensions: list[x509.ExtensionType] = [
            x509.SubjectAlternativeName([_general(name) for name in names]),
            x509.ExtendedKeyUsage([usage]),
        ]
        if tells_where_issuer_is:
            extensions.append(_access("http://ca.example/in-between.crt"))
        return _issued(names[0], key or elliptic(), self, days, extensions)

    def write(self, folder: Path, name: str) -> str:
        """Certificate and key in one file."""
        path = folder / name
        path.write_bytes(self.pem + self.key_pem)
        return str(path)


def root(name: str = "Good Root", key: Key | None = None) -> Holder:
    return _issued(name, key or elliptic(), None, (-1, 3_650), may_issue=True)


def self_signed(name: str) -> Holder:
    extension = x509.SubjectAlternativeName([_general(name)])
    return _issued(name, elliptic(), None, (-1, 90), [extension])


def _issued(
    name: str,
    key: Key,
    issuer: Holder | None,
    days: tuple[int, int],
    extensions: Sequence[x509.ExtensionType] = (),
    *,
    may_issue: bool = False,
) -> Holder:
    subject = _named(name)
    builder = x509.CertificateBuilder(
        issuer.certificate.subject if issuer else subject,
        subject,
        key.public_key(),
        x509.random_serial_number(),
        NOW + timedelta(days=days[0]),
        the_end_after(days[1]),
    ).add_extension(x509.BasicConstraints(may_issue, None), critical=True)
    for extension in extensions:
        builder = builder.add_extension(extension, critical=False)
    certificate = builder.sign(issuer.key if issuer else key, hashes.SHA256())
    above = (issuer, *issuer.above) if issuer else ()
    return Holder(certificate, key, above)


def signed_with_sha1(holder: Holder) -> Holder:
    """The same signed anew; by hand, for the library makes nothing so weak."""
    issuer_key = holder.above[0].key
    assert isinstance(issuer_key, rsa.RSAPrivateKey)
    body = holder.certificate.tbs_certificate_bytes.replace(_RSA_SHA256, _RSA_SHA1)
    signature = issuer_key.sign(body, padding.PKCS1v15(), hashes.SHA1())
    der = holder.der.replace(_RSA_SHA256, _RSA_SHA1)
    der = der.replace(holder.certificate.signature, signature)
    return Holder(x509.load_der_x509_certificate(der), holder.key, holder.above)


def server_of(
    holder: Holder, *sent: Holder, ciphers: str = "", versions: tuple[str, str] | None = None
) -> ssl.SSLContext:
    """A server's context with this certificate, sending also those named."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # Weak things are for the client to refuse.
    context.set_ciphers((ciphers or "ALL") + ":@SECLEVEL=0")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chain.pem"
        path.write_bytes(b"".join([holder.key_pem, holder.pem, *(one.pem for one in sent)]))
        context.load_cert_chain(path)
    if versions:
        with warnings.catch_warnings(action="ignore"):
            context.minimum_version = ssl.TLSVersion[versions[0]]
            context.maximum_version = ssl.TLSVersion[versions[1]]
    return context


def asking_for_client(context: ssl.SSLContext, authority: Holder) -> ssl.SSLContext:
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(cadata=authority.pem.decode())
    return context


def shaking_hands(
    context: ssl.SSLContext,
    script: Sequence[tuple[bytes, bytes]] = (),
    then: bytes = b"",
    *,
    stays: bool = False,
) -> Answer:
    """A server that first holds a plain dialogue, then speaks TLS.

    Unlike asyncio's own it sends the alert when it objects to the client. `script` is what it
    waits for and answers, in turn.
    """

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for heard, said in script:
            if heard:
                assert await reader.readexactly(len(heard)) == heard
            writer.write(said)
            await writer.drain()
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(incoming, outgoing, server_side=True)
        steps: list[Callable[[], object]] = [tls.do_handshake]
        if then:
            steps.append(lambda: tls.write(then))
        if not stays:
            steps.append(tls.unwrap)
        for step in steps:
            await _until_done(step, reader, writer, incoming, outgoing)
        await reader.read()

    return answer


async def _until_done(
    step: Callable[[], object],
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    incoming: ssl.MemoryBIO,
    outgoing: ssl.MemoryBIO,
) -> None:
    while True:
        is_waiting = False
        try:
            step()
        except ssl.SSLWantReadError:
            is_waiting = True
        except ssl.SSLError as error:
            writer.write(outgoing.read())
            await writer.drain()
            writer.close()
            raise ConnectionAbortedError from error
        writer.write(outgoing.read())
        await writer.drain()
        if not is_waiting:
            return
        data = await reader.read(65_536)
        if not data:
            raise ConnectionAbortedError
        incoming.write(data)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _general(name: str) -> x509.GeneralName:
    return x509.IPAddress(ip_address(name)) if is_numeric(name) else x509.DNSName(name)


def _access(address: str) -> x509.AuthorityInformationAccess:
    location = x509.UniformResourceIdentifier(address)
    where = x509.AccessDescription(AuthorityInformationAccessOID.CA_ISSUERS, location)
    return x509.AuthorityInformationAccess([where])
