"""A configuration file that is the truth: what is watched is what it says, as long as we run."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from uptime_desktop.declaring import Declaring, Plan
from uptime_desktop.definitions import Definitions, Owner
from uptime_desktop.domain.refusal import Told, UserError
from uptime_desktop.domain.wording import Say, Sentence
from uptime_desktop.engine.clock import Clock
from uptime_desktop.exchange.declared.difference import Difference
from uptime_desktop.exchange.declared.telling import difference_lines, difference_view
from uptime_desktop.exchange.reading import read_bytes, text_of

_LOOK_EVERY_MS: Final = 500
_SETTLES_MS: Final = 200
_SETTLES_LONGER_MS: Final = 1_000
"""How long a file is left alone before it is taken for written, and then once more if something
would go with its history: the rest of it may still come."""

_TRY_AGAIN_MS: Final = 10_000
_LONGEST_MS: Final = 600_000
_MOST_TOLD: Final = 50
_log = logging.getLogger(__name__)

Mark = tuple[int, ...]


class Differs(UserError):
    """A file says something else than what is stored, and nobody said that it may."""

    def __init__(self, path: Path, differences: Sequence[Difference]):
        super().__init__(path, differences)
        self.path = path
        self.differences = differences

    def lines(self, say: Say = str) -> list[str]:
        return [self.text(say), *difference_lines(map(difference_view, self.differences), say)]

    def text(self, say: Say = str) -> str:
        return Sentence(
            "{path} differs from what is stored; --accept-changes makes it so", path=str(self.path)
        ).text(say)


class DeclaredFile:
    def __init__(
        self,
        path: Path,
        declaring: Declaring,
        definitions: Definitions,
        clock: Clock,
        faulty: Callable[[], None],
    ) -> None:
        self.path = path
        self.error: UserError | None = None
        """Why the file was not taken as it is now; `fault` says it in a sentence."""
        self.fault: str | None = None
        self._declaring = declaring
        self._definitions = definitions
        self._clock = clock
        self._faulty = faulty
        self._seen: Mark | None = None
        self._is_over = False
        self._try_again_at = 0
        self._patience_ms = _TRY_AGAIN_MS

    async def take(self, *, accept_changes: bool) -> None:
        """Begin with what the file says; refused if that is something else than what is stored.

        In a database without anything nothing can differ.
        """
        self._seen = await asyncio.to_thread(_mark, self.path)
        text = await self._text()
        async with self._definitions.changing():
            plan = await self._declaring.plan(text, str(self.path))
            if plan.differences and not (accept_changes or self._declaring.is_untouched()):
                raise Differs(self.path, plan.differences)
            await self._make_so(plan)

    async def follow(self) -> None:
        """Take the file again whenever it was written, until it is let go."""
        while not self._is_over:
            await self._pass(_LOOK_EVERY_MS)
            mark = await asyncio.to_thread(_mark, self.path)
            # What is wrong need not be in the file: a secret may be missing, or the disk full.
            is_due = self.error is not None and self._clock.monotonic() >= self._try_again_at
            if mark == self._seen and not is_due:
                continue
            was_written = mark != self._seen
            longer = min(self._patience_ms * 2, _LONGEST_MS)
            self._patience_ms = _TRY_AGAIN_MS if was_written else longer
            await self._pass(_SETTLES_MS)
            if mark != await asyncio.to_thread(_mark, self.path):
                continue
            if not await self._take_again(may_remove=False):
                await self._pass(_SETTLES_LONGER_MS)
                if mark != await asyncio.to_thread(_mark, self.path):
                    continue
                await self._take_again(may_remove=True)
            self._seen = mark

    async def _pass(self, ms: int) -> None:
        # An event of its own: the clock sets it when the time is up.
        await self._clock.wait(ms, asyncio.Event())

    def try_again(self) -> None:
        self._try_again_at = 0

    def let_go(self) -> None:
        """From now on what is stored is the truth; it is what the file said last."""
        self._is_over = True
        self._definitions.owner = None
        self._say(None)
        self._definitions.redefined()

    async def _take_again(self, *, may_remove: bool) -> bool:
        """Have it be as the file says now, and say it if that cannot be; whether that is settled,
        and not left for when monitors may go."""
        try:
            text = await self._text()
            async with self._definitions.changing(by_owner=True):
                plan = await self._declaring.plan(text, str(self.path))
                if self._is_over:
                    return True
                if plan.changes.removed and not may_remove:
                    return False
                await self._make_so(plan)
        except UserError as error:
            if self._is_over:
                return True
            self._try_again_at = self._clock.monotonic() + self._patience_ms
            self._say(error)
        else:
            self._say(None)
            self._tell(plan)
        return True

    def _tell(self, plan: Plan) -> None:
        _log.info("%s was written; differences taken: %s", self.path, len(plan.differences))
        for line in difference_lines(map(difference_view, plan.differences[:_MOST_TOLD])):
            if not line.startswith(" "):
                _log.info("%s", line)

    async def _make_so(self, plan: Plan) -> None:
        await self._declaring.carry_out(plan)
        owner = Owner(self.path, plan.switches, plan.named)
        if not self._is_over and owner != self._definitions.owner:
            self._definitions.owner = owner
            self._definitions.redefined()

    async def _text(self) -> str:
        content = await asyncio.to_thread(read_bytes, self.path)
        return text_of(content, self.path.name)

    def _say(self, error: UserError | None) -> None:
        before = [] if self.error is None else self.error.lines()
        self.error, self.fault = error, None
        lines = [] if error is None else error.lines()
        if error is not None:
            sentence = "What is watched stays as it was: {problem}"
            self.fault = Sentence(sentence, problem=Told(error))
        if lines == before:
            return
        if error is not None:
            _log.error("%s was not taken; what is watched stays as it was", self.path)
        for line in lines:
            _log.error("%s", line)
        self._faulty()


def _mark(path: Path) -> Mark | None:
    """What changes when a file is written, also by putting another in its place."""
    try:
        found = path.stat()
    except OSError:
        return None
    about_content = found.st_mtime_ns, found.st_size, found.st_ino
    # Who may read it may be what was wrong.
    return *about_content, found.st_mode, found.st_uid, found.st_gid
