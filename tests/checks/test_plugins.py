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

print("loaded with noise")

def broken():
    raise RuntimeError("it cannot be made")

def leaving():
    raise SystemExit(7)

def interrupting():
    raise KeyboardInterrupt
'''
ENTRIES = "[uptime_desktop.checks]\nfile = sample_kind:FileKind\nbroken = sample_kind:broken\n"
ENTRIES += "leaving = sample_kind:leaving\ninterrupting = sample_kind:interrupting\n"
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
    for problem in ("broken", "leaving", "interrupting", "absent", "http"):
        assert f"The plug-in {problem} cannot be used" in added.stderr
    results = json.loads(command("check", "--json").stdout)["results"]
    assert [one["status"] for one in results] == ["up", "down"]
    assert "loaded with noise" in added.stderr
    assert "A file that must be there" in command("add", "--help").stdout
    (package / "sample_kind-1.0.dist-info" / "entry_points.txt").write_text("")
    left = json.loads(command("list", "--json").stdout)["monitors"][0]["id"]
    shown = command("show", left, "--json")
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["definition"]["path"] == str(here)


class _Unsayable(Exception):
    def __str__(self) -> str:
        raise RuntimeError


WRONG: Mapping[str, Mapping[str, object]] = {
    "status": {"status": "fine"},
    "pending": {"status": Status.PENDING},
    "no_status": {"status": None},
    "reason": {"reason": 5},
    "response_ms": {"response_ms": float("nan")},
    "negative": {"response_ms": -1},
    "text_ms": {"response_ms": "12"},
    "evidence": {"evidence": {"body": "x"}},
    "body": {"evidence": Evidence(body=b"x")},  # type: ignore[arg-type]
    "headers": {"evidence": Evidence(headers=(("a", "b", "c"),))},  # type: ignore[arg-type]
    "timings": {"evidence": Evidence(timings_ms=(("dns", float("inf")),))},
    "unmet": {"evidence": Evidence(unmet=("x",))},  # type: ignore[arg-type]
}
"""What is wrong with an answer that is otherwise well."""

LONG = "\x1b[2J\ud800\n" + "x" * 9_000
ANSWERS = {
    name: Outcome(**{"status": Status.UP, **wrong})  # type: ignore[arg-type]
    for name, wrong in WRONG.items()
}
ANSWERS["long"] = Outcome(
    Status.UP,
    LONG,
    12,
    attempts=-5,
    evidence=Evidence((("dns", 1),) * 900, LONG, LONG, ((LONG, LONG),), LONG),
)


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
            case "unsayable":
                raise _Unsayable
            case answer if answer in ANSWERS:
                return ANSWERS[answer]
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


@pytest.mark.asyncio
@pytest.mark.parametrize("answer", WRONG)
async def test_an_answer_that_cannot_be_kept_is_a_failure_of_the_check(
    sample: Sample, answer: str
) -> None:
    outcome = await look(Foreign(sample), answer)
    assert outcome.status is Status.DOWN
    assert outcome.reason.startswith("the check itself failed: TypeError: it answered with a wrong")


@pytest.mark.asyncio
async def test_what_it_says_is_cut_and_cleaned(sample: Sample) -> None:
    outcome = await look(Foreign(sample), "long")
    seen = outcome.evidence
    assert seen is not None
    assert (outcome.status, outcome.response_ms, outcome.attempts) == (Status.UP, 12.0, 1)
    for text in (outcome.reason, seen.address, seen.status_line, *seen.headers[0]):
        assert text.startswith("\ufffd[2J\ufffd x")
        assert len(text) <= 1_000
    assert seen.body.startswith("\ufffd[2J\ufffd\nx")
    assert len(seen.body) == 2_048
    assert len(seen.timings_ms) == 100


@pytest.mark.asyncio
async def test_no_half_of_a_secret_is_left_where_a_text_is_cut(sample: Sample) -> None:
    key = "begin\nof-a-long-key" * 40
    outcome = await look(Foreign(sample), "leak " + "x" * 700, key=key)
    assert "begin" not in repr(outcome)


@pytest.mark.asyncio
async def test_an_error_that_cannot_be_said_is_named(sample: Sample) -> None:
    outcome = await look(Foreign(sample), "unsayable")
    assert outcome.reason == "the check itself failed: _Unsayable"


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
