"""Everything that can be said about one monitor, and what is wrong with it, beside its field."""

from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from uptime_desktop.app import App, Job
from uptime_desktop.checks.base import AnyKind, FieldSpec, FieldType
from uptime_desktop.checks.registry import name_for, own_settings
from uptime_desktop.config import monitor_defaults, with_defaults
from uptime_desktop.domain.definition import (
    COMMON_KEYS,
    REPORTING_KIND,
    TIMING_KEYS,
    describe_monitor,
)
from uptime_desktop.domain.model import Monitor, Setting
from uptime_desktop.domain.notation import fraction_notation
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.alert_fields import KEYS, AlertFields
from uptime_desktop.gui.dialogs.draft import carried, plain_defaults, refusals, throwaway, timed
from uptime_desktop.gui.dialogs.fields import STRETCH, Field, SiteField
from uptime_desktop.gui.dialogs.form import Form, KindForm, align, tab_stops
from uptime_desktop.gui.dialogs.labels import Separator
from uptime_desktop.gui.dialogs.monitors_field import Choice
from uptime_desktop.gui.dialogs.schedule_fields import ScheduleFields
from uptime_desktop.gui.dialogs.sheet import Sheet
from uptime_desktop.gui.dialogs.upstream import monitor_choices, upstream_choices
from uptime_desktop.gui.dialogs.written_fields import TextField
from uptime_desktop.i18n import tr

_DEFAULT_SITE: Final = "default"
_DAILY: Final = "1d"


