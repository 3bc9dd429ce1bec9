"""The notices that are up, one to a place, and what is done when one of them is answered."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from uptime_desktop.alerts.notice import Answer, NotDelivered, Notice, Notifier
from uptime_desktop.domain.alerts import Desk, Key
from uptime_desktop.domain.model import HOUR_MS
from uptime_desktop.domain.refusal import UserError

SNOOZE_MS: Final = HOUR_MS
_log = logging.getLogger(__name__)

Place = int | str | None
"""The number of a monitor, the name of something else, or None for the program itself."""

Fallback = Callable[[str, str], bool]
"""Shows a title and a text some other way; whether a person can have seen it."""


class Board:
    def __init__(
        self,
        notifier: Notifier,
        desk: Desk,
        on_open: Callable[[Key | None], None],
        fallback: Fallback,
    ) -> None:
        self._notifier = notifier
        self._desk = desk
        self._on_open = on_open
        self._fallback = fallback
        self._handles: dict[Place, str] = {}
        self._answering: set[asyncio.Task[None]] = set()

    @property
    def places(self) -> Iterable[Place]:
        """Where something is up, if nobody took it away."""
        return tuple(self._handles)

    async def show(self, place: Place, notice: Notice, key: Key | None) -> str | None:
        """Put it in the place of whatever was there; why a person cannot know, if so."""
        await self.clear(place)
        try:
            self._handles[place] = await self._notifier.show(notice, partial(self._answer, key))
        except NotDelivered as problem:
            if self._fallback(notice.title, notice.text):
                return None
            _log.warning("%s: nobody could be told, because %s", notice.title, problem)
            return str(problem)
        return None

    async def clear(self, place: Place) -> None:
        handle = self._handles.pop(place, None)
        if handle is not None:
            await self._notifier.clear(handle)

    async def close(self) -> None:
        for task in self._answering:
            task.cancel()
        await asyncio.gather(*self._answering, return_exceptions=True)
        await self._notifier.close()

    def _answer(self, key: Key | None, answer: Answer) -> None:
        task = asyncio.get_running_loop().create_task(self._do(key, answer))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _do(self, key: Key | None, answer: Answer) -> None:
        try:
            match answer, key:
                case Answer.OPEN, _:
                    self._on_open(key)
                case Answer.CHECK_NOW, (_, _):
                    self._desk.check_now(key)
                case Answer.ACKNOWLEDGE, (_, _):
                    await self._desk.acknowledge(key)
                case Answer.SNOOZE, (_, _):
                    await self._desk.snooze(key, SNOOZE_MS)
        except UserError as error:
            _log.warning("The answer to a notice could not be taken: %s", error)
        except Exception:  # noqa: BLE001 - nobody waits for this task
            _log.exception("The answer to a notice failed")
