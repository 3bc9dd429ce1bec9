"""Where keys stand: for any TOML file, every key is where it is said to be."""

import string
import tomllib
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uptime_desktop.exchange.declared.layout import Entry, Way, layout_of
from uptime_desktop.exchange.declared.positions import Positions

BARE: Final = st.text(string.ascii_letters + string.digits + "_-", min_size=1, max_size=4)
LITERAL_KEY: Final = st.text('ab .=#[]{}"\\\t', max_size=4).map(lambda text: f"'{text}'")
QUOTED_KEY: Final = st.sampled_from(
    [
        '""',
        '"a b"',
        '"a.b"',
        r'"a\"b"',
        r'"\\"',
        r'"\u00e9"',
        r'"\U0001F600"',
        '"#"',
        '"]"',
        r'"\t"',
    ]
)
KEY: Final = st.one_of(BARE, BARE, LITERAL_KEY, QUOTED_KEY)
DOTTED: Final = st.lists(KEY, min_size=1, max_size=3).flatmap(
    lambda names: st.sampled_from([".", " . ", ". "]).map(lambda dot: dot.join(names))
)
NUMBERS: Final = st.sampled_from(["1", "-17", "+1_000", "0xff", "1.5e3", "inf", "true", "false"])
TIMES: Final = st.sampled_from(
    ["2026-12-24", "18:00:00.5", "2026-12-24T18:00:00Z", "2026-12-24 18:00:00+02:00"]
)
STRINGS: Final = st.sampled_from(
    [
        '""',
        "''",
        r'"a \" # ] } , b"',
        r"'a \ # ] }'",
        '""""""',
        '"""a\n[not]\nb = "" "x" # no\n"""',
        r'"""a \""" b"""',
        '"""quotes"""""',
        "''''''",
        "'''a\n'' \\ # = [[x]]\n'''",
        "'''quotes'''''",
    ]
)
SCALAR: Final = st.one_of(NUMBERS, TIMES, STRINGS)
GAP: Final = st.sampled_from(["", " ", "\n", "\n  # ], } and = here\n", "\t"])


def _array(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(st.lists(st.tuples(GAP, values, GAP), max_size=3), st.booleans()).map(
        lambda made: (
            "[" + ",".join(map("".join, made[0])) + ("," if made[1] and made[0] else "") + "]"
        )
    )


def _table(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(st.tuples(DOTTED, values), max_size=3).map(
        lambda pairs: "{ " + ", ".join(f"{key} = {value}" for key, value in pairs) + " }"
    )


VALUE: Final = st.recursive(SCALAR, lambda inner: _array(inner) | _table(inner), max_leaves=6)
COMMENT: Final = st.sampled_from(["", "", " # why", ' # "not', " # [a]"])
INDENT: Final = st.sampled_from(["", "  ", "\t"])
ENTRY: Final = st.builds("{}{} = {}{}\n".format, INDENT, DOTTED, VALUE, COMMENT)
HEADER: Final = st.builds("{}[{}]{}\n".format, INDENT, DOTTED, COMMENT)
LIST_HEADER: Final = st.builds("{}[[{}]]{}\n".format, INDENT, DOTTED, COMMENT)
BLANK: Final = st.sampled_from(["\n", "# a comment\n", '  # """\n', " \t\n"])
LINES: Final = st.lists(st.one_of(ENTRY, ENTRY, HEADER, LIST_HEADER, BLANK), max_size=12)


@given(LINES, st.booleans())
@settings(max_examples=300, deadline=None)
def test_every_key_stands_where_it_is_said_to(lines: list[str], has_crlf: bool) -> None:
    text = _valid(lines)
    if has_crlf:
        text = text.replace("\n", "\r\n")
    document = tomllib.loads(text)
    entries, blocks = _entries(text), layout_of(text)
    positions = Positions(text)
    for way, value in _keys(document):
        at = _offset(text, *positions.of(way))
        if way in entries:
            source = text[at : entries[way].value_end]
            assert tomllib.loads(f"value = {source}") == {"value": value}
        else:
            assert isinstance(value, dict | list)
            # What makes a table is its own header, or whatever first speaks of what is in it.
            own = [block.start for block in blocks if block.way == way]
            parts = [block.start for block in blocks if block.way[: len(way)] == way]
            parts += [one.start for one in entries.values() if one.way[: len(way)] == way]
            assert at == (own[0] if own else min(parts))


@given(LINES)
@settings(max_examples=100, deadline=None)
def test_what_is_not_there_stands_where_its_table_does(lines: list[str]) -> None:
    text = _valid(lines)
    positions = Positions(text)
    for block in layout_of(text):
        assert positions.of((*block.way, "no such key")) == positions.of(block.way)


@pytest.mark.parametrize(
    ("way", "place"),
    [
        (("version",), (2, 11)),
        (("settings", "listen"), (4, 10)),
        (("site", 0), (6, 3)),
        (("site", 0, "monitor", 1, "headers", "X-A"), (13, 7)),
        (("site", 0, "monitor", 1, "headers"), (12, 1)),
        (("site", 0, "monitor", 1, "json", "query"), (11, 14)),
        (("site", 0, "monitor", 1, "json"), (11, 1)),
        (("site", 0, "monitor", 1, "every"), (9, 1)),
        (("nothing", 3, "at all"), (1, 1)),
    ],
)
def test_lines_and_columns_count_from_one(way: Way, place: tuple[int, int]) -> None:
    text = """# what we watch
version = 1
[settings]
listen = "x"
\t
  [[site]]
[[site.monitor]]
id = "a"
[[site.monitor]]
id = "b"
json.query = "c"
[site.monitor.headers]
X-A = "1"
"""
    assert Positions(text).of(way) == place


@pytest.mark.parametrize(
    "text",
    [
        "\n" * 1_000_000,
        "#" + "x" * 1_000_000 + "\n",
        "# x\n" * 300_000,
        'b = """' + "x\n" * 500_000 + '"""\n',
        "b = '''" + "''\n" * 300_000 + "'''\n",
        "b = [" + "1," * 200_000 + "]\n",
        "b = " + "[" * 400 + "]" * 400 + "\n",
        ".".join("b" * 2_000) + " = 1\n",
    ],
)
def test_a_long_file_takes_little(text: str) -> None:
    tracemalloc.start()
    try:
        assert Positions(text + "a = 1").of(("a",))[1] == 5
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 60 * len(text) + 2_000_000


def _valid(lines: list[str]) -> str:
    """As many of the lines as make a valid file: what is there twice is left out."""
    text = "".join(lines)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        text = ""
        for line in lines:
            with suppress(tomllib.TOMLDecodeError):
                tomllib.loads(text + line)
                text += line
    return text


def _keys(value: object, way: Way = ()) -> Iterator[tuple[Way, object]]:
    """The ways to all keys, and to tables in lists."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*way, key), inner
            yield from _keys(inner, (*way, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            if isinstance(inner, dict):
                yield (*way, place), inner
            yield from _keys(inner, (*way, place))


def _entries(text: str) -> dict[Way, Entry]:
    found: dict[Way, Entry] = {}
    waiting = [entry for block in layout_of(text) for entry in block.entries]
    while waiting:
        entry = waiting.pop()
        found[entry.way] = entry
        waiting += entry.inside
    return found


def _offset(text: str, line: int, column: int) -> int:
    return sum(len(one) + 1 for one in text.split("\n")[: line - 1]) + column - 1
