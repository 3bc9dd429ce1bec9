"""Each provider that Gatus alerts through becomes an address that Apprise can use."""

import json
from pathlib import Path
from typing import Any

import apprise
import pytest

from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers.gatus import read
from uptime_desktop.exchange.importers.gatus.addresses import SERVICES
from uptime_desktop.exchange.report import Fate

LONG = "0123456789abcdef0123456789abcdef"
PROVIDERS: dict[str, tuple[dict[str, Any], str]] = {
    "slack": (
        {
            "webhook-url": "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"
        },
        "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ",
    ),
    "discord": (
        {"webhook-url": "https://discord.com/api/webhooks/123456789/abcdefTOKEN"},
        "https://discord.com/api/webhooks/123456789/abcdefTOKEN",
    ),
    "teams-workflows": (
        {
            "webhook-url": "https://prod-1.westeurope.logic.azure.com:443/workflows/"
            "abcdef0123456789/triggers/manual/paths/invoke?api-version=2016-06-01&sig=abcDEF-123"
        },
        (
            "https://prod-1.westeurope.logic.azure.com:443/workflows/"
            "abcdef0123456789/triggers/manual/paths/invoke?api-version=2016-06-01&sig=abcDEF-123"
        ),
    ),
    "googlechat": (
        {"webhook-url": "https://chat.googleapis.com/v1/spaces/AAAA/messages?key=kkk&token=ttt"},
        "https://chat.googleapis.com/v1/spaces/AAAA/messages?key=kkk&token=ttt",
    ),
    "webex": (
        {"webhook-url": "https://webexapis.com/v1/webhooks/incoming/" + "a" * 80},
        "https://webexapis.com/v1/webhooks/incoming/" + "a" * 80,
    ),
    "telegram": (
        {"token": "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11", "id": "-1001", "topic-id": "7"},
        "tgram://123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11/-1001:7/",
    ),
    "email": (
        {
            "from": "a@example.com",
            "password": "p@ss/w:rd",
            "host": "mail.example.com",
            "port": 465,
            "to": "b@example.com, c@example.com",
        },
        (
            "mailtos://a%40example.com:p%40ss%2Fw%3Ard@mail.example.com:465/?smtp=mail.example.com"
            "&from=a%40example.com&to=b%40example.com,c%40example.com&mode=ssl"
        ),
    ),
    "gotify": (
        {"server-url": "https://gotify.example/sub", "token": "AbCdEf", "priority": 8},
        "gotifys://gotify.example/sub/AbCdEf?priority=8",
    ),
    "ntfy": (
        {"topic": "alerts", "token": "tk_abc", "priority": 4, "click": "https://a.example/?b=c"},
        (
            "ntfys://tk_abc@ntfy.sh/alerts"
            "?priority=high&click=https%3A%2F%2Fa.example%2F%3Fb%3Dc&auth=token"
        ),
    ),
    "pushover": (
        {
            "application-token": "azGDORePK8gMaC0QOYAMyEEuzJnyUi",
            "user-key": "uQiRzpo4DXghDmr9QzzfQu27cmVRsG",
            "priority": -1,
            "sound": "bike",
        },
        (
            "pover://uQiRzpo4DXghDmr9QzzfQu27cmVRsG@azGDORePK8gMaC0QOYAMyEEuzJnyUi/"
            "?priority=moderate&sound=bike"
        ),
    ),
    "mattermost": (
        {"webhook-url": f"http://mm.example:8065/sub/hooks/{LONG}", "channel": "#town"},
        f"mmost://mm.example:8065/sub/{LONG}?channels=town",
    ),
    "matrix": (
        {"access-token": "syt_abc", "internal-room-id": "!room:matrix.org"},
        "matrixs://syt_abc@matrix-client.matrix.org/%21room%3Amatrix.org",
    ),
    "pagerduty": ({"integration-key": LONG}, f"pagerduty://{LONG}@{LONG}"),
    "opsgenie": (
        {"api-key": "00000000-0000-0000-0000-000000000000", "priority": "P2", "tags": ["a", "b"]},
        "opsgenie://00000000-0000-0000-0000-000000000000/?priority=high&tags=a,b",
    ),
    "rocketchat": (
        {
            "webhook-url": "https://rc.example/hooks/5a1b2c3d4e5f6a7b8c9d0e1f/"
            "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopq",
            "channel": "#alerts",
        },
        (
            "rockets://5a1b2c3d4e5f6a7b8c9d0e1f/"
            "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopq@rc.example/%23alerts"
        ),
    ),
    "twilio": (
        {"sid": "AC" + LONG, "token": LONG, "from": "+1-234-567-8901", "to": "+1-234-567-8902"},
        f"twilio://AC{LONG}:{LONG}@+12345678901/+12345678902",
    ),
    "vonage": (
        {"api-key": "ABCD1234", "api-secret": LONG, "from": "12345678901", "to": "+12345678902"},
        f"vonage://ABCD1234:{LONG}@+12345678901/+12345678902",
    ),
    "plivo": (
        {
            "auth-id": "MA" + "A" * 18,
            "auth-token": "a" * 40,
            "from": "+12345678901",
            "to": ["+12345678902", "+12345678903"],
        },
        "plivo://MA" + "A" * 18 + "@" + "a" * 40 + "/+12345678901/+12345678902/+12345678903",
    ),
    "messagebird": (
        {
            "access-key": "a" * 25,
            "originator": "31619191918",
            "recipients": "31619191919,31619191920",
        },
        "msgbird://" + "a" * 25 + "/31619191918/31619191919/31619191920",
    ),
    "signal": (
        {"api-url": "http://a.example", "number": "+12345678901", "recipients": ["+12345678902"]},
        "signal://a.example/+12345678901/+12345678902",
    ),
    "sendgrid": (
        {"api-key": "SG.abc", "from": "a@example.com", "to": "b@example.com,c@example.com"},
        "sendgrid://SG.abc:a@example.com/b%40example.com/c%40example.com",
    ),
    "aws-ses": (
        {
            "access-key-id": "AKIAIOSFODNN7EXAMPLE",
            "secret-access-key": "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY",
            "region": "us-east-1",
            "from": "a@example.com",
            "to": "b@example.com",
        },
        (
            "ses://a@example.com/AKIAIOSFODNN7EXAMPLE/wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY/"
            "us-east-1/b%40example.com/"
        ),
    ),
    "line": (
        {"channel-access-token": "tok", "user-ids": ["U1234567890abcdef"]},
        "line://tok/U1234567890abcdef",
    ),
    "ifttt": ({"webhook-key": "key123", "event-name": "down"}, "ifttt://key123@down/"),
    "signl4": ({"team-secret": "secret123"}, "signl4://secret123"),
    "incident-io": (
        {"url": "https://api.incident.io/v2/alert_events/http/01ABC", "auth-token": "tok"},
        "incidentio://01ABC/tok",
    ),
    "custom": (
        {"url": "https://hook.example:8443/a/b", "method": "PUT", "body": "[ALERT_DESCRIPTION]"},
        "jsons://hook.example:8443/a/b?method=PUT",
    ),
}


