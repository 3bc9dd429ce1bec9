"""Shows notices by the notification centre of Windows or macOS; implements `notice.Notifier`.

Loaded with the first notice. On Linux the same library would hide failures and lose track of a
notice once it is answered; there `freedesktop` speaks for itself.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Final

from desktop_notifier import DEFAULT_SOUND, Button, DesktopNotifier, Icon
from desktop_notifier.main import get_backend_class

from uptime_desktop.alerts.notice import APP_TITLE, Answer, NotDelivered, Notice, picture
from uptime_desktop.config import resource
from uptime_desktop.i18n import tr
from uptime_desktop.long_work import soon

_ANSWER_WITHIN_S: Final = 10.0
_log = logging.getLogger(__name__)
# With a traceback it tells what `NotDelivered` tells in a sentence.
logging.getLogger("desktop_notifier").setLevel(logging.ERROR)
# The other half of the library, which it loads by itself only when it is used.
get_backend_class()


class SystemNotices:
    def __init__(self) -> None:
        self._centre: DesktopNotifier | None = None

    async def show(self, notice: Notice, answered: Callable[[Answer], None]) -> str:
        try:
            async with asyncio.timeout(_ANSWER_WITHIN_S):
                return await self._show(notice, answered)
        except NotDelivered:
            raise
        except Exception as error:  # every system fails in its own way
            problem = tr("the notification centre cannot be used: {error}")
            raise NotDelivered(problem.format(error=error)) from error

    async def clear(self, handle: str) -> None:
        if self._centre is None:
            return
        try:
            await self._centre.clear(handle)
        except Exception:  # noqa: BLE001 - it is gone, or the centre is
            _log.debug("A notice could not be taken away", exc_info=True)

    async def close(self) -> None:
        """Buttons would do nothing from now on, so no notice stays."""
        if self._centre is None:
            return
        try:
            await self._centre.clear_all()
        except Exception:  # noqa: BLE001 - nobody is left to tell
            _log.debug("Notices could not be taken away", exc_info=True)

    async def _show(self, notice: Notice, answered: Callable[[Answer], None]) -> str:
        centre = await self._connected()
        dispatched = asyncio.Event()
        # On Windows it comes on a thread of the system.
        answer = soon(answered)
        handle = await centre.send(
            title=notice.title,
            message=notice.text,
            icon=Icon(path=picture(notice.status)),
            buttons=[Button(one.label, partial(answer, one.answer)) for one in notice.buttons],
            on_dispatched=dispatched.set,
            on_clicked=partial(answer, Answer.OPEN),
            sound=DEFAULT_SOUND if notice.has_sound else None,
        )
        if not dispatched.is_set():
            raise NotDelivered(tr("the notification centre did not take it"))
        return handle

    async def _connected(self) -> DesktopNotifier:
        if self._centre is None:
            self._centre = DesktopNotifier(APP_TITLE, Icon(path=resource("icons/app.svg")))
        if not await self._centre.get_capabilities():
            raise NotDelivered(
                tr("this system shows no notices of a program that is not installed")
            )
        return self._centre
