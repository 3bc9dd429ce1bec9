"""A configuration of Gatus becomes sites, monitors, channels and windows."""

import json
from pathlib import Path
from typing import Any

import apprise
import pytest

from tests.exchange.source import unreported
from uptime_desktop.domain.maintenance_definition import parse_window
from uptime_desktop.domain.model import Keys
from uptime_desktop.domain.notation import parse_instant
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers.checked import usable
from uptime_desktop.exchange.importers.gatus import read, recognises
from uptime_desktop.exchange.importers.gatus.document import document_of
from uptime_desktop.exchange.report import NOT_IN_USE, Fate, Line

NOW = parse_instant("now", "2026-11-18T12:00:00Z")
FILES = Path(__file__).parent / "gatus"
DISCORD = "https://discord.com/api/webhooks/123456789/abcdefTOKEN"
ENVIRON = {
    "DISCORD_WEBHOOK": DISCORD,
    "PAGERDUTY_KEY": "fedcba9876543210fedcba9876543210",
    "HEALTH_TOKEN": "health-secret",
    "API_TOKEN": "api-secret",
    "CONDITION": "[RESPONSE_TIME] < 150",
}
HTTP = {"retries": 0, "backoff": "none", "kind": "http"}


@pytest.fixture(scope="module")
def current() -> Found:
    return read(FILES / "current.yaml", NOW, ENVIRON)


@pytest.fixture(scope="module")
def services() -> Found:
    return read(FILES / "services.yaml", NOW, ENVIRON)


def named(found: Found, name: str) -> dict[str, Any]:
    (monitor,) = (one for one in found.monitors if one["name"] == name)
    return dict(monitor)


def line(found: Found, path: str) -> Line:
    return [one for one in found.report.lines if one.path == path][-1]


def test_the_website_has_every_key_that_can_be_kept(current: Found) -> None:
    website = named(current, "Website")
    queries = website.pop("json_query")
    assert website == {
        **HTTP,
        "id": "website",
        "name": "Website",
        "site": "core",
        "url": "https://user:url-password@example.org/health?token=${HEALTH_TOKEN}&cost=5$",
        "method": "POST",
        "every": "30s",
        "timeout": "1s",
        "headers": {"Authorization": "Bearer ${API_TOKEN}", "X-Plain": "1"},
        "body": '{"name": "Website", "price": "5$", "open": "$${not}"}\n',
        "proxy": "http://proxy-user:proxy-password@proxy.example:3128",
        "client_certificate": "/certificates/client.pem",
        "client_key": "/certificates/client.key",
        "accepted_codes": ("200-203", "205-299"),
        "latency_threshold": "300ms",
        "certificate_days": 2,
        "keyword": "<h1>Hello</h1>",
        "keyword_absent": "Fatal",
        "header_match": {"Content-Type": r"(?s)^(?:application/json)$"},
        "alert_after": 2,
        "recovery_notice": "yes",
        "repeat_every": "30m",
        "channels": ("desktop", "slack-core", "pagerduty", "slack-2"),
    }
    assert queries == (
        "status == UP",
        "data[0].id == 1",
        'starts_with(to_string("odd-key".x), `"bad"`) == false',
        "length(items) > 3",
        "errors == null",
        "users exists",
        'name matches "(?s)^john.*$"',
        'contains(`["1", "two"]`, to_string(level)) == true',
        "(to_string(age) == to_string(id) && age != `null`) == true",
        "length(data) > 0",
        'length(data[?!(to_string(state) == `"ok"`)]) == 0',
    )


