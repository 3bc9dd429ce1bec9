"""A private desktop for the real application: display, bus, window manager, tray, notices.

Nothing in it knows of the desktop that the tests are started from, and all of it ends with the
test.
"""

import os
import select
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from enum import Enum
from pathlib import Path

from tests.desktop import notifications, sni
from tests.desktop.bus import Bus
from tests.desktop.notifications import Notifications
from tests.desktop.processes import Program, wait_until
from tests.desktop.x11 import Display

PROGRAMS = tuple("Xvfb dbus-daemon dunst openbox setpriv trayer xdotool xfce4-panel".split())
SETTINGS_SERVICE = Path("/usr/share/dbus-1/services/org.xfce.Xfconf.service")
SCREEN = "1280x800x24"
ICON_SIZE = 22

# Nothing is activated on the bus: who is there was started.
BUS_SETTINGS = """\
<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  <policy context="default">
    <allow own="*"/>
    <allow send_destination="*" eavesdrop="true"/>
    <allow receive_sender="*" eavesdrop="true"/>
  </policy>
</busconfig>
"""

# One panel along the lower edge, with nothing but the tray.
PANEL_SETTINGS = """\
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=8;x=0;y=0"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="length" type="uint" value="100"/>
      <property name="size" type="uint" value="30"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="systray">
      <property name="icon-size" type="int" value="{icon_size}"/>
    </property>
  </property>
</channel>
"""


class Tray(Enum):
    """The hosts an icon can meet, by the program and its options."""

    XEMBED = (
        "trayer --edge bottom --align right --widthtype request --height 30 --SetPartialStrut true"
    )
    STATUS_NOTIFIER = "xfce4-panel --disable-wm-check --sm-client-disable"


