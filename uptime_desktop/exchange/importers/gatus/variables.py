"""Variables of the environment in a Gatus file: which text names them, and what they stand for.

Gatus puts their values into the file before it reads it, `$$` standing for a plain `$`. Here the
names survive the reading: many settings of ours can refer to a variable themselves, and none of
the values may come to be seen in a report. A value is always text, never more YAML.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Final, NamedTuple
from urllib.parse import quote

from uptime_desktop.checks.redaction import without
from uptime_desktop.domain.refusal import Refused

# As Go expands them: a name in braces, a name of letters, or one of the shell's own.
_DOLLAR: Final = re.compile(r"\$(?:\$|\{([^}]*)\}|\{|([*#@!?0-9-]|[A-Za-z_][A-Za-z0-9_]*))")
_REFERABLE: Final = re.compile(r"[A-Za-z_][^{}$\s]{0,199}")
_STORED: Final = "secret:"
_PRIVATE: Final = range(0xE000, 0xF900)
_HIDEABLE: Final = 4
_MOST_VARIABLES: Final = 20_000


class Variable(NamedTuple):
    name: str


Part = str | Variable


class Written(str):
    """A text as it stands in the file; `parts` are what it is made of."""

    parts: tuple[Part, ...]
    __slots__ = ("parts",)

    def __new__(cls, text: str, parts: Iterable[Part]) -> "Written":
        written = super().__new__(cls, text)
        written.parts = tuple(parts)
        return written


class Marking:
    """Keeps variables through the reading of YAML, whose marks may stand in their names.

    Each becomes its number between two characters that the file does not have.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        used = set().union(*texts)
        free = list(islice((chr(code) for code in _PRIVATE if chr(code) not in used), 2))
        if len(free) < 2:
            problem = "it uses all characters that have no meaning"
            raise Refused("file", problem, "a Gatus configuration")
        self._open, self._close = free
        self._found: list[tuple[str, Part]] = []
        self._mark = re.compile(f"{self._open}([0-9]+){self._close}")

    def marked(self, text: str) -> str:
        return _DOLLAR.sub(self._numbered, text)

    def written(self, text: str) -> str:
        """A text that was read, with its variables known."""
        if self._open not in text:
            return text
        shown, parts = [], []
        for at, piece in enumerate(self._mark.split(text)):
            if at % 2:
                as_written, part = self._found[int(piece)]
                shown.append(as_written)
                parts.append(part)
            elif piece:
                shown.append(piece)
                parts.append(piece)
        return Written("".join(shown), parts)

    def _numbered(self, match: re.Match[str]) -> str:
        if len(self._found) >= _MOST_VARIABLES:
            raise Refused("file", "it names too many variables", "up to {n}", n=_MOST_VARIABLES)
        name = match[1] or match[2]
        part: Part = Variable(name) if name else "$" if match[0] == "$$" else ""
        self._found.append((match[0], part))
        return f"{self._open}{len(self._found) - 1}{self._close}"


class Variables:
    """What the names stand for; one that is not set is empty, as in Gatus."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._told: set[str] = set()
        self.used: set[str] = set()
        """The names of all whose values go somewhere."""

    def expanded(self, text: str) -> str:
        """The text with the values in it."""
        return _joined(text, self._value)

    def referring(self, text: str) -> str:
        """The text for a setting of ours that may refer to variables itself."""
        if not isinstance(text, Written) and "${" not in text:
            return text
        # A reference to a stored secret is ours, not one that a file from elsewhere may make.
        return _joined(text, self._reference, lambda plain: plain.replace("${", "$${"))

    def in_address(self, text: str, safe: str = "") -> str:
        """The text as a part of an address; a variable stays one where its value needs no care."""

        def part(name: str) -> str:
            value = self._environ.get(name, "")
            is_plain = quote(value, safe=safe) == value
            return self._reference(name) if is_plain else quote(self._value(name), safe=safe)

        return _joined(text, part, lambda plain: quote(plain, safe=safe))

    def replaced(self, text: str, result: str) -> bool:
        """Whether a text named variables that are not named any more in what became of it."""
        return any(f"${{{name}}}" not in result for name in names_in(text))

    def hidden(self, text: str) -> str:
        """A text in which no value that was put in anywhere can be read."""
        return without(text, sorted(self._told, key=len, reverse=True))

    def _value(self, name: str) -> str:
        self.used.add(name)
        value = self._environ.get(name, "")
        if len(value) >= _HIDEABLE:
            self._told.add(value)
        return value

    def _reference(self, name: str) -> str:
        if not _REFERABLE.fullmatch(name) or name.startswith(_STORED):
            return self._value(name)
        self.used.add(name)
        return f"${{{name}}}"


def names_in(text: object) -> list[str]:
    """The names of the variables in a text."""
    parts = text.parts if isinstance(text, Written) else ()
    return [part.name for part in parts if isinstance(part, Variable)]


def is_one_variable(text: object) -> bool:
    return isinstance(text, Written) and len(text.parts) == len(names_in(text)) == 1


def _joined(
    text: str, value: Callable[[str], str], plain: Callable[[str], str] = lambda text: text
) -> str:
    parts: tuple[Part, ...] = text.parts if isinstance(text, Written) else (text,)
    joined: list[str] = []
    run = ""
    for part in parts:
        if isinstance(part, Variable):
            joined += [plain(run), value(part.name)]
            run = ""
        else:
            # Together, or a `$` and the brace after it would be seen apart.
            run += part
    return "".join([*joined, plain(run)])
