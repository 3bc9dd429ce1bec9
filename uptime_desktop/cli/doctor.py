"""`doctor`: looks whether all that is needed is there, and says what to do where it is not."""

import os
import platform
import socket
import sys
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass

from uptime_desktop import __version__
from uptime_desktop.cli.commands import Commands, add_command, database_of
from uptime_desktop.cli.output import print_json, print_table


@dataclass(frozen=True, slots=True)
class Finding:
    """`ok` is None where there is nothing to judge."""

    ok: bool | None
    text: str


def add_parser(commands: Commands, name: str, summary: str) -> None:
    add_command(commands, name, summary).set_defaults(command=execute)


def execute(arguments: Namespace) -> int:
    looks: dict[str, Callable[[], Finding]] = {
        "program": lambda: Finding(True, __version__),
        "python": _python,
        "qt": _qt,
        "display": _display,
        "keyring": _keyring,
        "network": _network,
        "database": lambda: _database(arguments),
    }
    found = {name: _safely(look) for name, look in looks.items()}
    if arguments.json:
        print_json({name: {"ok": one.ok, "text": one.text} for name, one in found.items()})
    else:
        words = {True: "ok", False: "problem", None: "–"}
        print_table(
            ["Part", "State", "Detail"],
            [[name, words[one.ok], one.text] for name, one in found.items()],
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
        return Finding(True, "the desktop")
    name = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY")
    return Finding(True, name) if name else Finding(None, "none: the app runs headless")


def _keyring() -> Finding:
    import keyring  # noqa: PLC0415 - slow to load
    from keyring.backends.fail import Keyring as NoKeyring  # noqa: PLC0415

    backend = keyring.get_keyring()
    if isinstance(backend, NoKeyring):
        return Finding(None, "none: secrets can be kept in a file that only you can read")
    return Finding(True, str(backend.name))


def _network() -> Finding:
    """Whether there is a way out; connecting a datagram socket sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return Finding(False, "no route to the outside: monitors will be unknown")
        return Finding(True, f"from {probe.getsockname()[0]}")


def _database(arguments: Namespace) -> Finding:
    from uptime_desktop.store.connection import connect, raw  # noqa: PLC0415 - loads peewee
    from uptime_desktop.store.files import is_whole  # noqa: PLC0415

    path = database_of(arguments)
    if not path.exists():
        return Finding(None, f"{path}: none yet, it is made with the first monitor")
    db = connect(path, read_only=True)
    try:
        whole = is_whole(raw(db))
    finally:
        db.close()
    size_mb = path.stat().st_size / 1e6
    return Finding(whole, f"{path}: {'whole' if whole else 'damaged'}, {size_mb:.1f} MB")
