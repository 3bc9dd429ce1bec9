"""How long history is kept. Longer is in use at once; shorter loses something, so it asks."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from uptime_desktop.config import Settings, describe_settings, parse_settings
from uptime_desktop.domain.notation import parse_duration
from uptime_desktop.domain.wording import duration_text
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.labels import Hint, ThemeLabel
from uptime_desktop.gui.dialogs.settings_fields import DurationField, SettingField
from uptime_desktop.gui.dialogs.settings_form import SettingsPage, range_text
from uptime_desktop.i18n import tr


class HistoryPage(SettingsPage):
    def build(self) -> None:
        self._questions: dict[str, _LossQuestion] = {}
        self.section(tr("Keep"))
        self._add("raw_history", tr("Every &run"), tr("{range}. With what each one saw."))
        self._add(
            "five_minute_history",
            tr("&5-minute figures"),
            tr("{range}. For charts and uptime of up to a week."),
        )
        self._add(
            "hourly_history",
            tr("&Hourly figures"),
            tr("{range}. For charts and uptime of up to 90 days."),
        )
        always = Hint(tr("Daily figures and incidents are kept for ever."))
        always.setContentsMargins(2, 6, 0, 0)
        self.add_line(always)

    def explain(self) -> None:
        """Each field says it all already."""

    def take(self, field: SettingField) -> bool:
        lost_before_ms = None
        try:
            lost_before_ms = self._lost_before_ms(field)
        finally:
            self._questions[field.key].ask(lost_before_ms)
        return lost_before_ms is None and super().take(field)

    def restore_defaults(self) -> None:
        self.drop_typed()
        defaults = describe_settings(Settings())
        for key, field in self.fields.items():
            field.fill(defaults[key])
            self.settle(field)

    def drop_typed(self) -> None:
        for question in self._questions.values():
            question.hide()
        super().drop_typed()

    def _add(self, key: str, label: str, effect: str) -> None:
        field = self.add(DurationField(key, label), effect.format(range=range_text(key)))
        question = self._questions[key] = _LossQuestion(field.title)
        question.agreed.connect(lambda: self._lose(field))
        self.add_line(question)

    def _lost_before_ms(self, field: SettingField) -> int | None:
        """The age from which on history would be lost that is kept now, if it would be."""
        parse_settings({field.key: field.given()})
        wanted_ms = parse_duration(field.key, field.given())
        kept_ms = parse_duration(field.key, self._changes.texts()[field.key])
        return wanted_ms if wanted_ms < kept_ms else None

    def _lose(self, field: DurationField) -> None:
        self._changes.make({field.key: field.given()})
        field.line.setFocus()
        self._questions[field.key].hide()
        self.mark(field, is_used=True)


class _LossQuestion(QWidget):
    """Under its field, there only while it asks."""

    agreed = Signal()

    def __init__(self, title: str) -> None:
        super().__init__()
        self._sentence = ThemeLabel("", lambda tokens: tokens.degraded)
        self._sentence.setFont(theme.small(self.font()))
        self._sentence.setWordWrap(True)
        self._agree = QPushButton(tr("&Forget them"))
        self._agree.setAccessibleName(tr("Forget {field}").format(field=title))
        self._agree.clicked.connect(lambda _: self.agreed.emit())
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2, 0, 0, 6)
        layout.setSpacing(8)
        layout.addWidget(self._agree)
        layout.addWidget(self._sentence, 1)
        self.hide()

    def ask(self, lost_before_ms: int | None) -> None:
        """Ask whether to forget what is older, or no longer."""
        if lost_before_ms is not None:
            sentence = tr("Those older than {duration} are lost for good, within the hour.")
            self._sentence.setText(sentence.format(duration=duration_text(lost_before_ms, tr)))
            self._agree.setAccessibleDescription(self._sentence.text())
        self.setVisible(lost_before_ms is not None)
