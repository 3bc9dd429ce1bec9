"""Chats and messengers: Apprise URLs of Uptime Kuma's settings."""

import re
from typing import Final
from urllib.parse import parse_qs

from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.kuma.addressing import Server, joined, server_at
from uptime_desktop.exchange.importers.kuma.services import (
    CannotBe,
    Way,
    listed,
    require_reached,
    take,
)
from uptime_desktop.exchange.importers.kuma.table import Table

_WORKFLOW: Final = re.compile(r"https://[^/]+/(?:.*/)?workflows/[^/]+/triggers/manual/.+")
_DISCORD: Final = ("discord.com", "discordapp.com", "canary.discord.com", "ptb.discord.com")
_LARK: Final = "open.larksuite.com"
_SQUADCAST_EU: Final = "api.eu.squadcast.com"
_SIGNALS_OWN: Final = "/v2/send"
"""Where Apprise sends to."""
_TELEGRAM: Final = "https://api.telegram.org"


def _telegram(config: Table) -> str:
    token, chat = take(config, "telegrambottoken"), take(config, "telegramchatid")
    if config.text("telegramserverurl").rstrip("/") not in {"", _TELEGRAM}:
        raise CannotBe(Sentence("Apprise knows only Telegram's own server"))
    config.mapped("telegramserverurl", "url")
    if not re.fullmatch(r"[0-9]+:[A-Za-z0-9_-]+", token) or not chat:
        return ""
    options = {
        "silent": "yes" if config.flag("telegramsendsilently") else "",
        "topic": take(config, "telegrammessagethreadid"),
    }
    config.mapped("telegramsendsilently", "url")
    return joined("tgram", token, chat, options=options)


def _discord(config: Table) -> str:
    server = _web(config, "discordwebhookurl", *_DISCORD)
    found = re.search(r"/api/(?:v\d+/)?webhooks/(\d+)/([A-Za-z0-9_-]+)", server.path)
    if found is None:
        return ""
    place = config.text("discordchanneltype")
    if place == "createNewForumPost":
        raise CannotBe(Sentence("Apprise opens no new post in a forum"))
    config.mapped("discordchanneltype", "url")
    thread = take(config, "threadid") if place == "postToThread" else ""
    options = {"thread": thread, "botname": take(config, "discordusername")}
    return joined("discord", found[1], found[2], options=options)


def _slack(config: Table) -> str:
    server = _web(config, "slackwebhookurl", "hooks.slack.com")
    found = re.fullmatch(r"/services/(T\w+)/(B\w+|A\w+)/(\w+)/?", server.path)
    if found is None:
        return ""
    name, channel = take(config, "slackusername"), take(config, "slackchannel")
    place = f"#{channel.removeprefix('#')}" if channel else ""
    return joined("slack", found[1], found[2], found[3], place, sign_in=(name,) if name else ())


def _mattermost(config: Table) -> str:
    server = _web(config, "mattermostwebhookurl")
    before, hooks, token = server.path.rpartition("/hooks/")
    if not hooks or not token:
        return ""
    name = take(config, "mattermostusername")
    options = {"to": take(config, "mattermostchannel").lower().removeprefix("#")}
    return joined(
        "mmosts" if server.is_tls else "mmost",
        server.authority,
        before,
        token.strip("/"),
        sign_in=(name,) if name else (),
        options=options,
    )


def _rocket_chat(config: Table) -> str:
    server = _web(config, "rocketwebhookurl")
    before, hooks, tokens = server.path.rpartition("/hooks/")
    found = re.fullmatch(r"(\w+)/(\w+)/?", tokens)
    if not hooks or found is None:
        return ""
    require_reached(before)
    name, channel = take(config, "rocketusername"), take(config, "rocketchannel")
    user = f"{name}:" if re.fullmatch(r"[\w.-]+", name) else ""
    place = channel if channel.startswith("@") else f"#{channel.removeprefix('#')}"
    scheme = "rockets" if server.is_tls else "rocket"
    authority = f"{user}{found[1]}/{found[2]}@{server.authority}"
    return joined(scheme, authority, place if channel else "", options={"mode": "webhook"})


def _teams(config: Table) -> str:
    address = take(config, "webhookurl")
    if not _WORKFLOW.fullmatch(address):
        raise CannotBe(Sentence("only the addresses of workflows work, others Microsoft ended"))
    return address


