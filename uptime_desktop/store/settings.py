"""Settings by key, each a JSON value."""

import logging

from peewee import SqliteDatabase

from uptime_desktop.store.documents import Json, json_text, json_value
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.tables import SettingValue

_log = logging.getLogger(__name__)


def all_settings(db: SqliteDatabase) -> dict[str, Json]:
    """All that can be read: one bad value is no reason not to start."""
    found = {}
    for key, text in SettingValue.select().tuples().execute(db):
        try:
            found[key] = json_value(text)
        except StoreError as error:
            _log.warning("The setting %s is left out: %s", key, error)
    return found


def set_setting(db: SqliteDatabase, key: str, value: Json) -> None:
    stored = SettingValue.insert(key=key, value=json_text(value))
    stored.on_conflict_replace().execute(db)


def remove_setting(db: SqliteDatabase, key: str) -> None:
    SettingValue.delete().where(SettingValue.key == key).execute(db)
