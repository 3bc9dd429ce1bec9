"""Change several monitors at once: only what is touched here changes, in each of them."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.app import App, Job
from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.domain.definition import describe_monitor, parse_monitor
from uptime_desktop.domain.model import Every, Monitor, Setting
from uptime_desktop.domain.refusal import Refused, UserError
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.draft import SCHEDULE_KEYS, plain_defaults
from uptime_desktop.gui.dialogs.fields import STRETCH, ChoiceField, Field
from uptime_desktop.gui.dialogs.form import Form
from uptime_desktop.gui.dialogs.labels import ResultLine, Separator
from uptime_desktop.gui.dialogs.schedule_fields import policy_words
from uptime_desktop.gui.dialogs.written_fields import TextField
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import ntr, tr

_UNTOUCHED: Final = ""
_GRID_KEYS: Final = ("cadence", "anchor")
_TIMING: Final = ("every", "timeout", "retries", "backoff")


class BulkEdit(QDialog):
    """What differs between the monitors reads "mixed" until something is put in its place."""

    changed = Signal(list)
    """The monitors as they are watched from now on."""

    def __init__(
        self, app: App, tasks: Tasks, jobs: Sequence[Job], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        self._jobs = tuple(jobs)
        self._refused: dict[str, Refused] = {}
        self._applying: asyncio.Task[object] | None = None
        n = len(self._jobs)
        self.setWindowTitle(ntr("Edit {n} monitor", "Edit {n} monitors", n).format(n=n))
        self.fields: dict[str, Field] = {}
        self.line = ResultLine()
        self._make_fields()
        self._lay_out()
        self._show_common()
        self._edited()

    # How it looks

    def _make_fields(self) -> None:
        words = tr("words with commas between them")
        for field in (
            TextField(FieldSpec("every", FieldType.DURATION, "", label=tr("Interval"))),
            TextField(FieldSpec("timeout", FieldType.DURATION, "", label=tr("Timeout"))),
            TextField(FieldSpec("retries", FieldType.WHOLE, "", label=tr("Retries"))),
            ChoiceField(
                FieldSpec("backoff", FieldType.CHOICE, "", _UNTOUCHED, label=tr("Backoff")),
                [(_UNTOUCHED, ""), *policy_words()],
            ),
            TextField(FieldSpec("add_tags", FieldType.LIST, words, label=tr("Add tags")), STRETCH),
            TextField(
                FieldSpec("remove_tags", FieldType.LIST, words, label=tr("Remove tags")), STRETCH
            ),
        ):
            self.fields[field.key] = field
            field.changed.connect(self._edited)

    def _lay_out(self) -> None:
        fields, form = self.fields, Form()
        hint = ""
        can_be_timed = any(not job.monitor.is_passive for job in self._jobs)
        for key in _TIMING:
            fields[key].setEnabled(can_be_timed)
        if not all(isinstance(job.monitor.schedule, Every) for job in self._jobs):
            hint = tr("takes the place of cron and once too")
        form.add(tr("&Interval"), fields["every"], *([hint] if hint else []))
        form.add(tr("&Timeout"), fields["timeout"])
        form.add(tr("&Retries"), fields["retries"])
        form.add(tr("Bac&koff"), fields["backoff"])
        form.add(tr("&Add tags"), fields["add_tags"])
        form.add(tr("R&emove tags"), fields["remove_tags"])
        intro = QLabel(tr("What you leave alone stays as it is in each of them."))
        intro.setWordWrap(True)
        save, close = QDialogButtonBox.StandardButton.Save, QDialogButtonBox.StandardButton.Close
        self.buttons = QDialogButtonBox(save | close)
        self.apply_button = self.buttons.button(save)
        self.apply_button.setText(tr("Change"))
        self.apply_button.setDefault(True)
        self.close_button = self.buttons.button(close)
        self.close_button.setText(tr("Close"))
        self.buttons.accepted.connect(self.apply)
        self.buttons.rejected.connect(self.reject)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self).activated.connect(self.apply)
        self._form = form
        column = QVBoxLayout()
        column.setContentsMargins(theme.MARGIN, theme.MARGIN, theme.MARGIN, theme.MARGIN)
        column.setSpacing(12)
        column.addWidget(intro)
        column.addWidget(form)
        column.addStretch(1)
        bottom = QHBoxLayout()
        bottom.setContentsMargins(theme.MARGIN, 10, theme.MARGIN, 12)
        bottom.addWidget(self.line, 1)
        bottom.addWidget(self.buttons)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(column, 1)
        layout.addWidget(Separator())
        layout.addLayout(bottom)
        self.resize(self.fontMetrics().horizontalAdvance("0") * 64, self.sizeHint().height())

    def _show_common(self) -> None:
        """What all have in common stands there in grey, or that they differ."""
        monitors = [job.monitor for job in self._jobs]
        timed = [monitor for monitor in monitors if not monitor.is_passive]
        described = [{**plain_defaults(), **_described(monitor)} for monitor in timed]
        for key in ("every", "timeout", "retries"):
            field = self.fields[key]
            assert isinstance(field, TextField)
            field.set_placeholder(_common([str(one.get(key, "")) for one in described]))
        backoff = self.fields["backoff"]
        assert isinstance(backoff, ChoiceField)
        words = {policy.value: text for policy, text in policy_words()}
        policies = [words[monitor.backoff.policy] for monitor in timed]
        backoff.combo.setItemText(0, tr("as now: {value}").format(value=_common(policies)))
        remove = self.fields["remove_tags"]
        assert isinstance(remove, TextField)
        remove.set_placeholder(", ".join(sorted({tag for one in monitors for tag in one.tags})))

    # What is wanted

    def given(self) -> dict[str, Setting]:
        """Only what was touched."""
        answers = {key: field.given() for key, field in self.fields.items()}
        return {key: value for key, value in answers.items() if value is not None}

    def _edited(self) -> None:
        self.line.clear()
        self._judge()

    def _judge(self) -> None:
        """A value that cannot be is refused here, before the first monitor is changed."""
        given = self.given()
        self._refused = {}
        for key in _TIMING:
            if key in given:
                self._note(key, {key: given[key]})
        for key in ("add_tags", "remove_tags"):
            if key in given:
                self._note(key, {"tags": given[key]})
        for key, field in self.fields.items():
            field.refuse(self._refused.get(key))
        is_busy = self._applying is not None
        self.apply_button.setEnabled(bool(given) and not self._refused and not is_busy)

    def _note(self, key: str, keys: Mapping[str, Setting]) -> None:
        try:
            parse_monitor(
                keys, site_id="all", monitor_id="all", number=0, now=self._app.clock.wall()
            )
        except Refused as refused:
            self._refused[key] = refused

    # What is done

    def apply(self) -> None:
        """Change all of them, or go to what is wrong."""
        self._judge()
        if self._refused:
            next(self.fields[key] for key in self.fields if key in self._refused).setFocus()
        elif self.given() and self._applying is None:
            self._applying = self._tasks.start(self._apply(self.given()))
            self._set_busy(True)

    async def _apply(self, given: Mapping[str, Setting]) -> None:
        changed: list[Monitor] = []
        problem = ""
        try:
            drafts = [(job, _changed(job.monitor, given)) for job in self._concerned(given)]
            for job, keys in drafts:
                self._require_possible(job, keys)
            for job, keys in drafts:
                changed.append(await self._app.edit(job, keys))
                self.line.show_note(tr("{done} of {n}").format(done=len(changed), n=len(drafts)))
        except _Impossible as impossible:
            problem = tr("{monitor}: {problem}").format(
                monitor=impossible.name, problem=impossible.refused.text(tr)
            )
        except UserError as error:
            problem = error.text(tr)
        self._applying = None
        self._finish(changed, problem)

    def _concerned(self, given: Mapping[str, Setting]) -> list[Job]:
        """Without those that were deleted while this was open, and those that follow others where
        only times are changed."""
        are_times = not given.keys() - set(_TIMING)
        present = [job for job in self._jobs if job in self._app.jobs]
        return [job for job in present if not (are_times and job.monitor.is_passive)]

    def _require_possible(self, job: Job, keys: Mapping[str, Setting]) -> None:
        monitor = job.monitor
        try:
            parse_monitor(
                keys,
                site_id=monitor.site_id,
                monitor_id=monitor.id,
                number=monitor.number,
                now=self._app.clock.wall(),
                is_passive=monitor.is_passive,
            )
        except Refused as refused:
            raise _Impossible(monitor.name, refused) from None

    def _finish(self, changed: list[Monitor], problem: str) -> None:
        self._set_busy(False)
        n = len(changed)
        said = ntr("{n} monitor changed", "{n} monitors changed", n).format(n=n)
        if not problem:
            self._clear_fields()
            self.close_button.setFocus()
            self.line.show_good(said)
        else:
            self.line.show_problem(problem, said if changed else tr("Nothing was changed."))
        if changed:
            self._show_common()
            self.changed.emit(changed)

    def _clear_fields(self) -> None:
        for field in self.fields.values():
            field.fill(_UNTOUCHED)

    def _set_busy(self, is_busy: bool) -> None:
        self._form.setEnabled(not is_busy)
        self._judge()

    def done(self, result: int) -> None:
        if self._applying is not None:
            self._applying.cancel()
            self._applying = None
        super().done(result)


class _Impossible(Exception):
    """One of the monitors cannot be changed in this way."""

    def __init__(self, name: str, refused: Refused) -> None:
        super().__init__(name)
        self.name = name
        self.refused = refused


def _described(monitor: Monitor) -> dict[str, str]:
    """The keys that can be changed here; a schedule without an interval has none to show."""
    described = {key: str(value) for key, value in describe_monitor(monitor).items()}
    return {"every": "", **described}


def _common(texts: list[str]) -> str:
    if not texts:
        return ""
    return texts[0] if len(set(texts)) == 1 else tr("mixed")


def _changed(monitor: Monitor, given: Mapping[str, Setting]) -> dict[str, Setting]:
    """The keys of a monitor with these put in their place."""
    keys = describe_monitor(monitor)
    if monitor.is_passive:
        given = {key: value for key, value in given.items() if key not in _TIMING}
    if "every" in given:
        keeps = _GRID_KEYS if isinstance(monitor.schedule, Every) else ()
        keys = {key: keys[key] for key in keys if key not in SCHEDULE_KEYS or key in keeps}
    keys |= {key: given[key] for key in _TIMING if key in given}
    tags = [*monitor.tags, *(tag for tag in _tags(given, "add_tags") if tag not in monitor.tags)]
    kept = tuple(tag for tag in tags if tag not in _tags(given, "remove_tags"))
    keys.pop("tags", None)
    return {**keys, "tags": kept} if kept else keys


def _tags(given: Mapping[str, Setting], key: str) -> tuple[str, ...]:
    value = given.get(key, ())
    return value if isinstance(value, tuple) else ()
