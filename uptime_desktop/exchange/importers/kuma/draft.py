"""A monitor on its way from Uptime Kuma's keys to ours, and what it needs to know on the way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.kuma.table import Table

USUAL_CERTIFICATE_DAYS: Final = 21


@dataclass(frozen=True, slots=True)
class Known:
    """What monitors refer to, each by its number in Uptime Kuma as a text.

    `told` are the numbers of channels, and `tags` the tags, by the number of a monitor, where
    they do not stand with it.
    """

    channels: Mapping[str, str] = field(default_factory=dict)
    proxies: Mapping[str, str | None] = field(default_factory=dict)
    told: Mapping[str, Sequence[str]] = field(default_factory=dict)
    tags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    certificate_days: int = USUAL_CERTIFICATE_DAYS


@dataclass(slots=True, eq=False)
class Draft:
    """`keys` are ours so far. One that would give false alarms as it is `must_pause`."""

    table: Table
    known: Known
    name: str
    number: str
    parent: str
    is_on: bool
    keys: dict[str, Setting] = field(default_factory=dict)
    must_pause: bool = False

    def text(self, source: str, key: str) -> str:
        """Take a text over as it is."""
        value = self.table.text(source)
        if value:
            self.keys[key] = value
        self.table.mapped(source, key)
        return value


class NotForUs(Exception):
    """No monitor of ours can do it; `why` says so to people."""

    def __init__(self, why: Sentence) -> None:
        super().__init__(why)
        self.why = why
