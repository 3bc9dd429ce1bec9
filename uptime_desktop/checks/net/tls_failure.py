"""Why TLS failed, in words that tell people what to mend: pure."""

import re
import ssl
from collections.abc import Sequence
from typing import Final

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.net.certificate import Certificate
from uptime_desktop.domain.wording import words

_BAD_SIGNATURE, _NOT_YET_VALID, _EXPIRED, _SELF_SIGNED, _UNKNOWN_ROOT = 7, 9, 10, 18, 19
_NO_ISSUER: Final = frozenset({2, 20, 21})
_NO_AUTHORITY: Final = frozenset({24, 79})
_WRONG_PURPOSE: Final = 26
_WRONG_NAME: Final = frozenset({62, 64})
_WEAK_KEY, _WEAK_KEY_ABOVE, _WEAK_DIGEST = 66, 67, 68

# A record of TLS begins with one of these; 20 to 23 are alerts, handshakes and the like.
_RECORD_TYPES: Final = frozenset({20, 21, 22, 23})
_NO_TLS: Final = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST"})
_OLD: Final = frozenset({"UNSUPPORTED_PROTOCOL", "UNSAFE_LEGACY_RENEGOTIATION_DISABLED"})
_WEAK: Final = frozenset({"DH_KEY_TOO_SMALL", "BAD_ECPOINT", "WRONG_CURVE"})

# OpenSSL names alerts after the oldest protocol that had them: SSLV3_ALERT_BAD_CERTIFICATE.
_ALERT: Final = re.compile(r"(?:SSLV3|TLSV1|TLSV13|TLS)_(?:ALERT_)?(\w+)")
_ABOUT_US: Final = {
    "CERTIFICATE_REQUIRED": words("the server does not accept our client certificate"),
    "NO_CERTIFICATE": words("the server does not accept our client certificate"),
    "BAD_CERTIFICATE": words("the server does not accept our client certificate"),
    "UNSUPPORTED_CERTIFICATE": words("the server does not accept our client certificate"),
    "CERTIFICATE_UNKNOWN": words("the server does not accept our client certificate"),
    "ACCESS_DENIED": words("the server does not accept our client certificate"),
    "CERTIFICATE_REVOKED": words("the server says that our client certificate is revoked"),
    "CERTIFICATE_EXPIRED": words("the server says that our client certificate has expired"),
    "UNKNOWN_CA": words("the server does not trust the authority of our client certificate"),
}
_ASKS: Final = words("the server asks for a client certificate")


def is_tls(data: bytes) -> bool:
    """Whether it begins as TLS does; nothing can still become it."""
    return not data or data[0] in _RECORD_TYPES


def tls_words(error: ssl.SSLError) -> str:
    """OpenSSL's `WRONG_VERSION_NUMBER` in lower case and with spaces."""
    reason = error.reason or "protocol error"
    alert = _ALERT.fullmatch(reason)
    return (alert[1] if alert else reason).replace("_", " ").lower()


def broken_off(error: ssl.SSLError, *, shows_certificate: bool = False) -> Failed:
    """After the handshake. TLS 1.3 lets a server object to our certificate only then."""
    about_us = _about_us(_alert(error), shows_certificate)
    return about_us or Failed("TLS failed: {error}", error=tls_words(error))


def handshake_broken_off(
    error: ssl.SSLError,
    host: str,
    *,
    min_version: str,
    first_bytes: bytes = b"",
    is_agreed: bool = False,
    shows_certificate: bool = False,
) -> Failed:
    """`is_agreed` says that version and cipher had been chosen before."""
    alert = _alert(error)
    if error.reason in _NO_TLS or not is_tls(first_bytes):
        return Failed("the server does not speak TLS")
    if alert == "PROTOCOL_VERSION" or error.reason in _OLD:
        return Failed("the server offers no TLS {version} or newer", version=min_version)
    if alert == "HANDSHAKE_FAILURE" and is_agreed:
        # What is left to fail at is our certificate: TLS 1.2 has no other word for its lack.
        alert = "CERTIFICATE_REQUIRED"
    about_us = _about_us(alert, shows_certificate)
    if about_us is not None:
        return about_us
    if alert in {"HANDSHAKE_FAILURE", "INSUFFICIENT_SECURITY"}:
        return Failed(
            "the server refuses the TLS handshake: no cipher in common, or it does not know {host}",
            host=host,
        )
    if alert == "UNRECOGNIZED_NAME":
        return Failed("the server does not know {host}", host=host)
    if error.reason in _WEAK:
        return Failed("the server's key exchange is too weak")
    if alert:
        return Failed("the server breaks off the TLS handshake: {alert}", alert=tls_words(error))
    return Failed("TLS handshake failed: {error}", error=tls_words(error))


