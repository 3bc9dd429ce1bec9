"""Planted secrets, looked for in everything that the program writes, says or sends."""

import base64
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote

import msgspec
import pytest

from uptime_desktop.store.evidence import unpacked

SECRETS = {
    "url password": "p4ss!in-url",
    "url token": "tok3n-in-query",
    "header": "h3ader-credential",
    "cookie": "c00kie-value",
    "body": "b0dy-password",
    "bearer": "b3arer-token-value",
    "basic": "bas1c-password",
    "proxy": "pr0xy-password",
    "named": "n4med-secret",
    "environment": "3nvironment-secret",
    "said": "s4id-to-a-port",
    "push": "we8hook-token-of-a-channel",
}
PLUGIN = '''
class LoudKind:
    """Fails with all it knows."""
    name = "loud"
    label = "Loud"
    is_passive = False

    def __init__(self):
        from uptime_desktop.checks.base import FieldSpec, FieldType
        secret = {"is_secret": True, "is_password": True}
        self.fields = (
            FieldSpec("target", FieldType.TEXT, "what", is_target=True),
            FieldSpec("key", FieldType.TEXT, "a key", **secret),
        )

    def parse(self, settings):
        return dict(settings)

    def origin(self, spec):
        return ""

    def describe(self, spec):
        return f"{spec}"

    async def check(self, spec, timeout_s):
        raise RuntimeError(f"all I know is {spec}")
'''


MESSAGES: list[bytes] = []
"""What came to the channel, without the address it came to."""


class _Echo(BaseHTTPRequestHandler):
    """Sends back all it was sent, in the headers and in the body, and fails."""

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        said = self.rfile.read(length).decode()
        if self.path.startswith("/channel"):
            MESSAGES.append(said.encode())
        told = f"{self.path}\n{self.headers}\n{said}"
        body = told.encode()
        self.send_response(500, "Broken " + self.headers.get("X-Api-Key", ""))
        for name in ("Authorization", "Cookie", "X-Api-Key", "Proxy-Authorization"):
            self.send_header(f"X-Echo-{name}", self.headers.get(name, "none"))
        self.send_header("Set-Cookie", self.headers.get("Cookie", "none=1"))
        self.send_header("Location", self.path)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = _answer  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def echo() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Echo) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    packages = tmp_path / "packages"
    about = packages / "loud-1.0.dist-info"
    about.mkdir(parents=True)
    (packages / "loud.py").write_text(PLUGIN)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[uptime_desktop.checks]\nloud = loud:LoudKind\n")
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": str(folder / "packages"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "UPTIME_DESKTOP_DB": str(folder / "data" / "uptime.db"),
        "PLANTED": SECRETS["environment"],
    }


