"""Keeps the catalogue of words in step with the code.

Run it from the root of the repository: `python packaging/translations.py update` after a text
was added or changed, then translate what is empty in the `.po` file and run it again. `check`
only says what is missing.
"""

import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT: Final = Path(__file__).parents[1]
DOMAIN: Final = "uptime_desktop"
LANGUAGES: Final = ("zh_CN",)
_LOCALE: Final = ROOT / "resources" / "locale"

_MARKS: Final[Mapping[str, tuple[int | str, ...]]] = {
    "tr": (0,),
    "say": (0,),
    "words": (0,),
    "Word": (0,),
    "Sentence": (0,),
    "sentence": (0,),
    "Failed": (0,),
    "StoreError": (0,),
    "NoPlace": (0,),
    "Refused": (1, 2),
    "FieldSpec": (2, "label", "group"),
}
"""Whose arguments, by place or by name, are texts for people."""
_PLURAL: Final = "ntr"

Texts = dict[str, "Text"]
"""Every text of the code, by its English (singular) form."""


class Text:
    """A text, its plural if it has one, and the files it stands in."""

    def __init__(self) -> None:
        self.plural: str | None = None
        self.files: set[str] = set()


class CannotTranslate(Exception):
    """A text is put together while the program runs, so that nobody can translate it."""


class _Catalogue(Catalog):
    """Without dates and versions, so that it only changes when words do."""

    mime_headers = property(
        lambda self: [
            ("Project-Id-Version", DOMAIN),
            ("Language", str(self.locale or "")),
            ("Plural-Forms", self.plural_forms),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit"),
        ],
        Catalog._set_mime_headers,  # noqa: SLF001 - half of what is replaced
    )


def texts_of_code() -> Texts:
    """Every text for people in the code as it is now."""
    found: Texts = {}
    for file in sorted((ROOT / DOMAIN).rglob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        for one, plural in texts_in(ast.parse(file.read_text(encoding="utf-8")), path):
            text = found.setdefault(one, Text())
            text.plural = text.plural or plural
            text.files.add(path)
    return found


def po_file(language: str) -> Path:
    return _LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def translations(language: str) -> Catalog:
    """What the `.po` file holds."""
    if not po_file(language).exists():
        return Catalog(language)
    with po_file(language).open("rb") as file:
        return read_po(file, locale=language, domain=DOMAIN, abort_invalid=True)


def differences() -> Iterator[str]:
    """What is missing, left over or not translated, a line each."""
    texts = texts_of_code()
    for language in LANGUAGES:
        known = {_singular(message): message for message in translations(language) if message.id}
        for one in sorted(texts.keys() - known.keys()):
            yield f"{language}: not in the catalogue: {one!r}"
        for one in sorted(known.keys() - texts.keys()):
            yield f"{language}: no longer in the code: {one!r}"
        for one, message in sorted(known.items()):
            if message.fuzzy or not _strings(message):
                yield f"{language}: not translated: {one!r}"


def update() -> None:
    """Write the template, carry over what is translated, and compile."""
    texts = texts_of_code()
    _write(_merged(_Catalogue(domain=DOMAIN), texts), _LOCALE / f"{DOMAIN}.pot")
    for language in LANGUAGES:
        file = po_file(language)
        file.parent.mkdir(parents=True, exist_ok=True)
        catalogue = _merged(_Catalogue(language, DOMAIN), texts, translations(language))
        _write(catalogue, file)
        with file.with_suffix(".mo").open("wb") as compiled:
            write_mo(compiled, catalogue)


def _merged(catalogue: Catalog, texts: Texts, known: Catalog | None = None) -> Catalog:
    catalogue.header_comment = "# The words of Uptime Desktop."
    for one, text in texts.items():
        old = known.get(one) if known is not None else None
        strings = _strings(old) if old is not None else ()
        catalogue.add(
            one if text.plural is None else (one, text.plural),
            (strings if text.plural is not None else strings[0]) if strings else None,
            [(path, 0) for path in sorted(text.files)],
            flags=_flags(old),
        )
    return catalogue


def _flags(message: Message | None) -> Iterable[str]:
    return ("fuzzy",) if message is not None and message.fuzzy else ()


def _singular(message: Message) -> str:
    return str(message.id[0] if isinstance(message.id, list | tuple) else message.id)


def _strings(message: Message) -> tuple[str, ...]:
    """The translations, none if one is missing."""
    string = message.string
    strings = tuple(string) if isinstance(string, list | tuple) else (string,)
    return tuple(map(str, strings)) if all(strings) else ()


def _write(catalogue: Catalog, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as out:
        write_po(out, catalogue, width=100, sort_output=True, include_lineno=False)


def texts_in(tree: ast.Module, path: str) -> Iterator[tuple[str, str | None]]:
    """Every text for people in a file, with its plural where it has one."""
    for scope, call in _calls(tree, tree):
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if name == _PLURAL:
            one, many = (_literals(call.args[place], scope, tree, path) for place in (0, 1))
            yield from zip(one, many, strict=True)
        for place in _MARKS.get(name, ()):
            argument = _argument(call, place)
            if argument is not None:
                for text in _literals(argument, scope, tree, path):
                    if text and not _is_only_a_value(text):
                        yield text, None


def _calls(node: ast.AST, scope: ast.AST) -> Iterator[tuple[ast.AST, ast.Call]]:
    """Every call, with the function it stands in."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call):
            yield scope, child
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from _calls(child, child if is_function else scope)


def _argument(call: ast.Call, place: int | str) -> ast.expr | None:
    if isinstance(place, int):
        return call.args[place] if place < len(call.args) else None
    return next((given.value for given in call.keywords if given.arg == place), None)


def _literals(node: ast.expr, scope: ast.AST, tree: ast.Module, path: str) -> list[str]:
    """The texts an expression can stand for: written out, one of two, or by a name."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.IfExp():
            return [
                *_literals(node.body, scope, tree, path),
                *_literals(node.orelse, scope, tree, path),
            ]
        case ast.Name(id=name):
            values = list(_assigned(scope, name)) or list(_assigned(tree, name))
            return [text for value in values for text in _literals(value, scope, tree, path)]
        case ast.JoinedStr() | ast.BinOp():
            raise CannotTranslate(f"{path}:{node.lineno}: {ast.unparse(node)}")
        case _:
            return []


def _assigned(scope: ast.AST, name: str) -> Iterator[ast.expr]:
    for node in ast.walk(scope) if not isinstance(scope, ast.Module) else scope.body:
        targets: list[ast.expr] = []
        match node:
            case ast.Assign():
                targets = node.targets
            case ast.AnnAssign() | ast.AugAssign() if node.value is not None:
                targets = [node.target]
            case _:
                continue
        if any(isinstance(one, ast.Name) and one.id == name for one in targets):
            assert node.value is not None
            yield node.value


def _is_only_a_value(text: str) -> bool:
    """Whether a template has no words of its own: `{reason}`."""
    return text.startswith("{") and text.endswith("}") and text.count("{") == 1


def _check() -> int:
    found = list(differences())
    print(*found, sep="\n", end="\n" if found else "")
    return int(bool(found))


def _update() -> int:
    update()
    return _check()


_COMMANDS: Final[Mapping[str, Callable[[], int]]] = {"update": _update, "check": _check}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in _COMMANDS:
        sys.exit(f"usage: {sys.argv[0]} {'|'.join(_COMMANDS)}")
    sys.exit(_COMMANDS[sys.argv[1]]())
