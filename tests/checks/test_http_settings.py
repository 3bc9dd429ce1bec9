"""The settings of an http check."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uptime_desktop.checks.http.kind import HttpKind, redirected
from uptime_desktop.checks.http.settings import HttpSpec
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused

KIND = HttpKind()


def parsed(url: str = "https://example.org", **settings: Setting) -> HttpSpec:
    return KIND.parse({"url": url, **settings})


@pytest.mark.parametrize(
    ("written", "meant", "origin"),
    [
        ("example.org", "https://example.org/", "https://example.org:443"),
        ("example.org:8443/a", "https://example.org:8443/a", "https://example.org:8443"),
        ("HTTP://Example.ORG", "http://example.org/", "http://example.org:80"),
        ("http://example.org:80/?a=1", "http://example.org/?a=1", "http://example.org:80"),
        ("::1", "https://[::1]/", "https://[::1]:443"),
        ("http://[fe80::1%25eth0]/", "http://[fe80::1]/", "http://[fe80::1%eth0]:80"),
        ("https://[::1]:8/x", "https://[::1]:8/x", "https://[::1]:8"),
        ("https://bücher.example/ü?ö=1#top", "https://xn--bcher-kva.example/%C3%BC?%C3%B6=1", None),
        ("https://例え.テスト", "https://xn--r8jz45g.xn--zckzah/", None),
        ("https://example.org/a b|c", "https://example.org/a%20b%7Cc", None),
        ("https://example.org/a%20b", "https://example.org/a%20b", None),
        ("https://me:secret@example.org/", "https://example.org/", "https://example.org:443"),
        ("https://a.example/?api_key=abc", "https://a.example/?api_key=***", None),
    ],
)
def test_an_address_means(written: str, meant: str, origin: str | None) -> None:
    spec = parsed(written)
    assert KIND.describe(spec) == meant
    assert origin is None or KIND.origin(spec) == origin


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org",
        "file:///etc/passwd",
        "mailto:me@example.org",
        "https://",
        "https:///path",
        "https://exa mple.org",
        "https://example.org:0",
        "https://example.org:99999",
        "https://example.org:port",
        "https://[::1",
        "https://a..b",
        "https://-a.example",
        "https://" + "a" * 64 + ".example",
        "https://example.org/\r\nX: y",
        "https://exam\nple.org",
        "https://\ud800.example",
    ],
)
def test_what_is_not_a_web_address_is_refused(url: str) -> None:
    with pytest.raises(Refused) as refused:
        parsed(url)
    assert refused.value.field == "url"


def test_a_refused_address_does_not_tell_its_password() -> None:
    with pytest.raises(Refused) as refused:
        parsed("ftp://me:secret@example.org")
    assert "secret" not in str(refused.value)


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    try:
        spec = parsed(text)
    except Refused:
        return
    assert spec.request.url.text.isascii()


@pytest.mark.parametrize(
    ("codes", "accepted", "refused"),
    [
        (("200-399",), (200, 301, 399), (199, 400, 503)),
        (["200", 404], (200, 404), (201,)),
        ("200-299,401", (250, 401), (402,)),
    ],
)
def test_codes_are_accepted(
    codes: Setting, accepted: tuple[int, ...], refused: tuple[int, ...]
) -> None:
    spec = parsed(accepted_codes=codes)
    assert all(map(spec.accepts, accepted))
    assert not any(map(spec.accepts, refused))


@pytest.mark.parametrize("codes", ["", "20", "2xx", "300-200", "200-", "1000", "٢٠٠"])
def test_wrong_codes_are_refused(codes: str) -> None:
    with pytest.raises(Refused, match="accepted_codes"):
        parsed(accepted_codes=codes)


@pytest.mark.parametrize(
    "headers",
    [
        {"X-A": "b\r\nX-Injected: c"},
        {"X-A": "b\nc"},
        {"X-A": "b\0"},
        {"X-A\r\nX-B": "c"},
        {"X A": "c"},
        {"": "c"},
        {"X-Ä": "c"},
        {"Content-Length": "5"},
        {"Transfer-Encoding": "chunked"},
        {"Connection": "keep-alive"},
        {"X-A": "1", "x-a": "2"},
    ],
)
def test_a_header_that_could_be_read_as_something_else_is_refused(headers: Setting) -> None:
    with pytest.raises(Refused, match="headers"):
        parsed(headers=headers)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"method": "CONNECT"}, "method"),
        ({"body": "x"}, "body"),
        ({"latency_threshold": "1h"}, "latency_threshold"),
        ({"max_body": -1}, "max_body"),
        ({"ip_version": 5}, "ip_version"),
        ({"verify_certificate": "perhaps"}, "verify_certificate"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(settings: dict[str, Setting], field: str) -> None:
    with pytest.raises(Refused) as refused:
        parsed("https://example.org", **settings)
    assert refused.value.field == field


def test_an_address_is_required() -> None:
    with pytest.raises(Refused, match="url: it is missing"):
        KIND.parse({})


@pytest.mark.parametrize(
    ("location", "keeps"),
    [
        ("/there", True),
        ("https://a.example/", True),
        ("https://a.example:8443/", False),
        ("https://b.example/", False),
        ("http://a.example:8080/", False),
        ("//b.example/", False),
    ],
)
def test_secrets_follow_a_redirect_to_the_same_server_only(location: str, keeps: bool) -> None:
    spec = parsed("http://me:secret@a.example/", headers={"Cookie": "id=1", "X-Note": "n"})
    names = {name for name, _ in redirected(spec.request, 301, location).headers}
    assert (
        {"Authorization", "Cookie"} <= names if keeps else not names & {"Authorization", "Cookie"}
    )
    assert "X-Note" in names


def test_the_way_back_to_plain_http_takes_no_secrets_along() -> None:
    spec = parsed("https://a.example/", headers={"Authorization": "Bearer abcdef"})
    request = redirected(spec.request, 301, "http://a.example/")
    assert "Authorization" not in dict(request.headers)


def test_the_curl_line_repeats_the_request_without_its_secrets() -> None:
    spec = parsed(
        "https://me:secret@example.org/a?token=abc&b=c",
        method="post",
        headers={"Authorization": "Bearer abcdef", "X-Note": "it's"},
        body='{"ping": 1}',
        verify_certificate=False,
        ip_version=4,
    )
    assert spec.repeat_with == (
        "curl --include --request POST --location --max-redirs 10 --compressed --ipv4 --insecure "
        "--user '***' --header 'Authorization: ***' --header 'X-Note: it'\"'\"'s' "
        "--header Content-Type: --data-binary '{\"ping\": 1}' "
        "'https://example.org/a?token=***&b=c'"
    )


def test_a_body_that_speaks_of_passwords_stays_out_of_the_curl_line() -> None:
    spec = parsed(method="POST", body="user=me&password=hunter2")
    assert "hunter2" not in spec.repeat_with
