"""What the parts of a run are called, and how long each took."""

from uptime_desktop.gui.figures import response_text
from uptime_desktop.i18n import tr


def phase_word(phase: str) -> str:
    """What a part of a run is called; a name we do not know is its own."""
    match phase:
        case "dns":
            return tr("DNS")
        case "connect":
            return tr("connect")
        case "proxy":
            return tr("proxy")
        case "starttls":
            return tr("STARTTLS")
        case "tls":
            return tr("TLS")
        case "first_byte":
            return tr("first byte")
        case "body":
            return tr("body")
    return phase.replace("_", " ")


def phase_text(phase: str, spent_ms: float) -> str:
    """`connect 31 ms`."""
    return f"{phase_word(phase)} {response_text(spent_ms)}"