PLAIN = {"retries": 0, "backoff": "none", "every": "1m", "timeout": "10s", "site": "gatus"}
TOLD = {"channels": ("desktop",)}


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        (
            "GraphQL",
            {
                **HTTP,
                "id": "graphql",
                "site": "gatus",
                "url": "https://api.example/graphql",
                "method": "POST",
                "body": '{"query": "{ users { id } }"}',
                "headers": {"Content-Type": "application/json"},
                "every": "5m",
                "timeout": "7s",
                "verify_certificate": False,
                "follow_redirects": False,
                "accepted_codes": ("200-201",),
                "certificate_days": 0,
                "alert_after": 3,
                "recovery_notice": "no",
                "channels": ("desktop", "e-mail"),
            },
        ),
        (
            "Redis",
            {
                **PLAIN,
                **TOLD,
                "id": "redis",
                "site": "data",
                "kind": "tcp",
                "host": "127.0.0.1:6379",
                "send": "PING\\r\\n",
                "expect": "PONG",
                "every": "5m",
                "timeout": "7s",
            },
        ),
        (
            "Ping",
            {
                **PLAIN,
                **TOLD,
                "id": "ping",
                "kind": "ping",
                "host": "example.com",
                "count": 1,
                "ip_version": "4",
            },
        ),
        (
            "Name",
            {
                **PLAIN,
                **TOLD,
                "id": "name",
                "kind": "dns",
                "host": "example.com",
                "record_type": "A",
                "resolver": "8.8.8.8",
                "expected": ("93.184.215.14",),
                "expected_rcode": "NOERROR",
            },
        ),
        (
            "Mail",
            {
                **PLAIN,
                **TOLD,
                "id": "mail",
                "kind": "tls",
                "host": "smtp.gmail.com:587",
                "starttls": "smtp",
                "every": "5s",
                "certificate_days": 2,
            },
        ),
        (
            "Directory",
            {
                **PLAIN,
                **TOLD,
                "id": "directory",
                "kind": "tls",
                "host": "ldap.example.com:636",
                "certificate_days": 0,
            },
        ),
        (
            "Socket",
            {
                **PLAIN,
                **TOLD,
                "id": "socket",
                "kind": "websocket",
                "url": "wss://echo.example/",
                "send": "status",
                "subprotocol": "chat",
                "expect": "served",
                "certificate_days": 0,
            },
        ),
        (
            "Shell",
            {
                **PLAIN,
                **TOLD,
                "id": "shell",
                "kind": "tcp",
                "host": "example.com:22",
                "expect": "SSH-",
            },
        ),
        (
            "Calls",
            {
                **PLAIN,
                **TOLD,
                "id": "calls",
                "kind": "grpc",
                "host": "grpcs://grpc.example:8443",
                "certificate_days": 0,
            },
        ),
        (
            "Back Up",
            {
                "id": "back-up",
                "site": "core",
                "kind": "heartbeat",
                "token": "0f2a4c6e-1111-4222-8333-444455556666",
                "every": "30m",
                "grace": "1s",
                "alert_after": 3,
                "recovery_notice": "yes",
                "channels": ("desktop", "discord"),
            },
        ),
        (
            "Agent",
            {
                **TOLD,
                "id": "agent",
                "site": "gatus",
                "kind": "heartbeat",
                "token": "external-potato",
                "every": "30d",
                "grace": "1s",
            },
        ),
    ],
)
def test_an_endpoint_has_exactly_these_keys(
    current: Found, name: str, keys: dict[str, object]
) -> None:
    assert named(current, name) == {"name": name, **keys}


def test_what_cannot_be_checked_is_not_made(current: Found) -> None:
    names = {str(one["name"]) for one in current.monitors}
    assert names.isdisjoint({"Udp", "Sctp", "Must fail", "create"})
    assert len(names) == 12
    for at, reason in ((3, "for udp"), (4, "for sctp"), (12, "expects the connection to fail")):
        lines = [one for one in current.report.lines if one.path.startswith(f"endpoints[{at}].")]
        assert {one.fate for one in lines} == {Fate.UNSUPPORTED}
        assert all(reason in one.how for one in lines)


def test_groups_are_sites_and_one_is_for_those_without(current: Found) -> None:
    assert current.sites == (
        {"id": "core", "name": "core"},
        {"id": "gatus", "name": "Gatus"},
        {"id": "data", "name": "data"},
    )
    assert current.paused == {"graphql", "website"}


def test_maintenance_is_for_all_or_for_one_endpoint(current: Found) -> None:
    assert current.windows == (
        {
            "id": "website-maintenance",
            "name": "Website",
            "days": ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
            "at": "07:30",
            "duration": "40m",
            "tz": "Europe/Berlin",
            "monitors": ("website",),
        },
        {
            "id": "maintenance",
            "name": "Maintenance",
            "days": ("mon", "thu"),
            "at": "23:00",
            "duration": "1h",
            "tz": "Europe/Amsterdam",
        },
    )
    windows: tuple[Keys, ...] = current.windows
    assert all(parse_window(window, NOW).is_on for window in windows)


