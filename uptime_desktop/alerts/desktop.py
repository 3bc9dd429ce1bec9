"""Shows notices by the desktop's own means; implements `notice.Notifier`.

What speaks to the desktop is loaded with the first notice, off the thread that paints: most
days need none.
"""

import asyncio
import sys
from collections.abc import Callable

from uptime_desktop.alerts.notice import Answer, NotDelivered, Notice, Notifier
from uptime_desktop.i18n import tr


class DesktopNotices:
    def __init__(self) -> None:
        self._notifier: Notifier | None = None

    async def show(self, notice: Notice, answered: Callable[[Answer], None]) -> str:
        if self._notifier is None:
            try:
                self._notifier = await asyncio.to_thread(_load)
            except ImportError as error:
                problem = tr("this system has no way to show notices: {error}")
                raise NotDelivered(problem.format(error=error)) from error
        return await self._notifier.show(notice, answered)

    async def clear(self, handle: str) -> None:
        if self._notifier is not None:
            await self._notifier.clear(handle)

    async def close(self) -> None:
        if self._notifier is not None:
            await self._notifier.close()


def _load() -> Notifier:
    if sys.platform in ("win32", "darwin"):
        from uptime_desktop.alerts.system import SystemNotices  # noqa: PLC0415 - see above

        return SystemNotices()
    from uptime_desktop.alerts.freedesktop import FreedesktopNotices  # noqa: PLC0415

    return FreedesktopNotices()
