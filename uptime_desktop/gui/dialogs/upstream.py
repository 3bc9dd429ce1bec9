"""What a monitor or a site can depend on, and refusals about that in names instead of ids."""

from uptime_desktop.app import App, Job
from uptime_desktop.domain.dependencies import site_name
from uptime_desktop.domain.model import Monitor
from uptime_desktop.domain.refusal import Refused, Word
from uptime_desktop.gui.dialogs.monitors_field import Choice
from uptime_desktop.gui.targets import known_as
from uptime_desktop.i18n import tr

_ARROW = " → "


def monitor_choices(app: App, but: Job | None = None) -> list[Choice]:
    """All monitors there are, but for one."""
    others = (job.monitor for job in app.jobs if job is not but)
    return [_choice(app, one) for one in others]


def upstream_choices(app: App, but: Job | None = None, but_site: str = "") -> list[Choice]:
    """All monitors and, as a whole, all sites; `but_site` and its monitors are not among them."""
    monitors = (one for one in app.jobs if one is not but and one.monitor.site_id != but_site)
    own_site = but_site if but is None else but.monitor.site_id
    sites = (site for site in app.sites.values() if site.id != own_site)
    whole = [Choice(site_name(one.id), one.name, tr("whole site"), is_site=True) for one in sites]
    return [*whole, *(_choice(app, one.monitor) for one in monitors)]


def in_names(app: App, refused: Refused) -> Refused:
    """A refusal that names monitors and sites by their ids, in the words of whoever reads it."""
    way, value = refused.values.get("way"), refused.values.get("value")
    values = dict(refused.values)
    if isinstance(way, Word):
        values["way"] = Word(_ARROW.join(known_as(app, one) for one in way.split(_ARROW)))
    if isinstance(value, str) and refused.field in ("depends_on", "members"):
        values["value"] = known_as(app, value)
    return Refused(refused.field, refused.problem, refused.allowed, **values)


def _choice(app: App, monitor: Monitor) -> Choice:
    return Choice(monitor.id, monitor.name, app.sites[monitor.site_id].name)
