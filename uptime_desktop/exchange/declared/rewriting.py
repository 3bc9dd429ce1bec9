"""Makes a configuration file that is there be what is stored, changing as little as can be.

A difference is what it would take to make what is stored as in the file; here it is the file that
gives way.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from uptime_desktop.domain.definition import What
from uptime_desktop.domain.model import Keys, Setting
from uptime_desktop.exchange.declared.comparing import described_all
from uptime_desktop.exchange.declared.described import (
    described_channel,
    described_site,
    described_window,
)
from uptime_desktop.exchange.declared.difference import Act, Difference, KeyChange
from uptime_desktop.exchange.declared.edited import Edited
from uptime_desktop.exchange.declared.file import Table, read_declared
from uptime_desktop.exchange.declared.layout import Way
from uptime_desktop.exchange.declared.whole import Whole
from uptime_desktop.exchange.declared.writing import (
    monitor_keys,
    setting_keys,
    table_text,
    value_text,
)

_TIMES: Final = frozenset(
    (
        *("every", "cadence", "anchor", "cron", "dialect", "tz", "at"),
        *("starts", "ends", "days", "duration"),
    )
)
"""Keys of which one may have no meaning beside another."""

_DECISIVE: Final = _TIMES | {"kind"}
_DEFAULTED: Final = frozenset(
    ("backoff", "backoff_cap", "catch_up", "jitter", "retries", "timeout")
)
"""Keys that settings have defaults for, not with every kind and time."""

_SETTINGS: Final[Way] = ("settings",)


def rewritten(text: str, whole: Whole, differences: Sequence[Difference]) -> str:
    """The file that this text is, with only that changed in which it differs."""
    return _Rewriting(text, whole).result(differences) if differences else text


class _Rewriting:
    def __init__(self, text: str, whole: Whole) -> None:
        declared, _ = read_declared(text, "")
        self._edited = Edited(text)
        self._whole = whole
        self._monitors = whole.monitors
        self._keys: dict[What, Mapping[str, Keys]] = {
            What.CHANNEL: described_all(described_channel, whole.channels),
            What.SITE: described_all(described_site, whole.sites),
            What.WINDOW: described_all(described_window, whole.windows),
        }
        self._written: dict[What, dict[str, Table]] = {
            What.CHANNEL: {table.id: table for table in declared.channels},
            What.SITE: {table.id: table for table in declared.sites},
            What.MONITOR: {table.id: table for table in declared.monitors},
            What.WINDOW: {table.id: table for table in declared.windows},
        }
        self._differing: set[tuple[What, str]] = set()
        self._inside = {table.id: str(table.keys["site"]) for table in declared.monitors}
        self._new_sites: dict[str, list[str]] = {}
        self._done: set[str] = set()
        """Sites all of whose monitors have been written anew."""

    def result(self, differences: Sequence[Difference]) -> str:
        of: dict[What, list[Difference]] = {what: [] for what in What}
        for difference in differences:
            of[difference.what].append(difference)
            self._differing.add((difference.what, difference.id))
        self._rewrite_settings(of[What.SETTING])
        for what in (What.CHANNEL, What.WINDOW):
            if of[what] and self._edited.entry((), what.value):
                self._write_anew(what)
            else:
                self._rewrite_all(of[what])
        if (of[What.SITE] or of[What.MONITOR]) and self._edited.entry((), What.SITE.value):
            self._write_anew(What.SITE)
        else:
            self._rewrite_sites(of[What.SITE], of[What.MONITOR])
        return self._edited.result()

    def _rewrite_settings(self, differences: Sequence[Difference]) -> None:
        if not differences:
            return
        edited, keys = self._edited, setting_keys(self._whole.settings)
        inline = edited.entry((), "settings")
        if inline is None and (edited.has(_SETTINGS) or edited.keys(_SETTINGS)):
            for key in (one.id for one in differences):
                self._set(_SETTINGS, key, keys.get(key))
            return
        changed = {one.id for one in differences}
        said = [] if inline is None else inline.inside
        kept = [one for one in said if one.way[1] not in changed]
        lines = [f"{edited.text[one.start : one.value_end]}\n" for one in kept]
        new = table_text("", {key: keys[key] for key in sorted(changed) if key in keys})
        edited.unset((), "settings")
        edited.prepend("".join(("[settings]\n", *lines, new.lstrip("\n"))))

    def _rewrite_all(self, differences: Iterable[Difference]) -> None:
        for one in differences:
            what, way = one.what, self._way(one.what, one.id)
            match one.act:
                case Act.ADDED:
                    self._edited.remove(way)
                case Act.REMOVED:
                    keys = self._keys[what][one.id]
                    self._edited.append(table_text(f"[[{what.value}]]", keys), (what.value,))
                case Act.CHANGED:
                    self._change(way, self._keys[what][one.id], one.keys)

    def _rewrite_sites(self, sites: Sequence[Difference], monitors: Sequence[Difference]) -> None:
        self._rewrite_all(one for one in sites if one.act is Act.CHANGED)
        for one in sites:
            if one.act is Act.REMOVED:
                keys = self._keys[What.SITE][one.id]
                self._new_sites[one.id] = [table_text("[[site]]", keys)]
        self._write_lists_anew(monitors)
        for one in monitors:
            self._rewrite_monitor(one)
        for texts in self._new_sites.values():
            self._edited.append("\n".join(texts), ("site",))
        # Now that nothing is left in them that stays.
        self._rewrite_all(one for one in sites if one.act is Act.ADDED)

    def _write_lists_anew(self, monitors: Sequence[Difference]) -> None:
        """Have monitors that stand in a list in brackets, and are not to stay as they are, stand
        under headers as all others."""
        touched = {self._inside.get(one.id) for one in monitors}
        touched |= {self._home(one.id) for one in monitors}
        for site_id, site in self._written[What.SITE].items():
            if site_id in touched and self._edited.entry(site.way, "monitor"):
                self._edited.unset(site.way, "monitor")
                for monitor in self._monitors.values():
                    if monitor.site_id == site_id:
                        self._edited.append(self._monitor_text(monitor.id), site.way)
                self._done.add(site_id)

    def _rewrite_monitor(self, one: Difference) -> None:
        edited, way = self._edited, self._way(What.MONITOR, one.id)
        outside, home = self._inside.get(one.id), self._home(one.id)
        is_table = edited.has(way)
        if home is None:
            edited.remove(way)
        elif outside == home and home not in self._done:
            self._change(way, self._monitor_keys(one.id), one.keys)
        elif outside != home:
            text = self._monitor_text(one.id)
            if is_table:
                keys = self._monitor_keys(one.id)
                text = edited.cut(way, lambda: self._change(way, keys, one.keys))
            self._take_in(home, text)

    def _take_in(self, site_id: str, text: str) -> None:
        """Have the table of a monitor stand under its site."""
        if site_id in self._new_sites:
            self._new_sites[site_id].append(text)
        elif site_id not in self._done:
            self._edited.append(text, self._written[What.SITE][site_id].way)

    def _write_anew(self, what: What) -> None:
        """Have all of a kind that stands in a list in brackets stand under headers."""
        self._edited.unset((), what.value)
        for thing_id, keys in self._keys[what].items():
            said = self._as_written(what, thing_id) or keys
            self._edited.append(table_text(f"[[{what.value}]]", said), (what.value,))
            for monitor in self._monitors.values() if what is What.SITE else ():
                if monitor.site_id == thing_id:
                    self._edited.append(self._monitor_text(monitor.id), (what.value,))

    def _change(self, table: Way, keys: Keys, changes: Iterable[KeyChange]) -> None:
        changed = dict.fromkeys(one.key for one in changes if one.key != "site")
        there = self._edited.keys(table)
        if "kind" in changed:
            changed |= dict.fromkeys(there - keys.keys())
        elif changed.keys() & _TIMES:
            changed |= dict.fromkeys((there & _TIMES) - keys.keys())
        if changed.keys() & _DECISIVE:
            changed |= dict.fromkeys(key for key in keys if key in _DEFAULTED - there)
        for key in changed:
            self._set(table, key, keys.get(key))

    def _set(self, table: Way, key: str, value: Setting | None) -> None:
        inside = (*table, key)
        if value is None:
            self._edited.unset(table, key)
        elif isinstance(value, Mapping) and self._edited.has(inside):
            for name in self._edited.keys(inside) - value.keys():
                self._edited.unset(inside, name)
            for name, text in value.items():
                self._set_text(inside, name, text)
        else:
            self._edited.set(table, key, value_text(value))

    def _set_text(self, table: Way, key: str, text: str) -> None:
        """Have a key be this text, in the spelling that it has if it is."""
        entry = self._edited.entry(table, key)
        spelled = "" if entry is None else self._edited.text[entry.value_start : entry.value_end]
        if entry is None or tomllib.loads(f"it = {spelled}") != {"it": text}:
            self._edited.set(table, key, value_text(text))

    def _way(self, what: What, thing_id: str) -> Way:
        table = self._written[what].get(thing_id)
        return () if table is None else table.way

    def _as_written(self, what: What, thing_id: str) -> Keys | None:
        """The keys of what is to stay as it is: what they say may be in no other words than
        these, as a password."""
        table = self._written[what].get(thing_id)
        if table is None or (what, thing_id) in self._differing:
            return None
        return {key: value for key, value in table.keys.items() if key != "site"}

    def _home(self, monitor_id: str) -> str | None:
        """The site that a monitor is in by what is stored."""
        monitor = self._monitors.get(monitor_id)
        return None if monitor is None else monitor.site_id

    def _monitor_keys(self, monitor_id: str) -> Keys:
        return monitor_keys(self._monitors[monitor_id], self._whole.settings)

    def _monitor_text(self, monitor_id: str) -> str:
        keys = self._as_written(What.MONITOR, monitor_id) or self._monitor_keys(monitor_id)
        return table_text("[[site.monitor]]", keys)
