PRAGMA page_size = 512;
PRAGMA application_id = 1433429108;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE evidence (
    number INTEGER PRIMARY KEY,
    monitor INTEGER NOT NULL REFERENCES monitors (number) ON DELETE CASCADE,
    is_good INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    document BLOB NOT NULL,
    UNIQUE (monitor, is_good, started_at)
);
INSERT INTO "evidence" VALUES(1,1,0,1790000000000,X'789CED93C16AC3300C865FC5E89CDA75DA3016CACE3B0ED29D4208AEADCD06C736B6DA358CBDFB1CF61483DEF4FDBFA4FF227D03B9C585CF322F05FA7104130A3492775333024552BE52BBE76D374D0D28633296DA08F2B9E555E54FFDF17880060A29BA96D9BB80D57D3D9FDF84E49275FB031B30DF9C46F61ED44D39AF2E1EEB80456530FF65EA180803ED684D9B4578276169F1B0655EA259EBCA93952F43CC793D895A3DE841FF87EA4D6BCCE43E9C56B4FD4715322654347F39B255D0D7ECD9AE0CCC12A5D20B516C4C1CEF6A491E05FCFC024B1A2979');
CREATE TABLE incidents (
    number INTEGER PRIMARY KEY,
    monitor INTEGER NOT NULL REFERENCES monitors (number) ON DELETE CASCADE,
    kind INTEGER NOT NULL,
    severity INTEGER NOT NULL,
    opened_at INTEGER NOT NULL,
    resolved_at INTEGER,
    reason TEXT NOT NULL,
    cascade_reason TEXT,
    acknowledged_at INTEGER,
    snoozed_until INTEGER,
    is_snoozed_until_recovery INTEGER NOT NULL DEFAULT 0,
    note TEXT NOT NULL DEFAULT ''
);
INSERT INTO "incidents" VALUES(1,1,1,2,1790000000000,NULL,'refused',NULL,NULL,NULL,0,'');
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO "meta" VALUES('in_use',0);
INSERT INTO "meta" VALUES('last_alive_at',1790000000000);
CREATE TABLE monitors (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    site INTEGER NOT NULL REFERENCES sites (number),
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    definition TEXT NOT NULL
);
INSERT INTO "monitors" VALUES(1,'home',1,'Home','http','{"every":"60s","url":"https://home.example/"}');
INSERT INTO "monitors" VALUES(2,'mail',1,'Mail','http','{"every":"60s","url":"https://mail.example/"}');
CREATE TABLE open_buckets (
    resolution INTEGER NOT NULL,
    bucket INTEGER NOT NULL,
    monitor INTEGER NOT NULL,
    PRIMARY KEY (resolution, bucket, monitor)
) WITHOUT ROWID;
INSERT INTO "open_buckets" VALUES(0,5966666,1);
CREATE TABLE outbox (
    number INTEGER PRIMARY KEY,
    incident INTEGER NOT NULL REFERENCES incidents (number) ON DELETE CASCADE,
    is_recovery INTEGER NOT NULL,
    happened_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    next_try_at INTEGER NOT NULL,
    sent_at INTEGER,
    last_error TEXT NOT NULL DEFAULT ''
);
INSERT INTO "outbox" VALUES(1,1,0,1790000000000,0,1790000000000,NULL,'');
CREATE TABLE reasons (
    number INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
);
INSERT INTO "reasons" VALUES(1,'refused');
CREATE TABLE rollups (
    resolution INTEGER NOT NULL,
    bucket INTEGER NOT NULL,
    monitor INTEGER NOT NULL,
    up INTEGER NOT NULL,
    degraded INTEGER NOT NULL,
    down INTEGER NOT NULL,
    unknown INTEGER NOT NULL,
    fastest_tenths INTEGER,
    slowest_tenths INTEGER,
    total_tenths INTEGER NOT NULL,
    histogram BLOB,
    PRIMARY KEY (resolution, bucket, monitor)
) WITHOUT ROWID;
CREATE TABLE runs (
    monitor INTEGER NOT NULL REFERENCES monitors (number) ON DELETE CASCADE,
    started_at INTEGER NOT NULL,
    status INTEGER NOT NULL,
    response_tenths INTEGER,
    wait_ms INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    source INTEGER NOT NULL,
    reason INTEGER REFERENCES reasons (number),
    PRIMARY KEY (monitor, started_at)
) WITHOUT ROWID;
INSERT INTO "runs" VALUES(1,1789999940000,0,125,3,1,0,NULL);
INSERT INTO "runs" VALUES(1,1790000000000,1,NULL,3,1,0,1);
CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "settings" VALUES('language','"en"');
CREATE TABLE sites (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    is_active INTEGER NOT NULL
);
INSERT INTO "sites" VALUES(1,'shop','Shop',1);
CREATE TABLE states (
    monitor INTEGER PRIMARY KEY REFERENCES monitors (number) ON DELETE CASCADE,
    health INTEGER NOT NULL,
    backoff_attempt INTEGER NOT NULL,
    consecutive_failures INTEGER NOT NULL,
    next_run_at INTEGER,
    planned_slot_at INTEGER,
    source INTEGER NOT NULL,
    last_attempt_at INTEGER,
    running_since INTEGER,
    pause_reason INTEGER,
    pause_until INTEGER,
    hint_expires_at INTEGER,
    hint_interval_ms INTEGER,
    hint_run_at INTEGER,
    incidents INTEGER NOT NULL,
    plan_version INTEGER NOT NULL,
    saved_at INTEGER NOT NULL
);
INSERT INTO "states" VALUES(1,1,1,1,1790000060000,NULL,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,1,1790000000000);
INSERT INTO "states" VALUES(2,4,0,0,NULL,NULL,0,NULL,1789999990000,NULL,NULL,NULL,NULL,NULL,0,1,1790000000000);
CREATE INDEX monitors_site ON monitors (site);
CREATE INDEX runs_reason ON runs (reason) WHERE reason IS NOT NULL;
CREATE UNIQUE INDEX incidents_open ON incidents (monitor, kind) WHERE resolved_at IS NULL;
CREATE INDEX incidents_monitor ON incidents (monitor, opened_at);
CREATE INDEX incidents_opened ON incidents (opened_at);
CREATE INDEX outbox_pending ON outbox (next_try_at) WHERE sent_at IS NULL;
CREATE INDEX outbox_incident ON outbox (incident);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('monitors',2);
COMMIT;