def command(folder: Path, *words: str, given: str | None = None) -> str:
    """What a command prints, on either stream."""
    done = subprocess.run(
        [sys.executable, "-m", "uptime_desktop", *words],
        env=environment(folder),
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.stdout + done.stderr


def planted(echo: str) -> list[list[str]]:
    """How each secret gets in, as the words of `add`."""
    s = SECRETS
    return [
        [f"http://ann:{quote(s['url password'])}@{echo}/?token={s['url token']}", "--name", "url"],
        [
            *(f"http://{echo}/", "--name", "headers"),
            *("--headers", f"X-Api-Key: {s['header']}", "--headers", f"Cookie: id={s['cookie']}"),
        ],
        [
            *(f"http://{echo}/", "--name", "body", "--method", "POST"),
            *("--body", f'{{"password": "{s["body"]}"}}'),
        ],
        [f"http://{echo}/", "--name", "bearer", "--bearer-token", s["bearer"]],
        [f"http://{echo}/", "--name", "basic", "--username", "ann", "--password", s["basic"]],
        [f"http://{echo}/", "--name", "proxy", "--proxy", f"http://ann:{s['proxy']}@{echo}"],
        [f"http://{echo}/", "--name", "named", "--bearer-token", "secret:mine"],
        [f"http://{echo}/", "--name", "variable", "--headers", "Authorization: Bearer ${PLANTED}"],
        [
            *(f"http://{echo}/?q=${{secret:mine}}", "--name", "plain", "--keyword", "none such"),
            *("--headers", "X-Plain: ${PLANTED}", "--headers", "X-Other: secret:mine"),
        ],
        [
            *(f"tcp://{echo}", "--name", "port", "--expect", "none such"),
            *("--send", f"AUTH password={s['said']} ${{secret:mine}}\\r\\n\\r\\n"),
        ],
        ["anything", "--kind", "loud", "--name", "plugin", "--key", s["bearer"]],
        [f"http://{echo}/", "--name", "wrong", "--every", "1s", "--bearer-token", s["bearer"]],
    ]


def forms_of(secret: str) -> set[bytes]:
    """The secret as it might stand somewhere."""
    forms = {secret, quote(secret), quote(secret, safe=""), json.dumps(secret)[1:-1]}
    coded = {base64.b64encode(f"{user}{secret}".encode()).rstrip(b"=") for user in ("ann:", "")}
    return {form.encode() for form in forms} | coded


def unpacked_evidence(database: Path) -> bytes:
    """What is kept compressed, as it reads."""
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("SELECT document FROM evidence").fetchall()
    return b"\n".join(msgspec.json.encode(unpacked(bytes(document))) for (document,) in rows)


def test_no_secret_is_anywhere_but_in_the_file_that_is_for_them(folder: Path, echo: str) -> None:
    told = [command(folder, "secret", "set", "mine", "--allow-secret-file", given=SECRETS["named"])]
    for words in planted(echo):
        often = [] if "--every" in words else ["--every", "1h"]
        told.append(command(folder, "add", *words, *often, "--retries", "0"))
    assert (
        sum(any(mark in text for mark in (": http", ": {", ": 127")) for text in told)
        == len(planted(echo)) - 1
    ), told
    assert "1 s is too short" in told[-1]
    channel = f"json://ann:{SECRETS['push']}@{echo}/channel"
    told.append(command(folder, "channels", "add", "Hook", given=channel))
    assert "hook is told" in told[-1]
    log = (folder / "log").open("w+b")
    words = [sys.executable, "-m", "uptime_desktop", "run", "--headless", "--verbose"]
    with subprocess.Popen(words, env=environment(folder), stderr=log, stdout=log) as app:
        try:
            told.append(command(folder, "check", "--json"))
            for act in ("list", "incidents"):
                told += [command(folder, act), command(folder, act, "--json")]
            for name in (one[one.index("--name") + 1] for one in planted(echo)[:-1]):
                told += [command(folder, "show", name), command(folder, "show", name, "--json")]
                told.append(command(folder, "history", name, "--json"))
            told.append(command(folder, "secret", "list"))
            told.append(command(folder, "channels", "test", "hook"))
            deadline = time.monotonic() + 30
            while not any(b"down" in one for one in MESSAGES) and time.monotonic() < deadline:
                time.sleep(0.1)
            told += [command(folder, "channels"), command(folder, "channels", "--json")]
        finally:
            app.send_signal(signal.SIGTERM)
            app.wait(30)
    log.seek(0)
    written = {"what it said": "\n".join(told).encode(), "the log": log.read()}
    log.close()
    assert b"500" in written["what it said"]
    assert b"the check itself failed" in written["what it said"]
    for path in (folder / "data").rglob("*"):
        if path.is_file() and not path.name.endswith(".secrets.json"):
            written[path.name] = path.read_bytes()
    written["messages"] = b"\n".join(MESSAGES)
    assert b"down" in written["messages"]
    written["evidence"] = unpacked_evidence(folder / "data" / "uptime.db")
    assert b"X-Echo-Authorization" in written["evidence"]
    found = [
        (where, what)
        for where, text in written.items()
        for what, secret in SECRETS.items()
        if any(form in text for form in forms_of(secret))
    ]
    assert found == []
    kept = (folder / "data" / "uptime.db.secrets.json").read_bytes()
    assert SECRETS["bearer"].encode() in kept
    assert (folder / "data" / "uptime.db.secrets.json").stat().st_mode & 0o077 == 0
