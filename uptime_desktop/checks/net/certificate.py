"""What a certificate says, for people."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cryptography import x509

_MOST_NAMES: Final = 5
_MOST_CHARACTERS: Final = 80
_DAY_S: Final = 86_400


@dataclass(frozen=True)
class Certificate:
    subject: str
    issuer: str
    names: tuple[str, ...]
    valid_from: datetime
    valid_until: datetime
    fingerprint: str

    @property
    def names_text(self) -> str:
        shown = ", ".join(self.names[:_MOST_NAMES]) or self.subject or "no name"
        return shown + ", …" if len(self.names) > _MOST_NAMES else shown

    @cached_property
    def summary(self) -> str:
        return (
            f"{self.subject or self.names_text}, for {self.names_text}, issued by {self.issuer}, "
            f"valid {self.valid_from:%Y-%m-%d} to {self.valid_until:%Y-%m-%d}, "
            f"SHA-256 {self.fingerprint}"
        )

    def days_past_end(self, now_s: float) -> int:
        """Whole days since it ran out; negative while it is valid."""
        return int((now_s - self.valid_until.timestamp()) // _DAY_S)


def read_certificate(der: bytes) -> Certificate | None:
    """None where the bytes are not a certificate. Slow the first time: call it off the loop."""
    # 60 ms that a program without https monitors never pays.
    from cryptography import x509  # noqa: PLC0415

    try:
        parsed = x509.load_der_x509_certificate(der)
        return Certificate(
            _name(parsed.subject),
            _name(parsed.issuer),
            _names(parsed),
            parsed.not_valid_before_utc,
            parsed.not_valid_after_utc,
            hashlib.sha256(der).hexdigest(),
        )
    except ValueError:
        return None


def _name(name: "x509.Name") -> str:
    """The common name, or else the most telling of the others."""
    from cryptography.x509.oid import NameOID  # noqa: PLC0415

    for oid in (
        NameOID.COMMON_NAME,
        NameOID.ORGANIZATIONAL_UNIT_NAME,
        NameOID.ORGANIZATION_NAME,
    ):
        for attribute in name.get_attributes_for_oid(oid):
            return _tame(str(attribute.value))
    return _tame(name.rfc4514_string())


def _names(parsed: "x509.Certificate") -> tuple[str, ...]:
    from cryptography import x509  # noqa: PLC0415

    try:
        extension = parsed.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    except (x509.ExtensionNotFound, x509.DuplicateExtension, ValueError):
        return ()
    names = extension.value
    domains = names.get_values_for_type(x509.DNSName)
    addresses = names.get_values_for_type(x509.IPAddress)
    return tuple(_tame(str(name)) for name in (*domains, *addresses))


def _tame(text: str) -> str:
    """Printable and short: the server chose the text."""
    return "".join(c if c.isprintable() else "�" for c in text[:_MOST_CHARACTERS])
