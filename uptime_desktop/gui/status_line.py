"""The line at the foot of the window: how many there are of each, and what comes next."""

from collections import Counter
from collections.abc import Sequence

from PySide6.QtWidgets import QLabel, QStatusBar

from uptime_desktop.domain.model import RuntimeState
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import countdown_text
from uptime_desktop.gui import sentences, theme
from uptime_desktop.i18n import ntr, tr


class StatusLine:
    def __init__(self, bar: QStatusBar) -> None:
        self._counts = QLabel()
        self._next = QLabel()
        bar.setSizeGripEnabled(False)
        bar.setContentsMargins(theme.CELL_PADDING, 0, theme.CELL_PADDING, 0)
        bar.addWidget(self._counts, 1)
        bar.addPermanentWidget(self._next)

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

    def show_next(self, states: Sequence[RuntimeState], now: int) -> None:
        """How many run, and when the next one will."""
        checking = sum(state.running_since is not None for state in states)
        times = [
            state.next_run_at
            for state in states
            if state.next_run_at is not None and state.pause is None
        ]
        parts = []
        if checking:
            running = ntr("{n} check running", "{n} checks running", checking)
            parts.append(running.format(n=checking))
        if times:
            when = countdown_text(min(times) - now, tr)
            parts.append(tr("next check {when}").format(when=when))
        self._next.setText(" · ".join(parts))
