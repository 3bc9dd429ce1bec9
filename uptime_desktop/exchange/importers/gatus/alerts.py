"""The alerts of an endpoint as the one rule that a monitor of ours has."""

from typing import Final, NamedTuple

from uptime_desktop.domain.alerts import DESKTOP
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.notation import duration_notation
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.gatus.channels import FIRST_GOOD_RUN, OWN_WORDS, Providers
from uptime_desktop.exchange.importers.gatus.rules import (
    NEAREST,
    REMINDER,
    THRESHOLDS,
    failures_of,
    is_moved,
    reminder_ms,
)
from uptime_desktop.exchange.importers.gatus.values import WRONG, Source, whole
from uptime_desktop.exchange.report import NOT_IN_USE, Fate

_DEFAULT_AFTER: Final = 3
_SWITCHED_OFF: Final = Sentence("the alert was switched off")
_NO_CHANNEL: Final = Sentence("there is no channel for alerts of this type")
_SMALLEST: Final = Sentence("a monitor has one rule: the smallest number of failures counts")
_ONE_RULE: Final = Sentence("a monitor has one rule: what the first alert says counts")


class _Alert(NamedTuple):
    source: Source
    channel: str | None
    after: int
    recovers: bool
    repeat_ms: int


def alert_rule(
    endpoint: Source, providers: Providers, *, on_by_default: bool
) -> dict[str, Setting]:
    """The keys of the rule. The screen of this computer always takes part."""
    alerts: list[_Alert] = []
    for _, source in endpoint.tables("alerts"):
        alert = _alert(endpoint, source, providers, on_by_default=on_by_default)
        if alert is not None:
            alerts.append(alert)
    heard = [alert for alert in alerts if alert.channel is not None] or alerts
    if not heard:
        return {"channels": (DESKTOP,)}
    after = min(alert.after for alert in heard)
    for alert in alerts:
        _report(alert, heard[0], after)
    ids = dict.fromkeys(alert.channel for alert in heard if alert.channel is not None)
    rule: dict[str, Setting] = {
        "alert_after": after,
        "recovery_notice": "yes" if heard[0].recovers else "no",
        "channels": (DESKTOP, *ids),
    }
    if heard[0].repeat_ms:
        rule["repeat_every"] = duration_notation(heard[0].repeat_ms)
    return rule


def _alert(
    endpoint: Source, source: Source, providers: Providers, *, on_by_default: bool
) -> _Alert | None:
    """An alert with what its provider has for all; None if it is switched off."""
    kind = source.peek("type")
    default = Source(source.fields, providers.default_alert(kind), source.variables)
    given = source.flag("enabled")
    is_on = given if given is not None else default.flag("enabled")
    if not (on_by_default if is_on is None else is_on):
        source.finish(_SWITCHED_OFF)
        return None
    override = source.inside("provider-override")
    overridden = {} if override is None else override.table
    channel = providers.channel_of(kind, endpoint.peek("group"), overridden)
    if override is not None:
        providers.report_override(kind, override)
    recovers = source.flag("send-on-resolved")
    repeat_ms = source.duration_ms(REMINDER)
    return _Alert(
        source,
        channel,
        failures_of(source) or failures_of(default) or _DEFAULT_AFTER,
        bool(default.flag("send-on-resolved") if recovers is None else recovers),
        reminder_ms(default.duration_ms(REMINDER) if repeat_ms is None else repeat_ms),
    )


def _report(alert: _Alert, first: _Alert, after: int) -> None:
    source = alert.source
    if alert.channel is None:
        source.leave("type", _NO_CHANNEL)
    else:
        source.text("type", "channels")
    if "enabled" in source:
        source.note("enabled", Fate.MAPPED, "channels")
    if not any(key in source for key in THRESHOLDS) and alert.after != after:
        source.note_part(THRESHOLDS[0], "", Fate.APPROXIMATED, _SMALLEST)
    for key in THRESHOLDS:
        asked = whole(source.peek(key))
        if key in source and asked is None:
            source.leave(key, WRONG)
        elif key in source and asked != alert.after:
            source.note(key, Fate.APPROXIMATED, NEAREST)
        elif key in source and alert.after != after:
            source.note(key, Fate.APPROXIMATED, _SMALLEST)
        elif key in source:
            source.note(key, Fate.MAPPED, "alert_after")
    if "success-threshold" in source:
        is_one = whole(source.peek("success-threshold")) == 1
        fate = Fate.MAPPED if is_one else Fate.APPROXIMATED
        source.note("success-threshold", fate, "recovery_notice" if is_one else FIRST_GOOD_RUN)
    _say(source, "send-on-resolved", "recovery_notice", alert.recovers == first.recovers)
    _say(source, REMINDER, "repeat_every", alert.repeat_ms == first.repeat_ms)
    source.leave("description", OWN_WORDS)
    source.finish()


def _say(source: Source, key: str, to: str, is_same: bool) -> None:
    if key not in source:
        if not is_same:
            # What the type has for all does not hold here, either.
            source.note_part(key, "", Fate.APPROXIMATED, _ONE_RULE)
        return
    if key == REMINDER and not source.duration_ms(key):
        source.leave(key, NOT_IN_USE)
    elif is_same and is_moved(source, key):
        source.note(key, Fate.APPROXIMATED, NEAREST)
    elif is_same:
        source.note(key, Fate.MAPPED, to)
    else:
        source.note(key, Fate.APPROXIMATED, _ONE_RULE)
