"""Settings by key, each a JSON value."""

from peewee import SqliteDatabase

from uptime_desktop.store.documents import Json, json_text, json_value
from uptime_desktop.store.tables import SettingValue


def all_settings(db: SqliteDatabase) -> dict[str, Json]:
    rows = SettingValue.select().tuples().execute(db)
    return {key: json_value(text) for key, text in rows}


def set_setting(db: SqliteDatabase, key: str, value: Json) -> None:
    stored = SettingValue.insert(key=key, value=json_text(value))
    stored.on_conflict_replace().execute(db)


def remove_setting(db: SqliteDatabase, key: str) -> None:
    SettingValue.delete().where(SettingValue.key == key).execute(db)
