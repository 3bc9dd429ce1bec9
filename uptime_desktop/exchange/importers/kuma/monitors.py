"""The monitors of Uptime Kuma, its groups, and the sites that its outermost groups become."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from uptime_desktop.domain.alerts import DESKTOP
from uptime_desktop.domain.model import Keys, Setting
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.checked import usable
from uptime_desktop.exchange.importers.kuma import network, web
from uptime_desktop.exchange.importers.kuma.belonging import belongs_elsewhere
from uptime_desktop.exchange.importers.kuma.draft import Draft, Known, NotForUs
from uptime_desktop.exchange.importers.kuma.table import Table
from uptime_desktop.exchange.importers.kuma.taking import one_line, take_name
from uptime_desktop.exchange.importers.kuma.timing import take_push, take_resend, take_timing
from uptime_desktop.exchange.importers.naming import Ids
from uptime_desktop.exchange.importers.taking import NEW_ID
from uptime_desktop.exchange.report import NOT_IN_USE

SITE: Final[Mapping[str, Setting]] = {"id": "uptime-kuma", "name": "Uptime Kuma"}
"""Of what is in no group."""
_GROUP: Final = "group"
_PUSH: Final = "push"
_MOST_GENERATIONS: Final = 100

TYPES: Final[Mapping[str, Callable[[Draft], None]]] = {
    "dns": network.dns,
    "grpc-keyword": network.grpc,
    "http": web.http,
    "json-query": web.json_query,
    "keyword": web.keyword,
    "mongodb": network.database,
    "mqtt": network.mqtt,
    "mysql": network.database,
    "ping": network.ping,
    "port": network.port,
    "postgres": network.database,
    _PUSH: take_push,
    "real-browser": web.browser,
    "redis": network.database,
    "smtp": network.mail_server,
    "sqlserver": network.database,
    "tailscale-ping": network.tailscale_ping,
    "websocket-upgrade": web.websocket,
}
_UPSIDE_DOWN: Final = Sentence("nothing can be turned upside down; the monitor is paused")
_NO_CHANNEL: Final = Sentence("there is no such channel here")
_NEW_ADDRESS: Final = Sentence("it has a new address, which its job must call")
_FOLLOWS: Final = Sentence("a group follows its members at once")
_WORKED_OUT: Final = Sentence("it follows from the rest")
_WORKED_OUT_NAMES: Final = (
    *("childrenids", "dnslastresult", "forceinactive", "includesensitivedata", "maintenance"),
    *("path", "pathname", "screenshot"),
)


@dataclass(slots=True)
class Monitors:
    """What became of them. `ids` are ours by the number that each has in Uptime Kuma."""

    sites: list[Keys] = field(default_factory=list)
    keys: list[Keys] = field(default_factory=list)
    paused: set[str] = field(default_factory=set)
    ids: dict[str, str] = field(default_factory=dict)
    children: dict[str, list[str]] = field(default_factory=dict)

    def under(self, number: str) -> list[str]:
        """Our ids of it and of all that is in it, if it is a group."""
        found = {number: None}
        waiting = [number]
        while waiting:
            inner = [one for one in self.children.get(waiting.pop(), ()) if one not in found]
            found.update(dict.fromkeys(inner))
            waiting += inner
        return [self.ids[one] for one in found if one in self.ids]


def monitors_of(tables: Sequence[Table], known: Known, now: int) -> Monitors:
    found, ids = Monitors(), Ids()
    drafts = [_draft(table, known) for table in tables]
    for draft in drafts:
        found.children.setdefault(draft.parent, []).append(draft.number)
    by_number = {draft.number: draft for draft in drafts if draft.number}
    sites = _Sites(found)
    lines = {id(draft): _line(draft, by_number) for draft in drafts}
    # A group needs the ids of its members, so the innermost come first.
    groups = sorted(filter(_is_group, drafts), key=lambda draft: -len(lines[id(draft)]))
    for draft in (*(one for one in drafts if not _is_group(one)), *groups):
        line = lines[id(draft)]
        draft.keys["id"] = ids.of(draft.name)
        draft.keys["site"] = sites.of(line[-1] if _is_group(line[-1]) else None)
        try:
            _fill(draft, found)
            _require_usable(draft, now)
        except NotForUs as cannot:
            draft.table.refuse(cannot.why)
        else:
            # In Uptime Kuma a group that is off takes with it what is in it.
            _keep(draft, found, are_on=all(one.is_on for one in line))
    for table in tables:
        table.finish()
    sites.drop_empty()
    return found


def _draft(table: Table, known: Known) -> Draft:
    name = take_name(table, "name")
    is_on = "active" not in table or table.flag("active")
    return Draft(table, known, name, table.text("id"), table.text("parent"), is_on)


def _is_group(draft: Draft) -> bool:
    return draft.table.text("type") == _GROUP


def _line(draft: Draft, by_number: Mapping[str, Draft]) -> list[Draft]:
    """It and the groups it is in, outermost last; one that is in itself ends there."""
    found, seen = [draft], {draft.number}
    while (parent := by_number.get(found[-1].parent)) is not None:
        if parent.number in seen or len(found) >= _MOST_GENERATIONS:
            break
        found.append(parent)
        seen.add(parent.number)
    return found


def _fill(draft: Draft, found: Monitors) -> None:
    table, keys = draft.table, draft.keys
    keys["name"] = draft.name
    kind = table.text("type")
    if kind == _GROUP:
        _take_members(draft, found)
    elif (take := TYPES.get(kind)) is None:
        raise NotForUs(Sentence("there is no monitor of the type {type}", type=one_line(kind)))
    else:
        take(draft)
    if kind not in (_GROUP, _PUSH):
        take_timing(draft)
    _take_tags(draft)
    _take_channels(draft)
    if table.flag("upsidedown"):
        draft.must_pause = True
    table.unsupported("upsidedown", _UPSIDE_DOWN)


def _take_members(draft: Draft, found: Monitors) -> None:
    inside = found.children.get(draft.number, ()) if draft.number else ()
    members = tuple(dict.fromkeys(found.ids[number] for number in inside if number in found.ids))
    if not members:
        raise NotForUs(Sentence("there is nothing in the group that could be taken over"))
    draft.keys["kind"], draft.keys["members"] = "group", members
    draft.table.mapped("type", "kind")
    take_resend(draft, draft.table.number("interval") or 0.0)
    for name in ("interval", "maxretries", "retryinterval", "timeout"):
        draft.table.unsupported(name, _FOLLOWS)


def _take_tags(draft: Draft) -> None:
    table = draft.table
    given = table.value("tags")
    tags = list(draft.known.tags.get(draft.number, ()))
    for at, one in enumerate(given if isinstance(given, list) else ()):
        if isinstance(one, dict):
            tag = table.inside("tags", f"[{at}]", one)
            tags.append(tag_text(tag))
    kept = tuple(dict.fromkeys(tag for tag in tags if tag))
    if kept:
        draft.keys["tags"] = kept
    table.mapped("tags", "tags")


def tag_text(tag: Table) -> str:
    """What a tag of ours says that one of theirs does; empty if that is nothing."""
    name, value = one_line(tag.text("name")), one_line(tag.text("value"))
    for one in ("id", "monitorid", "tagid", "name", "value"):
        tag.mapped(one, "tags")
    return one_line(f"{name}:{value}" if name and value else name)


def _take_channels(draft: Draft) -> None:
    """This computer is told, too: a notice on the screen is what people came for."""
    table, channels = draft.table, draft.known.channels
    given = table.table("notificationidlist")
    wanted = [number for number, is_told in given.items() if is_told]
    wanted += draft.known.told.get(draft.number, ())
    told = dict.fromkeys(channels[number] for number in wanted if number in channels)
    draft.keys["channels"] = (DESKTOP, *told)
    if given:
        inner = table.inside("notificationidlist", "", given)
        for number in given:
            if number in channels:
                inner.mapped(number, "channels")
            inner.unsupported(number, _NO_CHANNEL)
    table.mapped("notificationidlist", "channels")


def _require_usable(draft: Draft, now: int) -> None:
    refused = usable(draft.keys, now)
    if refused is not None and refused.field == "token":
        del draft.keys["token"]
        refused = usable(draft.keys, now)
    if refused is not None:
        raise NotForUs(Sentence("{field}: {problem}", field=refused.field, problem=refused.text()))


def _keep(draft: Draft, found: Monitors, *, are_on: bool) -> None:
    table, monitor_id = draft.table, str(draft.keys["id"])
    found.keys.append(draft.keys)
    found.ids.setdefault(draft.number, monitor_id)
    if draft.must_pause or not are_on:
        found.paused.add(monitor_id)
    table.approximated("id", NEW_ID)
    table.mapped("active", "paused")
    table.mapped("parent", "members")
    if "token" in draft.keys:
        table.mapped("pushtoken", "token")
    elif draft.keys["kind"] == "heartbeat":
        table.approximated("pushtoken", _NEW_ADDRESS)
    for name in _WORKED_OUT_NAMES:
        table.unsupported(name, _WORKED_OUT)
    kind = table.text("type")
    for name in table:
        if belongs_elsewhere(name, kind):
            table.unsupported(name, NOT_IN_USE)


class _Sites:
    """One for each outermost group, and one for what is in none; in the order of their use."""

    def __init__(self, found: Monitors) -> None:
        self._found = found
        self._ids = Ids("site")
        self._by_number: dict[str, str] = {}
        self._ids.of(str(SITE["id"]))

    def of(self, outermost: Draft | None) -> str:
        number = "" if outermost is None else outermost.number
        if number not in self._by_number:
            site = SITE
            if outermost is not None:
                site = {"id": self._ids.of(outermost.name), "name": outermost.name}
            self._by_number[number] = str(site["id"])
            self._found.sites.append(site)
        return self._by_number[number]

    def drop_empty(self) -> None:
        used = {keys["site"] for keys in self._found.keys}
        self._found.sites[:] = [site for site in self._found.sites if site["id"] in used]
