"""What the conditions of one endpoint come to in the settings of our kinds of check."""

from collections.abc import Callable, Sequence
from math import ceil
from typing import Final, NamedTuple

from uptime_desktop.checks.http.json_query import parse_json_query
from uptime_desktop.checks.http.patterns import parse_pattern
from uptime_desktop.domain.model import DAY_MS, MAX_TIMEOUT_MS, Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.gatus.conditions import Condition, parse_condition
from uptime_desktop.exchange.importers.gatus.globs import affix_of, pattern_of
from uptime_desktop.exchange.importers.gatus.pages import pattern_of_page
from uptime_desktop.exchange.importers.gatus.queries import queries_of
from uptime_desktop.exchange.importers.gatus.status_codes import ALL_CODES, meeting, ranges
from uptime_desktop.exchange.importers.patterns import literal
from uptime_desktop.exchange.report import NOTHING_LIKE_IT, Fate

_HEALTHY: Final = "SERVING"
_MOST_DAYS: Final = 3_650
_MOST_CHARACTERS: Final = 4_096
_MOST_LINES: Final = 50
_NO_ERROR: Final = "NOERROR"
_RCODES: Final = frozenset({_NO_ERROR, "NXDOMAIN", "SERVFAIL", "REFUSED"})
# What they come to depends on what all others demand.
_LAST: Final = ("[DNS_RCODE]", "[CONNECTED]")
_NAMES_ONLY: Final = frozenset({"A", "AAAA", "CNAME", "NS", "PTR"})
_WITH_CERTIFICATE: Final = frozenset({"http", "tls", "websocket", "grpc"})
_SLOW: Final = Sentence("a slower response counts as degraded, not as down")
_EXPIRING: Final = Sentence("fewer days left count as degraded, not as down")
_CONTAINED: Final = Sentence("it is enough that the answer contains it")
_ANY_MESSAGE: Final = Sentence("it may be in any of the first messages, not only in the first")
_ANY_ANSWER: Final = Sentence("it may be any of the answers, not only the last")
_COUNTED: Final = Sentence("a page is counted in characters, a list by its commas")
_ALSO_NOERROR: Final = Sentence("the answer must have the response code NOERROR and a record, too")
_ALSO_A_RECORD: Final = Sentence("there must be a record, too")
_NO_SUCH_RCODES: Final = Sentence(
    "response codes cannot be demanded in this way; the monitor is paused"
)
_NO_MESSAGE: Final = Sentence("a ping must be answered; no message is waited for")
_NO_ANSWER: Final = Sentence("no answer is waited for")
_SERVING: Final = Sentence("the service must say that it serves, too")
_GREETING: Final = Sentence("only the greeting of the server is looked at")
_SAYS_NOTHING: Final = Sentence("it says nothing about the answer")
_TOO_LONG: Final = Sentence("it is too long")
_TOO_LARGE: Final = Sentence("there is no number as large")
_TOO_MANY: Final = Sentence("there are too many of them")
_ONE_ONLY: Final = Sentence("only one such expectation can be kept")
_NEGATED: Final = Sentence("what must not match cannot be a pattern")
_NO_CERTIFICATE: Final = Sentence("there is no certificate here")
_UNVERIFIED: Final = Sentence("the days left are looked at only if the certificate is verified")
EXPECTS_FAILURE: Final = Sentence("it expects the connection to fail")
_EXPECTS_ILLNESS: Final = Sentence("it expects the service not to serve")
_EXPECTS_ERROR: Final = Sentence("it expects the name server to answer with an error")


class Became(NamedTuple):
    """What became of one condition; `is_against` says that what it wants is a failure to us. With
    `must_pause` it is left, and without it there would be false alarms."""

    fate: Fate
    how: str
    is_against: bool = False
    must_pause: bool = False


def _unsupported(why: Sentence = NOTHING_LIKE_IT) -> Became:
    return Became(Fate.UNSUPPORTED, why)


