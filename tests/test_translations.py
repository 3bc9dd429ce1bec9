"""Every text for people is in the catalogue, and in Chinese."""

import ast
import gettext
import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest
from babel.messages.catalog import Message

from uptime_desktop import i18n
from uptime_desktop.checks.registry import KINDS
from uptime_desktop.cli import main
from uptime_desktop.config import LANGUAGES
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import Sentence, countdown_text, rough_duration_text
from uptime_desktop.i18n import said_in, tr

ROOT: Final = Path(__file__).parents[1]
CHINESE: Final = "zh_CN"
SAME_IN_CHINESE: Final = frozenset(
    {
        "192.0.2.7",
        "2001:db8::7",
        "DNS",
        "HTTP {said}",
        "NOERROR",
        "POSIX",
        "STARTTLS",
        "TLS",
        "UTF-8",
        "WebSocket",
        "[[{header}]]",
        "[settings]",
        "\\r \\n \\t \\0 \\xNN \\\\",
        "cron",
        "uptime-desktop apply FILE",
        "uptime-desktop run --db FILE",
        "{day} {time}",
        "{name} {n}",
        "{name} {number}",
        "± {duration}",
    }
)
SHOWN_AS_IT_IS: Final = frozenset({"Uptime Desktop", "Qt", "UTC", "https://", "host:port"})
"""Names and notation, which no language changes."""

SPEAKERS: Final = frozenset(
    "setText setToolTip setWindowTitle setPlaceholderText setAccessibleName setTitle setSuffix"
    " setAccessibleDescription setStatusTip setWhatsThis setHeaderData showMessage addAction"
    " addMenu addRow addTab QLabel QPushButton QToolButton QCheckBox QRadioButton QGroupBox QAction"
    " QMenu QToolBar QListWidgetItem Hint ThemeLabel Heading Column LinkButton Fold Notice Button"
    " NotDelivered tell show_problem show_note show_good say section print Failed UsageError"
    " Finding add_argument_group print_table".split()
)
"""Calls whose arguments people read."""
SPOKEN_NAMES: Final = frozenset({"help", "description", "epilog", "title", "label", "text"})
"""Arguments that people read, whoever is called."""


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "translations", ROOT / "packaging" / "translations.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


translations = _load()
MESSAGES: Final = [message for message in translations.translations(CHINESE) if message.id]


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    i18n.use_language("en")
    yield
    i18n.use_language("en")


def _source(message: Message) -> str:
    """The English text; of two, the one for many, which names the number."""
    return str(message.id[-1] if isinstance(message.id, list | tuple) else message.id)


def _chinese(message: Message) -> str:
    string = message.string
    return str(string[0] if isinstance(string, list | tuple) else string)


def test_the_catalogue_has_every_text_of_the_code_and_no_other() -> None:
    """When it fails, run `python packaging/translations.py update` and translate."""
    assert list(translations.differences()) == []


def test_the_template_is_that_of_the_code() -> None:
    texts = translations.texts_of_code()
    template = (ROOT / "resources" / "locale" / "uptime_desktop.pot").read_text(encoding="utf-8")
    assert template.count("\nmsgid ") == len(texts) + 1, "the header, and a message for each text"


def test_every_language_but_our_own_has_a_catalogue() -> None:
    assert {"en", *translations.LANGUAGES} == set(LANGUAGES)


def test_what_is_said_in_chinese_is_chinese() -> None:
    same = {_source(message) for message in MESSAGES if _chinese(message) == _source(message)}
    assert same == SAME_IN_CHINESE


@pytest.mark.parametrize("message", MESSAGES, ids=_source)
def test_a_translation_is_whole_and_written_as_chinese_is(message: Message) -> None:
    source, chinese = _source(message), _chinese(message)
    assert chinese
    assert not message.fuzzy
    values = re.compile(r"\{\w+\}|%\(\w+\)[sr]|%[sr]")
    assert sorted(values.findall(chinese)) == sorted(values.findall(source))
    assert re.findall(r"&(\w)", chinese) == [one.upper() for one in re.findall(r"&(\w)", source)]
    assert re.search(r"&\w(?<!\(&\w)", chinese) is None, "a mnemonic stands in brackets at the end"
    assert re.search(r"[一-鿿][,:;!?]|[,:;!?][一-鿿]", chinese) is None, "punctuation is full-width"
    words = re.sub(r"[Myd]+[年月日]", "", values.sub("", chinese))
    assert re.search(r"[一-鿿][A-Za-z0-9]|[A-Za-z0-9][一-鿿]", words) is None, "a space between"


