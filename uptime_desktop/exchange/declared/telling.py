"""Says how two configurations differ, in lines for people and in values for programs."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from uptime_desktop.checks.base import FieldSpec
from uptime_desktop.checks.redaction import HIDDEN, is_secret_name, shown_url
from uptime_desktop.checks.registry import KINDS
from uptime_desktop.domain.definition import What
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.wording import Say, one_line, words
from uptime_desktop.exchange.declared.difference import Act, Difference

_SIGNS: Final = {Act.ADDED: "+", Act.CHANGED: "~", Act.REMOVED: "-"}
_NAMES: Final = {
    What.SETTING: words("setting {id}"),
    What.CHANNEL: words("channel {id}"),
    What.SITE: words("site {id}"),
    What.MONITOR: words("monitor {id}"),
    What.WINDOW: words("maintenance {id}"),
}
_SHOWN_CHARACTERS: Final = 200
_FIELDS: Final = {
    field.key: field
    for field in sorted(
        (field for kind in KINDS.values() for field in kind.fields),
        key=lambda field: (field.is_secret, field.is_password),
    )
}
"""Those of all kinds, for a change of the kind has keys of two: of one name the most secret."""

_SECRETS: Final = frozenset(("url", "ping_key"))
"""Keys of channels and settings that are told to nobody, unless they only say where to look."""


View = dict[str, Any]


def difference_view(difference: Difference) -> View:
    """A difference as JSON has it; secrets are hidden."""
    return {
        "act": difference.act.value,
        "what": difference.what.value,
        "id": difference.id,
        "keys": [
            {"key": key, "before": before, "after": after}
            for key, before, after in _shown(difference)
        ],
    }


def difference_lines(views: Iterable[View], say: Say = str) -> Iterator[str]:
    """`~ monitor home`, then a line for each key: `    every: 60s → 30s`."""
    for view in views:
        act, what = Act(view["act"]), What(view["what"])
        yield f"{_SIGNS[act]} {say(_NAMES[what]).format(id=view['id'])}"
        if act is Act.REMOVED and what is not What.SETTING:
            continue
        for one in view["keys"]:
            before, after = one["before"] or "–", one["after"] or "–"
            yield f"    {one['key']}: {after if act is Act.ADDED else f'{before} → {after}'}"


def _shown(difference: Difference) -> Iterator[tuple[str, str | None, str | None]]:
    fields = _FIELDS if difference.what is What.MONITOR else {}
    for change in difference.keys:
        if change.key == "id":
            continue
        before, after = (
            _text(difference.what, change.key, value, fields.get(change.key))
            for value in (change.before, change.after)
        )
        if change.before == change.after:
            # A secret became another: both sides only say where it is.
            before = after = HIDDEN
        yield change.key, before, after


def _text(what: What, key: str, value: Setting | None, field: FieldSpec | None) -> str | None:
    if value is None:
        return None
    if field is not None:
        value = field.shown(value)
    elif what is What.MONITOR and is_secret_name(key):
        return HIDDEN
    elif what in (What.CHANNEL, What.SETTING) and key in _SECRETS:
        is_reference = str(value).startswith(("secret:", "${"))
        return str(value) if is_reference or not value else HIDDEN
    if isinstance(value, Mapping):
        text = ", ".join(f"{name}: {one}" for name, one in value.items())
    elif isinstance(value, tuple):
        text = ", ".join(value) or "[]"
    else:
        text = str(value).lower() if isinstance(value, bool) else shown_url(str(value))
    return one_line(text, _SHOWN_CHARACTERS)
