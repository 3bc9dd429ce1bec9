"""The command line as a person uses it, and the app it talks to."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from uptime_desktop.cli import main


class Printed(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.out)
        return document


Command = Callable[..., Printed]


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "data" / "uptime.db"
    monkeypatch.setenv("UPTIME_DESKTOP_DB", str(path))
    return path


@pytest.fixture
def command(database: Path, capsys: pytest.CaptureFixture[str]) -> Command:  # noqa: ARG001
    def run(*words: str) -> Printed:
        code = main(words)
        return Printed(code, *capsys.readouterr())

    return run


@contextmanager
def running_app(database: Path, *more: str) -> Iterator["subprocess.Popen[bytes]"]:
    """The app in a process of its own, answering commands."""
    words = [sys.executable, "-m", "uptime_desktop", "run", "--headless", *more]
    environment = {**os.environ, "UPTIME_DESKTOP_DB": str(database)}
    with subprocess.Popen(words, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if b"Watching" in line:
                break
        drain = threading.Thread(target=process.stderr.read)
        drain.start()
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(30)
            drain.join()


@pytest.fixture(params=["alone", "running"])
def way(request: pytest.FixtureRequest, database: Path) -> Iterator[str]:
    """Every command must do the same with and without an app that runs."""
    if request.param == "alone":
        yield "alone"
    else:
        with running_app(database):
            yield "running"
