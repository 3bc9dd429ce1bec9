"""Every way in which Uptime Kuma tells of trouble becomes an address that Apprise can use."""

import json
from pathlib import Path
from typing import Any

import apprise
import pytest

from tests.exchange.kuma_files import NOW, unreported
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers.kuma.backup import read
from uptime_desktop.exchange.importers.kuma.notifications import WAYS
from uptime_desktop.exchange.importers.paths import NO_PATH
from uptime_desktop.exchange.report import Fate

UUID = "11111111-2222-4333-8444-555555555555"
HEX = "0123456789abcdef0123456789abcdef"
MAIL = (
    "mailtos://me%40mail.example:p%3Aw%2F1@mail.example:465?mode=ssl&from=watch%40mail.example"
    "&to=a%40b.example%2Cc%40d.example&cc=e%40f.example&verify=no&smtp=mail.example"
)
WORKFLOW = (
    "https://prod-01.westus.logic.azure.com:443/workflows/643e69f83c89/triggers/manual/paths"
    "/invoke?api-version=2016-06-01&sp=%2Ftriggers&sv=1.0&sig=KODuebWbDGYFr0"
)

CASES: list[tuple[str, dict[str, Any], str]] = [
    (
        "telegram",
        {
            "telegramBotToken": "123456789:AAEhBOweik6ad6PsWZRcXgPP",
            "telegramChatID": "@ops",
            "telegramMessageThreadID": "5",
            "telegramSendSilently": True,
        },
        "tgram://123456789:AAEhBOweik6ad6PsWZRcXgPP/%40ops?silent=yes&topic=5",
    ),
    (
        "discord",
        {
            "discordWebhookUrl": "https://discord.com/api/webhooks/4711/tok_en-1",
            "discordUsername": "Kuma",
            "discordChannelType": "postToThread",
            "threadId": "77",
        },
        "discord://4711/tok_en-1?thread=77&botname=Kuma",
    ),
    (
        "slack",
        {
            "slackwebhookURL": "https://hooks.slack.com/services/T1JJ3T3L2/B1BRTD4JD/TIiajkdnlazk",
            "slackchannel": "#alerts",
            "slackusername": "Kuma",
        },
        "slack://Kuma@T1JJ3T3L2/B1BRTD4JD/TIiajkdnlazk/%23alerts",
    ),
    (
        "smtp",
        {
            "smtpHost": "mail.example",
            "smtpPort": 465,
            "smtpSecure": True,
            "smtpUsername": "me@mail.example",
            "smtpPassword": "p:w/1",
            "smtpFrom": '"Watch" <watch@mail.example>',
            "smtpTo": "a@b.example, c@d.example",
            "smtpCC": "e@f.example",
            "smtpIgnoreTLSError": True,
        },
        MAIL,
    ),
    (
        "smtp",
        {
            "smtpHost": "m.example",
            "smtpPort": 25,
            "smtpFrom": "a@m.example",
            "smtpTo": "b@m.example",
        }
        | {"smtpIgnoreSTARTTLS": True},
        "mailto://m.example:25?mode=insecure&from=a%40m.example&to=b%40m.example&smtp=m.example",
    ),
    (
        "gotify",
        {
            "gotifyserverurl": "https://push.example:8443/sub/",
            "gotifyapplicationToken": "Atoken123",
            "gotifyPriority": 9,
        },
        "gotifys://push.example:8443/sub/Atoken123?priority=8",
    ),
    (
        "ntfy",
        {
            "ntfyserverurl": "https://ntfy.sh",
            "ntfytopic": "mine",
            "ntfyPriority": 5,
            "ntfyAuthenticationMethod": "accessToken",
            "ntfyaccesstoken": "tk_abc",
        },
        "ntfys://tk_abc@ntfy.sh/mine?priority=5&auth=token&mode=private",
    ),
    (
        "ntfy",
        {
            "ntfyserverurl": "http://ntfy.lan:8080",
            "ntfytopic": "mine",
            "ntfyusername": "u",
            "ntfypassword": "p",
        },
        "ntfy://u:p@ntfy.lan:8080/mine?priority=5&auth=basic&mode=private",
    ),
    (
        "ntfy",
        {"ntfyserverurl": "https://me:pw@ntfy.example", "ntfytopic": "mine", "ntfyusername": "u"},
        "ntfys://me:pw@ntfy.example/mine?priority=5&auth=basic&mode=private",
    ),
    (
        "pushover",
        {
            "pushoveruserkey": "u" * 30,
            "pushoverapptoken": "a" * 30,
            "pushoverpriority": "1",
            "pushoversounds": "siren",
            "pushoverdevice": "phone",
        },
        f"pover://{'u' * 30}@{'a' * 30}/phone?priority=1&sound=siren",
    ),
    ("pushbullet", {"pushbulletAccessToken": "o.abcdef"}, "pbul://o.abcdef"),
    (
        "matrix",
        {
            "homeserverUrl": "https://matrix.example",
            "accessToken": "syt_tok",
            "internalRoomId": "!room:matrix.example",
        },
        "matrixs://:syt_tok@matrix.example/%21room%3Amatrix.example",
    ),
    (
        "mattermost",
        {
            "mattermostWebhookUrl": "https://mm.example/hooks/abcdefghij0123456789abcdef",
            "mattermostchannel": "Town",
            "mattermostusername": "Kuma",
        },
        "mmosts://Kuma@mm.example/abcdefghij0123456789abcdef?to=town",
    ),
    (
        "teams",
        {"webhookUrl": WORKFLOW},
        WORKFLOW,
    ),
    (
        "webhook",
        {
            "webhookURL": "https://hook.example:8443/in?key=1",
            "webhookContentType": "json",
            "webhookAdditionalHeaders": '{"X-Key": "a b"}',
        },
        "jsons://hook.example:8443/in?method=POST&+X-Key=a%20b&-key=1",
    ),
    (
        "webhook",
        {"webhookURL": "http://hook.lan/in", "webhookContentType": "form-data"},
        "form://hook.lan/in?method=POST",
    ),
    (
        "PagerDuty",
        {
            "pagerdutyIntegrationKey": HEX,
            "pagerdutyIntegrationUrl": "https://events.eu.pagerduty.com/v2/enqueue",
            "pagerdutyPriority": "critical",
        },
        f"pagerduty://{HEX}@UptimeDesktop?region=eu&severity=critical",
    ),
    (
        "Opsgenie",
        {"opsgenieApiKey": UUID, "opsgenieRegion": "eu", "opsgeniePriority": 2},
        f"opsgenie://{UUID}?region=eu&priority=p2",
    ),
    (
        "signal",
        {
            "signalURL": "http://localhost:8080/v2/send",
            "signalNumber": "+491701234567",
            "signalRecipients": "+491707654321, +491701111111",
        },
        "signal://localhost:8080/%2B491701234567/%2B491707654321/%2B491701111111",
    ),
    (
        "rocket.chat",
        {
            "rocketwebhookURL": "https://chat.example/hooks/tok1abc/tok2def",
            "rocketchannel": "general",
            "rocketusername": "kuma",
        },
        "rockets://kuma:tok1abc/tok2def@chat.example/%23general?mode=webhook",
    ),
    (
        "twilio",
        {
            "twilioAccountSID": "AC" + "a" * 32,
            "twilioAuthToken": "b" * 32,
            "twilioFromNumber": "+15551234567",
            "twilioToNumber": "+15557654321",
        },
        f"twilio://AC{'a' * 32}:{'b' * 32}@+15551234567/%2B15557654321",
    ),
    (
        "line",
        {"lineChannelAccessToken": "to/ken+=", "lineUserID": "U1234"},
        "line://_?token=to%2Fken%2B%3D&to=U1234",
    ),
    (
        "Bark",
        {"barkEndpoint": "https://api.day.app/KEY", "barkGroup": "g", "barkSound": "alarm"},
        "barks://api.day.app/KEY?group=g&sound=alarm",
    ),
    (
        "DingDing",
        {
            "webHookUrl": "https://oapi.dingtalk.com/robot/send?access_token=abc123",
            "secretKey": "SECdef",
        },
        "dingtalk://SECdef@abc123",
    ),
    (
        "Feishu",
        {"feishuWebHookUrl": f"https://open.feishu.cn/open-apis/bot/v2/hook/{UUID}"},
        f"feishu://{UUID}",
    ),
    (
        "GoogleChat",
        {
            "googleChatWebhookURL": "https://chat.googleapis.com/v1/spaces/AAA/messages"
            "?key=k-1&token=t-1"
        },
        "gchat://AAA/k-1/t-1",
    ),
    ("WeCom", {"weComBotKey": "key-abc"}, "wecombot://key-abc"),
    (
        "nextcloudtalk",
        {"host": "https://nc.example", "conversationToken": "room1", "botSecret": "s"},
        "nctalks://nc.example/room1?secret=s",
    ),
    (
        "nextcloudtalk",
        {"host": "https://h.example/a/nc/", "conversationToken": "room1", "botSecret": "s"},
        "nctalks://h.example/room1?secret=s&url_prefix=a%2Fnc",
    ),
    (
        "threema",
        {
            "threemaSenderIdentity": "*GATEWAY",
            "threemaSecret": "secret1",
            "threemaRecipientType": "phone",
            "threemaRecipient": "+15551234567",
        },
        "threema://%2AGATEWAY@secret1/%2B15551234567",
    ),
    (
        "stackfield",
        {"stackfieldwebhookURL": f"https://www.stackfield.com/apiwh/{UUID}"},
        f"stackfield://{UUID}",
    ),
    (
        "squadcast",
        {"squadcastWebhookURL": f"https://api.squadcast.com/v2/incidents/api/{HEX}"},
        f"squadcast://{HEX}",
    ),
    (
        "HomeAssistant",
        {
            "homeAssistantUrl": "https://ha.example/",
            "longLivedAccessToken": "long.token",
            "notificationService": "mobile_app_x",
        },
        "hassios://ha.example:443/notify.mobile_app_x?accesstoken=long.token",
    ),
    ("PushByTechulus", {"pushAPIKey": UUID}, f"push://{UUID}"),
    (
        "PushDeer",
        {"pushdeerKey": "PDU1", "pushdeerServer": "https://deer.example"},
        "pushdeers://deer.example/PDU1",
    ),
    ("PushDeer", {"pushdeerKey": "PDU1"}, "pushdeers://PDU1"),
    ("PushPlus", {"pushPlusSendKey": HEX}, f"pushplus://{HEX}"),
    ("ServerChan", {"serverChanSendKey": "SCT123"}, "schan://SCT123"),
    ("SpugPush", {"templateKey": HEX}, f"spugpush://{HEX}"),
    ("apprise", {"appriseURL": "json://localhost/x", "title": "T"}, "json://localhost/x"),
    ("pushy", {"pushyAPIKey": "api", "pushyToken": "dev"}, "pushy://api/%40dev"),
    (
        "46elks",
        {
            "elksUsername": "u",
            "elksAuthToken": "p",
            "elksToNumber": "+15551234567",
            "elksFromNumber": "Kuma",
        },
        "46elks://u:p@/%2B15551234567?from=Kuma",
    ),
    (
        "clicksendsms",
        {
            "clicksendsmsLogin": "u",
            "clicksendsmsPassword": "p",
            "clicksendsmsToNumber": "+15551234567",
        },
        "clicksend://u:p@/%2B15551234567",
    ),
    (
        "FreeMobile",
        {"freemobileUser": "12345678", "freemobilePass": "pw"},
        "freemobile://12345678@pw",
    ),
    (
        "GoAlert",
        {"goAlertBaseURL": "https://go.example", "goAlertToken": UUID},
        f"goalerts://go.example/{UUID}",
    ),
    (
        "Splunk",
        {"splunkRestURL": "https://alert.victorops.com/integrations/generic/20131114/alert/k-1/r1"},
        "https://alert.victorops.com/integrations/generic/20131114/alert/k-1/r1",
    ),
    (
        "PagerTree",
        {"pagertreeIntegrationUrl": "https://api.pagertree.com/integration/int_0123456789"},
        "pagertree://int_0123456789",
    ),
    (
        "SendGrid",
        {
            "sendgridApiKey": "SG.x",
            "sendgridFromEmail": "from@a.example",
            "sendgridToEmail": "to@b.example",
        },
        "sendgrid://SG.x:from@a.example/to%40b.example",
    ),
    (
        "brevo",
        {"brevoApiKey": "xkey", "brevoFromEmail": "from@a.example", "brevoToEmail": "to@b.example"},
        "brevo://xkey:from@a.example/to%40b.example",
    ),
]


