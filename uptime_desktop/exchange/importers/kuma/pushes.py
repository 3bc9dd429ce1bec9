"""Messages to telephones and homes: Apprise URLs of Uptime Kuma's settings."""

from typing import Final

from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.gotify import NEXT_LOWER, step_of
from uptime_desktop.exchange.importers.kuma.addressing import joined, server_at
from uptime_desktop.exchange.importers.kuma.services import Way, require_reached, take
from uptime_desktop.exchange.importers.kuma.table import Table

_GOTIFY_USUAL: Final = 8
_NTFY_USUAL: Final = 4
_NTFY_MOST: Final = 5
_AS_OUTAGES: Final = Sentence("all messages have the priority that outages had")


def _apprise(config: Table) -> str:
    config.unsupported("title", Sentence("messages have the words of Uptime Desktop"))
    return take(config, "appriseurl")


def _gotify(config: Table) -> str:
    server, token = (
        server_at(take(config, "gotifyserverurl")),
        take(config, "gotifyapplicationtoken"),
    )
    if server is None or not token:
        return ""
    level = config.whole("gotifypriority") or _GOTIFY_USUAL
    kept = step_of(level)
    if kept == level:
        config.mapped("gotifypriority", "url")
    else:
        config.approximated("gotifypriority", NEXT_LOWER)
    scheme = "gotifys" if server.is_tls else "gotify"
    return joined(scheme, server.authority, server.path, token, options={"priority": str(kept)})


def _ntfy(config: Table) -> str:
    server, topic = server_at(take(config, "ntfyserverurl")), take(config, "ntfytopic")
    if server is None or not topic:
        return ""
    require_reached(server.path)
    sign_in, way = _ntfy_sign_in(config)
    if server.user:
        # What stands in an address counts for more than any header.
        sign_in, way = (server.user, server.password), "basic"
    options = {
        "priority": str(_ntfy_priority(config)),
        "auth": way,
        "avatar_url": take(config, "ntfyicon"),
        # Else Apprise would send to its own server what has no name of a host in it.
        "mode": "private",
    }
    scheme = "ntfy" if server.scheme == "http" else "ntfys"
    return joined(scheme, server.authority, topic, sign_in=sign_in, options=options)


def _ntfy_priority(config: Table) -> int:
    """That of an outage, which Uptime Kuma raises by one where none is set for it."""
    usual = config.whole("ntfypriority") or _NTFY_USUAL
    level = config.whole("ntfyprioritydown") or usual + 1
    kept = min(max(level, 1), _NTFY_MOST)
    if kept == usual:
        config.mapped("ntfypriority", "url")
    else:
        config.settled("ntfypriority", _AS_OUTAGES)
    config.mapped("ntfyprioritydown", "url")
    return kept


def _ntfy_sign_in(config: Table) -> tuple[tuple[str, ...], str]:
    user, password = config.text("ntfyusername"), config.text("ntfypassword")
    token, way = config.text("ntfyaccesstoken"), take(config, "ntfyauthenticationmethod")
    if way == "accessToken" and token:
        config.mapped("ntfyaccesstoken", "url")
        return (token,), "token"
    # Older versions had no method, only the two.
    if way in {"", "usernamePassword"} and user:
        config.mapped("ntfyusername", "url")
        config.mapped("ntfypassword", "url")
        return (user, password), "basic"
    return (), ""


def _pushover(config: Table) -> str:
    user, token = take(config, "pushoveruserkey"), take(config, "pushoverapptoken")
    if not (user and token):
        return ""
    options = {
        "priority": take(config, "pushoverpriority"),
        "sound": take(config, "pushoversounds"),
    }
    return joined("pover", token, take(config, "pushoverdevice"), sign_in=(user,), options=options)


def _bark(config: Table) -> str:
    server = server_at(take(config, "barkendpoint"))
    if server is None:
        return ""
    # To Apprise each part of the path is a telephone.
    before, _, device = server.path.rstrip("/").rpartition("/")
    if not device:
        return ""
    require_reached(before)
    options = {"group": take(config, "barkgroup"), "sound": take(config, "barksound")}
    scheme = "barks" if server.is_tls else "bark"
    config.mapped("apiversion", "url")
    return joined(scheme, server.authority, server.path, options=options)


def _home_assistant(config: Table) -> str:
    server, token = (
        server_at(take(config, "homeassistanturl")),
        take(config, "longlivedaccesstoken"),
    )
    if server is None or not token:
        return ""
    scheme = "hassios" if server.is_tls else "hassio"
    service = take(config, "notificationservice") or "notify"
    # Apprise takes the port for Home Assistant's own where none is written.
    port = server.port or (443 if server.is_tls else 80)
    host = f"[{server.host}]" if ":" in server.host else server.host
    options = {"accesstoken": token, "prefix": server.path.rstrip("/")}
    return joined(scheme, f"{host}:{port}", f"notify.{service}", options=options)


def _push_deer(config: Table) -> str:
    key, server = take(config, "pushdeerkey"), server_at(take(config, "pushdeerserver"))
    if not key:
        return ""
    if server is None:
        return joined("pushdeers", key)
    require_reached(server.path)
    scheme = "pushdeers" if server.is_tls else "pushdeer"
    return joined(scheme, server.authority, key)


def _keyed(scheme: str, name: str) -> Way:
    """One of which a single key is all there is to know."""

    def way(config: Table) -> str:
        key = take(config, name)
        return key and joined(scheme, key)

    return way


def _pushy(config: Table) -> str:
    key, device = take(config, "pushyapikey"), take(config, "pushytoken")
    return joined("pushy", key, f"@{device}") if key and device else ""


PUSHES: Final[dict[str, Way]] = {
    "Bark": _bark,
    "HomeAssistant": _home_assistant,
    "PushByTechulus": _keyed("push", "pushapikey"),
    "PushDeer": _push_deer,
    "PushPlus": _keyed("pushplus", "pushplussendkey"),
    "ServerChan": _keyed("schan", "serverchansendkey"),
    "SpugPush": _keyed("spugpush", "templatekey"),
    "apprise": _apprise,
    "gotify": _gotify,
    "ntfy": _ntfy,
    "pushbullet": _keyed("pbul", "pushbulletaccesstoken"),
    "pushover": _pushover,
    "pushy": _pushy,
}
