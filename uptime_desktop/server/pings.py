"""What one request means, in the three dialects jobs already speak: Healthchecks pings, Uptime
Kuma pushes and Gatus external endpoints.

Pure: it knows neither sockets nor monitors nor the time. What a request claims is looked up by
whoever listens; what it is told then stands here too, as its clients expect it.
"""

import codecs
import re
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Final
from urllib.parse import parse_qsl, unquote

from uptime_desktop.domain.heartbeats import Ping, Signal
from uptime_desktop.domain.notation import go_duration_ms

BODY_LIMIT: Final = 10_000
"""How many bytes of a body are kept."""

_MOST_FIELDS: Final = 100
_LONGEST_SLUG: Final = 100
_HIGHEST_EXIT_CODE: Final = 255
_LONGEST_TOOK_MS: Final = 366 * 86_400_000.0

_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_ACTION: Final = r"start|fail|log|[0-9]+"
_BY_ID: Final = re.compile(rf"/({_UUID})(?:/({_ACTION})?)?")
_BY_SLUG: Final = re.compile(rf"/([A-Za-z0-9_-]+)/([A-Za-z0-9_-]+)(?:/({_ACTION}))?")
_PUSH: Final = re.compile(r"/api/push/([^/]+)/?")
_EXTERNAL: Final = re.compile(r"/api/v1/endpoints/([^/]+)/external")
_RUN_ID: Final = re.compile(_UUID, re.IGNORECASE)
_ORIGIN: Final = re.compile(r"https?://[^/?#]*", re.IGNORECASE)


class Dialect(StrEnum):
    HEALTHCHECKS = "healthchecks"
    KUMA = "kuma"
    GATUS = "gatus"


class Verdict(Enum):
    """What becomes of a request."""

    HEARD = auto()
    CREATED = auto()
    UNKNOWN = auto()
    UNPROVEN = auto()
    AMBIGUOUS = auto()
    MALFORMED = auto()
    WRONG_METHOD = auto()
    LIMITED = auto()
    UNAVAILABLE = auto()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a client is told. It never holds anything the client sent."""

    dialect: Dialect
    status: int
    text: str = ""
    allow: str = ""


@dataclass(frozen=True, slots=True)
class ById:
    ping_id: str


@dataclass(frozen=True, slots=True)
class BySlug:
    ping_key: str
    slug: str
    may_create: bool


@dataclass(frozen=True, slots=True)
class ByEndpoint:
    external_key: str
    token: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a request says, and about which job by its own claim.

    `complaint` is what the client is told instead, once its claim has proved right.
    """

    dialect: Dialect
    claim: ById | BySlug | ByEndpoint
    signal: Signal
    run_id: str = ""
    exit_code: int | None = None
    message: str = ""
    took_ms: float | None = None
    complaint: Answer | None = None

    def ping(self, at: int, body: str) -> Ping:
        return Ping(self.signal, at, self.run_id, self.exit_code, self.message, self.took_ms, body)


def read_request(method: str, target: str, authorization: str) -> Report | Answer:
    """The report a request makes, or what to answer to one that cannot be a report."""
    if not target.startswith("/") and (origin := _ORIGIN.match(target)):
        target = target[origin.end() :]
    path, _, query = target.partition("?")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError:
        return answer(Dialect.HEALTHCHECKS, Verdict.MALFORMED)
    fields = {name: _line(value) for name, value in pairs}
    if found := _PUSH.fullmatch(path):
        return _push(method, found[1], fields)
    if found := _EXTERNAL.fullmatch(path):
        return _external(method, unquote(found[1]).lower(), fields, authorization)
    if path.startswith("/ping/"):
        path = path.removeprefix("/ping")
    if found := _BY_ID.fullmatch(path):
        return _ping(method, ById(found[1]), found[2] or "", fields)
    if found := _BY_SLUG.fullmatch(path):
        slug = found[2]
        if slug != slug.lower() or len(slug) > _LONGEST_SLUG:
            return answer(Dialect.HEALTHCHECKS, Verdict.MALFORMED)
        claim = BySlug(found[1], slug, may_create=fields.get("create") == "1")
        return _ping(method, claim, found[3] or "", fields)
    return answer(Dialect.HEALTHCHECKS, Verdict.UNKNOWN)


def answer(dialect: Dialect, verdict: Verdict) -> Answer:
    """What clients of this dialect are told."""
    return _ANSWERS[dialect, verdict]


