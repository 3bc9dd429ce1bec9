"""`doctor`: looks whether all that is needed is there, and says what to do where it is not."""

import json
import os
import platform
import socket
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

from uptime_desktop import __version__
from uptime_desktop.cli.commands import Commands, add_command, database_of
from uptime_desktop.cli.output import print_json, print_table
from uptime_desktop.domain.wording import Sentence, words
from uptime_desktop.i18n import told, tr

_PATIENCE_S: Final = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """`ok` is None where there is nothing to judge; `text` is a `Sentence` if it has words."""

    ok: bool | None
    text: str


def add_parser(commands: Commands, name: str, summary: str) -> None:
    add_command(commands, name, summary).set_defaults(command=execute)


def execute(arguments: Namespace) -> int:
    looks: dict[str, Callable[[], Finding]] = {
        words("program"): lambda: Finding(True, __version__),
        words("python"): _python,
        words("qt"): _qt,
        words("display"): _display,
        words("tray"): lambda: _tray(_surroundings()),
        words("notifications"): lambda: _notifications(_surroundings()),
        words("keyring"): _keyring,
        words("network"): _network,
        words("database"): lambda: _database(arguments),
    }
    found = {name: _safely(look) for name, look in looks.items()}
    if arguments.json:
        print_json({name: {"ok": one.ok, "text": one.text} for name, one in found.items()})
    else:
        judgements = {True: tr("ok"), False: tr("problem"), None: "–"}
        print_table(
            [tr("Part"), tr("State"), tr("Detail")],
            [[tr(name), judgements[one.ok], told(one.text)] for name, one in found.items()],
        )
    return int(any(one.ok is False for one in found.values()))


def _safely(look: Callable[[], Finding]) -> Finding:
    try:
        return look()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
        return Finding(False, f"{type(error).__name__}: {error}")


def _python() -> Finding:
    return Finding(sys.version_info >= (3, 11), f"{platform.python_version()} ({sys.executable})")


def _qt() -> Finding:
    from PySide6 import QtCore  # noqa: PLC0415 - its absence is a finding, not a crash

    return Finding(True, f"Qt {QtCore.qVersion()}")


def _display() -> Finding:
    if sys.platform in ("win32", "darwin"):
        return Finding(True, Sentence("the desktop"))
    name = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY")
    if name:
        return Finding(True, name)
    return Finding(None, Sentence("none: the app runs headless"))


@cache
def _surroundings() -> dict[str, bool]:
    """What the desktop offers, found out by another process: Qt ends one without a display."""
    words = [sys.executable, "-m", "uptime_desktop.gui.surroundings"]
    found = subprocess.run(words, capture_output=True, text=True, check=False, timeout=_PATIENCE_S)
    if found.returncode == 0:
        return dict(json.loads(found.stdout))
    return {}


def _tray(offered: dict[str, bool]) -> Finding:
    match offered.get("tray"):
        case True:
            return Finding(True, Sentence("there is a place for the icon"))
        case False:
            text = Sentence("this desktop shows no tray icons: the window stays instead")
            return Finding(None, text)
        case _:
            return Finding(None, Sentence("no desktop to look at"))


def _notifications(offered: dict[str, bool]) -> Finding:
    match offered.get("notices"):
        case True:
            return Finding(True, Sentence("there is a service that shows them"))
        case False:
            text = Sentence("nothing shows them here: watch the icon or the window")
            return Finding(None, text)
        case _:
            return Finding(None, Sentence("no desktop to look at"))


def _keyring() -> Finding:
    import keyring  # noqa: PLC0415 - slow to load
    from keyring.backends.fail import Keyring as NoKeyring  # noqa: PLC0415

    backend = keyring.get_keyring()
    if isinstance(backend, NoKeyring):
        text = Sentence("none: secrets can be kept in a file that only you can read")
        return Finding(None, text)
    return Finding(True, str(backend.name))


def _network() -> Finding:
    """Whether there is a way out; connecting a datagram socket sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            text = Sentence("no route to the outside: monitors will be unknown")
            return Finding(False, text)
        return Finding(True, Sentence("from {address}", address=probe.getsockname()[0]))


def _database(arguments: Namespace) -> Finding:
    from uptime_desktop.store.db import examine  # noqa: PLC0415 - loads peewee
    from uptime_desktop.store.errors import StoreError  # noqa: PLC0415

    path = database_of(arguments)
    if not path.exists():
        none_yet = "{path}: none yet, it is made with the first monitor"
        return Finding(None, Sentence(none_yet, path=str(path)))
    try:
        examine(path)
    except StoreError as error:
        return Finding(False, error.sentence)
    is_writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    state = "{path}: whole, {size} MB"
    if not is_writable:
        state = "{path}: whole, but it cannot be written: results would be lost, {size} MB"
    size = f"{path.stat().st_size / 1e6:.1f}"
    return Finding(is_writable, Sentence(state, path=str(path), size=size))
