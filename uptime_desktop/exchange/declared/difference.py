"""What differs between two configurations, thing by thing and key by key."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from uptime_desktop.domain.definition import What
from uptime_desktop.domain.model import Keys, Setting

Things = Mapping[str, Keys]
"""By their ids, each as its keys describe it."""


class Act(StrEnum):
    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


class KeyChange(NamedTuple):
    """Of a secret both sides are what refers to it; what it was is not told."""

    key: str
    before: Setting | None
    after: Setting | None


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is to become another. What is added has no keys before, what is removed none
    after."""

    act: Act
    what: What
    id: str
    keys: tuple[KeyChange, ...]


def compared(what: What, before: Things, after: Things) -> Iterator[Difference]:
    """What is to be added, changed and removed, in the order in which it is named."""
    for thing_id, keys in after.items():
        old = before.get(thing_id)
        if old is None:
            yield Difference(Act.ADDED, what, thing_id, changes_of({}, keys))
        elif old != keys:
            yield Difference(Act.CHANGED, what, thing_id, changes_of(old, keys))
    for thing_id, keys in before.items():
        if thing_id not in after:
            yield Difference(Act.REMOVED, what, thing_id, changes_of(keys, {}))


def changes_of(before: Keys, after: Keys) -> tuple[KeyChange, ...]:
    if not before:
        return tuple([KeyChange(key, None, value) for key, value in after.items()])
    return tuple(
        KeyChange(key, before.get(key), after.get(key))
        for key in dict.fromkeys((*after, *before))
        if before.get(key) != after.get(key)
    )