def test_what_the_program_reads_is_what_was_translated() -> None:
    with translations.po_file(CHINESE).with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    for message in MESSAGES:
        if isinstance(message.id, list | tuple):
            one, many = message.id
            assert compiled.ngettext(one, many, 2) == _chinese(message)
        else:
            assert compiled.gettext(str(message.id)) == _chinese(message)


def test_the_catalogue_names_no_machine_and_no_date() -> None:
    text = translations.po_file(CHINESE).read_text(encoding="utf-8")
    assert "Date" not in text
    assert "Babel" not in text
    assert re.search(r"^#: (?!uptime_desktop/)", text, re.MULTILINE) is None
    assert re.search(r"^#: .*:\d", text, re.MULTILINE) is None


def test_all_that_is_said_of_kinds_and_their_settings_is_in_the_catalogue() -> None:
    known = {str(message.id) for message in MESSAGES}
    said = {text for kind in KINDS.values() for text in (kind.label, *_said_of_fields(kind.name))}
    assert said <= known


def _said_of_fields(kind: str) -> Iterator[str]:
    for field in KINDS[kind].fields:
        yield from (field.title, field.help)
        if field.group:
            yield field.group


@pytest.mark.parametrize(
    "file",
    sorted(
        file
        for part in ("gui", "alerts", "cli")
        for file in (ROOT / "uptime_desktop" / part).rglob("*.py")
    ),
    ids=lambda file: file.relative_to(ROOT).as_posix(),
)
def test_nothing_is_said_past_the_catalogue(file: Path) -> None:
    assert list(_unsaid(ast.parse(file.read_text(encoding="utf-8")))) == []


def test_what_is_said_past_the_catalogue_is_found() -> None:
    code = """
label.setText("Down")
QLabel(f"{n} monitors")
print("now: " + name)
parser.add_argument("--db", help="the database")
label.setText(tr("Down") if down else "Up")
label.setText(tr("Down"))
print(f"{name}: {tr('Down')}", "–", "Uptime Desktop")
"""
    assert list(_unsaid(ast.parse(code))) == [
        "2: 'Down'",
        "3: ' monitors'",
        "4: 'now: '",
        "5: 'the database'",
        "6: 'Up'",
    ]


def _unsaid(tree: ast.AST) -> Iterator[str]:
    """English that goes to people as it is, by line."""
    calls = sorted(
        (node for node in ast.walk(tree) if isinstance(node, ast.Call)),
        key=lambda call: (call.lineno, call.col_offset),
    )
    for call in calls:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        name = call.func.id if isinstance(call.func, ast.Name) else name
        given = list(call.args) if name in SPEAKERS else []
        given += [one.value for one in call.keywords if one.arg in SPOKEN_NAMES]
        for text in (text for argument in given for text in _literals(argument)):
            left = re.sub("^status-[a-z]+$", "", text)  # the name of an icon
            for allowed in SHOWN_AS_IT_IS:
                left = left.replace(allowed, "")
            if re.search(r"[A-Za-z]{2}", left):
                yield f"{call.lineno}: {text!r}"


def _literals(node: ast.expr) -> Iterator[str]:
    """The texts in an expression, apart from what is given to another call."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr():
            for part in node.values:
                if isinstance(part, ast.Constant):
                    yield from _literals(part)
        case ast.BinOp():
            yield from _literals(node.left)
            yield from _literals(node.right)
        case ast.IfExp():
            yield from _literals(node.body)
            yield from _literals(node.orelse)
        case ast.List() | ast.Tuple():
            for one in node.elts:
                yield from _literals(one)


def test_a_text_made_while_the_program_runs_is_refused() -> None:
    for code in ('tr(f"{n} down")', 'Refused("x", "is not " + thing, "a")', 'tr("a" + "b")'):
        with pytest.raises(translations.CannotTranslate):
            list(translations.texts_in(ast.parse(code), "x.py"))


def test_texts_are_found_by_name_and_in_choices() -> None:
    code = """
HERE = "by a name"
def act():
    problem = "one" if it else "other"
    raise Refused("field", problem, HERE)
