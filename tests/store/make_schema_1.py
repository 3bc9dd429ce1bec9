"""Made `schema_1.sql`, a small database as the first version wrote it. Kept to show how; a new
schema gets a copy of its own, and this one is never made again.

.venv/bin/python -m tests.store.make_schema_1
"""

import contextlib
import sqlite3
import tempfile
from pathlib import Path

from tests.store.build import NOW, broke, finished
from uptime_desktop.domain.model import RuntimeState
from uptime_desktop.domain.records import Change
from uptime_desktop.domain.status import Status
from uptime_desktop.store.db import open_store
from uptime_desktop.store.monitors import add_monitor
from uptime_desktop.store.settings import set_setting
from uptime_desktop.store.sites import add_site


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "uptime.db"
        store = open_store(path, NOW).store
        writer = store.start_writer(lambda: NOW)
        writer.call(add_site, "shop", "Shop").result()
        for name in ("home", "mail"):
            definition = {"every": "60s", "url": f"https://{name}.example/"}
            writer.call(
                add_monitor,
                id=name,
                site_id="shop",
                name=name.title(),
                kind="http",
                definition=definition,
            ).result()
        writer.call(set_setting, "language", "en").result()
        writer.submit(finished(1, NOW - 60_000))
        writer.submit(broke(1, NOW))
        next_run_at = NOW + 60_000
        writer.submit(Change(1, RuntimeState(Status.DOWN, 1, 1, next_run_at, saved_at=NOW)))
        writer.submit(Change(2, RuntimeState(running_since=NOW - 10_000, saved_at=NOW)))
        writer.touch_alive(NOW)
        store.close()
        with contextlib.closing(sqlite3.connect(path)) as connection:
            pragmas = [
                f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]};"
                for name in ("page_size", "application_id", "user_version")
            ]
            dump = "\n".join([*pragmas, *connection.iterdump()])
    Path(__file__).with_name("schema_1.sql").write_text(dump + "\n")


if __name__ == "__main__":
    main()
