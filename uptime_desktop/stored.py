"""Monitors between the model and their rows: the id to type, and the definition to store."""

from collections.abc import Mapping
from typing import Any

from uptime_desktop.checks.registry import is_passive
from uptime_desktop.domain.definition import describe_monitor, parse_monitor
from uptime_desktop.domain.model import Monitor, Setting
from uptime_desktop.store.documents import Json
from uptime_desktop.store.monitors import MonitorRow, add_monitor


def row_of(monitor: Monitor) -> MonitorRow:
    """The row that makes this monitor again."""
    described = describe_monitor(monitor)
    definition: dict[str, Json] = {
        key: list(value) if isinstance(value, tuple) else value  # type: ignore[misc]
        for key, value in described.items()
        if key not in ("name", "kind")
    }
    return MonitorRow(
        monitor.number, monitor.id, monitor.site_id, monitor.name, monitor.kind, definition
    )


def insert(db: Any, monitor: Monitor) -> int:
    """Store a new monitor; its number."""
    row = row_of(monitor)
    return add_monitor(
        db,
        id=row.id,
        site_id=row.site_id,
        name=row.name,
        kind=row.kind,
        definition=row.definition,
    ).number


def keys_of(definition: Mapping[str, Json]) -> dict[str, Setting]:
    """The keys of a stored definition, as the model knows them."""
    return {
        key: tuple(value) if isinstance(value, list) else value  # type: ignore[misc, arg-type]
        for key, value in definition.items()
    }


def monitor_of(row: MonitorRow, now: int) -> Monitor:
    """The monitor that a row describes, be its time past or not."""
    return parse_monitor(
        {**keys_of(row.definition), "name": row.name, "kind": row.kind},
        site_id=row.site_id,
        monitor_id=row.id,
        number=row.number,
        now=now,
        is_new=False,
        is_passive=is_passive(row.kind),
    )
