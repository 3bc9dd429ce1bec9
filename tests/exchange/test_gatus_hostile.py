"""A file that pretends to be Gatus's is refused in one sentence, or read within bounds."""

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.exchange.source import STRANGE, changed, unreported, ways
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.exchange import reading
from uptime_desktop.exchange.importers.checked import usable
from uptime_desktop.exchange.importers.gatus import document, read, tree
from uptime_desktop.exchange.importers.gatus.document import document_of
from uptime_desktop.exchange.report import Fate

FILES = Path(__file__).parent / "gatus"
ENDPOINT = "endpoints: [{name: a, url: 'https://a.example', conditions: ['[STATUS] == 200']}]\n"
MOST_MEMORY = 64 * 1024 * 1024


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "config.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def laughs(levels: int) -> str:
    """Each level holds the one before ten times."""
    lines = [f"l0: &l0 {'x' * 100}"]
    lines += [
        f"l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * 10)}]" for level in range(1, levels)
    ]
    return "\n".join([*lines, ENDPOINT])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("endpoints: [{name: a, url: 'https://a.exa", "is not YAML"),
        (ENDPOINT.encode("utf-16")[2:], "NUL character"),
        (b"endpoints: \xff\xfe", "is not text in UTF-8"),
        ("endpoints:\n- name: a\0b", "NUL character in line 2"),
        ("", "has no endpoints"),
        ("[]", "has no endpoints"),
        ("text", "has no endpoints"),
        ("endpoints: {}", "has no endpoints"),
        ("endpoints: []", "has no endpoints"),
        ("[" * 100_000, "nested too deeply"),
        ("{a: " * 100_000, "nested too deeply"),
        ("- " * 100_000, "nested too deeply"),
        (laughs(10), "holds too much"),
        (ENDPOINT + "a: &a {b: *a}", "alias of what it is in itself"),
        (ENDPOINT + "a: *b", "alias of nothing"),
        (ENDPOINT + ENDPOINT, "has 'endpoints' twice"),
        (ENDPOINT + "---\n" + ENDPOINT, "more than one document"),
        (ENDPOINT + "? [a, b]\n: c", "in the place of a name"),
        (ENDPOINT + "a: {<<: text}", "merges something that is no table"),
        (ENDPOINT + "a: " + "$A" * 20_001, "too many variables"),
        ("\t- a: b", "is not YAML"),
    ],
    ids=range(21),
)
def test_a_hostile_file_is_refused_in_one_sentence(
    tmp_path: Path, content: str | bytes, problem: str
) -> None:
    path = written(tmp_path, content)
    tracemalloc.start()
    try:
        with pytest.raises(Refused) as refused:
            read(path, 0, {})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert problem in refused.value.text()
    assert "\n" not in refused.value.text()
    assert peak < MOST_MEMORY


def test_a_long_text_behind_many_aliases_is_refused(tmp_path: Path) -> None:
    long = "a: &a " + "x" * 1_000_000 + "\nb: [" + "*a, " * 1_000 + "]\n"
    with pytest.raises(Refused, match="holds too much"):
        read(written(tmp_path, ENDPOINT + long), 0, {})


def test_a_file_of_too_many_values_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree, "MOST_NODES", 1_000)
    read(written(tmp_path, ENDPOINT + "a: [" + "x, " * 900 + "]"), 0, {})
    with pytest.raises(Refused, match="holds too much"):
        read(written(tmp_path, ENDPOINT + "a: [" + "x, " * 1_000 + "]"), 0, {})


def test_a_tag_makes_nothing_but_text(tmp_path: Path) -> None:
    text = "endpoints: [{name: !!python/object/apply:os.getcwd [], url: 'https://a.example'}]"
    found = read(written(tmp_path, text), 0, {})
    assert found.monitors[0]["name"] == "monitor"


def test_a_file_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 10)
    with pytest.raises(Refused, match="too large"):
        read(written(tmp_path, ENDPOINT), 0, {})


