"""The life of one check that most kinds share: look, judge, and keep what was seen."""

import asyncio
from collections.abc import Awaitable, Callable

from uptime_desktop.checks.base import leave_evidence
from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.trail import Trail
from uptime_desktop.domain.model import Evidence, Outcome
from uptime_desktop.domain.status import Status


async def looked(
    trail: Trail,
    look: Awaitable[tuple[Status, str]],
    evidence: Callable[[float], Evidence],
) -> Outcome:
    """However the look ends, an outcome; `evidence` is asked once, with the milliseconds it took.

    A response time is told only where the target answered.
    """
    try:
        status, reason = await look
    except Failed as failed:
        return Outcome(failed.status, failed.reason, evidence=evidence(trail.finish()))
    except asyncio.CancelledError as stop:
        leave_evidence(stop, evidence(trail.finish()))
        raise
    total_ms = trail.finish()
    return Outcome(status, reason, total_ms, evidence=evidence(total_ms))
