"""Files of Uptime Kuma, as its versions write them."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

NOW = 1_770_000_000_000
"""2026-02-02T02:40:00Z"""

MONITOR_V1_23 = """
    id INTEGER PRIMARY KEY AUTOINCREMENT, name VARCHAR(150), active BOOLEAN DEFAULT 1 NOT NULL,
    user_id INTEGER, interval INTEGER DEFAULT 20 NOT NULL, url TEXT, type VARCHAR(20),
    weight INTEGER DEFAULT 2000, hostname VARCHAR(255), port INTEGER,
    created_date DATETIME DEFAULT (DATETIME('now')) NOT NULL, keyword VARCHAR(255),
    maxretries INTEGER NOT NULL DEFAULT 0, ignore_tls BOOLEAN DEFAULT 0 NOT NULL,
    upside_down BOOLEAN DEFAULT 0 NOT NULL, maxredirects INTEGER DEFAULT 10 NOT NULL,
    accepted_statuscodes_json TEXT DEFAULT '["200-299"]' NOT NULL, dns_resolve_type VARCHAR(5),
    dns_resolve_server VARCHAR(255), dns_last_result VARCHAR(255),
    retry_interval INTEGER DEFAULT 0 NOT NULL, push_token VARCHAR(20) DEFAULT NULL,
    method TEXT DEFAULT 'GET' NOT NULL, body TEXT DEFAULT NULL, headers TEXT DEFAULT NULL,
    basic_auth_user TEXT DEFAULT NULL, basic_auth_pass TEXT DEFAULT NULL, docker_host INTEGER,
    docker_container VARCHAR(255), proxy_id INTEGER, expiry_notification BOOLEAN DEFAULT 1,
    mqtt_topic TEXT, mqtt_success_message VARCHAR(255), mqtt_username VARCHAR(255),
    mqtt_password VARCHAR(255), database_connection_string VARCHAR(2000), database_query TEXT,
    auth_method VARCHAR(250), auth_domain TEXT, auth_workstation TEXT, grpc_url VARCHAR(255),
    grpc_protobuf TEXT, grpc_body TEXT, grpc_metadata TEXT, grpc_method TEXT,
    grpc_service_name TEXT, grpc_enable_tls BOOLEAN DEFAULT 0 NOT NULL,
    radius_username VARCHAR(255), radius_password VARCHAR(255),
    radius_calling_station_id VARCHAR(50), radius_called_station_id VARCHAR(50),
    radius_secret VARCHAR(255), resend_interval INTEGER DEFAULT 0 NOT NULL,
    packet_size INTEGER DEFAULT 56 NOT NULL, game VARCHAR(255), http_body_encoding VARCHAR(25),
    description TEXT, tls_ca TEXT, tls_cert TEXT, tls_key TEXT, parent INTEGER,
    invert_keyword BOOLEAN DEFAULT 0 NOT NULL, json_path TEXT, expected_value VARCHAR(255),
    kafka_producer_topic VARCHAR(255), kafka_producer_brokers TEXT,
    kafka_producer_sasl_options TEXT, kafka_producer_message TEXT, oauth_client_id TEXT,
    oauth_client_secret TEXT, oauth_token_url TEXT, oauth_scopes TEXT, oauth_auth_method TEXT,
    timeout DOUBLE DEFAULT 0 NOT NULL, gamedig_given_port_only BOOLEAN DEFAULT 1 NOT NULL,
    kafka_producer_ssl BOOLEAN DEFAULT 0 NOT NULL,
    kafka_producer_allow_auto_topic_creation BOOLEAN DEFAULT 0 NOT NULL
"""
MONITOR_V2_0 = """,
    mqtt_check_type VARCHAR(255) DEFAULT 'keyword' NOT NULL, remote_browser INTEGER,
    snmp_oid VARCHAR(255), snmp_version VARCHAR(5) DEFAULT '2c', json_path_operator VARCHAR(255),
    cache_bust BOOLEAN DEFAULT 0 NOT NULL, conditions TEXT DEFAULT '[]' NOT NULL,
    rabbitmq_nodes TEXT, rabbitmq_username VARCHAR(255), rabbitmq_password VARCHAR(255),
    smtp_security VARCHAR(255), ip_family VARCHAR(4), manual_status INTEGER,
    ping_count INTEGER DEFAULT 1 NOT NULL, ping_numeric BOOLEAN DEFAULT 1 NOT NULL,
    ping_per_request_timeout INTEGER DEFAULT 2 NOT NULL, oauth_audience VARCHAR(255),
    mqtt_websocket_path VARCHAR(255), ws_ignore_sec_websocket_accept_header BOOLEAN DEFAULT 0,
    ws_subprotocol VARCHAR(255) DEFAULT '' NOT NULL