@pytest.mark.parametrize(
    ("key", "endpoint"),
    [
        ("endpoints", {"url": "https://a.example", "conditions": ["[STATUS] == 200"]}),
        ("external-endpoints", {"token": "external-potato"}),
    ],
)
def test_planned_work_is_for_the_endpoint_that_has_it(
    tmp_path: Path, key: str, endpoint: dict[str, object]
) -> None:
    planned = {"start": "07:30", "duration": "40m"}
    path = tmp_path / "config.yaml"
    path.write_text(
        json.dumps({key: [{"name": "a", **endpoint, "maintenance-windows": [planned]}]})
    )
    found = read(path, NOW, {})
    assert [(one["monitors"], one["at"]) for one in found.windows] == [(("a",), "07:30")]
    assert line(found, f"{key}[0].maintenance-windows[0].start").fate is Fate.MAPPED


def test_channels_are_addresses_that_apprise_can_use(current: Found) -> None:
    services = "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD"
    assert {str(one["id"]): one["url"] for one in current.channels} == {
        "slack": f"{services}/TIiajkdnlazkcOXrIdevi7FQ",
        "slack-core": f"{services}/coreajkdnlazkcOXrIdevi7F",
        "slack-2": f"{services}/overkdnlazkcOXrIdevi7FQ",
        "discord": "${DISCORD_WEBHOOK}",
        "e-mail": "mailtos://from%40example.com:hunter2%2F%40@mail.example.com:587/"
        "?smtp=mail.example.com&from=from%40example.com"
        "&to=one%40example.com,two%40example.com&mode=starttls",
        "pagerduty": "pagerduty://${PAGERDUTY_KEY}@${PAGERDUTY_KEY}",
        "webhook": "jsons://hook.example/alert?method=POST",
    }
    for channel in current.channels:
        url = str(channel["url"])
        for name, value in ENVIRON.items():
            url = url.replace(f"${{{name}}}", value)
        assert apprise.Apprise().add(url)


def test_every_monitor_is_one_that_would_be_taken(current: Found, services: Found) -> None:
    for found in (current, services):
        sites = {site["id"] for site in found.sites}
        channels = {"desktop", *(one["id"] for one in found.channels)}
        for monitor in found.monitors:
            assert usable(monitor, NOW) is None
            assert monitor["site"] in sites
            assert channels.issuperset(monitor["channels"])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["current.yaml", "services.yaml"])
def test_every_field_of_the_file_is_reported(name: str) -> None:
    found = read(FILES / name, NOW, ENVIRON)
    assert unreported(document_of(FILES / name), found.report) == []


def test_no_secret_of_the_file_or_the_environment_is_reported(current: Found) -> None:
    told = "\n".join(f"{one.value} {one.how}" for one in current.report.lines)
    secrets = (
        *("db-password", "oidc-password", "JDJhJD", "tunnel-password", "TIiajk", "coreajk"),
        *("overkd", "hunter2", "teams-secret", "custom-secret", "custom-bearer", "url-password"),
        *("proxy-password", "oauth-password", "ssh-password", "0f2a4c6e", "external-potato"),
        *("health-secret", "api-secret", "fedcba98", "abcdefTOKEN"),
    )
    assert [secret for secret in secrets if secret in told] == []


@pytest.mark.parametrize(
    ("path", "fate", "how"),
    [
        ("endpoints[0].url", Fate.MAPPED, "url"),
        ("endpoints[0].interval", Fate.MAPPED, "every"),
        ("endpoints[0].headers.Authorization", Fate.MAPPED, "headers"),
        ("endpoints[0].headers.Content-Length", Fate.UNSUPPORTED, "the program sets it itself"),
        ("endpoints[0].client.timeout", Fate.APPROXIMATED, "it is 1s here"),
        ("endpoints[0].conditions[0]", Fate.MAPPED, "accepted_codes"),
        ("endpoints[0].conditions[17]", Fate.MAPPED, "json_query"),
        ("endpoints[0].alerts[1].failure-threshold", Fate.MAPPED, "alert_after"),
        ("endpoints[0].alerts[2].type", Fate.UNSUPPORTED, "the alert was switched off"),
        ("endpoints[7].interval", Fate.APPROXIMATED, "it is 5s here"),
        ("external-endpoints[0].token", Fate.MAPPED, "token"),
        ("external-endpoints[0].group", Fate.MAPPED, "site"),
        ("alerting.slack.webhook-url", Fate.MAPPED, "channels"),
        ("alerting.slack.default-alert.failure-threshold", Fate.MAPPED, "alert_after"),
        ("alerting.teams.webhook-url", Fate.UNSUPPORTED, "alerts cannot be sent there"),
        ("endpoints[1].alerts[0].type", Fate.MAPPED, "channels"),
        ("maintenance.every[1]", Fate.MAPPED, "days"),
        ("endpoints[5].client.network", Fate.MAPPED, "ip_version"),
        ("debug", Fate.UNSUPPORTED, "it is about Gatus's own log"),
    ],
)
def test_the_report_says_what_became_of_a_field(
    current: Found, path: str, fate: Fate, how: str
) -> None:
    found = line(current, path)
    assert (found.fate, found.how) == (fate, how)


