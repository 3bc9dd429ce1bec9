"""Carries messages to any service that Apprise knows; implements `message.Courier`.

Apprise is loaded with the first message. It blocks, so it works on threads of its own, never
more than a few, which nobody waits for when the program ends. What it says of failures goes
into the one sentence that we tell, and not into the log: there may be an address in it.
"""

import asyncio
import logging
import re
import threading
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import unquote

from uptime_desktop.alerts.message import Message
from uptime_desktop.alerts.notice import APP_TITLE, NotDelivered
from uptime_desktop.domain.status import Status
from uptime_desktop.i18n import tr
from uptime_desktop.long_work import soon

SEND_WITHIN_S: Final = 20.0
MOST_THREADS: Final = 4
_HIDDEN: Final = "***"
_SHORTEST_SECRET: Final = 4
_LONGEST_REASON: Final = 200
_apprise_log: Final = logging.getLogger("apprise")
_apprise_log.propagate = False
# It says where it connects to, token and all.
logging.getLogger("urllib3").setLevel(logging.WARNING)


class AppriseCourier:
    """`redact` hides in a text whatever else is known to be secret."""

    def __init__(self, redact: Callable[[str], str] = str) -> None:
        self._redact = redact
        self._free = asyncio.Semaphore(MOST_THREADS)

    async def send(self, address: str, message: Message) -> None:
        try:
            async with asyncio.timeout(SEND_WITHIN_S):
                problem = await self._on_a_thread(address, message)
        except TimeoutError:
            raise NotDelivered(tr("it does not answer")) from None
        if problem is not None:
            raise NotDelivered(self._redact(without_address(problem, address)))

    async def _on_a_thread(self, address: str, message: Message) -> str | None:
        """What went wrong, if something did. A thread that hangs keeps its place."""
        await self._free.acquire()
        over: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

        def settle(problem: str | None) -> None:
            self._free.release()
            if not over.done():
                over.set_result(problem)

        settle_soon = soon(settle)
        threading.Thread(
            target=lambda: settle_soon(_attempt(address, message)),
            name="alert-courier",
            daemon=True,
        ).start()
        return await over


def without_address(text: str, address: str) -> str:
    """A text, cut to a bearable length, in which no part of an address can be read."""
    parts = {part for part in re.split(r"[/:@?&=,+\s]+", address) if part}
    secrets = {address, *parts, *map(unquote, parts)}
    scheme = address.partition("://")[0]
    for secret in sorted(secrets - {scheme}, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, _HIDDEN)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_REASON else text[:_LONGEST_REASON].rstrip() + "…"


def can_use(address: str) -> bool:
    """Whether Apprise can do something with an address; blocks while Apprise is loaded."""
    with _Overheard():
        return _service(address) is not None


def _attempt(address: str, message: Message) -> str | None:
    with _Overheard() as overheard:
        try:
            service = _service(address)
            if service is None:
                return tr("the address cannot be used")
            return None if _notify(service, message) else overheard.reason()
        except Exception as error:  # noqa: BLE001 - every service fails in its own way
            return f"{type(error).__name__}: {error}"


def _service(address: str) -> Any:
    """What Apprise makes of an address; None if nothing."""
    import apprise  # noqa: PLC0415 - 50 MB that most never need

    # With a limit of its own it would use threads of its own; the limit is ours.
    asset = apprise.AppriseAsset(storage_mode=apprise.PersistentStoreMode.MEMORY, service_timeout=0)
    asset.app_id = asset.app_desc = APP_TITLE
    asset.app_url = ""
    # Else every message would show a picture of Apprise's, from somewhere on the net.
    asset.image_url_mask = asset.image_url_logo = ""
    asset.async_mode = False
    return apprise.Apprise.instantiate(address, asset=asset)


def _notify(service: Any, message: Message) -> bool:
    import apprise  # noqa: PLC0415 - see above

    kinds = {
        Status.DOWN: apprise.NotifyType.FAILURE,
        Status.DEGRADED: apprise.NotifyType.WARNING,
        Status.UP: apprise.NotifyType.SUCCESS,
    }
    sender = apprise.Apprise(asset=service.asset)
    sender.add(service)
    return bool(
        sender.notify(
            body=message.text or message.title,
            title=message.title,
            notify_type=kinds.get(message.status, apprise.NotifyType.INFO),
            body_format=apprise.NotifyFormat.TEXT,
        )
    )


class _Overheard(logging.Handler):
    """What Apprise complains of on this thread, which is the only place where it says why."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._thread = threading.get_ident()
        self._said: list[str] = []

    def __enter__(self) -> "_Overheard":
        _apprise_log.addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        _apprise_log.removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self._thread:
            self._said.append(record.getMessage())

    def reason(self) -> str:
        said = self._said[-1] if self._said else tr("the service refused it")
        return said.rstrip(".")
