"""A configuration file read table by table is what it is when it is read as a whole."""

import tomllib
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uptime_desktop.domain.refusal import RefusedFile
from uptime_desktop.exchange.declared.file import read_declared
from uptime_desktop.exchange.declared.parts import Irregular, join, parts_of

PLAIN: Final = """version = 1 # first
[settings]
default_interval = "60s"
[[channel]]
id = "team"
[[site]]
id = "shop"
[[site.monitor]]
id = "home"
[site.monitor.headers]
X-A = "[[site]]"
[[site.monitor]]
id = "api"
tags = [
  "a",
]
[[maintenance]]
id = "night"
[[site]]
id = "lab"
[[site.monitor]]
id = "one"
body = 'x'
[[channel]]
id = "other"
"""
ODD: Final = {
    "a header in a text": '[[site]]\nid = "a"\nname = """\n[[site.monitor]]\n"""\n',
    "an inline list": 'site = [{id = "a"}]\n',
    "monitors inline": '[[site]]\nid = "a"\nmonitor = [{id = "m"}]\n',
    "a monitor before its site": '[[site.monitor]]\nid = "m"\n',
    "a table of a site after its monitors": "[[site]]\n[[site.monitor]]\n[site.more]\na = 1\n",
    "settings with dots": 'settings.language = "en"\n',
    "spaces in a header": '[[ site ]]\nid = "a"\n[[site.monitor]]\nid = "m"\n',
}
WRONG: Final = {
    "settings twice": "[settings]\n[settings]\n",
    "added to a list": 'site = [{id = "a"}]\n[[site]]\n',
    "monitors in two ways": "[[site]]\nmonitor = []\n[[site.monitor]]\n",
    "a site that is a table": "[[site.monitor]]\n[[site]]\n",
    "a key twice": "[[site]]\nid = 1\nid = 2\n",
}


def test_too_many_tables_are_refused_before_they_are_read() -> None:
    with pytest.raises(RefusedFile, match="too many"):
        read_declared("version = 1\n" + "[[site]]\n" * 200_001, "many.toml")


def in_parts(text: str) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for part in parts_of(text):
        join(document, part)
    return document


@pytest.mark.parametrize("text", ["", "version = 1", PLAIN, PLAIN.replace("\n", "\r\n")])
def test_a_plain_file_is_the_same_in_parts(text: str) -> None:
    assert in_parts(text) == tomllib.loads(text)


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    *('id = "a"', 'name = "Ä 😀\\t"', "retries = 3", "retries = 0", "on = true"),
                    *("retries = 03", "retries = 1_0", "on = TRUE", 'tags = ["a", "b"]'),
                    *('tags = ["a","b", ]', "tags = []", 'name = "\\\\n"', "# a\tcomment", "#\x0b"),
                    *('"every" = "1m"', 'x.y = "1"', 'a = "\x7f"', 'a = "\u2028"', 'a = "1" # one'),
                    *("", " ", "\r", "[site.headers]", "[[site]]", 'a = """', "b = '", "0 = 0"),
                ]
            ),
            st.text(max_size=20),
            st.from_regex(r'[a-z-]{1,3} = ("[^"]{0,5}"|[0-9]{1,12}|\["[^"]*"(, "[^"]*")*\])'),
        ),
        max_size=8,
    )
)
def test_lines_are_read_as_a_whole_file_has_them_or_not_at_all(lines: list[str]) -> None:
    text = "[[site]]\n" + "\n".join(lines)
    try:
        found = in_parts(text)
    except (Irregular, ValueError):
        return
    assert found == tomllib.loads(text)
    assert list(map(repr, found["site"])) == list(map(repr, tomllib.loads(text)["site"]))


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_what_is_not_plain_is_the_same_or_left_to_be_read_as_a_whole(text: str) -> None:
    whole = tomllib.loads(text)
    try:
        found = in_parts(text)
    except (Irregular, ValueError):
        return
    assert found == whole


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_is_wrong_as_a_whole_is_not_taken_in_parts(text: str) -> None:
    with pytest.raises(ValueError, match="at "):
        tomllib.loads(text)
    with pytest.raises((Irregular, ValueError)):
        in_parts(text)
