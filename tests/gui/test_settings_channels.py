"""Channels and the listener in the settings, on a real app that sends to a real server."""

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton

from tests.alerts.build import ListNotifier
from tests.gui.dialog_rig import Rig, enter_on, rigged, unnamed, until
from uptime_desktop.app import App
from uptime_desktop.gui.dialogs.settings import SettingsDialog
from uptime_desktop.gui.dialogs.settings_channels import ChannelsPage
from uptime_desktop.gui.dialogs.settings_heartbeats import HeartbeatsPage
from uptime_desktop.gui.dialogs.settings_listen_fields import ListenField, PingKeyField
from uptime_desktop.gui.faults import fault_sentences

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.usefixtures("qapp"),
    pytest.mark.qt_log_ignore("propagateSizeHints"),
]

CHANNELS, HEARTBEATS = 3, 4


class Receiver(ThreadingHTTPServer):
    """Takes whatever is sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Taken)
        self.bodies: list[bytes] = []

    @property
    def address(self) -> str:
        return f"json://127.0.0.1:{self.server_address[1]}/"


class _Taken(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        self.server.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@asynccontextmanager
async def settings_on(rig: Rig, page: int) -> AsyncIterator[SettingsDialog]:
    dialog = SettingsDialog(rig.app, rig.tasks)
    dialog.show()
    dialog.show_page(page)
    yield dialog
    dialog.close()
    await rig.tasks.close()
    dialog.deleteLater()
    QApplication.processEvents()


def channels_of(dialog: SettingsDialog) -> ChannelsPage:
    assert isinstance(dialog.page, ChannelsPage)
    return dialog.page


async def test_a_channel_is_added_tried_switched_renamed_and_removed(
    tmp_path: Path, receiver: Receiver
) -> None:
    async with rigged(tmp_path) as rig:
        rig.app.agree_to_secret_file()
        async with settings_on(rig, CHANNELS) as dialog:
            page = channels_of(dialog)
            assert page.none.isVisible()
            page.add_button.click()
            assert page.form is not None
            page.form.name.line.setText("Team chat")
            page.form.url.line.setText(receiver.address)
            assert page.form.url.line.echoMode() is QLineEdit.EchoMode.Password
            page.form.save_button.click()
            await until(lambda: page.rows)
            assert page.form is None
            assert not page.none.isVisible()
            row = page.rows["team-chat"]
            row.test.click()
            await until(lambda: receiver.bodies)
            await until(lambda: row.outcome.headline.text().startswith("The test was taken"))
            row.box.click()
            await until(lambda: not rig.app.channels.known[0].is_on)
            row.edit.click()
            assert row.form is not None
            row.form.name.line.setText("Chat")
            row.form.save_button.click()
            await until(lambda: row.box.text() == "Chat")
            row.remove.click()
            assert rig.app.channels.known
            row.agree.click()
            await until(lambda: not page.rows)
            assert rig.app.channels.known == ()
            assert page.none.isVisible()


async def test_why_a_test_did_not_arrive_is_said_in_words(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        rig.app.agree_to_secret_file()
        await rig.app.channels.add("Team chat", "json://127.0.0.1:9/secret-token")
        async with settings_on(rig, CHANNELS) as dialog:
            row = channels_of(dialog).rows["team-chat"]
            row.test.click()
            assert not row.test.isEnabled()
            await until(row.test.isEnabled)
            assert row.outcome.headline.text().startswith("Nothing could be sent: ")
            assert "secret-token" not in row.outcome.headline.text()


@pytest.mark.parametrize(
    ("name", "url", "refused"),
    [("", "json://127.0.0.1:9/", "name"), ("Chat", "nonsense://", "url"), ("Chat", "", "url")],
)
async def test_what_cannot_be_used_is_said_beside_its_field(
    tmp_path: Path, name: str, url: str, refused: str
) -> None:
    async with rigged(tmp_path) as rig:
        rig.app.agree_to_secret_file()
        async with settings_on(rig, CHANNELS) as dialog:
            page = channels_of(dialog)
            page.add_button.click()
            form = page.form
            assert form is not None
            form.name.line.setText(name)
            form.url.line.setText(url)
            form.save()
            await until(lambda: form.fields[refused].complaint.text)
            assert rig.app.channels.known == ()
            form.cancel_button.click()
            assert page.form is None
            assert page.add_button.isVisible()


async def test_where_no_keyring_is_a_private_file_is_offered(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, settings_on(rig, CHANNELS) as dialog:
        page = channels_of(dialog)
        page.add_button.click()
        form = page.form
        assert form is not None
        form.name.line.setText("Chat")
        form.url.line.setText("json://127.0.0.1:9/")
        form.save()
        await until(form.allow_file.isVisible)
        assert rig.app.channels.known == ()
        enter_on(form.allow_file)
        await until(lambda: page.rows)


async def test_every_control_has_a_name(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        rig.app.agree_to_secret_file()
        await rig.app.channels.add("Team chat", "json://127.0.0.1:9/")
        async with settings_on(rig, CHANNELS) as dialog:
            page = channels_of(dialog)
            page.add_button.click()
            page.rows["team-chat"].edit.click()
            assert unnamed(page.viewport()) == []
            dialog.show_page(HEARTBEATS)
            assert unnamed(dialog.page.viewport()) == []


async def test_what_is_broken_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with rigged(tmp_path) as rig:
        rig.app.agree_to_secret_file()
        await rig.app.channels.add("Team chat", "json://127.0.0.1:9/")
        faults = {"team-chat": "connection refused", "gone": "no such host"}
        monkeypatch.setattr(App, "channel_faults", faults)
        sentence = "Team chat cannot be reached: connection refused"
        assert fault_sentences(rig.app) == [sentence]
        async with settings_on(rig, CHANNELS) as dialog:
            row = channels_of(dialog).rows["team-chat"]
            assert row.outcome.headline.text() == "Cannot be reached: connection refused"
        await rig.app.channels.edit("team-chat", is_on=False)
        assert fault_sentences(rig.app) == []


# The listener


async def test_the_state_of_the_listener_follows_the_settings(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        rig.app.start_alerts(ListNotifier())
        await rig.app.change_settings(replace(rig.app.settings, listen="127.0.0.1:0"))
        rig.app.start()
        async with settings_on(rig, HEARTBEATS) as dialog:
            page = dialog.page
            assert isinstance(page, HeartbeatsPage)
            assert page.state.text().startswith("Not listening: ")
            assert page.warning.isHidden()
            key = page.fields["ping_key"]
            assert isinstance(key, PingKeyField)
            assert not key.copy.isEnabled()
            key.generate.click()
            await until(lambda: rig.app.settings.ping_key)
            await until(lambda: page.state.text().startswith("Listening on 127.0.0.1:"))
            assert "/KEY/NAME" in key.hint.text()
            key.copy.click()
            assert QGuiApplication.clipboard().text() == rig.app.settings.ping_key
            listen = page.fields["listen"]
            assert isinstance(listen, ListenField)
            listen.combo.setCurrentIndex(listen.combo.findData("0.0.0.0"))
            listen.combo.activated.emit(listen.combo.currentIndex())
            await until(lambda: rig.app.settings.listen == "0.0.0.0:0")
            assert page.warning.text() == (
                "Everyone on your network can then report to this computer."
                " The connection is not encrypted."
            )
            assert page.warning.isVisible()
            assert listen.editor.accessibleDescription() == page.warning.text()
            await until(lambda: page.state.text().startswith("Listening on all addresses, port "))
            key.remove.click()
            await until(lambda: page.state.text().startswith("Not listening: "))
            assert not rig.app.settings.ping_key


async def test_why_it_cannot_listen_is_said(tmp_path: Path, receiver: Receiver) -> None:
    taken = receiver.server_address[1]
    async with rigged(tmp_path) as rig:
        rig.app.start()
        async with settings_on(rig, HEARTBEATS) as dialog:
            page = dialog.page
            assert isinstance(page, HeartbeatsPage)
            listen, key = page.fields["listen"], page.fields["ping_key"]
            assert isinstance(listen, ListenField)
            assert isinstance(key, PingKeyField)
            listen.fill(f"127.0.0.1:{taken}")
            listen.chosen.emit()
            key.generate.click()
            await until(lambda: rig.app.fault is not None)
            assert str(taken) in page.state.text()


async def test_an_address_that_is_not_there_now_stays_chosen() -> None:
    field = ListenField("listen", "Listen on")
    field.fill("198.51.100.7:80")
    assert field.given() == "198.51.100.7:80"
    field.fill("[::1]:81")
    assert field.given() == "[::1]:81"
    field.deleteLater()


async def test_a_page_without_settings_has_nothing_to_restore(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, settings_on(rig, CHANNELS) as dialog:
        buttons = {one.text(): one for one in dialog.findChildren(QPushButton)}
        assert not buttons["Restore &defaults"].isVisible()
        dialog.show_page(HEARTBEATS)
        assert buttons["Restore &defaults"].isVisible()