"""
COMMON = """
CREATE TABLE notification (id INTEGER PRIMARY KEY, name VARCHAR(255), config TEXT,
    active BOOLEAN DEFAULT 1 NOT NULL, user_id INTEGER, is_default BOOLEAN DEFAULT 0 NOT NULL);
CREATE TABLE monitor_notification (id INTEGER PRIMARY KEY, monitor_id INTEGER NOT NULL,
    notification_id INTEGER NOT NULL);
CREATE TABLE proxy (id INTEGER PRIMARY KEY, user_id INT, protocol VARCHAR(10), host VARCHAR(255),
    port SMALLINT, auth BOOLEAN, username VARCHAR(255), password VARCHAR(255),
    active BOOLEAN DEFAULT 1, "default" BOOLEAN DEFAULT 0, created_date DATETIME);
CREATE TABLE tag (id INTEGER PRIMARY KEY, name VARCHAR(255), color VARCHAR(255),
    created_date DATETIME);
CREATE TABLE monitor_tag (id INTEGER PRIMARY KEY, monitor_id INTEGER, tag_id INTEGER, value TEXT);
CREATE TABLE maintenance (id INTEGER PRIMARY KEY, title VARCHAR(150), description TEXT,
    user_id INTEGER, active BOOLEAN DEFAULT 1, strategy VARCHAR(50) DEFAULT 'single',
    start_date DATETIME, end_date DATETIME, start_time TIME, end_time TIME,
    weekdays VARCHAR(250) DEFAULT '[]', days_of_month TEXT DEFAULT '[]', interval_day INTEGER,
    cron TEXT, timezone VARCHAR(255), duration INTEGER, last_start_date DATETIME);
CREATE TABLE monitor_maintenance (id INTEGER PRIMARY KEY, monitor_id INTEGER,
    maintenance_id INTEGER);
CREATE TABLE maintenance_status_page (id INTEGER PRIMARY KEY, status_page_id INTEGER,
    maintenance_id INTEGER);
CREATE TABLE status_page (id INTEGER PRIMARY KEY, slug VARCHAR(255), title VARCHAR(255));
CREATE TABLE setting (id INTEGER PRIMARY KEY, "key" VARCHAR(200), value TEXT, type VARCHAR(20));
CREATE TABLE user (id INTEGER PRIMARY KEY, username VARCHAR(255), password VARCHAR(255));
"""
HEARTBEAT_V1_23 = """
CREATE TABLE heartbeat (id INTEGER PRIMARY KEY AUTOINCREMENT, important BOOLEAN DEFAULT 0,
    monitor_id INTEGER NOT NULL, status SMALLINT NOT NULL, msg TEXT, time DATETIME NOT NULL,
    ping INTEGER, duration INTEGER DEFAULT 0 NOT NULL, down_count INTEGER DEFAULT 0 NOT NULL);
CREATE INDEX monitor_time_index ON heartbeat (monitor_id, time);
"""
STATISTICS_V2_0 = """
ALTER TABLE heartbeat ADD COLUMN end_time DATETIME;
ALTER TABLE heartbeat ADD COLUMN retries INTEGER DEFAULT 0 NOT NULL;
""" + "".join(
    f"""CREATE TABLE stat_{unit} (id INTEGER PRIMARY KEY AUTOINCREMENT,
    monitor_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, ping FLOAT NOT NULL,
    up SMALLINT NOT NULL, down SMALLINT NOT NULL, ping_min FLOAT DEFAULT 0 NOT NULL,
    ping_max FLOAT DEFAULT 0 NOT NULL, extras TEXT);
CREATE UNIQUE INDEX stat_{unit}_unique ON stat_{unit} (monitor_id, timestamp);
"""
    for unit in ("minutely", "hourly", "daily")
)


def create(path: Path, version: int) -> sqlite3.Connection:
    """An empty database of version 1.23 or 2.0."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    more = MONITOR_V2_0 if version == 2 else ""
    connection.executescript(f"CREATE TABLE monitor ({MONITOR_V1_23}{more});" + COMMON)
    connection.executescript(HEARTBEAT_V1_23 + (STATISTICS_V2_0 if version == 2 else ""))
    return connection


