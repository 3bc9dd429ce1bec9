"""The settings of a tls check."""

import shlex

import pytest

from uptime_desktop.checks.tls import TlsKind
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused

KIND = TlsKind()


@pytest.mark.parametrize(
    ("settings", "described"),
    [
        ({"host": "shop.example"}, "shop.example:443"),
        ({"host": "shop.example", "port": 8443}, "shop.example:8443"),
        ({"host": "shop.example:8443"}, "shop.example:8443"),
        ({"host": "tls://Shop.example:993/"}, "shop.example:993"),
        ({"host": "::1"}, "[::1]:443"),
        ({"host": "bücher.example"}, "xn--bcher-kva.example:443"),
        ({"host": "mail.example", "starttls": "smtp"}, "mail.example:25"),
        ({"host": "mail.example:587", "starttls": "smtp"}, "mail.example:587"),
        ({"host": "db.example", "starttls": "postgres"}, "db.example:5432"),
    ],
)
def test_a_server_is_named(settings: dict[str, Setting], described: str) -> None:
    spec = KIND.parse(settings)
    assert KIND.describe(spec) == KIND.origin(spec) == described


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({}, "host"),
        ({"host": "https://shop.example"}, "host"),
        ({"host": "shop.example:0"}, "port"),
        ({"host": "shop.example:1", "port": 1}, "port"),
        ({"host": "a", "server_name": "a b"}, "server_name"),
        ({"host": "a", "fingerprint": "ab:cd"}, "fingerprint"),
        ({"host": "a", "fingerprint": "x" * 64}, "fingerprint"),
        ({"host": "a", "starttls": "gopher"}, "starttls"),
        ({"host": "a", "client_key": "key.pem"}, "client_key"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(settings: dict[str, Setting], field: str) -> None:
    with pytest.raises(Refused) as refused:
        KIND.parse(settings)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        (
            {"host": "a.example"},
            "-connect a.example:443 -servername a.example -verify_hostname -verify_return_error",
        ),
        ({"host": "::1"}, "-connect [::1]:443 -noservername -verify_ip ::1"),
        (
            {"host": "a.example", "verify_certificate": False, "ip_version": "6"},
            "-servername a.example -min_protocol TLSv1.2 -6",
        ),
        (
            {"host": "10.0.0.1", "server_name": "b.example", "ca_file": "own ca.pem"},
            "-connect 10.0.0.1:443 -servername b.example -CAfile 'own ca.pem'",
        ),
        (
            {
                "host": "mail.example",
                "starttls": "imap",
                "client_certificate": "me.pem",
                "client_key": "me.key",
                "client_key_password": "hunter2",
                "min_tls": "1.0",
            },
            "-starttls imap -cert me.pem -key me.key -min_protocol TLSv1 DEFAULT:@SECLEVEL=0",
        ),
    ],
)
def test_the_line_that_repeats_it(settings: dict[str, Setting], options: str) -> None:
    spec = KIND.parse(settings)
    words = shlex.split(spec.repeat_with)
    assert words[:2] == ["openssl", "s_client"]
    assert words[-1] == "</dev/null"
    assert set(shlex.split(options)) <= set(words)
    assert "hunter2" not in spec.repeat_with + repr(spec)