def found(folder: Path, config: dict[str, Any], **more: Any) -> tuple[Found, dict[str, Any]]:
    one = {"id": 1, "name": "One", "active": True, "config": json.dumps(config), **more}
    document = {"monitorList": [], "notificationList": [one]}
    path = folder / "backup.json"
    path.write_text(json.dumps(document))
    return read(path, NOW), document


RELAY: dict[str, Any] = {
    "type": "smtp",
    "smtpHost": "m.example",
    "smtpPort": 587,
    "smtpFrom": "a@m.example",
}


@pytest.mark.parametrize(
    ("given", "scheme", "mode", "how"),
    [
        ({"smtpSecure": True}, "mailtos", "ssl", "url"),
        ({"smtpIgnoreSTARTTLS": True, "smtpSecure": False}, "mailto", "insecure", "url"),
        ({"smtpSecure": False}, "mailto", "insecure", "STARTTLS is not used"),
        ({}, "mailto", "insecure", "STARTTLS is not used"),
        (
            {"smtpSecure": False, "smtpUsername": "me", "smtpPassword": "pw"},
            "mailtos",
            "starttls",
            "STARTTLS is demanded",
        ),
    ],
)
def test_a_relay_without_starttls_can_be_used_and_the_difference_is_told(
    tmp_path: Path, given: dict[str, Any], scheme: str, mode: str, how: str
) -> None:
    result, _ = found(tmp_path, {**RELAY, "smtpTo": "b@m.example", **given})
    url = str(result.channels[0]["url"])
    assert url.partition("://")[0] == scheme
    plugin: Any = apprise.Apprise.instantiate(url)
    assert plugin.secure_mode == mode
    told = {line.path.lower(): line.how for line in result.report.lines}
    assert told["notificationlist[0].config.smtpsecure"].startswith(how)


