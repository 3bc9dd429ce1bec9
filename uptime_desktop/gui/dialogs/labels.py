"""Words in colours of the theme, lines between sections, and the result of a look."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QSizePolicy, QWidget

from uptime_desktop.domain.model import Outcome, Unmet
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import unmet_text
from uptime_desktop.gui import icons, theme
from uptime_desktop.gui.figures import response_text
from uptime_desktop.gui.phases import phase_text
from uptime_desktop.gui.sentences import status_word
from uptime_desktop.gui.theme import Tokens
from uptime_desktop.i18n import ntr, told, tr

Pick = Callable[[Tokens], QColor]


class ThemeLabel(QLabel):
    """A text in a colour of ours, which it takes anew when the theme changes."""

    def __init__(self, text: str, pick: Pick, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._pick = pick
        self.setTextFormat(Qt.TextFormat.PlainText)
        # On a page of the base colour labels would take another role.
        self.setForegroundRole(QPalette.ColorRole.WindowText)
        self._colour()

    def use(self, pick: Pick) -> None:
        self._pick = pick
        self._colour()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.ApplicationPaletteChange):
            self._colour()

    def _colour(self) -> None:
        wanted = self._pick(theme.tokens())
        # Setting a palette is itself a change of palette.
        if self.palette().color(QPalette.ColorRole.WindowText) != wanted:
            palette = self.palette()
            palette.setColor(QPalette.ColorRole.WindowText, wanted)
            self.setPalette(palette)


class Hint(ThemeLabel):
    """A quiet word beside or under something."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, lambda tokens: tokens.text_2, parent)
        self.setFont(theme.small(self.font()))


class AllowFileButton(QPushButton):
    """Agrees to keep passwords in a file where there is no keyring."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Keep passwords in a private file"), parent)
        self.setToolTip(tr("A file beside the database that only you can read"))


class LinkButton(QPushButton):
    """An act that looks like a link, and is a button to keys and screen readers."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setFlat(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._colour()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        # Styles show the focus in the frame, which a flat button has none of.
        super().paintEvent(event)
        if self.hasFocus():
            painter = QPainter(self)
            painter.setPen(theme.tokens().accent)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            painter.end()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.ApplicationPaletteChange):
            self._colour()

    def _colour(self) -> None:
        wanted = theme.tokens().link
        if self.palette().color(QPalette.ColorRole.ButtonText) != wanted:
            palette = self.palette()
            palette.setColor(QPalette.ColorRole.ButtonText, wanted)
            self.setPalette(palette)


class Separator(QFrame):
    """One pixel between two sections."""

    def __init__(self, parent: QWidget | None = None, *, upright: bool = False) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Mid)
        if upright:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)


class ResultLine(QWidget):
    """A shape, what it means, and under it what else was seen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = QLabel(self)
        self.headline = ThemeLabel("", lambda tokens: tokens.text, self)
        self.headline.setFont(theme.section(self.font()))
        self.detail = Hint("", self)
        for label in (self.headline, self.detail):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setHorizontalSpacing(8)
        layout.setVerticalSpacing(0)
        layout.setColumnStretch(1, 1)
        layout.setRowStretch(0, 1)
        layout.setRowStretch(3, 1)
        layout.addWidget(self._icon, 0, 0, 4, 1, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(self.headline, 1, 1)
        layout.addWidget(self.detail, 2, 1)
        self.clear()

    def clear(self) -> None:
        self._icon.hide()
        self._say("", "", lambda tokens: tokens.text)

    def show_checking(self, detail: str = "") -> None:
        self._draw(icons.CHECKING)
        self._say(tr("Checking…"), detail, lambda tokens: tokens.link)

    def show_problem(self, sentence: str, detail: str = "") -> None:
        self._draw(icons.icon_name(Status.DOWN))
        self._say(sentence, detail, lambda tokens: tokens.down)

    def show_good(self, sentence: str) -> None:
        self._draw(icons.icon_name(Status.UP))
        self._say(sentence, "", lambda tokens: tokens.up)

    def show_note(self, sentence: str) -> None:
        self._icon.hide()
        self._say(sentence, "", lambda tokens: tokens.text_2)

    def show_outcome(self, outcome: Outcome) -> None:
        status = outcome.status
        self._draw(icons.icon_name(status))
        self._say(headline(outcome), detail(outcome), lambda tokens: tokens.of_status(status))

    def _draw(self, name: str) -> None:
        self._icon.setPixmap(icons.pixmap(name, theme.ICON, self.devicePixelRatioF()))
        self._icon.show()

    def _say(self, headline_text: str, detail_text: str, pick: Pick) -> None:
        self.headline.use(pick)
        self.headline.setText(headline_text)
        self.detail.setText(detail_text)
        self.detail.setVisible(bool(detail_text))


def headline(outcome: Outcome) -> str:
    """`Up: HTTP 200 OK in 207 ms`."""
    status = status_word(outcome.status)
    if not outcome.reason:
        return status
    if outcome.response_ms is None:
        return tr("{status}: {reason}").format(status=status, reason=told(outcome.reason))
    return tr("{status}: {reason} in {duration}").format(
        status=status, reason=told(outcome.reason), duration=response_text(outcome.response_ms)
    )


def detail(outcome: Outcome) -> str:
    """`status: expected 200-399, found 503 · 203.0.113.18:443 · DNS 9 ms, connect 31 ms`."""
    seen = outcome.evidence
    if seen is None:
        return ""
    timings = tr(", ").join(
        phase_text(phase, spent_ms) for phase, spent_ms in seen.timings_ms if phase != "total"
    )
    certificate = ""
    if seen.certificate:
        certificate = tr("certificate {certificate}").format(
            certificate=seen.certificate.partition(", SHA-256")[0]
        )
    parts = (_unmet_briefly(seen.unmet), seen.address, timings, certificate)
    return " · ".join(one for one in parts if one)


def _unmet_briefly(unmet: Sequence[Unmet]) -> str:
    """The first, and how many more there are."""
    if not unmet:
        return ""
    first, more = unmet[0], len(unmet) - 1
    said = unmet_text(first.what, first.expected, first.actual, tr)
    if not more:
        return said
    return tr(", ").join((said, ntr("and {n} more", "and {n} more", more).format(n=more)))
