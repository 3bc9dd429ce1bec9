"""How what a file declares differs from what is stored, where that takes more than its keys."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeVar

from uptime_desktop.checks.credentials import secret_names
from uptime_desktop.config import Settings, describe_settings
from uptime_desktop.domain.alerts import Channel
from uptime_desktop.domain.model import Monitor, Setting
from uptime_desktop.exchange.declared.described import described_monitor, described_settings
from uptime_desktop.exchange.declared.difference import Act, Difference, KeyChange, Keys, What

_MADE_UP: Final = ("ping_id", "anchor")
"""Keys of which one is made up where a file does not say it."""

_Thing = TypeVar("_Thing")


def described_all(
    describe: Callable[[_Thing], dict[str, Setting]], things: Mapping[str, _Thing]
) -> dict[str, dict[str, Setting]]:
    return {name: describe(thing) for name, thing in things.items()}


def declared_monitor(monitor: Monitor, written: Keys, before: Keys) -> dict[str, Setting]:
    """As a file declares it: what is made up because nobody says it is no difference."""
    keys = described_monitor(monitor)
    return {
        key: value
        for key, value in keys.items()
        if key in written or key in before or key not in _MADE_UP
    }


def setting_differences(before: Settings, after: Settings) -> Iterator[Difference]:
    old, new = describe_settings(before), describe_settings(after)
    said = described_settings(after)
    for key, text in new.items():
        if text != old[key]:
            act = Act.CHANGED if key in said else Act.REMOVED
            yield Difference(act, What.SETTING, key, (KeyChange(key, old[key], text),))


def secret_difference(monitor: Monitor, fresh: Iterable[str]) -> Difference:
    """That a secret is another one, by the keys that refer to it."""
    wanted = set(fresh)
    keys = [
        KeyChange(key, value, value)
        for key, value in monitor.settings.items()
        if wanted & set(secret_names({key: value}))
    ]
    return Difference(Act.CHANGED, What.MONITOR, monitor.id, tuple(keys))


def address_difference(channel: Channel) -> Difference:
    """That a channel has another address, which is a secret."""
    return Difference(
        Act.CHANGED, What.CHANNEL, channel.id, (KeyChange("url", channel.url, channel.url),)
    )
