"""Alert channels on the command line: alone on the database, and through the running app."""

import io
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

from tests.cli.conftest import Command, running_app


class _Hook(BaseHTTPRequestHandler):
    heard: ClassVar[list[bytes]] = []

    def do_POST(self) -> None:
        self.heard.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def hook() -> Iterator[str]:
    """An address that takes messages."""
    _Hook.heard.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Hook) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"json://ann:s3same@127.0.0.1:{server.server_address[1]}/hook"
        server.shutdown()


@pytest.fixture(params=["alone", "running"], autouse=True)
def way(
    request: pytest.FixtureRequest, database: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    if request.param == "alone":
        yield
    else:
        with running_app(database):
            yield


@pytest.fixture
def add(command: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    def run(*words: str) -> object:
        name, url, *more = words
        monkeypatch.setattr("sys.stdin", io.StringIO(url + "\n"))
        return command("channels", "add", name, "--allow-secret-file", *more)

    return run  # type: ignore[return-value]


def test_a_channel_is_added_tried_switched_and_removed(
    command: Command, add: Command, hook: str
) -> None:
    added = add("Ops hook", hook, "--json")
    assert (added.code, added.err) == (0, "")
    assert added.document == {"id": "ops-hook", "name": "Ops hook", "is_on": True, "problem": None}
    assert command("channels", "test", "ops-hook").code == 0
    assert b"Notices work" in _Hook.heard[0]
    assert command("channels", "off", "ops-hook") == (0, "ops-hook is off\n", "")
    (listed,) = command("channels", "--json").document["channels"]
    assert listed["is_on"] is False
    assert command("channels", "remove", "ops-hook").code == 0
    assert command("channels").out == "Alerts go to the screen only.\n"


def test_its_address_is_never_shown(command: Command, add: Command, hook: str) -> None:
    said = add("Ops", hook)
    said_again = command("channels")
    failed = add("Ops", hook.replace("127.0.0.1", "127.0.0.1.invalid")), command("channels")
    texts = [text for one in (said, said_again, *failed) for text in (one.out, one.err)]
    assert "s3same" not in "".join(texts)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("test",), 2, "ID: it is missing"),
        (("test", "nobody"), 2, "there is no channel 'nobody'"),
        (("off", "nobody"), 2, "there is no channel 'nobody'"),
        (("shout",), 2, "invalid choice: 'shout'"),
    ],
)
def test_a_wrong_word_is_one_sentence(
    command: Command, words: tuple[str, ...], code: int, said: str
) -> None:
    printed = command("channels", *words)
    assert (printed.code, printed.out) == (code, "")
    assert said in printed.err


def test_an_address_that_leads_nowhere_is_refused(command: Command, add: Command) -> None:
    refused = add("Ops", "nonsense")
    assert (refused.code, refused.out) == (2, "")
    assert "nothing can be sent to this address" in refused.err
    assert command("channels").out == "Alerts go to the screen only.\n"
