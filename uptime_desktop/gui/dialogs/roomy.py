"""A dialog that cannot be made lower than its words need at the width it has."""

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QDialog


class RoomyDialog(QDialog):
    def event(self, event: QEvent) -> bool:
        kind = event.type()
        is_done = super().event(event)
        if kind in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._keep_room()
        return is_done

    def _keep_room(self) -> None:
        """By itself a layout does not keep any for words that wrap."""
        layout = self.layout()
        if layout is not None:
            wrapped = layout.totalMinimumHeightForWidth(self.width())
            self.setMinimumHeight(max(wrapped, layout.totalMinimumSize().height()))
