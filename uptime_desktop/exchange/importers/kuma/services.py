"""Mail, webhooks, telephones and on-call services: Apprise URLs of Uptime Kuma's settings.

Each takes what it uses; what is left is reported as not supported by whoever calls it.
"""

import json
import re
from collections.abc import Callable
from typing import Final

from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.kuma.addressing import joined, server_at
from uptime_desktop.exchange.importers.kuma.table import Table
from uptime_desktop.exchange.importers.mail import nearest_mode
from uptime_desktop.exchange.importers.paths import NO_PATH, is_reached

Way = Callable[[Table], str]
_SMTP_PORT: Final = 25
_ADDRESS: Final = re.compile(r"<\s*([^<>\s]+)\s*>")
_VICTOR_OPS: Final = re.compile(r"https://alert\.victorops\.com/integrations/generic/\d+/alert/.+")
_PAGER_TREE: Final = re.compile(r"https://api\.pagertree\.com/integration/([A-Za-z0-9_-]+)/?")
_OTHER_BODY: Final = Sentence("the message is sent as Apprise writes it, in JSON or as a form")


class CannotBe(Exception):
    """There is no Apprise URL for it; `why` says so to people."""

    def __init__(self, why: Sentence) -> None:
        super().__init__(why)
        self.why = why


def take(config: Table, name: str) -> str:
    """A text that becomes a part of the address."""
    config.mapped(name, "url")
    return config.text(name)


def require_reached(path: str) -> None:
    """Refuse a path that Apprise would take for something else."""
    if not is_reached(path):
        raise CannotBe(NO_PATH)


def listed(text: str) -> list[str]:
    """Parts with commas or semicolons between them."""
    return [part.strip() for part in re.split(r"[,;]", text) if part.strip()]


def _mail(config: Table) -> str:
    host, sender = take(config, "smtphost"), _mail_address(take(config, "smtpfrom"))
    receivers = [_mail_address(one) for one in listed(take(config, "smtpto"))]
    copies = {key: take(config, f"smtp{key}") for key in ("cc", "bcc")}
    hidden = [key for key in copies if copies[key]]
    config.mapped("smtpport", "url")
    server = server_at(host)
    if server is None or not (receivers or hidden):
        return ""
    port = config.whole("smtpport") or _SMTP_PORT
    user, password = take(config, "smtpusername"), take(config, "smtppassword")
    options = {
        "mode": _mail_mode(config, signs_in=bool(user)),
        "from": sender,
        "to": ",".join(receivers),
        **{key: ",".join(map(_mail_address, listed(copies[key]))) for key in hidden},
        "verify": "no" if config.flag("smtpignoretlserror") else "",
    }
    config.mapped("smtpignoretlserror", "url")
    scheme = "mailto" if options["mode"] == "insecure" else "mailtos"
    # Without a name to sign in with Apprise would make one up of the sender's.
    sign_in = (user, password) if user else ()
    options["smtp"] = server.host
    return joined(scheme, f"{server.host}:{port}", sign_in=sign_in, options=options)


def _mail_mode(config: Table, *, signs_in: bool) -> str:
    if config.flag("smtpsecure") or config.flag("smtpignorestarttls"):
        config.mapped("smtpsecure", "url")
        config.mapped("smtpignorestarttls", "url")
        return "ssl" if config.flag("smtpsecure") else "insecure"
    mode, how = nearest_mode(signs_in=signs_in)
    config.settled("smtpsecure", how)
    config.mapped("smtpignorestarttls", "url")
    return mode


def _mail_address(text: str) -> str:
    """The address alone of one that has a name before it."""
    found = _ADDRESS.search(text)
    return found[1] if found else text.strip()


def _webhook(config: Table) -> str:
    server = server_at(take(config, "webhookurl"))
    if server is None or server.scheme not in {"http", "https"}:
        return ""
    is_form = config.text("webhookcontenttype") == "form-data"
    config.approximated("webhookcontenttype", _OTHER_BODY)
    config.unsupported("webhookcustombody", _OTHER_BODY)
    method = take(config, "httpmethod").upper()
    options = {"method": method if method == "GET" else "POST"}
    config.mapped("webhookadditionalheaders", "url")
    for name, value in config.table("webhookadditionalheaders").items():
        options[f"+{name}"] = value if isinstance(value, str) else json.dumps(value)
    # Whatever else the address asks for is sent along, marked as Apprise wants it.
    for part in server.query.split("&"):
        name, _, text = part.partition("=")
        if name:
            options[f"-{name}"] = text
    scheme = ("form" if is_form else "json") + ("s" if server.is_tls else "")
    sign_in = (server.user, server.password) if server.user else ()
    return joined(scheme, server.authority, server.path, sign_in=sign_in, options=options)


