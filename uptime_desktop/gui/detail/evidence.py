"""What one run saw: where its time went, what was answered, and how to ask again."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from uptime_desktop.domain.model import Evidence
from uptime_desktop.domain.notation import instant_text
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import unmet_text
from uptime_desktop.gui import theme
from uptime_desktop.gui.detail.mono_text import MonoText
from uptime_desktop.gui.detail.runs import result_text
from uptime_desktop.gui.detail.section import Heading, TonedLabel
from uptime_desktop.gui.detail.timing import TimingBar, parts_of
from uptime_desktop.gui.detail.unmet import UnmetLines
from uptime_desktop.gui.figures import seconds_clock_text
from uptime_desktop.history import RunRow
from uptime_desktop.i18n import ntr, tr

_NOTABLE = ("retry-after", "location")
"""Headers that tell more than the status line does."""


class EvidencePart(QWidget):
    """Shows the evidence of the run that is selected in the log."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._copied = ""
        self.heading = Heading(tr("Evidence"))
        self.copy_all = QPushButton(tr("Copy evidence"))
        self.copy_all.clicked.connect(lambda: _copy(self._copied))
        self.heading.row.addWidget(self.copy_all)
        self.none = TonedLabel(self.font())
        self.none.setWordWrap(True)
        self.unmet = UnmetLines()
        self.timing = TimingBar()
        self.answer = QLabel()
        self.answer.setTextFormat(Qt.TextFormat.PlainText)
        self.answer.setWordWrap(True)
        self.answer.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.certificate = TonedLabel(theme.small(self.font()))
        self.certificate.setWordWrap(True)
        self.show_headers = QToolButton()
        self.show_headers.setCheckable(True)
        self.show_headers.setAutoRaise(True)
        self.show_headers.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.headers = MonoText(tr("Headers"))
        self.show_headers.toggled.connect(self._toggle_headers)
        self.body = MonoText(tr("Body"))
        self.command = QLineEdit()
        self.command.setReadOnly(True)
        self.command.setFont(theme.mono())
        self.command.setAccessibleName(tr("Command that repeats the request"))
        self.copy_command = QPushButton(tr("Copy"))
        self.copy_command.setAccessibleName(tr("Copy the command"))
        self.copy_command.clicked.connect(lambda: _copy(self.command.text()))
        self._lay_out()
        self._toggle_headers(False)
        self.show_evidence(None, None, 0)

    def _lay_out(self) -> None:
        frame = QFrame()
        frame.setFrameShape(QFrame.Shape.StyledPanel)
        frame.setAutoFillBackground(True)
        frame.setBackgroundRole(QPalette.ColorRole.Base)
        inside = QVBoxLayout(frame)
        inside.setContentsMargins(10, 10, 10, 10)
        inside.setSpacing(8)
        repeat = QHBoxLayout()
        repeat.setSpacing(theme.CELL_PADDING)
        repeat.addWidget(self.command, 1)
        repeat.addWidget(self.copy_command)
        answer = QHBoxLayout()
        answer.addWidget(self.answer, 1)
        answer.addWidget(self.show_headers, 0, Qt.AlignmentFlag.AlignTop)
        inside.addWidget(self.none)
        inside.addWidget(self.unmet)
        inside.addWidget(self.timing)
        inside.addLayout(answer)
        inside.addWidget(self.certificate)
        inside.addWidget(self.headers)
        inside.addWidget(self.body)
        inside.addLayout(repeat)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.CELL_PADDING)
        layout.addWidget(self.heading)
        layout.addWidget(frame)

    def show_evidence(self, run: RunRow | None, evidence: Evidence | None, now: int) -> None:
        self.setVisible(run is not None)
        seen = evidence or Evidence()
        if run is not None:
            time = seconds_clock_text(run.started_at, now)
            self.heading.set_title(tr("Evidence of {time}").format(time=time))
            self.none.setText(none_text(run))
            self._copied = evidence_text(run, seen)
            self.unmet.show_unmet(seen.unmet, run.status)
        self.none.setVisible(evidence is None)
        self.copy_all.setEnabled(evidence is not None)
        self.timing.show_timings(seen.timings_ms)
        self._show_words(self.answer, answer_text(seen))
        self._show_words(self.certificate, seen.certificate)
        n = len(seen.headers)
        self.show_headers.setVisible(bool(n))
        self.show_headers.setText(ntr("{n} header", "{n} headers", n).format(n=n))
        self.headers.show_text("\n".join(f"{name}: {value}" for name, value in seen.headers))
        self.headers.setVisible(bool(n) and self.show_headers.isChecked())
        self.body.show_text(seen.body)
        self.body.setVisible(bool(seen.body.strip()))
        self.command.setText(seen.repeat_with)
        self.command.setCursorPosition(0)
        for one in (self.command, self.copy_command):
            one.setVisible(bool(seen.repeat_with))
            one.setEnabled(bool(seen.repeat_with))

    @staticmethod
    def _show_words(label: QLabel, words: str) -> None:
        label.setText(words)
        label.setVisible(bool(words))

    def _toggle_headers(self, shown: bool) -> None:
        arrow = Qt.ArrowType.DownArrow if shown else Qt.ArrowType.RightArrow
        self.show_headers.setArrowType(arrow)
        self.headers.setVisible(shown)


def none_text(run: RunRow) -> str:
    """Why there is nothing to show."""
    if run.interrupted:
        return tr("The program ended before this run did, so nothing is known of it.")
    if run.status is Status.UP:
        return tr("Nothing was kept of this run. Of good runs only the newest is, once an hour.")
    return tr("Nothing is kept of this run any more. Of failed runs only the last ones are.")


def answer_text(evidence: Evidence) -> str:
    """The status line, who answered, and what the headers say that matters."""
    notable = [f"{name}: {value}" for name, value in evidence.headers if name.lower() in _NOTABLE]
    return " · ".join(one for one in (evidence.status_line, evidence.address, *notable) if one)


def evidence_text(run: RunRow, evidence: Evidence) -> str:
    """All of it as plain text, to send to someone, who may be in another zone."""
    phases, _ = parts_of(evidence.timings_ms)
    unmet = (unmet_text(one.what, one.expected, one.actual, tr) for one in evidence.unmet)
    said = f"{instant_text(run.started_at)} · {result_text(run)}"
    parts = (
        said,
        "\n".join(unmet),
        ", ".join(part.text for part in phases),
        " · ".join(one for one in (evidence.status_line, evidence.address) if one),
        evidence.certificate,
        "\n".join(f"{name}: {value}" for name, value in evidence.headers),
        evidence.body,
        evidence.repeat_with,
    )
    return "\n\n".join(part for part in parts if part.strip())


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
