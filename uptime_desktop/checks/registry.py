"""All kinds of check, in one table: ours, and those that other packages bring."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from uptime_desktop.checks.base import AnyKind, FieldType
from uptime_desktop.checks.dns import DnsKind
from uptime_desktop.checks.group import GroupKind
from uptime_desktop.checks.grpc import GrpcKind
from uptime_desktop.checks.heartbeat import HeartbeatKind
from uptime_desktop.checks.http.kind import HttpKind
from uptime_desktop.checks.net.address import is_numeric, split_port
from uptime_desktop.checks.ping import PingKind
from uptime_desktop.checks.plugins import found_kinds
from uptime_desktop.checks.remote.kind import RemoteKind
from uptime_desktop.checks.tcp import TcpKind
from uptime_desktop.checks.tls import TlsKind
from uptime_desktop.checks.websocket import WebSocketKind
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused

_OURS: Final[tuple[AnyKind, ...]] = (
    HttpKind(),
    TcpKind(),
    PingKind(),
    DnsKind(),
    TlsKind(),
    WebSocketKind(),
    GrpcKind(),
    HeartbeatKind(),
    GroupKind(),
    RemoteKind(),
)
_SCHEMES: Final = {
    "dns": "dns",
    "grpc": "grpc",
    "grpcs": "grpc",
    "ping": "ping",
    "tcp": "tcp",
    "tls": "tls",
    "ws": "websocket",
    "wss": "websocket",
}
"""What the beginning of an address says about how to look at it; all else is a web page."""


def _all_kinds() -> dict[str, AnyKind]:
    ours = {kind.name: kind for kind in _OURS}
    return ours | {kind.name: kind for kind in found_kinds(ours)}


KINDS: Final[Mapping[str, AnyKind]] = MappingProxyType(_all_kinds())


def kind_named(name: str) -> AnyKind:
    kind = KINDS.get(name)
    if kind is None:
        allowed = ", ".join(KINDS)
        raise Refused("kind", "{value} is not a kind of check", allowed, value=name)
    return kind


def is_passive(kind_name: str) -> bool:
    """Whether nothing is scheduled for monitors of this kind."""
    kind = KINDS.get(kind_name)
    return kind is not None and kind.is_passive


def kind_for(target: str) -> AnyKind:
    """What someone means who writes only this: `host:port` a tcp port, `ping://host` a ping and
    so on, all else a web page."""
    target = target.strip()
    scheme, mark, _ = target.partition("://")
    if mark and scheme.lower() in _SCHEMES:
        return KINDS[_SCHEMES[scheme.lower()]]
    host, port = split_port(target)
    is_port = re.fullmatch(r"[0-9]{1,5}", port) is not None
    if is_port and "/" not in target and "@" not in host and not is_numeric(target):
        return KINDS["tcp"]
    return KINDS["http"]


def definition_of(target: str, keys: Mapping[str, Setting] | None = None) -> dict[str, Setting]:
    """The keys that a bare target stands for, with those that were given besides.

    The name, if none was given, is the target's own.
    """
    given = dict(keys or {})
    kind = kind_named(str(given["kind"])) if "kind" in given else kind_for(target)
    if target and not has_target(kind):
        allowed = "only a name and settings"
        raise Refused("targets", "{value} means nothing to this kind", allowed, value=target)
    whole: dict[str, Setting] = {**target_settings(kind, target), **given, "kind": kind.name}
    whole.setdefault("name", name_for(kind, own_settings(kind, whole)))
    return whole


def name_for(kind: AnyKind, settings: Mapping[str, Setting]) -> str:
    """What to call a monitor that nobody named."""
    return kind.describe(kind.parse(settings)).split("://", 1)[-1].rstrip("/")


def own_settings(kind: AnyKind, given: Mapping[str, Setting]) -> dict[str, Setting]:
    """Those of the keys that belong to the kind of check."""
    own = {spec.key for spec in kind.fields}
    return {key: value for key, value in given.items() if key in own}


def has_target(kind: AnyKind) -> bool:
    """Whether there is something that monitors of this kind are pointed at."""
    return any(field.is_target for field in kind.fields)


def takes_members(kind: AnyKind) -> bool:
    """Whether what it is pointed at are other monitors, several for one."""
    return any(field.is_target and field.type is FieldType.MONITORS for field in kind.fields)


def target_settings(kind: AnyKind, target: str) -> dict[str, str]:
    """The settings that a bare target stands for."""
    return {field.key: target for field in kind.fields if field.is_target}
