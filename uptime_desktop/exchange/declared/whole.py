"""What a configuration file and what is stored have in common: all there is to declare."""

from collections.abc import Mapping
from dataclasses import dataclass

from uptime_desktop.config import Settings
from uptime_desktop.domain.alerts import Channel
from uptime_desktop.domain.maintenance import Window
from uptime_desktop.domain.model import Monitor, Site


@dataclass(frozen=True, slots=True)
class Whole:
    """All that a configuration file declares, by ids, at one moment."""

    settings: Settings
    channels: Mapping[str, Channel]
    sites: Mapping[str, Site]
    monitors: Mapping[str, Monitor]
    windows: Mapping[str, Window]
