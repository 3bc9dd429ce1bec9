"""Sites: named groups of monitors."""

from collections.abc import Mapping
from typing import cast

import msgspec
import peewee
from peewee import SqliteDatabase

from uptime_desktop.domain.definition import describe_alert_rule, parse_alert_rule
from uptime_desktop.domain.model import Setting, Site
from uptime_desktop.store.documents import json_object
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.tables import MonitorRecord, SiteRecord


def all_sites(db: SqliteDatabase) -> tuple[Site, ...]:
    """In the order they were added."""
    rows = SiteRecord.select().order_by(SiteRecord.number).execute(db)
    return tuple(
        Site(
            row.number,
            row.id,
            row.name,
            row.is_active,
            tuple(msgspec.json.decode(row.depends_on)),
            parse_alert_rule(cast("Mapping[str, Setting]", json_object(row.alert))),
        )
        for row in rows
    )


def add_site(db: SqliteDatabase, id: str, name: str, is_active: bool = True) -> Site:  # noqa: A002
    try:
        number = SiteRecord.insert(id=id, name=name, is_active=is_active, depends_on="[]").execute(
            db
        )
    except peewee.IntegrityError as error:
        raise StoreError("there is already a site {id}", id=id) from error
    return Site(number, id, name, is_active)


def edit_site(db: SqliteDatabase, site: Site) -> None:
    """Make the stored site what this one says; its number names it."""
    upstream = msgspec.json.encode(site.depends_on).decode()
    alert = msgspec.json.encode(describe_alert_rule(site.alert)).decode()
    changed = SiteRecord.update(
        id=site.id, name=site.name, is_active=site.is_active, depends_on=upstream, alert=alert
    )
    try:
        count = changed.where(SiteRecord.number == site.number).execute(db)
    except peewee.IntegrityError as error:
        raise StoreError("there is already a site {id}", id=site.id) from error
    if not count:
        raise StoreError("there is no site {id} any more", id=site.id)


def remove_site(db: SqliteDatabase, number: int) -> None:
    """Remove an empty site."""
    inside = MonitorRecord.select().where(MonitorRecord.site == number)
    if inside.exists(db):
        raise StoreError("the site still has monitors; remove or move them first")
    SiteRecord.delete().where(SiteRecord.number == number).execute(db)
