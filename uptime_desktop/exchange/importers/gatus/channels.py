"""The alerting providers of a Gatus file as channels of ours.

A provider may be set up differently for a group of endpoints, and by a single alert: each way
that is in use is a channel of its own.
"""

from collections.abc import Mapping
from typing import Final

from uptime_desktop.checks.redaction import HIDDEN
from uptime_desktop.domain.alerts import DESKTOP, SOUND
from uptime_desktop.domain.model import Keys
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.gatus.addresses import SERVICES
from uptime_desktop.exchange.importers.gatus.provider import Settings
from uptime_desktop.exchange.importers.gatus.rules import NEAREST, is_moved
from uptime_desktop.exchange.importers.gatus.values import Source, leaves
from uptime_desktop.exchange.importers.gatus.variables import Variables
from uptime_desktop.exchange.importers.naming import Ids
from uptime_desktop.exchange.report import NOT_IN_USE, Fate

OWN_WORDS: Final = Sentence("alerts have our own words")
FIRST_GOOD_RUN: Final = Sentence("the first good run ends the trouble")
_NOT_FOUND: Final = Sentence("no address that alerts can be sent to follows from it")
_NO_SERVICE: Final = Sentence("alerts cannot be sent there")
_NO_SETTING: Final = Sentence("the channel has no such setting")
_WORDS: Final = frozenset({"title", "message-content", "body", "placeholders"})
_APART: Final = frozenset({"default-alert", "overrides", "group"})
_IN_RULES: Final = {
    "enabled": "channels",
    "failure-threshold": "alert_after",
    "send-on-resolved": "recovery_notice",
    "minimum-reminder-interval": "repeat_every",
}

Table = Mapping[str, object]


class Providers:
    """All that is under `alerting`."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self._ids = Ids("channel")
        for taken in (DESKTOP, SOUND):
            self._ids.of(taken)
        self._tables: dict[str, Table] = {}
        self._by_group: dict[tuple[str, str], Table] = {}
        self._ids_by_url: dict[str, str] = {}
        self.channels: list[Keys] = []

    def take(self, alerting: Source) -> None:
        for kind in list(alerting.table):
            provider = alerting.inside(kind)
            if provider is None:
                continue
            provider.fields.thing = SERVICES[kind].label if kind in SERVICES else kind
            self._tables[kind] = provider.table
            self._channel(kind, provider.table)
            self._report(kind, provider, provider.table)
            for _, override in provider.tables("overrides"):
                group = override.text("group", "channels")
                whole = {**provider.table, **override.table}
                self._by_group.setdefault((kind, group), whole)
                self._channel(kind, whole, group)
                self._report(kind, override, whole)
            _report_default(provider)

    def default_alert(self, kind: str) -> Table:
        found = self._tables.get(kind, {}).get("default-alert")
        return found if isinstance(found, dict) else {}

    def channel_of(self, kind: str, group: str, override: Table) -> str | None:
        """The id of the channel that an alert of this type goes to, if there can be one."""
        table = self._by_group.get((kind, group), self._tables.get(kind))
        return None if table is None else self._channel(kind, {**table, **override})

    def report_override(self, kind: str, override: Source) -> None:
        self._report(kind, override, {**self._tables.get(kind, {}), **override.table})

    def _address(self, kind: str, table: Table) -> str | None:
        service = SERVICES.get(kind)
        return None if service is None else service.address(Settings(table, self._variables))

    def _channel(self, kind: str, table: Table, group: str = "") -> str | None:
        url = self._address(kind, table)
        if url is None:
            return None
        if url not in self._ids_by_url:
            label = SERVICES[kind].label
            name = f"{label} ({group[:80]})" if group.isprintable() and group else label
            self._ids_by_url[url] = self._ids.of(name)
            self.channels.append({"id": self._ids_by_url[url], "name": name, "url": url})
        return self._ids_by_url[url]

    def _report(self, kind: str, given: Source, whole: Table) -> None:
        """What became of the settings; none of them is shown, for most are secrets."""
        has_address = self._address(kind, whole) is not None
        differs: Mapping[str, Sentence] = {}
        if has_address:
            differs = SERVICES[kind].differs(Settings(whole, self._variables))
        for key, value in given.table.items():
            if key in _APART:
                continue
            fate, how = _fate(kind, key, differs, has_address=has_address)
            for place, one in leaves(value, key):
                if one is None or one == "":
                    given.note_part(place, "", Fate.UNSUPPORTED, NOT_IN_USE)
                else:
                    given.note_part(place, HIDDEN, fate, how)


def _fate(
    kind: str, key: str, differs: Mapping[str, Sentence], *, has_address: bool
) -> tuple[Fate, str]:
    if kind not in SERVICES:
        return Fate.UNSUPPORTED, _NO_SERVICE
    if not has_address:
        return Fate.UNSUPPORTED, _NOT_FOUND
    if key not in SERVICES[kind].keys:
        return Fate.UNSUPPORTED, OWN_WORDS if key in _WORDS else _NO_SETTING
    return (Fate.APPROXIMATED, differs[key]) if key in differs else (Fate.MAPPED, "channels")


def _report_default(provider: Source) -> None:
    """What alerts of a type have in common is in the rule of each monitor that has one."""
    default = provider.inside("default-alert")
    if default is None:
        return
    for key, to in _IN_RULES.items():
        if key in default and is_moved(default, key):
            default.note(key, Fate.APPROXIMATED, NEAREST)
        elif key in default:
            default.note(key, Fate.MAPPED, to)
    if "success-threshold" in default:
        default.note("success-threshold", Fate.APPROXIMATED, FIRST_GOOD_RUN)
    default.leave("description", OWN_WORDS)
    default.finish()
