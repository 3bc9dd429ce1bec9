"""How a job reports to us, ready to be copied; no widgets here."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from uptime_desktop.domain.model import DAY_MS, HOUR_MS, MINUTE_MS, Cron, Every, Monitor
from uptime_desktop.gui.own_addresses import reachable
from uptime_desktop.i18n import tr

_CURL: Final = "curl -fsS -m 10 --retry 5 -o /dev/null"
_JOB: Final = "/path/to/job"
_NIGHTLY: Final = "0 3 * * *"
_FIELDS: Final = 5


def reachable_url(url: str) -> str:
    """The same address as another program has to write it."""
    parts = urlsplit(url)
    host = reachable(parts.hostname or "")
    shown = f"[{host}]" if ":" in host else host
    return urlunsplit(parts._replace(netloc=f"{shown}:{parts.port}"))


def ping_lines(monitor: Monitor, url: str) -> Sequence[tuple[str, str]]:
    """What each line is for, and the line."""
    when = crontab_times(monitor)
    wrapped = f"{_CURL} {url}/start; {_JOB}; {_CURL} {url}/$?"
    return (
        (tr("From a shell"), f"{_CURL} {url}"),
        (tr("In a crontab"), f"{when} {_JOB} && {_CURL} {url}"),
        (tr("With start and exit code"), wrapped),
    )


def crontab_times(monitor: Monitor) -> str:
    """When a job runs that is expected like this; at night where a crontab cannot say it."""
    match monitor.schedule:
        case Cron(expression=expression) if len(expression.text.split()) == _FIELDS:
            return expression.text
        case Every(interval_ms=every_ms) if every_ms < HOUR_MS and HOUR_MS % every_ms == 0:
            minutes = every_ms // MINUTE_MS
            return f"*/{minutes} * * * *" if minutes > 1 else "* * * * *"
        case Every(interval_ms=every_ms) if every_ms < DAY_MS and DAY_MS % every_ms == 0:
            hours = every_ms // HOUR_MS
            return f"0 */{hours} * * *" if hours > 1 else "0 * * * *"
    return _NIGHTLY
