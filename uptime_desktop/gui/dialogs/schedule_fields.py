"""When a monitor runs and what failures do to that: the fields for every timing key."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Final
from zoneinfo import available_timezones

from PySide6.QtCore import QDateTime, QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCompleter,
    QDateTimeEdit,
    QLabel,
    QRadioButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.domain.definition import REPORT_KEYS, TIMING_KEYS
from uptime_desktop.domain.model import HOUR_MS, Cadence, CatchUp, Policy, Setting
from uptime_desktop.domain.notation import instant_text, parse_instant
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.calm import keep_calm
from uptime_desktop.gui.dialogs.fields import ChoiceField, Field
from uptime_desktop.gui.dialogs.form import Fold, Form
from uptime_desktop.gui.dialogs.written_fields import TextField
from uptime_desktop.i18n import tr

_MODES: Final = ("every", "cron", "at")
_RARE: Final = ("jitter", "min_interval", "max_interval", "auto_pause_after", "catch_up")
_PARAMETER: Final = {Policy.EXPONENTIAL: "backoff_cap", Policy.FIXED: "retry_delay"}


class InstantField(Field):
    """A date and a time on the clocks here."""

    def __init__(self, key: str, title: str, at: int, zone: tzinfo) -> None:
        self.moment = _CalmMoment()
        super().__init__(key, title, self.moment, tr("a time on the clock of this computer"))
        self._zone = zone
        self.moment.setCalendarPopup(True)
        self.moment.setDisplayFormat("yyyy-MM-dd HH:mm:ss")
        self.moment.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._set(at)
        self.moment.dateTimeChanged.connect(lambda _: self.changed.emit())

    def given(self) -> str:
        shown = self.moment.dateTime()
        # What nobody touched stays exact, though only seconds are shown.
        return instant_text(self._at if shown == self._shown else _instant(shown, self._zone))

    def fill(self, value: Setting) -> None:
        self._set(parse_instant(self.key, str(value)))

    def _set(self, at: int) -> None:
        on_wall = datetime.fromtimestamp(at // 1_000, self._zone)
        self.moment.setDateTime(
            QDateTime(
                *(on_wall.year, on_wall.month, on_wall.day),
                *(on_wall.hour, on_wall.minute, on_wall.second),
            )
        )
        self._at, self._shown = at, self.moment.dateTime()


class _CalmMoment(QDateTimeEdit):
    """Does not change because someone scrolls past it."""

    def __init__(self) -> None:
        super().__init__()
        keep_calm(self)


def _instant(shown: QDateTime, zone: tzinfo) -> int:
    date, time = shown.date(), shown.time()
    on_wall = datetime(
        *(date.year(), date.month(), date.day()),
        *(time.hour(), time.minute(), time.second()),
        tzinfo=zone,
    )
    return int(on_wall.timestamp()) * 1_000


def policy_words() -> list[tuple[Policy, str]]:
    """What a failure does to the next wait, in the words of the form."""
    return [
        (Policy.EXPONENTIAL, tr("double each time")),
        (Policy.CAPPED32, tr("double five times")),
        (Policy.LADDER, tr("30 s, 1, 5, 15, 60 min")),
        (Policy.FIXED, tr("retry after")),
        (Policy.NONE, tr("no change")),
    ]


class ScheduleFields(QWidget):
    """`defaults` holds the keys that are used where nothing is written."""

    changed = Signal()

    def __init__(
        self, defaults: Mapping[str, str], now: int, zone: tzinfo, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._defaults = defaults
        self._only_reports = False
        self.fields: dict[str, Field] = {}
        self.modes: dict[str, QRadioButton] = {}
        self._make_fields(now, zone)
        rare = self._rare_form()
        self.forms = (self._schedule_form(), self._failure_form(), rare)
        self.fold = Fold(
            tr("Limits: spread, shortest and longest wait, pausing, missed runs"), rare
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        for widget in (*self.forms[:2], self.fold):
            layout.addWidget(widget)
        for field in self.fields.values():
            field.changed.connect(self.changed)
        # They stand in rows of their own, and still only one of them holds.
        group = QButtonGroup(self)
        for radio in self.modes.values():
            group.addButton(radio)
            radio.toggled.connect(self._follow_choices)
        self.cadence.changed.connect(self._follow_choices)
        self.policy.changed.connect(self._follow_choices)
        self.modes["every"].setChecked(True)

    @property
    def mode(self) -> str:
        return next(mode for mode in _MODES if self.modes[mode].isChecked())

    @property
    def cadence(self) -> ChoiceField:
        return self._choice("cadence")

    @property
    def policy(self) -> ChoiceField:
        return self._choice("backoff")

    def use_for_reports(self, only_reports: bool) -> None:
        """Ask only when a job is to report, or for everything again."""
        self._only_reports = only_reports
        if only_reports and self.mode == "at":
            self.modes["every"].setChecked(True)
        for part in (self._once_row, self.forms[1], self.fold, self.fields["cadence"]):
            part.setVisible(not only_reports)
        self._label.setText(tr("Exp&ected") if only_reports else tr("&Check"))
        self._follow_choices()

    def given(self) -> dict[str, Setting]:
        """The keys that have a meaning by what is chosen."""
        used = self._used_keys()
        answers = {key: self.fields[key].given() for key in TIMING_KEYS if key in used}
        given: dict[str, Setting] = {
            key: value for key, value in answers.items() if value is not None
        }
        # Nothing written is refused as such; it does not mean another schedule.
        given.setdefault(self.mode, "")
        return given

    def fill(self, given: Mapping[str, Setting]) -> None:
        for key in given.keys() & self.fields.keys():
            self.fields[key].fill(str(given[key]))
        self.modes[next(mode for mode in _MODES if mode in given)].setChecked(True)
        if any(key in given and given[key] != self._defaults.get(key) for key in _RARE):
            self.fold.open()

    def reveal(self, field: Field) -> None:
        if self.fold.content.isAncestorOf(field):
            self.fold.open()

    def _used_keys(self) -> set[str]:
        used = set(TIMING_KEYS) - {"every", "cadence", "anchor", "cron", "dialect", "tz", "at"}
        used -= {"backoff_cap", "retry_delay"}
        if parameter := _PARAMETER.get(Policy(self.policy.value)):
            used.add(parameter)
        match self.mode:
            case "every":
                used |= {"every", "cadence"}
                used |= {"anchor"} if self.cadence.value == Cadence.GRID else set()
            case "cron":
                used |= {"cron", "dialect", "tz"}
            case _:
                used |= {"at"}
        return used & set(REPORT_KEYS) if self._only_reports else used

    def _make_fields(self, now: int, zone: tzinfo) -> None:
        defaults = self._defaults
        midnight = datetime.fromtimestamp(now // 1_000, zone).replace(hour=0, minute=0, second=0)
        for field in (
            TextField(
                _spec("every", FieldType.DURATION, tr("Interval"), tr("5 s to 30 d"), defaults)
            ),
            ChoiceField(
                _spec("cadence", FieldType.CHOICE, tr("Counted"), "", {"cadence": "after"}),
                [
                    (Cadence.AFTER, tr("after the last result")),
                    (Cadence.GRID, tr("at fixed times")),
                ],
            ),
            InstantField("anchor", tr("Counted from"), int(midnight.timestamp()) * 1_000, zone),
            TextField(_spec("cron", FieldType.TEXT, tr("Cron expression"), "", {}), 22),
            ChoiceField(
                _spec("dialect", FieldType.CHOICE, tr("Dialect"), "", {"dialect": "extended"}),
                [("extended", tr("extended")), ("posix", tr("POSIX"))],
            ),
            TextField(_spec("tz", FieldType.TEXT, tr("Time zone"), "", {}), 22),
            InstantField("at", tr("Once at"), now - now % HOUR_MS + HOUR_MS, zone),
            TextField(
                _spec("timeout", FieldType.DURATION, tr("Timeout"), tr("1 s to 300 s"), defaults)
            ),
            TextField(_spec("retries", FieldType.WHOLE, tr("Retries"), tr("0 to 10"), defaults), 4),
            ChoiceField(
                _spec("backoff", FieldType.CHOICE, tr("Backoff"), "", defaults),
                policy_words(),
                always=True,
            ),
            TextField(_spec("backoff_cap", FieldType.DURATION, tr("Backoff limit"), "", defaults)),
            TextField(_spec("retry_delay", FieldType.DURATION, tr("Retry after"), "", defaults)),
            TextField(_spec("jitter", FieldType.TEXT, tr("Spread"), "", {}), 9),
            TextField(_spec("min_interval", FieldType.DURATION, tr("Shortest wait"), "", {})),
            TextField(_spec("max_interval", FieldType.DURATION, tr("Longest wait"), "", {})),
            TextField(_spec("auto_pause_after", FieldType.WHOLE, tr("Pause after"), "", {}), 5),
            ChoiceField(
                _spec("catch_up", FieldType.CHOICE, tr("Missed runs"), "", defaults),
                [(CatchUp.ONCE, tr("make up for with one run")), (CatchUp.SKIP, tr("skip"))],
                always=True,
            ),
        ):
            self.fields[field.key] = field
        self._text("cron").line.setFont(theme.mono())
        self._text("cron").line.setPlaceholderText("0 9 * * 1-5")
        self._text("tz").line.setPlaceholderText(tr("this computer's"))
        self._text("tz").line.installEventFilter(self)

    def _schedule_form(self) -> Form:
        form, fields = Form(), self.fields
        for mode, text in (("every", tr("every")), ("cron", tr("cron")), ("at", tr("once at"))):
            self.modes[mode] = QRadioButton(text)
        width = max(radio.sizeHint().width() for radio in self.modes.values())
        for radio in self.modes.values():
            radio.setMinimumWidth(width)
        form.add(tr("&Check"), self.modes["every"], fields["every"], fields["cadence"])
        self._label = form.labels[-1]
        self._label.setBuddy(self.modes["every"])
        self._anchor_row = form.add("", tr("from"), fields["anchor"], indent=width + 6)
        form.add("", self.modes["cron"], fields["cron"])
        self._cron_row = form.add("", tr("in"), fields["tz"], fields["dialect"], indent=width + 6)
        self._once_row = form.add("", self.modes["at"], fields["at"])
        return form

    def _failure_form(self) -> Form:
        form, fields = Form(), self.fields
        form.add(
            tr("&Timeout"), fields["timeout"], tr("Retries"), fields["retries"], tr("after 500 ms")
        )
        self._up_to = QLabel(tr("up to"))
        self._up_to.setBuddy(fields["backoff_cap"])
        form.add(
            tr("Bac&koff"),
            fields["backoff"],
            self._up_to,
            fields["backoff_cap"],
            fields["retry_delay"],
        )
        return form

    def _rare_form(self) -> Form:
        form, fields = Form(), self.fields
        form.add(
            tr("Spread"), fields["jitter"], tr("of the wait, 0 to 0.5, so that runs do not bunch")
        )
        form.add(tr("Shortest wait"), fields["min_interval"], tr("whatever else is said"))
        form.add(tr("Longest wait"), fields["max_interval"], tr("whatever else is said"))
        form.add(
            tr("Pause after"), fields["auto_pause_after"], tr("failures in a row; 0 for never")
        )
        form.add(tr("Missed runs"), fields["catch_up"])
        return form

    def _follow_choices(self) -> None:
        used = self._used_keys()
        for key in ("every", "cadence", "cron", "at"):
            self.fields[key].setEnabled(key in used)
        self._anchor_row.setVisible("anchor" in used)
        self._cron_row.setVisible("cron" in used)
        for key in ("backoff_cap", "retry_delay"):
            self.fields[key].setVisible(key in used)
        self._up_to.setVisible("backoff_cap" in used)
        self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        """The names of all zones are read when someone first goes to type one."""
        line = self._text("tz").line
        if watched is line and event.type() is QEvent.Type.FocusIn and line.completer() is None:
            completer = QCompleter(sorted(available_timezones()), line)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            line.setCompleter(completer)
        return super().eventFilter(watched, event)

    def _choice(self, key: str) -> ChoiceField:
        field = self.fields[key]
        assert isinstance(field, ChoiceField)
        return field

    def _text(self, key: str) -> TextField:
        field = self.fields[key]
        assert isinstance(field, TextField)
        return field


def _spec(
    key: str, kind: FieldType, label: str, help_text: str, defaults: Mapping[str, str]
) -> FieldSpec:
    return FieldSpec(key, kind, help_text, defaults.get(key), label=label)
