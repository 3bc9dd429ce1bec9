"""Takes secrets out of settings before they are stored, and puts them back before a check.

What is stored says `secret:NAME` where a secret stood. A person may write that too, or name a
variable of the environment as `${NAME}` (`$${` stands for a plain `${`), also inside a longer
text, as in `Bearer ${secret:NAME}`. Who keeps the secrets is not known here.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final
from urllib.parse import unquote, urlsplit

from uptime_desktop.checks.base import AnyKind, FieldSpec
from uptime_desktop.checks.redaction import basic_credentials, secrets_in_text
from uptime_desktop.domain.model import Setting

Look = Callable[[str], str]
"""The value of a name; refused if there is none."""

_MARK: Final = "secret:"
_REFERENCE: Final = re.compile(r"\$\$\{|\$\{(secret:)?([^{}$\s]{1,200})\}")
_SHORTEST: Final = 4


def without_secrets(
    kind: AnyKind, owner: str, settings: Mapping[str, Setting]
) -> tuple[dict[str, Setting], dict[str, str]]:
    """The settings as they may be stored, and the secrets that were in them by name."""
    storable: dict[str, Setting] = dict(settings)
    secrets: dict[str, str] = {}
    for field in kind.fields:
        if field.key not in settings or not field.is_secret:
            continue
        value = field.parse(settings[field.key])
        shown = field.shown(value)
        if isinstance(value, str) and shown != value and not refers(value):
            storable[field.key] = _put(secrets, owned_name(owner, field.key), value)
        elif isinstance(value, Mapping) and isinstance(shown, Mapping):
            storable[field.key] = {
                name: text
                if shown[name] == text or refers(text)
                else _put(secrets, owned_name(owner, field.key, name), text)
                for name, text in value.items()
            }
    return storable, secrets


def with_secrets(
    kind: AnyKind, settings: Mapping[str, Setting], secret_named: Look, variable_named: Look
) -> dict[str, Setting]:
    """The settings as a check needs them."""

    def revealed(text: str) -> str:
        return revealed_text(text, secret_named, variable_named)

    whole: dict[str, Setting] = dict(settings)
    for field in kind.fields:
        value = settings.get(field.key)
        if not field.is_secret:
            continue
        if isinstance(value, str):
            whole[field.key] = revealed(value)
        elif isinstance(value, Mapping):
            whole[field.key] = {name: revealed(text) for name, text in value.items()}
    return whole


def revealed_text(text: str, secret_named: Look, variable_named: Look) -> str:
    """A text with what it refers to."""

    def replacement(match: re.Match[str]) -> str:
        if match[2] is None:
            return "${"
        return secret_named(match[2]) if match[1] else variable_named(match[2])

    if text.startswith(_MARK):
        return secret_named(text.removeprefix(_MARK))
    return _REFERENCE.sub(replacement, text) if "${" in text else text


def refers(text: str) -> bool:
    """Whether a text names a secret or a variable instead of holding it."""
    return text.startswith(_MARK) or any(match[2] for match in _REFERENCE.finditer(text))


def secret_names(settings: Mapping[str, Setting]) -> list[str]:
    """The names of secrets that these settings refer to."""
    names: list[str] = []
    for value in settings.values():
        for text in value.values() if isinstance(value, Mapping) else (value,):
            if isinstance(text, str) and text.startswith(_MARK):
                names.append(text.removeprefix(_MARK))
            elif isinstance(text, str):
                names += [match[2] for match in _REFERENCE.finditer(text) if match[1]]
    return names


def owned_name(owner: str, *parts: str) -> str:
    """What a secret is called that was taken out of a monitor's settings."""
    return "/".join((owner, *parts))


def is_owned(name: str, owner: str) -> bool:
    """Whether a secret goes when its monitor does; one that a person named stays."""
    return name.startswith(f"{owner}/")


def hidden_texts(fields: Iterable[FieldSpec], settings: Mapping[str, Setting]) -> tuple[str, ...]:
    """Every text in these settings that must never be seen, longest first.

    Of an address that is its password, alone and as a server gets it.
    """
    found: set[str] = set()
    for field in fields:
        value = settings.get(field.key)
        if isinstance(value, str) and field.is_secret:
            found |= _hidden_in(field, value)
        elif isinstance(value, Mapping):
            found |= {text for name, text in value.items() if field.hides(name)}
            found |= {text.partition(" ")[2] for name, text in value.items() if field.hides(name)}
    return tuple(sorted((text for text in found if len(text) >= _SHORTEST), key=len)[::-1])


def _hidden_in(field: FieldSpec, text: str) -> set[str]:
    if field.is_password:
        return {text}
    if field.shown(text) == text:
        return set()
    try:
        parts = urlsplit(text)
        user, password = parts.username or "", parts.password or ""
    except ValueError:
        user = password = ""
    if not user and not password:
        return secrets_in_text(text)
    plain_user, plain = unquote(user), unquote(password)
    return {text, password, plain, basic_credentials(plain_user, plain)}


def _put(secrets: dict[str, str], name: str, secret: str) -> str:
    secrets[name] = secret
    return _MARK + name
