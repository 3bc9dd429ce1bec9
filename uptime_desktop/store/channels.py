"""Where alerts go beside the screen. Of an address only where to find it is stored here."""

from peewee import SqliteDatabase

from uptime_desktop.domain.alerts import Channel
from uptime_desktop.store.tables import ChannelRecord


def all_channels(db: SqliteDatabase) -> tuple[Channel, ...]:
    """In the order they were added."""
    rows = ChannelRecord.select().order_by(ChannelRecord.number).execute(db)
    return tuple(Channel(row.id, row.name, row.url, row.is_on) for row in rows)


def save_channel(db: SqliteDatabase, channel: Channel) -> None:
    """Add a channel, or make the stored one of its id what this one says."""
    keys = {
        ChannelRecord.name: channel.name,
        ChannelRecord.url: channel.url,
        ChannelRecord.is_on: channel.is_on,
    }
    added = ChannelRecord.insert({ChannelRecord.id: channel.id, **keys})
    added.on_conflict(conflict_target=(ChannelRecord.id,), update=keys).execute(db)


def remove_channel(db: SqliteDatabase, channel_id: str) -> None:
    """Remove a channel; what is on its way there has nowhere to go any more."""
    ChannelRecord.delete().where(ChannelRecord.id == channel_id).execute(db)