ntr("{n} thing", "{n} things", 2)
FieldSpec("key", TEXT, "the help", label="Label")
StoreError("{reason}", reason=tr("why"))
"""
    found = list(translations.texts_in(ast.parse(code), "x.py"))
    assert sorted(one for one, _ in found) == sorted(
        ["one", "other", "by a name", "{n} thing", "the help", "Label", "why"]
    )


# The language in use


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh_CN"),
        ({"LANG": "zh_TW.UTF-8"}, "zh_CN"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN"}, "zh_CN"),
        ({"LANG": "en_US.UTF-8", "LANGUAGE": "de:zh_CN:en"}, "zh_CN"),
    ],
    ids=str,
)
def test_the_environment_says_which(
    environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    i18n.use_language()
    assert i18n.language() == language


def test_the_first_language_that_we_know_is_spoken() -> None:
    i18n.use_language("de-DE", "zh-Hans-CN", "en")
    assert i18n.language() == "zh_CN"


def test_english_needs_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gettext, "find", lambda *_args, **_named: pytest.fail("looked for a file"))
    i18n.use_language("en_US.UTF-8")
    assert tr("Down") == "Down"


def test_a_refusal_reads_as_a_sentence() -> None:
    i18n.use_language(CHINESE)
    with pytest.raises(Refused) as caught:
        KINDS["http"].parse({"url": "https://example.org", "latency_threshold": "0.5s x"})
    assert caught.value.text(tr) == (
        "'0.5s x' 不是时长，允许：带单位的数字，如 500ms 30s 5m 1h 2d。"
    )


def test_durations_read_as_in_chinese() -> None:
    i18n.use_language(CHINESE)
    assert rough_duration_text(474_000, tr) == "7 分 54 秒"
    assert countdown_text(41_000, tr) == "41 秒后"


def test_a_sentence_made_in_english_can_be_told_in_chinese() -> None:
    trouble = Sentence("This computer has no keyring to keep passwords in.")
    whole = Sentence(
        "{trouble} Allow a private file instead (on the command line with"
        " --allow-secret-file), or set up a keyring.",
        trouble=trouble,
    )
    assert whole.startswith("This computer has no keyring to keep passwords in. Allow a private")
    i18n.use_language(CHINESE)
    assert i18n.told(whole) == (
        "此计算机没有可保存密码的密钥环。请改为允许使用私有文件"
        "（命令行上使用 --allow-secret-file），或设置密钥环。"
    )


def test_somebody_else_can_be_answered_in_their_language() -> None:
    assert said_in("zh_CN")("Down") == "故障"
    assert said_in("en")("Down") == "Down"
    assert said_in("")("") == ""
    assert tr("Down") == "Down"


# The command line


@pytest.fixture
def speak_chinese(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LANGUAGE", CHINESE)
    monkeypatch.setenv("UPTIME_DESKTOP_DB", str(tmp_path / "uptime.db"))


@pytest.mark.usefixtures("speak_chinese")
def test_help_is_chinese_with_what_argparse_adds(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("run", "add", "list", "show", "check", "pause", "hint", "events", "preview"):
        assert main([command, "--help"]) == 0
        said = capsys.readouterr().out
        assert said.startswith("用法：")
        english = re.findall(r"(?<=  )[a-z]+ [a-z]+ [a-z]+.*", said)
        assert english == []


@pytest.mark.usefixtures("speak_chinese")
def test_complaints_are_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["add", "https://example.org", "--every", "3s"]) == 2
    assert capsys.readouterr().err == ("uptime-desktop: --every：3 秒太短，允许：5 秒到 30 天。\n")
    assert main(["list", "--nope"]) == 2
    assert capsys.readouterr().err == "uptime-desktop: 无法识别的参数：--nope\n"


@pytest.mark.usefixtures("speak_chinese")
def test_tables_are_chinese_and_stand_in_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["add", "127.0.0.1:9", "--name", "nas"]) == 0
    capsys.readouterr()
    assert main(["list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "ID   状态          名称  站点     目标         下次检查  原因",
        "nas  等待首次检查  nas   default  127.0.0.1:9  现在",
    ]


@pytest.mark.usefixtures("speak_chinese")
def test_json_is_for_programs_and_never_translated(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["add", "127.0.0.1:9", "--name", "nas"]) == 0
    capsys.readouterr()
    for words in (["list", "--json"], ["doctor", "--json"]):
        main(words)
        said = capsys.readouterr().out
        assert json.loads(said)
        assert said.isascii() or re.search(r"[一-鿿]", said) is None
