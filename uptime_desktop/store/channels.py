"""Where alerts go beside the screen. Of an address only where to find it is stored here."""

import peewee
from peewee import SqliteDatabase

from uptime_desktop.domain.alerts import Channel
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.tables import ChannelRecord


def all_channels(db: SqliteDatabase) -> tuple[Channel, ...]:
    """In the order they were added."""
    rows = ChannelRecord.select().order_by(ChannelRecord.number).execute(db)
    return tuple(Channel(row.id, row.name, row.url, row.is_on) for row in rows)


def add_channel(db: SqliteDatabase, channel: Channel) -> None:
    try:
        ChannelRecord.insert(
            id=channel.id, name=channel.name, url=channel.url, is_on=channel.is_on
        ).execute(db)
    except peewee.IntegrityError as error:
        raise StoreError("there is already a channel {id}", id=channel.id) from error


def edit_channel(db: SqliteDatabase, channel: Channel) -> None:
    """Make the stored channel of this id what this one says."""
    changed = ChannelRecord.update(name=channel.name, url=channel.url, is_on=channel.is_on)
    if not changed.where(ChannelRecord.id == channel.id).execute(db):
        raise StoreError("there is no channel {id} any more", id=channel.id)


def remove_channel(db: SqliteDatabase, channel_id: str) -> None:
    """Remove a channel; what is on its way there has nowhere to go any more."""
    ChannelRecord.delete().where(ChannelRecord.id == channel_id).execute(db)