def body_text(kept: bytes, *, is_whole: bool) -> str:
    """The text of a body, of which a part may be all that was kept."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    # What was cut off in the middle of a character does not show as a broken one.
    return decoder.decode(kept, final=is_whole).replace("\0", "")


def _ping(
    method: str, claim: ById | BySlug, action: str, fields: dict[str, str]
) -> Report | Answer:
    if method not in ("HEAD", "GET", "POST"):
        return answer(Dialect.HEALTHCHECKS, Verdict.WRONG_METHOD)
    run_id = fields.get("rid")
    exit_code = int(action[:10]) if action.isdecimal() else None
    if (run_id is not None and not _RUN_ID.fullmatch(run_id)) or (
        exit_code is not None and exit_code > _HIGHEST_EXIT_CODE
    ):
        return answer(Dialect.HEALTHCHECKS, Verdict.MALFORMED)
    signal = _SIGNALS.get(action, Signal.FAIL if exit_code else Signal.SUCCESS)
    return Report(Dialect.HEALTHCHECKS, claim, signal, (run_id or "").lower(), exit_code)


def _push(method: str, token: str, fields: dict[str, str]) -> Report | Answer:
    if method not in ("HEAD", "GET", "POST"):
        return answer(Dialect.KUMA, Verdict.WRONG_METHOD)
    is_up = (fields.get("status") or "up") == "up"
    return Report(
        Dialect.KUMA,
        ById(token),
        Signal.SUCCESS if is_up else Signal.FAIL,
        message=fields.get("msg", ""),
        took_ms=_milliseconds(fields.get("ping", "")),
    )


def _external(method: str, key: str, fields: dict[str, str], authorization: str) -> Report | Answer:
    if method != "POST":
        return answer(Dialect.GATUS, Verdict.WRONG_METHOD)
    success = fields.get("success")
    if success not in ("true", "false"):
        return answer(Dialect.GATUS, Verdict.MALFORMED)
    if not authorization.startswith("Bearer "):
        return _NO_BEARER
    token = authorization.removeprefix("Bearer ").strip()
    if not token:
        return _EMPTY_BEARER
    took_ms, complaint = None, None
    if duration := fields.get("duration"):
        took_ms = go_duration_ms(duration)
        complaint = _BAD_DURATION if took_ms is None else None
    return Report(
        Dialect.GATUS,
        ByEndpoint(key, token),
        Signal.SUCCESS if success == "true" else Signal.FAIL,
        message=fields.get("error", "") if success == "false" else "",
        took_ms=took_ms if took_ms is not None and took_ms >= 0 else None,
        complaint=complaint,
    )


def _line(value: str) -> str:
    """A value on one line; bytes that are no text were carried along as half characters."""
    if not value.isascii():
        value = value.encode(errors="surrogateescape").decode(errors="replace")
    return " ".join(value.replace("\0", "").split())


def _milliseconds(text: str) -> float | None:
    """How long it took by a push; a number that cannot be is as good as none."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 < number <= _LONGEST_TOOK_MS else None


_SIGNALS: Final = {"start": Signal.START, "fail": Signal.FAIL, "log": Signal.LOG}

_ANSWERS: Final = {
    (dialect, verdict): Answer(dialect, status, text, allow)
    for dialect, verdict, status, text, allow in (
        (Dialect.HEALTHCHECKS, Verdict.HEARD, 200, "OK", ""),
        (Dialect.HEALTHCHECKS, Verdict.CREATED, 201, "Created", ""),
        (Dialect.HEALTHCHECKS, Verdict.UNKNOWN, 404, "not found", ""),
        (Dialect.HEALTHCHECKS, Verdict.AMBIGUOUS, 409, "ambiguous slug", ""),
        (Dialect.HEALTHCHECKS, Verdict.MALFORMED, 400, "invalid url format", ""),
        (Dialect.HEALTHCHECKS, Verdict.WRONG_METHOD, 405, "method not allowed", "HEAD, GET, POST"),
        (Dialect.HEALTHCHECKS, Verdict.LIMITED, 429, "rate limit exceeded", ""),
        (Dialect.HEALTHCHECKS, Verdict.UNAVAILABLE, 503, "temporarily unavailable", ""),
        (Dialect.KUMA, Verdict.HEARD, 200, '{"ok":true}', ""),
        (
            Dialect.KUMA,
            Verdict.UNKNOWN,
            404,
            '{"ok":false,"msg":"Monitor not found or not active."}',
            "",
        ),
        (
            Dialect.KUMA,
            Verdict.WRONG_METHOD,
            405,
            '{"ok":false,"msg":"method not allowed"}',
            "HEAD, GET, POST",
        ),
        (Dialect.KUMA, Verdict.LIMITED, 429, '{"ok":false,"msg":"rate limit exceeded"}', ""),
        (Dialect.GATUS, Verdict.HEARD, 200, "", ""),
        (Dialect.GATUS, Verdict.UNKNOWN, 404, "not found", ""),
        (Dialect.GATUS, Verdict.UNPROVEN, 401, "invalid token", ""),
        (
            Dialect.GATUS,
            Verdict.MALFORMED,
            400,
            "missing or invalid success query parameter",
            "",
        ),
        (Dialect.GATUS, Verdict.WRONG_METHOD, 405, "method not allowed", "POST"),
        (Dialect.GATUS, Verdict.LIMITED, 429, "rate limit exceeded", ""),
    )
}
_NO_BEARER: Final = Answer(Dialect.GATUS, 401, "invalid Authorization header")
_EMPTY_BEARER: Final = Answer(Dialect.GATUS, 401, "bearer token must not be empty")
_BAD_DURATION: Final = Answer(Dialect.GATUS, 400, "invalid duration")
