"""How checks are timed, with what the numbers come to said beside them."""

from collections.abc import Sequence
from typing import Final

from uptime_desktop.app import Job
from uptime_desktop.config import Settings
from uptime_desktop.domain.model import (
    MINUTE_MS,
    SECOND_MS,
    Backoff,
    CatchUp,
    Every,
    Monitor,
    Policy,
)
from uptime_desktop.domain.next_run import interval_delay_range
from uptime_desktop.domain.wording import duration_text, rough_duration_text
from uptime_desktop.gui.dialogs.labels import Hint
from uptime_desktop.gui.dialogs.settings_changes import Changes
from uptime_desktop.gui.dialogs.settings_fields import (
    ChoiceField,
    CountField,
    DurationField,
    PercentField,
)
from uptime_desktop.gui.dialogs.settings_form import SettingsPage, range_text
from uptime_desktop.i18n import tr

_MOST_STEPS: Final = 12
_ARROW: Final = "  →  "


class IntervalsPage(SettingsPage):
    def __init__(self, changes: Changes, jobs: Sequence[Job]) -> None:
        self._schedules = [job.monitor.schedule for job in jobs]
        super().__init__(changes)

    def build(self) -> None:
        for_new = tr("for monitors added from now on")
        if self._changes.why_not("default_interval"):
            for_new = tr("for monitors of which the file does not say it")
        self.section(tr("Checking"), for_new)
        self._interval = self.add(DurationField("default_interval", tr("Default &interval")))
        self._jitter = self.add(PercentField("default_jitter", tr("&Jitter")))
        self.add(
            DurationField("default_timeout", tr("&Timeout")),
            tr("{range}, for each try.").format(range=range_text("default_timeout")),
        )
        self._retries = self.add(CountField("default_retries", tr("&Retries")))
        self.section(tr("When something is down"), for_new)
        self._backoff = self.add(ChoiceField("default_backoff", tr("&Backoff"), _policies()))
        self._cap = self.add(DurationField("backoff_cap", tr("Longest &wait")))
        self._chain = Hint()
        self._chain.setWordWrap(True)
        self._chain.setContentsMargins(2, 0, 0, 0)
        self.add_line(self._chain)
        self.section(tr("After this computer was off or asleep"))
        self.add(
            DurationField("staleness_window", tr("&Staleness window")),
            tr("{range}. Up to here the plan goes on; later it starts anew.").format(
                range=range_text("staleness_window")
            ),
        )
        self.add(
            ChoiceField(
                "default_catch_up",
                tr("&Missed checks"),
                [(CatchUp.ONCE, tr("Run once")), (CatchUp.SKIP, tr("Skip"))],
            ),
            tr("Never more than one for each monitor. For new monitors."),
        )
        self.section(tr("Load"))
        checks = tr("1 to 1000 checks")
        self.add(CountField("max_concurrent", tr("&At the same time")), checks)
        self.add(CountField("per_origin", tr("To &one server")), checks)

    def explain(self) -> None:
        now = self._changes.settings
        self._interval.say(self._interval_hint(now))
        self._jitter.say(jitter_text(now))
        self._retries.say(
            tr("0 to 10. The first after 500 ms, then twice as long each time.")
            if now.default_retries
            else tr("0 to 10. A single try decides.")
        )
        self._cap.editor.setEnabled(now.default_backoff is Policy.EXPONENTIAL)
        self._cap.say(
            tr("{range}. Never shorter than the monitor's own interval.").format(
                range=range_text("backoff_cap")
            )
            if now.default_backoff is Policy.EXPONENTIAL
            else tr("Only where the wait doubles each time.")
        )
        self._chain.setText(chain_text(now))
        self._backoff.editor.setAccessibleDescription(self._chain.text())

    def _interval_hint(self, now: Settings) -> str:
        if not self._schedules:
            return tr("{range}.").format(range=range_text("default_interval"))
        same = sum(
            isinstance(one, Every) and one.interval_ms == now.default_interval_ms
            for one in self._schedules
        )
        return tr("{range}. {n} of {all} monitors have this one.").format(
            range=range_text("default_interval"), n=same, all=len(self._schedules)
        )


def jitter_text(settings: Settings) -> str:
    base_ms = settings.default_interval_ms
    delays = interval_delay_range(_sample(settings), base_ms, 0)
    if delays.min_ms == delays.max_ms:
        return tr("0 to 50 %. Nothing moves, so checks may pile up.")
    return tr("{base} becomes {lowest} to {highest}, so checks do not pile up.").format(
        base=duration_text(base_ms, tr),
        lowest=_rounded(delays.min_ms),
        highest=_rounded(delays.max_ms),
    )


def chain_text(settings: Settings) -> str:
    """The waits as failures add up: `1 min → 2 min → 4 min`, up to where nothing changes."""
    sample = _sample(settings)
    most = sample.pauses_after or _MOST_STEPS
    base_ms = settings.default_interval_ms
    waits = [interval_delay_range(sample, base_ms, n).target_ms for n in range(most)]
    if sample.pauses_after:
        return _ARROW.join([*map(_words, waits), tr("paused")])
    goes_on = waits[-1] != waits[-2]
    while len(waits) > 1 and waits[-1] == waits[-2]:
        waits.pop()
    if len(waits) == 1:
        return tr("{duration} each time").format(duration=_words(waits[0]))
    return _ARROW.join([*map(_words, waits), *(["…"] if goes_on else [])])


def _sample(settings: Settings) -> Monitor:
    """A monitor as it would be added now."""
    return Monitor(
        "",
        "",
        0,
        Every(settings.default_interval_ms),
        Backoff(settings.default_backoff, settings.backoff_cap_ms),
        jitter_ppm=settings.default_jitter_ppm,
    )


def _policies() -> list[tuple[str, str]]:
    return [
        (Policy.EXPONENTIAL, tr("Double each time")),
        (Policy.CAPPED32, tr("Double five times")),
        (Policy.LADDER, tr("Climb in steps, then pause")),
        (Policy.FIXED, tr("Try again after 5 min")),
        (Policy.NONE, tr("Keep the interval")),
    ]


def _rounded(duration_ms: int) -> str:
    if duration_ms < MINUTE_MS:
        return tr("{n} s").format(n=f"{duration_ms / SECOND_MS:.3g}")
    return rough_duration_text(duration_ms, tr)


def _words(duration_ms: int) -> str:
    """Exact where that is short."""
    if duration_ms > 2 * MINUTE_MS and duration_ms % MINUTE_MS:
        return rough_duration_text(duration_ms, tr)
    return duration_text(duration_ms, tr)