def test_a_directory_is_bounded_as_a_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Refused, match="no file of YAML"):
        read(tmp_path, 0, {})
    (tmp_path / "a.yaml").write_text(ENDPOINT)
    (tmp_path / "b.yaml").write_text("metrics: true\n")
    (tmp_path / "c.yaml").write_text("metrics: false\n")
    with pytest.raises(Refused, match="in another file, too"):
        read(tmp_path, 0, {})
    (tmp_path / "c.yaml").write_text("[1]")
    with pytest.raises(Refused, match="no table"):
        read(tmp_path, 0, {})
    (tmp_path / "c.yaml").write_text("")
    assert len(read(tmp_path, 0, {}).monitors) == 1
    monkeypatch.setattr(document, "MOST_BYTES", 20)
    with pytest.raises(Refused, match="too large"):
        read(tmp_path, 0, {})
    monkeypatch.setattr(document, "_MOST_FILES", 2)
    with pytest.raises(Refused, match="too many files"):
        read(tmp_path, 0, {})


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        read(tmp_path / "none.yaml", 0, {})


def plain(value: object) -> Any:
    """Without variables and aliases, as it is written again."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return None if value is None else str(value)


def pieces() -> Iterator[dict[str, Any]]:
    """Files that hold little each and everything together."""
    for name in ("current.yaml", "services.yaml"):
        whole = plain(document_of(FILES / name))
        lists = {
            key: whole.pop(key) for key in tuple(whole) if key.endswith(("points", "services"))
        }
        for key, endpoints in lists.items():
            for endpoint in endpoints:
                yield {key: [endpoint]}
        alerts = [{"type": kind} for kind in whole["alerting"]]
        url, conditions = "https://a.example", ["[STATUS] == 200"]
        endpoint = {"name": "a", "url": url, "conditions": conditions, "alerts": alerts}
        yield {**whole, "endpoints": [endpoint]}


def spoiled() -> Iterator[tuple[object, tuple[str | int, ...]]]:
    for piece in pieces():
        for at, way in enumerate(ways(piece)):
            # All values in all places would take a minute: each place sees three of them.
            for strange in STRANGE[at % 7 :: 7]:
                yield changed(piece, way, strange), way


def test_a_wrong_value_anywhere_is_refused_or_reported(tmp_path: Path) -> None:
    for source, way in spoiled():
        path = written(tmp_path, json.dumps(source))
        try:
            found = read(path, 0, {})
        except Refused:
            continue
        assert unreported(source, found.report) == [], way
        for monitor in found.monitors:
            assert usable(monitor, 0) is None


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("https://a.example/${PATH_PART}", "https://a.example/${PATH_PART}"),
        ("https://u:$PASSWORD@a.example", "https://u:${PASSWORD}@a.example"),
        ("https://$HOST/a", "https://b.example/a"),
        ("$WHOLE", "https://c.example/$${x}"),
        ("https://a.example/$$5/$${x}", "https://a.example/$5/$${x}"),
        ("https://a.example/${}$1${*}/$", "https://a.example//$"),
        ("https://a.example/${secret:mine}", "https://a.example/"),
        ("https://a.example/$UNSET_", "https://a.example/${UNSET_}"),
    ],
)
def test_variables_are_those_of_gatus(tmp_path: Path, given: str, url: str) -> None:
    environ = {"HOST": "b.example", "WHOLE": "https://c.example/${x}"}
    text = f"endpoints:\n- name: a\n  url: {given}\n"
    (monitor,) = read(written(tmp_path, text), 0, environ).monitors
    assert monitor["url"] == url


@pytest.mark.parametrize("key", ["body", "url"])
def test_no_file_can_name_a_secret_of_ours(tmp_path: Path, key: str) -> None:
    endpoint = {"name": "a", "url": "https://a.example", "method": "POST", key: "secret:x/y"}
    text = json.dumps({"endpoints": [endpoint]})
    assert read(written(tmp_path, text), 0, {}).monitors == ()


def test_placeholders_cannot_make_a_body_grow_without_end(tmp_path: Path) -> None:
    body = "[RANDOM_STRING_999999]" * 2_000
    endpoint = {"name": "a", "url": "https://a.example", "method": "POST", "body": body}
    found = read(written(tmp_path, json.dumps({"endpoints": [endpoint]})), 0, {})
    assert found.monitors == ()
    assert {line.fate for line in found.report.lines} == {Fate.UNSUPPORTED}
