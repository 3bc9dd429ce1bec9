"""The detail of one monitor: asks history for what the sections show, and hands it to them."""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from uptime_desktop.app import App
from uptime_desktop.domain.model import DAY_MS
from uptime_desktop.domain.status import Status
from uptime_desktop.gui import theme
from uptime_desktop.gui.declared import where_to_edit
from uptime_desktop.gui.detail.evidence import EvidencePart
from uptime_desktop.gui.detail.header import Header
from uptime_desktop.gui.detail.heartbeat import HeartbeatPart
from uptime_desktop.gui.detail.incidents import ASKED, Incidents
from uptime_desktop.gui.detail.latest import Latest
from uptime_desktop.gui.detail.pings import Pings
from uptime_desktop.gui.detail.response_times import ResponseTimes
from uptime_desktop.gui.detail.runs import PAGE, RunLog
from uptime_desktop.gui.detail.section import TonedLabel
from uptime_desktop.gui.detail.series import series_of
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.gui.watch import Key, Watch, Watched
from uptime_desktop.history import RunRow
from uptime_desktop.i18n import tr

_NEWER: Final = 20
"""How many runs are asked for when one was added: a few may have been, in a quarter second."""

_SECTION_GAP: Final = 12
_CHART_STEPS: Final = 400
"""A chart is drawn anew when so much of its width has passed: sooner would not be seen."""

_Seen = tuple[int | None, frozenset[Status], int | None]


