"""Configuration files on the command line: alone on the database, and through the running app."""

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Command, running_app
from uptime_desktop.exchange.reading import MOST_BYTES

SHOP: Final = """\
# the shop
version = 1

[[site]]
id = "shop" # ours

[[site.monitor]]
id = "home"
url = "http://127.0.0.1:9/"
every = "1h"
"""
WRONG: Final = 'version = 1\ncolour = 1\n[[site]]\nid = "shop"\nactive = 5\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "shop.toml"
    path.write_text(SHOP)
    return path


def typing(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))


@pytest.mark.usefixtures("way")
class TestEitherWay:
    def test_a_plan_ends_with_whether_anything_differs(self, command: Command, file: Path) -> None:
        printed = command("plan", str(file))
        assert printed.code == 1
        assert printed.out.splitlines() == [
            "+ site shop",
            "    name: shop",
            "+ monitor home",
            "    site: shop",
            "    name: home",
            "    kind: http",
            "    url: http://127.0.0.1:9/",
            "    every: 1h",
            "2 differences: 2 added, 0 changed, 0 removed",
        ]
        assert command("list", "--json").document["monitors"] == []
        applied = command("apply", str(file))
        assert (applied.code, applied.out, applied.err) == (0, printed.out, "")
        again = command("plan", str(file))
        assert (again.code, again.out) == (0, "Nothing differs.\n")
        assert command("apply", str(file)).out == "Nothing differs.\n"
        assert command("show", "shop/home", "--json").document["id"] == "home"

    def test_a_plan_is_printed_as_json(self, command: Command, file: Path) -> None:
        command("apply", str(file))
        file.write_text(SHOP.replace("1h", "2h") + '[settings]\nping_key = "0123456789abcdefgh"\n')
        printed = command("plan", str(file), "--json")
        assert printed.code == 1
        secret = {"key": "ping_key", "before": "", "after": "***"}
        every = {"key": "every", "before": "1h", "after": "2h"}
        assert printed.document == {
            "differences": [
                {"act": "changed", "what": "setting", "id": "ping_key", "keys": [secret]},
                {"act": "changed", "what": "monitor", "id": "home", "keys": [every]},
            ]
        }
        assert command("apply", str(file), "--json").document == printed.document
        assert command("plan", str(file), "--json").document == {"differences": []}

    def test_a_file_may_come_from_standard_input(
        self, command: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        typing(monkeypatch, SHOP.encode())
        assert command("apply", "-").code == 0
        typing(monkeypatch, SHOP.encode())
        assert command("plan", "-").code == 0
        typing(monkeypatch, WRONG.encode())
        refused = command("plan", "-")
        assert refused.code == 2
        assert refused.err.startswith("standard input:2:10: colour: ")

    @pytest.mark.parametrize("act", ["plan", "apply", "export"])
    def test_a_wrong_file_is_refused_with_all_its_lines(
        self, command: Command, file: Path, act: str
    ) -> None:
        file.write_text(WRONG)
        printed = command(act, str(file))
        assert (printed.code, printed.out) == (2, "")
        first, second = printed.err.splitlines()
        assert first.startswith(f"{file}:2:10: colour: 'colour' is not a key here.")
        assert second.startswith(f"{file}:5:10: site.shop.active: '5' is not a choice.")
        assert file.read_text() == WRONG
        assert command("list", "--json").document["monitors"] == []

    def test_an_export_is_a_file_that_can_be_applied(
        self, command: Command, file: Path, tmp_path: Path
    ) -> None:
        command("apply", str(file))
        printed = command("export")
        assert printed.out == command("export", "-").out
        assert printed.out.startswith('version = 1\n\n[[site]]\nid = "shop"\n')
        assert command("export", "--json").document == {"text": printed.out}
        new = tmp_path / "new.toml"
        assert command("export", str(new)) == (0, "", "")
        assert new.read_text() == printed.out
        assert stat.S_IMODE(new.stat().st_mode) == 0o600
        assert command("plan", str(new)).code == 0

    def test_an_export_into_a_file_touches_only_what_differs(
        self, command: Command, file: Path
    ) -> None:
        command("apply", str(file))
        file.chmod(0o644)
        assert command("export", str(file)).code == 0
        assert file.read_text() == SHOP
        command("add", "127.0.0.1:9", "--name", "db", "--site", "shop", "--every", "2h")
        assert command("export", str(file)).code == 0
        text = file.read_text()
        assert text.startswith(SHOP + '\n[[site.monitor]]\nid = "db"\n')
        assert stat.S_IMODE(file.stat().st_mode) == 0o644
        assert [one.name for one in file.parent.iterdir() if "shop.toml" in one.name] == [file.name]

    def test_secrets_need_a_place_that_was_agreed_to(self, command: Command, file: Path) -> None:
        file.write_text(SHOP + 'username = "ann"\npassword = "hunter22"\n')
        refused = command("apply", str(file))
        assert refused.code == 1
        assert "--allow-secret-file" in refused.err
        assert command("list", "--json").document["monitors"] == []
        applied = command("apply", str(file), "--allow-secret-file")
        assert applied.code == 0
        assert "hunter22" not in applied.out
        assert 'password = "secret:home/password"' in command("export").out
        file.write_text(file.read_text().replace("hunter22", "swordfish"))
        plan = command("plan", str(file), "--json").document["differences"]
        assert plan[0]["keys"] == [{"key": "password", "before": "***", "after": "***"}]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("plan", "no-such.toml"),
            "FILE: 'no-such.toml' cannot be read: No such file or directory.",
        ),
        (("apply", "."), "FILE: '.' is no file."),
        (("plan",), "FILE"),
        (("plan", "a.toml", "b.toml"), "b.toml"),
        (("apply", "binary"), "FILE: 'binary' has a NUL character in line 1."),
        (("apply", "latin"), "FILE: 'latin' is not text in UTF-8 (byte 1)."),
        (("export", "--format", "xml"), "xml"),
    ],
)
def test_wrong_input_is_one_sentence(
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "latin").write_bytes(b"#\xe9\n")
    printed = command(*words)
    assert (printed.code, printed.out) == (2, "")
    assert said in printed.err
    assert len(printed.err.splitlines()) == 1