def _google_chat(config: Table) -> str:
    server = _web(config, "googlechatwebhookurl", "chat.googleapis.com")
    found = re.fullmatch(r"/v1/spaces/([\w-]+)/messages/?", server.path)
    given = parse_qs(server.query)
    key, token = given.get("key", [""])[0], given.get("token", [""])[0]
    if found is None or not (key and token):
        return ""
    return joined("gchat", found[1], key, token)


def _matrix(config: Table) -> str:
    server, token = server_at(take(config, "homeserverurl")), take(config, "accesstoken")
    room = take(config, "internalroomid")
    if server is None or not (token and room):
        return ""
    require_reached(server.path)
    scheme = "matrix" if server.scheme == "http" else "matrixs"
    # Without a user it is a token to Apprise.
    return joined(scheme, server.authority, room, sign_in=("", token))


def _signal(config: Table) -> str:
    server, sender = server_at(take(config, "signalurl")), take(config, "signalnumber")
    receivers = listed(take(config, "signalrecipients"))
    if server is None or not (sender and receivers):
        return ""
    require_reached(server.path.removesuffix(_SIGNALS_OWN))
    scheme = "signals" if server.is_tls else "signal"
    return joined(scheme, server.authority, sender, *receivers)


def _line(config: Table) -> str:
    token, user = take(config, "linechannelaccesstoken"), take(config, "lineuserid")
    options = {"token": token, "to": user}
    return joined("line", "_", options=options) if token and user else ""


def _ding_talk(config: Table) -> str:
    token = parse_qs(_web(config, "webhookurl", "oapi.dingtalk.com").query).get(
        "access_token", [""]
    )[0]
    secret = take(config, "secretkey")
    return joined("dingtalk", token, sign_in=(secret,) if secret else ()) if token else ""


def _feishu(config: Table) -> str:
    server = _web(config, "feishuwebhookurl", "open.feishu.cn", _LARK)
    scheme = "lark" if server.host == _LARK else "feishu"
    token = server.path.rstrip("/").rpartition("/")[2]
    return joined(scheme, token) if token else ""


def _we_com(config: Table) -> str:
    key = take(config, "wecombotkey")
    return key and joined("wecombot", key)


def _nextcloud_talk(config: Table) -> str:
    server, room = _web(config, "host"), take(config, "conversationtoken")
    secret = take(config, "botsecret")
    if not (room and secret):
        return ""
    scheme = "nctalks" if server.is_tls else "nctalk"
    options = {"secret": secret, "url_prefix": server.path.strip("/")}
    return joined(scheme, server.authority, room, options=options)


def _threema(config: Table) -> str:
    sender, secret = take(config, "threemasenderidentity"), take(config, "threemasecret")
    receiver = take(config, "threemarecipient")
    config.mapped("threemarecipienttype", "url")
    if not (sender and secret and receiver):
        return ""
    return joined("threema", secret, receiver, sign_in=(sender,))


def _stackfield(config: Table) -> str:
    server = _web(config, "stackfieldwebhookurl", "www.stackfield.com")
    token = server.path.rstrip("/").rpartition("/apiwh/")[2]
    return joined("stackfield", token) if token else ""


def _squadcast(config: Table) -> str:
    server = _web(config, "squadcastwebhookurl", "api.squadcast.com", _SQUADCAST_EU)
    key = server.path.rstrip("/").rpartition("/v2/incidents/api/")[2]
    region = "eu" if server.host == _SQUADCAST_EU else ""
    return joined("squadcast", key, options={"region": region}) if key else ""


def _web(config: Table, name: str, *hosts: str) -> Server:
    """The address of a webhook. One that cannot be read has no path, and so has one on a server
    that Apprise, which knows only the service's own, would not send to."""
    server = server_at(take(config, name)) or Server("")
    return server if not hosts or server.host in hosts else Server("")


CHATS: Final[dict[str, Way]] = {
    "DingDing": _ding_talk,
    "Feishu": _feishu,
    "GoogleChat": _google_chat,
    "WeCom": _we_com,
    "discord": _discord,
    "line": _line,
    "matrix": _matrix,
    "mattermost": _mattermost,
    "nextcloudtalk": _nextcloud_talk,
    "rocket.chat": _rocket_chat,
    "signal": _signal,
    "slack": _slack,
    "squadcast": _squadcast,
    "stackfield": _stackfield,
    "teams": _teams,
    "telegram": _telegram,
    "threema": _threema,
}
