"""A connection to the private D-Bus, for tests that know nothing of event loops."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from dbus_fast import BusType, DBusError, Message, MessageType
from dbus_fast.aio import MessageBus

ANSWER_WITHIN_S = 10.0
DAEMON = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")

Result = TypeVar("Result")


class Bus:
    """Its event loop has a thread of its own; what `watch` hears is heard there."""

    def __init__(self, address: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        try:
            self._bus = self._wait_for(_connect(address))
        except BaseException:
            self._end_loop()
            raise

    def close(self) -> None:
        try:
            self._wait_for(self._disconnect())
        finally:
            self._end_loop()

    def call(
        self, service: str, path: str, interface: str, method: str, signature: str = "", *body: Any
    ) -> list[Any]:
        """What the method answers; a refusal is a DBusError."""
        message = Message(
            destination=service,
            path=path,
            interface=interface,
            member=method,
            signature=signature,
            body=list(body),
        )
        reply = self._wait_for(self._bus.call(message))
        assert reply is not None
        if reply.message_type is MessageType.ERROR:
            raise DBusError(reply.error_name or "unnamed", f"{method} of {service}: {reply.body}")
        answer: list[Any] = reply.body
        return answer

    def property(self, service: str, path: str, interface: str, name: str) -> Any:
        properties = "org.freedesktop.DBus.Properties"
        return self.call(service, path, properties, "Get", "ss", interface, name)[0].value

    def has_owner(self, name: str) -> bool:
        return bool(self.call(*DAEMON, "NameHasOwner", "s", name)[0])

    def process_of(self, name: str) -> int:
        return int(self.call(*DAEMON, "GetConnectionUnixProcessID", "s", name)[0])

    def watch(self, rules: list[str], hear: Callable[[Message], None]) -> None:
        """Hear every message on the bus that a rule matches; calls are no longer possible."""

        def keep(message: Message) -> bool:
            is_ours = message.destination == self._bus.unique_name
            if not is_ours:
                hear(message)
            return not is_ours

        self._bus.add_message_handler(keep)
        self.call(DAEMON[0], DAEMON[1], f"{DAEMON[2]}.Monitoring", "BecomeMonitor", "asu", rules, 0)

    async def _disconnect(self) -> None:
        self._bus.disconnect()
        wait: Callable[[], Awaitable[None]] = self._bus.wait_for_disconnect
        await wait()

    def _wait_for(self, work: Coroutine[None, None, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(ANSWER_WITHIN_S)

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _connect(address: str) -> MessageBus:
    return await MessageBus(bus_address=address, bus_type=BusType.SESSION).connect()
