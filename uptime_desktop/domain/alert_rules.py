"""Who is told of trouble, and when: a monitor's own rule over its site's over that for all."""

from dataclasses import dataclass

from uptime_desktop.domain.alerts import DESKTOP, SOUND
from uptime_desktop.domain.model import AlertRule


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with nothing left open; no `channels` means all that are on."""

    after: int = 1
    repeat_ms: int = 0
    notify_recovery: bool = True
    channels: tuple[str, ...] | None = None

    def sends_to(self, on: tuple[str, ...]) -> tuple[str, ...]:
        """Which of the channels that are on take part."""
        if self.channels is None:
            return on
        wanted = {DESKTOP if one == SOUND else one for one in self.channels}
        return tuple(one for one in on if one in wanted)

    def has_sound(self, by_default: bool) -> bool:
        """Whether a notice on the screen is heard."""
        return by_default if self.channels is None else SOUND in self.channels


def completed(own: AlertRule, site: AlertRule) -> AlertRule:
    """What a monitor leaves open is as its site has it."""
    return AlertRule(
        site.after if own.after is None else own.after,
        site.repeat_ms if own.repeat_ms is None else own.repeat_ms,
        site.notify_recovery if own.notify_recovery is None else own.notify_recovery,
        site.channels if own.channels is None else own.channels,
    )


def rule_of(own: AlertRule, for_all: Rule) -> Rule:
    """What a monitor and its site leave open is as for all."""
    return Rule(
        for_all.after if own.after is None else own.after,
        for_all.repeat_ms if own.repeat_ms is None else own.repeat_ms,
        for_all.notify_recovery if own.notify_recovery is None else own.notify_recovery,
        for_all.channels if own.channels is None else own.channels,
    )
