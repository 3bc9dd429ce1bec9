"""The programs that people move in from, by the names that commands know them by."""

from collections.abc import Mapping
from typing import Final

PROGRAMS: Final[Mapping[str, str]] = {
    "uptime-kuma": "Uptime Kuma",
    "gatus": "Gatus",
    "healthchecks": "Healthchecks",
    "uptime-watcher": "Uptime-Watcher",
}