class Desktop:
    """Ready for windows; a tray and a notification daemon come and go as a test wants."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._tray: Program | None = None
        self.environment = _private_environment(folder)
        self.bus = self._start_bus()
        self.display = self._start_display()
        self._start_window_manager()

    def run(self, name: str, *command: str | Path, **environment: str) -> Program:
        """Start a program here; it ends with the desktop at the latest."""
        return self._start(name, command, environment)

    def start_tray(self, tray: Tray) -> None:
        """Have a host that shows icons; two would take them from each other."""
        assert self._tray is None, "Stop the other tray first."
        if tray is Tray.STATUS_NOTIFIER and not self.bus.has_owner("org.xfce.Xfconf"):
            self._start_panel_settings()
        words = tray.value.split()
        host = self._tray = self._start(words[0], words)
        wait_until(f"{host.name} took icons", lambda: self.has_tray(tray), host)

    def stop_tray(self) -> None:
        assert self._tray is not None, "There is no tray to stop."
        self._tray.stop()
        self._tray = None
        wait_until("the tray was gone", lambda: not any(map(self.has_tray, Tray)))

    def has_tray(self, tray: Tray) -> bool:
        """Whether icons of this kind are shown; the panel shows both."""
        match tray:
            case Tray.XEMBED:
                return self.display.has_tray()
            case Tray.STATUS_NOTIFIER:
                return sni.has_host(self.bus)

    def panel_icon(self) -> int:
        """What a hand can click of the only icon in the StatusNotifier host."""
        return self.display.wait_for_window(
            "an icon was in the panel",
            lambda window: (
                self.display.property(window, "WM_CLASS").startswith(b"wrapper")
                and self.display.place(window).width >= ICON_SIZE
            ),
        )

    def start_notifications(self) -> Notifications:
        """Have a daemon that shows notices."""
        settings, choice = self._folder / "dunstrc", self._folder / "choice"
        settings.write_text(notifications.SETTINGS.format(choice=choice))
        daemon = self._start("dunst", ["dunst", "-config", settings])
        wait_until("dunst took notices", lambda: self.bus.has_owner(notifications.NAME), daemon)
        seen = Notifications(self.environment["DBUS_SESSION_BUS_ADDRESS"], daemon, choice)
        self._stack.callback(seen.close)
        return seen

    def _start_bus(self) -> Bus:
        settings = self._folder / "bus.conf"
        settings.write_text(BUS_SETTINGS.format(socket=self._folder / "run" / "bus"))
        address = self._start_announcing(
            lambda descriptor: (
                *("dbus-daemon", "--nofork", f"--config-file={settings}"),
                f"--print-address={descriptor}",
            )
        )
        # On the same bus a test can stand in for a service of the system.
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = address
        self.environment["DBUS_SYSTEM_BUS_ADDRESS"] = address
        bus = Bus(address)
        self._stack.callback(bus.close)
        return bus

    def _start_display(self) -> Display:
        number = self._start_announcing(
            lambda descriptor: (
                *("Xvfb", "-displayfd", str(descriptor), "-screen", "0", SCREEN),
                *("-fbdir", str(self._folder), "-nolisten", "tcp", "-noreset"),
            )
        )
        self.environment["DISPLAY"] = f":{number}"
        display = Display(self.environment, self._folder / "Xvfb_screen0")
        self._stack.callback(display.close)
        return display

    def _start_window_manager(self) -> None:
        manager = self._start("openbox", ["openbox", "--sm-disable"])
        root, sign = self.display.root, "_NET_SUPPORTING_WM_CHECK"
        wait_until("windows were managed", lambda: self.display.property(root, sign), manager)

    def _start_panel_settings(self) -> None:
        channels = Path(self.environment["XDG_CONFIG_HOME"], "xfce4/xfconf/xfce-perchannel-xml")
        channels.mkdir(parents=True)
        (channels / "xfce4-panel.xml").write_text(PANEL_SETTINGS.format(icon_size=ICON_SIZE))
        lines = SETTINGS_SERVICE.read_text().splitlines()
        (program,) = [line.removeprefix("Exec=") for line in lines if line.startswith("Exec=")]
        daemon = self._start("xfconfd", [program])
        wait_until("settings were there", lambda: self.bus.has_owner("org.xfce.Xfconf"), daemon)

    def _start_announcing(self, command: Callable[[int], Sequence[str]]) -> str:
        """Start a program that writes a line to a descriptor once it is ready; the line.

        It is one that all others live on, so it must end even if the tests are killed.
        """
        reader, writer = os.pipe()
        with os.fdopen(reader) as announced:
            words = command(writer)
            try:
                bound = ("setpriv", "--pdeathsig", "TERM", *words)
                program = self._start(words[0], bound, descriptor=writer)
            finally:
                os.close(writer)
            wait_until(
                f"{program.name} was ready",
                lambda: select.select([announced], [], [], 0)[0],
                program,
            )
            line = announced.readline().strip()
        assert line, f"{program.name} ended at once and printed:\n{program.printed}"
        return line

    def _start(
        self,
        name: str,
        command: Sequence[str | Path],
        environment: Mapping[str, str] | None = None,
        descriptor: int | None = None,
    ) -> Program:
        program = Program(
            command,
            {**self.environment, **(environment or {})},
            self._folder / f"{name}.log",
            () if descriptor is None else (descriptor,),
        )
        self._stack.callback(program.stop)
        return program


def _private_environment(folder: Path) -> dict[str, str]:
    environment = {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "XDG_SESSION_TYPE": "x11",
        "GSETTINGS_BACKEND": "memory",
        "NO_AT_BRIDGE": "1",
    }
    places = {
        "HOME": "home",
        "TMPDIR": "tmp",
        "XDG_CACHE_HOME": "home/.cache",
        "XDG_CONFIG_HOME": "home/.config",
        "XDG_DATA_HOME": "home/.local/share",
        "XDG_STATE_HOME": "home/.local/state",
        "XDG_RUNTIME_DIR": "run",
    }
    for name, place in places.items():
        (folder / place).mkdir(mode=0o700, parents=True)
        environment[name] = str(folder / place)
    return environment


@contextmanager
def private_desktop() -> Iterator[Desktop]:
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    assert not missing, (
        f"Not installed: {', '.join(missing)}."
        " `python3 packaging/bootstrap.py test` installs what is missing, or says how to."
    )
    # The name of a socket is at most 107 bytes long; the folders of pytest can be longer.
    with tempfile.TemporaryDirectory(prefix="desktop-") as folder, ExitStack() as stack:
        yield Desktop(Path(folder), stack)
