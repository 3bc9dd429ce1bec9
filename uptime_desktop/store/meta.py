"""What the file knows about itself."""

from enum import StrEnum

from peewee import SqliteDatabase

from uptime_desktop.store.tables import MetaValue


class Meta(StrEnum):
    """`IN_USE` is 1 from opening to a clean close; found at opening it tells of a crash."""

    IN_USE = "in_use"
    LAST_ALIVE_AT = "last_alive_at"


def get_meta(db: SqliteDatabase, key: Meta) -> int | None:
    for (value,) in (
        MetaValue.select(MetaValue.value).where(MetaValue.key == key).tuples().execute(db)
    ):
        return int(value)
    return None


def set_meta(db: SqliteDatabase, key: Meta, value: int) -> None:
    MetaValue.insert(key=key, value=value).on_conflict_replace().execute(db)
