"""Reads a configuration of Gatus, from the file as a whole to what each part of it becomes."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.imported import Found
from uptime_desktop.exchange.importers.gatus.channels import Providers
from uptime_desktop.exchange.importers.gatus.document import document_of
from uptime_desktop.exchange.importers.gatus.monitors import Monitors
from uptime_desktop.exchange.importers.gatus.values import Source
from uptime_desktop.exchange.importers.gatus.variables import Variables
from uptime_desktop.exchange.importers.gatus.windows import window_of
from uptime_desktop.exchange.report import Fate, Fields, Report

_PROGRAM: Final = "Gatus"
_LISTS: Final = ("endpoints", "services", "external-endpoints", "suites")
_SIGNS: Final = frozenset({"url", "conditions", "token", "endpoints"})
_UNKNOWN: Final = Sentence("Gatus does not know it either; others in the file may have used it")
_STEPS: Final = Sentence("checks that build on one another cannot be made")
_OWN_PAGE: Final = Sentence("it is about Gatus's own page")
_OWN_STORE: Final = Sentence("it is about where Gatus keeps its history")
_OTHERS: Final = Sentence("add a monitor of the kind remote for it")
_VARIABLES: Final = Sentence("the app takes the values of these variables from its environment")
_ITSELF: Final = Sentence("the program looks by itself whether the computer is online")
_TOP: Final = {
    **dict.fromkeys(("web", "ui", "security", "metrics", "announcements"), _OWN_PAGE),
    "storage": _OWN_STORE,
    "remote": _OTHERS,
    "connectivity": _ITSELF,
    "suites": _STEPS,
    "tunneling": Sentence("there are no tunnels; servers must be within reach"),
    "concurrency": Sentence("max_concurrent says how many checks run at once"),
    "disable-monitoring-lock": Sentence("max_concurrent says how many checks run at once"),
    "kubernetes": Sentence("services of Kubernetes are not discovered"),
    "skip-invalid-config-update": Sentence("it is about how Gatus reads its file"),
    "debug": Sentence("it is about Gatus's own log"),
}


def recognises(document: object) -> bool:
    """Whether a document that was read from YAML is a configuration of Gatus."""
    if not isinstance(document, dict):
        return False
    items = (one for key in _LISTS if isinstance(document.get(key), list) for one in document[key])
    return any(isinstance(one, dict) and one.keys() & _SIGNS for one in items)


def read(path: Path, now: int, environ: Mapping[str, str] | None = None) -> Found:
    """All of a file, or of a directory of files, with what became of it.

    `environ` is what the variables named in it stand for; left out, those of this process.
    """
    document = document_of(path)
    if not isinstance(document, dict) or not recognises(document):
        problem = "{value} has no endpoints"
        raise Refused("file", problem, "a Gatus configuration", value=path.name)
    report = Report()
    variables = Variables(os.environ if environ is None else environ)
    whole = Source(Fields(report, _PROGRAM, "", document), document, variables)
    providers = Providers(variables)
    if (alerting := whole.inside("alerting")) is not None:
        providers.take(alerting)
    monitors = Monitors(report, providers, now)
    for key in ("endpoints", "services"):
        # Alerts of services had to be switched on one by one.
        monitors.take_endpoints(whole, key, alerts_are_on=key == "endpoints")
    monitors.take_external(whole, "external-endpoints")
    windows = list(monitors.windows)
    if (given := whole.inside("maintenance")) is not None:
        window = window_of(given, monitors.window_ids.of("maintenance"), "Maintenance", None, now)
        windows += [] if window is None else [window]
    for key, why in _TOP.items():
        whole.leave(key, why)
    whole.finish(_UNKNOWN)
    if variables.used:
        names = ", ".join(sorted(variables.used))
        report.note(_PROGRAM, "", names, Fate.APPROXIMATED, _VARIABLES)
    return Found(
        _PROGRAM,
        report,
        sites=monitors.sites,
        monitors=tuple(monitors.found),
        channels=tuple(providers.channels),
        windows=tuple(windows),
        paused=frozenset(monitors.paused),
        knows_variables=True,
    )