class DetailPanel(QWidget):
    check_asked = Signal(object)
    acknowledge_asked = Signal(object)
    snooze_asked = Signal(object, object)
    pause_asked = Signal(object, object)
    resume_asked = Signal(object)
    edit_asked = Signal(object)

    def __init__(self, app: App, watch: Watch, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._watch = watch
        self._watched: Watched | None = None
        self._seen: _Seen = None, frozenset(), None
        self._drawn_at = 0
        self._lists, self._points, self._more, self._evidence = (
            Latest(tasks, self) for _ in range(4)
        )
        self.header = Header()
        self.heartbeat = HeartbeatPart()
        self.times = ResponseTimes(tasks)
        self.pings = Pings()
        self.incidents = Incidents(app, tasks)
        self.log = RunLog()
        self.evidence = EvidencePart()
        self._lay_out()
        for name in ("check", "acknowledge", "snooze", "pause", "resume", "edit"):
            getattr(self.header, f"{name}_asked").connect(getattr(self, f"{name}_asked"))
        self.times.span_chosen.connect(self._load_points)
        self.log.model.more_wanted.connect(self._load_more)
        self.log.run_selected.connect(self._load_evidence)
        self.setFocusProxy(self.header.check)
        watch.changed.connect(self._changed)
        watch.rebuilt.connect(self._rebuilt)
        self.show_monitor(None)

    def _lay_out(self) -> None:
        nothing = TonedLabel(self.font(), text=tr("Select a monitor to see how it has been."))
        nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        nothing.setWordWrap(True)
        content = QWidget()
        sections = QVBoxLayout(content)
        sections.setContentsMargins(theme.MARGIN, 12, theme.MARGIN, theme.MARGIN)
        sections.setSpacing(_SECTION_GAP)
        parts = (self.header, self.heartbeat, self.times, self.pings, self.incidents)
        for section in (*parts, self.log, self.evidence):
            sections.addWidget(section, 1 if section is self.log else 0)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidgetResizable(True)
        scroll.setWidget(content)
        self._pages = QStackedLayout(self)
        self._pages.addWidget(nothing)
        self._pages.addWidget(scroll)

    def show_monitor(self, watched: Watched | None) -> None:
        """Show another monitor, or none; one that is gone meanwhile is none."""
        if watched is not None and self._watch.monitors.get(watched.key) is not watched:
            watched = None
        if watched is not None and watched is self._watched:
            return
        self._watched = watched
        for request in (self._lists, self._points, self._more, self._evidence):
            request.cancel()
        self._pages.setCurrentIndex(0 if watched is None else 1)
        self.times.clear()
        self.incidents.show_monitor("" if watched is None else watched.monitor.name)
        self.log.clear()
        if watched is not None:
            # What follows others is never waited for.
            self.times.setVisible(not watched.follows)
            self.times.name_it(tr("Duration") if watched.reports else tr("Response time"))
            self.pings.clear()
            self._show_reporting(watched)
            self.log.model.cause = _cause(watched)
            site = self._app.sites[watched.monitor.site_id]
            self.header.show_monitor(watched, site.name, self._app.clock.wall())
            self.header.offer_edit(where_to_edit(self._app))
            self._load(watched)

    def copy_curl(self) -> None:
        """Copy the command that repeats the run whose evidence is shown."""
        self.evidence.copy_command.click()

    def tick(self) -> None:
        """A second went by: say the countdowns again."""
        if self._watched is not None:
            self.header.refresh(self._app.clock.wall())
            self.incidents.story.tick()
            if self._watched.reports and _seen(self._watched) != self._seen:
                # Of what a job only says nobody is told.
                self._load(self._watched)

    # What happens meanwhile

    def _changed(self, keys: frozenset[Key]) -> None:
        watched = self._watched
        if watched is None or watched.key not in keys:
            return
        self.tick()
        if _seen(watched) != self._seen:
            self._load(watched)

    def _rebuilt(self) -> None:
        """It may have another definition, an incident may be acknowledged, or it is gone."""
        watched = self._watched
        if watched is None:
            return
        if self._watch.monitors.get(watched.key) is not watched:
            self.show_monitor(None)
            return
        site = self._app.sites[watched.monitor.site_id]
        self.header.show_monitor(watched, site.name, self._app.clock.wall())
        self.header.offer_edit(where_to_edit(self._app))
        self._show_reporting(watched)
        self._load(watched)

    def _show_reporting(self, watched: Watched) -> None:
        """Where it reports, if it does; that follows the settings, too."""
        url = self._app.ping_url_of(watched.monitor)
        self.heartbeat.show_monitor(watched.monitor, url)
        self.pings.setVisible(url is not None)

    # What is asked of history

    def _load(self, watched: Watched) -> None:
        was_open = self._seen[1]
        self._seen = _seen(watched)
        self._lists.start(self._fill_lists(watched))
        since_drawn_ms = self._app.clock.wall() - self._drawn_at
        is_due = since_drawn_ms * _CHART_STEPS >= self.times.span_ms
        if is_due or was_open != self._seen[1] or not self.log.model.rows:
            self._load_points()

    async def _fill_lists(self, watched: Watched) -> None:
        history, number = self._app.history, watched.monitor.number
        incidents = await history.incidents(number, limit=ASKED)
        self.header.show_incidents(incidents)
        self.incidents.show_incidents(incidents, self._app.clock.wall())
        if watched.reports:
            self.pings.show_pings(await history.pings(number), self._app.clock.wall())
        runs = await history.runs(number, limit=_NEWER if self.log.model.rows else PAGE)
        if self.log.model.rows and not self.log.model.adjoins(runs):
            runs = await history.runs(number, limit=PAGE)
        self.log.show_runs(runs, self._app.clock.wall())
        tally = await history.tally(number, DAY_MS, self._app.clock.wall())
        self.log.set_count(tally.runs)

    def _load_points(self) -> None:
        if self._watched is not None:
            self._points.start(self._fill_chart(self._watched, self.times.span_ms))

    async def _fill_chart(self, watched: Watched, span_ms: int) -> None:
        history, monitor, now = self._app.history, watched.monitor, self._app.clock.wall()
        points = await history.response_times(monitor.number, span_ms, now)
        tally = await history.tally(monitor.number, span_ms, now)
        incidents = await history.incidents(monitor.number, only_open=True)
        self._drawn_at = now
        self.times.show_series(series_of(points, monitor, incidents, now - span_ms, now), tally)

    def _load_more(self, before: int) -> None:
        if self._watched is not None:
            self._more.start(self._append_runs(self._watched, before))

    async def _append_runs(self, watched: Watched, before: int) -> None:
        number = watched.monitor.number
        self.log.model.append(await self._app.history.runs(number, before=before, limit=PAGE))

    def _load_evidence(self, run: RunRow | None) -> None:
        if run is None:
            self._evidence.cancel()
            self.evidence.show_evidence(None, None, 0)
        else:
            self._evidence.start(self._fill_evidence(run))

    async def _fill_evidence(self, run: RunRow) -> None:
        found = await self._app.history.evidence(run.monitor_number, run.started_at)
        self.evidence.show_evidence(run, found, self._app.clock.wall())


def _cause(watched: Watched) -> str:
    """Why there are runs of what is not looked at by itself."""
    if watched.follows:
        return tr("its members")
    return tr("its pings") if watched.reports else ""


def _seen(watched: Watched) -> _Seen:
    """What tells that there is something new to read."""
    newest = watched.beats[-1].started_at if watched.beats else None
    beat = watched.state.beat
    return newest, watched.state.incidents, None if beat is None else beat.last_ping_at