def test_more_than_a_file_may_hold_is_refused_and_not_cut(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    typing(monkeypatch, SHOP.encode() + b"#" * MOST_BYTES)
    printed = command("apply", "-")
    assert printed.code == 2
    assert "'standard input' is too large. Allowed: up to 32 MiB." in printed.err


@pytest.mark.parametrize("place", ["no/such/folder.toml", "file/x.toml"])
def test_a_place_that_cannot_be_written_is_said(
    command: Command, tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").touch()
    printed = command("export", str(tmp_path / place))
    assert (printed.code, printed.out) == (1, "")
    assert f"{tmp_path / place} cannot be written: " in printed.err


def test_a_full_disk_leaves_the_file_as_it_was(
    command: Command, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    printed = command("export", str(file))
    assert printed.code == 1
    assert "cannot be written: No space left on device" in printed.err
    assert file.read_text() == SHOP
    assert list(file.parent.glob(".uptime-desktop-*")) == []


def test_a_link_stays_one_and_a_pipe_is_written_to(
    command: Command, file: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link.toml"
    link.symlink_to(file)
    assert command("export", str(link)).code == 0
    assert link.is_symlink()
    assert file.read_text() == "# the shop\nversion = 1\n"
    assert command("export", "/dev/null").code == 0
    assert not Path("/dev/null").is_file()


def test_an_empty_file_is_written_to_as_a_new_one(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "empty.toml"
    path.touch()
    assert command("export", str(path)).code == 0
    assert path.read_text() == "version = 1\n"


def test_control_characters_of_a_file_do_not_reach_the_terminal(
    command: Command, file: Path
) -> None:
    file.write_text(SHOP + 'keyword = "\\u001b[2J"\n')
    printed = command("plan", str(file))
    assert "\\x1b[2J" in printed.out
    assert "\x1b" not in printed.out + printed.err
    file.write_text('version = 1\n[[site]]\nid = "\\u001b[2J"\n')
    assert "\x1b" not in command("plan", str(file)).err


def test_a_file_as_long_as_may_be_is_sent_to_the_running_app(
    command: Command, database: Path, file: Path
) -> None:
    file.write_text(SHOP + "# é\n" * (MOST_BYTES // 5 - 100), encoding="utf-8")
    with running_app(database):
        printed = command("plan", str(file))
    assert (printed.code, printed.err) == (1, "")


def test_a_plan_of_many_is_sent_to_the_running_app(
    command: Command, database: Path, file: Path
) -> None:
    text = SHOP + "".join(
        f'[[site.monitor]]\nid = "m{n}"\nurl = "http://127.0.0.1:9/"\nevery = "1h"\n'
        for n in range(2_000)
    )
    file.write_text(text)
    with running_app(database):
        planned = json.loads(command("plan", str(file), "--json").out)
        assert len(planned["differences"]) == 2_002
        assert command("apply", str(file)).code == 0
        assert command("plan", str(file)).code == 0
        assert len(command("list", "--json").document["monitors"]) == 2_001


def test_links_in_a_circle_and_what_may_not_be_written_are_said(
    command: Command, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    circle = tmp_path / "circle.toml"
    circle.symlink_to(circle)
    printed = command("export", str(circle))
    assert (printed.code, len(printed.err.splitlines())) == (1, 1)
    assert f"{circle} cannot be written: " in printed.err
    # Root may always; a person may not replace what they may not write.
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    printed = command("export", str(file))
    assert (printed.code, file.read_text()) == (1, SHOP)
    assert f"{file} cannot be written: Permission denied" in printed.err


def test_a_plan_that_cannot_be_made_is_no_difference(command: Command, file: Path) -> None:
    printed = command("plan", str(file), "--db", str(file.parent))
    assert (printed.code, printed.out) == (2, "")


@pytest.mark.parametrize("monitors", [1, 3_000])
def test_a_plan_read_in_part_still_says_that_something_differs(
    tmp_path: Path, database: Path, monitors: int
) -> None:
    path = tmp_path / "many.toml"
    one = SHOP[SHOP.index("[[site.monitor]]") :]
    path.write_text(SHOP + "".join(one.replace("home", f"m{n}") for n in range(monitors)))
    program = "import sys; from uptime_desktop.cli import main; sys.exit(main())"
    words = (sys.executable, "-c", program, "plan", str(path), "--db", str(database))
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as plan:
        assert plan.stdout is not None
        assert plan.stderr is not None
        assert plan.stdout.readline() == b"+ site shop\n"
        plan.stdout.close()
        assert plan.stderr.read() == b""
        assert plan.wait(60) == 1


def test_a_rule_that_nobody_is_told_can_be_seen_in_a_plan(command: Command, file: Path) -> None:
    file.write_text(SHOP + "channels = []\n")
    assert "    channels: []" in command("plan", str(file)).out.splitlines()
