"""TLS for checks: one context per profile, and why a handshake failed in words."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

import certifi

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.net.certificate import Certificate, read_certificate
from uptime_desktop.checks.net.connection import Connection
from uptime_desktop.checks.net.resolver import Endpoint
from uptime_desktop.checks.net.tls_failure import distrust, handshake_broken_off, is_tls, tls_words
from uptime_desktop.checks.net.workers import WORKERS, Kept
from uptime_desktop.checks.trail import Trail
from uptime_desktop.config import path_of
from uptime_desktop.domain.status import Status

_KEEP_CONTEXT_S: Final = 600.0
_KEEP_CERTIFICATE_S: Final = 86_400.0
_SECOND_LOOK_S: Final = 5.0
_MOST_BYTES: Final = 1_000_000
_VERSIONS: Final = {
    # Python warns of each older version that is named.
    "1.0": ssl.TLSVersion.MINIMUM_SUPPORTED,
    "1.2": ssl.TLSVersion.TLSv1_2,
    "1.3": ssl.TLSVersion.TLSv1_3,
}
TLS_VERSIONS: Final = tuple(_VERSIONS)
_SAFE: Final = "1.2"
WEAK_CIPHERS: Final = "DEFAULT:@SECLEVEL=0"
"""Tells OpenSSL to take what it refuses otherwise."""


@dataclass(frozen=True, slots=True)
class TlsProfile:
    """What makes two checks trust alike, and who they are to a server that asks.

    No CA file means the computer's own list. `alpn` are the protocols to offer.
    """

    verify: bool = True
    ca_file: str = ""
    client_certificate: str = ""
    client_key: str = ""
    client_key_password: str = field(default="", repr=False)
    min_version: str = _SAFE
    alpn: tuple[str, ...] = ("http/1.1",)

    @property
    def takes_weak_keys(self) -> bool:
        """As old devices have them, whose versions of TLS come with them."""
        return self.min_version < _SAFE


VERIFIED: Final = TlsProfile()

Prepare = Callable[[Connection], Awaitable[None]]
"""What is said on a connection before TLS begins."""


class TlsContext(ssl.SSLContext):
    """One that knows what it was made for."""

    profile: TlsProfile


def make_context(profile: TlsProfile) -> TlsContext:
    """Reads files and takes milliseconds: never on the loop."""
    context = TlsContext(ssl.PROTOCOL_TLS_CLIENT)
    context.profile = profile
    if profile.alpn:
        context.set_alpn_protocols(list(profile.alpn))
    if profile.takes_weak_keys:
        context.set_ciphers(WEAK_CIPHERS)
    context.minimum_version = _VERSIONS[profile.min_version]
    if not profile.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif profile.ca_file:
        _trust(context, profile.ca_file)
    else:
        context.load_default_certs()
        if not context.cert_store_stats()["x509"]:
            # Python from python.org on macOS knows no system list.
            context.load_verify_locations(cafile=certifi.where())
    if profile.client_certificate:
        _present(context, profile)
    return context


def _trust(context: ssl.SSLContext, file: str) -> None:
    path = path_of(file)
    try:
        context.load_verify_locations(cafile=str(path))
    except ssl.SSLError:
        problem = "there is no certificate in the CA file {file}"
        if not path.stat().st_size:
            problem = "the CA file {file} is empty"
        raise Failed(problem, Status.UNKNOWN, file=file) from None


def _present(context: ssl.SSLContext, profile: TlsProfile) -> None:
    """Have a certificate of our own to show."""
    key = profile.client_key or profile.client_certificate
    try:
        context.load_cert_chain(
            path_of(profile.client_certificate),
            path_of(key),
            # An empty answer keeps OpenSSL from asking the terminal.
            lambda: profile.client_key_password,
        )
    except (OSError, ValueError) as error:
        raise _unusable(error, profile.client_certificate, key, profile) from None


def _unusable(
    error: OSError | ValueError, certificate: str, key: str, profile: TlsProfile
) -> Failed:
    """Which of the two files is at fault, and how: OpenSSL says neither."""
    certificate_text, key_text = _read(certificate), _read(key)
    if certificate_text is None:
        return _ours("the client certificate {file} cannot be read: is it there?", certificate)
    if b"-----BEGIN CERTIFICATE" not in certificate_text:
        return _ours("there is no client certificate in {file}", certificate)
    if key_text is None:
        return _ours("the client key {file} cannot be read: is it there?", key)
    if b"PRIVATE KEY-----" not in key_text:
        return _ours("there is no client key in {file}", key)
    if isinstance(error, ssl.SSLError) and error.reason == "KEY_VALUES_MISMATCH":
        return _ours("the client key {file} does not belong to the client certificate", key)
    if b"ENCRYPTED" in key_text:
        if profile.client_key_password:
            return _ours("the password of the client key {file} is wrong", key)
        return _ours("the client key {file} needs a password", key)
    said = tls_words(error) if isinstance(error, ssl.SSLError) else str(error)
    problem = "the client certificate {file} cannot be used: {error}"
    return Failed(problem, Status.UNKNOWN, file=certificate, error=said)


def _ours(problem: str, file: str) -> Failed:
    return Failed(problem, Status.UNKNOWN, file=file)


def _read(file: str) -> bytes | None:
    try:
        with path_of(file).open("rb") as opened:
            return opened.read(_MOST_BYTES)
    except OSError:
        return None


# Rebuilt now and then, so that a renewed CA file or system list is seen without a restart.
_contexts: Final = Kept(make_context, _KEEP_CONTEXT_S, WORKERS)
_certificates: Final = Kept(read_certificate, _KEEP_CERTIFICATE_S, WORKERS)


async def context_for(profile: TlsProfile) -> TlsContext:
    known = _contexts.known(profile)
    if known is not None:
        return known
    try:
        return await _contexts.get(profile)
    except (OSError, ValueError, RuntimeError):
        if not profile.ca_file:
            raise Failed("this computer's list of CAs cannot be read", Status.UNKNOWN) from None
        file = profile.ca_file
        raise Failed("the CA file {file} cannot be read", Status.UNKNOWN, file=file) from None


async def certificate_of(der: bytes) -> Certificate | None:
    if not der:
        return None
    return _certificates.known(der) or await _certificates.get(der)


async def certificates_of(chain: Iterable[bytes]) -> list[Certificate]:
    """Those of them that can be read."""
    read = [await certificate_of(der) for der in chain]
    return [certificate for certificate in read if certificate is not None]


def days_left(certificate: Certificate, now_s: float) -> int:
    """Whole days until it runs out."""
    return -certificate.days_past_end(now_s) - 1


def known_certificate(der: bytes) -> Certificate | None:
    """As `certificate_of`, where there is no time to wait."""
    return _certificates.known(der) if der else None


async def secure(
    connection: Connection,
    context: TlsContext,
    host: str,
    trail: Trail,
    now_s: float,
    prepare: Prepare | None = None,
) -> None:
    """Shake hands. The certificate stays with the trail, also one that is not trusted.

    `prepare` is what came before TLS on this connection, should another one be needed.
    """
    profile = context.profile
    connection.shows_certificate = bool(profile.client_certificate)
    try:
        trail.certificate = await connection.start_tls(context, host)
    except ssl.SSLCertVerificationError as error:
        trail.begin(None)
        trail.chain = connection.chain()
        connection.close()
        if not trail.chain:
            trail.chain = await _second_look(connection.endpoint, host, profile, prepare)
        trail.certificate = trail.chain[0] if trail.chain else b""
        raise distrust(error, await certificates_of(trail.chain), host, now_s) from None
    except ssl.SSLError as error:
        if not is_tls(connection.first_bytes):
            trail.received = connection.first_bytes
        raise handshake_broken_off(
            error,
            host,
            min_version=profile.min_version,
            first_bytes=connection.first_bytes,
            is_agreed=connection.cipher is not None,
            shows_certificate=connection.shows_certificate,
        ) from None


async def _second_look(
    endpoint: Endpoint, host: str, profile: TlsProfile, prepare: Prepare | None
) -> tuple[bytes, ...]:
    """The certificates of a server that was not trusted, by another handshake without trust.

    Before version 3 OpenSSL hands out none that it has rejected. Nothing is sent over this
    connection.
    """
    connection = None
    try:
        async with asyncio.timeout(_SECOND_LOOK_S):
            context = await context_for(replace(profile, verify=False))
            connection = Connection(endpoint)
            await connection.open()
            if prepare is not None:
                await prepare(connection)
            own = await connection.start_tls(context, host)
            return connection.chain() or (own,)
    except (Failed, TimeoutError, ssl.SSLError):
        return ()
    finally:
        if connection is not None:
            connection.close()