class MonitorForm(Sheet):
    """For a new monitor, or filled with one that is there. `use_kind` has to be called first."""

    changed = Signal()
    pasted = Signal(str)
    """An address came into the target at once."""

    def __init__(self, app: App, job: Job | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._app = app
        self._job = job
        self._defaults = plain_defaults()
        if job is None:
            self._defaults |= monitor_defaults(app.settings)
        self._has_tried = False
        self._kind_forms: dict[str, KindForm] = {}
        self._kind_form: KindForm | None = None
        self._typed = self._carried = ""
        self._kept: dict[str, Setting] = {}
        self.refused: dict[str, Refused] = {}
        self._make_fields()
        self._lay_out()
        self._fill()
        for part in (self.name, self.site, self.tags, self.schedule, self.alerts):
            part.changed.connect(self.changed)

    # What is in it

    @property
    def kind_form(self) -> KindForm:
        assert self._kind_form is not None
        return self._kind_form

    @property
    def kind(self) -> AnyKind:
        return self.kind_form.kind

    @property
    def _has_times(self) -> bool:
        """Whether there is something to say of when: it is looked at, or expected to report."""
        return not self.kind.is_passive or self.kind.name == REPORTING_KIND

    @property
    def target(self) -> Field:
        """What stands first."""
        return self.kind_form.target or self.name

    @property
    def fields(self) -> dict[str, Field]:
        """Every field in use, by key, in reading order."""
        first: dict[str, Field] = {self.target.key: self.target, "name": self.name}
        if self._job is None:
            first["site"] = self.site
        timing = self.schedule.fields if self._has_times else {}
        own = self.kind_form.fields
        return {**first, "tags": self.tags, **timing, **own, **self.alerts.fields}

    @property
    def site_id(self) -> str:
        return self.site.given() if self._job is None else self._job.monitor.site_id

    def given(self) -> dict[str, Setting]:
        """The keys as the command line would give them."""
        return self._keys(self.kind_form.given())

    def once(self) -> Monitor:
        """What is typed, to be looked at one time."""
        return throwaway({**self._sample(), **self.kind_form.given()}, self._app.clock.wall())

    def timed(self) -> Monitor | None:
        """A monitor with the times that are typed, unless one is wrong or it has none."""
        if self.kind.is_passive or self.refused.keys() & set(TIMING_KEYS):
            return None
        return timed(self._sample(), self._app.clock.wall())

    def tab_stops(self) -> list[QWidget]:
        """In reading order, though a target may have been made last."""
        own = self.kind_form
        parts = (own.target_form, self._common, self.schedule, own, self.alerts)
        return [stop for part in parts for stop in tab_stops(part)]

    def use_kind(self, kind: AnyKind) -> None:
        """Ask what this kind wants to know; the address goes along, other answers wait."""
        before, form = self._kind_form, self._kind_forms.get(kind.name)
        if form is None:
            form = self._make_kind_form(kind)
        for other in self._kind_forms.values():
            other.setVisible(other is form)
            other.target_form.setVisible(other is form)
        self._kind_form = form
        if before is not None and before is not form:
            self._carry_target(before, form)
        for part in (self.schedule, self._schedule_line):
            part.setVisible(self._has_times)
        self.schedule.use_for_reports(kind.name == REPORTING_KIND)
        self._suggest_interval()
        align((*form.forms, self._common, *self.schedule.forms, self.alerts.form))
        self.updateGeometry()
        self.changed.emit()

    def _suggest_interval(self) -> None:
        """Most jobs run once a day; nobody's own answer is changed."""
        every, usual = self.schedule.fields["every"], self._defaults["every"]
        reports = self.kind.name == REPORTING_KIND
        before, after = (usual, _DAILY) if reports else (_DAILY, usual)
        if self._job is None and every.given() == before:
            every.fill(after)

    def _carry_target(self, before: KindForm, after: KindForm) -> None:
        """What a person typed is what every kind takes its part of, so nothing is lost on the
        way back."""
        if isinstance(before.target, TextField) and before.target.text() != self._carried:
            self._typed = before.target.text()
        if isinstance(after.target, TextField):
            self._carried = carried(after.kind, self._typed)
            after.target.fill(self._carried)

    # Whether it can be

    def judge(self) -> None:
        """Find all that is wrong, and say it where it is."""
        sample = self._suggest_name()
        self.refused = refusals(sample, self.site_id, self._app.clock.wall())
        for key, field in self.fields.items():
            own = field.own_refusal()
            if own is not None:
                self.refused.setdefault(key, own)
            field.refuse(self.refused.get(key) if self._is_to_be_said(key) else None)
        self.alerts.show_effective(self.site_id)
        monitor = self.timed()
        if monitor is not None:
            self._show_effective(monitor)

    def insist(self) -> None:
        """Say what is wrong of fields nobody has been to, too, and go to the first of all."""
        self._has_tried = True
        self.judge()
        for key, field in self.fields.items():
            if key in self.refused:
                self.go_to(field)
                return

    def can_be_tested(self) -> bool:
        return not self.kind.is_passive and not self.refused.keys() & {
            *self.kind_form.fields,
            "timeout",
        }

    def wrong_time(self) -> str:
        """The name of the first field that leaves the schedule without a meaning."""
        return next(self.fields[key].title for key in TIMING_KEYS if key in self.refused)

    def go_to(self, field: Field) -> None:
        self.kind_form.reveal(field)
        self.schedule.reveal(field)
        self.alerts.reveal(field)
        field.setFocus()
        self.ensureWidgetVisible(field)

    def _is_to_be_said(self, key: str) -> bool:
        """A form that was just opened is not wrong for being empty."""
        is_own = key in self.kind_form.fields
        return self._has_tried or not is_own or self.target.sample() is not None

    def _suggest_name(self) -> dict[str, Setting]:
        """The keys, once the name that the address suggests stands in its field."""
        suggested = self.kind.name.capitalize()
        if isinstance(self.target, TextField) and self.target is not self.name:
            try:
                suggested = name_for(self.kind, own_settings(self.kind, self._sample()))
            except Refused:
                suggested = ""
        self.name.set_placeholder(suggested)
        return self._sample()

    def _show_effective(self, monitor: Monitor) -> None:
        """What holds while nothing is written depends on the rest."""
        for key, text in (
            ("jitter", fraction_notation(monitor.jitter)),
            ("auto_pause_after", str(monitor.pauses_after)),
        ):
            field = self.schedule.fields[key]
            if isinstance(field, TextField) and field.given() is None:
                field.set_placeholder(text)

    def _sample(self) -> dict[str, Setting]:
        """As `given`, to be judged here, where no stored secret is known."""
        keys = self._keys(self.kind_form.sample())
        if self._job is None and not self.kind.is_passive:
            return with_defaults(keys, monitor_defaults(self._app.settings))
        return keys

    def _keys(self, own: Mapping[str, Setting]) -> dict[str, Setting]:
        timing = self.schedule.given() if self._has_times else {}
        said = {**own, **timing, **self.alerts.given()}
        keys: dict[str, Setting] = {**self._kept, "kind": self.kind.name, **said}
        if name := self.name.text().strip() or self.name.line.placeholderText():
            keys["name"] = name
        if tags := self.tags.given():
            keys["tags"] = tags
        return keys

    # How it is made

    def _make_fields(self) -> None:
        self.name = TextField(FieldSpec("name", FieldType.TEXT, "", label=tr("Name")))
        sites = {_DEFAULT_SITE: _DEFAULT_SITE} | {s.id: s.name for s in self._app.sites.values()}
        self.site = SiteField(sites.items())
        words = tr("words to find it by, with commas between them")
        self.tags = TextField(FieldSpec("tags", FieldType.LIST, words, label=tr("Tags")), STRETCH)
        clock = self._app.clock
        self.schedule = ScheduleFields(self._defaults, clock.wall(), clock.zone())
        self.alerts = AlertFields(self._app, upstream_choices(self._app, self._job))

    def _lay_out(self) -> None:
        self._targets, self._own = QVBoxLayout(), QVBoxLayout()
        self._common = Form()
        self._common.add(tr("&Name"), self.name)
        if self._job is None:
            self._common.add(tr("S&ite"), self.site, tr("Tags"), self.tags)
        else:
            self._common.add(tr("Tags"), self.tags)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, theme.MARGIN)
        column.setSpacing(4)
        column.addLayout(self._targets)
        column.addWidget(self._common)
        self._schedule_line = _divide(column)
        column.addWidget(self.schedule)
        _divide(column)
        column.addLayout(self._own)
        column.addWidget(self.alerts)
        column.addStretch(1)
        self.setWidget(content)

    def _fill(self) -> None:
        if self._job is None:
            self.schedule.fill(self._defaults)
            self.site.fill(next(iter(self._app.sites), _DEFAULT_SITE))
            return
        described = describe_monitor(self._job.monitor)
        timing: dict[str, Setting] = {
            key: described[key] for key in TIMING_KEYS if key in described
        }
        defaults = {key: text for key, text in self._defaults.items() if key != "every"}
        follows = not timing.keys() & {"every", "cron", "at"}
        self.schedule.fill(self._defaults if follows else {**defaults, **timing})
        others = described.keys() & set(COMMON_KEYS) - {"name", "kind", "tags", *KEYS}
        # What there is no field for is not forgotten by an edit.
        self._kept = {key: described[key] for key in others}
        self.alerts.fill(described)
        self.name.fill(self._job.monitor.name)
        self.tags.fill(self._job.monitor.tags)

    def _make_kind_form(self, kind: AnyKind) -> KindForm:
        form = self._kind_forms[kind.name] = KindForm(kind, self._others(kind))
        if self._job is not None:
            monitor = self._job.monitor
            form.fill(monitor.settings, self._app.target_of(monitor))
        form.changed.connect(self.changed)
        form.pasted.connect(self.pasted)
        self._targets.addWidget(form.target_form)
        self._own.addWidget(form)
        return form

    def _others(self, kind: AnyKind) -> list[Choice]:
        """The monitors there are besides this one, for a kind that is made of others."""
        takes_some = any(spec.type is FieldType.MONITORS for spec in kind.fields)
        return monitor_choices(self._app, self._job) if takes_some else []


def _divide(column: QVBoxLayout) -> QWidget:
    divider = QWidget()
    space = QVBoxLayout(divider)
    space.setContentsMargins(0, 4, 0, 4)
    space.addWidget(Separator())
    column.addWidget(divider)
    return divider
