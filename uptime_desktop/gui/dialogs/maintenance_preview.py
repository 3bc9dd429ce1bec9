"""Beside the form: the window as drawn on a week, and the next times it comes."""

from datetime import datetime, timedelta
from typing import Final

from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from uptime_desktop.app import App
from uptime_desktop.domain.maintenance import Span, Window, upcoming
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.labels import Hint
from uptime_desktop.gui.dialogs.maintenance_week import WEEK, Block, Week, WeekGrid
from uptime_desktop.gui.dialogs.maintenance_when import WhenFields
from uptime_desktop.gui.dialogs.maintenance_words import day_name, span_text
from uptime_desktop.gui.moments import local
from uptime_desktop.i18n import in_a_row, tr

SHOWN_SPANS: Final = 5
_FEW_DRAWN: Final = 8
_MOST_DRAWN: Final = 7 * 48
_MINUTE: Final = timedelta(minutes=1)


class MaintenancePreview(QWidget):
    """What hands do to the week goes into the fields, which then say what to show."""

    def __init__(self, app: App, when: WhenFields, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._when = when
        self.grid = WeekGrid()
        self.hint = Hint()
        self.rows = [(QLabel(), Hint()) for _ in range(SHOWN_SPANS)]
        self.summary = Hint()
        for label in (self.hint, self.summary):
            label.setWordWrap(True)
        self._lay_out()
        self.grid.drawn.connect(self._draw)
        self.grid.moved.connect(self._move)
        self.grid.stretched.connect(self._stretch)
        self.grid.day_toggled.connect(when.weekly.toggle)

    def _lay_out(self) -> None:
        # As wide as the week with dates needs it, and so for all; with a place in the tab order.
        self.grid.show_week(Week(_titles(local(self._app.clock.wall()))), can_draw=True)
        self.grid.setMinimumWidth(self.grid.sizeHint().width())
        heading = QLabel(tr("Next times"))
        heading.setFont(theme.section(heading.font()))
        times = QGridLayout()
        times.setHorizontalSpacing(8)
        times.setVerticalSpacing(2)
        times.setColumnStretch(1, 1)
        for number, (time, note) in enumerate(self.rows):
            time.setFont(theme.tabular(self.font()))
            times.addWidget(time, number, 0)
            times.addWidget(note, number, 1)
        # It is there only where no time is.
        times.addWidget(self.summary, 0, 0, 1, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, theme.MARGIN)
        layout.setSpacing(6)
        layout.addWidget(self.grid, 1)
        layout.addWidget(self.hint)
        layout.addSpacing(6)
        layout.addWidget(heading)
        layout.addLayout(times)
        # As high with one time as with five, so that the week keeps its size.
        for number in range(SHOWN_SPANS):
            times.setRowMinimumHeight(number, self.fontMetrics().lineSpacing())

    # What is shown

    def follow(self, window: Window) -> None:
        """Show this one, as if it were switched on."""
        now, zone = self._app.clock.wall(), self._app.clock.zone()
        spans = upcoming(window, now, zone, SHOWN_SPANS)
        for number, (time, note) in enumerate(self.rows):
            is_there = number < len(spans)
            time.setText(span_text(spans[number], now) if is_there else "")
            is_now = is_there and spans[number].starts_at <= now
            note.setText(tr("in force") if is_now else "")
        self._say("" if spans else tr("It is over."))
        self._show_week(window)

    def withhold(self, sentence: str) -> None:
        """Show no times but why there are none; what can be drawn still is."""
        for row in self.rows:
            for label in row:
                label.setText("")
        self._say(sentence)
        self._show_week(None)

    def _say(self, sentence: str) -> None:
        self.summary.setText(sentence)
        self.summary.setVisible(bool(sentence))

    def _show_week(self, window: Window | None) -> None:
        match self._when.way:
            case "days":
                weekly = self._when.weekly
                titles = [day_name(day) for day in range(7)]
                week = Week(titles, weekly.blocks(), weekly.days.days, repeats=True)
                self._show(week, can_draw=True, has_days=True)
                hint = tr("Drag to draw it. Click the name of a day to add it or leave it out.")
                if zone := weekly.zone.text().strip():
                    times = tr("The times of the week are those of {zone}.").format(zone=zone)
                    hint = in_a_row(hint, times)
            case "starts":
                week = Week(_titles(self._when.once.monday), self._when.once.blocks())
                self._show(week, can_draw=True)
                hint = tr("Drag to draw it.")
            case _:
                self._show(self._next_week(window), can_draw=False)
                hint = tr("The week in which it comes next.")
        self.hint.setText(hint)

    def _show(self, week: Week, *, can_draw: bool, has_days: bool = False) -> None:
        self.grid.show_week(week, can_draw=can_draw, has_days=has_days)
        times = [time.text() for time, _ in self.rows if time.text()]
        keys = tr("Up and Down move it, with Shift they make it longer or shorter.")
        said = [*times, keys] if can_draw else times
        self.grid.setAccessibleDescription(tr(", ").join(said))

    def _next_week(self, window: Window | None) -> Week:
        """The week of the next time, or this one if there is none."""
        now, zone = self._app.clock.wall(), self._app.clock.zone()
        spans = [] if window is None else upcoming(window, now, zone, _FEW_DRAWN)
        first = local(spans[0].starts_at if spans else now).replace(tzinfo=None)
        midnight = first.replace(hour=0, minute=0, second=0, microsecond=0)
        monday = midnight - timedelta(days=first.weekday())
        if window is not None and spans and _block(spans[-1], monday).start < WEEK:
            # So many only where a week has them: of one a week they would be years.
            spans = upcoming(window, now, zone, _MOST_DRAWN)
        blocks = [_block(span, monday) for span in spans]
        return Week(_titles(monday), [one for one in blocks if one.start < WEEK])

    # What hands do

    def _draw(self, start: int, minutes: int, adds: bool) -> None:
        if self._when.way == "days":
            self._when.weekly.draw(start, minutes, adds=adds)
        else:
            self._when.once.draw(start, minutes)

    def _move(self, days: int, minutes: int) -> None:
        drawn = self._when.weekly if self._when.way == "days" else self._when.once
        drawn.shift(days, minutes)

    def _stretch(self, minutes: int) -> None:
        drawn = self._when.weekly if self._when.way == "days" else self._when.once
        drawn.stretch(minutes)


def _titles(first: datetime) -> list[str]:
    """The days of one week of the calendar: `Mon 16`."""
    dates = (first + timedelta(days=day) for day in range(7))
    return [
        tr("{name} {number}").format(name=day_name(one.weekday()), number=one.day) for one in dates
    ]


def _block(span: Span, monday: datetime) -> Block:
    start, end = (local(at).replace(tzinfo=None) - monday for at in span)
    return Block(start // _MINUTE, max(1, (end - start) // _MINUTE))