def insert(connection: sqlite3.Connection, table: str, *rows: Mapping[str, Any]) -> None:
    for row in rows:
        names = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(row.values()))
    connection.commit()


def time_text(at: int) -> str:
    """As Uptime Kuma writes it, in UTC."""
    with sqlite3.connect(":memory:") as connection:
        sql = "SELECT strftime('%Y-%m-%d %H:%M:%S', ? / 1000, 'unixepoch') || printf('.%03d', ?)"
        text = str(connection.execute(sql, (at, at % 1000)).fetchone()[0])
    connection.close()
    return text


def leaves(path: str, value: object) -> Iterable[str]:
    """Where each single value of a document stands."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(f"{path}.{key}" if path else key, inner)
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from leaves(f"{path}[{at}]", inner)
    else:
        yield path


def unreported(document: object, paths: Iterable[str]) -> list[str]:
    """The places of a document that no line of a report speaks of."""
    known = set(paths)

    def is_known(leaf: str) -> bool:
        ends = [at for at, one in enumerate(leaf) if one in ".["]
        return leaf in known or any(leaf[:end] in known for end in ends)

    return [leaf for leaf in leaves("", document) if not is_known(leaf)]


SECRETS = ("hunter2", "s3cret-token", "pushtoken00", "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw")

MONITOR = {
    "id": 1,
    "name": "Shop",
    "description": None,
    "pathName": "Production / Shop",
    "parent": 10,
    "childrenIDs": [],
    "url": "https://shop.example/health?x=1",
    "method": "POST",
    "hostname": None,
    "port": None,
    "maxretries": 3,
    "weight": 2000,
    "active": True,
    "forceInactive": False,
    "type": "keyword",
    "timeout": 48,
    "interval": 60,
    "retryInterval": 20,
    "resendInterval": 10,
    "keyword": "all fine",
    "invertKeyword": False,
    "expiryNotification": True,
    "ignoreTls": False,
    "upsideDown": False,
    "packetSize": 56,
    "maxredirects": 10,
    "accepted_statuscodes": ["200-299", "301"],
    "dns_resolve_type": "A",
    "dns_resolve_server": "1.1.1.1",
    "dns_last_result": None,
    "docker_container": "",
    "docker_host": None,
    "proxyId": 1,
    "notificationIDList": {"1": True, "9": True},
    "tags": [
        {"id": 1, "monitor_id": 1, "tag_id": 1, "value": "eu", "name": "region", "color": "#ff0"},
        {"id": 2, "monitor_id": 1, "tag_id": 2, "value": "", "name": "paid", "color": "#f00"},
    ],
    "maintenance": False,
    "mqttTopic": "",
    "mqttSuccessMessage": "",
    "databaseQuery": None,
    "authMethod": "basic",
    "grpcUrl": None,
    "grpcProtobuf": None,
    "grpcMethod": None,
    "grpcServiceName": None,
    "grpcEnableTls": False,
    "radiusCalledStationId": None,
    "radiusCallingStationId": None,
    "game": None,
    "gamedigGivenPortOnly": True,
    "httpBodyEncoding": "json",
    "jsonPath": None,
    "expectedValue": None,
    "kafkaProducerTopic": None,
    "kafkaProducerBrokers": [],
    "kafkaProducerSsl": False,
    "kafkaProducerAllowAutoTopicCreation": False,
    "kafkaProducerMessage": None,
    "screenshot": None,
    "headers": '{"X-Api-Key": "s3cret-token", "X-Trace": 7}',
    "body": '{"password": "hunter2"}',
    "grpcBody": None,
    "grpcMetadata": None,
    "basic_auth_user": "monitor",
    "basic_auth_pass": "hunter2",
    "oauth_client_id": None,
    "oauth_client_secret": None,
    "oauth_token_url": None,
    "oauth_scopes": None,
    "oauth_auth_method": "client_secret_basic",
    "pushToken": None,
    "databaseConnectionString": None,
    "radiusUsername": None,
    "radiusPassword": None,
    "radiusSecret": None,
    "mqttUsername": "",
    "mqttPassword": "",
    "authWorkstation": None,
    "authDomain": None,
    "tlsCa": None,
    "tlsCert": None,
    "tlsKey": None,
    "kafkaProducerSaslOptions": {"mechanism": "None"},
    "includeSensitiveData": True,
}


def monitor(number: int, name: str, kind: str, **more: Any) -> dict[str, Any]:
    """One of version 1.23 with little of its own."""
    plain: dict[str, Any] = {
        "parent": None,
        "url": "https://",
        "method": "GET",
        "keyword": None,
        "proxyId": None,
        "notificationIDList": {},
        "tags": [],
        "authMethod": None,
        "headers": None,
        "body": None,
        "basic_auth_user": None,
        "basic_auth_pass": None,
        "maxretries": 0,
        "resendInterval": 0,
        "retryInterval": 60,
        "expiryNotification": False,
    }
    return {**deepcopy(MONITOR), **plain, "id": number, "name": name, "type": kind, **more}


def backup() -> dict[str, Any]:
    """A backup of version 1.23 with a bit of everything."""
    return {
        "version": "1.23.16",
        "notificationList": [
            {
                "id": 1,
                "name": "Night watch",
                "active": True,
                "userId": 1,
                "isDefault": True,
                "config": json.dumps(
                    {
                        "name": "Night watch",
                        "type": "telegram",
                        "isDefault": True,
                        "telegramBotToken": "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
                        "telegramChatID": "-1001234",
                        "applyExisting": True,
                    }
                ),
            },
            {
                "id": 2,
                "name": "Old pager",
                "active": False,
                "userId": 1,
                "isDefault": False,
                "config": '{"type": "lunasea", "lunaseaDevice": "s3cret-token"}',
            },
        ],
        "proxyList": [
            {
                "id": 1,
                "userId": 1,
                "protocol": "socks5",
                "host": "proxy.example",
                "port": 1080,
                "auth": True,
                "username": "me",
                "password": "hunter2",
                "active": True,
                "default": False,
                "createdDate": "2023-01-01 00:00:00",
            }
        ],
        "monitorList": [
            deepcopy(MONITOR),
            monitor(2, "Gateway", "ping", hostname="192.0.2.1", parent=11, packetSize=100),
            monitor(3, "SSH", "port", hostname="host.example", port=22, active=False),
            monitor(
                4,
                "Names",
                "dns",
                hostname="shop.example",
                dns_resolve_type="MX",
                dns_resolve_server="9.9.9.9, 1.1.1.1",
                port=5353,
            ),
            monitor(5, "Nightly", "push", pushToken="pushtoken00", interval=86_400, maxretries=2),
            monitor(
                6,
                "Status API",
                "json-query",
                url="https://api.example/",
                jsonPath="$.data[0].status",
                expectedValue="ok",
                maxredirects=0,
                ignoreTls=True,
            ),
            monitor(
                7,
                "Database",
                "postgres",
                databaseConnectionString="postgres://u:hunter2@db.example:5433/x",
                databaseQuery="SELECT 1",
            ),
            monitor(8, "Container", "docker", docker_container="web", docker_host=1),
            monitor(9, "Reversed", "http", url="https://closed.example/", upsideDown=True),
            monitor(10, "Production", "group"),
            monitor(11, "Network", "group", parent=10, active=False),
            monitor(12, "Empty", "group"),
        ],
    }


OLD_BACKUP: Mapping[str, Any] = {
    "version": "1.6.3",
    "notificationList": [
        {
            "id": 1,
            "name": "Chat",
            "config": '{"name":"Chat","type":"discord",'
            '"discordWebhookUrl":"https://discord.com/api/webhooks/1234567890/s3cret-token"}',
            "active": 1,
            "userId": 1,
            "isDefault": 0,
        }
    ],
    "monitorList": {
        "1": {
            "id": 1,
            "name": "Blog",
            "url": "https://blog.example/",
            "hostname": None,
            "port": None,
            "maxretries": 0,
            "weight": 2000,
            "active": 1,
            "type": "http",
            "interval": 60,
            "keyword": None,
            "ignoreTls": False,
            "upsideDown": False,
            "maxredirects": 10,
            "accepted_statuscodes": ["200-299"],
            "dns_resolve_type": "A",
            "dns_resolve_server": "1.1.1.1",
            "notificationIDList": {"1": True},
        }
    },
}
