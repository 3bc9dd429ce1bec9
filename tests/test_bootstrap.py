"""The one file that must work before anything is installed."""

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
BOOTSTRAP = ROOT / "packaging" / "bootstrap.py"


def bootstrap(
    script: Path, *arguments: str, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run it as `env -i` would: with nothing but what is given."""
    bare = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **environment}
    return subprocess.run(
        [sys.executable, script, *arguments],
        capture_output=True,
        text=True,
        env=bare,
        check=False,
        timeout=120,
    )


def test_an_old_python_can_read_it() -> None:
    ast.parse(BOOTSTRAP.read_text(), feature_version=(3, 6))


def test_it_imports_nothing_but_the_standard_library() -> None:
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(BOOTSTRAP.read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= sys.stdlib_module_names


@pytest.mark.parametrize("arguments", [[], ["fly"]])
def test_anything_but_run_and_test_is_one_line(arguments: list[str]) -> None:
    printed = bootstrap(BOOTSTRAP, *arguments)
    assert printed.returncode == 2
    assert printed.stderr.startswith("usage: bootstrap.py run|test [arguments], not ")
    assert printed.stderr.count("\n") == 1


def test_no_network_is_one_sentence(tmp_path: Path) -> None:
    """In a path with a space, against an index that nobody serves."""
    clone = tmp_path / "a clone"
    shutil.copytree(ROOT / "packaging", clone / "packaging")
    shutil.copy(ROOT / "pyproject.toml", clone)
    printed = bootstrap(
        clone / "packaging" / "bootstrap.py",
        "run",
        "--version",
        PIP_CONFIG_FILE=os.devnull,
        PIP_INDEX_URL="http://127.0.0.1:9/simple",
        PIP_NO_CACHE_DIR="1",
    )
    assert printed.returncode == 1
    assert printed.stdout == ""
    assert "Traceback" not in printed.stderr
    assert printed.stderr.splitlines()[-1] == (
        "The Python packages could not be installed: the package index cannot be reached."
        " Check the network and run this again."
    )


def test_the_pins_name_no_index_and_check_every_package() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        text = (ROOT / "packaging" / name).read_text()
        assert "://" not in text
        pins = re.findall(r"^[a-z0-9].*==.*$", text, re.MULTILINE)
        assert len(pins) > 20
        assert all(pin.endswith("\\") for pin in pins)


@pytest.fixture
def on_bare_linux(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The file itself, on a Linux that has all that Qt needs and no program but `apt-get`."""
    specification = importlib.util.spec_from_file_location("bootstrap", BOOTSTRAP)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    add_program(tmp_path, "apt-get")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(module, "missing_python_packages", lambda _: [])
    monkeypatch.setattr(module, "missing_libraries", list)
    monkeypatch.setattr(module, "is_root", lambda: False)
    return module


def add_program(folder: Path, name: str) -> None:
    (folder / name).touch(mode=0o755)


DESKTOP_PACKAGES = "xvfb dbus dunst openbox util-linux trayer xdotool xfce4-panel"


def test_what_the_tests_need_of_a_desktop_is_one_sudo_line(on_bare_linux: ModuleType) -> None:
    with pytest.raises(on_bare_linux.Hopeless) as sentence:
        on_bare_linux.install_system_packages("test", with_qt=True)
    assert str(sentence.value) == (
        "System packages are missing. Run this line, then start again:"
        " sudo sh -c 'apt-get update &&"
        f" apt-get install -y --no-install-recommends {DESKTOP_PACKAGES}'"
    )


def test_where_packages_have_other_names_the_programs_are_named(
    on_bare_linux: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "apt-get").unlink()
    with pytest.raises(on_bare_linux.Hopeless, match=r"^Install these, .*: Xvfb dbus-daemon dunst"):
        on_bare_linux.install_system_packages("test", with_qt=True)


def test_root_installs_what_is_missing_and_nothing_else(
    on_bare_linux: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], *_: object) -> tuple[int, str]:
        commands.append(command)
        return 0, ""

    add_program(tmp_path, "Xvfb")
    monkeypatch.setattr(on_bare_linux, "is_root", lambda: True)
    monkeypatch.setattr(on_bare_linux, "run_showing", run)
    on_bare_linux.install_system_packages("test", with_qt=True)
    (command,) = commands
    packages = DESKTOP_PACKAGES.removeprefix("xvfb ").split()
    assert [word for word in command if word in DESKTOP_PACKAGES.split()] == packages


def test_nothing_is_installed_where_all_is_there(on_bare_linux: ModuleType, tmp_path: Path) -> None:
    for name, _, _ in on_bare_linux.DESKTOP_PROGRAMS:
        add_program(tmp_path, name)
    on_bare_linux.install_system_packages("test", with_qt=True)


def test_the_app_needs_no_program_of_a_desktop(on_bare_linux: ModuleType) -> None:
    on_bare_linux.install_system_packages("run", with_qt=True)


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_no_other_system_needs_one(
    on_bare_linux: ModuleType, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    on_bare_linux.install_system_packages("test", with_qt=True)
