"""What code that is not ours answers, made sound: of the right types, bounded, fit to be kept."""

import math
import re
from dataclasses import dataclass
from typing import Final, NoReturn

from uptime_desktop.checks.redaction import without
from uptime_desktop.domain.model import Evidence, Outcome, Unmet
from uptime_desktop.domain.status import Status

_STATUSES: Final = (Status.UP, Status.DEGRADED, Status.DOWN, Status.UNKNOWN)
_MOST_CHARACTERS: Final = 1_000
_MOST_OF_A_BODY: Final = 2_048
_MOST_READ: Final = 65_536
_MOST_ENTRIES: Final = 100
_BREAK: Final = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
_UNFIT: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def line(text: str, secrets: tuple[str, ...] = ()) -> str:
    """A text as one line, without what would drive a terminal or could not be stored."""
    return _fit(_BREAK.sub(" ", without(text[:_MOST_READ], secrets)), _MOST_CHARACTERS)


def sound(answer: object, secrets: tuple[str, ...]) -> Outcome:
    """The outcome that was answered, without these; a `TypeError` says what is wrong with it."""
    if not isinstance(answer, Outcome):
        raise TypeError(f"it answered {type(answer).__name__}, not an Outcome")
    status: object = answer.status
    if not isinstance(status, str) or status not in _STATUSES:
        _refuse("status", status)
    reader = _Reader(secrets)
    return Outcome(
        Status(status),
        reader.line("reason", answer.reason),
        None if answer.response_ms is None else _spent_ms("response_ms", answer.response_ms),
        evidence=None if answer.evidence is None else reader.evidence(answer.evidence),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads texts; secrets go before anything is cut, for half of one is a secret too."""

    secrets: tuple[str, ...]

    def evidence(self, seen: object) -> Evidence:
        if not isinstance(seen, Evidence):
            _refuse("evidence", seen)
        return Evidence(
            tuple(
                (self.line("timings_ms", phase), _spent_ms("timings_ms", spent))
                for phase, spent in _pairs("timings_ms", seen.timings_ms)
            ),
            self.line("address", seen.address),
            self.line("status_line", seen.status_line),
            tuple(
                (self.line("headers", name), self.line("headers", value))
                for name, value in _pairs("headers", seen.headers)
            ),
            self.body(seen.body),
            self.line("certificate", seen.certificate),
            self.line("repeat_with", seen.repeat_with),
            tuple(map(self.unmet, _entries("unmet", seen.unmet))),
        )

    def unmet(self, one: object) -> Unmet:
        if not isinstance(one, Unmet):
            _refuse("unmet", one)
        return Unmet(*(self.line("unmet", text) for text in (one.what, one.expected, one.actual)))

    def line(self, what: str, given: object) -> str:
        return line(given, self.secrets) if isinstance(given, str) else _refuse(what, given)

    def body(self, given: object) -> str:
        if not isinstance(given, str):
            _refuse("body", given)
        text = without(given[:_MOST_READ], self.secrets).replace("\r\n", "\n")
        return _fit(text, _MOST_OF_A_BODY)


def _fit(text: str, most: int) -> str:
    return _UNFIT.sub("\ufffd", text[:most])


def _spent_ms(what: str, given: object) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        _refuse(what, given)
    spent_ms = float(given)
    return spent_ms if math.isfinite(spent_ms) and spent_ms >= 0 else _refuse(what, given)


def _entries(what: str, given: object) -> list[object]:
    if not isinstance(given, tuple | list):
        _refuse(what, given)
    return list(given[:_MOST_ENTRIES])


def _pairs(what: str, given: object) -> list[tuple[object, object]]:
    pairs: list[tuple[object, object]] = []
    for entry in _entries(what, given):
        if not isinstance(entry, tuple | list) or len(entry) != 2:
            _refuse(what, entry)
        pairs.append((entry[0], entry[1]))
    return pairs


def _refuse(what: str, given: object) -> NoReturn:
    raise TypeError(f"it answered with a wrong {what}, {ascii(given)[:100]}")
