"""What is changed in the settings dialog: in use at once, undone in order, saved in turn."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from uptime_desktop import autostart
from uptime_desktop.app import App
from uptime_desktop.config import Settings, describe_settings, parse_settings
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.gui.declared import where_to_edit
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.i18n import tr

START_AT_LOGIN: Final = "start_at_login"
"""Handled as a setting, but kept by the system and not in the database."""
YES: Final = "true"
NO: Final = "false"


class Changes(QObject):
    """Settings by key, as text. What it saves is saved even when the dialog is gone by then."""

    made = Signal()
    """Something is other than before, or as before because it could not be saved."""
    saved = Signal()
    failed = Signal(str)
    """Why it was not saved, in a sentence."""

    def __init__(self, app: App, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._app = app
        self._tasks = tasks
        # Not a QUndoStack: PySide's commands crash when they are collected together with it.
        self._done: list[_Step] = []
        self._undone: list[_Step] = []
        self._unsaved: dict[str, str] = {}
        self._starts_at_login = _starts_at_login()
        self._saving: asyncio.Task[object] | None = None
        # A file that decides may be written at any time.
        self.destroyed.connect(app.on_redefined(self.made.emit))

    @property
    def settings(self) -> Settings:
        """As they are to be, whether or not that is on disk yet."""
        return parse_settings(_without_login(self._unsaved), self._app.settings)

    def texts(self) -> dict[str, str]:
        login = self._unsaved.get(START_AT_LOGIN, YES if self._starts_at_login else NO)
        return {**describe_settings(self.settings), START_AT_LOGIN: login}

    def why_not(self, key: str) -> str:
        """Where else this is changed, if it cannot be here."""
        is_free = key == START_AT_LOGIN or not self._app.declares(key)
        return "" if is_free else where_to_edit(self._app)

    def make(self, asked: Mapping[str, str]) -> None:
        """Change these as one step that can be undone, or refuse all of them."""
        before = self.texts()
        wanted = {**asked, **_described(_without_login(asked), self.settings)}
        changed = {key: text for key, text in wanted.items() if text != before[key]}
        if changed:
            self._done.append(_Step({key: before[key] for key in changed}, changed))
            self._undone.clear()
            self._use(changed)

    @property
    def can_undo(self) -> bool:
        return bool(self._done)

    def undo(self) -> None:
        if self._done:
            self._undone.append(self._done.pop())
            self._use(self._undone[-1].before)

    def redo(self) -> None:
        if self._undone:
            self._done.append(self._undone.pop())
            self._use(self._done[-1].after)

    def _use(self, texts: Mapping[str, str]) -> None:
        """Save these as soon as what was changed before is saved."""
        self._unsaved |= texts
        if self._saving is None or self._saving.done():
            self._saving = self._tasks.start(self._save())
        self.made.emit()

    async def _save(self) -> None:
        while self._unsaved:
            asked = dict(self._unsaved)
            try:
                await self._write(asked)
            except UserError as error:
                self._unsaved.clear()
                # What they would undo was never done.
                self._done.clear()
                self._undone.clear()
                if isValid(self):
                    self.made.emit()
                    self.failed.emit(error.text(tr))
                return
            for key, text in asked.items():
                if self._unsaved[key] == text:
                    del self._unsaved[key]
        if isValid(self):
            self.saved.emit()

    async def _write(self, asked: Mapping[str, str]) -> None:
        if START_AT_LOGIN in asked:
            is_wanted = asked[START_AT_LOGIN] == YES
            if is_wanted:
                await asyncio.to_thread(autostart.turn_on, self._app.start_options)
            else:
                await asyncio.to_thread(autostart.turn_off)
            self._starts_at_login = is_wanted
        if own := _without_login(asked):
            await self._app.change_settings(parse_settings(own, self._app.settings))


@dataclass(frozen=True, slots=True)
class _Step:
    """What one act changed, by key."""

    before: Mapping[str, str]
    after: Mapping[str, str]


def _described(asked: Mapping[str, str], settings: Settings) -> dict[str, str]:
    """The one way to write each value: 60s and 1m are the same."""
    described = describe_settings(parse_settings(asked, settings))
    return {key: described[key] for key in asked}


def _without_login(texts: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in texts.items() if key != START_AT_LOGIN}


def _starts_at_login() -> bool:
    try:
        return autostart.is_on()
    except OSError:
        return False
