"""Words in the reader's language: one gettext catalogue for window, command line and alerts.

The English text is the key. What is not in the catalogue stays English.
"""

import gettext
import os
import re
import sys
from functools import lru_cache
from typing import Final

from uptime_desktop.config import LANGUAGES, resource
from uptime_desktop.domain.wording import Say, Sentence

__all__ = ["LANGUAGES", "in_a_row", "language", "ntr", "said_in", "told", "tr", "use_language"]

_DOMAIN: Final = "uptime_desktop"
_SOURCE: Final = "en"
_BETWEEN: Final = "; "
_GAP: Final = re.compile(r"\{(\w+)\}")
_LETTER: Final = re.compile(r"[A-Za-z]")
_TELLING: Final = 6
"""So many letters tell one template from the others."""


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


def in_a_row(first: str, *more: str) -> str:
    """Sentences one after the other, with between them what the language has there."""
    for second in more:
        first = tr("{first} {second}").format(first=first, second=second)
    return first


def told(sentence: str) -> str:
    """A sentence of ours in the reader's language, also one that comes back from the disk in
    English and no longer remembers how it was made."""
    if isinstance(sentence, Sentence):
        return sentence.text(tr)
    return sentence if _Spoken.code == _SOURCE else _retold(sentence, _Spoken.code)


@lru_cache(maxsize=4_096)
def _retold(text: str, code: str) -> str:
    """Find the words by what they look like filled in; what is not ours stays as it is."""
    said = tr(text)
    if said != text:
        return said
    parts = text.split(_BETWEEN)
    if len(parts) > 1:
        return _BETWEEN.join(_retold(part, code) for part in parts)
    for pattern, template in _templates(code):
        found = pattern.fullmatch(text)
        if found is not None:
            values = {name: _retold(value, code) for name, value in found.groupdict().items()}
            return tr(template).format(**values)
    return text


@lru_cache(maxsize=4)
def _templates(code: str) -> list[tuple[re.Pattern[str], str]]:
    """The texts of the catalogue with gaps in them, those that say most first."""
    known = getattr(_catalogue(code), "_catalog", {})
    found = [
        (len(_LETTER.findall(_GAP.sub("", text))), text)
        for text in known
        if isinstance(text, str) and _GAP.search(text)
    ]
    telling = sorted((text for text in found if text[0] >= _TELLING), reverse=True)
    return [(_pattern(text), text) for _, text in telling]


def _pattern(template: str) -> re.Pattern[str]:
    pieces, at, seen = [], 0, set[str]()
    for gap in _GAP.finditer(template):
        pieces.append(re.escape(template[at : gap.start()]))
        name, at = gap[1], gap.end()
        pieces.append(f"(?P={name})" if name in seen else f"(?P<{name}>.+?)")
        seen.add(name)
    return re.compile("".join(pieces) + re.escape(template[at:]), re.DOTALL)


def language() -> str:
    """The code of the language in use."""
    return _Spoken.code


def use_language(*codes: str) -> None:
    """Speak the first of these that we know from now on; without any, that of the computer."""
    wanted = [code for code in codes if code] or _of_computer()
    known = (known for one in wanted if (known := _known(one)) is not None)
    _Spoken.code = next(known, _SOURCE)
    _Spoken.words = _catalogue(_Spoken.code)


def said_in(code: str) -> Say:
    """Puts texts into this language, for someone who reads another than ours."""
    said = _catalogue(_known(code) or _SOURCE).gettext
    return lambda text: said(text) if text else ""


def _catalogue(code: str) -> gettext.NullTranslations:
    if code == _SOURCE:
        return gettext.NullTranslations()
    return gettext.translation(_DOMAIN, resource("locale"), [code], fallback=True)


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
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415 - nobody else needs these two
        import locale  # noqa: PLC0415

        return [locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")]
    return [_SOURCE]
