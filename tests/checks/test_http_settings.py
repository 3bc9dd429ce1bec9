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
        ({"http_version": "3"}, "http_version"),
        ({"client_key": "key.pem"}, "client_key"),
        ({"min_tls": "0.9"}, "min_tls"),
        ({"certificate_days": -1}, "certificate_days"),
        ({"regex": "(a"}, "regex"),
        ({"regex": "a" * 1_001}, "regex"),
        ({"regex": r"(\pL{1,20}){1,20}"}, "regex"),
        ({"regex": ["a"] * 51}, "regex"),
        ({"json_query": "a ="}, "json_query"),
        ({"json_query": ["a exists"] * 51}, "json_query"),
        ({"header_match": {"X A": "b"}}, "header_match"),
        ({"header_match": {"X-A": "(b"}}, "header_match"),
        ({"header_match": {"X-A": "b" * 1_001}}, "header_match"),
        ({"username": "a:b", "password": "c"}, "username"),
        ({"bearer_token": "a\r\nX-Injected: b"}, "bearer_token"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(settings: dict[str, Setting], field: str) -> None:
    with pytest.raises(Refused) as refused:
        parsed("https://example.org", **settings)
    assert refused.value.field == field


def test_http2_needs_https() -> None:
    with pytest.raises(Refused, match="http_version: HTTP/2 needs an https address"):
        parsed("http://example.org", http_version="2")
    assert parsed("http://example.org", http_version="any").request.is_direct


def test_a_pattern_is_refused_with_the_reason_of_re2() -> None:
    with pytest.raises(Refused, match=r"is not a pattern: 'missing \): \(a'"):
        parsed(regex="fine\n(a")
    with pytest.raises(Refused, match="invalid perl operator"):
        parsed(regex="(?=a)b")


def test_a_pattern_may_hold_commas() -> None:
    spec = parsed(regex="a{1,2}\n\n b , c ")
    assert [pattern.text for pattern in spec.expected.patterns] == ["a{1,2}", "b , c"]


@pytest.mark.parametrize(
    ("settings", "header"),
    [
        ({"username": "me", "password": "pä:ss"}, "Basic bWU6cMOkOnNz"),
        ({"username": "me"}, "Basic bWU6"),
        ({"password": "alone"}, "Basic OmFsb25l"),
        ({"bearer_token": " abc.def "}, "Bearer abc.def"),
        ({"headers": {"Authorization": "Digest x"}}, "Digest x"),
        ({"username": "", "password": "", "bearer_token": ""}, None),
    ],
)
def test_there_are_several_ways_to_sign_in(settings: dict[str, Setting], header: str) -> None:
    assert (
        dict(parsed("https://a.example", **settings).request.headers).get("Authorization") == header
    )


@pytest.mark.parametrize(
    ("url", "settings", "field"),
    [
        ("https://a.example", {"username": "me", "bearer_token": "abc"}, "bearer_token"),
        ("https://a.example", {"password": "pw", "bearer_token": "abc"}, "bearer_token"),
        ("https://you:pw@a.example", {"username": "me"}, "username"),
        ("https://you@a.example", {"password": "pw"}, "password"),
        ("https://you:pw@a.example", {"bearer_token": "abc"}, "bearer_token"),
        ("https://a.example", {"username": "me", "headers": "authorization: x"}, "username"),
        ("https://a.example", {"bearer_token": "a", "headers": "Authorization: x"}, "bearer_token"),
    ],
)
def test_two_ways_to_sign_in_are_refused(
    url: str, settings: dict[str, Setting], field: str
) -> None:
    with pytest.raises(Refused, match="another way to sign in") as refused:
        parsed(url, **settings)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("http://proxy.example:3128", "http://proxy.example:3128"),
        ("HTTP://Proxy.example/", "http://proxy.example:80"),
        ("https://proxy.example", "https://proxy.example:443"),
        ("socks5://127.0.0.1", "socks5://127.0.0.1:1080"),
        ("socks5h://[::1]:9050", "socks5h://[::1]:9050"),
        ("http://me:p%40ss@proxy.example:3128", "http://***@proxy.example:3128"),
        ("http://bücher.example:1", "http://xn--bcher-kva.example:1"),
    ],
)
def test_a_proxy_means(written: str, shown: str) -> None:
    proxy = parsed(proxy=written).request.proxy
    assert proxy is not None
    assert proxy.shown == shown
    assert not parsed(proxy=written).request.is_direct


