"""What a certificate says, also one that was made to trip its reader."""

import ssl

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtensionOID, NameOID

from tests.checks import chains
from tests.checks.chains import NOW, Key
from uptime_desktop.checks.net.certificate import Certificate, read_certificate


def certificate(
    issuer: dict[x509.ObjectIdentifier, str],
    names: bytes | None = None,
    key: Key | ed25519.Ed25519PrivateKey | None = None,
) -> bytes:
    key = key or chains.elliptic()
    attributes = [x509.NameAttribute(oid, text) for oid, text in issuer.items()]
    name = x509.Name(attributes)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, NOW, NOW)
    if names is not None:
        extension = x509.UnrecognizedExtension(ExtensionOID.SUBJECT_ALTERNATIVE_NAME, names)
        builder = builder.add_extension(extension, critical=False)
    is_plain = isinstance(key, ed25519.Ed25519PrivateKey)
    return builder.sign(key, None if is_plain else hashes.SHA256()).public_bytes(Encoding.DER)


def read(der: bytes) -> Certificate:
    found = read_certificate(der)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("common", "organization", "shown"),
    [
        ("R11", "Let's Encrypt", "Let's Encrypt R11"),
        ("DigiCert Global G2", "DigiCert Inc", "DigiCert Global G2"),
        ("", "Own Authority", "Own Authority"),
        ("\x1b[31mred", "", "�[31mred"),
    ],
)
def test_an_issuer_is_named_so_that_people_know_it(
    common: str, organization: str, shown: str
) -> None:
    name = {NameOID.COMMON_NAME: common, NameOID.ORGANIZATION_NAME: organization}
    found = read(certificate({oid: text for oid, text in name.items() if text}))
    assert found.issuer == shown


@pytest.mark.parametrize(
    ("key", "shown", "signed"),
    [
        (chains.elliptic(), "EC 256", "SHA256"),
        (chains.rsa_of(2048), "RSA 2048", "SHA256"),
        (ed25519.Ed25519PrivateKey.generate(), "Ed25519", "Ed25519"),
    ],
)
def test_the_key_is_named_with_its_size(
    key: Key | ed25519.Ed25519PrivateKey, shown: str, signed: str
) -> None:
    found = read(certificate({NameOID.COMMON_NAME: "a"}, key=key))
    assert found.key == shown
    assert f"signed with: {signed}" in found.details.splitlines()


@pytest.mark.parametrize("names", [b"", b"\x30\x02\xa3\x00", b"\x30\x84\xff\xff\xff\xff", b"\xff"])
def test_names_that_cannot_be_read_are_none(names: bytes) -> None:
    assert read(certificate({NameOID.COMMON_NAME: "a"}, names)).names == ()


@pytest.mark.parametrize("damage", [b"", b"\x30\x00", b"HTTP/1.1 200 OK"])
def test_what_is_no_certificate_is_not_read(damage: bytes) -> None:
    assert read_certificate(damage) is None


def test_a_version_that_does_not_exist_is_not_read() -> None:
    der = certificate({NameOID.COMMON_NAME: "a"})
    third = bytes.fromhex("a003020102")
    assert third in der
    assert read_certificate(der.replace(third, bytes.fromhex("a003020105"))) is None


def test_the_fingerprint_is_that_of_the_whole() -> None:
    der = certificate({NameOID.COMMON_NAME: "a"})
    parsed = x509.load_pem_x509_certificate(ssl.DER_cert_to_PEM_cert(der).encode())
    assert read(der).fingerprint == parsed.fingerprint(hashes.SHA256()).hex()
