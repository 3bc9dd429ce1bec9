"""What is said at the start to who started with a click: why the app cannot, and what helps."""

import asyncio
from dataclasses import replace
from typing import Final

from PySide6.QtWidgets import QGridLayout, QMessageBox, QPushButton, QSpacerItem, QTextEdit

from uptime_desktop.app import NoPlace
from uptime_desktop.config import ConfigFile
from uptime_desktop.declared_file import Differs
from uptime_desktop.domain.refusal import RefusedFile, UserError
from uptime_desktop.exchange.declared.difference import Act
from uptime_desktop.gui.dialogs.labels import AllowFileButton
from uptime_desktop.i18n import ntr, tr

_MOST_LINES: Final = 8
_DETAIL_LINES: Final = 14
_CHARACTERS: Final = 64
_NAME: Final = "Uptime Desktop"


async def agreed(
    error: UserError, config: ConfigFile | None, told_to_stop: asyncio.Event
) -> ConfigFile | None:
    """Say why the app could not start; how to start instead, if a person agrees to that."""
    agree: QPushButton | None = None
    otherwise: ConfigFile | None = None
    match error:
        case Differs() if config is not None:
            box, agree = difference_box(error), QPushButton(tr("Accept the changes"))
            otherwise = replace(config, accept_changes=True)
        case NoPlace() if config is not None:
            box, agree = problem_box(error), AllowFileButton()
            otherwise = replace(config, allow_secret_file=True)
        case _:
            box = problem_box(error)
    if agree is not None:
        box.addButton(agree, QMessageBox.ButtonRole.AcceptRole)
    # What would be removed takes its history along: Enter does not agree to that.
    box.setDefaultButton(box.addButton(tr("Quit"), QMessageBox.ButtonRole.RejectRole))
    _widen(box)
    await _closed(box, told_to_stop)
    return otherwise if agree is not None and box.clickedButton() is agree else None


async def _closed(box: QMessageBox, told_to_stop: asyncio.Event) -> None:
    """Wait until it was answered, or nobody is to be asked any more."""
    answered = asyncio.Event()
    box.finished.connect(lambda _: answered.set())
    box.show()
    waiting = [asyncio.ensure_future(event.wait()) for event in (answered, told_to_stop)]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waiting:
            one.cancel()
        box.hide()


def problem_box(error: UserError) -> QMessageBox:
    """Why the app could not start; of much only the beginning, the rest unfolds."""
    lines, where = error.lines(tr), []
    if isinstance(error, RefusedFile):
        lines, where = [line.removeprefix(f"{error.name}:") for line in lines], [error.name]
    box = QMessageBox(QMessageBox.Icon.Critical, _NAME, tr("Uptime Desktop cannot start."))
    shown = [*where, *lines[:_MOST_LINES]]
    left = len(lines) - _MOST_LINES
    if left > 0:
        shown.append(ntr("and {n} more", "and {n} more", left).format(n=left))
        box.setDetailedText("\n".join(lines))
    box.setInformativeText("\n".join(shown))
    return box


def difference_box(differs: Differs) -> QMessageBox:
    counts = dict.fromkeys(Act, 0)
    for one in differs.differences:
        counts[one.act] += 1
    said = tr("{file} says something else than what is stored here.")
    box = QMessageBox(QMessageBox.Icon.Warning, _NAME, said.format(file=differs.path.name))
    counted = tr("{added} added, {changed} changed, {removed} removed.").format(
        added=counts[Act.ADDED], changed=counts[Act.CHANGED], removed=counts[Act.REMOVED]
    )
    lines = [counted]
    if counts[Act.REMOVED]:
        lines.append(tr("What is removed loses its history."))
    box.setInformativeText("\n".join(lines))
    box.setDetailedText("\n".join(differs.lines(tr)[1:]))
    return box


def _widen(box: QMessageBox) -> None:
    """Have room for sentences and for what unfolds; the layout is made anew with every part that is
    added."""
    for details in box.findChildren(QTextEdit):
        details.setFixedHeight(box.fontMetrics().lineSpacing() * _DETAIL_LINES)
    layout = box.layout()
    if isinstance(layout, QGridLayout):
        width = box.fontMetrics().averageCharWidth() * _CHARACTERS
        layout.addItem(QSpacerItem(width, 0), layout.rowCount(), 0, 1, layout.columnCount())
