"""Acts on files of other programs, backups and lists of runs by their names, as in `operations`."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from uptime_desktop.app import App
from uptime_desktop.archive import is_backup
from uptime_desktop.importing import Brought, Sighted
from uptime_desktop.long_work import Progress
from uptime_desktop.slices import in_slices
from uptime_desktop.views import Answer, Arguments


async def _import(app: App, arguments: Arguments, progress: Progress) -> Answer:
    """Take what a file holds, or with `dry_run` only say what that would be."""
    path, program = _path(arguments), arguments.get("program")
    is_dry = bool(arguments.get("dry_run"))
    if program is None and await asyncio.to_thread(is_backup, path):
        return await _restore(app, path, progress, is_dry=is_dry)
    sighted = await app.look_into(path, None if program is None else str(program))
    if is_dry:
        return await _view(sighted, None)
    if arguments.get("allow_secret_file"):
        app.agree_to_secret_file()
    return await _view(sighted, await app.bring_in(sighted, progress))


async def _restore(app: App, path: Path, progress: Progress, *, is_dry: bool) -> Answer:
    summary = await (app.look_into_backup(path) if is_dry else app.restore(path, progress))
    missing = [] if is_dry else await app.missing_secrets()
    return {"backup": dict(summary.rows), "missing_secrets": missing}


async def _back_up(app: App, arguments: Arguments, progress: Progress) -> Answer:
    await app.back_up(_path(arguments), progress)
    return {}


async def _export_runs(app: App, arguments: Arguments, progress: Progress) -> Answer:
    names = arguments.get("monitors")
    chosen = None
    if names is not None:
        several = names if isinstance(names, list) else [names]
        chosen = [app.find(str(name)).monitor.number for name in several]
    await app.export_runs(_path(arguments), chosen, progress)
    return {}


async def _view(sighted: Sighted, brought: Brought | None) -> Answer:
    found = sighted.found
    return {
        "program": found.program,
        "found": found.counts(),
        "already_there": sorted(sighted.twins),
        "added": None if brought is None else [monitor.id for monitor in brought.monitors],
        "not_taken": [
            {"thing": thing, "why": why} for thing, why in found.report.lost(found.program).items()
        ],
        "report": [
            {
                "thing": line.thing,
                "path": line.path,
                "value": line.value,
                "fate": line.fate.value,
                "how": line.how,
            }
            async for line in in_slices(found.report.lines)
        ],
    }


def _path(arguments: Arguments) -> Path:
    return Path(str(arguments.get("path", "")))


ACTS: Final[dict[str, Callable[[App, Arguments, Progress], Awaitable[Answer]]]] = {
    "import": _import,
    "back_up": _back_up,
    "export_runs": _export_runs,
}
