"""The control API: a command there is not, and one that fails, are told apart."""

import asyncio
from collections.abc import Callable

import pytest

from uptime_desktop import operations
from uptime_desktop.domain.refusal import RefusedElsewhere
from uptime_desktop.long_work import Progress
from uptime_desktop.server.client import ControlError, call
from uptime_desktop.server.control import Answer, ControlServer
from uptime_desktop.server.instance import Endpoint

pytestmark = pytest.mark.asyncio


async def handle(name: str, arguments: dict[str, object], progress: Progress) -> Answer:
    if name == "key":
        return {"found": arguments["missing"]}
    if name == "value":
        return {"found": int("many")}
    return await operations.call(None, name, arguments, progress)  # type: ignore[arg-type]


def follow(_hear: Callable[[Answer], None]) -> Callable[[], None]:
    return lambda: None


async def asked(command: str) -> object:
    server = ControlServer("token", handle, follow)
    endpoint = Endpoint(await server.start(), "token", 0)
    try:
        return await asyncio.to_thread(call, endpoint, command, {})
    finally:
        await server.close()


async def test_an_unknown_command_is_refused_by_its_name() -> None:
    with pytest.raises(RefusedElsewhere) as refused:
        await asked("fly")
    assert refused.value.field == "command"
    assert refused.value.text().startswith("there is no command 'fly'. Allowed: add, ")


@pytest.mark.parametrize("command", ["key", "value"])
async def test_a_bug_is_a_sentence_to_the_client_and_whole_in_the_log(
    command: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(ControlError, match="the running program failed at it; its log tells more"):
        await asked(command)
    (record,) = caplog.records
    assert record.getMessage() == f"The command {command} failed"
    assert record.exc_info is not None
