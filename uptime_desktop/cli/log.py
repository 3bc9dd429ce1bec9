"""The log of the app: one line a thing, and no secret in any of them."""

import logging
import sys
from types import TracebackType

from uptime_desktop.checks.redaction import redacted


class Discreet(logging.Formatter):
    """Hides what is known to be secret in whatever is said, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        return redacted(super().format(record))


def start_log(level: int) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Discreet("%(asctime)s %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])
    for noisy in ("asyncio", "httpcore", "httpx", "hpack", "peewee", "qasync", "tzlocal"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    sys.excepthook = _complain


def _complain(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    logging.getLogger(__name__).critical("It failed", exc_info=(kind, error, trace))