def test_a_file_of_services_is_read_as_well(services: Found) -> None:
    assert named(services, "front-end") == {
        **HTTP,
        "id": "front-end",
        "name": "front-end",
        "site": "core",
        "url": "https://twin.example/health",
        "verify_certificate": False,
        "every": "30s",
        "timeout": "10s",
        "accepted_codes": ("200",),
        "json_query": ("status == UP",),
        "latency_threshold": "150ms",
        "certificate_days": 0,
        "alert_after": 4,
        "recovery_notice": "yes",
        "channels": ("desktop", "slack"),
    }
    assert named(services, "dns")["record_type"] == "MX"
    assert line(services, "services[0].alerts[1].type").how == "the alert was switched off"
    assert line(services, "services[1].conditions[0]").fate is Fate.UNSUPPORTED


def test_a_directory_is_read_as_one_file(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "a.yaml").write_text(
        "alerting:\n  ntfy: {topic: first}\n"
        "endpoints: [{name: a, url: 'https://a.example', conditions: ['[STATUS] == 200']}]"
    )
    (tmp_path / "inner" / "b.yml").write_text(
        "alerting:\n  signl4: {team-secret: second}\n"
        "endpoints: [{name: $NAME, url: 'https://b.example', conditions: ['[STATUS] == 200']}]"
    )
    (tmp_path / "notes.txt").write_text("nothing of it")
    found = read(tmp_path, NOW, {"NAME": "b"})
    assert [one["name"] for one in found.monitors] == ["a", "b"]
    assert [one["id"] for one in found.channels] == ["ntfy", "signl4"]
    assert line(found, "endpoints[1].name").fate is Fate.APPROXIMATED


def test_a_document_of_another_program_is_not_recognised() -> None:
    assert recognises({"endpoints": [{"name": "a", "url": "https://a.example"}]})
    others: list[object] = [None, [], "x", {}, {"services": {"web": {}}}, {"endpoints": [1]}]
    assert not any(map(recognises, others))


def test_what_asks_for_nothing_is_said_to_be_unused(current: Found) -> None:
    assert line(current, "endpoints[5].client.network").how == "ip_version"
    assert line(current, "skip-invalid-config-update").fate is Fate.UNSUPPORTED
    assert line(current, "alerting.email.client.insecure").how != NOT_IN_USE


@pytest.mark.parametrize("name", ["current.yaml", "services.yaml"])
def test_nothing_is_reported_twice(name: str) -> None:
    paths = [one.path for one in read(FILES / name, NOW, ENVIRON).report.lines]
    assert sorted(paths) == sorted(set(paths))


@pytest.mark.parametrize(
    ("url", "client", "is_paused"),
    [
        ("https://a.example", {"oauth2": {"client-id": "me"}}, True),
        ("https://a.example", {"identity-aware-proxy": {"audience": "x"}}, True),
        ("https://a.example", {"kerberos": {"principal": "me@A"}}, True),
        ("https://a.example", {"tunnel": "jump"}, True),
        ("tcp://a.example:1", {"tunnel": "jump"}, True),
        ("https://a.example", {"tunnel": "", "oauth2": None}, False),
        ("tcp://a.example:1", {"oauth2": {"client-id": "me"}}, False),
    ],
)
def test_one_that_cannot_get_in_is_paused_and_it_is_told(
    tmp_path: Path, url: str, client: dict[str, object], is_paused: bool
) -> None:
    endpoint = {"name": "a", "url": url, "client": client, "conditions": ["[CONNECTED] == true"]}
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps({"endpoints": [endpoint]}))
    found = read(path, 0, {})
    assert found.paused == ({"a"} if is_paused else set())
    told = {one.how for one in found.report.lines if ".client." in one.path}
    assert any(how.endswith("; the monitor is paused") for how in told) is is_paused
    if not is_paused:
        assert told == {NOT_IN_USE}


