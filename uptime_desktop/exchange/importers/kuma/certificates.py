"""That a certificate ends soon, which Uptime Kuma tells of and we find degraded."""

from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.kuma.draft import Draft


def take_certificate_days(draft: Draft) -> None:
    table = draft.table
    days = draft.known.certificate_days if table.flag("expirynotification") else 0
    draft.keys["certificate_days"] = days
    if days:
        how = Sentence("it is degraded from {n} days before the certificate ends", n=days)
        table.approximated("expirynotification", how)
    else:
        table.mapped("expirynotification", "certificate_days")