def found_with(folder: Path, alerting: object, environ: dict[str, str] | None = None) -> Found:
    endpoint = {"name": "a", "url": "https://a.example", "conditions": ["[STATUS] == 200"]}
    path = folder / "config.yaml"
    path.write_text(json.dumps({"endpoints": [endpoint], "alerting": alerting}))
    return read(path, 0, environ or {})


def test_every_service_has_an_example() -> None:
    assert PROVIDERS.keys() == SERVICES.keys()


@pytest.mark.parametrize("kind", PROVIDERS)
def test_a_provider_becomes_an_address_of_apprise(tmp_path: Path, kind: str) -> None:
    settings, url = PROVIDERS[kind]
    found = found_with(tmp_path, {kind: settings})
    (channel,) = found.channels
    assert channel["url"] == url
    assert apprise.Apprise().add(url)
    wanted = Fate.APPROXIMATED if kind == "custom" else Fate.MAPPED
    fates = {one.path.partition(".")[2]: one.fate for one in found.report.lines}
    for key in SERVICES[kind].keys:
        if key in settings and not isinstance(settings[key], list):
            assert fates[f"{kind}.{key}"] is wanted


def test_mail_is_sent_as_gatus_sends_it() -> None:
    mail: Any = apprise.Apprise.instantiate(PROVIDERS["email"][1])
    assert (mail.smtp_host, mail.port, mail.secure_mode) == ("mail.example.com", 465, "ssl")
    assert (mail.user, mail.password) == ("a@example.com", "p@ss/w:rd")
    assert mail.from_addr == (False, "a@example.com")
    assert [address for _, address in mail.targets] == ["b@example.com", "c@example.com"]


