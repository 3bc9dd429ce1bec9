"""The check that every control has a name finds those that have none, and only those."""

import pytest
from PySide6.QtWidgets import (
    QFormLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tests.gui.accessibility import unnamed_controls


@pytest.fixture
def form(qtbot: QtBot) -> QWidget:
    form = QWidget()
    qtbot.addWidget(form)
    QFormLayout(form)
    return form


def _layout(form: QWidget) -> QFormLayout:
    layout = form.layout()
    assert isinstance(layout, QFormLayout)
    return layout


def test_words_labels_and_given_names_are_names(form: QWidget) -> None:
    _layout(form).addRow("Address", QLineEdit())
    _layout(form).addRow("Port", QSpinBox())
    _layout(form).addRow(QPushButton("Save"))
    named = QLineEdit()
    named.setAccessibleName("Search")
    _layout(form).addRow(named)
    _layout(form).addRow(QLabel("Nothing to operate"))
    assert unnamed_controls(form) == []


def test_a_field_without_a_label_is_found(form: QWidget) -> None:
    _layout(form).addRow(QLineEdit())
    assert unnamed_controls(form) == ["QWidget > QLineEdit has no name"]


def test_a_button_with_only_an_icon_needs_a_tooltip_too(form: QWidget) -> None:
    button = QToolButton()
    button.setAccessibleName("Close")
    _layout(form).addRow(button)
    button.setFocusPolicy(QPushButton().focusPolicy())
    assert unnamed_controls(form) == ["QWidget > QToolButton has neither words nor a tooltip"]
