"""The private display: its windows, its pixels, and a hand on the mouse.

Speaks through libxcb, which answers a wrong question with nothing; libX11 would end the process.
"""

import ctypes
import struct
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from PySide6.QtGui import QImage

from tests.desktop.processes import Program, wait_until

TRAY_SELECTION = "_NET_SYSTEM_TRAY_S0"
LEFT, MIDDLE, RIGHT = 1, 2, 3
ANY_TYPE = 0
MAPPED = 2


class Rectangle(NamedTuple):
    left: int
    top: int
    width: int
    height: int

    @property
    def centre(self) -> tuple[int, int]:
        return self.left + self.width // 2, self.top + self.height // 2


class Display:
    def __init__(self, environment: Mapping[str, str], framebuffer: Path) -> None:
        self._environment = environment
        self._framebuffer = framebuffer
        self._xcb = ctypes.CDLL("libxcb.so.1")
        self._free = ctypes.CDLL(None).free
        self._free.argtypes = [ctypes.c_void_p]
        self._xcb.xcb_connect.restype = ctypes.c_void_p
        self._xcb.xcb_wait_for_reply.restype = ctypes.c_void_p
        name = environment["DISPLAY"].encode()
        self._connection = ctypes.c_void_p(self._xcb.xcb_connect(name, None))
        self._check_connection()
        setup = self._xcb.xcb_get_setup
        setup.restype = ctypes.c_void_p
        roots = self._xcb.xcb_setup_roots_iterator
        roots.argtypes, roots.restype = [ctypes.c_void_p], _Screens
        self.root: int = roots(setup(self._connection)).first.contents.value

    def close(self) -> None:
        self._xcb.xcb_disconnect(self._connection)

    def has_tray(self) -> bool:
        """Whether a host for XEmbed icons is there."""
        reply = self._ask("get_selection_owner", self._atom(TRAY_SELECTION))
        return struct.unpack_from("=8xI", reply) != (0,)

    def tray_icon(self, application: Program) -> int:
        """The window of its icon in an XEmbed host."""
        return self.wait_for_window(
            f"{application.name} had an icon in the tray",
            lambda window: (
                bool(self.property(window, "_XEMBED_INFO"))
                and self.owner(window) == application.pid
            ),
            application,
        )

    def wait_for_window(self, hope: str, is_it: Callable[[int], bool], *needed: Program) -> int:
        window = wait_until(hope, lambda: next(filter(is_it, self.windows()), None), *needed)
        assert window is not None
        return window

    def windows(self) -> Iterator[int]:
        """All that can be seen, parents before children."""
        waiting = [self.root]
        while waiting:
            window = waiting.pop()
            attributes = self._ask("get_window_attributes", window)
            if attributes and attributes[26] == MAPPED:
                yield window
                tree = self._ask("query_tree", window)
                if tree:
                    (count,) = struct.unpack_from("=16xH", tree)
                    waiting += struct.unpack_from(f"=32x{count}I", tree)

    def owner(self, window: int) -> int | None:
        """The number of the process that it belongs to."""
        value = self.property(window, "_NET_WM_PID")
        return int.from_bytes(value, "little") if value else None

    def property(self, window: int, name: str) -> bytes:
        reply = self._ask("get_property", 0, window, self._atom(name), ANY_TYPE, 0, 1024)
        if not reply:
            return b""
        bits, items = struct.unpack_from("=xB14xI", reply)
        return reply[32 : 32 + items * bits // 8]

    def place(self, window: int) -> Rectangle:
        """Where on the screen it is; once it is gone, without a size."""
        geometry = self._ask("get_geometry", window)
        corner = self._ask("translate_coordinates", window, self.root, 0, 0)
        if not geometry or not corner:
            return Rectangle(0, 0, 0, 0)
        return Rectangle(
            *struct.unpack_from("=12xhh", corner), *struct.unpack_from("=16xHH", geometry)
        )

    def click(self, window: int, button: int) -> None:
        """Once the pointer rests on it: a tray pushes its icons about while they come and go."""

        def reach() -> bool:
            place = self.place(window)
            left, top = place.centre
            self.xdotool("mousemove", str(left), str(top))
            return place.width > 0 and place == self.place(window)

        wait_until("the pointer rested on the window", reach)
        self.xdotool("click", str(button))

    def title_in_front(self) -> str:
        """Of the window that gets the keys; nothing while it is handed on."""
        return self._ask_xdotool("getactivewindow", "getwindowname").stdout.strip()

    def xdotool(self, *words: str) -> str:
        """Whatever else a hand can do, such as typing."""
        done = self._ask_xdotool(*words)
        assert done.returncode == 0, f"xdotool {' '.join(words)}: {done.stderr}"
        return done.stdout

    def _ask_xdotool(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["xdotool", *words],
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=20,
        )

    def screenshot(self) -> QImage:
        """The whole screen; the server keeps it in a file in the format of xwd."""
        content = self._framebuffer.read_bytes()
        header = struct.unpack_from(">25I", content)
        size, width, height, line, colours = header[0], header[4], header[5], header[12], header[19]
        pixels = content[size + 12 * colours :]
        return QImage(pixels, width, height, line, QImage.Format.Format_RGB32).copy()

    def _check_connection(self) -> None:
        is_broken = self._xcb.xcb_connection_has_error(self._connection)
        assert not is_broken, f"The display {self._environment['DISPLAY']} is gone."

    def _atom(self, name: str) -> int:
        reply = self._ask("intern_atom", 0, len(name), name.encode())
        (atom,) = struct.unpack_from("=8xI", reply)
        return int(atom)

    def _ask(self, question: str, *arguments: int | bytes) -> bytes:
        """The reply as it came over the wire, or nothing."""
        cookie = getattr(self._xcb, f"xcb_{question}")(self._connection, *arguments)
        error = ctypes.c_void_p()
        reply = self._xcb.xcb_wait_for_reply(self._connection, cookie, ctypes.byref(error))
        if not reply:
            self._free(error)
            self._check_connection()
            return b""
        (more,) = struct.unpack_from("=4xI", ctypes.string_at(reply, 32))
        whole = ctypes.string_at(reply, 32 + 4 * more)
        self._free(reply)
        return whole


class _Screens(ctypes.Structure):
    """Points at a screen, whose first field is its root window."""

    _fields_ = (
        ("first", ctypes.POINTER(ctypes.c_uint32)),
        ("remaining", ctypes.c_int),
        ("index", ctypes.c_int),
    )
