"""Everything the program needs to go on where it left off, read at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass

from peewee import SqliteDatabase

from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.model import RuntimeState, Site
from uptime_desktop.store.documents import Json
from uptime_desktop.store.incidents import following_monitors
from uptime_desktop.store.meta import Meta, get_meta
from uptime_desktop.store.monitors import MonitorRow, all_monitors
from uptime_desktop.store.settings import all_settings
from uptime_desktop.store.sites import all_sites
from uptime_desktop.store.states import all_states
from uptime_desktop.store.windows import all_windows


@dataclass(frozen=True, slots=True)
class Loaded:
    """`states` by monitor number; `following` the numbers of monitors whose trouble only follows
    from trouble upstream; `interrupted` the runs, by monitor number, that were under way
    when the last process ended, with when they started."""

    sites: tuple[Site, ...]
    monitors: tuple[MonitorRow, ...]
    states: Mapping[int, RuntimeState]
    settings: Mapping[str, Json]
    windows: tuple[Window, ...]
    following: tuple[int, ...]
    last_alive_at: int | None
    interrupted: Mapping[int, int]


def load(db: SqliteDatabase) -> Loaded:
    states = all_states(db)
    interrupted = {
        number: state.running_since
        for number, state in states.items()
        if state.running_since is not None
    }
    return Loaded(
        all_sites(db),
        all_monitors(db),
        states,
        all_settings(db),
        all_windows(db),
        following_monitors(db),
        get_meta(db, Meta.LAST_ALIVE_AT),
        interrupted,
    )