@pytest.mark.parametrize(
    "proxy",
    [
        "proxy.example:3128",
        "ftp://proxy.example",
        "socks4://proxy.example",
        "http://",
        "http://proxy.example:0",
        "http://proxy.example:99999",
        "http://proxy.example/path",
        "http://proxy.example?a=b",
        "http://pro xy",
        "socks5://me:" + "p" * 256 + "@proxy.example",
    ],
)
def test_what_is_not_a_proxy_is_refused(proxy: str) -> None:
    with pytest.raises(Refused) as refused:
        parsed(proxy=proxy)
    assert refused.value.field == "proxy"
    assert "pppp" not in str(refused.value)


SECRETS: dict[str, Setting] = {
    "username": "me",
    "password": "hunter22",
    "proxy": "http://you:hunter33@proxy.example:3128",
    "client_certificate": "client.pem",
    "client_key_password": "hunter44",
}


def test_no_secret_stands_in_what_a_spec_tells_of_itself() -> None:
    url = "https://a.example/?api_key=hunter55"
    specs = [
        parsed(url, **SECRETS),
        parsed("https://me:hunter22@a.example"),
        parsed(url, bearer_token="hunter22"),
        parsed(method="POST", body="password=hunter22", headers={"X-Token": "hunter33"}),
    ]
    for spec in specs:
        told = repr(spec) + str(spec) + KIND.describe(spec) + KIND.origin(spec) + spec.repeat_with
        assert "hunter" not in told
    assert {"hunter22", "hunter33", "hunter55"} <= set(specs[0].secrets)


@pytest.mark.parametrize("url", ["https://a.example/x?a=1#access_token=hunter22", "a.example#top"])
def test_the_fragment_of_an_address_goes_nowhere(url: str) -> None:
    spec = parsed(url)
    told = repr(spec) + KIND.describe(spec) + spec.repeat_with + spec.request.url.text
    assert "#" not in told
    assert "hunter22" not in told
    assert b"#" not in bytes(spec.request.event.target)
    following = redirected(spec.request, 301, "/there#part")
    assert following.url.text == "https://a.example/there"


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
        "curl --include --request POST --location --max-redirs 10 --compressed --ipv4 "
        "--http1.1 --insecure --header 'Authorization: ***' --header 'X-Note: it'\"'\"'s' "
        "--header Content-Type: --data-binary '{\"ping\": 1}' "
        "'https://example.org/a?token=***&b=c'"
    )


@pytest.mark.parametrize(
    ("url", "settings", "options"),
    [
        ("http://a.example", {}, "--compressed http://a.example/"),
        ("https://a.example", {"http_version": "2"}, "--compressed --http2 https://a.example/"),
        ("https://a.example", {"http_version": "any"}, "--compressed https://a.example/"),
        (
            "http://a.example",
            SECRETS | {"proxy": ""},
            "--cert client.pem --pass '***' --user '***'",
        ),
        (
            "http://a.example",
            {"client_certificate": "c.pem", "client_key": "k.pem", "min_tls": "1.3"},
            "--cert c.pem --key k.pem --tlsv1.3",
        ),
        ("http://a.example", {"min_tls": "1.0"}, "--tlsv1.0 --ciphers DEFAULT:@SECLEVEL=0"),
        ("http://a.example", {"bearer_token": "abc"}, "--oauth2-bearer '***' http://a.example/"),
        ("http://a.example", {"proxy": "socks5h://p:1"}, "--proxy socks5h://p:1 http"),
        (
            "http://a.example",
            {"proxy": "http://me:hunter22@p:1"},
            "--proxy 'http://***@p:1' http",
        ),
        (
            "http://a.example",
            {"proxy": "https://p:1", "ca_file": "ca.pem"},
            "--cacert ca.pem --proxy https://p:1 --proxy-cacert ca.pem",
        ),
        (
            "http://a.example",
            {"proxy": "https://p:1", "verify_certificate": False},
            "--insecure --proxy https://p:1 --proxy-insecure",
        ),
    ],
)
def test_the_curl_line_goes_the_same_way(
    url: str, settings: dict[str, Setting], options: str
) -> None:
    line = parsed(url, **settings).repeat_with
    assert options in line
    assert "hunter" not in line


def test_a_body_that_speaks_of_passwords_stays_out_of_the_curl_line() -> None:
    spec = parsed(method="POST", body="user=me&password=hunter2")
    assert "hunter2" not in spec.repeat_with
