"""Opens a desktop, says where its home is, and stays until it is killed."""

import signal

from tests.desktop.rig import Tray, private_desktop

if __name__ == "__main__":
    with private_desktop() as desktop:
        desktop.start_tray(Tray.STATUS_NOTIFIER)
        desktop.start_notifications()
        print(desktop.environment["HOME"], flush=True)
        signal.pause()
