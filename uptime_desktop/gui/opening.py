"""Opens the dialogs of the window, each where it belongs and none of the large ones twice."""

from typing import Final, TypeVar

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QWidget

from uptime_desktop.app import App
from uptime_desktop.checks.registry import kind_named
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.gui.acts import Acts
from uptime_desktop.gui.dialogs.bulk_edit import BulkEdit
from uptime_desktop.gui.dialogs.export import ExportDialog
from uptime_desktop.gui.dialogs.import_wizard import ImportDialog
from uptime_desktop.gui.dialogs.maintenance import MaintenanceDialog
from uptime_desktop.gui.dialogs.maintenance_editor import MaintenanceEditor
from uptime_desktop.gui.dialogs.monitor_editor import MonitorEditor
from uptime_desktop.gui.dialogs.settings import SettingsDialog
from uptime_desktop.gui.dialogs.site import SiteDialog
from uptime_desktop.gui.monitor_list import MonitorList
from uptime_desktop.gui.notice_line import NoticeLine
from uptime_desktop.gui.tasks import Tasks
from uptime_desktop.gui.watch import Watch
from uptime_desktop.i18n import tr

_FRAME: Final = 24
"""Room for what a window manager puts around a window."""
_AnyDialog = TypeVar("_AnyDialog", bound=QDialog)


class Dialogs(QObject):
    added = Signal(object)
    """A monitor that is watched from now on."""
    imported = Signal(object)
    """The keys of monitors that came from elsewhere, which are to be seen."""
    test_notification_asked = Signal()

    def __init__(
        self,
        app: App,
        watch: Watch,
        acts: Acts,
        tasks: Tasks,
        monitors: MonitorList,
        notice: NoticeLine,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._app = app
        self._watch = watch
        self._acts = acts
        self._tasks = tasks
        self._list = monitors
        self._notice = notice
        self._window = window

    def add(self, target: str = "") -> None:
        self._open(editor := MonitorEditor(self._app, self._tasks, None, self._window))
        editor.saved.connect(self.added)
        if target:
            editor.set_target(target)

    def edit(self) -> None:
        """What is selected; while a file decides it is only shown, and several cannot be."""
        chosen = self._list.selected()
        if len(chosen) == 1:
            try:
                kind_named(chosen[0].monitor.kind)
            except Refused as refused:
                # The package that brought this kind of check is gone.
                self._notice.tell(refused.text(tr))
                return
            self._open(MonitorEditor(self._app, self._tasks, chosen[0].job, self._window))
        elif chosen and self._app.declared_in is None:
            jobs = [one.job for one in chosen]
            self._open(BulkEdit(self._app, self._tasks, jobs, self._window))

    def edit_site(self, site_id: str) -> None:
        if site_id in self._app.sites:
            site = self._app.sites[site_id]
            self._open(SiteDialog(self._app, self._tasks, site, self._window))

    def open_settings(self) -> None:
        if self._raised(SettingsDialog) is None:
            dialog = SettingsDialog(self._app, self._tasks, self._window)
            self._listen_to(dialog)
            self._open(dialog)

    def open_channels(self) -> None:
        self.open_settings()
        dialog = self._raised(SettingsDialog)
        if dialog is not None:
            dialog.show_channels()

    def open_maintenance(self) -> None:
        if self._raised(MaintenanceDialog) is None:
            acts, watch = self._acts, self._watch
            self._open(MaintenanceDialog(self._app, watch, acts, self._tasks, self._window))

    def plan_maintenance(self) -> None:
        """For what is selected."""
        sites, monitors = self._acts.scope_of(self._list.selected())
        self._open(editor := MaintenanceEditor(self._app, self._tasks, None, self._window))
        editor.choose(frozenset(sites), frozenset(monitors))

    def open_import(self) -> None:
        if self._raised(ImportDialog) is None:
            dialog = ImportDialog(self._app, self._tasks, self._window)
            dialog.shown.connect(self.imported)
            self._open(dialog)

    def open_export(self) -> None:
        if self._raised(ExportDialog) is None:
            chosen = [one.monitor.number for one in self._list.selected()]
            self._open(ExportDialog(self._app, self._tasks, chosen, self._window))

    def take_over(self, old: QWidget) -> None:
        """Have what is open above another window open above this one."""
        for dialog in old.findChildren(QDialog):
            if dialog.isVisible():
                dialog.setParent(self._window, dialog.windowFlags())
                if isinstance(dialog, SettingsDialog):
                    self._listen_to(dialog)
                dialog.open()

    def _listen_to(self, dialog: SettingsDialog) -> None:
        dialog.test_notification_asked.connect(self.test_notification_asked)

    def _raised(self, kind: type[_AnyDialog]) -> _AnyDialog | None:
        """The one of this kind that is open already, in front."""
        for dialog in self._window.findChildren(kind):
            if dialog.isVisible():
                dialog.raise_()
                dialog.activateWindow()
                return dialog
        return None

    def _open(self, dialog: QDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fit(dialog, dialog.size())
        dialog.open()


def fit(widget: QWidget, wanted: QSize) -> None:
    """As large as wanted, and no larger than the screen has room for."""
    screen = QGuiApplication.primaryScreen()
    if screen is not None:
        room = screen.availableSize()
        wanted = wanted.boundedTo(QSize(room.width() - _FRAME, room.height() - 2 * _FRAME))
    widget.resize(wanted)
