"""Settings that several kinds of check have, so that they are called and mean the same."""

from collections.abc import Mapping
from typing import Final, cast

from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.checks.net.trust import TLS_VERSIONS, TlsProfile
from uptime_desktop.domain.model import MAX_TIMEOUT_MS, Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import words

CONNECTION: Final = "Connection: certificates, TLS, IP version"
_SOON_DAYS: Final = 7

LATENCY: Final = FieldSpec(
    "latency_threshold",
    FieldType.DURATION,
    "a longer response counts as degraded",
    lowest=1,
    highest=MAX_TIMEOUT_MS,
    label="Slow over",
)
IP_VERSION: Final = FieldSpec(
    "ip_version",
    FieldType.CHOICE,
    "which addresses to use",
    "any",
    choices=(words("any"), "4", "6"),
    label="IP version",
    group=CONNECTION,
)
CERTIFICATE_DAYS: Final = FieldSpec(
    "certificate_days",
    FieldType.WHOLE,
    "days left on the certificate, fewer count as degraded; 0: never",
    _SOON_DAYS,
    highest=3_650,
    label="Certificate lasts",
)
USERNAME: Final = FieldSpec(
    "username",
    FieldType.TEXT,
    "the name to sign in with",
    highest=1_024,
    # It is none, but may be a variable of the environment.
    is_secret=True,
    label="User name",
)
PASSWORD: Final = FieldSpec(
    "password",
    FieldType.TEXT,
    "the password to sign in with",
    highest=4_096,
    is_secret=True,
    is_password=True,
    label="Password",
)
BEARER_TOKEN: Final = FieldSpec(
    "bearer_token",
    FieldType.TEXT,
    "the token to send in the Authorization header",
    highest=8_192,
    is_secret=True,
    is_password=True,
    label="Bearer token",
)
TLS_FIELDS: Final = (
    FieldSpec(
        "verify_certificate",
        FieldType.FLAG,
        "whether the certificate must be trusted",
        True,
        label="Verify certificate",
        group=CONNECTION,
    ),
    FieldSpec(
        "ca_file",
        FieldType.TEXT,
        "a file of certificate authorities to trust instead",
        label="Authorities",
        group=CONNECTION,
        is_file=True,
    ),
    FieldSpec(
        "client_certificate",
        FieldType.TEXT,
        "a file with the certificate to show to the server",
        label="Client certificate",
        group=CONNECTION,
        is_file=True,
    ),
    FieldSpec(
        "client_key",
        FieldType.TEXT,
        "a file with its key, if that is not in the same file",
        label="Client key",
        group=CONNECTION,
        is_file=True,
    ),
    FieldSpec(
        "client_key_password",
        FieldType.TEXT,
        "the password of the key",
        highest=4_096,
        is_secret=True,
        is_password=True,
        label="Key password",
        group=CONNECTION,
    ),
    FieldSpec(
        "min_tls",
        FieldType.CHOICE,
        "the oldest version of TLS to accept; below 1.2 weak keys are taken too",
        TlsProfile().min_version,
        choices=TLS_VERSIONS,
        label="Oldest TLS",
        group=CONNECTION,
    ),
)


def tls_profile(
    values: Mapping[str, Setting | None], alpn: tuple[str, ...] = ("http/1.1",)
) -> TlsProfile:
    """What the fields above say; refused where they make no sense together."""
    certificate = cast(str, values["client_certificate"] or "")
    key = cast(str, values["client_key"] or "")
    if key and not certificate:
        raise Refused("client_key", "there is no client_certificate", "both, or none")
    return TlsProfile(
        cast(bool, values["verify_certificate"]),
        cast(str, values["ca_file"] or ""),
        certificate,
        key,
        cast(str, values["client_key_password"] or ""),
        cast(str, values["min_tls"]),
        alpn,
    )
