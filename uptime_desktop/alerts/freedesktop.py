"""Shows notices through `org.freedesktop.Notifications`; implements `notice.Notifier`.

Loaded with the first notice. The service may come, go and come back at any time: after every
failure the next notice begins with a new connection.
"""

import asyncio
import contextlib
import html
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from uptime_desktop.alerts.notice import APP_TITLE, Answer, NotDelivered, Notice, picture
from uptime_desktop.domain.status import Status
from uptime_desktop.i18n import tr

SERVICE: Final = "org.freedesktop.Notifications"
PATH: Final = "/org/freedesktop/Notifications"
_DAEMON: Final = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
_SIGNALS: Final = f"type='signal',interface='{SERVICE}',path='{PATH}'"
_CLICKED: Final = "default"
_SHOWS_CLICK_AS_BUTTON: Final = "Xfce Notify Daemon"
# What is critical would break through "do not disturb".
_NORMAL_URGENCY: Final = 1
_BY_ITSELF: Final = -1
_ANSWER_WITHIN_S: Final = 10.0
_LEAVE_WITHIN_S: Final = 1.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Shown:
    handle: str
    answered: Callable[[Answer], None]


@dataclass(frozen=True, slots=True)
class _Service:
    bus: MessageBus
    capabilities: frozenset[str]
    has_clicks: bool


class FreedesktopNotices:
    def __init__(self) -> None:
        self._service: _Service | None = None
        self._shown: dict[int, _Shown] = {}
        self._handles = count(1)
        self._closing: set[asyncio.Task[None]] = set()

    async def show(self, notice: Notice, answered: Callable[[Answer], None]) -> str:
        try:
            async with asyncio.timeout(_ANSWER_WITHIN_S):
                service = await self._connected()
                (number,) = await _notify(service, notice)
        except Exception as error:  # every bus and every service fails in its own way
            await self._let_go()
            why = tr("it does not answer") if isinstance(error, TimeoutError) else str(error)
            problem = tr("the notification service cannot be used: {error}")
            raise NotDelivered(problem.format(error=why)) from error
        shown = _Shown(str(next(self._handles)), answered)
        self._shown[number] = shown
        return shown.handle

    async def clear(self, handle: str) -> None:
        for number, shown in self._shown.items():
            if shown.handle == handle:
                del self._shown[number]
                await self._close_notice(number)
                return

    async def close(self) -> None:
        """Buttons would do nothing from now on, so no notice stays."""
        numbers, self._shown = tuple(self._shown), {}
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LEAVE_WITHIN_S):
                await asyncio.gather(*map(self._close_notice, numbers), *self._closing)
        await self._let_go()

    async def _connected(self) -> _Service:
        if self._service is not None and self._service.bus.connected:
            return self._service
        await self._let_go()
        bus = await MessageBus(bus_type=BusType.SESSION).connect()
        try:
            (capabilities,) = await _call(bus, "GetCapabilities")
            name, *_ = await _call(bus, "GetServerInformation")
            await _call(bus, "AddMatch", "s", [_SIGNALS], _DAEMON)
        except BaseException:
            await _leave(bus)
            raise
        bus.add_message_handler(self._hear)
        has_clicks = name != _SHOWS_CLICK_AS_BUTTON
        self._service = _Service(bus, frozenset(capabilities), has_clicks)
        return self._service

    async def _let_go(self) -> None:
        service, self._service = self._service, None
        if service is not None:
            await _leave(service.bus)

    def _hear(self, message: Message) -> None:
        match message.message_type, message.member, message.body:
            case MessageType.SIGNAL, "NotificationClosed", [int(number), _]:
                self._shown.pop(number, None)
            case MessageType.SIGNAL, "ActionInvoked", [int(number), str(key)]:
                shown = self._shown.pop(number, None)
                if shown is not None:
                    # Not every service takes away what has been answered.
                    self._close_soon(number)
                    shown.answered(Answer.OPEN if key == _CLICKED else Answer(key))

    def _close_soon(self, number: int) -> None:
        task = asyncio.get_running_loop().create_task(self._close_notice(number))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _close_notice(self, number: int) -> None:
        if self._service is None:
            return
        try:
            async with asyncio.timeout(_ANSWER_WITHIN_S):
                await _call(self._service.bus, "CloseNotification", "u", [number])
        except Exception:  # noqa: BLE001 - it is gone, or the service is
            _log.debug("A notice could not be taken away", exc_info=True)


async def _notify(service: _Service, notice: Notice) -> list[Any]:
    hints = {"urgency": Variant("y", _NORMAL_URGENCY)}
    if notice.has_sound:
        is_good = notice.status is Status.UP
        name = "dialog-information" if is_good else "dialog-warning"
        hints["sound-name"] = Variant("s", name)
    else:
        hints["suppress-sound"] = Variant("b", True)
    actions = []
    if "actions" in service.capabilities:
        actions = [word for one in notice.buttons for word in (one.answer.value, one.label)]
        if service.has_clicks:
            actions = [_CLICKED, "", *actions]
    text = notice.text
    if "body-markup" in service.capabilities:
        # What a server on the net has said may be in here: it is text, never markup.
        text = html.escape(text, quote=False)
    icon = picture(notice.status).as_uri()
    body = [APP_TITLE, 0, icon, notice.title, text, actions, hints, _BY_ITSELF]
    return await _call(service.bus, "Notify", "susssasa{sv}i", body)


async def _call(
    bus: MessageBus,
    method: str,
    signature: str = "",
    body: list[Any] | None = None,
    whom: tuple[str, str, str] = (SERVICE, PATH, SERVICE),
) -> list[Any]:
    """What the service answers; a refusal is a `ConnectionError`."""
    destination, path, interface = whom
    message = Message(
        destination=destination,
        path=path,
        interface=interface,
        member=method,
        signature=signature,
        body=body or [],
    )
    reply = await bus.call(message)
    if reply.message_type is MessageType.ERROR:
        raise ConnectionError(str(reply.body[0]) if reply.body else reply.error_name)
    answer: list[Any] = reply.body
    return answer


async def _leave(bus: MessageBus) -> None:
    if bus.connected:
        bus.disconnect()
    wait: Callable[[], Awaitable[None]] = bus.wait_for_disconnect
    # A connection that broke says so once more.
    with contextlib.suppress(Exception):
        async with asyncio.timeout(_LEAVE_WITHIN_S):
            await wait()
