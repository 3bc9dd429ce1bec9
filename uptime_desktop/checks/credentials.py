"""Takes secrets out of settings before they are stored, and puts them back before a check.

What is stored says `secret:NAME` where a secret stood. A person may write that too, or name a
variable of the environment as `${NAME}` (`$${` stands for a plain `${`), also inside a longer
text, as in `Bearer ${secret:NAME}`. Who keeps the secrets is not known here.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import count
from typing import Final
from urllib.parse import unquote, urlsplit

from uptime_desktop.checks.base import AnyKind, FieldSpec, FieldType
from uptime_desktop.checks.redaction import (
    Filled,
    basic_credentials,
    filled_in,
    replace_secrets,
    secrets_in_text,
    texts_in,
)
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused

Fields = tuple[FieldSpec, ...]
Look = Callable[[str], str]
"""The value of a name; refused if there is none."""

_MARK: Final = "secret:"
_REFERENCE: Final = re.compile(r"\$\$\{|\$\{(secret:)?([^{}$\s]{1,200})\}")
_NAMEABLE: Final = re.compile(r"[^{}$\s]{1,190}")
_COVER: Final = "\N{NULL}"
_COVERED: Final = re.compile(f"{_COVER}(\\d+){_COVER}")
_SHORTEST: Final = 4
_SEVERAL: Final = (FieldType.MAPPING, FieldType.LIST, FieldType.LINES, FieldType.MONITORS)


def typed(fields: Fields, settings: Mapping[str, Setting]) -> dict[str, Setting]:
    """The settings with tables and lists as such, in whichever of their forms they were given."""
    whole: dict[str, Setting] = dict(settings)
    for field in _several_in(fields):
        if field.key in settings:
            whole[field.key] = field.parse(settings[field.key])
    return whole


def _secret_fields(fields: Fields, settings: Mapping[str, Setting]) -> list[FieldSpec]:
    """Those that may hold a secret and are given."""
    return [field for field in _hiding(fields) if field.key in settings]


@cache
def _hiding(fields: Fields) -> Fields:
    """Most kinds have many fields, few of which may hold a secret."""
    return tuple(field for field in fields if field.is_secret)


@cache
def _several_in(fields: Fields) -> Fields:
    return tuple(field for field in fields if field.type in _SEVERAL)


def without_secrets(
    kind: AnyKind, owner: str, settings: Mapping[str, Setting]
) -> tuple[dict[str, Setting], dict[str, str]]:
    """The settings as they may be stored, and the secrets that were in them by name."""
    storable = typed(kind.fields, settings)
    secrets: dict[str, str] = {}

    def kept(text: str, shown: str, *place: str) -> str:
        if shown == text:
            return text
        if refers(text):
            return _without_own(text, secrets, owned_name(owner, *place))
        name = owned_name(owner, *place)
        secrets[name] = _REFERENCE.sub("${", text)
        return _MARK + name

    for field in _secret_fields(kind.fields, storable):
        value = storable[field.key]
        shown = field.shown(value)
        if isinstance(value, str):
            storable[field.key] = kept(value, str(shown), field.key)
        elif isinstance(value, Mapping) and isinstance(shown, Mapping):
            storable[field.key] = {
                name: kept(text, shown[name], field.key, name) for name, text in value.items()
            }
        elif isinstance(value, tuple) and isinstance(shown, tuple):
            storable[field.key] = tuple(
                kept(text, shown[at], field.key, str(at)) for at, text in enumerate(value)
            )
    return storable, secrets


def _without_own(text: str, secrets: dict[str, str], owned: str) -> str:
    """A text that names some of its secrets, with those named too that stand in it."""
    if text.startswith(_MARK) or _COVER in text or not _NAMEABLE.fullmatch(owned):
        return text
    taken = set(secret_names({"": text}))
    references: list[str] = []

    def covered(reference: str) -> str:
        # What is a reference must not be taken for a value itself.
        references.append(reference)
        return f"{_COVER}{len(references) - 1}{_COVER}"

    def named(secret: str) -> str:
        if _COVER in secret:
            return secret
        name = next(one for n in count(1) if (one := f"{owned}/{n}") not in taken)
        taken.add(name)
        secrets[name] = secret
        return covered("${" + _MARK + name + "}")

    text = replace_secrets(_REFERENCE.sub(lambda match: covered(match[0]), text), named)
    return _COVERED.sub(lambda match: references[int(match[1])], text)


def with_secrets(
    kind: AnyKind, settings: Mapping[str, Setting], secret_named: Look, variable_named: Look
) -> dict[str, Setting]:
    """The settings as a check needs them; what a name could not be found for is refused."""
    whole = typed(_hiding(kind.fields), settings)
    for field in _secret_fields(kind.fields, settings):
        try:
            whole[field.key] = _revealed(whole[field.key], secret_named, variable_named)
        except Refused as refused:
            problem, allowed = refused.problem, refused.allowed
            raise Refused(field.key, problem, allowed, **refused.values) from None
    return whole


def _revealed(value: Setting, secret_named: Look, variable_named: Look) -> Setting:
    if not any(_MARK in text or "${" in text for text in texts_in(value)):
        return value

    def revealed(text: str) -> str:
        found: list[str] = []

        def secret(name: str) -> str:
            # Of what was typed into a monitor its kind knows which part is the secret.
            return secret_named(name) if is_ours(name) else noted(secret_named(name))

        def noted(secret: str) -> str:
            found.append(secret)
            return secret

        whole = revealed_text(text, secret, lambda name: noted(variable_named(name)))
        return Filled(whole, found) if found else whole

    if isinstance(value, str):
        return revealed(value)
    if isinstance(value, Mapping):
        return {name: revealed(text) for name, text in value.items()}
    return tuple(map(revealed, value)) if isinstance(value, tuple) else value


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
    """The names of secrets that these settings refer to, tables given as lines included."""
    names: list[str] = []
    for value in settings.values():
        is_lines = isinstance(value, tuple | list)
        for text in texts_in(value):
            names += _names_in(text.partition(":")[2].strip() if is_lines else text)
            if is_lines:
                names += _names_in(text)
    return list(dict.fromkeys(names))


def possible_names(settings: Mapping[str, Setting]) -> list[str]:
    """As `secret_names`, where a text may be a table that nobody has read as one yet."""
    named = {
        key: value
        for key, value in settings.items()
        if any(_MARK in text for text in texts_in(value))
    }
    if not named:
        return []
    lines = {
        key: tuple(value.splitlines()) for key, value in named.items() if isinstance(value, str)
    }
    return list(dict.fromkeys(secret_names(named) + secret_names(lines)))


def _names_in(text: str) -> list[str]:
    if _MARK not in text:
        return []
    if text.startswith(_MARK):
        return [text.removeprefix(_MARK)]
    return [match[2] for match in _REFERENCE.finditer(text) if match[1]]


def owned_name(owner: str, *parts: str) -> str:
    """What a secret is called that was taken out of a monitor's settings."""
    return "/".join((_one_step(owner), *parts))


def is_owned(name: str, owner: str) -> bool:
    """Whether a secret goes when its monitor does; one that a person named stays."""
    return name.startswith(f"{_one_step(owner)}/")


def _one_step(owner: str) -> str:
    """The id of a monitor as no other and nothing else begins the names of its secrets."""
    # Those of channels begin with that word.
    return "%channel" if owner == "channel" else owner.replace("%", "%25").replace("/", "%2F")


def is_ours(name: str) -> bool:
    """Whether we named a secret after the monitor it was taken from, not a person."""
    return "/" in name


def hidden_texts(fields: Fields, settings: Mapping[str, Setting]) -> tuple[str, ...]:
    """Every text in these settings that must never be seen, longest first.

    Of an address that is its password, alone and as a server gets it.
    """
    settings = typed(_hiding(fields), settings)
    found = set(filled_in(settings))
    for field in _secret_fields(fields, settings):
        value = settings[field.key]
        if isinstance(value, Mapping):
            found |= {text for name, text in value.items() if field.hides(name)}
            found |= {text.partition(" ")[2] for name, text in value.items() if field.hides(name)}
        else:
            found |= {hidden for text in texts_in(value) for hidden in _hidden_in(field, text)}
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