@pytest.mark.parametrize(("kind", "config", "url"), CASES, ids=[case[0] for case in CASES])
def test_a_notification_becomes_an_address_that_apprise_takes(
    tmp_path: Path, kind: str, config: dict[str, Any], url: str
) -> None:
    result, _ = found(tmp_path, {"type": kind, "name": "One", **config})
    assert [channel["url"] for channel in result.channels] == [url]
    assert apprise.Apprise().add(url)


def test_every_way_is_tried_here() -> None:
    assert {case[0] for case in CASES} == WAYS.keys() - {"Elks"}


@pytest.mark.parametrize("kind", sorted(WAYS))
def test_one_without_its_settings_is_not_taken_over(tmp_path: Path, kind: str) -> None:
    result, document = found(tmp_path, {"type": kind, "secret": "hunter2"})
    assert result.channels == ()
    assert unreported(document, (line.path for line in result.report.lines)) == []
    assert {line.fate for line in result.report.lines if line.thing == "One"} == {Fate.UNSUPPORTED}


@pytest.mark.parametrize(("kind", "config", "url"), CASES, ids=[case[0] for case in CASES])
def test_any_value_in_any_setting_is_borne(
    tmp_path: Path, kind: str, config: dict[str, Any], url: str
) -> None:
    for name in config:
        puts: list[object] = [
            None,
            17,
            [1],
            {"a": {}},
            "https://[::1",
            "\U0001f43b /?#@:",
            "x" * 9_000,
        ]
        for put in puts:
            result, _ = found(tmp_path, {"type": kind, **config, name: put})
            assert all(channel["url"] for channel in result.channels)
    assert url


