"""Tray icons over D-Bus: what a StatusNotifier host sees of them, and what it can do to them."""

import re
from dataclasses import dataclass
from typing import Any

from dbus_fast import DBusError, Variant

from tests.desktop.bus import Bus
from tests.desktop.processes import Program, wait_until

WATCHER = ("org.kde.StatusNotifierWatcher", "/StatusNotifierWatcher")
ITEM = "org.kde.StatusNotifierItem"
MENU = "com.canonical.dbusmenu"
WHOLE = -1


@dataclass(frozen=True, slots=True)
class Pixmap:
    """Pixels from left to right and from the top, four bytes each: alpha, red, green, blue."""

    width: int
    height: int
    argb: bytes


@dataclass(frozen=True, slots=True)
class ToolTip:
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a menu, or as its root the menu itself."""

    id: int
    label: str
    is_enabled: bool
    is_visible: bool
    is_separator: bool
    is_checked: bool | None
    children: tuple["Entry", ...]

    def find(self, *labels: str) -> "Entry":
        """The entry below this one that the labels lead to."""
        if not labels:
            return self
        for child in self.children:
            if child.label == labels[0]:
                return child.find(*labels[1:])
        raise AssertionError(f"No entry {labels[0]!r} in {[one.label for one in self.children]}")


@dataclass(frozen=True, slots=True)
class Item:
    """A registered icon; every question is asked anew."""

    bus: Bus
    service: str
    path: str

    @property
    def icon_name(self) -> str:
        return str(self._property("IconName"))

    @property
    def icon_pixmaps(self) -> list[Pixmap]:
        return [Pixmap(*one) for one in self._property("IconPixmap")]

    @property
    def title(self) -> str:
        return str(self._property("Title"))

    @property
    def tool_tip(self) -> ToolTip:
        _, _, title, text = self._property("ToolTip")
        return ToolTip(title, text)

    @property
    def status(self) -> str:
        return str(self._property("Status"))

    def activate(self) -> None:
        self._do("Activate")

    def activate_secondary(self) -> None:
        self._do("SecondaryActivate")

    def open_context_menu(self) -> None:
        self._do("ContextMenu")

    def menu(self) -> Entry:
        """As a host reads it that is about to show it."""
        self._menu("AboutToShow", "i", 0)
        _, layout = self._menu("GetLayout", "iias", 0, WHOLE, [])
        return _entry(layout)

    def click(self, *labels: str) -> None:
        """Choose an entry, through its submenus from the outermost."""
        entry = self.menu()
        for label in labels:
            entry = entry.find(label)
            if entry.children:
                self._menu("AboutToShow", "i", entry.id)
        assert entry.is_enabled, f"{labels[-1]!r} is disabled"
        self._menu("Event", "isvu", entry.id, "clicked", Variant("i", 0), 0)

    def _property(self, name: str) -> Any:
        return self.bus.property(self.service, self.path, ITEM, name)

    def _do(self, method: str) -> None:
        self.bus.call(self.service, self.path, ITEM, method, "ii", 0, 0)

    def _menu(self, method: str, signature: str, *body: Any) -> list[Any]:
        path = self._property("Menu")
        return self.bus.call(self.service, path, MENU, method, signature, *body)


def has_host(bus: Bus) -> bool:
    """Whether somebody shows the icons that register."""
    return bool(_watcher(bus, "IsStatusNotifierHostRegistered"))


def items(bus: Bus) -> list[Item]:
    """Every registered icon, the oldest first."""
    found = []
    for name in _watcher(bus, "RegisteredStatusNotifierItems") or ():
        service, slash, path = name.partition("/")
        found.append(Item(bus, service, slash + path))
    return found


def item_of(bus: Bus, application: Program) -> Item:
    """Its icon, as soon as it has registered one."""

    def find() -> Item | None:
        own = (item for item in items(bus) if bus.process_of(item.service) == application.pid)
        return next(own, None)

    item = wait_until(f"{application.name} registered an icon", find, application)
    assert item is not None
    return item


def _watcher(bus: Bus, name: str) -> Any:
    try:
        return bus.property(*WATCHER, WATCHER[0], name)
    except DBusError:
        return None


def _entry(layout: list[Any]) -> Entry:
    number, properties, children = layout
    given = {name: value.value for name, value in properties.items()}
    toggles = bool(given.get("toggle-type"))
    return Entry(
        id=number,
        label=re.sub("_(.)", r"\1", given.get("label", "")),
        is_enabled=given.get("enabled", True),
        is_visible=given.get("visible", True),
        is_separator=given.get("type") == "separator",
        is_checked=given.get("toggle-state") == 1 if toggles else None,
        children=tuple(_entry(child.value) for child in children),
    )
