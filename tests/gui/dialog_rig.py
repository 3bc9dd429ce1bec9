"""What tests of dialogs share: a real app, time to let things happen, and ears for signals."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.gui.accessibility import unnamed_controls
from uptime_desktop.app import App, opened
from uptime_desktop.engine.clock import Clock
from uptime_desktop.gui.tasks import Tasks

_PATIENCE_S = 10


@dataclass
class Rig:
    app: App
    tasks: Tasks
    problems: list[str] = field(default_factory=list)


@asynccontextmanager
async def rigged(folder: Path, clock: Clock | None = None) -> AsyncIterator[Rig]:
    async with opened(folder / "uptime.db", clock) as app:
        app.start_timer_only()
        problems: list[str] = []
        rig = Rig(app, Tasks(problems.append), problems)
        yield rig
        await rig.tasks.close()
        assert not problems


async def until(condition: Callable[[], object]) -> None:
    """Let the app and Qt go on until something is so."""
    async with asyncio.timeout(_PATIENCE_S):
        while not condition():
            QApplication.processEvents()
            await asyncio.sleep(0.005)


def activate(window: QWidget) -> None:
    """Keys and focus belong to the window in front."""
    window.activateWindow()
    QApplication.processEvents()


def heard(signal: SignalInstance) -> list[object]:
    """All that a signal carries from now on."""
    found: list[object] = []
    signal.connect(lambda *values: found.append(values[0] if values else None))
    return found


def press(widget: QWidget, key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> None:
    held = Qt.KeyboardModifier.NoModifier
    for modifier in modifiers:
        held |= modifier
    QTest.keyClick(widget, key, held)


def enter_on(widget: QWidget) -> None:
    """Go there by key, and press Enter."""
    activate(widget.window())
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    assert widget.hasFocus()
    press(widget, Qt.Key.Key_Return)


def walked() -> list[QWidget]:
    """Where Tab goes, from what has the focus on, until it is there again."""
    found: list[QWidget] = []
    while (focused := QApplication.focusWidget()) is not None and focused not in found:
        found.append(focused)
        press(focused, Qt.Key.Key_Tab)
    assert found[:1] == [QApplication.focusWidget()]
    return found


def unnamed(window: QWidget) -> list[str]:
    """Controls without a name, apart from the list that Qt opens below a named combo box."""
    return [one for one in unnamed_controls(window) if "> QFrame > QListView " not in one]
