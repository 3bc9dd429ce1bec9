"""Sentences that can be said in another language, and durations in words.

`say` translates a template; left out, the words are English.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

Say = Callable[[str], str]


def one_line(text: str, most: int | None = None) -> str:
    """The text on one line as any screen can show it, cut where it is longer than `most`."""
    cut = text if most is None or len(text) <= most else text[:most] + "…"
    if cut.isprintable():
        return cut
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cut)


def words(text: str) -> str:
    """The text itself, marked for the catalogue: it is put into the reader's language later.

    Only needed where nothing else shows that the text is for people, as in a table of them.
    """
    return text


class Sentence(str):
    """A sentence in English that can still be said in another language.

    It remembers its template and what fills it, which may be sentences in their turn.
    """

    template: str
    values: dict[str, str | int]
    __slots__ = ("template", "values")

    def __new__(cls, template: str, **values: str | int) -> "Sentence":
        sentence = super().__new__(cls, template.format(**values))
        sentence.template = template
        sentence.values = values
        return sentence

    def text(self, say: Say = str) -> str:
        """The sentence, its words translated by `say`."""
        shown = {name: _retold(value, say) for name, value in self.values.items()}
        return say(self.template).format(**shown)


def _retold(value: str | int, say: Say) -> str | int:
    """The same in the language of `say`, if it is a sentence that can be told again."""
    return value.text(say) if isinstance(value, Sentence) else value


_UNITS: Final = (
    (86_400_000, words("{n} d")),
    (3_600_000, words("{n} h")),
    (60_000, words("{n} min")),
    (1_000, words("{n} s")),
)
_PAIRS: Final = (words("{n} d {rest} h"), words("{n} h {rest} min"), words("{n} min {rest} s"))
_NOW_MS: Final = 5_000


def duration_text(duration_ms: int, say: Say = str) -> str:
    """The exact duration in the largest unit that needs no fraction: `90 s`, `2 h`."""
    for unit_ms, template in _UNITS:
        if duration_ms and duration_ms % unit_ms == 0:
            return say(template).format(n=duration_ms // unit_ms)
    return say("{n} ms").format(n=duration_ms)


def rough_duration_text(duration_ms: int, say: Say = str) -> str:
    """The duration in its two largest units, cut off below: `7 min 54 s`, `2 h 05 min`."""
    for ((unit_ms, _), (lower_ms, _)), template in zip(pairwise(_UNITS), _PAIRS, strict=True):
        if duration_ms >= unit_ms:
            count, rest_ms = divmod(duration_ms, unit_ms)
            rest = rest_ms // lower_ms
            shown = f"{rest:02}" if lower_ms < 3_600_000 else str(rest)
            return say(template).format(n=count, rest=shown)
    return say("{n} s").format(n=duration_ms // 1_000)


_LOOKED_AT: Final = {
    "answers": words("answers"),
    "body": words("body"),
    "certificate": words("certificate"),
    "content-type": words("content type"),
    "fingerprint": words("fingerprint"),
    "grpc-status": words("gRPC status"),
    "header_match": words("header"),
    "health": words("health"),
    "json_query": words("JSON query"),
    "keyword": words("keyword"),
    "keyword_absent": words("unwanted keyword"),
    "latency": words("response time"),
    "loss": words("packets lost"),
    "message": words("message"),
    "regex": words("pattern"),
    "status": words("status"),
    "subprotocol": words("subprotocol"),
}
"""What an expectation is about, by its key; anything else is called by its own name."""


def unmet_text(what: str, expected: str, actual: str, say: Say = str) -> str:
    """An expectation and what was found: `status: expected 200-399, found 503`."""
    found = " ".join(actual.split()) or say("nothing")
    return say("{what}: expected {expected}, found {actual}").format(
        what=say(_LOOKED_AT.get(what, what)), expected=" ".join(expected.split()), actual=found
    )


def countdown_text(remaining_ms: int, say: Say = str) -> str:
    """How long until something happens: `in 41 s`, or `now` when it is as good as there."""
    if remaining_ms < _NOW_MS:
        return say("now")
    return say("in {duration}").format(duration=rough_duration_text(remaining_ms, say))
