"""Gatus, which tells all its endpoints on one page, each with its latest results."""

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

# Pages divide the results of each endpoint, not the endpoints: the newest one is enough.
_PAGE: Final = "api/v1/endpoints/statuses?page=1&pageSize=1"


class _Condition(msgspec.Struct):
    condition: str = ""
    success: bool = False


class _Result(msgspec.Struct, rename="camel"):
    success: bool
    errors: list[str] | None = None
    condition_results: list[_Condition] | None = None


class _Endpoint(msgspec.Struct):
    key: str
    results: list[_Result] | None
    name: str = ""
    group: str = ""


def read(bodies: Sequence[bytes]) -> list[RemoteMonitor]:
    # A server without any endpoint says null.
    endpoints = decoded(bodies[0], list[_Endpoint] | None) or []  # type: ignore[arg-type]
    require_few(len(endpoints))
    return [_monitor(endpoint) for endpoint in endpoints]


def _monitor(endpoint: _Endpoint) -> RemoteMonitor:
    name, key = endpoint.name, endpoint.key
    shown = named(f"{endpoint.group}/{name}" if endpoint.group and name else name, key)
    if not endpoint.results:
        return RemoteMonitor(shown, "new", None, aliases=(name, key))
    last = endpoint.results[-1]
    if last.success:
        return RemoteMonitor(shown, "up", Status.UP, aliases=(name, key))
    return RemoteMonitor(shown, "down", Status.DOWN, _why(last), (name, key))


def _why(result: _Result) -> str:
    missed = (one.condition for one in result.condition_results or () if not one.success)
    return tame(next((why for why in (*(result.errors or ()), *missed) if why), ""))


GATUS: Final = Dialect(
    "gatus",
    "Gatus",
    SignIn.PASSWORD,
    re.compile(r"(?P<base>.*/)api/v1/endpoints/statuses/?"),
    ("",),
    lambda _: (_PAGE,),
    read,
)