@pytest.mark.parametrize(
    ("url", "is_shown"),
    [
        ("https://a.example", True),
        ("wss://a.example", True),
        ("grpcs://a.example:1", True),
        ("tls://a.example:1", False),
        ("starttls://a.example:587", False),
        ("tcp://a.example:1", False),
    ],
)
def test_an_own_certificate_is_shown_where_gatus_shows_it(
    tmp_path: Path, url: str, is_shown: bool
) -> None:
    client = {"tls": {"certificate-file": "/own.pem", "private-key-file": "/own.key"}}
    endpoint = {"name": "a", "url": url, "client": client, "conditions": ["[CONNECTED] == true"]}
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps({"endpoints": [endpoint]}))
    found = read(path, 0, {})
    assert ("client_certificate" in found.monitors[0]) is is_shown
    told = line(found, "endpoints[0].client.tls.certificate-file")
    assert told.fate is (Fate.MAPPED if is_shown else Fate.UNUSED)


@pytest.mark.parametrize("nothing", ["", "~", "null", "Null", "NULL"])
def test_what_is_written_as_nothing_is_nothing(tmp_path: Path, nothing: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        "endpoints:\n- name: 'null'\n  url: https://a.example\n  method: POST\n"
        f"  group: {nothing}\n  dns: {nothing}\n  body: {nothing}\n  headers: {nothing}\n"
    )
    found = read(path, 0, {})
    (monitor,) = found.monitors
    assert (monitor["name"], monitor["kind"], "body" in monitor) == ("null", "http", False)
    fates = {one.path: one.fate for one in found.report.lines}
    assert {fates[f"endpoints[0].{key}"] for key in ("group", "dns", "body", "headers")} == {
        Fate.UNUSED
    }


DEFAULT = {"failure-threshold": "5", "minimum-reminder-interval": "1h", "send-on-resolved": "true"}


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ({"failure-threshold": "2"}, "failure-threshold"),
        ({"failure-threshold": "5", "minimum-reminder-interval": "2h"}, None),
        ({"failure-threshold": "5"}, None),
    ],
)
def test_what_another_alert_changes_of_the_defaults_is_told(
    tmp_path: Path, second: dict[str, str], told: str | None
) -> None:
    alerting = {
        "signl4": {"team-secret": "one", "default-alert": DEFAULT},
        "ifttt": {"webhook-key": "k", "event-name": "e"},
    }
    alerts = [{"type": "signl4"}, {"type": "ifttt", "send-on-resolved": "true", **second}]
    endpoint = {"name": "a", "url": "https://a.example", "alerts": alerts}
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps({"alerting": alerting, "endpoints": [endpoint]}))
    found = read(path, 0, {})
    changed = [
        one.path.rpartition(".")[2]
        for one in found.report.lines
        if one.path.startswith("endpoints[0].alerts[0].") and one.fate is Fate.APPROXIMATED
    ]
    assert changed == ([] if told is None else [told])


def test_what_the_first_alert_decides_for_the_defaults_of_another_is_told(tmp_path: Path) -> None:
    alerting = {
        "signl4": {"team-secret": "one"},
        "ifttt": {"webhook-key": "k", "event-name": "e", "default-alert": DEFAULT},
    }
    alerts = [{"type": "signl4", "failure-threshold": "5"}, {"type": "ifttt"}]
    endpoint = {"name": "a", "url": "https://a.example", "alerts": alerts}
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps({"alerting": alerting, "endpoints": [endpoint]}))
    changed = {
        one.path: one.how
        for one in read(path, 0, {}).report.lines
        if one.fate is Fate.APPROXIMATED and one.path.startswith("endpoints[0].alerts")
    }
    assert changed.keys() == {
        "endpoints[0].alerts[1].send-on-resolved",
        "endpoints[0].alerts[1].minimum-reminder-interval",
    }
    assert set(changed.values()) == {"a monitor has one rule: what the first alert says counts"}


def test_a_default_that_is_out_of_range_is_told(tmp_path: Path) -> None:
    default = {"failure-threshold": "500", "minimum-reminder-interval": "5s"}
    alerting = {"signl4": {"team-secret": "one", "default-alert": default}}
    path = tmp_path / "config.yaml"
    endpoint = {"name": "a", "url": "https://a.example"}
    path.write_text(json.dumps({"alerting": alerting, "endpoints": [endpoint]}))
    fates = {one.path: one.fate for one in read(path, 0, {}).report.lines}
    place = "alerting.signl4.default-alert."
    assert fates[place + "failure-threshold"] is Fate.APPROXIMATED
    assert fates[place + "minimum-reminder-interval"] is Fate.APPROXIMATED
