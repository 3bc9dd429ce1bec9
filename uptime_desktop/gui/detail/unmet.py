"""What was expected of a run and not found, one line each, with the shape of how bad it is."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from uptime_desktop.domain.model import Unmet
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import unmet_text
from uptime_desktop.gui import icons
from uptime_desktop.gui.detail.section import TonedLabel, breakable
from uptime_desktop.i18n import ntr, tr

_ICON: Final = 14
_MOST: Final = 12


class UnmetLines(QWidget):
    """Not there while nothing was missed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines: list[QLabel] = []
        self._shapes: list[QLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(6)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)

    @property
    def texts(self) -> list[str]:
        return [line.accessibleName() for line in self.lines]

    def show_unmet(self, unmet: Sequence[Unmet], status: Status) -> None:
        for old in (*self.lines, *self._shapes):
            self._grid.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.lines, self._shapes = [], []
        for one in unmet[:_MOST]:
            self._add(unmet_text(one.what, one.expected, one.actual, tr), status)
        if (more := len(unmet) - _MOST) > 0:
            self._add(ntr("and {n} more", "and {n} more", more).format(n=more), status)
        self.setVisible(bool(unmet))

    def _add(self, text: str, status: Status) -> None:
        shape = QLabel()
        shape.setPixmap(icons.pixmap(icons.icon_name(status), _ICON, self.devicePixelRatioF()))
        line = TonedLabel(self.font(), lambda tokens: tokens.of_status(status), breakable(text))
        line.setAccessibleName(text)
        line.setWordWrap(True)
        line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        line.setSizePolicy(_as_wide_as_there_is_room())
        # On the line's first row of text, whatever the size of its letters.
        shape.setFixedHeight(max(_ICON, line.fontMetrics().lineSpacing()))
        row = len(self.lines)
        self._grid.addWidget(shape, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(line, row, 1)
        self.lines.append(line)
        self._shapes.append(shape)


def _as_wide_as_there_is_room() -> QSizePolicy:
    policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    return policy
