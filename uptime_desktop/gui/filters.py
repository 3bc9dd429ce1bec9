"""What of the list is shown: a button for every status with its count, tags, and the search."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, QSignalBlocker, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QMenu, QToolBar, QToolButton, QWidget

from uptime_desktop.domain.status import Status
from uptime_desktop.gui import icons, sentences
from uptime_desktop.gui.monitor_table import MonitorTable, View
from uptime_desktop.i18n import tr

_ORDER: Final = (
    Status.DOWN,
    Status.DEGRADED,
    Status.UNKNOWN,
    Status.PENDING,
    Status.UP,
    Status.PAUSED,
)


class Search(QLineEdit):
    """Esc empties it first, and then leaves it."""

    def __init__(self, leave_to: QWidget | None = None) -> None:
        super().__init__()
        self.leave_to = leave_to
        self.setPlaceholderText(tr("Search name, target, tag"))
        self.setAccessibleName(tr("Search"))
        self.setClearButtonEnabled(True)
        self.setMinimumWidth(160)
        self.setMaximumWidth(260)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape:
            if self.text():
                self.clear()
            elif self.leave_to is not None:
                self.leave_to.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        if event.key() == Qt.Key.Key_Down and self.leave_to is not None:
            self.leave_to.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        super().keyPressEvent(event)


class Filters(QObject):
    def __init__(self, table: MonitorTable) -> None:
        super().__init__(table)
        self._table = table
        self._group = QActionGroup(self)
        self._group.setExclusive(True)
        self.actions: dict[Status | None, QAction] = {}
        for place, status in enumerate((None, *_ORDER)):
            self.actions[status] = self._action(status, f"Alt+{place}")
        self.actions[None].setChecked(True)
        self.search = Search()
        self.search.textChanged.connect(self._search)
        self._tags = QMenu()
        self.tags_button = QToolButton()
        self.tags_button.setText(tr("Tags"))
        self.tags_button.setMenu(self._tags)
        self.tags_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.tags_button.setToolTip(tr("Show only monitors with a tag"))
        self.tags_button.setAutoRaise(True)
        self._tags_action: QAction | None = None
        self._shown_tags: Sequence[str] | None = None

    def add_search_to(self, bar: QToolBar) -> None:
        """A widget in a tool bar is hidden through its action only."""
        self._tags_action = bar.addWidget(self.tags_button)
        self._tags_action.setVisible(bool(self._shown_tags))
        bar.addWidget(self.search)

    def add_to(self, bar: QToolBar) -> None:
        bar.addActions(list(self.actions.values()))
        for action in self.actions.values():
            button = bar.widgetForAction(action)
            if isinstance(button, QToolButton):
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)

    def count(self, counts: Counter[Status], tags: Sequence[str]) -> None:
        """Say how many there are of each; of none there is nothing to show."""
        for status, action in self.actions.items():
            n = counts.total() if status is None else counts[status]
            action.setIconText(tr("All {n}").format(n=n) if status is None else str(n))
            action.setEnabled(status is None or n > 0 or action.isChecked())
        if list(tags) != self._shown_tags:
            self._shown_tags = list(tags)
            self._fill_tags(tags)
            if self._table.view.tag not in ("", *tags):
                self._choose_tag("")

    def show_view(self, view: View) -> None:
        """Say what is shown already."""
        with QSignalBlocker(self.search):
            self.search.setText(view.text)
        self.actions[view.status].setChecked(True)
        self.tags_button.setText(view.tag.replace("&", "&&") or tr("Tags"))

    def clear(self) -> None:
        """Show everything."""
        self.search.clear()
        self._choose_tag("")
        self.actions[None].trigger()

    def _action(self, status: Status | None, keys: str) -> QAction:
        action = QAction(self)
        action.setCheckable(True)
        action.setShortcut(QKeySequence(keys))
        name = tr("Show all") if status is None else sentences.status_word(status)
        action.setText(name)
        action.setToolTip(f"{name} ({QKeySequence(keys).toString()})")
        action.setStatusTip(name)
        if status is not None:
            action.setIcon(icons.status_icon(status))
        action.triggered.connect(lambda _checked=False: self._choose(status))
        self._group.addAction(action)
        return action

    def _choose(self, status: Status | None) -> None:
        self._table.view.status = status
        self._table.arrange()

    def _search(self, text: str) -> None:
        self._table.view.text = text.strip().lower()
        self._table.arrange()

    def _choose_tag(self, tag: str) -> None:
        self._table.view.tag = tag
        self.tags_button.setText(tag.replace("&", "&&") or tr("Tags"))
        self._table.arrange()

    def _fill_tags(self, tags: Sequence[str]) -> None:
        self._tags.clear()
        if self._tags_action is not None:
            self._tags_action.setVisible(bool(tags))
        everything = self._tags.addAction(tr("All tags"))
        everything.triggered.connect(lambda _checked=False: self._choose_tag(""))
        self._tags.addSeparator()
        for tag in tags:
            action = self._tags.addAction(tag.replace("&", "&&"))
            action.triggered.connect(lambda _checked=False, tag=tag: self._choose_tag(tag))
