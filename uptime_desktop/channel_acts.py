"""Acts on alert channels by their names, with JSON in and JSON out, as in `operations`."""

from collections.abc import Awaitable, Callable
from typing import Final

from uptime_desktop.app import App
from uptime_desktop.domain.alerts import DESKTOP, Channel
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.views import Answer, Arguments


async def _listing(app: App, _: Arguments) -> Answer:
    return {"channels": [_view(app, channel) for channel in app.channels.known]}


async def _add(app: App, arguments: Arguments) -> Answer:
    """Send alerts to one more place; its address is kept as a secret."""
    if arguments.get("allow_secret_file"):
        app.agree_to_secret_file()
    name, url = str(arguments.get("name", "")), str(arguments.get("url", ""))
    given = arguments.get("id")
    added = await app.channels.add(name, url, None if given is None else str(given))
    return _view(app, added)


async def _switch(app: App, arguments: Arguments) -> Answer:
    changed = await app.channels.edit(_id(arguments), is_on=bool(arguments.get("on")))
    return _view(app, changed)


async def _remove(app: App, arguments: Arguments) -> Answer:
    await app.channels.remove(_id(arguments))
    return {"id": _id(arguments), "status": "removed"}


async def _test(app: App, arguments: Arguments) -> Answer:
    await app.test_channel(_id(arguments))
    return {"id": _id(arguments), "sent": True}


ACTS: Final[dict[str, Callable[[App, Arguments], Awaitable[Answer]]]] = {
    "channels": _listing,
    "channel_add": _add,
    "channel_switch": _switch,
    "channel_remove": _remove,
    "channel_test": _test,
}


def _id(arguments: Arguments) -> str:
    if "channel" not in arguments:
        raise Refused("channel", "it is missing", "the id of a channel, or desktop")
    return str(arguments["channel"]) or DESKTOP


def _view(app: App, channel: Channel) -> Answer:
    """Without its address: that is a secret."""
    return {
        "id": channel.id,
        "name": channel.name,
        "is_on": channel.is_on,
        "problem": app.channel_faults.get(channel.id),
    }
