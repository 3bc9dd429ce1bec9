"""What is said at the start to who started with a click: why the app cannot, and what helps."""

from typing import Final

from PySide6.QtWidgets import QMessageBox

from uptime_desktop.declared_file import Differs
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.exchange.declared.difference import Act
from uptime_desktop.i18n import ntr, tr

_MOST_LINES: Final = 8
_NAME: Final = "Uptime Desktop"


def say(error: UserError) -> None:
    """Why the app could not start; of much only the beginning, the rest unfolds."""
    first, *more = error.lines(tr)
    box = QMessageBox(QMessageBox.Icon.Critical, _NAME, tr("Uptime Desktop cannot start."))
    shown = [first, *more[: _MOST_LINES - 1]]
    left = len(more) - len(shown) + 1
    if left > 0:
        shown.append(ntr("and {n} more", "and {n} more", left).format(n=left))
        box.setDetailedText("\n".join((first, *more)))
    box.setInformativeText("\n".join(shown))
    box.addButton(tr("Quit"), QMessageBox.ButtonRole.RejectRole)
    box.exec()


def accepts(differs: Differs) -> bool:
    """Whether what is stored may become what the file says."""
    box = difference_box(differs)
    accept = box.addButton(tr("Accept the changes"), QMessageBox.ButtonRole.AcceptRole)
    leave = box.addButton(tr("Quit"), QMessageBox.ButtonRole.RejectRole)
    # What goes takes its history along.
    box.setDefaultButton(leave)
    box.exec()
    return box.clickedButton() is accept


def difference_box(differs: Differs) -> QMessageBox:
    counts = dict.fromkeys(Act, 0)
    for one in differs.differences:
        counts[one.act] += 1
    said = tr("{file} says something else than what is stored here.")
    box = QMessageBox(QMessageBox.Icon.Warning, _NAME, said.format(file=differs.path.name))
    counted = tr("{added} added, {changed} changed, {removed} removed").format(
        added=counts[Act.ADDED], changed=counts[Act.CHANGED], removed=counts[Act.REMOVED]
    )
    lines = [f"{counted}."]
    if counts[Act.REMOVED]:
        lines.append(tr("What is removed loses its history."))
    box.setInformativeText("\n".join(lines))
    box.setDetailedText("\n".join(differs.lines(tr)[1:]))
    return box
