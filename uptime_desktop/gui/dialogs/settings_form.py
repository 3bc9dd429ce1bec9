"""A page of settings: what is chosen is in use at once, what is typed when typing stops."""

import asyncio
from typing import Final, TypeVar, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.config import DURATION_RANGES, Settings, describe_settings
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import duration_text
from uptime_desktop.gui import theme
from uptime_desktop.gui.dialogs.labels import Hint
from uptime_desktop.gui.dialogs.read_only import make_read_only
from uptime_desktop.gui.dialogs.settings_changes import NO, START_AT_LOGIN, Changes
from uptime_desktop.gui.dialogs.settings_fields import SettingField, SwitchField
from uptime_desktop.i18n import tr

_TYPING_S: Final = 0.3
_ROW_GAP: Final = 6
_SECTION_GAP: Final = 12
_AnyField = TypeVar("_AnyField", bound=SettingField)


class SettingsPage(QScrollArea):
    """Shows the settings anew whenever one of them is changed, undone or could not be saved."""

    state_changed = Signal()
    """Whether all that stands here is in use may be other than before."""

    def __init__(self, changes: Changes) -> None:
        super().__init__()
        self.fields: dict[str, SettingField] = {}
        self._changes = changes
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._unused: set[str] = set()
        content = QWidget()
        # Not a form layout: that one misjudges the height of rows with words that wrap.
        self._grid = QGridLayout(content)
        self._grid.setContentsMargins(
            theme.MARGIN + 4, theme.MARGIN - 4, theme.MARGIN, theme.MARGIN
        )
        self._grid.setVerticalSpacing(_ROW_GAP)
        self._grid.setHorizontalSpacing(_SECTION_GAP)
        self._grid.setColumnStretch(1, 1)
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The page is part of the window, not something lying in it.
        self.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        self.build()
        self._grid.setRowStretch(self._grid.rowCount(), 1)
        changes.made.connect(self.refresh)
        self.refresh()

    def build(self) -> None:
        """Put the fields on the page, in reading order."""
        raise NotImplementedError

    def explain(self) -> None:
        """Say what the values that are in use mean."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Show what is in use, except where somebody is typing something else."""
        texts = self._changes.texts()
        for key, field in self.fields.items():
            if key not in self._waiting and key not in self._unused:
                field.fill(texts[key])
        self.explain()
        self.lock()

    def lock(self) -> None:
        """Have what a file decides only be read; to explain may have freed some of it."""
        for key, field in self.fields.items():
            if why := self._changes.why_not(key):
                make_read_only(field, why, field.harmless)

    @property
    def is_declared(self) -> bool:
        """Whether a file decides about something on it."""
        return any(self._changes.why_not(key) for key in self.fields)

    @property
    def can_change(self) -> bool:
        """Whether any setting on it can be changed here."""
        return any(not self._changes.why_not(key) for key in self.fields)

    def flush(self) -> None:
        """Use at once what was typed."""
        for key in tuple(self._waiting):
            self.settle(self.fields[key])

    def restore_defaults(self) -> None:
        defaults = {**describe_settings(Settings()), START_AT_LOGIN: NO}
        self.drop_typed()
        free = [key for key in self.fields if not self._changes.why_not(key)]
        self._changes.make({key: defaults[key] for key in free})

    def drop_typed(self) -> None:
        """Forget what was typed and is not in use."""
        for handle in self._waiting.values():
            handle.cancel()
        self._waiting.clear()
        self._unused.clear()
        for field in self.fields.values():
            field.refuse(None)
        self.refresh()
        self.state_changed.emit()

    @property
    def has_unused(self) -> bool:
        """Whether something stands here that is not in use."""
        return bool(self._unused)

    # For the pages themselves

    def section(self, title: str, note: str = "") -> None:
        heading = QLabel(title)
        heading.setFont(theme.section(heading.font()))
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, _SECTION_GAP - 4 if self.fields else 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(heading)
        layout.addWidget(Hint(note), 1)
        self.add_wide(row)

    def add(self, field: _AnyField, hint: str = "") -> _AnyField:
        self.fields[field.key] = field
        field.say(hint)
        if isinstance(field, SwitchField):
            self._add_switch(field)
        else:
            cast(QHBoxLayout, field.layout()).addWidget(field.hint, 1)
            label = QLabel(field.label)
            label.setBuddy(field.editor)
            row = self._grid.rowCount()
            self._grid.addWidget(
                label, row, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            )
            self._grid.addWidget(field, row, 1)
            self.add_line(field.complaint)
        field.typed.connect(lambda: self._wait(field))
        field.chosen.connect(lambda: self.settle(field))
        return field

    def add_tall(self, field: _AnyField) -> _AnyField:
        """As `add`, with its effect under the field, which takes all the room beside its name."""
        self.add(field)
        field.hint.setContentsMargins(2, 0, 0, 0)
        self.add_line(field.hint)
        return field

    def add_line(self, widget: QWidget) -> None:
        """Under the fields, in line with them."""
        self._grid.addWidget(widget, self._grid.rowCount(), 1)

    def _add_switch(self, field: SwitchField) -> None:
        style = field.box.style()
        indent = style.pixelMetric(QStyle.PixelMetric.PM_IndicatorWidth, None, field.box)
        indent += style.pixelMetric(QStyle.PixelMetric.PM_CheckBoxLabelSpacing, None, field.box)
        row = QWidget()
        layout = QVBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(field)
        for under in (field.hint, field.complaint):
            under.setContentsMargins(indent + 2, 0, 0, 0)
            layout.addWidget(under)
        self.add_wide(row)

    def add_wide(self, widget: QWidget) -> None:
        """Under the fields, from the left edge."""
        self._grid.addWidget(widget, self._grid.rowCount(), 0, 1, 2)

    def take(self, field: SettingField) -> bool:
        """Use what stands in the field; refused if it cannot be. False: not yet."""
        self._changes.make({field.key: field.given()})
        return True

    def _wait(self, field: SettingField) -> None:
        if field.key in self._waiting:
            self._waiting[field.key].cancel()
        loop = asyncio.get_running_loop()
        self._waiting[field.key] = loop.call_later(_TYPING_S, self.settle, field)

    def settle(self, field: SettingField) -> None:
        """Use what stands in the field, or say why not."""
        if (handle := self._waiting.pop(field.key, None)) is not None:
            handle.cancel()
        refusal = None
        try:
            is_used = self.take(field)
        except Refused as refused:
            refusal, is_used = refused, False
        field.refuse(refusal)
        self.mark(field, is_used=is_used)

    def mark(self, field: SettingField, *, is_used: bool) -> None:
        """Note whether what stands in the field is in use."""
        if is_used:
            self._unused.discard(field.key)
        else:
            self._unused.add(field.key)
        self.state_changed.emit()


def range_text(key: str) -> str:
    lowest, highest = DURATION_RANGES[key]
    return tr("{lowest} to {highest}").format(
        lowest=duration_text(lowest, tr) if lowest else tr("{n} s").format(n=0),
        highest=duration_text(highest, tr),
    )
