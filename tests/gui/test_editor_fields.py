"""The fields of the editor's forms, one by one: what is written, hidden, pasted and ticked."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from tests.gui.accessibility import unnamed_controls
from tests.gui.dialog_rig import activate, heard, press
from uptime_desktop.checks.base import FieldSpec, FieldType
from uptime_desktop.checks.common_fields import PASSWORD
from uptime_desktop.checks.registry import KINDS
from uptime_desktop.domain.model import Outcome, Setting
from uptime_desktop.gui.dialogs.draft import carried, fits
from uptime_desktop.gui.dialogs.fields import Field
from uptime_desktop.gui.dialogs.file_field import FileField
from uptime_desktop.gui.dialogs.form import KindForm, field_for
from uptime_desktop.gui.dialogs.mapping_field import MappingField
from uptime_desktop.gui.dialogs.monitors_field import Choice, MonitorsField
from uptime_desktop.gui.dialogs.written_fields import ItemsField, PasswordField, TextField

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")

HEADERS = FieldSpec("headers", FieldType.MAPPING, "headers to send", is_secret=True)
EXPECTED = FieldSpec(
    "expect", FieldType.LINES, "what must hold, one a line, as in items[0].id == 1", highest=40
)
MEMBERS = FieldSpec("members", FieldType.MONITORS, "which ones", is_required=True, label="Members")
CHOICES = (
    Choice("search", "Search", "Shop"),
    Choice("nas", "NAS", "Home lab"),
    Choice("checkout", "Checkout API", "Shop"),
)
CHECKED, UNCHECKED = Qt.CheckState.Checked, Qt.CheckState.Unchecked


def shown(qtbot: QtBot, field: Field) -> Field:
    qtbot.addWidget(field)
    field.show()
    activate(field)
    return field


# Passwords


@pytest.fixture
def password(qtbot: QtBot) -> PasswordField:
    field = shown(qtbot, field_for(PASSWORD))
    assert isinstance(field, PasswordField)
    return field


def test_a_password_is_seen_only_while_that_is_asked_for(password: PasswordField) -> None:
    assert password.show_typed.isHidden()
    QTest.keyClicks(password.line, "geheim")
    assert password.line.echoMode() is QLineEdit.EchoMode.Password
    password.show_typed.click()
    assert password.line.echoMode() is QLineEdit.EchoMode.Normal
    password.line.clear()
    assert password.show_typed.isHidden()
    QTest.keyClicks(password.line, "neu")
    assert password.line.echoMode() is QLineEdit.EchoMode.Password
    assert password.given() == "neu"
    assert unnamed_controls(password) == []


def test_a_stored_password_is_kept_until_it_is_replaced_or_forgotten(
    password: PasswordField,
) -> None:
    password.keep("secret:web/password")
    assert (password.given(), password.line.text()) == ("secret:web/password", "")
    assert password.line.placeholderText() == "kept; type to replace it"
    assert password.show_typed.isHidden()
    password.line.setText("neu")
    assert password.given() == "neu"
    password.line.clear()
    told = heard(password.changed)
    password.forget.click()
    assert password.given() is None
    assert told
    assert password.forget.isHidden()


@pytest.mark.parametrize("reference", ["secret:token", "${TOKEN}", "Bearer ${secret:token}"])
def test_the_name_of_a_secret_is_none(password: PasswordField, reference: str) -> None:
    password.fill(reference)
    assert password.line.echoMode() is QLineEdit.EchoMode.Normal
    assert password.show_typed.isHidden()
    assert password.given() == reference


def test_nor_is_it_in_a_table(qtbot: QtBot) -> None:
    field = shown(qtbot, field_for(HEADERS))
    assert isinstance(field, MappingField)
    field.fill({"Authorization": "Bearer ${secret:token}"})
    (_, value, _), *_ = field.rows()
    assert value.text() == "Bearer ${secret:token}"
    assert value.echoMode() is QLineEdit.EchoMode.Normal
    value.setText("Bearer geheim")
    assert value.echoMode() is QLineEdit.EchoMode.Password


# Several texts


@pytest.fixture
def items(qtbot: QtBot) -> ItemsField:
    field = shown(qtbot, field_for(EXPECTED))
    assert isinstance(field, ItemsField)
    return field


def test_of_several_texts_each_has_a_line_and_may_hold_commas(items: ItemsField) -> None:
    assert items.given() is None
    items.fill(("a, b", "c"))
    assert items.lines.toPlainText() == "a, b\nc"
    items.lines.setPlainText(" a, b \n\n c\n")
    assert items.given() == ("a, b", "c")


def test_an_example_shows_how_one_is_written(items: ItemsField) -> None:
    assert items.lines.placeholderText() == "items[0].id == 1"
    assert items.lines.accessibleDescription() == EXPECTED.help


def test_it_grows_with_its_lines_up_to_a_few(items: ItemsField) -> None:
    heights = []
    for count in (1, 2, 5, 8, 30):
        items.lines.setPlainText("\n".join("x" * count))
        heights.append(items.lines.height())
    assert heights[0] == heights[1] < heights[2] < heights[3] == heights[4]


def test_tab_leaves_it(items: ItemsField) -> None:
    assert items.lines.tabChangesFocus()
    assert items.lines.lineWrapMode() is QPlainTextEdit.LineWrapMode.NoWrap


def test_what_cannot_be_understood_is_given_as_it_is_written(items: ItemsField) -> None:
    items.lines.setPlainText("x" * 41)
    assert items.given() == "x" * 41


# Pasting


def test_what_comes_at_once_is_told_and_what_is_typed_is_not(qtbot: QtBot) -> None:
    field = shown(qtbot, TextField(FieldSpec("url", FieldType.TEXT, "", is_target=True)))
    assert isinstance(field, TextField)
    pasted = heard(field.pasted)
    QTest.keyClicks(field.line, "https://")
    field.fill("https://shop.example")
    field.line.end(False)
    press(field.line, Qt.Key.Key_Backspace)
    assert pasted == []
    field.line.selectAll()
    QGuiApplication.clipboard().setText("a:1")
    press(field.line, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert pasted == ["a:1"]


# Monitors


@pytest.fixture
def members(qtbot: QtBot) -> MonitorsField:
    field = shown(qtbot, field_for(MEMBERS, CHOICES))
    assert isinstance(field, MonitorsField)
    return field


def rows(field: MonitorsField) -> list[tuple[str, str, bool]]:
    model = field.choices
    return [
        (
            model.index(row, 0).data(),
            model.index(row, 1).data(),
            Qt.CheckState(model.index(row, 0).data(Qt.ItemDataRole.CheckStateRole)) is CHECKED,
        )
        for row in range(model.rowCount())
    ]


def test_monitors_stand_by_site_and_name(members: MonitorsField) -> None:
    assert rows(members) == [
        ("NAS", "Home lab", False),
        ("Checkout API", "Shop", False),
        ("Search", "Shop", False),
    ]
    assert members.given() is None


def test_they_are_ticked_by_keyboard_alone(members: MonitorsField) -> None:
    told = heard(members.changed)
    members.setFocus()
    assert QApplication.focusWidget() is members.filter
    QTest.keyClicks(members.filter, "sHoP")
    assert [name for name, _, _ in rows(members)] == ["Checkout API", "Search"]
    assert told == []
    press(members.filter, Qt.Key.Key_Down)
    assert QApplication.focusWidget() is members.view
    press(members.view, Qt.Key.Key_Down)
    press(members.view, Qt.Key.Key_Space)
    assert members.given() == ("search",)
    assert len(told) == 1
    assert members.count.text() == "1 chosen"
    members.filter.clear()
    assert members.given() == ("search",)
    press(members.view, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is not members.view or not members.view.tabKeyNavigation()


def test_the_order_in_which_they_were_chosen_is_kept(members: MonitorsField) -> None:
    members.fill(("search", "nas"))
    assert members.given() == ("search", "nas")
    checkout = next(row for row, one in enumerate(rows(members)) if one[0] == "Checkout API")
    index = members.choices.index(checkout, 0)
    assert members.choices.setData(index, CHECKED, Qt.ItemDataRole.CheckStateRole)
    assert members.given() == ("search", "nas", "checkout")
    assert members.choices.setData(
        members.choices.index(0, 0), UNCHECKED, Qt.ItemDataRole.CheckStateRole
    )
    assert members.given() == ("nas", "checkout")


def test_one_that_is_no_longer_there_is_shown_as_missing_until_it_is_left_out(
    members: MonitorsField,
) -> None:
    members.fill(("gone", "nas"))
    assert rows(members)[:2] == [("gone", "missing", True), ("NAS", "Home lab", True)]
    said = members.choices.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert said == "gone, missing"
    assert members.given() == ("gone", "nas")
    members.choices.setData(members.choices.index(0, 0), UNCHECKED, Qt.ItemDataRole.CheckStateRole)
    assert members.given() == ("nas",)


def test_its_parts_have_names(members: MonitorsField) -> None:
    assert unnamed_controls(members) == []
    assert members.view.accessibleName() == "Members"


# Targets that go from one kind to another


@pytest.mark.parametrize(
    ("kind", "target", "becomes"),
    [
        ("http", "https://shop.example/health", "https://shop.example/health"),
        ("tcp", "https://shop.example:8443/health", "shop.example:8443"),
        ("tcp", "https://shop.example/health", "shop.example:443"),
        ("tcp", "http://[", "http://["),
        ("tcp", "", ""),
        ("http", "db.example:5432", "db.example:5432"),
    ],
)
def test_a_kind_takes_as_much_of_a_target_as_fits(kind: str, target: str, becomes: str) -> None:
    assert carried(KINDS[kind], target) == becomes


def test_a_target_fits_where_it_alone_can_be_watched() -> None:
    assert fits(KINDS["tcp"], "db.example:5432")
    assert not fits(KINDS["tcp"], "db.example")
    assert not fits(KINDS["tcp"], "https://db.example/x")


# Kinds of other packages


class Plain:
    """A kind that has no target."""

    name = "plain"
    label = "Plain"
    fields: tuple[FieldSpec, ...] = (FieldSpec("depth", FieldType.WHOLE, "how deep", 3),)
    is_passive = False

    def parse(self, settings: Mapping[str, Setting]) -> None: ...

    def origin(self, spec: None) -> str:  # noqa: ARG002
        return ""

    def describe(self, spec: None) -> str:  # noqa: ARG002
        return "plain"

    async def check(self, spec: None, timeout_s: float) -> Outcome:
        raise NotImplementedError


def test_a_kind_without_a_target_has_a_form_all_the_same(qtbot: QtBot) -> None:
    form = KindForm(Plain())
    qtbot.addWidget(form)
    assert form.target is None
    form.fields["depth"].fill(5)
    assert form.given() == {"depth": "5"}


# Files


def test_a_file_can_be_looked_for(qtbot: QtBot, tmp_path: Path) -> None:
    authorities = tmp_path / "ca.pem"
    authorities.touch()
    spec = FieldSpec("ca_file", FieldType.TEXT, "", label="Authorities", is_file=True)
    field = field_for(spec)
    assert isinstance(field, FileField)
    qtbot.addWidget(field)
    field.fill(str(tmp_path / "old.pem"))
    field.browse.click()
    (dialog,) = field.window().findChildren(QFileDialog)
    assert dialog.isVisible()
    assert Path(dialog.directory().absolutePath()) == tmp_path
    with qtbot.waitSignal(field.changed):
        dialog.fileSelected.emit(str(authorities))
    assert field.given() == str(authorities)
    dialog.reject()
