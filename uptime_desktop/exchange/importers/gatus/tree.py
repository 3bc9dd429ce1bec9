"""Makes tables, lists and texts of YAML, of which anyone may have written any amount.

Scalars stay text, for Gatus decides by the field what a text means; only nothing at all is None.
What an alias stands for is shared, not copied, and counted as often as it is used.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import yaml

from uptime_desktop.domain.refusal import Refused, Word
from uptime_desktop.domain.wording import words
from uptime_desktop.exchange.importers.gatus.variables import Marking
from uptime_desktop.exchange.reading import MOST_BYTES

MOST_NODES: Final = 300_000
_DEEPEST: Final = 50
_NOTHING: Final = frozenset({"", "~", "null", "Null", "NULL"})
_MERGE: Final = "<<"

Table = dict[str, object]


@dataclass(frozen=True, slots=True)
class Grown:
    """A value with all that is in it; `height` is how deeply that is nested."""

    value: object
    nodes: int = 1
    characters: int = 0
    height: int = 0


class _Open:
    """A table or list that is still being read."""

    def __init__(self, value: Table | list[object], anchor: str | None) -> None:
        self.value = value
        self.anchor = anchor
        self.nodes, self.characters, self.height = 1, 0, 0
        self.key: str | None = None
        self.merged: list[Table] = []


def grown(name: str, text: str, marking: Marking) -> Grown:
    """The one document in a text."""
    try:
        return _Growing(name, marking).all_of(yaml.parse(marking.marked(text), yaml.CSafeLoader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = 0 if mark is None else mark.line + 1
        reason = Word(str(getattr(error, "problem", "") or "?"))
        problem = "{value} is not YAML: {reason} in line {n}"
        raise Refused("file", problem, "a whole file", value=name, reason=reason, n=line) from error


def too_many(name: str) -> Refused:
    problem = "{value} holds too much, with all that its aliases stand for"
    return Refused("file", problem, "up to {n} values", value=name, n=MOST_NODES)


class _Growing:
    def __init__(self, name: str, marking: Marking) -> None:
        self._name = name
        self._marking = marking
        self._open: list[_Open] = []
        self._anchored: dict[str, Grown | None] = {}
        self._root: Grown | None = None

    def all_of(self, events: Iterator[yaml.Event]) -> Grown:
        for event in events:
            match event:
                case yaml.ScalarEvent():
                    self._keep(self._scalar(event), event.anchor)
                case yaml.AliasEvent():
                    self._keep(self._aliased(event.anchor or ""), None)
                case yaml.MappingStartEvent():
                    self._begin({}, event.anchor)
                case yaml.SequenceStartEvent():
                    self._begin([], event.anchor)
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    self._end()
                case _:
                    continue
        return self._root or Grown(None)

    def _begin(self, value: Table | list[object], anchor: str | None) -> None:
        if len(self._open) >= _DEEPEST:
            raise self._refused(words("{value} is nested too deeply"))
        if self._open and isinstance(self._open[-1].value, dict) and self._open[-1].key is None:
            raise self._refused(words("{value} has a table or list in the place of a name"))
        if anchor is not None:
            self._anchored[anchor] = None
        self._open.append(_Open(value, anchor))

    def _end(self) -> None:
        done = self._open.pop()
        if isinstance(done.value, dict):
            for table in done.merged:
                for key, value in table.items():
                    done.value.setdefault(key, value)
        whole = Grown(done.value, done.nodes, done.characters, done.height + 1)
        self._keep(whole, done.anchor)

    def _scalar(self, event: yaml.ScalarEvent) -> Grown:
        text = self._marking.written(event.value)
        is_plain = not event.style and event.tag is None
        is_nothing = is_plain and text in _NOTHING
        return Grown(None if is_nothing else text, characters=len(text))

    def _aliased(self, anchor: str) -> Grown:
        if anchor not in self._anchored:
            raise self._refused(words("{value} has an alias of nothing"))
        found = self._anchored[anchor]
        if found is None:
            raise self._refused(words("{value} has an alias of what it is in itself"))
        return found

    def _keep(self, found: Grown, anchor: str | None) -> None:
        if anchor is not None:
            self._anchored[anchor] = found
        if not self._open:
            if self._root is not None:
                raise self._refused(words("{value} has more than one document"))
            self._root = found
            return
        place = self._open[-1]
        place.nodes += found.nodes
        place.characters += found.characters
        place.height = max(place.height, found.height)
        if place.nodes > MOST_NODES or place.characters > MOST_BYTES:
            raise too_many(self._name)
        if len(self._open) + found.height > _DEEPEST:
            raise self._refused(words("{value} is nested too deeply"))
        if isinstance(place.value, list):
            place.value.append(found.value)
        elif place.key is None:
            place.key = self._key(found.value)
        else:
            self._put(place, place.value, place.key, found.value)
            place.key = None

    def _put(self, place: _Open, table: Table, key: str, value: object) -> None:
        if key == _MERGE:
            for one in value if isinstance(value, list) else [value]:
                if not isinstance(one, dict):
                    raise self._refused(words("{value} merges something that is no table"))
                place.merged.append(one)
        elif key in table:
            problem = "{value} has {key} twice in one table"
            allowed = "each name once"
            raise Refused("file", problem, allowed, value=self._name, key=key)
        else:
            table[key] = value

    def _key(self, found: object) -> str:
        if found is None:
            return "null"
        if not isinstance(found, str):
            raise self._refused(words("{value} has a table or list in the place of a name"))
        return found

    def _refused(self, problem: str) -> Refused:
        return Refused("file", problem, "a Gatus configuration", value=self._name)
