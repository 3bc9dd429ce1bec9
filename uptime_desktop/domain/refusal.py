"""The one error a person can cause: a value that cannot be used.

It keeps the words apart from the values, so that whoever shows it (a command line, a
dialog, a report about a file) translates the words and names the field its own way.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from difflib import get_close_matches

from uptime_desktop.domain.wording import Say, Sentence, duration_text, one_line

_SHOWN_CHARACTERS = 60
_ALIKE = 0.7
_PASSWORD = re.compile(r"(?<![^/\s@])[^/\s@:]*:[^/\s@]+@")


class Word(str):
    """A word of ours inside a message: translated, not quoted."""

    __slots__ = ()


class UserError(Exception):
    """Something a person can mend, said in one sentence."""

    def text(self, say: Say = str) -> str:
        """The sentence, on one line; `say` translates its words."""
        raise NotImplementedError

    def lines(self, say: Say = str) -> list[str]:
        """All there is to say, if that is more than a sentence."""
        return [self.text(say)]


class Told(Sentence):
    """What is wrong, as part of a sentence that can still be said in another language."""

    error: UserError
    __slots__ = ("error",)

    def __new__(cls, error: UserError) -> "Told":
        told = super().__new__(cls, "{text}", text=error.text())
        assert isinstance(told, cls)
        told.error = error
        return told

    def text(self, say: Say = str) -> str:
        return self.error.text(say)


class Refused(UserError, ValueError):
    """A value was refused: which field, what is wrong, what is allowed.

    `field` is the key a configuration file uses (`retry_delay`). `problem` and `allowed`
    are templates; `values` fills both. A `timedelta` is shown as a duration, a `Word`
    translated, any other `str` quoted, an `int` as it is.
    """

    def __init__(self, field: str, problem: str, allowed: str, **values: str | int | timedelta):
        super().__init__(field, problem, allowed)
        self.field = field
        self.problem = problem
        self.allowed = allowed
        self.values = values

    def text(self, say: Say = str) -> str:
        """What is wrong and what is allowed, on one line, without the field's name."""
        shown = {name: _shown(value, say) for name, value in self.values.items()}
        problem = say(self.problem).format(**shown)
        return say("{problem}. Allowed: {allowed}.").format(
            problem=problem, allowed=say(self.allowed).format(**shown)
        )

    def __str__(self) -> str:
        return f"{self.field}: {self.text()}"


def unknown_key(
    key: str, problem: str, known: Iterable[str], others: Iterable[str] = ()
) -> Refused:
    """A key that nothing is called, with those that look like it or, if none does, all there are;
    `others` are known elsewhere and only named if they look like it."""
    names = tuple(known)
    near = get_close_matches(key, (*names, *others), cutoff=_ALIKE)
    if near:
        return Refused(key, problem, "keys such as {near}", value=key, near=Word(", ".join(near)))
    return Refused(key, problem, "{names}", value=key, names=Word(", ".join(names)))


class Unable(UserError):
    """What was asked for is fine but could not be done, for a reason that is one sentence."""

    def __init__(self, sentence: Sentence):
        super().__init__(sentence)
        self.sentence = sentence

    def text(self, say: Say = str) -> str:
        return self.sentence.text(say)


class Decided(Unable):
    """It is not for whoever asked to change anything: something else decides."""


class RefusedElsewhere(Refused):
    """A refusal that another process put into words."""

    def __init__(self, field: str, sentence: str):
        super().__init__(field, sentence, "")

    def text(self, say: Say = str) -> str:  # noqa: ARG002 - it is already said
        return self.problem


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a file: where it stands, and what it is.

    `field` is the whole way to the key, as in `site.shop.monitor.home.every`.
    """

    line: int
    column: int
    field: str
    refused: Refused

    def text(self, say: Say = str) -> str:
        return say("{line}:{column}: {field}: {problem}").format(
            line=self.line, column=self.column, field=self.field, problem=self.refused.text(say)
        )


class RefusedFile(UserError):
    """A file was refused, with all that is wrong in it; of very much only how much more it is."""

    def __init__(self, name: str, problems: Sequence[Problem], more: int = 0):
        super().__init__(name, *problems)
        self.name = name
        self.problems = tuple(problems)
        self.more = more

    def lines(self, say: Say = str) -> list[str]:
        """What is wrong, a line each, beginning with where."""
        lines = [f"{self.name}:{problem.text(say)}" for problem in self.problems]
        if self.more:
            lines.append(say("And {n} more.").format(n=self.more))
        return lines

    def text(self, say: Say = str) -> str:
        """The first of it on one line, and how many more there are."""
        first, *more = self.lines(say)
        # The line that counts the rest is none itself.
        n = len(more) - 1 + self.more if self.more else len(more)
        return say("{first} And {n} more.").format(first=first, n=n) if n else first

    def __str__(self) -> str:
        return self.text()


class RefusedFileElsewhere(RefusedFile):
    """A file that another process refused and put into words."""

    def __init__(self, said: Sequence[str]):
        super().__init__("", ())
        self._said = list(said)

    def lines(self, say: Say = str) -> list[str]:  # noqa: ARG002 - it is already said
        return self._said


def require_between(field: str, value_ms: int, lowest_ms: int, highest_ms: int) -> None:
    """Refuse a duration outside its range, both ends allowed."""
    if lowest_ms <= value_ms <= highest_ms:
        return
    raise Refused(
        field,
        "{value} is too short" if value_ms < lowest_ms else "{value} is too long",
        "{lowest} to {highest}",
        value=timedelta(milliseconds=value_ms),
        lowest=timedelta(milliseconds=lowest_ms),
        highest=timedelta(milliseconds=highest_ms),
    )


def _shown(value: str | int | timedelta, say: Say) -> str:
    match value:
        case timedelta():
            return duration_text(value // timedelta(milliseconds=1), say)
        case Word():
            return say(value)
        case str():
            return _quoted(value)
        case _:
            return str(value)


def _quoted(text: str) -> str:
    """The text in quotes on one line: a password hidden, control characters escaped, cut when
    long."""
    text = _PASSWORD.sub("***@", text)
    return f"'{one_line(text, _SHOWN_CHARACTERS)}'"
