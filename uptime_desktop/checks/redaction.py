"""What may be shown: secrets are hidden before anything is stored, logged or sent."""

import base64
import json
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar, Final
from urllib.parse import quote, unquote_plus

from uptime_desktop.domain.model import Evidence, Outcome, Setting, Unmet

HIDDEN: Final = "***"
_SHORTEST_SECRET: Final = 4
_SECRET_WORDS: Final = (
    r"auth(?!or\b|enticate)|cookie|credential|passw|passphrase|pwd|secret|session|signature|token"
    r"|(?:api|access|private)[-_]?key|(?<![a-z])(?:key|pass|sig)(?![a-z])"
)
_SECRET_NAME: Final = re.compile(_SECRET_WORDS, re.IGNORECASE)
_PAIR: Final = re.compile(
    r"""([\w.-]{1,80})["']?\s*[:=]\s*(?:"([^"]+)"|'([^']+)'|([^\s"'&,;<>}\]]+))"""
)
_PASSWORD: Final = re.compile(r"(?<=://)([^/?#\s@:]*:)([^/?#\s@]+)(?=@)")
_USERINFO: Final = re.compile(r"(?<=://)[^/?#\s]*@")
_BEARER: Final = re.compile(r"\b(bearer(?:\s|%20|\+)+)([\w.~+/-]{8,}=*)", re.IGNORECASE)
# As people write them, hyphens and all; a token is longer, or has digits or letters mixed.
_ORDINARY: Final = re.compile(r"(?:[A-Z]?[a-z]{1,20}|[A-Z]{1,20})(?:[._/-][A-Z]?[a-z]{0,20})*=?")
_QUERY_VALUE: Final = re.compile(r"([?&;])([^=?&;#\s]+)=([^&;#\s]+)")


@lru_cache(maxsize=1_000)
def is_secret_name(name: str) -> bool:
    """Whether a header or parameter of this name carries a secret."""
    return _SECRET_NAME.search(name) is not None


def looks_secret(text: str) -> bool:
    """Whether a text, such as a request's body, speaks of passwords and the like."""
    return _SECRET_NAME.search(text) is not None


def shown_url(text: str) -> str:
    """Any text with the user, password and secret parameters of the URLs in it hidden, and what
    was sent after `Bearer`."""
    if "@" in text:
        text = _USERINFO.sub(HIDDEN + "@", text)
    if "earer" in text or "EARER" in text:
        text = _BEARER.sub(_shown_bearer, text)
    return _QUERY_VALUE.sub(_shown_parameter, text) if "=" in text else text


def shown_header(name: str, value: str, secrets: Iterable[str] = ()) -> tuple[str, str]:
    """A header as evidence keeps it."""
    if is_secret_name(name):
        return name, HIDDEN
    return name, without(shown_url(value), secrets)


def secrets_in(headers: Iterable[tuple[str, str]], *others: str) -> tuple[str, ...]:
    """The texts a server might send back to us and that must not be kept, longest first."""
    found = set(others)
    for name, value in headers:
        if is_secret_name(name):
            found.add(value)
            scheme, _, credentials = value.partition(" ")
            if scheme.isalpha():
                found.add(credentials.strip())
    return tuple(
        sorted((secret for secret in found if len(secret) >= _SHORTEST_SECRET), key=len)[::-1]
    )


