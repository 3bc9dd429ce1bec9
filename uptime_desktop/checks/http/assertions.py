"""What a page must be like besides its status code, and what it is instead: pure."""

import gc
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from uptime_desktop.checks.failure import sentence
from uptime_desktop.checks.http.json_query import CannotAnswer, JsonQuery, answer_text
from uptime_desktop.checks.http.patterns import Pattern
from uptime_desktop.checks.redaction import HIDDEN, is_secret_name, without

MOST_SHOWN: Final = 200
_MOST_IN_REASON: Final = 60
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

Shown = Callable[[str], str]
"""The beginning of a text without any secret of ours."""


class Miss(NamedTuple):
    """An expectation that was not met: the sentence people read, and its two sides."""

    reason: str
    what: str
    expected: str
    actual: str


class Page(NamedTuple):
    """Headers, and the body as it was read; `is_cut` says that there may be more of it.

    `undecoded` is a compression that we do not know.
    """

    headers: list[tuple[str, str]]
    data: bytes | bytearray
    charset: str
    undecoded: str
    is_cut: bool

    @property
    def size(self) -> int:
        return len(self.data) + sum(len(value) for _, value in self.headers)


class Unreadable(Exception):
    """Not the JSON that queries need; the words say why."""


@dataclass(frozen=True, slots=True)
class Expectations:
    """All of them are looked at, whichever of them are not met."""

    keyword: str = ""
    keyword_absent: str = ""
    patterns: tuple[Pattern, ...] = ()
    queries: tuple[JsonQuery, ...] = ()
    headers: tuple[tuple[str, Pattern], ...] = ()

    @property
    def are_any(self) -> bool:
        return bool(self.headers) or self.concern_body

    @property
    def concern_body(self) -> bool:
        return bool(self.keyword or self.keyword_absent or self.patterns or self.queries)


def shown_part(text: str, secrets: tuple[str, ...]) -> str:
    """The beginning of a text without control characters, the secrets, or the beginning of one.

    The longest secret is the first.
    """
    longest = len(secrets[0]) if secrets else 0
    reach = MOST_SHOWN + longest
    part = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", without(text[:reach], secrets))
    # Where the text goes on, a secret may have been cut in two and not been recognised.
    return part if len(text) <= reach else part[: max(len(part) - longest, 0)] + "…"


def missed(expected: Expectations, page: Page, shown: Shown) -> list[Miss]:
    """Takes as long as the page is long: off the loop, unless it is short."""
    misses = _missed_in_headers(expected, page, shown)
    if not expected.concern_body:
        return misses
    if page.undecoded:
        how = shown(page.undecoded)
        reason = sentence("the body is compressed as {how}, unreadable here", how=how)
        return [*misses, Miss(reason, "body", "gzip, deflate", how)]
    return misses + _missed_in_body(expected, page, shown)


def _missed_in_headers(expected: Expectations, page: Page, shown: Shown) -> list[Miss]:
    received = [(name.lower(), value) for name, value in page.headers]
    misses = []
    for name, pattern in expected.headers:
        values = [value for key, value in received if key == name.lower()]
        if any(pattern.is_in(value.encode("utf-8", "replace")) for value in values):
            continue
        is_secret = is_secret_name(name)
        wanted = HIDDEN if is_secret else shown(pattern.text)
        if values:
            reason = sentence(
                "header {name} does not match '{pattern}'", name=name, pattern=_short(wanted)
            )
        else:
            reason = sentence("there is no header {name}", name=name)
        actual = HIDDEN if is_secret and values else shown(", ".join(values))
        misses.append(Miss(reason, "header_match", f"{name}: {wanted}", actual))
    return misses


def _missed_in_body(expected: Expectations, page: Page, shown: Shown) -> list[Miss]:
    text = page.data.decode(page.charset, "replace")
    misses = []
    if expected.keyword and expected.keyword not in text:
        wanted = shown(expected.keyword)
        reason = sentence("keyword '{keyword}' not found", keyword=_short(wanted))
        misses.append(Miss(reason, "keyword", wanted, shown(text)))
    if expected.keyword_absent and expected.keyword_absent in text:
        banned = shown(expected.keyword_absent)
        reason = sentence("keyword '{keyword}' found, which must be absent", keyword=_short(banned))
        misses.append(Miss(reason, "keyword_absent", f"≠ {banned}", banned))
    if expected.patterns:
        data = text.encode("utf-8", "replace")
        for pattern in expected.patterns:
            if not pattern.is_in(data):
                wanted = shown(pattern.text)
                reason = sentence("pattern '{pattern}' not found", pattern=_short(wanted))
                misses.append(Miss(reason, "regex", wanted, shown(text)))
    return misses + _missed_in_json(expected.queries, page, text, shown)


def _missed_in_json(
    queries: tuple[JsonQuery, ...], page: Page, text: str, shown: Shown
) -> list[Miss]:
    if not queries:
        return []
    try:
        document = _document(page, text)
    except Unreadable as unreadable:
        return [Miss(str(unreadable), "json_query", "JSON", shown(text))]
    return [miss for query in queries if (miss := _missed_by(query, document, shown))]


def _document(page: Page, text: str) -> object:
    # 10 ms that a program without such queries never pays.
    import msgspec  # noqa: PLC0415

    data = page.data if page.charset == "utf-8" else text.encode("utf-8", "replace")
    # All threads wait for the decoder, thrice as long if each list it makes may start a collection.
    collects = gc.isenabled()
    gc.disable()
    try:
        return msgspec.json.decode(data.removeprefix(_BYTE_ORDER_MARK))
    except RecursionError:
        raise Unreadable(sentence("the JSON is nested too deeply")) from None
    except msgspec.DecodeError as error:
        if page.is_cut:
            most = len(page.data)
            cut = sentence("the JSON goes on after the {most} bytes that are read", most=most)
            raise Unreadable(cut) from None
        why = str(error).removeprefix("JSON is malformed: ")
        raise Unreadable(sentence("the page is not JSON: {why}", why=why)) from None
    finally:
        if collects:
            gc.enable()


def _missed_by(query: JsonQuery, document: object, shown: Shown) -> Miss | None:
    is_secret = is_secret_name(query.query)
    wanted = query.operator + " " + HIDDEN if is_secret else shown(query.expected)
    asked = shown(query.query)
    try:
        answer = query.answer(document)
        if query.holds(answer):
            return None
        found = HIDDEN if is_secret and answer is not None else shown(answer_text(answer))
        reason = sentence(
            "JSON {query} is {found}, expected {wanted}",
            query=_short(asked),
            found=_short(found),
            wanted=_short(wanted),
        )
    except CannotAnswer as error:
        found = HIDDEN if is_secret else shown(str(error))
        reason = sentence(
            "JSON {query} has no answer: {why}", query=_short(asked), why=_short(found)
        )
    return Miss(reason, "json_query", f"{asked} {wanted}", found)


def _short(text: str) -> str:
    """As a sentence can hold it, on one line."""
    text = " ".join(text.split())
    return text if len(text) <= _MOST_IN_REASON else text[:_MOST_IN_REASON] + "…"
