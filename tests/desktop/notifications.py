"""The notification daemon: what it was told, and a person who answers it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbus_fast import Message, MessageType

from tests.desktop.bus import Bus
from tests.desktop.processes import Program, wait_until

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
DUNST = "org.dunstproject.cmd0"

# A notice stays until somebody closes it, far from every tray. Dunst leaves the choice among
# several buttons to a menu program; ours takes the line that a test has put down.
SETTINGS = """\
[global]
origin = top-left
offset = 0x0
width = 300
notification_limit = 20
idle_threshold = 0
dmenu = grep --fixed-strings --file={choice}
[urgency_low]
timeout = 0
[urgency_normal]
timeout = 0
[urgency_critical]
timeout = 0
"""


@dataclass(frozen=True, slots=True)
class Notice:
    """A notification that the daemon took and numbered."""

    id: int
    app_name: str
    replaces: int
    icon: str
    summary: str
    body: str
    actions: dict[str, str]
    """Labels by key."""
    hints: dict[str, Any]
    expires_ms: int


class Notifications:
    def __init__(self, address: str, daemon: Program, choice: Path) -> None:
        self._daemon = daemon
        self._choice = choice
        self._asked: dict[tuple[str | None, int], list[Any]] = {}
        self.received: list[Notice] = []
        """All there ever were, in order."""
        self._displayed: dict[int, Notice] = {}
        self.invoked: list[tuple[int, str]] = []
        """Number of the notice and key of the action."""
        self._bus = Bus(address)
        self._monitor = Bus(address)
        self._monitor.watch(
            [
                f"type='method_call',interface='{NAME}',member='Notify'",
                f"type='method_return',sender='{NAME}'",
                f"type='signal',interface='{NAME}'",
            ],
            self._hear,
        )

    def close(self) -> None:
        self._monitor.close()
        self._bus.close()

    @property
    def displayed(self) -> list[Notice]:
        """What is to be seen now; one that was replaced as it is now."""
        return list(self._displayed.values())

    def wait_for(self, summary: str) -> Notice:
        def find() -> Notice | None:
            return next((one for one in self.displayed if one.summary == summary), None)

        notice = wait_until(f"{summary!r} was displayed", find, self._daemon)
        assert notice is not None
        return notice

    def press(self, notice: Notice, label: str) -> None:
        """Let the daemon invoke the action with this label."""
        key = next((key for key, name in notice.actions.items() if name == label), None)
        assert key is not None, f"No action {label!r} in {notice.actions}"
        self._wait_for_display()
        self._choice.write_text(f"[{notice.id},{key}]\n")
        self._tell_dunst("ContextMenuCall")
        invoked = (notice.id, key)
        wait_until(f"{label!r} was invoked", lambda: invoked in self.invoked, self._daemon)

    def dismiss_all(self) -> None:
        """As a person does who has read enough."""
        self._wait_for_display()
        self._tell_dunst("NotificationCloseAll")
        wait_until("all were closed", lambda: not self.displayed, self._daemon)

    def _wait_for_display(self) -> None:
        def are_displayed() -> bool:
            shown: int = self._bus.property(NAME, PATH, DUNST, "displayedLength")
            return shown == len(self.displayed)

        wait_until("all notices were on the screen", are_displayed, self._daemon)

    def _tell_dunst(self, method: str) -> None:
        self._bus.call(NAME, PATH, DUNST, method)

    def _hear(self, message: Message) -> None:
        match message.message_type, message.member:
            case MessageType.METHOD_CALL, "Notify":
                self._asked[message.sender, message.serial] = message.body
            case MessageType.METHOD_RETURN, _:
                asked = self._asked.pop((message.destination, message.reply_serial), None)
                if asked is not None:
                    notice = _notice(message.body[0], asked)
                    self.received.append(notice)
                    self._displayed[notice.id] = notice
            case MessageType.SIGNAL, "NotificationClosed":
                self._displayed.pop(message.body[0], None)
            case MessageType.SIGNAL, "ActionInvoked":
                self.invoked.append((message.body[0], message.body[1]))


def _notice(number: int, asked: list[Any]) -> Notice:
    app_name, replaces, icon, summary, body, actions, hints, expires_ms = asked
    return Notice(
        id=number,
        app_name=app_name,
        replaces=replaces,
        icon=icon,
        summary=summary,
        body=body,
        actions=dict(zip(actions[::2], actions[1::2], strict=True)),
        hints={name: value.value for name, value in hints.items()},
        expires_ms=expires_ms,
    )
