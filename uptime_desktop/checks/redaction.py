"""What may be shown: secrets are hidden before anything is stored, logged or sent."""

import base64
import re
from collections.abc import Iterable
from typing import ClassVar, Final
from urllib.parse import unquote_plus

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
_USERINFO: Final = re.compile(r"(?<=://)[^/?#\s]*@")
_QUERY_VALUE: Final = re.compile(r"([?&;])([^=&;#\s]+)=([^&;#\s]+)")


def is_secret_name(name: str) -> bool:
    """Whether a header or parameter of this name carries a secret."""
    return _SECRET_NAME.search(name) is not None


def looks_secret(text: str) -> bool:
    """Whether a text, such as a request's body, speaks of passwords and the like."""
    return _SECRET_NAME.search(text) is not None


def shown_url(text: str) -> str:
    """Any text with the user, password and secret parameters of the URLs in it hidden."""
    if "://" in text:
        text = _USERINFO.sub(HIDDEN + "@", text)
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
        text = text.replace(secret, HIDDEN)
    return text


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


def _shown_parameter(match: re.Match[str]) -> str:
    separator, name, value = match.groups()
    return f"{separator}{name}={HIDDEN if is_secret_name(name) else value}"
