"""The window changes its language while it runs, and Qt's own words with it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialogButtonBox,
    QLabel,
    QMenu,
    QWidget,
)

from tests.gui.scene import Scene, scene
from uptime_desktop.domain.status import Status
from uptime_desktop.gui.dialogs.bulk_edit import BulkEdit
from uptime_desktop.gui.dialogs.maintenance import MaintenanceDialog
from uptime_desktop.gui.dialogs.maintenance_editor import MaintenanceEditor
from uptime_desktop.gui.dialogs.monitor_editor import MonitorEditor
from uptime_desktop.gui.dialogs.settings import SettingsDialog
from uptime_desktop.gui.dialogs.settings_page_list import PageList
from uptime_desktop.gui.main_window import MainWindow
from uptime_desktop.gui.translation import use_language
from uptime_desktop.i18n import LANGUAGES


@pytest.fixture(autouse=True)
def english(qapp: QApplication) -> Iterator[None]:
    yield
    use_language(qapp, "en")


def _window(stage: Scene) -> MainWindow:
    return MainWindow(stage.app, stage.bridge, stage.watch, stage.acts, stage.tasks)


def _titles(window: MainWindow) -> list[str]:
    return [action.text() for action in window.menuBar().actions()]


def _cancel() -> str:
    """Qt's own word, which we never translate."""
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    return box.button(QDialogButtonBox.StandardButton.Cancel).text().replace("&", "")


def _close(qapp: QApplication, *widgets: QWidget) -> None:
    for widget in widgets:
        widget.deleteLater()
    qapp.processEvents()


@pytest.mark.asyncio
async def test_a_window_made_after_the_change_speaks_the_language(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with scene(tmp_path, shop=["a", "b"]) as stage:
        stage.set_status("a", Status.DOWN)
        use_language(qapp, "zh_CN")
        window = _window(stage)
        assert _titles(window) == ["文件(&F)", "监控(&M)", "视图(&V)", "工具(&T)", "帮助(&H)"]
        assert window.counts_text == "2 个监控：1 个故障，1 个等待首次检查"
        assert _cancel() == "取消"
        assert QLocale().language() is QLocale.Language.Chinese
        use_language(qapp, "en")
        again = _window(stage)
        assert _titles(again) == ["&File", "&Monitor", "&View", "&Tools", "&Help"]
        assert again.counts_text == "2 monitors: 1 down, 1 pending"
        assert _cancel() == "Cancel"
        _close(qapp, window, again)


@pytest.mark.asyncio
@pytest.mark.parametrize("language", LANGUAGES)
async def test_no_two_things_beside_each_other_share_a_letter(
    language: str, tmp_path: Path, qapp: QApplication
) -> None:
    use_language(qapp, language)
    async with scene(tmp_path, shop=["a", "b"]) as stage:
        window = _window(stage)
        jobs = [one.job for one in stage.watch.monitors.values()]
        editor = MonitorEditor(stage.app, stage.tasks, None, window)
        bulk = BulkEdit(stage.app, stage.tasks, jobs, window)
        settings = SettingsDialog(stage.app, stage.tasks, window)
        listed = MaintenanceDialog(stage.app, stage.watch, stage.acts, stage.tasks, window)
        planned = MaintenanceEditor(stage.app, stage.tasks, None, window)
        assert _shared(action.text() for action in window.menuBar().actions()) == []
        for menu in window.findChildren(QMenu):
            assert _shared(action.text() for action in menu.actions()) == []
        for dialog in (editor, bulk, listed):
            dialog.show()
            assert _shared(_words(dialog)) == []
        planned.show()
        for way in planned.when.radios:
            planned.when.choose(way)
            assert _shared(_words(planned)) == []
        settings.show()
        pages = settings.findChild(PageList)
        assert pages is not None
        for row in range(pages.count()):
            pages.setCurrentRow(row)
            assert _shared(_words(settings)) == []
        for shown in (editor, bulk, listed, planned, settings):
            shown.reject()
        _close(qapp, window)


def _words(dialog: QWidget) -> Iterator[str]:
    for one in dialog.findChildren(QWidget):
        if isinstance(one, QLabel | QAbstractButton) and one.isVisibleTo(dialog):
            yield one.text()


def _shared(texts: Iterable[str]) -> list[str]:
    found = Counter(
        text[text.index("&") + 1].upper()
        for text in texts
        if "&" in text.replace("&&", "") and not text.startswith("<")
    )
    return [letter for letter, count in found.items() if count > 1]
