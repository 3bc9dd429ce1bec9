"""Uptime Kuma, which tells its monitors as metrics to those who sign in, on status pages to all."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.remote.dialect import (
    Dialect,
    NotThisServer,
    RemoteMonitor,
    SignIn,
    decoded,
    named,
    require_few,
)
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words

_TITLE: Final = "Uptime Kuma"
_STATES: Final[dict[float, tuple[str, Status | None]]] = {
    0: ("down", Status.DOWN),
    1: ("up", Status.UP),
    2: ("pending", Status.DEGRADED),
    3: ("maintenance", None),
}
_NO_STATE: Final = ("unknown", None)
_METRIC: Final = "monitor_status"
_SAMPLE: Final = "\n" + _METRIC + "{"
_TEXT: Final = r'"(?:[^"\\]++|\\.)*+"'
# Nothing is tried twice, so that a hostile line takes no longer than another.
_LINE: Final = re.compile(
    rf"(?:(?!monitor_name=)\w++={_TEXT},)*+"
    rf"monitor_name=({_TEXT})"
    rf"(?:,\w++={_TEXT})*+,?\}}\s++(\S++)"
)
_ESCAPE: Final = re.compile(r"\\(.)")


def read_metrics(bodies: Sequence[bytes]) -> list[RemoteMonitor]:
    """The text format of Prometheus, of which one metric matters."""
    text = "\n" + bodies[0].decode("utf-8", "replace")
    found = []
    for line in _samples(text):
        match = _LINE.match(line)
        if match is None:
            raise Failed("the answer is damaged: a line of the metrics cannot be read")
        found.append(RemoteMonitor(_name(match[1]), *_state(match[2])))
        require_few(len(found))
    if not found and f"\n# TYPE {_METRIC} " not in text:
        raise NotThisServer
    return found


def _samples(text: str) -> Iterator[str]:
    at = text.find(_SAMPLE)
    while at >= 0:
        begin = at + len(_SAMPLE)
        end = text.find("\n", begin)
        yield text[begin : end if end >= 0 else len(text)]
        at = text.find(_SAMPLE, begin)


def _name(quoted: str) -> str:
    text = quoted[1:-1]
    return named(_ESCAPE.sub(_unescaped, text) if "\\" in text else text)


def _unescaped(escape: re.Match[str]) -> str:
    return "\n" if escape[1] == "n" else escape[1]


def _state(value: str) -> tuple[str, Status | None]:
    try:
        number = float(value)
    except ValueError:
        return _NO_STATE
    return _STATES.get(number, _NO_STATE)


class _Monitor(msgspec.Struct):
    id: int
    name: str


class _Group(msgspec.Struct, rename="camel"):
    monitor_list: list[_Monitor]


class _Page(msgspec.Struct, rename="camel"):
    public_group_list: list[_Group]


class _Beat(msgspec.Struct):
    status: int


class _Beats(msgspec.Struct, rename="camel"):
    # A page that shows days has 0 for a time without any beat.
    heartbeat_list: dict[str, list[_Beat | int]]


def read_status_page(bodies: Sequence[bytes]) -> list[RemoteMonitor]:
    """The names are on one page, the last beats of each, oldest first, on another."""
    page, beats = decoded(bodies[0], _Page), decoded(bodies[1], _Beats)
    monitors = {one.id: one for group in page.public_group_list for one in group.monitor_list}
    require_few(len(monitors))
    found = []
    for number, monitor in monitors.items():
        history = beats.heartbeat_list.get(str(number), [])
        last = next((beat for beat in reversed(history) if isinstance(beat, _Beat)), None)
        state, status = _STATES.get(last.status, _NO_STATE) if last else ("new", None)
        name = named(monitor.name)
        found.append(RemoteMonitor(name, state, status, aliases=(str(number),)))
    return found


METRICS: Final = Dialect(
    "kuma-metrics",
    _TITLE,
    SignIn.KEY_AS_PASSWORD,
    re.compile(r"(?P<base>.*/)(?:metrics|dashboard(?:/\d+)?)/?"),
    ("",),
    lambda _: ("metrics",),
    read_metrics,
)
STATUS_PAGE: Final = Dialect(
    "kuma-status-page",
    _TITLE,
    SignIn.PASSWORD,
    re.compile(r"(?P<base>.*/)(?:status|api/status-page(?:/heartbeat)?)/(?P<detail>[^/]+)/?"),
    ("default",),
    lambda slug: (f"api/status-page/{slug}", f"api/status-page/heartbeat/{slug}"),
    read_status_page,
    words("no {server} server answers here, or it has no status page '{detail}'"),
)
