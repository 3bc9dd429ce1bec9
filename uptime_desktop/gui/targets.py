"""What a monitor is about, in a line: its address, or who it follows, or when it reports."""

from collections.abc import Mapping

from uptime_desktop.app import App
from uptime_desktop.checks.group import members_of
from uptime_desktop.domain.dependencies import site_name
from uptime_desktop.domain.model import Monitor
from uptime_desktop.domain.wording import duration_text
from uptime_desktop.gui.figures import interval_text
from uptime_desktop.i18n import tr


def target_text(app: App, monitor: Monitor, names: Mapping[str, str]) -> str:
    """`names` are those of all monitors by id: nobody knows the others by anything else."""
    if monitor.grace_ms is not None:
        return tr("heartbeat · {interval} + {grace}").format(
            interval=interval_text(monitor.schedule), grace=duration_text(monitor.grace_ms, tr)
        )
    members = members_of(monitor)
    if not members:
        return app.target_of(monitor)
    listed = tr(", ").join(names.get(one, one) for one in members)
    match str(monitor.settings.get("rule", "all")).strip().lower():
        case "all":
            return tr("all of: {names}").format(names=listed)
        case "any":
            return tr("any of: {names}").format(names=listed)
        case n:
            return tr("{n} of: {names}").format(n=n, names=listed)


def known_as(app: App, name: str) -> str:
    """The name of a monitor by its id, or of a site by its `site:ID`; else what is given."""
    for site in app.sites.values():
        if name == site_name(site.id):
            return tr("site {name}").format(name=site.name)
    for job in app.jobs:
        if job.monitor.id == name:
            return job.monitor.name
    return name
