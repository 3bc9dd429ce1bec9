"""When a maintenance window is: every week, once, or by a cron expression."""

from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QRadioButton, QVBoxLayout, QWidget

from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS, Setting
from uptime_desktop.domain.notation import (
    duration_notation,
    instant_text,
    parse_duration,
    parse_instant,
)
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.fields import ChoiceField, Field
from uptime_desktop.gui.dialogs.form import Form
from uptime_desktop.gui.dialogs.maintenance_fields import DaysField, TimeField, ZoneField
from uptime_desktop.gui.dialogs.maintenance_week import DAY, STEP, Block
from uptime_desktop.gui.dialogs.schedule_fields import InstantField
from uptime_desktop.gui.dialogs.written_fields import TextField
from uptime_desktop.i18n import tr

_DURATION: Final = 2 * HOUR_MS
_NIGHT: Final = "02:00"
_SUNDAY: Final = "sun"


class WeeklyFields(Form):
    """The same time on some days of each week; can be drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.days = DaysField()
        self.at = TimeField("at", tr("At"))
        self.duration = _duration_field(tr("1 min to 7 d"))
        self.zone = ZoneField()
        self.add(tr("&Days"), self.days)
        self.add(tr("&At"), self.at, tr("for"), self.duration, tr("1 min to 7 d"))
        self.add(tr("Time zone"), self.zone)
        self.fields = _by_key(self.days, self.at, self.duration, self.zone)
        self.days.fill(_SUNDAY)
        self.at.fill(_NIGHT)

    def blocks(self) -> list[Block]:
        """What can be drawn of it, be it allowed or not."""
        minutes = _minutes(self.duration)
        if not minutes:
            return []
        return [Block(day * DAY + self.at.minute, minutes) for day in sorted(self.days.days)]

    def draw(self, start: int, minutes: int, *, adds: bool) -> None:
        """Begin at this minute of the week; on a day that is not chosen, on that day alone."""
        day, at = divmod(start, DAY)
        if day not in self.days.days:
            self.days.choose(self.days.days | {day} if adds else frozenset({day}))
        self.at.set_minute(at)
        self.duration.fill(duration_notation(minutes * MINUTE_MS))

    def shift(self, days: int, minutes: int) -> None:
        """Days go around the week, but no time leaves its day."""
        if days:
            self.days.choose(frozenset((day + days) % 7 for day in self.days.days))
        self.at.set_minute(min(max(0, self.at.minute + minutes), DAY - STEP))

    def stretch(self, minutes: int) -> None:
        longer = max(STEP, _minutes(self.duration) + minutes)
        self.duration.fill(duration_notation(longer * MINUTE_MS))

    def toggle(self, day: int) -> None:
        self.days.choose(self.days.days ^ {day})


class OnceFields(Form):
    """From one time to another; can be drawn."""

    def __init__(self, now: int, zone: tzinfo) -> None:
        super().__init__()
        self._zone = zone
        soon = now - now % HOUR_MS + HOUR_MS
        self.starts = _moment("starts", tr("From"), soon, zone)
        self.ends = _moment("ends", tr("To"), soon + _DURATION, zone)
        self.add(tr("F&rom"), self.starts, tr("on the clock of this computer"))
        self.add(tr("&To"), self.ends)
        self.fields = _by_key(self.starts, self.ends)

    @property
    def monday(self) -> datetime:
        """The beginning of the week that it starts in."""
        start = self._wall(self.starts)
        midnight = start.replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight - timedelta(days=start.weekday())

    def blocks(self) -> list[Block]:
        start, end = (self._wall(field) - self.monday for field in (self.starts, self.ends))
        minute = timedelta(minutes=1)
        return [Block(start // minute, (end - start) // minute)] if end > start else []

    def draw(self, start: int, minutes: int) -> None:
        begin = self.monday + timedelta(minutes=start)
        self._set(begin, begin + timedelta(minutes=minutes))

    def shift(self, days: int, minutes: int) -> None:
        by = timedelta(days=days, minutes=minutes)
        self._set(self._wall(self.starts) + by, self._wall(self.ends) + by)

    def stretch(self, minutes: int) -> None:
        start, end = self._wall(self.starts), self._wall(self.ends)
        self._set(start, max(start + timedelta(minutes=STEP), end + timedelta(minutes=minutes)))

    def own_refusal(self, now: int, *, is_new: bool) -> Refused | None:
        """In the words of whoever picks dates, not of whoever writes them."""
        starts_at, ends_at = (
            parse_instant("", field.given()) for field in (self.starts, self.ends)
        )
        if ends_at <= starts_at:
            return Refused("ends", "it is not after the start", "a later time")
        if is_new and ends_at <= now:
            return Refused("ends", "it is past", "a time to come")
        return None

    def _wall(self, field: InstantField) -> datetime:
        """What the clock on the wall shows, without a zone."""
        at = parse_instant("", field.given())
        return datetime.fromtimestamp(at // 1_000, self._zone).replace(tzinfo=None)

    def _set(self, start: datetime, end: datetime) -> None:
        for field, wall in ((self.starts, start), (self.ends, end)):
            at = int(wall.replace(tzinfo=self._zone).timestamp()) * 1_000
            field.fill(instant_text(at))


class CronFields(Form):
    """Whenever an expression says so."""

    def __init__(self) -> None:
        super().__init__()
        self.cron = TextField(_spec("cron", FieldType.TEXT, tr("Cron expression")), 22)
        self.cron.line.setFont(theme.mono())
        self.cron.line.setText("0 2 * * 6")
        self.duration = _duration_field(tr("1 min to 30 d"))
        self.zone = ZoneField()
        self.dialect = ChoiceField(
            FieldSpec("dialect", FieldType.CHOICE, "", "extended", label=tr("Dialect")),
            [("extended", tr("extended")), ("posix", tr("POSIX"))],
        )
        self.add(tr("&Cron"), self.cron, self.dialect)
        self.add(tr("Lasts"), self.duration, tr("1 min to 30 d"))
        self.add(tr("Time zone"), self.zone)
        self.fields = _by_key(self.cron, self.dialect, self.duration, self.zone)


class WhenFields(QWidget):
    """One of the three, by the key that a file has for it."""

    changed = Signal()

    def __init__(self, now: int, zone: tzinfo) -> None:
        super().__init__()
        self.weekly, self.once, self.cron = WeeklyFields(), OnceFields(now, zone), CronFields()
        self._ways: dict[str, WeeklyFields | OnceFields | CronFields] = {
            "days": self.weekly,
            "starts": self.once,
            "cron": self.cron,
        }
        self.radios = {
            "days": QRadioButton(tr("every week")),
            "starts": QRadioButton(tr("once")),
            "cron": QRadioButton(tr("by a cron expression")),
        }
        choice = Form()
        choice.add(tr("&When"), *self.radios.values())
        choice.labels[-1].setBuddy(self.radios["days"])
        self.forms: tuple[Form, ...] = (choice, *self._ways.values())
        group = QButtonGroup(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        for form in self.forms:
            layout.addWidget(form)
        for radio in self.radios.values():
            group.addButton(radio)
        self.choose("days")
        for radio in self.radios.values():
            radio.toggled.connect(self._follow)
        for form in self._ways.values():
            for field in form.fields.values():
                field.changed.connect(self.changed)

    @property
    def way(self) -> str:
        return next(way for way, radio in self.radios.items() if radio.isChecked())

    @property
    def fields(self) -> dict[str, Field]:
        """Those in use, in reading order."""
        return self._ways[self.way].fields

    def choose(self, way: str) -> None:
        self.radios[way].setChecked(True)
        self._show_way()

    def given(self) -> dict[str, Setting]:
        answers = {key: field.given() for key, field in self.fields.items()}
        given: dict[str, Setting] = {
            key: value for key, value in answers.items() if value is not None
        }
        # Nothing written is refused as such; it does not mean another way.
        given.setdefault(self.way, "")
        return given

    def fill(self, given: Mapping[str, Setting]) -> None:
        self.choose(next(way for way in self._ways if way in given))
        for key, field in self.fields.items():
            if key in given:
                field.fill(given[key])

    def own_refusal(self, now: int, *, is_new: bool) -> Refused | None:
        return self.once.own_refusal(now, is_new=is_new) if self.way == "starts" else None

    def _follow(self, is_chosen: bool) -> None:
        if is_chosen:
            self._show_way()
            self.changed.emit()

    def _show_way(self) -> None:
        for way, form in self._ways.items():
            form.setVisible(way == self.way)


def _spec(key: str, kind: FieldType, label: str, help_text: str = "") -> FieldSpec:
    return FieldSpec(key, kind, help_text, label=label)


def _duration_field(help_text: str) -> TextField:
    field = TextField(_spec("duration", FieldType.DURATION, tr("Duration"), help_text))
    field.fill(duration_notation(_DURATION))
    return field


def _moment(key: str, title: str, at: int, zone: tzinfo) -> InstantField:
    field = InstantField(key, title, at, zone)
    field.moment.setDisplayFormat("yyyy-MM-dd HH:mm")
    return field


def _by_key(*fields: Field) -> dict[str, Field]:
    return {field.key: field for field in fields}


def _minutes(field: TextField) -> int:
    """Whole minutes of what is written, or none if it is no duration."""
    try:
        duration_ms = parse_duration(field.key, field.text().strip())
    except Refused:
        return 0
    return min(duration_ms, 7 * DAY_MS) // MINUTE_MS
