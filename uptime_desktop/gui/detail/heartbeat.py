"""Where a job reports: the address, and lines that do it, ready to be copied."""

from PySide6.QtWidgets import QVBoxLayout, QWidget

from uptime_desktop.domain.model import Monitor
from uptime_desktop.gui import theme
from uptime_desktop.gui.copying import CopyLine
from uptime_desktop.gui.detail.section import Heading, TonedLabel
from uptime_desktop.gui.dialogs.form import Fold
from uptime_desktop.gui.ping_lines import ping_lines, reachable_url
from uptime_desktop.i18n import tr


class HeartbeatPart(QWidget):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = Heading(tr("Reports to"))
        self.url = CopyLine(tr("Ping URL"))
        self.lines: list[CopyLine] = []
        inside = QWidget()
        rows = QVBoxLayout(inside)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(2)
        for name, _ in ping_lines(Monitor("", "", 0), ""):
            rows.addWidget(TonedLabel(theme.small(self.font()), text=name))
            line = CopyLine(name)
            self.lines.append(line)
            rows.addWidget(line)
        self.fold = Fold(tr("Lines to copy: shell, crontab, start and exit code"), inside)
        self.fold.button.setFont(theme.small(self.font()))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.CELL_PADDING)
        layout.addWidget(self.heading)
        layout.addWidget(self.url)
        layout.addWidget(self.fold)

    def show_monitor(self, monitor: Monitor, ping_url: str | None) -> None:
        """Not there for what does not report."""
        self.setVisible(ping_url is not None)
        if ping_url is None:
            return
        url = reachable_url(ping_url)
        self.url.show_text(url)
        for line, (_, text) in zip(self.lines, ping_lines(monitor, url), strict=True):
            line.show_text(text)
