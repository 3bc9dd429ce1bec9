"""Kinds of check that other packages bring: found, used, and kept from hurting the rest."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.checks.plugins import Foreign
from uptime_desktop.domain.model import Evidence, Outcome, Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status

PACKAGE = '''
"""A kind of check in a package of its own."""
from uptime_desktop.checks.base import FieldSpec, FieldType, parse_fields
from uptime_desktop.domain.model import Outcome
from uptime_desktop.domain.status import Status
from pathlib import Path

class FileKind:
    name = "file"
    label = "A file that must be there"
    is_passive = False
    fields = (
        FieldSpec("path", FieldType.TEXT, "its path", is_target=True, is_required=True),
        FieldSpec("least", FieldType.WHOLE, "bytes it must have", 0),
    )

    def parse(self, settings):
        return Path(parse_fields(self.fields, settings)["path"])

    def origin(self, spec):
        return "disk"

    def describe(self, spec):
        return str(spec)

    async def check(self, spec, timeout_s):
        return Outcome(Status.UP if spec.exists() else Status.DOWN, "looked")

def broken():
    raise RuntimeError("it cannot be made")
'''
ENTRIES = "[uptime_desktop.checks]\nfile = sample_kind:FileKind\nbroken = sample_kind:broken\n"
ENTRIES += "absent = no_such_module:Kind\nhttp = uptime_desktop.checks.tcp:TcpKind\n"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package as an installer leaves it: a module, and a folder that tells about it."""
    folder = tmp_path / "packages"
    about = folder / "sample_kind-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "sample_kind.py").write_text(PACKAGE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: sample-kind\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRIES)
    return folder


def test_an_installed_package_brings_a_kind_and_broken_ones_are_left_out(
    package: Path, tmp_path: Path
) -> None:
    def command(*words: str) -> subprocess.CompletedProcess[str]:
        begin = "import sys; sys.path.append(sys.argv.pop(1)); from uptime_desktop.cli import main"
        return subprocess.run(
            [sys.executable, "-c", f"{begin}; sys.exit(main())", str(package), *words],
            env={"UPTIME_DESKTOP_DB": str(tmp_path / "uptime.db"), "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )

    here, gone = tmp_path / "here", tmp_path / "gone"
    here.touch()
    added = command("add", "--kind", "file", str(here), str(gone), "--retries", "0")
    assert added.returncode == 0, added.stderr
    for problem in ("broken", "absent", "http"):
        assert f"The plug-in {problem} cannot be used" in added.stderr
    results = json.loads(command("check", "--json").stdout)["results"]
    assert [one["status"] for one in results] == ["up", "down"]
    assert "A file that must be there" in command("add", "--help").stdout


class Sample:
    """Does on `check` what its setting says."""

    name = "sample"
    label = "Sample"
    is_passive = False
    fields = (
        FieldSpec("act", FieldType.TEXT, "what to do", is_target=True),
        FieldSpec("key", FieldType.TEXT, "a key", is_secret=True, is_password=True),
    )

    def __init__(self) -> None:
        self.free = threading.Event()

    def parse(self, settings: Mapping[str, Setting]) -> str:
        act = str(settings["act"])
        if act == "unparsable":
            raise ZeroDivisionError(settings["key"])
        return f"{act} {settings.get('key', '')}"

    def origin(self, spec: str) -> str:
        raise LookupError(spec)

    def describe(self, spec: str) -> str:
        return spec

    async def check(self, spec: str, _timeout_s: float) -> Outcome:
        match spec.split(maxsplit=1)[0]:
            case "raise":
                raise ValueError(f"no luck with {spec}")
            case "exit":
                sys.exit(3)
            case "nonsense":
                return "up"  # type: ignore[return-value]
            case "block":
                self.free.wait(30)
            case "hang":
                await asyncio.Event().wait()
            case "leak":
                return Outcome(Status.DOWN, spec, evidence=Evidence(body=spec, repeat_with=spec))
        return Outcome(Status.UP, "fine")


@pytest.fixture
def sample() -> Sample:
    return Sample()


async def look(kind: Foreign, act: str, timeout_s: float = 5, key: str = "sesame") -> Outcome:
    spec = kind.parse({"act": act, "key": key})
    async with asyncio.timeout(timeout_s):
        return await kind.check(spec, timeout_s)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("act", "status", "reason"),
    [
        ("well", Status.UP, "fine"),
        ("raise", Status.DOWN, "the check itself failed: ValueError: no luck with raise ***"),
        ("exit", Status.DOWN, "the check itself failed: SystemExit: 3"),
        ("nonsense", Status.DOWN, "it answered str, not an Outcome"),
        ("leak", Status.DOWN, "leak ***"),
    ],
)
async def test_whatever_it_does_there_is_an_outcome_without_its_secrets(
    sample: Sample,
    act: str,
    status: Status,
    reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    outcome = await look(Foreign(sample), act)
    assert (outcome.status, reason in outcome.reason) == (status, True), outcome
    assert "sesame" not in repr(outcome) + caplog.text


async def recovers(kind: Foreign) -> bool:
    """Whether its threads come back; the last of them takes a moment."""
    for _ in range(1_000):
        if (await look(kind, "well")).status is Status.UP:
            return True
        await asyncio.sleep(0.01)
    return False


@pytest.mark.asyncio
async def test_one_that_blocks_holds_up_nobody_and_says_so_when_no_thread_is_left(
    sample: Sample,
) -> None:
    kind = Foreign(sample)
    began = time.monotonic()
    for _ in range(8):
        with pytest.raises(TimeoutError):
            await look(kind, "block", timeout_s=0.01)
    assert time.monotonic() - began < 10
    busy = await look(kind, "well")
    assert (busy.status, busy.reason) == (
        Status.UNKNOWN,
        "sample is still busy with earlier checks",
    )
    sample.free.set()
    assert await recovers(kind)


@pytest.mark.asyncio
async def test_one_that_waits_is_cancelled_and_gives_its_thread_back(sample: Sample) -> None:
    kind = Foreign(sample)
    for _ in range(20):
        with pytest.raises(TimeoutError):
            await look(kind, "hang", timeout_s=0.01)
        assert await recovers(kind)


def test_one_that_cannot_read_its_settings_refuses_them(sample: Sample) -> None:
    with pytest.raises(Refused) as refused:
        Foreign(sample).parse({"act": "unparsable", "key": "sesame"})
    assert "ZeroDivisionError" in str(refused.value)
    assert "sesame" not in str(refused.value)
    kind = Foreign(sample)
    assert kind.origin(kind.parse({"act": "well", "key": "sesame"})) == "sample"
    assert kind.describe(kind.parse({"act": "well", "key": "sesame"})) == "well ***"
