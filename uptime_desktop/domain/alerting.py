"""Decides what becomes of alerts: which are told when, and which nobody needs to hear.

Trouble that is over before anybody was told is never told. What is to be told is held for a
moment, so that much of it at once becomes one digest. Nothing is done here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Final

from uptime_desktop.domain.alert_quiet import QuietHours
from uptime_desktop.domain.alert_rules import Rule, rule_of
from uptime_desktop.domain.alerts import Alert, Decision, Occasion, Subject, Told, Waiting
from uptime_desktop.domain.model import MINUTE_MS, SECOND_MS
from uptime_desktop.domain.status import Status, worst

HOLD_MS: Final = 5 * SECOND_MS
HOLD_AT_MOST_MS: Final = 15 * SECOND_MS
"""How long a digest waits for more of the same, all in all."""

MOST_SINGLE: Final = 3
"""Of so many monitors at once people are told one by one; of more in a digest."""

FLAP_MS: Final = 10 * MINUTE_MS
FLAP_CHANGES: Final = 4
LOOK_FIRST_MS: Final = 5 * MINUTE_MS
"""After a start, known trouble is looked at again before anybody is reminded of it."""

Identity = tuple[int, int, bool, Occasion]


@dataclass(frozen=True, slots=True)
class Scene:
    """When and under which rules it is decided. `on` are the channels that can be used,
    `ready_since` what the decision before remembered."""

    now: int
    watching_since: int
    zone: tzinfo
    for_all: Rule
    on: tuple[str, ...]
    quiet: QuietHours | None = None
    ready_since: Mapping[Identity, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Sorted:
    """The alerts of one monitor by what stands in the way of telling them."""

    ready: list[Alert] = field(default_factory=list)
    early: list[Alert] = field(default_factory=list)
    silent: list[Alert] = field(default_factory=list)
    void: list[Alert] = field(default_factory=list)
    awaits_runs: bool = False


@dataclass(frozen=True, slots=True)
class _Ready:
    """An alert that would be told but for the time. Its hold begins at `since`."""

    alert: Alert
    rule: Rule
    since: int

    @property
    def held_until(self) -> int:
        # Reminders come when they are due: together, if they are many.
        is_reminder = self.alert.occasion is Occasion.LASTING
        return self.since if is_reminder else self.since + HOLD_MS


class _Draft:
    """A decision in the making."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.now = scene.now
        self.told: list[Told] = []
        self.silent: list[Alert] = []
        self.void: list[Alert] = []
        self.added: list[Alert] = []
        self.awaited: set[int] = set()
        self.ready_since: dict[Identity, int] = {}
        self._looks: list[int] = []

    def look(self, at: int) -> None:
        self._looks.append(at)

    def tell(self, ready: Sequence[_Ready], *, is_digest: bool) -> None:
        for one in ready:
            channels = one.rule.sends_to(self.scene.on)
            if channels:
                self.told.append(Told(one.alert, channels, is_digest))
            else:
                self.silent.append(one.alert)

    def decision(self) -> Decision:
        return Decision(
            self.told,
            self.silent,
            self.void,
            self.added,
            min(self._looks, default=None),
            frozenset(self.awaited),
            self.ready_since,
        )


def decide(waiting: Waiting, subjects: Mapping[int, Subject], scene: Scene) -> Decision:
    """What becomes of all that waits; `subjects` has every monitor there still is."""
    draft = _Draft(scene)
    pending: dict[int, list[Alert]] = {number: [] for number in waiting.flapping}
    for alert in waiting.alerts:
        pending.setdefault(alert.monitor_number, []).append(alert)
    ready: list[_Ready] = []
    for number, alerts in pending.items():
        subject = subjects.get(number)
        if subject is None:
            draft.void += alerts
            continue
        rule = rule_of(subject.rule, scene.for_all)
        found = _sorted(alerts, subject, rule)
        _hush_flapping(draft, number, subject, found, waiting)
        _put_off(draft, subject, found)
        draft.silent += found.silent
        draft.void += found.void
        if found.awaits_runs and found.early:
            draft.awaited.add(number)
        ready += (_Ready(one, rule, _ready_since(draft, one, rule)) for one in found.ready)
    _remind(draft, waiting, subjects)
    _release(draft, ready)
    return draft.decision()