def test_no_setting_is_told(tmp_path: Path) -> None:
    for kind, config, _ in CASES:
        result, _ = found(tmp_path, {"type": kind, **config})
        told = {line.value for line in result.report.lines}
        texts = {value for value in config.values() if isinstance(value, str) and len(value) > 2}
        assert told & texts <= {"https://nc.example", "https://h.example/a/nc/"}


def test_one_that_is_off_stays_off_and_takes_no_name_of_ours(tmp_path: Path) -> None:
    config = {"type": "pushbullet", "pushbulletAccessToken": "o.a"}
    result, _ = found(tmp_path, config, active=0, name="Desktop")
    assert result.channels == (
        {"id": "desktop-2", "name": "Desktop", "url": "pbul://o.a", "on": False},
    )


@pytest.mark.parametrize(
    "config",
    [
        {"type": "teams", "webhookUrl": "https://x.webhook.office.com/webhookb2/a@b/c/d/e"},
        {"type": "telegram", "telegramBotToken": "1:a", "telegramChatID": "1"}
        | {"telegramServerUrl": "https://own.example"},
        {"type": "twilio", "twilioApiKey": "SK1"},
        {"type": "discord", "discordWebhookUrl": "https://discord.com/api/webhooks/4711/tok_en-1"}
        | {"discordChannelType": "createNewForumPost", "postName": "Down"},
        {"type": "lunasea"},
        {"type": 5},
        {},
    ],
)
def test_what_apprise_cannot_do_is_said(tmp_path: Path, config: dict[str, Any]) -> None:
    result, _ = found(tmp_path, config)
    assert result.channels == ()
    why = next(line.how for line in result.report.lines if line.path.endswith(".id"))
    assert why


