"""The settings of a websocket check."""

import shlex

import pytest

from uptime_desktop.checks.redaction import basic_credentials
from uptime_desktop.checks.websocket import WebSocketKind
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused

KIND = WebSocketKind()


@pytest.mark.parametrize(
    ("url", "described", "origin"),
    [
        ("ws://chat.example/live", "ws://chat.example/live", "chat.example:80"),
        ("wss://chat.example", "wss://chat.example/", "chat.example:443"),
        ("WSS://Chat.example:8443/a?b=c", "wss://chat.example:8443/a?b=c", "chat.example:8443"),
        ("http://chat.example", "ws://chat.example/", "chat.example:80"),
        ("https://chat.example", "wss://chat.example/", "chat.example:443"),
        ("chat.example/live", "wss://chat.example/live", "chat.example:443"),
        ("ws://[::1]:9000", "ws://[::1]:9000/", "[::1]:9000"),
        ("ws://me:hunter2@chat.example", "ws://chat.example/", "chat.example:80"),
        ("ws://chat.example/?token=hunter2", "ws://chat.example/?token=***", "chat.example:80"),
    ],
)
def test_an_address_is_named(url: str, described: str, origin: str) -> None:
    spec = KIND.parse({"url": url})
    assert KIND.describe(spec) == described
    assert KIND.origin(spec) == origin


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({}, "url"),
        ({"url": "ftp://a.example"}, "url"),
        ({"url": "ws://"}, "url"),
        ({"url": "ws://a b"}, "url"),
        ({"url": "ws://a:99999"}, "url"),
        ({"url": "ws://a", "headers": {"Upgrade": "h2c"}}, "headers"),
        ({"url": "ws://a", "headers": {"Sec-WebSocket-Key": "x"}}, "headers"),
        ({"url": "ws://a", "headers": {"X": "a\r\nB: c"}}, "headers"),
        ({"url": "ws://a", "headers": {"X Y": "a"}}, "headers"),
        ({"url": "ws://a", "headers": {"X": "a", "x": "b"}}, "headers"),
        ({"url": "ws://a", "subprotocol": "a b"}, "subprotocol"),
        ({"url": "ws://a", "bearer_token": "t", "username": "me"}, "bearer_token"),
        ({"url": "ws://me:pw@a", "bearer_token": "t"}, "bearer_token"),
        ({"url": "ws://a", "bearer_token": "two\nlines"}, "bearer_token"),
        ({"url": "ws://me:pw@a", "username": "me"}, "username"),
        ({"url": "ws://me:pw@a", "password": "pw"}, "password"),
        ({"url": "ws://a", "username": "me:you"}, "username"),
        ({"url": "ws://a", "username": "me", "headers": {"authorization": "x"}}, "username"),
        ({"url": "ws://a", "client_key": "key.pem"}, "client_key"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(settings: dict[str, Setting], field: str) -> None:
    with pytest.raises(Refused) as refused:
        KIND.parse(settings)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("settings", "header"),
    [
        ({"url": "ws://a"}, "Host: a"),
        ({"url": "ws://a:81"}, "Host: a:81"),
        ({"url": "ws://a", "headers": {"Host": "b"}}, "Host: b"),
        ({"url": "ws://a"}, "User-Agent: Uptime-Desktop"),
        ({"url": "ws://a", "headers": {"User-Agent": "me"}}, "User-Agent: me"),
        ({"url": "ws://a", "subprotocol": "mqtt, wamp"}, "Sec-WebSocket-Protocol: mqtt, wamp"),
        ({"url": "ws://a", "bearer_token": "abc"}, "Authorization: Bearer abc"),
        ({"url": "ws://me:pw@a"}, f"Authorization: Basic {basic_credentials('me', 'pw')}"),
        (
            {"url": "ws://a", "username": "me", "password": "pw"},
            f"Authorization: Basic {basic_credentials('me', 'pw')}",
        ),
        ({"url": "ws://me:pw@a", "headers": {"Authorization": "x"}}, "Authorization: x"),
    ],
)
def test_what_is_asked_for(settings: dict[str, Setting], header: str) -> None:
    lines = KIND.parse(settings).request.decode().split("\r\n")
    assert lines[0] == "GET / HTTP/1.1"
    name = header.partition(":")[0]
    assert [line for line in lines if line.startswith(name + ":")] == [header]


def test_the_line_that_repeats_it_shows_the_upgrade_and_no_secret() -> None:
    spec = KIND.parse(
        {
            "url": "wss://chat.example/live?token=hunter2",
            "bearer_token": "hunter2",
            "headers": {"Cookie": "hunter2", "Origin": "https://chat.example"},
            "subprotocol": "mqtt",
            "ca_file": "ca.pem",
            "client_certificate": "me.pem",
            "client_key": "me.key",
            "client_key_password": "hunter2",
            "ip_version": "4",
        }
    )
    words = shlex.split(spec.repeat_with)
    assert words[0] == "curl"
    assert {
        "Upgrade: websocket",
        "Sec-WebSocket-Protocol: mqtt",
        "Authorization: ***",
        "Cookie: ***",
        "Origin: https://chat.example",
        "--ipv4",
        "ca.pem",
        "me.pem",
        "me.key",
        "https://chat.example/live?token=***",
    } <= set(words)
    assert "hunter2" not in spec.repeat_with + repr(spec)
    assert "--insecure" in KIND.parse({"url": "a", "verify_certificate": False}).repeat_with
