"""One table of Uptime Kuma, whichever way its keys are spelt: as JSON has them, or as columns.

`retryInterval` and `retry_interval` are both `retryinterval` here.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from uptime_desktop.checks.redaction import HIDDEN
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.report import NOT_IN_USE, NOTHING_LIKE_IT, Fate, Fields, Report

MOST_TABLES: Final = 20_000
MOST_FIELDS: Final = 2_000_000
"""Of all tables of one sort together: each makes a line of the report."""
_MOST_KEYS: Final = 1_000
_MOST: Final = 10.0**12
_ALIASES: Final = {"acceptedstatuscodesjson": "acceptedstatuscodes"}
_EMPTY_JSON: Final = frozenset({"[]", "{}", "null"})
_SHOWN: Final = frozenset(
    "acceptedstatuscodes authmethod color createddate cron daysofmonth description "
    "dnsresolveserver dnsresolvetype dockercontainer enddate endtime game grpcmethod "
    "grpcservicename host hostname httpbodyencoding ipfamily jsonpath jsonpathoperator keyword "
    "laststartdate method mqttchecktype name path pathname protocol smtpsecurity snmpversion "
    "startdate starttime strategy timezone title type url value weekdays wssubprotocol".split()
)
"""The texts that hold no secret, or only one that can be told from the rest. All others may."""


class Table:
    """What is first said of a value holds; `finish` reports it all, in the order of the source."""

    def __init__(
        self,
        report: Report,
        thing: str,
        path: str,
        table: Mapping[str, object],
        place: str = "",
    ) -> None:
        require_few(path, len(table))
        self._report = report
        self._fields = Fields(report, thing, path, table, place)
        self._table = table
        self._keys = {plain(key): key for key in table}
        self._said: dict[str, tuple[Fate, str]] = {}
        self._inside: dict[str, list[Table]] = {}
        self._missing: dict[str, Sentence] = {}
        self._refused: Sentence | None = None

    def __contains__(self, name: str) -> bool:
        return name in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def value(self, name: str) -> object:
        key = self._keys.get(name)
        return None if key is None else self._table[key]

    def text(self, name: str) -> str:
        """The text, or the number as one; empty for anything else."""
        value = self.value(name)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return ""
        return str(value).strip()

    def number(self, name: str) -> float | None:
        value = self.value(name)
        if isinstance(value, bool):
            return None
        try:
            number = float(value) if isinstance(value, str | int | float) else math.nan
        except (ValueError, OverflowError):
            return None
        return number if abs(number) <= _MOST else None

    def whole(self, name: str) -> int | None:
        number = self.number(name)
        return None if number is None else int(number)

    def flag(self, name: str) -> bool:
        value = self.value(name)
        return value in ("1", "true") if isinstance(value, str) else bool(value)

    def parsed(self, name: str) -> object:
        """What is there, or what the JSON says that is there as a text; None if it is none."""
        value = self.value(name)
        return value if not isinstance(value, str) else json_in(value)

    def table(self, name: str) -> Mapping[str, object]:
        """The object that is there, in itself or as JSON; an empty one for anything else."""
        found = self.parsed(name)
        return found if isinstance(found, dict) else {}

    def is_unused(self, name: str) -> bool:
        value = self.value(name)
        return not value or (isinstance(value, str) and value.strip() in _EMPTY_JSON | {"", "0"})

    def call(self, thing: str) -> None:
        """Have the report speak of it by this name."""
        self._fields.thing = thing

    def mapped(self, name: str, to: str) -> None:
        self._said.setdefault(name, (Fate.MAPPED, to))

    def approximated(self, name: str, how: Sentence) -> None:
        self._said.setdefault(name, (Fate.APPROXIMATED, how))

    def settled(self, name: str, how: Sentence) -> None:
        """Something had to be chosen, be it that the field says nothing or is not even there."""
        if name in self._keys:
            self.approximated(name, how)
        else:
            self._missing[name] = how

    def unsupported(self, name: str, why: Sentence = NOTHING_LIKE_IT) -> None:
        self._said.setdefault(name, (Fate.UNSUPPORTED, self._why(name, why)))

    def refuse(self, why: Sentence) -> None:
        """Nothing becomes of any of it, whatever was said before."""
        self._refused = why

    def inside(self, name: str, place: str, table: Mapping[str, object]) -> "Table":
        """A table under a key, at a place such as `[0]`, reported in its turn."""
        path = self._fields.path(self._keys[name] + place)
        fields = self._fields
        found = Table(self._report, fields.thing, path, table, fields.place)
        known = self._inside.setdefault(name, [])
        known.append(found)
        require_few(path, len(known))
        return found

    def finish(self, why: Sentence = NOTHING_LIKE_IT) -> None:
        """Report everything; `why` is there nothing like what nobody spoke of."""
        for name, key in self._keys.items():
            fate, how = self._said.get(name, (Fate.UNSUPPORTED, self._why(name, why)))
            if self._refused is not None:
                fate, how = Fate.UNSUPPORTED, self._why(name, self._refused)
            self._fields.note(key, _shown(name, self._table[key]), fate, how)
            for inner in self._inside.get(name, ()) if self._refused is None else ():
                inner.finish(why)
        for name, how in self._missing.items() if self._refused is None else ():
            self._fields.note(name, "", Fate.APPROXIMATED, how)

    def _why(self, name: str, why: Sentence) -> Sentence:
        return NOT_IN_USE if self.is_unused(name) else why


def require_few(path: str, count: int, most: int = _MOST_KEYS) -> None:
    """Refuse what nobody has that many of."""
    if count > most:
        problem = "there is too much in {value}"
        raise Refused("file", problem, "up to {n}", value=path, n=most)


def _shown(name: str, value: object) -> object:
    """What may be seen of a value; of a list or an object that may hold secrets, its size."""
    if name in _SHOWN or not value or isinstance(value, bool | int | float):
        return value
    return len(value) if isinstance(value, list | dict) else HIDDEN


def plain(key: str) -> str:
    name = key.replace("_", "").lower()
    return _ALIASES.get(name, name)


def json_in(text: str) -> object:
    """What a text says as JSON; None where it is none."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
