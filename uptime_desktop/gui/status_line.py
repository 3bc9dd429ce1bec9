"""The line at the foot of the window: how many there are of each, and what comes next."""

from collections import Counter
from collections.abc import Iterable, Sequence

from PySide6.QtWidgets import QLabel, QStatusBar

from uptime_desktop.app import Job
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import countdown_text
from uptime_desktop.gui import sentences, theme
from uptime_desktop.gui.detail.section import TonedLabel
from uptime_desktop.i18n import ntr, tr


class StatusLine:
    def __init__(self, bar: QStatusBar) -> None:
        self._counts = QLabel()
        self._next = QLabel()
        self._faults = TonedLabel(QLabel().font(), lambda tokens: tokens.degraded)
        bar.setSizeGripEnabled(False)
        bar.setContentsMargins(theme.CELL_PADDING, 0, theme.CELL_PADDING, 0)
        bar.addWidget(self._counts, 1)
        bar.addPermanentWidget(self._faults)
        bar.addPermanentWidget(self._next)
        self._faults.setContentsMargins(0, 0, 2 * theme.CELL_PADDING, 0)
        self._faults.hide()

    @property
    def counts_text(self) -> str:
        return self._counts.text()

    def show_counts(self, counts: Counter[Status]) -> None:
        total = counts.total()
        text = tr("No monitors yet. The program stays in the tray when this window is closed.")
        if total:
            monitors = ntr("{n} monitor", "{n} monitors", total).format(n=total)
            counted = sentences.counts_text(counts)
            text = tr("{monitors}: {counts}").format(monitors=monitors, counts=counted)
        self._counts.setText(text)

    @property
    def faults_text(self) -> str:
        return self._faults.text()

    def show_faults(self, faults: Sequence[str]) -> None:
        """What does not work of the program itself: the first, and how many more."""
        more = len(faults) - 1
        text = faults[0] if faults else ""
        if more > 0:
            text += " " + ntr("and {n} more", "and {n} more", more).format(n=more)
        self._faults.setText(text)
        self._faults.setToolTip("\n".join(faults))
        self._faults.setVisible(bool(text))

    def show_next(self, jobs: Iterable[Job], now: int) -> None:
        """How many run, and when the next one will."""
        checking, soonest = 0, None
        for job in jobs:
            state = job.state
            checking += state.running_since is not None
            next_run_at = state.next_run_at
            if next_run_at is not None and state.pause is None:
                soonest = next_run_at if soonest is None else min(soonest, next_run_at)
        parts = []
        if checking:
            running = ntr("{n} check running", "{n} checks running", checking)
            parts.append(running.format(n=checking))
        if soonest is not None:
            when = countdown_text(soonest - now, tr)
            parts.append(tr("next check {when}").format(when=when))
        self._next.setText(" · ".join(parts))
