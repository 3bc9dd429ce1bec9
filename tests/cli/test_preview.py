"""`preview`, the contract that others test against."""

import json
from collections.abc import Callable
from typing import NamedTuple

import pytest

from uptime_desktop.cli import main

FROM = "2026-01-01T00:00:00Z"


class Printed(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Printed]


@pytest.fixture
def preview(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("TZ", "America/New_York")

    def run(*arguments: str) -> Printed:
        code = main(["preview", *arguments])
        return Printed(code, *capsys.readouterr())

    return run


def seconds_after_midnight(document: str) -> list[int]:
    return [
        int(run[11:13]) * 3_600 + int(run[14:16]) * 60 + int(run[17:19])
        for run in json.loads(document)["runs"]
    ]


@pytest.mark.parametrize(
    ("arguments", "runs", "delay_ms"),
    [
        ("--every 60s", [60, 120, 180], (60_000, 54_000, 66_000)),
        ("--every 60s --failures 0", [60, 120, 180], (60_000, 54_000, 66_000)),
        ("--every 60s --failures 1", [120, 180, 240], (120_000, 108_000, 132_000)),
        ("--every 60s --failures 3", [480, 540, 600], (480_000, 432_000, 528_000)),
        ("--every 60s --failures 10000", [3600, 3660, 3720], (3_600_000, 3_240_000, 3_960_000)),
        ("--every 60s --failures 5 --backoff capped32", [1920, 1980, 2040],
            (1_920_000, 1_728_000, 2_112_000)),
        ("--every 2h --failures 4", [7200, 14400, 21600], (7_200_000, 6_480_000, 7_920_000)),
        ("--every 60s --failures 4 --backoff-cap 5m", [300, 360, 420], (300_000, 270_000, 330_000)),
        ("--every 60s --failures 1 --backoff ladder", [60, 120, 180], (60_000, 54_000, 66_000)),
        ("--every 60s --failures 2 --backoff ladder", [60, 120, 180], (60_000, 60_000, 66_000)),
        ("--every 60s --failures 5 --backoff ladder", [3600, 3660, 3720],
            (3_600_000, 3_600_000, 3_600_000)),
        ("--every 1h --failures 1 --backoff fixed", [300, 3900, 7500], (300_000,) * 3),
        ("--every 1h --failures 1 --backoff fixed --retry-delay 10s", [10, 3610, 7210],
            (10_000,) * 3),
        ("--every 60s --failures 9 --backoff fixed", [60, 120, 180], (60_000, 54_000, 66_000)),
        ("--every 60s --failures 9 --backoff none", [60, 120, 180], (60_000, 54_000, 66_000)),
        ("--every 5s", [5, 10, 15], (5_000, 5_000, 5_500)),
        ("--every 5005ms --jitter 0.1", [5, 10, 15], (5_005, 5_000, 5_506)),
        ("--every 60s --jitter 0", [60, 120, 180], (60_000, 60_000, 60_000)),
        ("--every 60s --jitter 0.5", [60, 120, 180], (60_000, 30_000, 90_000)),
        ("--every 60s --min-interval 90s", [90, 180, 270], (60_000, 90_000, 90_000)),
        ("--every 60s --failures 3 --max-interval 2m", [120, 180, 240],
            (480_000, 120_000, 120_000)),
        ("--every 60s --cadence grid", [60, 120, 180], (60_000,) * 3),
        ("--every 60s --cadence grid --anchor 2025-12-31T23:59:30Z", [30, 90, 150], (60_000,) * 3),
        ("--every 60s --anchor 2026-01-01T01:00:00Z", [3600, 3660, 3720], (60_000,) * 3),
        ("--every 60s --cadence grid --failures 2", [240, 300, 360], (240_000,) * 3),
        ("--cron *|*|*|*|* --tz UTC", [60, 120, 180], None),
        ("--cron 0|*|*|*|* --tz UTC --failures 3", [3600, 7200, 10800], None),
        ("--cron 0|*|*|*|* --tz UTC --failures 1 --backoff fixed", [300, 3600, 7200], None),
        ("--cron *|*|*|*|* --tz UTC --failures 3 --backoff ladder", [300, 360, 420], None),
        ("--cron 0|12|*|*|* --dialect posix --tz Europe/Berlin", [39600] * 3, None),
        ("--cron 0|12|*|*|*", [61200] * 3, None),  # noon in New York, the computer's own zone
        ("--at 2026-01-01T00:00:01Z", [1], None),
    ],
)  # fmt: skip
def test_what_it_prints(
    preview: Run, arguments: str, runs: list[int], delay_ms: tuple[int, int, int] | None
) -> None:
    words = [word.replace("|", " ") for word in arguments.split()]
    printed = preview(*words, "--from", FROM, "--count", "3", "--json")
    assert printed.code == 0
    assert printed.err == ""
    assert seconds_after_midnight(printed.out) == runs
    expected = (
        None if delay_ms is None else dict(zip(("target", "min", "max"), delay_ms, strict=True))
    )
    assert json.loads(printed.out).get("delay_ms") == expected


def test_the_json_is_exactly_as_promised(preview: Run) -> None:
    words = ("--cron", "30 2 * * *", "--tz", "Europe/Berlin", "--from", "2026-03-28T12:00:00Z")
    printed = preview(*words, "--count", "2", "--json")
    assert printed.out == '{"runs": ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]}\n'


def test_without_json_it_is_a_table_for_people(preview: Run) -> None:
    printed = preview("--every", "252s", "--from", FROM, "--count", "2", "--failures", "0")
    assert printed.out.splitlines() == [
        "Local time (America/New_York)  UTC                   After 2026-01-01T00:00:00Z",
        "2025-12-31 19:04:12-05:00      2026-01-01T00:04:12Z  in 4 min 12 s",
        "2025-12-31 19:08:24-05:00      2026-01-01T00:08:24Z  in 8 min 24 s",
        "",
        "Waits 4 min 12 s, with jitter and limits 3 min 46 s to 4 min 37 s.",
    ]


def test_runs_start_from_now_unless_told(preview: Run) -> None:
    printed = preview("--at", "2999-01-01T00:00:00Z", "--json")
    assert json.loads(printed.out) == {"runs": ["2999-01-01T00:00:00Z"]}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--every", "3s"], "--every: 3 s is too short. Allowed: 5 s to 30 d."),
        (["--every", "31d"], "--every: 31 d is too long. Allowed: 5 s to 30 d."),
        (["--every", "9s", "--cadence", "grid"], "--every: 9 s is too short. Allowed: 10 s to 30"),
        (["--every", "soon"], "--every: 'soon' is not a duration. Allowed: a number with a unit,"),
        (
            ["--every", "60s", "--cadence", "x"],
            "--cadence: 'x' is not a choice. Allowed: after, gr",
        ),
        (["--every", "60s", "--backoff", "x"], "--backoff: 'x' is not a choice. Allowed: exponent"),
        (["--every", "60s", "--jitter", "0.6"], "--jitter: '0.6' is not a fraction in range. Allo"),
        (
            ["--every", "60s", "--count", "0"],
            "--count: '0' is not a whole number in range. Allowed",
        ),
        (["--every", "60s", "--failures", "-1"], "--failures: '-1' is not a whole number in range"),
        (
            ["--every", "60s", "--retry-delay", "1s"],
            "--retry-delay: 1 s is too short. Allowed: 5 s",
        ),
        (
            ["--every", "60s", "--backoff-cap", "1s"],
            "--backoff-cap: 1 s is too short. Allowed: 5 s",
        ),
        (
            ["--every", "60s", "--min-interval", "2m", "--max-interval", "1m"],
            "--min-interval: 2 min is too long. Allowed: 5 s to 1 min.",
        ),
        (["--every", "60s", "--tz", "UTC"], "--tz: 'UTC' has no meaning here. Allowed: only with"),
        (["--every", "60s", "--dialect", "posix"], "--dialect: 'posix' has no meaning here"),
        (["--cron", "@daily", "--anchor", FROM], f"--anchor: '{FROM}' has no meaning here"),
        (["--at", "2027-01-01T00:00:00Z", "--cadence", "grid"], "--cadence: 'grid' has no meaning"),
        (
            ["--every", "60s", "--cadence", "after", "--anchor", FROM],
            f"--anchor: '{FROM}' has no meaning here. Allowed: only with a grid.",
        ),
        (["--cron", "61 * * * *"], "--cron: minute '61' is out of range. Allowed: 0 to 59."),
        (
            ["--cron", "@daily", "--tz", "Mars"],
            "--tz: 'Mars' is not a known time zone. Allowed: an",
        ),
        (
            ["--cron", "@daily", "--dialect", "x"],
            "--dialect: 'x' is not a choice. Allowed: extended",
        ),
        (["--at", FROM], f"--at: '{FROM}' is past. Allowed: a time to come."),
        (["--at", "2027-01-01T00:00:00"], "--at: '2027-01-01T00:00:00' is not an instant with an"),
        (["--every", "30d", "--count", "99999"], "--count: 99999 runs go past the year 9999. Allo"),
        (["--cron", "0 0 29 2 *", "--count", "9999"], "--count: 9999 runs go past the year 9999."),
        (["--every", "60s\nsecond line"], "--every: '60s\\nsecond line' is not a duration"),
        ([], "one of the arguments --every --cron --at is required"),
        (["--every", "60s", "--at", FROM], "argument --at: not allowed with argument --every"),
        (["--every"], "argument --every: expected one argument"),
        (["--evry", "60s"], "one of the arguments --every --cron --at is required"),
        (["--every", "60s", "--what\n"], "unrecognized arguments: --what\\n"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(
    preview: Run, arguments: list[str], line: str
) -> None:
    printed = preview(*arguments, "--from", FROM)
    assert printed.code == 2
    assert printed.out == ""
    assert printed.err.startswith(f"uptime-desktop: {line}")
    assert printed.err.count("\n") == 1
    assert printed.err.endswith("\n")


def test_a_bad_start_is_refused(preview: Run) -> None:
    printed = preview("--every", "60s", "--from", "yesterday")
    assert printed.code == 2
    assert printed.err.startswith("uptime-desktop: --from: 'yesterday' is not an instant with an")


def test_a_list_of_a_hundred_thousand_terms_is_not_repeated(preview: Run) -> None:
    printed = preview("--cron", "0," * 100_000 + "0 * * * *")
    assert printed.code == 2
    assert len(printed.err) < 200
