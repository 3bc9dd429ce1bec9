"""What a certificate says, for people."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from cryptography import x509

Extension = TypeVar("Extension", bound="x509.ExtensionType")

_MOST_NAMES: Final = 5
_MOST_CHARACTERS: Final = 80
_MOST_OF_A_NAME: Final = 200
_DAY_S: Final = 86_400
_WEAK_DIGESTS: Final = frozenset({"MD5", "SHA1"})
_WEAK_BELOW_BITS: Final = {"RSA": 2_048, "DSA": 2_048}


@dataclass(frozen=True)
class Certificate:
    """`subject` and `issuer` are short, the `full_…` ones tell one authority from another."""

    subject: str
    issuer: str
    names: tuple[str, ...]
    valid_from: datetime
    valid_until: datetime
    fingerprint: str
    full_subject: str = ""
    full_issuer: str = ""
    serial: str = ""
    key_type: str = ""
    key_bits: int = 0
    digest: str = ""
    tells_where_issuer_is: bool = False

    @property
    def names_text(self) -> str:
        shown = ", ".join(self.names[:_MOST_NAMES]) or self.subject or "no name"
        return shown + ", …" if len(self.names) > _MOST_NAMES else shown

    @property
    def key(self) -> str:
        """`RSA 2048`, or the type alone where its size says nothing."""
        return f"{self.key_type} {self.key_bits}" if self.key_bits else self.key_type

    @property
    def has_weak_key(self) -> bool:
        return self.key_bits < _WEAK_BELOW_BITS.get(self.key_type, 0)

    @property
    def has_weak_digest(self) -> bool:
        return self.digest in _WEAK_DIGESTS

    @property
    def is_self_issued(self) -> bool:
        return self.full_subject == self.full_issuer

    @cached_property
    def summary(self) -> str:
        return (
            f"{self.subject or self.names_text}, for {self.names_text}, issued by {self.issuer}, "
            f"valid {self.valid_from:%Y-%m-%d} to {self.valid_until:%Y-%m-%d}, "
            f"SHA-256 {self.fingerprint}"
        )

    @cached_property
    def details(self) -> str:
        """One fact a line."""
        return "\n".join(
            (
                f"subject: {self.full_subject}",
                f"issuer: {self.full_issuer}",
                f"names: {self.names_text}",
                f"not before: {self.valid_from:%Y-%m-%d %H:%M:%S} UTC",
                f"not after: {self.valid_until:%Y-%m-%d %H:%M:%S} UTC",
                f"key: {self.key}",
                f"signed with: {self.digest or self.key_type}",
                f"serial: {self.serial}",
                f"SHA-256: {self.fingerprint}",
            )
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
        key_type, key_bits = _key(parsed)
        return Certificate(
            _name(parsed.subject),
            _issuer(parsed.issuer),
            _names(parsed),
            parsed.not_valid_before_utc,
            parsed.not_valid_after_utc,
            hashlib.sha256(der).hexdigest(),
            _full(parsed.subject),
            _full(parsed.issuer),
            f"{parsed.serial_number:x}",
            key_type,
            key_bits,
            _digest(parsed),
            _tells_where_issuer_is(parsed),
        )
    except (ValueError, x509.InvalidVersion):
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


def _issuer(name: "x509.Name") -> str:
    """With the organization before a name that says little alone, as in `Let's Encrypt R11`."""
    from cryptography.x509.oid import NameOID  # noqa: PLC0415

    short = _name(name)
    for attribute in name.get_attributes_for_oid(NameOID.ORGANIZATION_NAME):
        organization = _tame(str(attribute.value))
        if name.get_attributes_for_oid(NameOID.COMMON_NAME) and not (
            set(organization.lower().split()) & set(short.lower().split())
        ):
            return _tame(f"{organization} {short}")
    return short


def _full(name: "x509.Name") -> str:
    return _tame(name.rfc4514_string(), _MOST_OF_A_NAME)


def _names(parsed: "x509.Certificate") -> tuple[str, ...]:
    from cryptography import x509  # noqa: PLC0415

    names = _extension(parsed, x509.SubjectAlternativeName)
    if names is None:
        return ()
    domains = names.get_values_for_type(x509.DNSName)
    addresses = names.get_values_for_type(x509.IPAddress)
    return tuple(_tame(str(name)) for name in (*domains, *addresses))


def _key(parsed: "x509.Certificate") -> tuple[str, int]:
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415

    try:
        key = parsed.public_key()
    except (UnsupportedAlgorithm, ValueError):
        return "of an unknown kind", 0
    name = type(key).__name__.removesuffix("PublicKey").lstrip("_")
    return {"EllipticCurve": "EC"}.get(name, name), getattr(key, "key_size", 0)


def _digest(parsed: "x509.Certificate") -> str:
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415

    try:
        algorithm = parsed.signature_hash_algorithm
    except (UnsupportedAlgorithm, ValueError):
        return ""
    return algorithm.name.upper() if algorithm else ""


def _tells_where_issuer_is(parsed: "x509.Certificate") -> bool:
    from cryptography import x509  # noqa: PLC0415
    from cryptography.x509.oid import AuthorityInformationAccessOID  # noqa: PLC0415

    access = _extension(parsed, x509.AuthorityInformationAccess)
    issuers = AuthorityInformationAccessOID.CA_ISSUERS
    return access is not None and any(one.access_method == issuers for one in access)


def _extension(parsed: "x509.Certificate", kind: type[Extension]) -> Extension | None:
    """None where there is none, or none that can be read."""
    from cryptography import x509  # noqa: PLC0415

    try:
        return parsed.extensions.get_extension_for_class(kind).value
    except (
        x509.ExtensionNotFound,
        x509.DuplicateExtension,
        x509.UnsupportedGeneralNameType,
        ValueError,
    ):
        return None


def _tame(text: str, most: int = _MOST_CHARACTERS) -> str:
    """Printable and short: the server chose the text."""
    return "".join(c if c.isprintable() else "�" for c in text[:most])