@pytest.mark.parametrize(
    ("given", "scheme", "mode", "how"),
    [
        ({"port": 465}, "mailtos", "ssl", "channels"),
        ({"port": 587, "password": "pw"}, "mailtos", "starttls", "STARTTLS is demanded"),
        ({"port": 25, "password": "pw"}, "mailtos", "starttls", "STARTTLS is demanded"),
        ({"port": 25, "password": "${LATER}"}, "mailtos", "starttls", "STARTTLS is demanded"),
        ({"port": 25}, "mailto", "insecure", "STARTTLS is not used"),
        ({"port": 587}, "mailto", "insecure", "STARTTLS is not used"),
    ],
)
def test_a_relay_without_starttls_can_be_used_and_the_difference_is_told(
    tmp_path: Path, given: dict[str, object], scheme: str, mode: str, how: str
) -> None:
    mail = {"from": "a@b.example", "host": "m.example", "to": "c@b.example", **given}
    found = found_with(tmp_path, {"email": mail})
    (channel,) = found.channels
    assert str(channel["url"]).partition("://")[0] == scheme
    plugin: Any = apprise.Apprise.instantiate(str(channel["url"]))
    assert (plugin.secure_mode, plugin.smtp_host) == (mode, "m.example")
    (line,) = (one for one in found.report.lines if one.path == "alerting.email.port")
    assert line.how.startswith(how)


NEXT_LOWER = "it is the next lower of the steps that Apprise knows"


@pytest.mark.parametrize(
    ("priority", "step", "how"),
    [
        (None, 5, None),
        (0, 5, "channels"),
        (1, 0, NEXT_LOWER),
        (2, 0, NEXT_LOWER),
        (3, 3, "channels"),
        (4, 3, NEXT_LOWER),
        (5, 5, "channels"),
        (6, 5, NEXT_LOWER),
        (8, 8, "channels"),
        (10, 10, "channels"),
        (12, 10, NEXT_LOWER),
    ],
)
def test_gotify_gets_the_next_lower_step_and_it_is_told(
    tmp_path: Path, priority: int | None, step: int, how: str | None
) -> None:
    settings: dict[str, object] = {"server-url": "https://gotify.example", "token": "AbCdEf"}
    if priority is not None:
        settings["priority"] = priority
    found = found_with(tmp_path, {"gotify": settings})
    plugin: Any = apprise.Apprise.instantiate(str(found.channels[0]["url"]))
    assert plugin.priority == step
    lines = [one.how for one in found.report.lines if one.path == "alerting.gotify.priority"]
    assert lines == ([] if how is None else [how])


@pytest.mark.parametrize("kind", PROVIDERS)
def test_a_provider_that_lacks_something_is_no_channel(tmp_path: Path, kind: str) -> None:
    found = found_with(tmp_path, {kind: {"default-alert": {"enabled": True}, "title": "x"}})
    assert found.channels == ()


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("slack", {"webhook-url": "https://mattermost.example/hooks/abc"}),
        ("slack", {"webhook-url": "secret:shop/body"}),
        ("telegram", {"token": "1:a", "id": "2", "api-url": "https://bots.example"}),
        ("custom", {"url": "https://hook.example/[ENDPOINT_NAME]"}),
        ("custom", {"url": "https://[", "method": "POST"}),
        ("gotify", {"server-url": "https://gotify.example:99999", "token": "a"}),
        ("ntfy", {"topic": "a", "priority": 9}),
        ("pushover", {"application-token": "a", "user-key": "b", "priority": 3}),
        ("github", {"repository-url": "https://github.com/a/b", "token": "t"}),
        ("email", {"from": "a@b.example", "host": "b.example", "port": 0, "to": "c@b.example"}),
    ],
)
def test_what_apprise_would_send_elsewhere_is_no_channel(
    tmp_path: Path, kind: str, settings: dict[str, object]
) -> None:
    found = found_with(tmp_path, {kind: settings})
    assert found.channels == ()
    fates = {one.fate for one in found.report.lines if one.path.startswith("alerting")}
    assert fates == {Fate.UNSUPPORTED}


@pytest.mark.parametrize(
    ("environ", "url"),
    [
        ({}, "signl4://${TEAM}"),
        ({"TEAM": "plain"}, "signl4://${TEAM}"),
        ({"TEAM": "a/b c"}, "signl4://a%2Fb%20c"),
    ],
)
def test_a_variable_stays_one_unless_its_value_must_be_written_otherwise(
    tmp_path: Path, environ: dict[str, str], url: str
) -> None:
    found = found_with(tmp_path, {"signl4": {"team-secret": "${TEAM}"}}, environ)
    assert found.channels[0]["url"] == url
