"""Exports of Uptime-Watcher, of now and of its beginnings, and how tests read them."""

from pathlib import Path
from typing import Any

from tests.exchange.source import written
from uptime_desktop.domain.model import DAY_MS, MINUTE_MS
from uptime_desktop.domain.notation import parse_instant
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers.uptime_watcher import read
from uptime_desktop.exchange.report import Line

NOW = parse_instant("now", "2026-11-18T12:00:00Z")


def monitor(kind: str, **given: object) -> dict[str, Any]:
    return {
        "id": f"{kind}-1",
        "type": kind,
        "checkInterval": 60_000,
        "timeout": 10_000,
        "retryAttempts": 2,
        "monitoring": True,
        "status": "up",
        "responseTime": 31,
        "lastChecked": "2026-11-18T11:59:00.000Z",
        "activeOperations": [],
        "history": [],
        **given,
    }


def entry(age_ms: int, status: str, took: float = 12.5, **given: object) -> dict[str, object]:
    return {"timestamp": NOW - age_ms, "status": status, "responseTime": took, **given}


CURRENT: dict[str, Any] = {
    "exportedAt": "2026-11-18T12:00:00.000Z",
    "version": "1.0",
    "checksum": "2f5a",
    "settings": {
        "historyLimit": "500",
        "cloud.dropbox.refresh": "sl.hidden-token",
        "theme": "dark",
    },
    "sites": [
        {
            "identifier": "9d2f7f5e-2b6b-4a55-9bb0-3f3d5fdc8ff1",
            "name": "Shop",
            "monitoring": True,
            "monitors": [
                monitor(
                    "http",
                    url="https://ann:hunter2@shop.example/",
                    followRedirects=False,
                    history=[
                        entry(3 * MINUTE_MS, "up", details="200"),
                        entry(2 * MINUTE_MS, "down", -1, details="HTTP 503"),
                        entry(MINUTE_MS, "degraded", 900),
                        entry(40 * DAY_MS, "up"),
                    ],
                ),
                monitor("http-status", url="https://shop.example/gone", expectedStatusCode=410),
                monitor(
                    "http-keyword",
                    url="https://shop.example/",
                    bodyKeyword="Hello (world)",
                    status="paused",
                ),
                monitor(
                    "http-header",
                    url="https://shop.example/",
                    headerName="Cache-Control",
                    expectedHeaderValue="no-cache, max-age=0",
                ),
                monitor(
                    "http-json",
                    url="https://shop.example/health",
                    jsonPath="data.items[0].full-name",
                    expectedJsonValue="ok",
                ),
                monitor("http-latency", url="https://shop.example/", maxResponseTime=750),
                monitor("port", host="db.shop.example", port=5432, monitoring=False),
                monitor("ping", host="192.0.2.7"),
                monitor("dns", host="shop.example", recordType="A", expectedValue="192.0.2.7"),
                monitor("ssl", host="shop.example", port=443, certificateWarningDays=30),
                monitor("websocket-keepalive", url="wss://shop.example/live", maxPongDelayMs=1500),
                monitor(
                    "server-heartbeat",
                    url="https://shop.example/beat",
                    heartbeatStatusField="node.state",
                    heartbeatTimestampField="node.at",
                    heartbeatExpectedStatus="running",
                    heartbeatMaxDriftSeconds=60,
                ),
                monitor(
                    "replication",
                    primaryStatusUrl="https://a.example/",
                    replicaStatusUrl="https://b.example/",
                    replicationTimestampField="at",
                    maxReplicationLagSeconds=5,
                ),
                monitor(
                    "cdn-edge-consistency",
                    baselineUrl="https://a.example/",
                    edgeLocations="https://b.example/,https://c.example/",
                ),
            ],
        },
        {"identifier": "quiet", "name": "Quiet", "monitoring": False, "monitors": []},
    ],
}
OLD: dict[str, Any] = {
    "settings": {"historyLimit": "100"},
    "sites": [
        {
            "identifier": "old.example",
            "monitors": [
                {
                    "id": "1",
                    "type": "http",
                    "url": "http://old.example/",
                    "status": "down",
                    "history": [{"timestamp": NOW - 5, "status": "down", "responseTime": 0}],
                }
            ],
        },
        {"identifier": "bare"},
    ],
}


def read_from(folder: Path, source: object) -> Found:
    return read(written(folder, source), NOW)


def read_one(folder: Path, **given: object) -> Found:
    made = monitor("http", url="https://shop.example/") | given
    return read_from(folder, {"sites": [{"identifier": "s", "monitors": [made]}]})


def line(found: Found, path: str) -> Line:
    return next(one for one in found.report.lines if one.path == path)


def of_monitor(found: Found, key: str) -> Line:
    return line(found, f"sites[0].monitors[0].{key}")
