"""Where Uptime Kuma tells of trouble, as channels: each way to tell it becomes an Apprise URL."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from uptime_desktop.domain.alerts import DESKTOP, SOUND
from uptime_desktop.domain.model import Keys, Setting
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.kuma.chats import CHATS
from uptime_desktop.exchange.importers.kuma.pushes import PUSHES
from uptime_desktop.exchange.importers.kuma.services import SERVICES, CannotBe
from uptime_desktop.exchange.importers.kuma.table import Table
from uptime_desktop.exchange.importers.kuma.taking import one_line, take_name
from uptime_desktop.exchange.importers.naming import Ids
from uptime_desktop.exchange.importers.taking import NEW_ID
from uptime_desktop.exchange.report import NOTHING_LIKE_IT

WAYS: Final = {**CHATS, **PUSHES, **SERVICES}
"""By the type that Uptime Kuma calls it."""
_MISSING: Final = Sentence(
    "a part of its settings is missing, or not of the form that Apprise knows"
)
_WORDING: Final = Sentence("messages have the words of Uptime Desktop")
_WORDS: Final = re.compile("body|content|message|subject|template|text|title")
_NO_SETTING: Final = Sentence("the channel has no such setting")
_DEFAULT: Final = Sentence("new monitors tell all channels unless they name some")


@dataclass(slots=True)
class Channels:
    """The channels found so far, and the id that each has by its number in Uptime Kuma."""

    keys: list[Keys] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)


def channels_of(tables: Iterable[Table]) -> Channels:
    found, ids = Channels(), Ids("channel")
    for taken in (DESKTOP, SOUND):
        ids.of(taken)
    for table in tables:
        try:
            _take(table, found, ids)
        except CannotBe as cannot:
            table.refuse(cannot.why)
        table.finish(_NO_SETTING)
    return found


def _take(table: Table, found: Channels, ids: Ids) -> None:
    inner = table.table("config")
    config = table.inside("config", "", inner) if inner else table
    name = take_name(table, "name")
    keys: dict[str, Setting] = {"name": name, "url": _address(config)}
    if "active" in table and not table.flag("active"):
        keys["on"] = False
    keys = {"id": ids.of(name), **keys}
    found.keys.append(keys)
    found.ids[table.text("id")] = str(keys["id"])
    for one in (table, config):
        one.approximated("id", NEW_ID)
        one.mapped("name", "name")
        one.mapped("active", "on")
        one.mapped("type", "url")
        one.unsupported("isdefault", _DEFAULT)
        one.unsupported("applyexisting", _DEFAULT)
        one.unsupported("userid", NOTHING_LIKE_IT)
        for key in filter(_WORDS.search, one):
            one.unsupported(key, _WORDING)
    table.mapped("config", "url")


def _address(config: Table) -> str:
    kind = config.text("type")
    way = WAYS.get(kind)
    if way is None:
        raise CannotBe(Sentence("there is no Apprise address for {type}", type=one_line(kind)))
    url = way(config)
    if not url:
        raise CannotBe(_MISSING)
    return url
