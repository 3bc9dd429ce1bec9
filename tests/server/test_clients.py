"""Clients people use, unchanged: what they send is heard, and our answers satisfy them."""

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio

from tests.server.rig import BACKUP, PING_KEY, UNKNOWN_ID, Rig, listening
from uptime_desktop.domain.heartbeats import Signal

pytestmark = pytest.mark.asyncio

ID: Final = BACKUP.ping_id
HEALTHCHECKS_IO: Final = """
import sys
from healthchecks_io import CheckTrap, Client
from healthchecks_io.client import exceptions

url, uuid, unknown, key = sys.argv[1:]
client = Client(ping_url=url, ping_key=key)
print(client.start_ping(uuid=uuid))
print(client.success_ping(uuid=uuid, data="all is well"))
print(client.fail_ping(slug="backup"))
print(client.exit_code_ping(3, uuid=uuid))
with CheckTrap(client, uuid=uuid) as trap:
    trap.add_log("in the trap")
try:
    client.success_ping(uuid=unknown)
except exceptions.CheckNotFoundError:
    print("CheckNotFoundError")
try:
    for _ in range(60):
        client.success_ping(uuid=uuid)
except exceptions.HCAPIRateLimitError:
    print("HCAPIRateLimitError")
"""
NODE: Final = """
const { HealthChecksPingClient } = require('healthchecks-io-client');
const [baseUrl, uuid, unknown] = process.argv.slice(2);
(async () => {
  const client = new HealthChecksPingClient({ uuid, baseUrl, returnResponse: true });
  console.log(await client.start());
  console.log(await client.success('took 3 s'));
  console.log(await client.fail());
  try {
    await new HealthChecksPingClient({ uuid: unknown, baseUrl }).success();
  } catch (error) {
    console.log(error.name, error.statusCode);
  }
})();
"""
FAKE_BORG: Final = """#!/bin/sh
case "$*" in
  *--version*) echo "borg 1.4.0" ;;
  *--json*) echo "{}" ;;
esac
exit 0
"""
BORGMATIC: Final = """
source_directories: [{folder}]
repositories: [{{path: {folder}/repository}}]
local_path: {folder}/borg
healthchecks: {{ping_url: "{url}/{key}/nightly", create_slug: true, send_logs: true}}
uptime_kuma: {{push_url: "{url}/api/push/{id}"}}
commands: [{{before: action, when: [create], run: ["{command}"]}}]
"""


@pytest_asyncio.fixture
async def rig() -> AsyncIterator[Rig]:
    async with listening() as rig:
        yield rig


async def run(*words: str | Path, folder: Path | None = None) -> str:
    """What a program prints; it has to end well."""
    code, printed = await ended(*words, folder=folder)
    assert code == 0, printed
    return printed


async def ended(*words: str | Path, folder: Path | None = None) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        *words, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    printed, _ = await process.communicate()
    return process.returncode, printed.decode()


async def environment(folder: Path, package: str) -> Path:
    """The programs of an environment that has only this package."""
    await run(sys.executable, "-m", "venv", folder / "venv")
    await run(folder / "venv" / "bin" / "pip", "install", "--quiet", package)
    return folder / "venv" / "bin"


def signals(rig: Rig) -> list[Signal]:
    return [ping.signal for _, ping in rig.heard]


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
async def test_curl(rig: Rig, tmp_path: Path) -> None:
    url = f"{rig.url}/ping/{ID}"
    big = tmp_path / "log"
    big.write_text("line\n" * 300_000)
    silent = ("curl", "-fsS", "-m", "10", "--retry", "0")
    assert await run(*silent, url) == "OK"
    assert await run(*silent, "--data-raw", "some words", f"{url}/fail") == "OK"
    assert await run(*silent, "--data-binary", f"@{big}", f"{url}/0") == "OK"
    assert await run(*silent, "-I", f"{url}/start") != ""
    assert await run(*silent, "--http1.0", f"{rig.url}/{PING_KEY}/new?create=1") == "Created"
    gatus = f"{rig.url}/api/v1/endpoints/home_backup/external?success=true&duration=10s"
    assert await run(*silent, "-X", "POST", "-H", f"Authorization: Bearer {ID}", gatus) == ""
    code, printed = await ended(*silent, f"{rig.url}/ping/{UNKNOWN_ID}")
    assert (code, "404" in printed) == (22, True)
    assert signals(rig) == [
        Signal.SUCCESS,
        Signal.FAIL,
        Signal.SUCCESS,
        Signal.START,
        Signal.SUCCESS,
        Signal.SUCCESS,
    ]
    assert [len(ping.body) for _, ping in rig.heard][:3] == [0, 10, 10_000]
    assert rig.heard[-1][1].took_ms == 10_000.0


