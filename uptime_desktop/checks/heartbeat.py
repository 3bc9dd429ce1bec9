"""The heartbeat: nothing is looked at, a job reports to us and is missed when it does not."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from uptime_desktop.checks.base import FieldSpec, FieldType, parse_fields
from uptime_desktop.checks.failure import sentence
from uptime_desktop.domain.model import (
    DEFAULT_GRACE_MS,
    MAX_GRACE_MS,
    MIN_GRACE_MS,
    Outcome,
    Setting,
)
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words

_PING_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SLUG: Final = re.compile(r"[a-z0-9_-]*")
_TOKEN: Final = re.compile(r"[!-~]*")

FIELDS: Final = (
    FieldSpec(
        "grace",
        FieldType.DURATION,
        "how late a ping may come, and how long a run may take",
        DEFAULT_GRACE_MS,
        lowest=MIN_GRACE_MS,
        highest=MAX_GRACE_MS,
        label="Grace",
    ),
    FieldSpec(
        "slug",
        FieldType.TEXT,
        "its name in URLs with a ping key; default: its id",
        highest=100,
        label="Slug",
    ),
    FieldSpec(
        "ping_id",
        FieldType.TEXT,
        "the id in its ping URL; made up if none is given",
        highest=36,
        label="Ping id",
    ),
    FieldSpec(
        "token",
        FieldType.TEXT,
        "another token it reports by, as Uptime Kuma and Gatus give them out",
        highest=200,
        is_secret=True,
        is_password=True,
        label="Token",
    ),
)


@dataclass(frozen=True, slots=True)
class HeartbeatSpec:
    ping_id: str
    slug: str
    token: str = ""


class HeartbeatKind:
    name: str = "heartbeat"
    label: str = words("Heartbeat (cron jobs)")
    fields: tuple[FieldSpec, ...] = FIELDS
    is_passive: bool = True

    def parse(self, settings: Mapping[str, Setting]) -> HeartbeatSpec:
        values = parse_fields(FIELDS, settings)
        ping_id = cast(str, values["ping_id"] or "")
        slug = cast(str, values["slug"] or "")
        if ping_id and not _PING_ID.fullmatch(ping_id):
            allowed = "a UUID in lower case, or none"
            raise Refused("ping_id", "{value} is no ping id", allowed, value=ping_id)
        if not _SLUG.fullmatch(slug):
            raise Refused("slug", "{value} is no slug", "a-z, 0-9, - and _", value=slug)
        token = cast(str, values["token"] or "")
        if not _TOKEN.fullmatch(token):
            raise Refused("token", "it is no token", "visible characters without spaces")
        return HeartbeatSpec(ping_id, slug, token)

    def origin(self, _spec: HeartbeatSpec) -> str:
        return ""

    def describe(self, spec: HeartbeatSpec) -> str:
        return f"/ping/{spec.ping_id}"

    async def check(self, _spec: HeartbeatSpec, _timeout_s: float) -> Outcome:
        return Outcome(Status.UNKNOWN, sentence("a heartbeat is reported, never checked"))
