"""What the demo watches: a shop, a home lab and some jobs, with the past each has had.

Every target is on loopback. Schedules, backoff policies and troubles differ, so that each shows.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from uptime_desktop.demo.server import (
    BAD_GATEWAY,
    BANNER_DELAY_MS,
    FLAPPING,
    HOST,
    PAGES,
    Addresses,
    Page,
)
from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, Setting
from uptime_desktop.domain.status import Status

SITES: Final = {"shop": "Shop", "home-lab": "Home lab", "jobs": "Jobs"}
"""Names by id, in the order they are shown."""

_CONNECT_MS: Final = 1.2
_MISSING_CA: Final = "company-ca.pem"


@dataclass(frozen=True, slots=True)
class Trouble:
    """A stretch of the past, from `ago_ms` before now, that was not well, and what was seen then.

    Without an end it lasts to this day. What `comes_and_goes` does so with the server's page.
    In a reason `{took}` stands for the response time.
    """

    ago_ms: int
    for_ms: int | None
    status: Status
    reason: str
    response_ms: float | None = None
    page: Page | None = None
    timed_out_after_ms: int | None = None
    comes_and_goes: bool = False


@dataclass(frozen=True, slots=True)
class Past:
    """How long a response usually took, what was said then, and what went wrong."""

    typical_ms: float
    reason: str = "HTTP 200 OK"
    troubles: tuple[Trouble, ...] = ()


@dataclass(frozen=True, slots=True)
class Watched:
    """A monitor by the keys of a configuration file. One without a past has never run."""

    site: str
    keys: Mapping[str, Setting]
    past: Past | None


def watched(at: Addresses, folder: Path) -> tuple[Watched, ...]:
    """All of it, on the demo's server; `folder` is where a file is missing."""
    return (*_shop(at), *_home_lab(at), *_jobs(at, folder))


def _shop(at: Addresses) -> tuple[Watched, ...]:
    return (
        Watched(
            "shop",
            {
                "name": "Storefront",
                "url": f"{at.url}/",
                "keyword": "Welcome",
                "every": "5s",
                "tags": ("prod",),
            },
            Past(180, troubles=(_refused(at.url, 9 * DAY_MS, 4 * MINUTE_MS),)),
        ),
        Watched(
            "shop",
            {
                "name": "Checkout API",
                "url": f"{at.url}/checkout/v2/health",
                "latency_threshold": "500ms",
                "every": "10s",
                "backoff_cap": "1m",
                "tags": ("pay", "prod"),
            },
            Past(
                204,
                troubles=(
                    _failing(PAGES["/checkout/v2/health"], 4 * MINUTE_MS, None),
                    _slow(19 * HOUR_MS, 16 * MINUTE_MS, 640, "500 ms"),
                    _refused(at.url, 9 * DAY_MS, 2 * MINUTE_MS),
                ),
            ),
        ),
        Watched(
            "shop",
            {
                "name": "Search",
                "url": f"{at.url}/search?q=lamp",
                "latency_threshold": "400ms",
                "every": "10s",
                "tags": ("prod",),
            },
            Past(
                170,
                troubles=(
                    _slow(90 * SECOND_MS, None, 645, "400 ms"),
                    _slow(25 * MINUTE_MS, 2 * MINUTE_MS, 520, "400 ms"),
                    _slow(5 * DAY_MS, 50 * MINUTE_MS, 610, "400 ms"),
                ),
            ),
        ),
        Watched(
            "shop",
            {
                "name": "Image CDN",
                "url": f"{at.url}/images/logo.png",
                "every": "10s",
                "cadence": "grid",
                "anchor": "2026-01-01T00:00:00Z",
            },
            Past(38),
        ),
        Watched(
            "shop",
            {
                "name": "Payments",
                "url": at.url + FLAPPING,
                "every": "10s",
                "retries": 0,
                "backoff": "fixed",
                "retry_delay": "5s",
                "tags": ("pay",),
            },
            Past(
                92,
                troubles=(
                    _failing(BAD_GATEWAY, 20 * MINUTE_MS, None, comes_and_goes=True),
                    _failing(BAD_GATEWAY, 3 * DAY_MS, 11 * MINUTE_MS),
                ),
            ),
        ),
    )


