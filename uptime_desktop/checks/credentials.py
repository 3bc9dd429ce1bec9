"""Takes secrets out of settings before they are stored, and puts them back before a check.

What is stored says `secret:NAME` where a secret stood; who keeps the secrets is not known here.
"""

from collections.abc import Callable, Mapping

from uptime_desktop.checks.base import AnyKind
from uptime_desktop.domain.model import Setting

_MARK = "secret:"


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
        if isinstance(value, str) and shown != value and not value.startswith(_MARK):
            storable[field.key] = _put(secrets, f"{owner}/{field.key}", value)
        elif isinstance(value, Mapping) and isinstance(shown, Mapping):
            storable[field.key] = {
                name: text
                if shown[name] == text or text.startswith(_MARK)
                else _put(secrets, f"{owner}/{field.key}/{name}", text)
                for name, text in value.items()
            }
    return storable, secrets


def with_secrets(
    settings: Mapping[str, Setting], secret_named: Callable[[str], str]
) -> dict[str, Setting]:
    """The settings as a check needs them."""

    def revealed(value: str) -> str:
        return secret_named(value.removeprefix(_MARK)) if value.startswith(_MARK) else value

    whole: dict[str, Setting] = {}
    for key, value in settings.items():
        if isinstance(value, str):
            whole[key] = revealed(value)
        elif isinstance(value, Mapping):
            whole[key] = {name: revealed(text) for name, text in value.items()}
        else:
            whole[key] = value
    return whole


def secret_names(settings: Mapping[str, Setting]) -> list[str]:
    """The names that these settings refer to."""
    names: list[str] = []

    def note(name: str) -> str:
        names.append(name)
        return ""

    with_secrets(settings, note)
    return names


def _put(secrets: dict[str, str], name: str, secret: str) -> str:
    secrets[name] = secret
    return _MARK + name
