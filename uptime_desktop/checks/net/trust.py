"""TLS for checks: one context per profile, and why a handshake failed in words."""

import asyncio
import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import certifi

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.net.certificate import Certificate, read_certificate
from uptime_desktop.checks.net.connection import Connection, tls_words
from uptime_desktop.checks.net.resolver import Endpoint
from uptime_desktop.checks.net.workers import WORKERS, Kept
from uptime_desktop.domain.status import Status

_KEEP_CONTEXT_S: Final = 600.0
_KEEP_CERTIFICATE_S: Final = 86_400.0
_SECOND_LOOK_S: Final = 5.0
_NOT_YET_VALID, _EXPIRED, _SELF_SIGNED, _UNKNOWN_ISSUERS = 9, 10, 18, frozenset({2, 19, 20, 21})
_WRONG_NAME: Final = frozenset({62, 64})
_VERSIONS: Final = {
    # Python warns of each older version that is named.
    "1.0": ssl.TLSVersion.MINIMUM_SUPPORTED,
    "1.2": ssl.TLSVersion.TLSv1_2,
    "1.3": ssl.TLSVersion.TLSv1_3,
}
TLS_VERSIONS: Final = tuple(_VERSIONS)
_SAFE: Final = "1.2"


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


VERIFIED: Final = TlsProfile()


def make_context(profile: TlsProfile) -> ssl.SSLContext:
    """Reads files and takes milliseconds: never on the loop."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if profile.alpn:
        context.set_alpn_protocols(list(profile.alpn))
    if profile.min_version < _SAFE:
        # Old devices: versions and keys that OpenSSL refuses unless it is told to take them.
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
    context.minimum_version = _VERSIONS[profile.min_version]
    if not profile.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif profile.ca_file:
        context.load_verify_locations(cafile=str(Path(profile.ca_file).expanduser()))
    else:
        context.load_default_certs()
        if not context.cert_store_stats()["x509"]:
            # Python from python.org on macOS knows no system list.
            context.load_verify_locations(cafile=certifi.where())
    if profile.client_certificate:
        _present(context, profile)
    return context


def _present(context: ssl.SSLContext, profile: TlsProfile) -> None:
    """Have a certificate of our own to show."""
    key = profile.client_key or profile.client_certificate
    try:
        context.load_cert_chain(
            Path(profile.client_certificate).expanduser(),
            Path(key).expanduser(),
            # An empty answer keeps OpenSSL from asking the terminal.
            lambda: profile.client_key_password,
        )
    except (OSError, ValueError) as error:
        file = profile.client_certificate
        raise Failed(
            "the client certificate {file} cannot be used: {error}",
            Status.UNKNOWN,
            file=file,
            error=_why_unusable(error),
        ) from None


def _why_unusable(error: OSError | ValueError) -> str:
    if isinstance(error, ssl.SSLError):
        return tls_words(error)
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


# Rebuilt now and then, so that a renewed CA file or system list is seen without a restart.
_contexts: Final = Kept(make_context, _KEEP_CONTEXT_S, WORKERS)
_certificates: Final = Kept(read_certificate, _KEEP_CERTIFICATE_S, WORKERS)


async def context_for(profile: TlsProfile) -> ssl.SSLContext:
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


def days_left(certificate: Certificate, now_s: float) -> int:
    """Whole days until it runs out."""
    return -certificate.days_past_end(now_s) - 1


def known_certificate(der: bytes) -> Certificate | None:
    """As `certificate_of`, where there is no time to wait."""
    return _certificates.known(der) if der else None


async def look_again(endpoint: Endpoint, server_name: str) -> bytes:
    """The certificate of a server that was not trusted, by a second handshake without trust.

    OpenSSL hands out no certificate it has rejected. Nothing is sent over this connection.
    """
    connection = None
    try:
        async with asyncio.timeout(_SECOND_LOOK_S):
            context = await context_for(TlsProfile(verify=False))
            connection = Connection(endpoint)
            await connection.open()
            return await connection.start_tls(context, server_name)
    except (Failed, TimeoutError, ssl.SSLError):
        return b""
    finally:
        if connection is not None:
            connection.close()


def handshake_failure(
    error: ssl.SSLError, certificate: Certificate | None, host: str, now_s: float
) -> Failed:
    if isinstance(error, ssl.SSLCertVerificationError):
        return _distrust(error, certificate, host, now_s)
    if error.reason in {"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST"}:
        return Failed("the server does not speak TLS")
    return Failed("TLS handshake failed: {error}", error=tls_words(error))


def _distrust(
    error: ssl.SSLCertVerificationError, certificate: Certificate | None, host: str, now_s: float
) -> Failed:
    code = error.verify_code
    if code == _EXPIRED:
        return _expired(certificate, now_s)
    if code == _NOT_YET_VALID:
        return Failed("certificate is not valid yet")
    if code in _WRONG_NAME:
        names = certificate.names_text if certificate else "another host"
        return Failed("certificate is for {names}, not for {host}", names=names, host=host)
    if code == _SELF_SIGNED:
        return Failed("certificate is self-signed")
    if code in _UNKNOWN_ISSUERS:
        issuer = certificate.issuer if certificate else "an unknown authority"
        return Failed("certificate is issued by {issuer}, which is not trusted", issuer=issuer)
    return Failed("certificate is not trusted: {why}", why=error.verify_message)


def _expired(certificate: Certificate | None, now_s: float) -> Failed:
    if certificate is None:
        return Failed("certificate expired")
    days = certificate.days_past_end(now_s)
    if days < 0:
        return Failed("a certificate above the server's own expired")
    if days == 0:
        return Failed("certificate expired today")
    if days == 1:
        return Failed("certificate expired 1 day ago")
    return Failed("certificate expired {days} days ago", days=days)
