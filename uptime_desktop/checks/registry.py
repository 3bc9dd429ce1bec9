"""All kinds of check, in one table."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from uptime_desktop.checks.address import is_numeric, split_port
from uptime_desktop.checks.base import AnyKind
from uptime_desktop.checks.http import HttpKind
from uptime_desktop.checks.tcp import TcpKind
from uptime_desktop.domain.refusal import Refused

KINDS: Final[Mapping[str, AnyKind]] = MappingProxyType(
    {kind.name: kind for kind in (HttpKind(), TcpKind())}
)


def kind_named(name: str) -> AnyKind:
    kind = KINDS.get(name)
    if kind is None:
        allowed = ", ".join(KINDS)
        raise Refused("kind", "{value} is not a kind of check", allowed, value=name)
    return kind


def kind_for(target: str) -> AnyKind:
    """What someone means who writes only this: `host:port` a tcp port, all else a web page."""
    target = target.strip()
    if target.startswith("tcp://"):
        return KINDS["tcp"]
    host, port = split_port(target)
    is_port = re.fullmatch(r"[0-9]{1,5}", port) is not None
    if is_port and "/" not in target and "@" not in host and not is_numeric(target):
        return KINDS["tcp"]
    return KINDS["http"]


def target_settings(kind: AnyKind, target: str) -> dict[str, str]:
    """The settings that a bare target stands for."""
    return {field.key: target for field in kind.fields if field.is_target}
