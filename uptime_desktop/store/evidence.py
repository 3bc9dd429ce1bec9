"""What runs saw, kept for those that failed and for a recent good one to compare with."""

import sqlite3
import zlib
from typing import Final

import msgspec
from peewee import SqliteDatabase

from uptime_desktop.domain.model import HOUR_MS, Evidence
from uptime_desktop.store.tables import EvidenceRecord

KEPT_FAILURES: Final = 20
"""Per monitor; older ones go."""

GOOD_EVERY_MS: Final = HOUR_MS
"""How long a good run's evidence may be in memory alone: it is large, and much like the last."""

_MOST_BYTES: Final = 1024 * 1024
_PRUNE: Final = """
DELETE FROM evidence WHERE monitor = ?1 AND is_good = ?2 AND started_at < (
    SELECT started_at FROM evidence WHERE monitor = ?1 AND is_good = ?2
    ORDER BY started_at DESC LIMIT 1 OFFSET ?3)
"""


def keep(
    connection: sqlite3.Connection,
    monitor_number: int,
    started_at: int,
    evidence: Evidence,
    *,
    is_good: bool,
) -> None:
    """Store the evidence of a run and drop what is then too old."""
    connection.execute(
        "INSERT OR REPLACE INTO evidence (monitor, is_good, started_at, document)"
        " VALUES (?, ?, ?, ?)",
        (monitor_number, is_good, started_at, packed(evidence)),
    )
    kept = 1 if is_good else KEPT_FAILURES
    connection.execute(_PRUNE, (monitor_number, is_good, kept - 1))


def evidence_of(db: SqliteDatabase, monitor_number: int, started_at: int) -> Evidence | None:
    """What the run that started then saw, if it is still kept."""
    wanted = EvidenceRecord.select(EvidenceRecord.document).where(
        EvidenceRecord.monitor == monitor_number,
        EvidenceRecord.is_good.in_((False, True)),
        EvidenceRecord.started_at == started_at,
    )
    for (document,) in wanted.tuples().execute(db):
        return unpacked(bytes(document))
    return None


def last_good(db: SqliteDatabase, monitor_number: int) -> tuple[int, Evidence] | None:
    """When the kept good run started and what it saw."""
    wanted = EvidenceRecord.select(EvidenceRecord.started_at, EvidenceRecord.document).where(
        EvidenceRecord.monitor == monitor_number,
        EvidenceRecord.is_good == True,  # noqa: E712
    )
    for started_at, document in wanted.tuples().execute(db):
        return int(started_at), unpacked(bytes(document))
    return None


def packed(evidence: Evidence) -> bytes:
    """JSON, compressed where that is shorter; the first byte tells which."""
    document = msgspec.json.encode(evidence)
    compressed = zlib.compress(document, 6)
    return compressed if len(compressed) < len(document) else document


def unpacked(document: bytes) -> Evidence:
    """What was packed; of what a restored file holds that nobody packed, nothing."""
    try:
        text = document
        if not document.startswith(b"{"):
            text = zlib.decompressobj().decompress(document, _MOST_BYTES)
        return msgspec.json.decode(text, type=Evidence)
    except (zlib.error, msgspec.DecodeError):
        return Evidence()
