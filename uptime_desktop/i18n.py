"""Words in the reader's language: one gettext catalogue for window, command line and alerts.

The English text is the key. What is not in the catalogue stays English.
"""

import gettext
import locale
import os
import sys
from typing import Final

from uptime_desktop.config import LANGUAGES, resource

__all__ = ["LANGUAGES", "language", "ntr", "tr", "use_language"]

_DOMAIN: Final = "uptime_desktop"
_SOURCE: Final = "en"


class _Spoken:
    """The language in use, for the whole process."""

    code = _SOURCE
    words: gettext.NullTranslations = gettext.NullTranslations()


def tr(text: str) -> str:
    """The text in the reader's language. Values are filled in afterwards: `tr("in {n} s")`."""
    return _Spoken.words.gettext(text) if text else ""


def ntr(one: str, many: str, count: int) -> str:
    """The text for this number, which still has to be filled in: `{n} monitor`, `{n} monitors`."""
    return _Spoken.words.ngettext(one, many, count)


def language() -> str:
    """The code of the language in use."""
    return _Spoken.code


def use_language(code: str = "") -> None:
    """Speak this language from now on, or, with no code, the one of the computer."""
    wanted = [code] if code else _of_computer()
    known = (known for one in wanted if (known := _known(one)) is not None)
    _Spoken.code = next(known, _SOURCE)
    _Spoken.words = gettext.translation(_DOMAIN, resource("locale"), [_Spoken.code], fallback=True)


def _known(code: str) -> str | None:
    """Ours for a code of the system's, which may name an encoding or another country."""
    plain = code.partition(".")[0].partition("@")[0].replace("-", "_")
    if plain in LANGUAGES:
        return plain
    return next((ours for ours in LANGUAGES if ours.partition("_")[0] == plain[:2]), None)


def _of_computer() -> list[str]:
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(variable):
            return [one for one in value.split(":") if one]
    if sys.platform in ("win32", "darwin"):
        return [locale.getlocale()[0] or _SOURCE]
    return [_SOURCE]
