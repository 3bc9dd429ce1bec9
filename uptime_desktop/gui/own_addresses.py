"""The addresses this computer has, and how others reach what listens on all of them."""

from PySide6.QtNetwork import QAbstractSocket, QHostAddress, QNetworkInterface

from uptime_desktop.i18n import tr

ALL = "0.0.0.0"
LOOPBACK = "127.0.0.1"
LOOPBACK_6 = "::1"
_EVERYWHERE = (ALL, "::")


def is_loopback(address: str) -> bool:
    return QHostAddress(address).isLoopback()


def network_addresses() -> list[tuple[str, str]]:
    """Addresses by which others can reach this computer, with the names of their interfaces."""
    flags = QNetworkInterface.InterfaceFlag
    found = []
    for interface in QNetworkInterface.allInterfaces():
        if not interface.flags() & flags.IsUp or interface.flags() & flags.IsLoopBack:
            continue
        for entry in interface.addressEntries():
            address = entry.ip()
            if not address.isLinkLocal():
                found.append((address.toString(), interface.humanReadableName()))
    ipv4 = QAbstractSocket.NetworkLayerProtocol.IPv4Protocol
    found.sort(key=lambda one: QHostAddress(one[0]).protocol() is not ipv4)
    return found


def reachable(host: str) -> str:
    """An address that can be written into a URL, also for one that stands for all of them."""
    if host not in _EVERYWHERE:
        return host
    return next((address for address, _ in network_addresses()), LOOPBACK)


def place_text(host: str, port: int) -> str:
    """`127.0.0.1:8737`, `[::1]:8737`."""
    shown = f"[{host}]" if ":" in host else host
    if host in _EVERYWHERE:
        return tr("all addresses, port {port}").format(port=port)
    return f"{shown}:{port}"
