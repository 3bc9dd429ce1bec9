"""The group: nothing is looked at, its members say how it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from uptime_desktop.checks.base import FieldSpec, FieldType, parse_fields
from uptime_desktop.checks.failure import sentence
from uptime_desktop.domain.model import Monitor, Outcome, Setting
from uptime_desktop.domain.notation import parse_whole
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words

FIELDS: Final = (
    FieldSpec(
        "members",
        FieldType.MONITORS,
        "the ids of the monitors that belong to it",
        is_target=True,
        is_required=True,
        highest=200,
        label="Members",
    ),
    FieldSpec(
        "rule",
        FieldType.TEXT,
        "how many members must be up: all, any, or a number",
        "all",
        highest=10,
        label="Must be up",
    ),
)


@dataclass(frozen=True, slots=True)
class GroupSpec:
    """`needed` members must be up; None means all of them."""

    members: tuple[str, ...]
    needed: int | None
    rule: str


class GroupKind:
    name: str = "group"
    label: str = words("Group of monitors")
    fields: tuple[FieldSpec, ...] = FIELDS
    is_passive: bool = True

    def parse(self, settings: Mapping[str, Setting]) -> GroupSpec:
        values = parse_fields(FIELDS, settings)
        members = tuple(dict.fromkeys(cast("tuple[str, ...]", values["members"])))
        if not members:
            raise Refused("members", "there is none", "the ids of one or more monitors")
        rule = cast(str, values["rule"]).strip().lower()
        return GroupSpec(members, _needed(rule, len(members)), rule)

    def origin(self, _spec: GroupSpec) -> str:
        return ""

    def describe(self, spec: GroupSpec) -> str:
        return f"{spec.rule}: {', '.join(spec.members)}"

    async def check(self, _spec: GroupSpec, _timeout_s: float) -> Outcome:
        return Outcome(Status.UNKNOWN, sentence("a group follows its members"))


def members_of(monitor: Monitor) -> tuple[str, ...]:
    """The ids of the monitors this one follows; none unless it is a group."""
    if monitor.kind != GroupKind.name:
        return ()
    return cast("tuple[str, ...]", FIELDS[0].parse(monitor.settings.get("members", ())))


def _needed(rule: str, members: int) -> int | None:
    match rule:
        case "all":
            return None
        case "any":
            return 1
        case _ if rule.isdecimal():
            return parse_whole("rule", rule, 1, members)
    raise Refused("rule", "{value} is no rule", "all, any, or a number", value=rule)
