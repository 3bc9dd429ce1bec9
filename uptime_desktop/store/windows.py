"""Maintenance windows, each kept as it is written in a configuration file."""

import logging
from collections.abc import Mapping
from typing import cast

from peewee import SqliteDatabase

from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.maintenance_definition import describe_window, parse_window
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.store.documents import json_object, json_text
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.tables import WindowRecord

_log = logging.getLogger(__name__)


def all_windows(db: SqliteDatabase) -> tuple[Window, ...]:
    """In the order they were added, all that can be read: one bad one is no reason not to start."""
    found = []
    for row in WindowRecord.select().order_by(WindowRecord.number).execute(db):
        try:
            found.append(_window(row.id, row.definition))
        except (Refused, StoreError) as error:
            _log.error("The maintenance window %s cannot be used: %s", row.id, error)
    return tuple(found)


def save_window(db: SqliteDatabase, window: Window) -> None:
    """Add a window, or make the stored one of its id what this one says."""
    keys = {key: value for key, value in describe_window(window).items() if key != "id"}
    definition = json_text(keys)
    added = WindowRecord.insert(id=window.id, definition=definition)
    added.on_conflict(
        conflict_target=(WindowRecord.id,), update={WindowRecord.definition: definition}
    ).execute(db)


def remove_window(db: SqliteDatabase, id: str) -> None:  # noqa: A002
    WindowRecord.delete().where(WindowRecord.id == id).execute(db)


def _window(window_id: str, definition: str) -> Window:
    """The window that a row describes, be it over or not."""
    keys = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in json_object(definition).items()
    }
    given = cast("Mapping[str, Setting]", {**keys, "id": window_id})
    return parse_window(given, 0, is_new=False)
