"""How much there is in a file, in words."""

from collections import Counter
from collections.abc import Mapping

from uptime_desktop.i18n import ntr, tr


def counted_text(found: Mapping[str, int]) -> str:
    """`12 monitors, 1 site, history of 12 monitors`; what there is none of is left out."""
    counts = Counter(found)
    texts = {
        "monitors": ntr("{n} monitor", "{n} monitors", counts["monitors"]),
        "sites": ntr("{n} site", "{n} sites", counts["sites"]),
        "channels": ntr("{n} channel", "{n} channels", counts["channels"]),
        "windows": ntr("{n} maintenance window", "{n} maintenance windows", counts["windows"]),
        "pasts": ntr("history of {n} monitor", "history of {n} monitors", counts["pasts"]),
        "runs": ntr("{n} run", "{n} runs", counts["runs"]),
    }
    said = [text.format(n=counts[what]) for what, text in texts.items() if counts[what]]
    return tr(", ").join(said) or tr("nothing that can be watched")
