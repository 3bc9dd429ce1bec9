"""Texts of other programs with nothing in them that names something of ours: what is kept here is
no business of a file that came from elsewhere."""

from collections.abc import Mapping
from typing import Final

from uptime_desktop.checks.credentials import secret_names, typed
from uptime_desktop.checks.registry import kind_named
from uptime_desktop.domain.model import Keys, Setting
from uptime_desktop.domain.refusal import Refused

_NAMES_SECRET: Final = "{value} would name a secret that is kept here"
_ALLOWED: Final = "a text that does not"


def harmless(keys: Keys, *, knows_variables: bool) -> dict[str, Setting]:
    """The keys of a monitor; refused if one can only be taken for the name of a secret.

    Where the program does not know variables, what looks like one is a text like any.
    """
    fields = kind_named(str(keys.get("kind", "http"))).fields
    secret = tuple(field for field in fields if field.is_secret)
    # As it will be stored: a part of a list may be a name where the whole is none.
    plain = typed(secret, keys)
    for field in secret:
        if field.key not in plain:
            continue
        if not knows_variables:
            plain[field.key] = _literal(plain[field.key])
        if secret_names({field.key: plain[field.key]}):
            raise Refused(field.key, _NAMES_SECRET, _ALLOWED, value=field.key)
    return plain


def harmless_address(url: str, *, knows_variables: bool) -> str:
    """The same for the address of a channel."""
    if secret_names({"url": url}):
        raise Refused("url", _NAMES_SECRET, _ALLOWED, value="url")
    return url if knows_variables else url.replace("${", "%24{")


def _literal(value: Setting) -> Setting:
    match value:
        case str():
            return value.replace("${", "$${")
        case tuple():
            return tuple(one.replace("${", "$${") for one in value)
        case Mapping():
            return {name: one.replace("${", "$${") for name, one in value.items()}
        case _:
            return value
