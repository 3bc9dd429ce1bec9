"""What was expected and what was found instead, weighed into one outcome."""

from typing import Final

from uptime_desktop.checks.failure import sentence
from uptime_desktop.checks.net.certificate import Certificate
from uptime_desktop.checks.net.trust import days_left
from uptime_desktop.domain.model import Unmet
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import duration_text

_MOST_SHOWN: Final = 200


class Verdict:
    """Every expectation that was not met is named; the worst of them decides."""

    __slots__ = ("_reasons", "status", "unmet")

    def __init__(self) -> None:
        self.status = Status.UP
        self.unmet: list[Unmet] = []
        self._reasons: list[str] = []

    def miss(
        self, reason: str, what: str, expected: str, actual: str, status: Status = Status.DOWN
    ) -> None:
        """Note that `what` was not as expected, with the sentence people read."""
        if self.status is not Status.DOWN:
            self.status = status
        self._reasons.append(reason)
        self.unmet.append(Unmet(what, _cut(expected), _cut(actual)))

    def judged(self, said: str) -> tuple[Status, str]:
        """The status with every reason for it; `said` where all is well."""
        return self.status, "; ".join(self._reasons) or said

    def expect_fast(self, took_ms: float, threshold_ms: int | None) -> None:
        if threshold_ms is None or took_ms <= threshold_ms:
            return
        took, limit = duration_text(round(took_ms)), duration_text(threshold_ms)
        reason = sentence("took {took}, more than {limit}", took=took, limit=limit)
        self.miss(reason, "latency", f"<= {limit}", took, Status.DEGRADED)

    def expect_days(self, certificate: Certificate | None, least: int, now_s: float) -> None:
        """A certificate that runs out soon is a reason to act, not an outage."""
        if certificate is None or not least:
            return
        days = days_left(certificate, now_s)
        if days >= least:
            return
        if days < 0:
            reason = sentence("certificate has expired")
        elif days < 1:
            reason = sentence("certificate expires within a day")
        else:
            reason = sentence("certificate expires in {days} days", days=days)
        self.miss(reason, "certificate", f">= {least} days", f"{days} days", Status.DEGRADED)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…"
