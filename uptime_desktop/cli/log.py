"""The log of the app: one line a thing, and no secret in any of them."""

import logging
import re
import sys
from types import TracebackType
from typing import Final

from uptime_desktop.checks.redaction import redacted

_UNSEEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Discreet(logging.Formatter):
    """Hides what is known to be secret in whatever is said, tracebacks included, and lets no
    stranger's text drive the terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return _UNSEEN.sub(lambda match: ascii(match[0])[1:-1], redacted(super().format(record)))


def start_log(level: int) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Discreet("%(asctime)s %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])
    for noisy in ("asyncio", "httpcore", "httpx", "hpack", "peewee", "qasync", "tzlocal"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    sys.excepthook = _complain


def _complain(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    logging.getLogger(__name__).critical("It failed", exc_info=(kind, error, trace))
