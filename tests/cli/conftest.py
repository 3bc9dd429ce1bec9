"""A web server to watch, and the command line as a person uses it."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from uptime_desktop.cli import main


class Site(ThreadingHTTPServer):
    """Answers `/up` and, unless it is told to recover, fails `/down`; counts what it is asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.asked: list[str] = []
        self.answered_at: dict[str, float] = {}
        self.has_recovered = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answer(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        is_down = self.path.startswith("/down") and not self.server.has_recovered
        self.send_response(503 if is_down else 200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
        self.wfile.flush()
        self.server.answered_at[self.path] = time.time()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def site() -> Iterator[Site]:
    server = Site()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


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
def running_app(database: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """The app in a process of its own, answering commands."""
    words = [sys.executable, "-m", "uptime_desktop", "run", "--headless"]
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