def _put_off(draft: _Draft, subject: Subject, found: _Sorted) -> None:
    """Leave for later what nobody wants to hear now: in maintenance, or snoozed."""
    if subject.silent_until is not None:
        found.ready = [one for one in found.ready if one.is_recovery]
        draft.look(subject.silent_until)
    if any(one.is_snoozed for one in found.early):
        draft.look(draft.now + MINUTE_MS)


def _sorted(alerts: Sequence[Alert], subject: Subject, rule: Rule) -> _Sorted:
    found = _Sorted()
    untold: dict[int | Status, Alert] = {}
    occasions = {one.occasion for one in alerts}
    for one in alerts:
        trouble = one.kind if one.incident is None else one.incident
        match one.occasion:
            case Occasion.CHANGED if one.is_recovery:
                _sort_recovery(found, one, untold.pop(trouble, None), rule)
            case Occasion.CHANGED:
                untold[trouble] = one
            case Occasion.LASTING:
                is_over = one.resolved_at is not None or _is_hushed(one) or one.is_cascade
                (found.void if is_over else found.ready).append(one)
            case Occasion.FLAPPING:
                is_over = Occasion.STABLE in occasions
                (found.void if is_over else found.ready).append(one)
            case Occasion.STABLE:
                # That it flapped was never told, and it is well: there is nothing to say.
                is_void = one.is_recovery and Occasion.FLAPPING in occasions
                (found.void if is_void else found.ready).append(one)
    for one in untold.values():
        _sort_opening(found, one, subject, rule)
    return found


def _sort_recovery(found: _Sorted, alert: Alert, opening: Alert | None, rule: Rule) -> None:
    if opening is not None or alert.told_at is None:
        both = [alert] if opening is None else [opening, alert]
        # Too few failures to tell of, or only a consequence, is no change at all.
        is_void = alert.is_cascade or (rule.after > 1 and alert.kind is Status.DOWN)
        (found.void if is_void else found.silent).extend(both)
    elif rule.notify_recovery and not alert.is_snoozed:
        found.ready.append(alert)
    else:
        found.silent.append(alert)


def _sort_opening(found: _Sorted, alert: Alert, subject: Subject, rule: Rule) -> None:
    if alert.resolved_at is not None or alert.is_acknowledged:
        found.silent.append(alert)
    elif alert.is_snoozed:
        found.early.append(alert)
    elif alert.kind not in subject.incidents:
        # Already over, but that is not on disk yet.
        found.early.append(alert)
    elif _counts_failures(alert, rule) and subject.failures < rule.after:
        found.early.append(alert)
        found.awaits_runs = True
    else:
        found.ready.append(alert)


def _is_hushed(alert: Alert) -> bool:
    return alert.is_acknowledged or alert.is_snoozed


def _counts_failures(alert: Alert, rule: Rule) -> bool:
    """What is degraded has not failed."""
    return rule.after > 1 and alert.kind is Status.DOWN and not alert.is_recovery


# Flapping


def _hush_flapping(
    draft: _Draft, number: int, subject: Subject, found: _Sorted, waiting: Waiting
) -> None:
    """Say that a monitor flaps, or is stable again, and nothing else of it in between."""
    is_flapping = number in waiting.flapping
    changes = {*waiting.changes.get(number, ())}
    counted = (*found.ready, *found.silent, *(found.early if is_flapping else ()))
    changes |= {one.happened_at for one in counted if one.occasion is Occasion.CHANGED}
    newest = max(changes, default=0)
    if is_flapping:
        _hush(found)
        stable_at = max(newest, draft.scene.watching_since) + FLAP_MS
        if subject.is_paused or draft.now < stable_at:
            draft.look(max(stable_at, draft.now + MINUTE_MS) if subject.is_paused else stable_at)
        else:
            draft.added.append(_remark(number, subject, Occasion.STABLE, draft.now))
    elif draft.now - newest < FLAP_MS and (
        sum(newest - at < FLAP_MS for at in changes) >= FLAP_CHANGES
    ):
        _hush(found)
        draft.added.append(_remark(number, subject, Occasion.FLAPPING, newest))


