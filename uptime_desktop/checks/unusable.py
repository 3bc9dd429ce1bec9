"""Stands in for a kind of check that is not there, or whose settings no longer make sense."""

from collections.abc import Mapping

from uptime_desktop.checks.base import FieldSpec
from uptime_desktop.domain.model import Outcome, Setting
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words


class Unusable:
    """Every check of it says why nothing could be looked at, so that the monitor is not lost."""

    label = words("cannot be checked")
    fields: tuple[FieldSpec, ...] = ()
    is_passive = False

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self._reason = reason

    def parse(self, _settings: Mapping[str, Setting]) -> None:
        return None

    def origin(self, _spec: None) -> str:
        return ""

    def describe(self, _spec: None) -> str:
        return self._reason

    async def check(self, _spec: None, _timeout_s: float) -> Outcome:
        return Outcome(Status.UNKNOWN, self._reason)