def distrust(
    error: ssl.SSLCertVerificationError, chain: Sequence[Certificate], host: str, now_s: float
) -> Failed:
    """`chain` is what the server showed, its own first, as far as we could read it."""
    own = chain[0] if chain else None
    match error.verify_code:
        case code if code in _WRONG_NAME:
            names = own.names_text if own else "another host"
            return Failed("certificate is for {names}, not for {host}", names=names, host=host)
        case code if code == _EXPIRED:
            return _expired(chain, now_s)
        case code if code == _NOT_YET_VALID:
            return _not_yet_valid(chain, now_s)
        case code if code == _SELF_SIGNED:
            return Failed("certificate is self-signed")
        case code if code in _NO_ISSUER or code == _UNKNOWN_ROOT:
            return _leads_nowhere(chain)
        case code if own and code in _NO_AUTHORITY:
            return Failed(
                "certificate is issued by {issuer}, which is no authority", issuer=own.issuer
            )
        case code if code == _BAD_SIGNATURE:
            return Failed("certificate was not signed by the authority it names")
        case code if code == _WRONG_PURPOSE:
            return Failed("certificate is not made for servers")
        case code if code in {_WEAK_KEY, _WEAK_KEY_ABOVE, _WEAK_DIGEST}:
            return _weak(code, chain)
    return Failed("certificate is not trusted: {why}", why=error.verify_message)


def _alert(error: ssl.SSLError) -> str:
    match = _ALERT.fullmatch(error.reason or "")
    return match[1] if match else ""


def _about_us(alert: str, shows_certificate: bool) -> Failed | None:
    if alert not in _ABOUT_US:
        return None
    return Failed(_ABOUT_US[alert] if shows_certificate else _ASKS)


def _leads_nowhere(chain: Sequence[Certificate]) -> Failed:
    """No authority we trust at the end; which link is missing shows in what was sent."""
    if not chain:
        return Failed("certificate is issued by an authority that is not trusted")
    path = [chain[0]]
    others = list(chain[1:])
    while not path[-1].is_self_issued:
        above = next((one for one in others if one.full_subject == path[-1].full_issuer), None)
        if above is None:
            break
        others.remove(above)
        path.append(above)
    issuer = path[-1].issuer
    if len(path) > 1:
        return Failed("certificate leads to {issuer}, which is not trusted", issuer=issuer)
    if path[0].tells_where_issuer_is:
        # Public authorities tell where the certificate in between is, and never issue a
        # server's directly from one that browsers trust.
        return Failed(
            "the server does not send the certificate of the authority in between, {issuer}",
            issuer=issuer,
        )
    return Failed("certificate is issued by {issuer}, which is not trusted", issuer=issuer)


def _expired(chain: Sequence[Certificate], now_s: float) -> Failed:
    if not chain:
        return Failed("certificate expired")
    days = chain[0].days_past_end(now_s)
    if days < 0:
        return _expired_above(chain, now_s)
    if days == 0:
        return Failed("certificate expired today")
    if days == 1:
        return Failed("certificate expired 1 day ago")
    return Failed("certificate expired {days} days ago", days=days)


def _expired_above(chain: Sequence[Certificate], now_s: float) -> Failed:
    for certificate in chain[1:]:
        if certificate.days_past_end(now_s) >= 0:
            return Failed(
                "the certificate of {name}, above the server's own, expired on {date}",
                name=certificate.subject,
                date=f"{certificate.valid_until:%Y-%m-%d}",
            )
    return Failed("a certificate above the server's own expired")


def _not_yet_valid(chain: Sequence[Certificate], now_s: float) -> Failed:
    for certificate in chain:
        if certificate.valid_from.timestamp() > now_s:
            date = f"{certificate.valid_from:%Y-%m-%d}"
            if certificate is chain[0]:
                return Failed("certificate is not valid yet, only from {date} on", date=date)
            return Failed(
                "the certificate of {name}, above the server's own, is not valid before {date}",
                name=certificate.subject,
                date=date,
            )
    return Failed("certificate is not valid yet")


def _weak(code: int, chain: Sequence[Certificate]) -> Failed:
    if code == _WEAK_KEY:
        key = chain[0].key if chain else "unknown"
        return Failed("the server's key is too weak: {key}", key=key)
    if code == _WEAK_KEY_ABOVE:
        for one in chain[1:]:
            if one.has_weak_key:
                return Failed(
                    "the key of the authority {name} is too weak: {key}",
                    name=one.subject,
                    key=one.key,
                )
        return Failed("the key of an authority above the server is too weak")
    for one in chain:
        if one.has_weak_digest:
            return Failed(
                "the certificate of {name} is signed with {digest}, which is too weak",
                name=one.subject or one.names_text,
                digest=one.digest,
            )
    return Failed("certificate is signed in a way that is too weak")
