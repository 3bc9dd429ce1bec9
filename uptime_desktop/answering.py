"""Lets commands reach the running app: the control server, and the note where it listens."""

import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from uptime_desktop import operations
from uptime_desktop.app import App
from uptime_desktop.long_work import Progress
from uptime_desktop.server.control import Answer, ControlServer
from uptime_desktop.server.instance import Endpoint, Instance, new_token
from uptime_desktop.views import event_document


@asynccontextmanager
async def answering(
    app: App, instance: Instance, acts: Mapping[str, Callable[[], None]] | None = None
) -> AsyncIterator[None]:
    """Answer every operation, and by their names `acts` that only this program has."""
    own = acts or {}

    async def handle(name: str, arguments: dict[str, object], progress: Progress) -> Answer:
        if name in own:
            own[name]()
            return {}
        return await operations.call(app, name, arguments, progress)

    def follow(hear: Callable[[Answer], None]) -> Callable[[], None]:
        return app.bus.subscribe(lambda event, persisted: hear(event_document(event, persisted)))

    server = ControlServer(token := new_token(), handle, follow)
    port = await server.start()
    try:
        instance.announce(Endpoint(port, token, os.getpid()))
        yield
    finally:
        await server.close()
