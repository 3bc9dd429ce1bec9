"""What became of every field of another program's file: nothing is left out in silence."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from uptime_desktop.checks.redaction import HIDDEN, is_secret_name, shown_url
from uptime_desktop.domain.wording import Sentence, one_line, words

_SHOWN_CHARACTERS: Final = 200
_READ_CHARACTERS: Final = 1_000
NOTHING_LIKE_IT: Final = Sentence("Uptime Desktop has nothing like it")
NOT_IN_USE: Final = Sentence("it was not in use")


class Fate(StrEnum):
    """Of what asks for nothing it is only said that it was not in use."""

    MAPPED = words("mapped")
    APPROXIMATED = words("approximated")
    UNSUPPORTED = words("not supported")
    UNUSED = words("not in use")


@dataclass(frozen=True, slots=True)
class Line:
    """What became of one field, or of all that is under it.

    `thing` is what people know it as (a monitor's name), `path` where it stands in the source, as
    in `monitorList[0].interval`, and `place` where all of the thing does, as in `monitorList[0]`:
    several may have one name. `how` is the key that has it now, or a sentence.
    """

    thing: str
    path: str
    value: str
    fate: Fate
    how: str
    place: str = ""


class Report:
    """The lines so far, in the order of the source."""

    def __init__(self) -> None:
        self.lines: list[Line] = []

    def note(
        self, thing: str, path: str, value: object, fate: Fate, how: str, place: str = ""
    ) -> None:
        if how == NOT_IN_USE:
            fate = Fate.UNUSED
        self.lines.append(Line(thing, path, _shown(path, value), fate, how, place))

    def lost(self, program: str) -> dict[str, str]:
        """Why nothing at all came of a thing, by what people know it as; what is the program's own
        is none. Where others have the same name, it is said where it stands."""
        things: dict[tuple[str, str], list[Line]] = {}
        found: dict[str, str] = {}
        for line in self.lines:
            if not line.thing or (line.thing == program and not line.place):
                continue
            if line.path:
                things.setdefault((line.thing, line.place), []).append(line)
            elif line.fate is Fate.UNSUPPORTED:
                # It is about the thing as a whole, whatever came of its parts.
                found[line.thing] = line.how
        named = Counter(thing for thing, _ in things)
        for (thing, place), lines in things.items():
            if any(line.fate not in (Fate.UNSUPPORTED, Fate.UNUSED) for line in lines):
                continue
            is_clear = named[thing] == 1 and thing != program
            for line in lines:
                if line.fate is Fate.UNSUPPORTED:
                    found[thing if is_clear else f"{thing} ({place})"] = line.how
        return found


class Fields:
    """One table of the source, each field of which must be accounted for.

    Every way to take a value out says what becomes of it; `finish` reports what nobody took.
    """

    def __init__(
        self,
        report: Report,
        thing: str,
        path: str,
        table: Mapping[str, object],
        place: str = "",
    ) -> None:
        self.thing = thing
        self.place = place or path
        self._report = report
        self._path = path
        self._table = table
        self._done: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._table

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def peek(self, key: str) -> object:
        """The value, with nothing said about it yet; None if there is none."""
        return self._table.get(key)

    def mapped(self, key: str, to: str) -> object:
        """The value, which is ours under the key `to` with the same meaning."""
        return self._take(key, Fate.MAPPED, to)

    def approximated(self, key: str, how: Sentence) -> object:
        """The value, which means nearly the same with us; `how` says the difference."""
        return self._take(key, Fate.APPROXIMATED, how)

    def unsupported(self, key: str, why: Sentence = NOTHING_LIKE_IT) -> object:
        return self._take(key, Fate.UNSUPPORTED, why)

    def inside(self, key: str, table: Mapping[str, object], at: int | None = None) -> "Fields":
        """A table under a key (the one `at` this place, if it is a list), to account for itself."""
        self._done.add(key)
        place = key if at is None else f"{key}[{at}]"
        return Fields(self._report, self.thing, self.path(place), table, self.place)

    def path(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def note(self, key: str, value: object, fate: Fate, how: str) -> None:
        """Say what became of a part of a field, `key` being as in `conditions[0]`."""
        self._done.add(key.partition("[")[0].partition(".")[0])
        self._report.note(self.thing, self.path(key), value, fate, how, self.place)

    def finish(self) -> None:
        """Report what nobody asked for as not supported."""
        for key in self._table:
            self.unsupported(key)

    def _take(self, key: str, fate: Fate, how: str) -> object:
        value = self._table.get(key)
        if key in self._table and key not in self._done:
            self._done.add(key)
            self._report.note(self.thing, self.path(key), value, fate, how, self.place)
        return value


def _shown(path: str, value: object) -> str:
    """The value as anyone may see it, on one line."""
    is_told = value is None or value == "" or isinstance(value, bool)
    if is_secret_name(path.rpartition(".")[2]) and not is_told:
        return HIDDEN
    # To hide what is secret takes long in a long text, of which little is shown anyway.
    text = shown_url(_text(value)[:_READ_CHARACTERS])
    return one_line(text, _SHOWN_CHARACTERS)


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case list() | tuple():
            return ", ".join(str(one) for one in value[:_SHOWN_CHARACTERS])
        case _:
            return str(value)
