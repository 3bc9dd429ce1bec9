"""Monitors from the keys that people write: completed, understood, their secrets put apart."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import uuid4

from uptime_desktop.checks.registry import is_passive
from uptime_desktop.config import with_defaults
from uptime_desktop.domain.definition import (
    REPORTING_KIND,
    describe_schedule,
    parse_monitor,
    parse_schedule,
)
from uptime_desktop.domain.model import Cadence, Every, Keys, Monitor, Once, Setting
from uptime_desktop.meanings import Meaning, Meanings


@dataclass(frozen=True, slots=True)
class Draft:
    """A monitor as it may be stored, and the secrets that its settings refer to and brought.

    `meaning` is what they mean, if that was to be found out.
    """

    monitor: Monitor
    secrets: Mapping[str, str] = field(default_factory=dict)
    meaning: Meaning | None = None


def parsed(
    given: Keys,
    *,
    site_id: str,
    monitor_id: str,
    now: int,
    defaults: Mapping[str, str] | None = None,
    old: Monitor | None = None,
) -> Monitor:
    """The monitor that these keys make, its settings as they were written.

    What keys do not say is as in `defaults`. Of what it was before (`old`) it keeps what nobody
    chooses: its number, the address that a job reports to, where a grid begins.
    """
    kind = str(given.get("kind", "http"))
    passive = is_passive(kind)
    if kind == REPORTING_KIND:
        given = {**_expected_by_default(given), **_address(old), **given}
    if old is not None and given.get("cadence") == Cadence.GRID and "anchor" not in given:
        given = {**_anchor(old), **given}
    if defaults and not passive:
        given = with_defaults(given, defaults)
    made = parse_monitor(
        given,
        site_id=site_id,
        monitor_id=monitor_id,
        number=0 if old is None else old.number,
        now=now,
        is_new=False,
        is_passive=passive,
    )
    if isinstance(made.schedule, Once) and (old is None or old.schedule != made.schedule):
        # Only what was planned before may lie in the past.
        parse_schedule({"at": str(given["at"])}, now)
    return made


def drafted(meanings: Meanings, monitor: Monitor) -> Draft:
    """The monitor as it may be stored; refused if its kind cannot use its settings.

    The secrets that it refers to must have been fetched.
    """
    return Draft(*meanings.storable(monitor))


def _expected_by_default(given: Keys) -> dict[str, Setting]:
    """Once a day is what most jobs do."""
    return {} if given.keys() & {"every", "cron"} else {"every": "1d"}


def _address(old: Monitor | None) -> dict[str, Setting]:
    """Jobs go on reporting to the address they know."""
    if old is not None and "ping_id" in old.settings:
        return {"ping_id": old.settings["ping_id"]}
    return {"ping_id": str(uuid4())}


def _anchor(old: Monitor) -> dict[str, Setting]:
    is_grid = isinstance(old.schedule, Every) and old.schedule.cadence is Cadence.GRID
    return {"anchor": describe_schedule(old.schedule)["anchor"]} if is_grid else {}