class Expectations:
    """The settings so far. `record_type` is that of a dns check; `sends` if there is something to
    be answered."""

    def __init__(
        self,
        kind: str,
        *,
        has_certificate: bool,
        is_verified: bool = True,
        record_type: str = "",
        sends: bool = False,
    ) -> None:
        self._kind = kind
        self._has_certificate = has_certificate and kind in _WITH_CERTIFICATE
        self._is_verified = is_verified
        self._record_type = record_type
        self._sends = sends
        self._demands_health = False
        self._codes = set(ALL_CODES)
        self._latency_ms: int | None = None
        self._days = 0
        self._settings: dict[str, Setting] = {}
        self._lines: dict[str, list[str]] = {}
        self._headers: dict[str, str] = {}
        self._placeholders: dict[str, Callable[[Condition], Became]] = {
            "STATUS": self._status,
            "CONNECTED": self._connected,
            "RESPONSE_TIME": self._response_time,
            "CERTIFICATE_EXPIRATION": self._certificate,
            "DNS_RCODE": self._rcode,
            "HEADER": self._header,
            "BODY": self._body,
        }

    def take_all(self, texts: Sequence[str]) -> list[Became]:
        """What became of each."""
        turns = {at: _turn(text) for at, text in enumerate(texts)}
        became = {at: self._take(texts[at]) for at in sorted(turns, key=turns.__getitem__)}
        return [became[at] for at in turns]

    def _take(self, text: str) -> Became:
        if len(text) > _MOST_CHARACTERS:
            return _unsupported(_TOO_LONG)
        condition = parse_condition(text)
        if condition is None or not condition.left.placeholder:
            return _unsupported(_SAYS_NOTHING)
        if condition.is_too_large:
            return _unsupported(_TOO_LARGE)
        understood = self._placeholders.get(condition.left.placeholder)
        try:
            return _unsupported() if understood is None else understood(condition)
        except Refused as refused:
            return _unsupported(Sentence("{reason}", reason=refused.text()))

    def settings(self) -> dict[str, Setting]:
        found = dict(self._settings)
        found |= {key: tuple(lines) for key, lines in self._lines.items() if lines}
        if self._headers:
            found["header_match"] = dict(self._headers)
        if self._kind == "http":
            found["accepted_codes"] = tuple(ranges(self._codes))
        if self._kind in _WITH_CERTIFICATE:
            found["certificate_days"] = self._days
        if self._latency_ms is not None:
            found["latency_threshold"] = f"{self._latency_ms}ms"
        return found

    def _status(self, condition: Condition) -> Became:
        if self._kind == "ssh":
            # The command went well.
            is_success = condition.operator == "==" and condition.right.text == "0"
            return Became(Fate.APPROXIMATED, _GREETING) if is_success else _unsupported()
        if self._kind != "http" or condition.left.function or condition.right.placeholder:
            return _unsupported()
        left = meeting(self._codes, condition)
        if not left:
            return Became(Fate.UNSUPPORTED, EXPECTS_FAILURE, is_against=True)
        self._codes = left
        return Became(Fate.MAPPED, "accepted_codes")

    def _connected(self, condition: Condition) -> Became:
        is_equal = condition.operator == "=="
        if condition.operator not in ("==", "!=") or condition.right.text not in ("true", "false"):
            return _unsupported()
        if (condition.right.text == "true") != is_equal:
            return Became(Fate.UNSUPPORTED, EXPECTS_FAILURE, is_against=True)
        demanded = {*self._settings, *self._lines}
        if self._kind == "dns" and demanded.isdisjoint({"expected_rcode", "expected"}):
            return Became(Fate.APPROXIMATED, _ALSO_NOERROR)
        differs = self._connected_differently() if "expect" not in self._settings else None
        return (
            Became(Fate.MAPPED, "kind") if differs is None else Became(Fate.APPROXIMATED, differs)
        )

    def _connected_differently(self) -> Sentence | None:
        match self._kind:
            case "websocket":
                return _NO_MESSAGE
            case "tcp" if self._sends:
                return _NO_ANSWER
            case "ssh":
                return _GREETING
            case "grpc" if not self._demands_health:
                return _SERVING
        return None

    def _response_time(self, condition: Condition) -> Became:
        most = int(condition.right.number)
        if condition.operator not in ("<", "<=") or most < 1 or condition.right.placeholder:
            return _unsupported()
        most = min(most, MAX_TIMEOUT_MS)
        self._latency_ms = most if self._latency_ms is None else min(most, self._latency_ms)
        return Became(Fate.APPROXIMATED, _SLOW)

    def _certificate(self, condition: Condition) -> Became:
        if not self._has_certificate:
            return _unsupported(_NO_CERTIFICATE)
        if self._kind == "http" and not self._is_verified:
            return _unsupported(_UNVERIFIED)
        least = condition.right.number
        if condition.operator not in (">", ">=") or least <= 0 or condition.right.placeholder:
            return _unsupported()
        self._days = max(self._days, min(ceil(least / DAY_MS), _MOST_DAYS))
        return Became(Fate.APPROXIMATED, _EXPIRING)

    def _rcode(self, condition: Condition) -> Became:
        left, sign, right = condition
        if self._kind != "dns":
            return _unsupported()
        wanted = right.choices or [right.text]
        is_plain = not left.function and not right.placeholder and right.glob is None
        if sign == "!=" and is_plain:
            return self._other_rcode(wanted)
        if sign != "==" or not is_plain or len(wanted) > 1 or wanted[0] not in _RCODES:
            return Became(Fate.UNSUPPORTED, _NO_SUCH_RCODES, must_pause=True)
        self._settings["expected_rcode"] = wanted[0]
        if wanted[0] == _NO_ERROR and "expected" not in self._lines:
            return Became(Fate.APPROXIMATED, _ALSO_A_RECORD)
        return Became(Fate.MAPPED, "expected_rcode")

    def _other_rcode(self, unwanted: list[str]) -> Became:
        """One that is none of these."""
        demanded = self._settings.get("expected_rcode", _NO_ERROR)
        if demanded in unwanted:
            return Became(Fate.UNSUPPORTED, _EXPECTS_ERROR, is_against=True)
        if demanded != _NO_ERROR:
            return Became(Fate.MAPPED, "expected_rcode")
        return Became(Fate.APPROXIMATED, _ALSO_NOERROR)

    def _header(self, condition: Condition) -> Became:
        name, right = condition.left.path, condition.right
        is_there = condition.left.function == "has" and right.text == "true"
        if self._kind != "http" or not name or right.placeholder or condition.operator != "==":
            return _unsupported(_NEGATED if condition.operator == "!=" else NOTHING_LIKE_IT)
        if condition.left.function and not is_there:
            return _unsupported()
        if name.lower() in map(str.lower, self._headers):
            return _unsupported(_ONE_ONLY)
        pattern = "(?s)^.*$" if is_there else _pattern(condition)
        if pattern is None:
            return _unsupported()
        parse_pattern("header_match", pattern)
        self._headers[name] = pattern
        return Became(Fate.MAPPED, "header_match")

    def _body(self, condition: Condition) -> Became:
        match self._kind:
            case "http":
                return self._page(condition)
            case "tcp" | "websocket":
                return self._message(condition)
            case "dns":
                return self._answer(condition)
            case "grpc":
                return self._health(condition)
        return _unsupported()

    def _health(self, condition: Condition) -> Became:
        left, sign, right = condition
        is_plain = not left.function and not right.placeholder and right.glob is None
        if left.path != "status" or sign not in ("==", "!=") or not is_plain:
            return _unsupported()
        if (_HEALTHY in (right.choices or [right.text])) != (sign == "=="):
            return Became(Fate.UNSUPPORTED, _EXPECTS_ILLNESS, is_against=True)
        if right.choices is not None or sign == "!=":
            return Became(Fate.APPROXIMATED, _SERVING)
        self._demands_health = True
        return Became(Fate.MAPPED, "kind")

    def _page(self, condition: Condition) -> Became:
        left, sign, right = condition
        is_whole = not left.path and not left.function and not right.placeholder
        if is_whole and sign in ("==", "!="):
            return self._text(condition)
        if (pattern := pattern_of_page(condition)) is not None:
            became = self._matching(pattern)
            is_near = left.function == "len" and became.fate is Fate.MAPPED
            return Became(Fate.APPROXIMATED, _COUNTED) if is_near else became
        asked = queries_of(condition)
        if asked is None:
            return _unsupported()
        kept = self._lines.setdefault("json_query", [])
        if len(kept) + len(asked.lines) > _MOST_LINES:
            return _unsupported(_TOO_MANY)
        for line in asked.lines:
            parse_json_query("json_query", line)
        kept += asked.lines
        if asked.differs is not None:
            return Became(Fate.APPROXIMATED, asked.differs)
        return Became(Fate.MAPPED, "json_query")

    def _text(self, condition: Condition) -> Became:
        """What the whole body is like."""
        key = "keyword" if condition.operator == "==" else "keyword_absent"
        affix = affix_of(condition.right.glob or "")
        if affix is not None and affix.where == "has" and affix.text and key not in self._settings:
            self._settings[key] = affix.text
            return Became(Fate.MAPPED, key)
        if condition.operator == "!=":
            return _unsupported(_NEGATED)
        pattern = _pattern(condition, r"\s*")
        return _unsupported() if pattern is None else self._matching(pattern)

    def _matching(self, pattern: str) -> Became:
        kept = self._lines.setdefault("regex", [])
        if len(kept) >= _MOST_LINES:
            return _unsupported(_TOO_MANY)
        parse_pattern("regex", pattern)
        kept.append(pattern)
        return Became(Fate.MAPPED, "regex")

    def _message(self, condition: Condition) -> Became:
        left, sign, right = condition
        is_plain = not left.path and not left.function and not right.placeholder
        if sign != "==" or not is_plain or right.choices is not None:
            return _unsupported()
        if "expect" in self._settings:
            return _unsupported(_ONE_ONLY)
        affix = affix_of(right.glob) if right.glob is not None else None
        text = right.text if right.glob is None else affix.text if affix else ""
        if not text:
            return _unsupported()
        escaped = text if self._kind == "websocket" else text.replace("\\", "\\\\")
        self._settings["expect"] = escaped
        if affix is None or affix.where != "has":
            return Became(Fate.APPROXIMATED, _CONTAINED)
        if self._kind == "websocket":
            return Became(Fate.APPROXIMATED, _ANY_MESSAGE)
        return Became(Fate.MAPPED, "expect")

    def _answer(self, condition: Condition) -> Became:
        left, sign, right = condition
        is_plain = not left.path and not left.function and not right.placeholder
        is_exact = right.glob is None and right.choices is None
        can_be = self._record_type in _NAMES_ONLY
        if sign != "==" or not is_plain or not is_exact or not right.text or not can_be:
            return _unsupported()
        self._lines.setdefault("expected", []).append(right.text)
        return Became(Fate.APPROXIMATED, _ANY_ANSWER)


def _turn(text: str) -> int:
    return next((at for at, last in enumerate(_LAST, 1) if last in text.upper()), 0)


def _pattern(condition: Condition, around: str = "") -> str | None:
    """The regular expression for the right side, of which there may be a choice."""
    right = condition.right
    if right.glob is not None:
        return pattern_of(right.glob, around)
    texts = right.choices if right.choices is not None else [right.text]
    return f"(?s)^{around}(?:{'|'.join(map(literal, texts))}){around}$"
