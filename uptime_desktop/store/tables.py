"""The tables as they are now, for queries. What creates them stands in `migrations`.

No table is bound to a database: a query says where it runs with `execute(db)`, so that
several files, and several connections to one, can be in use at once.
"""

from peewee import (
    AutoField,
    BlobField,
    BooleanField,
    CompositeKey,
    FloatField,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)


class MetaValue(Model):
    key = TextField(primary_key=True)
    value = IntegerField()

    class Meta:
        table_name = "meta"


class SettingValue(Model):
    key = TextField(primary_key=True)
    value = TextField()

    class Meta:
        table_name = "settings"


class SiteRecord(Model):
    number = AutoField()
    id = TextField(unique=True)
    name = TextField()
    is_active = BooleanField()
    depends_on = TextField()
    alert = TextField()

    class Meta:
        table_name = "sites"


class MonitorRecord(Model):
    number = AutoField()
    id = TextField(unique=True)
    site = ForeignKeyField(SiteRecord, column_name="site")
    name = TextField()
    kind = TextField()
    definition = TextField()

    class Meta:
        table_name = "monitors"


class StateRecord(Model):
    monitor = IntegerField(primary_key=True)
    health = IntegerField()
    backoff_attempt = IntegerField()
    consecutive_failures = IntegerField()
    next_run_at = IntegerField(null=True)
    planned_slot_at = IntegerField(null=True)
    source = IntegerField()
    last_attempt_at = IntegerField(null=True)
    running_since = IntegerField(null=True)
    pause_reason = IntegerField(null=True)
    pause_until = IntegerField(null=True)
    hint_expires_at = IntegerField(null=True)
    hint_interval_ms = IntegerField(null=True)
    hint_run_at = IntegerField(null=True)
    incidents = IntegerField()
    plan_version = IntegerField()
    saved_at = IntegerField()
    beat = TextField(null=True)

    class Meta:
        table_name = "states"


class ReasonRecord(Model):
    number = AutoField()
    text = TextField(unique=True)
    used_at = IntegerField()

    class Meta:
        table_name = "reasons"


class RunRecord(Model):
    monitor = IntegerField()
    started_at = IntegerField()
    status = IntegerField()
    response_tenths = IntegerField(null=True)
    wait_ms = IntegerField()
    attempts = IntegerField()
    source = IntegerField()
    reason = IntegerField(null=True)

    class Meta:
        table_name = "runs"
        primary_key = CompositeKey("monitor", "started_at")
        without_rowid = True


class EvidenceRecord(Model):
    number = AutoField()
    monitor = IntegerField()
    is_good = BooleanField()
    started_at = IntegerField()
    document = BlobField()

    class Meta:
        table_name = "evidence"


class IncidentRecord(Model):
    number = AutoField()
    monitor = IntegerField()
    kind = IntegerField()
    severity = IntegerField()
    opened_at = IntegerField()
    resolved_at = IntegerField(null=True)
    reason = TextField()
    cascade_reason = TextField(null=True)
    acknowledged_at = IntegerField(null=True)
    snoozed_until = IntegerField(null=True)
    is_snoozed_until_recovery = BooleanField()
    note = TextField()

    class Meta:
        table_name = "incidents"


class IncidentEntryRecord(Model):
    number = AutoField()
    incident = IntegerField()
    at = IntegerField()
    act = TextField()
    text = TextField()

    class Meta:
        table_name = "incident_entries"


class PingRecord(Model):
    number = AutoField()
    monitor = IntegerField()
    at = IntegerField()
    signal = TextField()
    run_id = TextField()
    exit_code = IntegerField(null=True)
    took_ms = FloatField(null=True)
    message = TextField()
    body = TextField()

    class Meta:
        table_name = "pings"


class WindowRecord(Model):
    number = AutoField()
    id = TextField(unique=True)
    definition = TextField()

    class Meta:
        table_name = "windows"


class ChannelRecord(Model):
    number = AutoField()
    id = TextField(unique=True)
    name = TextField()
    url = TextField()
    is_on = BooleanField()

    class Meta:
        table_name = "channels"


class RollupRecord(Model):
    resolution = IntegerField()
    bucket = IntegerField()
    monitor = IntegerField()
    up = IntegerField()
    degraded = IntegerField()
    down = IntegerField()
    unknown = IntegerField()
    fastest_tenths = IntegerField(null=True)
    slowest_tenths = IntegerField(null=True)
    total_tenths = IntegerField()
    histogram = BlobField(null=True)

    class Meta:
        table_name = "rollups"
        primary_key = CompositeKey("resolution", "bucket", "monitor")
        without_rowid = True


class OpenBucketRecord(Model):
    resolution = IntegerField()
    bucket = IntegerField()
    monitor = IntegerField()

    class Meta:
        table_name = "open_buckets"
        primary_key = CompositeKey("resolution", "bucket", "monitor")
        without_rowid = True
