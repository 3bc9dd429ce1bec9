"""The fields that only a maintenance window has: days, a time of day, a zone, what it is for."""

from collections.abc import Iterable
from typing import Final
from zoneinfo import available_timezones

from PySide6.QtCore import QEvent, QLocale, QObject, Qt, QTime, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QButtonGroup,
    QCompleter,
    QHBoxLayout,
    QRadioButton,
    QSizePolicy,
    QTimeEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.domain.maintenance_definition import DAYS
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.calm import keep_calm
from uptime_desktop.gui.dialogs.fields import Field
from uptime_desktop.gui.dialogs.form import Form
from uptime_desktop.gui.dialogs.maintenance_words import day_name
from uptime_desktop.gui.dialogs.monitors_field import Choice, MonitorsField
from uptime_desktop.gui.dialogs.written_fields import TextField
from uptime_desktop.i18n import tr

_TIME: Final = "HH:mm"


class DaysField(Field):
    """Some days of the week, each a button that stays pressed."""

    def __init__(self) -> None:
        whole = QWidget()
        super().__init__("days", tr("Days"), whole)
        row = QHBoxLayout(whole)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        self.buttons = [self._button(day) for day in range(7)]
        width = max(button.minimumWidth() for button in self.buttons)
        for button in self.buttons:
            button.setMinimumWidth(width)
            row.addWidget(button)
        whole.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusProxy(self.buttons[0])

    @property
    def days(self) -> frozenset[int]:
        return frozenset(day for day, button in enumerate(self.buttons) if button.isChecked())

    def given(self) -> tuple[str, ...]:
        return tuple(DAYS[day] for day in sorted(self.days))

    def fill(self, value: Setting) -> None:
        names = value if isinstance(value, tuple) else str(value).split(",")
        self.choose(frozenset(DAYS.index(name) for name in names if name in DAYS))

    def choose(self, days: frozenset[int]) -> None:
        for day, button in enumerate(self.buttons):
            button.setChecked(day in days)

    def _button(self, day: int) -> "_DayButton":
        button = _DayButton(day)
        button.toggled.connect(lambda _: self.changed.emit())
        return button


class _DayButton(QToolButton):
    """Where it is pressed, its name is heavier and its ground is that of what is selected."""

    def __init__(self, day: int) -> None:
        super().__init__()
        self.setText(day_name(day))
        self.setAccessibleName(day_name(day, QLocale.FormatType.LongFormat))
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # As wide as it gets when it is pressed.
        self._plain = self.font()
        self.setFont(theme.section(self._plain))
        self.setMinimumWidth(self.sizeHint().width())
        self.toggled.connect(lambda _: self._restyle())
        self._restyle()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() is QEvent.Type.ApplicationPaletteChange:
            self._restyle()

    def _restyle(self) -> None:
        palette, is_chosen = QPalette(), self.isChecked()
        if is_chosen:
            palette.setColor(QPalette.ColorRole.Button, theme.tokens().selected)
        self.setPalette(palette)
        self.setFont(theme.section(self._plain) if is_chosen else self._plain)


class TimeField(Field):
    """A time of day, to the minute."""

    def __init__(self, key: str, title: str) -> None:
        self.time = QTimeEdit()
        super().__init__(key, title, self.time)
        keep_calm(self.time)
        self.time.setDisplayFormat(_TIME)
        self.time.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.time.timeChanged.connect(lambda _: self.changed.emit())

    @property
    def minute(self) -> int:
        return self.time.time().msecsSinceStartOfDay() // 60_000

    def given(self) -> str:
        return self.time.time().toString(_TIME)

    def fill(self, value: Setting) -> None:
        self.time.setTime(QTime.fromString(str(value), _TIME))

    def set_minute(self, minute: int) -> None:
        self.time.setTime(QTime.fromMSecsSinceStartOfDay(minute * 60_000))


class ZoneField(TextField):
    """A time zone by its name; the names are read when someone first goes to type one."""

    def __init__(self) -> None:
        super().__init__(FieldSpec("tz", FieldType.TEXT, "", label=tr("Time zone")), 28)
        self.line.setPlaceholderText(tr("this computer's"))
        self.line.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        line = self.line
        if watched is line and event.type() is QEvent.Type.FocusIn and line.completer() is None:
            completer = QCompleter(sorted(available_timezones()), line)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            line.setCompleter(completer)
        return super().eventFilter(watched, event)


class ScopeFields(QWidget):
    """For everything, or for some sites and monitors."""

    changed = Signal()

    def __init__(self, sites: Iterable[Choice], monitors: Iterable[Choice]) -> None:
        super().__init__()
        self.everything = QRadioButton(tr("everything"))
        self.some = QRadioButton(tr("only these sites and monitors"))
        self.sites = _chosen("sites", tr("Sites"), sites)
        self.monitors = _chosen("monitors", tr("Monitors"), monitors)
        self.fields: dict[str, Field] = {"sites": self.sites, "monitors": self.monitors}
        self.form = Form()
        self.form.add(tr("&For"), self.everything, self.some)
        self.form.labels[-1].setBuddy(self.everything)
        self._lists = self.form.add("", self.sites, self.monitors)
        beside = self._lists.layout()
        assert beside is not None
        for field in self.fields.values():
            beside.setAlignment(field, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.form)
        group = QButtonGroup(self)
        for radio in (self.everything, self.some):
            group.addButton(radio)
        self.everything.setChecked(True)
        self._follow()
        self.some.toggled.connect(self._follow)
        for field in self.fields.values():
            field.changed.connect(self.changed)

    def given(self) -> dict[str, Setting]:
        if not self.some.isChecked():
            return {}
        answers = {key: field.given() for key, field in self.fields.items()}
        return {key: value for key, value in answers.items() if value is not None}

    def fill(self, sites: Iterable[str], monitors: Iterable[str]) -> None:
        self.sites.fill(tuple(sorted(sites)))
        self.monitors.fill(tuple(sorted(monitors)))
        if self.sites.given() or self.monitors.given():
            self.some.setChecked(True)

    def own_refusal(self) -> Refused | None:
        """Nothing chosen would mean everything."""
        if not self.some.isChecked() or self.given():
            return None
        return Refused("sites", "nothing is chosen", "one site or monitor, or everything")

    def _follow(self) -> None:
        self._lists.setVisible(self.some.isChecked())
        self.changed.emit()


def _chosen(key: str, title: str, choices: Iterable[Choice]) -> MonitorsField:
    field = MonitorsField(FieldSpec(key, FieldType.MONITORS, "", label=title), choices)
    field.filter.setPlaceholderText(title)
    return field