@pytest.mark.parametrize(
    ("kind", "name", "path"),
    [
        ("ntfy", "ntfyserverurl", "/sub"),
        ("matrix", "homeserverUrl", "/base"),
        ("PushDeer", "pushdeerServer", "/deer/"),
        ("Bark", "barkEndpoint", "/sub/KEY/"),
        ("signal", "signalURL", "/signal/v2/send"),
        ("signal", "signalURL", "/v1/send"),
        ("rocket.chat", "rocketwebhookURL", "/chat/hooks/tok1abc/tok2def"),
    ],
)
def test_a_path_that_apprise_would_not_send_to_is_not_taken_over(
    tmp_path: Path, kind: str, name: str, path: str
) -> None:
    given = next(config for one, config, _ in CASES if one == kind)
    result, _ = found(tmp_path, {"type": kind, **given, name: f"https://h.example{path}"})
    assert result.channels == ()
    assert {line.how for line in result.report.lines if line.path.endswith(".id")} == {NO_PATH}


@pytest.mark.parametrize("place", ["", "/", "/v2/send"])
def test_signal_is_reached_where_apprise_sends_to(tmp_path: Path, place: str) -> None:
    given = next(config for one, config, _ in CASES if one == "signal")
    address = f"http://localhost:8080{place}"
    result, _ = found(tmp_path, {"type": "signal", **given, "signalURL": address})
    assert str(result.channels[0]["url"]).startswith("signal://localhost:8080/%2B49")


def test_nextcloud_talk_is_posted_to_where_nextcloud_is(tmp_path: Path) -> None:
    given = {"host": "https://h.example/nc", "conversationToken": "room1", "botSecret": "s"}
    result, _ = found(tmp_path, {"type": "nextcloudtalk", **given})
    plugin: Any = apprise.Apprise.instantiate(str(result.channels[0]["url"]))
    assert plugin.url_prefix == "nc"


@pytest.mark.parametrize(
    ("given", "priority", "fate"),
    [
        ({}, 5, Fate.APPROXIMATED),
        ({"ntfyPriority": 2}, 3, Fate.APPROXIMATED),
        ({"ntfyPriority": 5}, 5, Fate.MAPPED),
        ({"ntfyPriority": 3, "ntfyPriorityDown": 5}, 5, Fate.APPROXIMATED),
        ({"ntfyPriority": 3, "ntfyPriorityDown": 3}, 3, Fate.MAPPED),
    ],
)
def test_an_outage_is_as_urgent_to_ntfy_as_it_was(
    tmp_path: Path, given: dict[str, Any], priority: int, fate: Fate
) -> None:
    server = {"type": "ntfy", "ntfyserverurl": "https://ntfy.sh", "ntfytopic": "mine"}
    result, _ = found(tmp_path, {**server, **given})
    assert f"?priority={priority}&" in str(result.channels[0]["url"])
    told = {line.path.lower(): line.fate for line in result.report.lines}
    assert told["notificationlist[0].config.ntfypriority"] is fate


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("discord", "discordWebhookUrl"),
        ("slack", "slackwebhookURL"),
        ("DingDing", "webHookUrl"),
        ("Feishu", "feishuWebHookUrl"),
        ("GoogleChat", "googleChatWebhookURL"),
        ("stackfield", "stackfieldwebhookURL"),
        ("squadcast", "squadcastWebhookURL"),
    ],
)
def test_what_goes_through_a_server_of_one_s_own_is_not_sent_past_it(
    tmp_path: Path, kind: str, name: str
) -> None:
    given = next(config for one, config, _ in CASES if one == kind)
    scheme, _, rest = str(given[name]).partition("://")
    moved = f"{scheme}://relay.example/{rest.partition('/')[2]}"
    result, _ = found(tmp_path, {"type": kind, **given, name: moved})
    assert result.channels == ()


def test_what_a_channel_lacks_is_told_from_the_words_it_has(tmp_path: Path) -> None:
    server = {"type": "ntfy", "ntfyserverurl": "https://ntfy.sh", "ntfytopic": "mine"}
    given = {"ntfyCall": "+15551234567", "ntfyUseTemplate": True, "ntfyCustomTitle": "Down"}
    result, _ = found(tmp_path, {**server, **given})
    told = {line.path.rpartition(".")[2]: line.how for line in result.report.lines}
    assert told["ntfyCall"] == "the channel has no such setting"
    assert told["ntfyUseTemplate"] == told["ntfyCustomTitle"]
    assert told["ntfyCustomTitle"] == "messages have the words of Uptime Desktop"
