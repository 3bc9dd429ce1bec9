"""A process that makes trouble and tells of it until it is killed.

python -m tests.alerts.victim DATABASE LETTERS AHEAD_MS trouble|quiet

It breaks the monitors of a database, one after the other, and its only channel appends a line to
LETTERS for every message. AHEAD_MS is how far its clock is ahead, so that what a dead process had
claimed is due again. When quiet, nothing new happens, and it ends when nothing is left to tell.

    committed NAME      a monitor broke, and that is on disk with its alert
    sending NAME …      a message about these is about to be appended
    sent NAME …         it was, and that is not on disk yet
    marked              all that was sent is marked as sent
"""

import asyncio
import os
import random
import re
import sys
import time
from collections.abc import Sequence
from datetime import UTC, tzinfo
from pathlib import Path

from tests.store.build import broke, sqlite3_of
from uptime_desktop.alerts.message import Message
from uptime_desktop.alerts.sender import Sender
from uptime_desktop.config import Settings
from uptime_desktop.domain import alerting
from uptime_desktop.domain.alerts import Channel, Delivery, Key, Subject
from uptime_desktop.domain.status import Status
from uptime_desktop.outgoing import StoredOutbox
from uptime_desktop.store.db import Store, open_store
from uptime_desktop.store.writer import Writer

DOWN = frozenset({Status.DOWN})


def say(*words: str) -> None:
    os.write(1, " ".join(words).encode() + b"\n")


def names_in(text: str) -> list[str]:
    return re.findall(r"\bm\d+\b", text)


class AheadClock:
    def __init__(self, ahead_ms: int) -> None:
        self._ahead_ms = ahead_ms

    def wall(self) -> int:
        return time.time_ns() // 1_000_000 + self._ahead_ms

    def zone(self) -> tzinfo:
        return UTC

    async def wait(self, at_most_ms: int, woken: asyncio.Event) -> None:
        handle = asyncio.get_running_loop().call_later(at_most_ms / 1_000 + 0.001, woken.set)
        try:
            await woken.wait()
        finally:
            handle.cancel()


class Desk:
    """Where every monitor is down: nobody asks of another."""

    def number_of(self, key: Key) -> int | None:
        return int(key[1])

    def subject(self, monitor_number: int) -> Subject | None:
        return Subject(("site", str(monitor_number)), f"m{monitor_number}", None, DOWN)

    def check_now(self, key: Key) -> None:
        raise NotImplementedError(key)

    async def acknowledge(self, key: Key) -> None:
        raise NotImplementedError(key)

    async def snooze(self, key: Key, for_ms: int) -> None:
        raise NotImplementedError(key, for_ms)


class OneChannel:
    known: Sequence[Channel] = (Channel("letters", "Letters", "none"),)

    async def address(self, channel_id: str) -> str:
        return channel_id


class Letters:
    """Appends, so that what a process has written before it died is there."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    async def send(self, address: str, message: Message) -> None:
        names = names_in(f"{address} {message.title} {message.text}")
        say("sending", *names)
        await asyncio.sleep(random.random() * 0.004)
        os.write(self._file, " ".join(names).encode() + b"\n")
        say("sent", *names)
        await asyncio.sleep(random.random() * 0.004)


class TellingOutbox(StoredOutbox):
    async def mark_sent(self, sent: Sequence[Delivery], now: int) -> None:
        await super().mark_sent(sent, now)
        say("marked")


async def make_trouble(store: Store, writer: Writer, sender: Sender, clock: AheadClock) -> None:
    loaded = store.load()
    for row in loaded.monitors:
        if row.number in loaded.states:
            continue
        change = broke(row.number, clock.wall())
        writer.submit(change)
        await asyncio.to_thread(writer.flush)
        say("committed", f"m{row.number}")
        for event in change.events:
            sender.hear(event, True)
        await asyncio.sleep(random.random() * 0.03)


async def be_quiet(store: Store) -> None:
    unsent = "SELECT count(*) FROM outbox WHERE sent_at IS NULL"
    async with asyncio.timeout(60):
        while store.read(lambda db: sqlite3_of(db).execute(unsent).fetchone()[0]):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def main(database: Path, letters: Path, ahead_ms: int, *, is_quiet: bool) -> None:
    # Many at once would be one digest, and a moment's hold would be most of the test.
    alerting.HOLD_MS = 0  # type: ignore[misc]
    clock = AheadClock(ahead_ms)
    store = open_store(database, clock.wall()).store
    writer = store.start_writer(clock.wall, busy_ms=5_000)
    outbox = TellingOutbox(store, writer)
    sender = Sender(None, outbox, Desk(), clock, Settings, OneChannel(), Letters(letters))
    say("ready")
    if is_quiet:
        await be_quiet(store)
    else:
        await make_trouble(store, writer, sender, clock)
    await sender.close()
    store.close()


if __name__ == "__main__":
    database, letters, ahead_ms, mode = sys.argv[1:]
    asyncio.run(main(Path(database), Path(letters), int(ahead_ms), is_quiet=mode == "quiet"))