def without(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        # What holds none stays the sentence it is, and can still be translated.
        if secret in text:
            text = text.replace(secret, HIDDEN)
    return text


class Filled(str):
    """A text that a secret or variable was put into in place of its name; `secrets` are those."""

    secrets: tuple[str, ...]
    __slots__ = ("secrets",)

    def __new__(cls, text: str, secrets: Iterable[str]) -> "Filled":
        filled = super().__new__(cls, text)
        filled.secrets = tuple(secrets)
        return filled


def filled_in(settings: Mapping[str, Setting | None]) -> tuple[str, ...]:
    """What was put into these settings in place of names, as it may come back, longest first."""
    found: set[str] = set()
    for value in settings.values():
        for text in texts_in(value):
            if isinstance(text, Filled):
                found.update(form for secret in text.secrets for form in _forms_of(secret))
    return secrets_in((), *found) if found else ()


def texts_in(value: Setting | None) -> Collection[str]:
    """Every text that a setting is made of, but the names of a table."""
    match value:
        case None | int():
            return ()
        case str():
            return (value,)
        case tuple() | list():
            return value
        case _:
            return value.values()


def _forms_of(secret: str) -> set[str]:
    """A secret as an address, a shell or a server's JSON writes it, alone and after `Bearer`."""
    scheme, _, credentials = secret.partition(" ")
    plain = {secret, secret.strip(), credentials.strip() if scheme.isalpha() else ""}
    written = {
        form
        for text in plain
        for form in (quote(text), quote(text, safe=""), unquote_plus(text), json.dumps(text)[1:-1])
    }
    return plain | written | {shlex.quote(text)[1:-1] for text in plain if "'" in text}


def redacted_outcome(outcome: Outcome, secrets: Collection[str]) -> Outcome:
    """The outcome of any kind of check, with nothing in it that holds one of these."""
    if not secrets:
        return outcome
    seen = outcome.evidence
    return replace(
        outcome,
        reason=without(outcome.reason, secrets),
        evidence=None if seen is None else redacted_evidence(seen, secrets),
    )


def redacted_evidence(seen: Evidence, secrets: Collection[str]) -> Evidence:
    def hidden(text: str) -> str:
        return without(text, secrets)

    return replace(
        seen,
        address=hidden(seen.address),
        status_line=hidden(seen.status_line),
        headers=tuple((name, hidden(value)) for name, value in seen.headers),
        body=hidden(seen.body),
        certificate=hidden(seen.certificate),
        repeat_with=hidden(seen.repeat_with),
        unmet=tuple(
            Unmet(hidden(one.what), hidden(one.expected), hidden(one.actual)) for one in seen.unmet
        ),
    )


def secrets_in_text(text: str) -> set[str]:
    """What stands under the names of secrets in a text, such as JSON or a form, and the text
    itself if it speaks of any: a server may send back all of it or a part."""
    if not looks_secret(text):
        return set()
    found = {text}
    for match in _PAIR.finditer(text):
        if is_secret_name(match[1]):
            found.add(match[2] or match[3] or match[4])
    return found | {unquote_plus(secret) for secret in found}


def replace_secrets(text: str, instead: Callable[[str], str]) -> str:
    """The text with something instead of each password and value under the name of a secret."""

    def value(match: re.Match[str]) -> str:
        secret = match[2] or match[3] or match[4]
        if not is_secret_name(match[1]):
            return match[0]
        at = match[0].rindex(secret)
        return match[0][:at] + instead(secret) + match[0][at + len(secret) :]

    text = _PASSWORD.sub(lambda match: match[1] + instead(match[2]), text)
    return _PAIR.sub(value, text)


class _Known:
    """Every secret this process has come to know."""

    texts: ClassVar[set[str]] = set()


def remember(secrets: Iterable[str]) -> None:
    """From now on these are hidden in whatever goes through `redacted`."""
    _Known.texts.update(secret for secret in secrets if len(secret) >= _SHORTEST_SECRET)


def redacted(text: str) -> str:
    """The text without any secret known here: the last guard of logs and tracebacks."""
    return without(text, sorted(_Known.texts, key=len, reverse=True))


def basic_credentials(user: str, password: str) -> str:
    return base64.b64encode(f"{user}:{password}".encode()).decode("ascii")


def _shown_bearer(match: re.Match[str]) -> str:
    """The words `Bearer token expired` hide nothing."""
    return match[0] if _ORDINARY.fullmatch(match[2]) else match[1] + HIDDEN


def _shown_parameter(match: re.Match[str]) -> str:
    separator, name, value = match.groups()
    return f"{separator}{name}={HIDDEN if is_secret_name(name) else value}"