def _home_lab(at: Addresses) -> tuple[Watched, ...]:
    router, nas, vpn = (
        f"{HOST}:{port}" for port in (at.open_port, at.banner_port, at.refusing_port)
    )
    return (
        Watched(
            "home-lab",
            {"name": "Router", "kind": "tcp", "host": router, "every": "5s"},
            Past(
                _CONNECT_MS, f"connected to {router}", (_refused(router, 40 * HOUR_MS, MINUTE_MS),)
            ),
        ),
        Watched(
            "home-lab",
            {"name": "NAS", "kind": "tcp", "host": nas, "expect": "SSH-2.0", "every": "15s"},
            Past(
                _CONNECT_MS + BANNER_DELAY_MS,
                f"connected to {nas}",
                (_refused(nas, 12 * DAY_MS, 18 * MINUTE_MS),),
            ),
        ),
        Watched(
            "home-lab",
            {
                "name": "VPN gateway",
                "kind": "tcp",
                "host": vpn,
                "every": "15s",
                "backoff": "capped32",
                "max_interval": "2m",
            },
            Past(_CONNECT_MS, f"connected to {vpn}", (_refused(vpn, 11 * MINUTE_MS, None),)),
        ),
        Watched(
            "home-lab",
            {
                "name": "Old wiki",
                "url": f"{at.url}/wiki",
                "every": "15s",
                "timeout": "1s",
                "retries": 0,
                "backoff": "ladder",
            },
            Past(
                310,
                troubles=(
                    _unanswered(100 * MINUTE_MS, None),
                    _unanswered(6 * DAY_MS, 50 * MINUTE_MS),
                ),
            ),
        ),
    )


def _jobs(at: Addresses, folder: Path) -> tuple[Watched, ...]:
    ca_file = str(folder / _MISSING_CA)
    return (
        Watched(
            "jobs",
            {"name": "Invoice export", "url": f"{at.url}/jobs/invoices", "cron": "*/10 * * * * *"},
            Past(132),
        ),
        Watched(
            "jobs",
            {
                "name": "Payroll",
                "url": f"https://{HOST}:{at.open_port}/",
                "ca_file": ca_file,
                "every": "15s",
                "backoff": "none",
            },
            Past(
                64,
                troubles=(
                    Trouble(
                        3 * MINUTE_MS, None, Status.UNKNOWN, f"the CA file {ca_file} cannot be read"
                    ),
                ),
            ),
        ),
        Watched(
            "jobs",
            {"name": "Sitemap", "url": f"{at.url}/jobs/sitemap", "cron": "30 3 * * *"},
            None,
        ),
    )


def _failing(
    page: Page, ago_ms: int, for_ms: int | None, *, comes_and_goes: bool = False
) -> Trouble:
    status = page.status
    reason = "" if status is None else f"HTTP {status.value} {status.phrase}"
    return Trouble(
        ago_ms,
        for_ms,
        Status.DOWN,
        reason,
        page.delay_ms,
        page,
        comes_and_goes=comes_and_goes,
    )


def _slow(ago_ms: int, for_ms: int | None, took_ms: int, limit: str) -> Trouble:
    reason = f"took {{took}}, more than {limit}"
    return Trouble(ago_ms, for_ms, Status.DEGRADED, reason, took_ms, PAGES["/search"])


def _refused(target: str, ago_ms: int, for_ms: int | None) -> Trouble:
    where = target.removeprefix("http://")
    return Trouble(ago_ms, for_ms, Status.DOWN, f"connection refused by {where}")


def _unanswered(ago_ms: int, for_ms: int | None) -> Trouble:
    return Trouble(
        ago_ms, for_ms, Status.DOWN, "no answer within 1 s", timed_out_after_ms=SECOND_MS
    )
