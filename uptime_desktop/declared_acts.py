"""Acts on configuration files by their names, with JSON in and JSON out, as in `operations`."""

from collections.abc import Awaitable, Callable
from typing import Final

from uptime_desktop.app import App
from uptime_desktop.declaring import Plan
from uptime_desktop.exchange.declared.telling import difference_view
from uptime_desktop.slices import in_slices
from uptime_desktop.views import Answer, Arguments


async def _plan(app: App, arguments: Arguments) -> Answer:
    return await _view(await app.plan(*_file(arguments)))


async def _apply(app: App, arguments: Arguments) -> Answer:
    if arguments.get("allow_secret_file"):
        app.agree_to_secret_file()
    return await _view(await app.apply(*_file(arguments)))


async def _export(app: App, arguments: Arguments) -> Answer:
    """What is set as the text of a file; one that is there is changed as little as can be."""
    return {"text": await app.toml(_file(arguments) if "text" in arguments else None)}


async def _view(plan: Plan) -> Answer:
    return {"differences": [difference_view(one) async for one in in_slices(plan.differences)]}


def _file(arguments: Arguments) -> tuple[str, str]:
    return str(arguments.get("text", "")), str(arguments.get("name", ""))


ACTS: Final[dict[str, Callable[[App, Arguments], Awaitable[Answer]]]] = {
    "plan": _plan,
    "apply": _apply,
    "export": _export,
}
