"""Where Gatus sends alerts, as addresses of Apprise.

Each function gets the settings of a provider and makes the address, or None where they lack
something. Only services that Apprise reaches in the same way are here.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.gatus.provider import IN_PATH, Server, Settings
from uptime_desktop.exchange.importers.gatus.values import whole
from uptime_desktop.exchange.importers.gotify import NEXT_LOWER, step_of
from uptime_desktop.exchange.importers.mail import nearest_mode
from uptime_desktop.exchange.importers.paths import is_reached

_PLACEHOLDER: Final = re.compile(r"\[[A-Z_]{3,40}\]")
_PUSHOVER: Final = ("low", "moderate", "normal", "high", "emergency")
_NTFY: Final = ("min", "low", "default", "high", "max")
_GOTIFY_USUAL: Final = 5
_OPSGENIE: Final = {
    "P1": "emergency",
    "P2": "high",
    "P3": "normal",
    "P4": "moderate",
    "P5": "low",
}
_MAIL_OVER_TLS: Final = 465
_OWN_JSON: Final = Sentence("it gets our own JSON, not the body written for it")


def _slack(given: Settings) -> str | None:
    return given.hook("webhook-url", "https://hooks.slack.com/")


def _discord(given: Settings) -> str | None:
    hosts = ("https://discord.com/api/webhooks/", "https://discordapp.com/api/webhooks/")
    return given.hook("webhook-url", *hosts)


def _workflows(given: Settings) -> str | None:
    is_workflow = "/workflows/" in given.plain("webhook-url")
    found = given.hook("webhook-url", "https://")
    return found if is_workflow or (found or "").startswith("${") else None


def _google_chat(given: Settings) -> str | None:
    return given.hook("webhook-url", "https://chat.googleapis.com/")


def _webex(given: Settings) -> str | None:
    return given.hook("webhook-url", "https://webexapis.com/", "https://api.ciscospark.com/")


def _telegram(given: Settings) -> str | None:
    token, chat, topic = given.part("token", ":"), given.part("id", "@"), given.part("topic-id")
    is_elsewhere = given.plain("api-url", "https://api.telegram.org") != "https://api.telegram.org"
    if not token or not chat or is_elsewhere:
        return None
    return f"tgram://{token}/{chat}:{topic}/" if topic else f"tgram://{token}/{chat}/"


def _email(given: Settings) -> str | None:
    host, sender, to = given.part("host"), given.part("from"), ",".join(given.several("to"))
    port = whole(given.plain("port")) or 0
    if not host or not sender or not to or not 0 < port < 65_536:
        return None
    user, password = given.part("username") or sender, given.part("password")
    who = f"{user}:{password}@" if password else ""
    mode = "ssl" if port == _MAIL_OVER_TLS else nearest_mode(signs_in=bool(password))[0]
    scheme = "mailto" if mode == "insecure" else "mailtos"
    return f"{scheme}://{who}{host}:{port}/?smtp={host}&from={sender}&to={to}&mode={mode}"


def _email_differs(given: Settings) -> dict[str, Sentence]:
    if whole(given.plain("port")) == _MAIL_OVER_TLS:
        return {}
    return {"port": nearest_mode(signs_in=bool(given.part("password")))[1]}


def _gotify(given: Settings) -> str | None:
    server, token = given.server("server-url", "gotify"), given.part("token")
    if server is None or not token:
        return None
    return server.address(token, query=f"priority={step_of(_gotify_priority(given))}")


def _gotify_priority(given: Settings) -> int:
    return whole(given.plain("priority")) or _GOTIFY_USUAL


def _gotify_differs(given: Settings) -> dict[str, Sentence]:
    wanted = _gotify_priority(given)
    return {} if step_of(wanted) == wanted else {"priority": NEXT_LOWER}


def _ntfy(given: Settings) -> str | None:
    server, topic = given.server("url", "ntfy", "https://ntfy.sh"), given.part("topic")
    priority = whole(given.plain("priority", "3")) or 3
    if server is None or not is_reached(server.path) or not topic or not 1 <= priority <= 5:
        return None
    query = [f"priority={_NTFY[priority - 1]}"]
    query += [f"{key}={given.part(key)}" for key in ("email", "click") if given.part(key)]
    token = given.part("token")
    return server.address(topic, user=token, query="&".join(query + ["auth=token"] * bool(token)))


def _pushover(given: Settings) -> str | None:
    user, token, device = (given.part(k) for k in ("user-key", "application-token", "device"))
    priority = whole(given.plain("priority", "0"))
    if not user or not token or priority is None or not -2 <= priority <= 2:
        return None
    sound = f"&sound={given.part('sound')}" if given.part("sound") else ""
    return f"pover://{user}@{token}/{device}?priority={_PUSHOVER[priority + 2]}{sound}"


def _mattermost(given: Settings) -> str | None:
    server = given.server("webhook-url", "mmost")
    if server is None or "hooks/" not in f"{server.path}/":
        return None
    # Apprise puts the last part after `hooks` itself.
    path = server.path.replace("hooks/", "", 1)
    channel = given.part("channel")
    query = f"channels={channel.removeprefix('%23')}" if channel else ""
    return Server(server.scheme, server.host, path).address(query=query)


def _matrix(given: Settings) -> str | None:
    server = given.server("server-url", "matrix", "https://matrix-client.matrix.org")
    token, room = given.part("access-token"), given.part("internal-room-id")
    if server is None or not is_reached(server.path) or not token or not room:
        return None
    return server.address(room, user=token)


def _pagerduty(given: Settings) -> str | None:
    key = given.part("integration-key")
    # Events are signed with the integration's key alone; the other is never looked at.
    return f"pagerduty://{key}@{key}" if key else None


def _opsgenie(given: Settings) -> str | None:
    key, tags = given.part("api-key"), ",".join(given.several("tags"))
    priority = _OPSGENIE.get(given.plain("priority", "P1"))
    if not key or priority is None:
        return None
    return f"opsgenie://{key}/?priority={priority}" + (f"&tags={tags}" if tags else "")


def _rocketchat(given: Settings) -> str | None:
    server = given.server("webhook-url", "rocket")
    if server is None or not server.path.startswith("hooks/"):
        return None
    hook, channel = server.path.removeprefix("hooks/"), given.part("channel")
    return f"{server.scheme}://{hook}@{server.host}/{channel}"


def _phones(given: Settings, key: str) -> str:
    return "/".join("+" + re.sub(r"[^0-9]", "", one) for one in given.texts(key))


def _twilio(given: Settings) -> str | None:
    sid, token = given.part("sid"), given.part("token")
    sender, to = _phones(given, "from"), _phones(given, "to")
    return f"twilio://{sid}:{token}@{sender}/{to}" if sid and token and sender and to else None


def _vonage(given: Settings) -> str | None:
    key, secret = given.part("api-key"), given.part("api-secret")
    sender, to = _phones(given, "from"), _phones(given, "to")
    is_number = given.plain("from").lstrip("+").isdecimal()
    return f"vonage://{key}:{secret}@{sender}/{to}" if key and secret and to and is_number else None


def _plivo(given: Settings) -> str | None:
    who, token = given.part("auth-id"), given.part("auth-token")
    sender, to = _phones(given, "from"), _phones(given, "to")
    return f"plivo://{who}@{token}/{sender}/{to}" if who and token and sender and to else None


def _messagebird(given: Settings) -> str | None:
    key, sender = given.part("access-key"), given.part("originator")
    to = "/".join(given.several("recipients"))
    return f"msgbird://{key}/{sender}/{to}" if key and sender and to else None


def _signal(given: Settings) -> str | None:
    server, sender = given.server("api-url", "signal"), _phones(given, "number")
    to = _phones(given, "recipients")
    if server is None or not is_reached(server.path) or not sender or not to:
        return None
    return server.address(sender, to)


def _sendgrid(given: Settings) -> str | None:
    key, sender = given.part("api-key"), given.part("from", "@")
    to = "/".join(given.several("to"))
    return f"sendgrid://{key}:{sender}/{to}" if key and sender and to else None


def _aws_ses(given: Settings) -> str | None:
    key, secret = given.part("access-key-id"), given.part("secret-access-key")
    sender, region = given.part("from", "@"), given.part("region")
    to = "/".join(given.several("to"))
    is_whole = key and secret and sender and region and to
    return f"ses://{sender}/{key}/{secret}/{region}/{to}/" if is_whole else None


def _line(given: Settings) -> str | None:
    token, to = given.part("channel-access-token"), "/".join(given.several("user-ids"))
    return f"line://{token}/{to}" if token and to else None


def _ifttt(given: Settings) -> str | None:
    key, event = given.part("webhook-key"), given.part("event-name")
    return f"ifttt://{key}@{event}/" if key and event else None


def _signl4(given: Settings) -> str | None:
    secret = given.part("team-secret")
    return f"signl4://{secret}" if secret else None


def _incident_io(given: Settings) -> str | None:
    source = given.part("url", IN_PATH).rpartition("/alert_events/http/")[2]
    token = given.part("auth-token")
    return f"incidentio://{source}/{token}" if source and "/" not in source and token else None


def _custom(given: Settings) -> str | None:
    """Our own JSON to the same address."""
    server = given.server("url", "json")
    if server is None or _PLACEHOLDER.search(given.plain("url")):
        return None
    method = given.plain("method", "GET").upper()
    known = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
    return server.address(query=f"method={method}") if method in known else None


class Service(NamedTuple):
    """What people call it, how its address is made, and of what; `differs` says which of these
    mean something else here."""

    label: str
    address: Callable[[Settings], str | None]
    keys: tuple[str, ...]
    differs: Callable[[Settings], Mapping[str, Sentence]] = lambda _: {}


_HOOK: Final = ("webhook-url",)
SERVICES: Final = {
    "slack": Service("Slack", _slack, _HOOK),
    "discord": Service("Discord", _discord, _HOOK),
    "teams-workflows": Service("Teams", _workflows, _HOOK),
    "googlechat": Service("Google Chat", _google_chat, _HOOK),
    "webex": Service("Webex", _webex, _HOOK),
    "telegram": Service("Telegram", _telegram, ("token", "id", "topic-id", "api-url")),
    "email": Service(
        "E-mail",
        _email,
        ("from", "username", "password", "host", "port", "to"),
        _email_differs,
    ),
    "gotify": Service("Gotify", _gotify, ("server-url", "token", "priority"), _gotify_differs),
    "ntfy": Service("ntfy", _ntfy, ("topic", "url", "token", "email", "click", "priority")),
    "pushover": Service(
        "Pushover", _pushover, ("application-token", "user-key", "priority", "sound", "device")
    ),
    "mattermost": Service("Mattermost", _mattermost, ("webhook-url", "channel")),
    "matrix": Service("Matrix", _matrix, ("server-url", "access-token", "internal-room-id")),
    "pagerduty": Service("PagerDuty", _pagerduty, ("integration-key",)),
    "opsgenie": Service("Opsgenie", _opsgenie, ("api-key", "priority", "tags")),
    "rocketchat": Service("Rocket.Chat", _rocketchat, ("webhook-url", "channel")),
    "twilio": Service("Twilio", _twilio, ("sid", "token", "from", "to")),
    "vonage": Service("Vonage", _vonage, ("api-key", "api-secret", "from", "to")),
    "plivo": Service("Plivo", _plivo, ("auth-id", "auth-token", "from", "to")),
    "messagebird": Service("MessageBird", _messagebird, ("access-key", "originator", "recipients")),
    "signal": Service("Signal", _signal, ("api-url", "number", "recipients")),
    "sendgrid": Service("SendGrid", _sendgrid, ("api-key", "from", "to")),
    "aws-ses": Service(
        "AWS SES", _aws_ses, ("access-key-id", "secret-access-key", "region", "from", "to")
    ),
    "line": Service("LINE", _line, ("channel-access-token", "user-ids")),
    "ifttt": Service("IFTTT", _ifttt, ("webhook-key", "event-name")),
    "signl4": Service("SIGNL4", _signl4, ("team-secret",)),
    "incident-io": Service("incident.io", _incident_io, ("url", "auth-token")),
    "custom": Service(
        "Webhook",
        _custom,
        ("url", "method"),
        lambda _: {"url": _OWN_JSON, "method": _OWN_JSON},
    ),
}
