"""What servers of monitors have in common: how they are asked, what they say of each monitor."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, NamedTuple, TypeVar

import msgspec

from uptime_desktop.checks.failure import Failed
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words

MOST_MONITORS: Final = 10_000
# Whoever shows a text cuts it, after all secrets are out of it; none is longer than this.
_MOST_READ: Final = 8_192
_NO_NAME: Final = "(no name)"

Shape = TypeVar("Shape")


class RemoteMonitor(NamedTuple):
    """One monitor of another server, in that server's words.

    `status` is None for one that does not count, as when it is paused. It answers to its name
    and to `aliases`.
    """

    name: str
    state: str
    status: Status | None
    detail: str = ""
    aliases: tuple[str, ...] = ()


class SignIn(Enum):
    """What a server may want of us besides, always, a user name and password."""

    PASSWORD = auto()
    KEY_AS_PASSWORD = auto()
    KEY = auto()


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way to ask a server.

    `own_path` matches the addresses that only such a server has, a `base` and maybe a `detail`
    in them; `details` are tried where it has none. `pages` are to be requested one after the
    other, below the base; `read` gets all their bodies and may be called on another thread.
    """

    key: str
    title: str
    sign_in: SignIn
    own_path: re.Pattern[str]
    details: tuple[str, ...]
    pages: Callable[[str], tuple[str, ...]]
    read: Callable[[Sequence[bytes]], list[RemoteMonitor]]
    absence: str = words("no {server} server answers here")
    takes_query: bool = False


class NotThisServer(Exception):
    """The answer is not one that such a server gives."""


def decoded(data: bytes, shape: type[Shape]) -> Shape:
    """JSON of a known shape, whatever else is in it."""
    try:
        return msgspec.json.decode(data, type=shape)
    except msgspec.ValidationError:
        raise NotThisServer from None
    except msgspec.DecodeError:
        if data.lstrip()[:1] not in {b"{", b"["}:
            raise NotThisServer from None
        raise Failed("the answer is damaged: it is not JSON") from None
    except RecursionError:
        raise Failed("the answer is nested too deeply") from None


def require_few(count: int) -> None:
    if count > MOST_MONITORS:
        raise Failed("the server has more than {most} monitors", most=MOST_MONITORS)


def named(*names: str) -> str:
    """The first of these that is a name."""
    for name in names:
        if shown := tame(name):
            return shown
    return _NO_NAME


def tame(text: str) -> str:
    """On one line: others chose it."""
    text = text[:_MOST_READ]
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    return text.strip()
