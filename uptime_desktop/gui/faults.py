"""What of the program itself does not work, in sentences; no widgets here."""

from uptime_desktop.app import App
from uptime_desktop.domain.alerts import Fault
from uptime_desktop.i18n import told, tr


def fault_sentences(app: App) -> list[str]:
    """Why results are lost, the file is not followed or reports are lost, then which channels
    cannot be reached, worst first. The file has only its name there: room is for what is wrong."""
    said = [told(sentence) for sentence in app.faults.values()]
    if app.declared_in is not None:
        path, name = str(app.declared_in), app.declared_in.name
        said = [sentence.replace(path, name) for sentence in said]
    return said + channel_sentences(app)


def own_sentences(app: App) -> list[str]:
    """Those of the program itself; what is wrong with the file is said where it is named."""
    return [told(why) for fault, why in app.faults.items() if fault is not Fault.FILE]


def channel_sentences(app: App) -> list[str]:
    """`Slack cannot be reached: the connection was refused`, one for each that is broken."""
    names = {channel.id: channel.name for channel in app.channels.known if channel.is_on}
    return [
        tr("{name} cannot be reached: {reason}").format(name=names[id_], reason=told(reason))
        for id_, reason in app.channel_faults.items()
        if id_ in names
    ]
