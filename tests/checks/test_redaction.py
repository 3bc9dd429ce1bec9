"""What may be shown of texts that came from elsewhere."""

import time

import pytest

from uptime_desktop.checks.redaction import shown_url

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N"


@pytest.mark.parametrize(
    "token",
    [JWT, "s3cret-token", "tk_abcdefgh1", "mF_9.B5f-4.1JqM", "dGhpc2lzYXRva2Vu==", "x" * 21],
)
@pytest.mark.parametrize(
    "text", ["Authorization: Bearer {}", "sent bearer  {}, got 401", "BEARER {}", "a=Bearer%20{}"]
)
def test_what_was_sent_after_bearer_is_hidden(text: str, token: str) -> None:
    assert token not in shown_url(text.format(token))
    assert "earer" in shown_url(text.format(token)).lower()


@pytest.mark.parametrize(
    "text",
    [
        "Bearer token expired",
        "bearer authentication required",
        "The bearer-token is not valid",
        'WWW-Authenticate: Bearer realm="example"',
        'Bearer authorization_uri="https://a.example"',
        "Bearer AUTHENTICATION FAILED",
        "missing Bearer",
        "bearers of good tidings",
        "Bearer OAuth2 is not on",
        "bearer certificates/credentials.",
    ],
)
def test_ordinary_words_after_bearer_stay(text: str) -> None:
    assert shown_url(text) == text


def test_a_long_text_of_bearers_takes_no_time() -> None:
    text = "bearer a" + "-" * 50_000 + "1 bearer " + "a-" * 50_000 + "1 " + "bearer " * 20_000
    began = time.perf_counter()
    shown_url(text)
    assert time.perf_counter() - began < 1
