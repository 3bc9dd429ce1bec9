"""A field for the path of a file, which can be looked for."""

from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton

from uptime_desktop.checks.base import FieldSpec
from uptime_desktop.config import path_of
from uptime_desktop.gui.dialogs.written_fields import TextField
from uptime_desktop.i18n import tr


class FileField(TextField):
    def __init__(self, spec: FieldSpec) -> None:
        super().__init__(spec)
        self.browse = QPushButton(tr("Browse…"))
        self.browse.setAccessibleName(tr("Browse for {field}").format(field=self.title))
        self.browse.clicked.connect(self._browse)
        row = cast(QHBoxLayout, self.layout())
        row.insertWidget(1, self.browse)

    def _browse(self) -> None:
        """Begin where the file that is named is, if there is one."""
        dialog = QFileDialog(self.window(), self.title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        named = path_of(self.text())
        if self.text() and named.parent.is_dir():
            dialog.setDirectory(str(named.parent))
        dialog.fileSelected.connect(self._take)
        dialog.open()

    def _take(self, path: str) -> None:
        self.line.setText(path)
        self.line.setFocus()
