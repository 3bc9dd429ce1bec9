"""How what a file declares differs from what is stored, where that takes more than its keys."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, TypeVar

from uptime_desktop.checks.credentials import secret_names
from uptime_desktop.config import Settings, describe_settings
from uptime_desktop.domain.definition import What
from uptime_desktop.domain.model import Keys, Monitor, Setting
from uptime_desktop.exchange.declared.described import described_monitor, described_settings
from uptime_desktop.exchange.declared.difference import Act, Difference, KeyChange

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


def secret_changes(monitor: Monitor, fresh: Iterable[str]) -> tuple[KeyChange, ...]:
    """The keys that refer to secrets that are others now."""
    wanted = set(fresh)
    return tuple(
        KeyChange(key, value, value)
        for key, value in monitor.settings.items()
        if wanted & set(secret_names({key: value}))
    )


def with_secrets(
    what: What, differences: Iterable[Difference], hidden: Mapping[str, tuple[KeyChange, ...]]
) -> Iterator[Difference]:
    """The differences, with what is another secret of things that there were before."""
    told = set()
    for one in differences:
        told.add(one.id)
        keys = {change.key for change in one.keys}
        more = [change for change in hidden.get(one.id, ()) if change.key not in keys]
        yield replace(one, keys=(*one.keys, *more)) if more else one
    for thing_id, changes in hidden.items():
        if thing_id not in told:
            yield Difference(Act.CHANGED, what, thing_id, changes)
