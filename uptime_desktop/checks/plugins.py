"""Kinds of check that other packages bring, found by the entry-point group `uptime_desktop.checks`.

A package names a class (or a function) that makes a `CheckKind` without arguments. Its code is
not ours: it looks on threads of its own, so that one that blocks holds up nobody, and whatever
it raises or answers becomes an outcome.
"""

import asyncio
import contextlib
import logging
import sys
import traceback
from collections.abc import Collection, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from uptime_desktop.checks.base import AnyKind, FieldSpec
from uptime_desktop.checks.credentials import hidden_texts
from uptime_desktop.checks.failure import sentence
from uptime_desktop.checks.foreign_outcome import line, sound
from uptime_desktop.checks.net.workers import Workers
from uptime_desktop.checks.redaction import without
from uptime_desktop.domain.model import Outcome, Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status

GROUP: Final = "uptime_desktop.checks"
_MOST_AT_ONCE: Final = 8
_log = logging.getLogger(__name__)


def found_kinds(taken: Collection[str]) -> list[AnyKind]:
    """The kinds of installed packages; one that cannot be used is said in the log and left out."""
    found: dict[str, AnyKind] = {}
    for entry in entry_points(group=GROUP):
        try:
            # What a command prints is read by programs.
            with contextlib.redirect_stdout(sys.stderr):
                kind = Foreign(_loaded(entry))
            if kind.name in taken or kind.name in found:
                raise ValueError(f"there is a kind {kind.name} already")
        except BaseException as error:  # noqa: BLE001 - anyone's code, which may try to end us
            _log.warning("The plug-in %s cannot be used: %s", entry.name, _said(error))
        else:
            found[kind.name] = kind
    return list(found.values())


def _loaded(entry: EntryPoint) -> AnyKind:
    kind: AnyKind = entry.load()()
    if not str(kind.name).isidentifier():
        raise TypeError("its name is not a word")
    if not all(isinstance(field, FieldSpec) for field in kind.fields):
        raise TypeError("its fields are not field specs")
    return kind


@dataclass(frozen=True, slots=True)
class _Spec:
    """What the plug-in understood, and the secrets that must not come back."""

    inner: Any
    secrets: tuple[str, ...]


class Foreign:
    """A kind of another package, kept at a distance."""

    is_passive: bool = False

    def __init__(self, kind: AnyKind) -> None:
        self.name: str = kind.name
        self.label: str = line(str(kind.label))
        self.fields: tuple[FieldSpec, ...] = tuple(kind.fields)
        self._kind = kind
        self._workers = Workers(_MOST_AT_ONCE)
        self._under_way = 0

    def parse(self, settings: Mapping[str, Setting]) -> _Spec:
        secrets = hidden_texts(self.fields, settings)
        try:
            return _Spec(self._kind.parse(settings), secrets)
        except Refused:
            raise
        except Exception as error:  # noqa: BLE001 - anyone's code
            said = without(_said(error), secrets)
            raise Refused("kind", "{value} failed", "{said}", value=self.name, said=said) from None

    def origin(self, spec: _Spec) -> str:
        try:
            return str(self._kind.origin(spec.inner))
        except Exception:  # noqa: BLE001 - anyone's code
            return self.name

    def describe(self, spec: _Spec) -> str:
        try:
            return line(str(self._kind.describe(spec.inner)), spec.secrets)
        except Exception:  # noqa: BLE001 - anyone's code
            return self.name

    async def check(self, spec: _Spec, timeout_s: float) -> Outcome:
        if self._under_way >= _MOST_AT_ONCE:
            reason = sentence("{kind} is still busy with earlier checks", kind=self.name)
            return Outcome(Status.UNKNOWN, reason)
        look = _Look(self._kind, spec, timeout_s)
        self._under_way += 1
        loop = asyncio.get_running_loop()
        look.over.add_done_callback(lambda _: _soon(loop, self._ended))
        self._workers.submit(look.run)
        try:
            return await asyncio.wrap_future(look.over)
        except asyncio.CancelledError:
            look.stop()
            raise

    def _ended(self) -> None:
        self._under_way -= 1


class _Look:
    """One check on a thread, with an event loop of its own."""

    def __init__(self, kind: AnyKind, spec: _Spec, timeout_s: float) -> None:
        self._kind = kind
        self._spec = spec
        self._timeout_s = timeout_s
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None
        self.over: Future[Outcome] = Future()
        # Marked as running, so that a cancelled waiter cannot end it before the thread does.
        self.over.set_running_or_notify_cancel()

    def run(self) -> None:
        try:
            answer = sound(asyncio.run(self._look()), self._spec.secrets)
        except BaseException as error:  # noqa: BLE001 - anyone's code, on a thread that must go on
            if not isinstance(error, asyncio.CancelledError):
                told = without(traceback.format_exc(), self._spec.secrets)
                _log.error("The check %s failed: %s", self._kind.name, told)
            said = line(_said(error), self._spec.secrets)
            answer = Outcome(Status.DOWN, sentence("the check itself failed: {error}", error=said))
        self.over.set_result(answer)

    async def _look(self) -> object:
        task = asyncio.current_task()
        assert task is not None
        self._running = asyncio.get_running_loop(), task
        return await self._kind.check(self._spec.inner, self._timeout_s)

    def stop(self) -> None:
        """Ask it to stop; one that blocks does not hear it and keeps its thread."""
        if self._running is not None:
            loop, task = self._running
            _soon(loop, task.cancel)


def _soon(loop: asyncio.AbstractEventLoop, act: Any) -> None:
    # After the loop has ended nobody is left to tell.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(act)


def _said(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - anyone's code
        return type(error).__name__
