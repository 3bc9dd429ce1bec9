"""The one file that must work before anything is installed."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

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
