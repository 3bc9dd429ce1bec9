"""`python -m uptime_desktop` is the command `uptime-desktop`."""

import sys

from uptime_desktop.cli import main

if __name__ == "__main__":
    sys.exit(main())