def _hush(found: _Sorted) -> None:
    ordinary = (Occasion.CHANGED, Occasion.LASTING)
    found.silent += (one for one in (*found.ready, *found.early) if one.occasion in ordinary)
    found.ready = [one for one in found.ready if one.occasion not in ordinary]
    found.early = []


def _remark(number: int, subject: Subject, occasion: Occasion, at: int) -> Alert:
    """How it is with a monitor now, told for a reason of its own."""
    is_well = not subject.incidents
    kind = Status.DOWN if is_well else worst(subject.incidents)
    return Alert(number, kind, is_well, at, None, occasion=occasion)


# Reminding


def _remind(draft: _Draft, waiting: Waiting, subjects: Mapping[int, Subject]) -> None:
    """Tell again of trouble that lasts and that nobody has taken on."""
    undecided = {one.incident for one in waiting.alerts}
    for one in waiting.lasting:
        subject = subjects.get(one.monitor_number)
        if subject is None or one.told_at is None or one.incident in undecided:
            continue
        rule = rule_of(subject.rule, draft.scene.for_all)
        is_known = _is_hushed(one) or one.is_cascade or subject.is_paused
        is_known |= subject.silent_until is not None
        if not rule.repeat_ms or one.monitor_number in waiting.flapping:
            continue
        first_at = draft.scene.watching_since + min(rule.repeat_ms, LOOK_FIRST_MS)
        due_at = max(one.told_at + rule.repeat_ms, first_at)
        if is_known or one.kind not in subject.incidents:
            draft.look(max(due_at, draft.now + MINUTE_MS))
        elif draft.now < due_at:
            draft.look(due_at)
        else:
            draft.added.append(
                Alert(
                    one.monitor_number,
                    one.kind,
                    False,
                    draft.now,
                    one.opened_at,
                    occasion=Occasion.LASTING,
                    incident=one.incident,
                )
            )


# When


def _ready_since(draft: _Draft, alert: Alert, rule: Rule) -> int:
    """When the hold of an alert began: when it happened or, of one that had to wait for more
    failures or for what lies upstream, when nothing else stood in its way any more."""
    has_waited = _counts_failures(alert, rule) or alert.not_before > alert.happened_at
    if not has_waited:
        # A clock that was set back makes nobody wait.
        return alert.happened_at if alert.happened_at <= draft.now else draft.now - HOLD_MS
    if alert.not_before > draft.now:
        return alert.not_before
    since = draft.scene.ready_since.get(alert.identity, draft.now)
    draft.ready_since[alert.identity] = since
    return since


def _release(draft: _Draft, ready: Sequence[_Ready]) -> None:
    """Tell what was held long enough, with all the rest if that makes a digest."""
    scene, now = draft.scene, draft.now
    fresh: list[_Ready] = []
    deferred: list[_Ready] = []
    for one in ready:
        if one.alert.not_before > now:
            draft.look(one.alert.not_before)
        elif scene.quiet is not None and scene.quiet.until(one.held_until, scene.zone) is not None:
            deferred.append(one)
        else:
            fresh.append(one)
    quiet_until = None if scene.quiet is None else scene.quiet.until(now, scene.zone)
    if quiet_until is not None:
        if fresh or deferred:
            draft.look(quiet_until)
        return
    over = [one for one in deferred if one.held_until <= now]
    draft.tell(over, is_digest=_monitors(over) > 1)
    _release_fresh(draft, [*fresh, *(one for one in deferred if one.held_until > now)])


def _release_fresh(draft: _Draft, held: Sequence[_Ready]) -> None:
    if not held:
        return
    over = [one for one in held if one.held_until <= draft.now]
    rest = [one for one in held if one.held_until > draft.now]
    if over and _monitors(held) > MOST_SINGLE:
        oldest = min(one.since for one in held)
        until = min(max(one.held_until for one in held), oldest + HOLD_AT_MOST_MS)
        if draft.now < until:
            draft.look(until)
        else:
            draft.tell(held, is_digest=True)
        return
    draft.tell(over, is_digest=False)
    if rest:
        draft.look(min(one.held_until for one in rest))


def _monitors(ready: Iterable[_Ready]) -> int:
    return len({one.alert.monitor_number for one in ready})
