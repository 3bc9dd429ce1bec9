"""Healthchecks, which tells the checks of one project to those who have its API key."""

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from uptime_desktop.checks.remote.dialect import (
    Dialect,
    RemoteMonitor,
    SignIn,
    decoded,
    named,
    require_few,
    tame,
)
from uptime_desktop.domain.status import Status

_STATES: Final[dict[str, Status | None]] = {
    "up": Status.UP,
    # Under way; later versions say so beside the status.
    "started": Status.UP,
    "grace": Status.DEGRADED,
    "down": Status.DOWN,
    "paused": None,
    "new": None,
}


class _Check(msgspec.Struct):
    status: str
    name: str = ""
    slug: str = ""
    unique_key: str = ""
    last_ping: str | None = None


class _Checks(msgspec.Struct):
    checks: list[_Check]


def read(bodies: Sequence[bytes]) -> list[RemoteMonitor]:
    checks = decoded(bodies[0], _Checks).checks
    require_few(len(checks))
    return [_monitor(check) for check in checks]


def _monitor(check: _Check) -> RemoteMonitor:
    return RemoteMonitor(
        named(check.name, check.slug, check.unique_key[:8]),
        tame(check.status),
        _STATES.get(check.status),
        f"last ping {tame(check.last_ping)}" if check.last_ping else "",
        (check.slug, check.unique_key),
    )


HEALTHCHECKS: Final = Dialect(
    "healthchecks",
    "Healthchecks",
    SignIn.KEY,
    re.compile(r"(?P<base>.*/)(?:api/(?P<detail>v[1-3])/checks|projects/[^/]+/checks)/?"),
    # Old servers know the first version only; the answers are alike.
    ("v3", "v1"),
    lambda version: (f"api/{version}/checks/",),
    read,
    takes_query=True,
)
