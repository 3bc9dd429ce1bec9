"""All that is known, written to files and taken back: configuration, backups, runs."""

import asyncio
import io
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from uptime_desktop.declaring import Declaring
from uptime_desktop.definitions import Definitions
from uptime_desktop.domain.refusal import Refused, Unable, Word
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.engine.clock import Clock
from uptime_desktop.exchange.reading import begins_with, is_file, opened, read_bytes, text_of
from uptime_desktop.exchange.whole_file import require_apart, whole_file, write_text
from uptime_desktop.long_work import Progress, stoppable, unheard
from uptime_desktop.store.backup import Summary, restore_backup, verify_backup, write_backup
from uptime_desktop.store.db import Store
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.runs import record_interrupted
from uptime_desktop.store.runs_csv import write_runs
from uptime_desktop.store.writer import Writer

_MARK: Final = b'{"format": "uptime-desktop-backup"'
_Result = TypeVar("_Result")


class Archive:
    def __init__(
        self,
        store: Store,
        writer: Writer,
        definitions: Definitions,
        declaring: Declaring,
        clock: Clock,
        begin_again: Callable[[int], Awaitable[None]],
    ) -> None:
        self._store = store
        self._writer = writer
        self._definitions = definitions
        self._declaring = declaring
        self._clock = clock
        self._begin_again = begin_again

    async def export_toml(self, path: Path) -> None:
        """Write what is set to a configuration file; one that is there keeps its comments."""
        require_apart(path, self._store.path)
        before = await asyncio.to_thread(_text_if_any, path)
        text = await self._declaring.toml(None if before is None else (before, path.name))
        await _in_thread(lambda _: write_text(path, text), unheard)

    async def back_up(self, path: Path, progress: Progress = unheard) -> None:
        """Write everything but secrets to a file that `restore` takes."""
        require_apart(path, self._store.path)

        def work(told: Progress) -> None:
            self._writer.flush()
            with whole_file(path) as file:
                self._store.read(write_backup, file, self._clock.wall(), told)

        await _in_thread(work, progress)

    async def export_runs(
        self, path: Path, monitors: Sequence[int] | None = None, progress: Progress = unheard
    ) -> None:
        """Write every run that is still kept, of some monitors or all, as CSV."""
        require_apart(path, self._store.path)

        def work(told: Progress) -> None:
            self._writer.flush()
            with whole_file(path) as file:
                text = io.TextIOWrapper(file, encoding="utf-8", newline="")
                self._store.read(write_runs, text, monitors, told)
                text.flush()
                text.detach()

        await _in_thread(work, progress)

    async def look_into_backup(self, path: Path) -> Summary:
        """What a backup holds; refused if it cannot be restored."""
        return await asyncio.to_thread(_looked_into, path)

    async def restore(self, path: Path, progress: Progress = unheard) -> Summary:
        """Take everything from a backup, into a database in which nothing is set up."""
        async with self._definitions.changing():
            if not self._declaring.is_empty():
                sentence = "a backup is only restored where nothing is set up; use --db FILE"
                raise Unable(Sentence(sentence))

            async def work(told: Progress) -> Summary:
                summary = await asyncio.to_thread(self._restored, path, told)
                # From here on it is too late to be cancelled: it is all stored.
                await self._begin_again(summary.made_at)
                return summary

            return await stoppable(work, progress)

    def _restored(self, path: Path, told: Progress) -> Summary:
        with opened(path) as file:
            summary = _verified(file, path)
            file.seek(0)
            self._writer.call(_take_all, file, told).result()
        return summary


def _take_all(db: Any, file: BinaryIO, told: Progress) -> None:
    """In one transaction: what came back watches on as if it had been running until then."""
    restore_backup(db, file, told)
    record_interrupted(db)


async def _in_thread(work: Callable[[Progress], _Result], progress: Progress) -> _Result:
    """Have it done beside the loop."""
    return await stoppable(lambda told: asyncio.to_thread(work, told), progress)


def is_backup(path: Path) -> bool:
    """Whether it is a backup of ours, be it whole or not."""
    return begins_with(path, _MARK)


def _looked_into(path: Path) -> Summary:
    with opened(path) as file:
        return _verified(file, path)


def _verified(file: BinaryIO, path: Path) -> Summary:
    try:
        return verify_backup(file)
    except StoreError as error:
        problem, reason = "{value} cannot be restored: {reason}", Word(error.text())
        allowed = "a whole backup"
        raise Refused("file", problem, allowed, value=path.name, reason=reason) from error


def _text_if_any(path: Path) -> str | None:
    return text_of(read_bytes(path), path.name) if is_file(path) else None
