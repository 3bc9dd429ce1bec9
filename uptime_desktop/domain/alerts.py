"""What passes between the alerts, the store and the app, so that none knows another."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from uptime_desktop.domain.model import AlertRule, Unmet
from uptime_desktop.domain.status import Status

Key = tuple[str, str]
"""The ids of a site and of a monitor in it."""

DESKTOP: Final = "desktop"
"""The channel that is always there: notices on this computer's screen."""

SOUND: Final = "sound"
"""Stands in a rule for a notice on the screen that is heard, too."""


class Fault(StrEnum):
    """What of the program itself does not work, the worst first."""

    DISK = "disk"
    FILE = "file"
    LISTENER = "listener"


Faults = Mapping[Fault, str]
"""Why it does not, in a sentence each."""


class Occasion(StrEnum):
    """Why something is told: a change, trouble that lasts, or that changes came too fast."""

    CHANGED = "changed"
    LASTING = "lasting"
    FLAPPING = "flapping"
    STABLE = "stable"


@dataclass(frozen=True, slots=True)
class Alert:
    """That trouble of a kind began or, as `is_recovery`, ended, or whatever else the occasion is.

    `number` is its row in the outbox; there is none while the change is only in memory. When
    trouble began (`opened_at`) may not be known then either. `tries` is how often the run that
    found it tried, `unmet` what it missed first. `told_at` is when people were last told of the
    trouble, None if never. Before `not_before` nobody may be told. Alerts of one `digest` were
    decided on together.
    """

    monitor_number: int
    kind: Status
    is_recovery: bool
    happened_at: int
    opened_at: int | None
    resolved_at: int | None = None
    reason: str = ""
    tries: int = 1
    is_acknowledged: bool = False
    is_snoozed: bool = False
    number: int | None = None
    unmet: Unmet | None = None
    occasion: Occasion = Occasion.CHANGED
    incident: int | None = None
    is_cascade: bool = False
    told_at: int | None = None
    not_before: int = 0
    decided_at: int | None = None
    digest: int | None = None

    @property
    def identity(self) -> tuple[int, int, bool, Occasion]:
        """The same for an alert told from memory and for its row on disk."""
        return self.monitor_number, self.happened_at, self.is_recovery, self.occasion


@dataclass(frozen=True, slots=True)
class Subject:
    """The monitor that an alert is about, as it stands now."""

    key: Key
    name: str
    next_run_at: int | None
    incidents: frozenset[Status]
    """The kinds of trouble it is in."""
    site_name: str = ""
    rule: AlertRule = field(default_factory=AlertRule)
    """Its own, completed by that of its site."""
    failures: int = 0
    """How many runs in a row have failed."""
    is_paused: bool = False
    silent_until: int | None = None
    """When the maintenance ends that it is in."""


@dataclass(frozen=True, slots=True)
class Channel:
    """Where else alerts go. `url` says where to find the address, which is a secret."""

    id: str
    name: str
    url: str
    is_on: bool = True


@dataclass(frozen=True, slots=True)
class Delivery:
    """An alert on its way to one channel; without a number it is only in memory."""

    channel: str
    alert: Alert
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """What the outbox has to decide on.

    `alerts` are undecided, oldest first. `lasting` is trouble that people know and that is not
    over. `changes` are the instants, of the last minutes, at which monitors changed and that were
    decided on; of one that is `flapping` the last is always there.
    """

    alerts: Sequence[Alert] = ()
    lasting: Sequence[Alert] = ()
    changes: Mapping[int, Sequence[int]] = field(default_factory=dict)
    flapping: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Told:
    """That an alert goes to these channels, alone or with others as one digest."""

    alert: Alert
    channels: tuple[str, ...]
    is_digest: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of alerts: told, `silent`, or `void` as if nothing had changed.

    `added` are alerts nobody had thought of; they wait like all others. `look_at` is when to
    decide again, `awaited` whose failed runs to wait for, `ready_since` what to remember.
    """

    told: Sequence[Told] = ()
    silent: Sequence[Alert] = ()
    void: Sequence[Alert] = ()
    added: Sequence[Alert] = ()
    look_at: int | None = None
    awaited: frozenset[int] = frozenset()
    ready_since: Mapping[tuple[int, int, bool, Occasion], int] = field(default_factory=dict)

    @property
    def settled(self) -> Iterable[Alert]:
        """All that need not be decided on again."""
        return (*(one.alert for one in self.told), *self.silent, *self.void)


class Outbox(Protocol):
    """Alerts that wait to be sent. All but `opening` raise a `UserError` while the disk fails."""

    async def waiting(self, now: int) -> Waiting:
        """What has to be decided on."""

    async def decide(self, decision: Decision, now: int) -> None:
        """Keep what was decided, all of it or nothing."""

    async def claim(self, now: int, busy: Collection[str]) -> Sequence[Delivery]:
        """Take those that are due, but not for busy channels; each must then be marked, or
        becomes due again by itself."""

    async def next_at(self, busy: Collection[str]) -> int | None:
        """When the next one is due."""

    async def mark_sent(self, deliveries: Sequence[Delivery], now: int) -> None:
        """Never give these again."""

    async def mark_failed(self, deliveries: Sequence[Delivery], now: int, error: str) -> None:
        """Put claimed ones off, for longer each time."""

    async def mark_told(self, told: Sequence[Told], now: int) -> None:
        """These were told while their change was not on disk, and still have to reach these
        channels."""

    async def opening(self, monitor_number: int, kind: Status, now: int) -> Alert | None:
        """How the trouble began that is open on disk."""


class Channels(Protocol):
    """Where alerts can go beside the screen."""

    @property
    def known(self) -> Sequence[Channel]: ...

    async def address(self, channel_id: str) -> str:
        """Where it is, with all secrets in it; a `UserError` if that cannot be had."""


class Desk(Protocol):
    """Where an alert leads: the monitor, and what a person can answer. A monitor that has been
    removed meanwhile is None, and what is asked of it does nothing."""

    def number_of(self, key: Key) -> int | None: ...

    def subject(self, monitor_number: int) -> Subject | None: ...

    def check_now(self, key: Key) -> None: ...

    async def acknowledge(self, key: Key) -> None: ...

    async def snooze(self, key: Key, for_ms: int) -> None: ...