@pytest.mark.slow
async def test_the_healthchecks_io_package(rig: Rig, tmp_path: Path) -> None:
    programs = await environment(tmp_path, "healthchecks-io")
    words = (f"{rig.url}/ping/", ID, UNKNOWN_ID, PING_KEY)
    printed = await run(programs / "python", "-c", HEALTHCHECKS_IO, *words)
    assert printed.splitlines() == [
        "(True, 'OK')",
        "(True, 'OK')",
        "(True, 'OK')",
        "(True, 'OK')",
        "CheckNotFoundError",
        "HCAPIRateLimitError",
    ]
    assert signals(rig)[:6] == [
        Signal.START,
        Signal.SUCCESS,
        Signal.FAIL,
        Signal.FAIL,
        Signal.START,
        Signal.SUCCESS,
    ]
    assert [ping.body for _, ping in rig.heard][1] == "all is well"
    assert rig.heard[3][1].exit_code == 3
    assert rig.heard[5][1].body == "in the trap"


@pytest.mark.slow
async def test_borgmatic_reports_to_healthchecks_and_uptime_kuma(rig: Rig, tmp_path: Path) -> None:
    programs = await environment(tmp_path, "borgmatic")
    (tmp_path / "borg").write_text(FAKE_BORG)
    (tmp_path / "borg").chmod(0o700)
    for command in ("echo good", "false"):
        text = BORGMATIC.format(folder=tmp_path, url=rig.url, key=PING_KEY, id=ID, command=command)
        (tmp_path / "config.yaml").write_text(text)
        words = ("--config", tmp_path / "config.yaml", "create", "--verbosity", "1")
        code, printed = await ended(programs / "borgmatic", *words)
        assert (code == 0) == (command != "false")
        assert "error: 4" not in printed
    assert rig.created == ["nightly"]
    to_healthchecks = [ping for key, ping in rig.heard if key == ("pings", "nightly")]
    to_kuma = [ping for key, ping in rig.heard if key == BACKUP.key]
    assert [ping.signal for ping in to_healthchecks] == [
        Signal.START,
        Signal.LOG,
        Signal.SUCCESS,
        Signal.START,
        Signal.LOG,
        Signal.FAIL,
    ]
    assert [(ping.signal, ping.message) for ping in to_kuma] == [
        (Signal.SUCCESS, "start"),
        (Signal.SUCCESS, "finish"),
        (Signal.SUCCESS, "start"),
        (Signal.FAIL, "fail"),
    ]
    assert "Creating archive" in to_healthchecks[1].body
    assert "returned non-zero exit status 1" in to_healthchecks[5].body


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
async def test_the_healthchecks_io_client_of_npm(rig: Rig, tmp_path: Path) -> None:
    await run("npm", "install", "--silent", "healthchecks-io-client", folder=tmp_path)
    (tmp_path / "job.js").write_text(NODE)
    printed = await run("node", "job.js", rig.url, ID, UNKNOWN_ID, folder=tmp_path)
    assert printed.splitlines() == ["OK", "OK", "OK", "StatusCodeError 404"]
    assert signals(rig) == [Signal.START, Signal.SUCCESS, Signal.FAIL]
    assert rig.heard[1][1].body == "took 3 s"