def _pager_duty(config: Table) -> str:
    key = take(config, "pagerdutyintegrationkey")
    region = "eu" if "//events.eu." in take(config, "pagerdutyintegrationurl") else "us"
    severity = take(config, "pagerdutypriority")
    options = {"region": region, "severity": severity}
    # Apprise wants a second key for the older interface, which is not used with this one.
    return key and joined("pagerduty", "UptimeDesktop", sign_in=(key,), options=options)


def _opsgenie(config: Table) -> str:
    key, region = take(config, "opsgenieapikey"), take(config, "opsgenieregion")
    level = config.whole("opsgeniepriority") or 3
    config.mapped("opsgeniepriority", "url")
    options = {"region": region if region == "eu" else "us", "priority": f"p{level}"}
    return key and joined("opsgenie", key, options=options)


def _splunk(config: Table) -> str:
    address = take(config, "splunkresturl")
    return address if _VICTOR_OPS.fullmatch(address) else ""


def _pager_tree(config: Table) -> str:
    found = _PAGER_TREE.fullmatch(take(config, "pagertreeintegrationurl"))
    return joined("pagertree", found[1]) if found else ""


def _go_alert(config: Table) -> str:
    server, token = server_at(take(config, "goalertbaseurl")), take(config, "goalerttoken")
    if server is None or not token:
        return ""
    scheme = "goalerts" if server.is_tls else "goalert"
    return joined(scheme, server.authority, server.path, token)


def _twilio(config: Table) -> str:
    if config.text("twilioapikey"):
        raise CannotBe(Sentence("Apprise signs in with the account's own token only"))
    account, token = take(config, "twilioaccountsid"), take(config, "twilioauthtoken")
    sender, receiver = take(config, "twiliofromnumber"), take(config, "twiliotonumber")
    if not (account and token and sender and receiver):
        return ""
    return joined("twilio", sender, receiver, sign_in=(account, token))


def _elks(config: Table) -> str:
    user, password = take(config, "elksusername"), take(config, "elksauthtoken")
    receiver, sender = take(config, "elkstonumber"), take(config, "elksfromnumber")
    if not (user and password and receiver):
        return ""
    return joined("46elks", "", receiver, sign_in=(user, password), options={"from": sender})


def _click_send(config: Table) -> str:
    user, password = take(config, "clicksendsmslogin"), take(config, "clicksendsmspassword")
    receiver = take(config, "clicksendsmstonumber")
    if not (user and password and receiver):
        return ""
    return joined("clicksend", "", receiver, sign_in=(user, password))


def _free_mobile(config: Table) -> str:
    user, password = take(config, "freemobileuser"), take(config, "freemobilepass")
    return joined("freemobile", password, sign_in=(user,)) if user and password else ""


def _mail_service(scheme: str, prefix: str) -> Way:
    """One that is reached with a key, and told a sender and receivers."""

    def way(config: Table) -> str:
        key, sender = take(config, f"{prefix}apikey"), take(config, f"{prefix}fromemail")
        receivers = listed(take(config, f"{prefix}toemail"))
        user, at, host = _mail_address(sender).partition("@")
        if not (key and at and receivers):
            return ""
        return joined(scheme, host, *map(_mail_address, receivers), sign_in=(key, user))

    return way


SERVICES: Final[dict[str, Way]] = {
    "46elks": _elks,
    "Elks": _elks,
    "FreeMobile": _free_mobile,
    "GoAlert": _go_alert,
    "Opsgenie": _opsgenie,
    "PagerDuty": _pager_duty,
    "PagerTree": _pager_tree,
    "SendGrid": _mail_service("sendgrid", "sendgrid"),
    "Splunk": _splunk,
    "brevo": _mail_service("brevo", "brevo"),
    "clicksendsms": _click_send,
    "smtp": _mail,
    "twilio": _twilio,
    "webhook": _webhook,
}
