"""`python -m uptime_desktop` is the command line."""

import sys

if __name__ == "__main__":
    try:
        from uptime_desktop.cli import main

        sys.exit(main())
    except KeyboardInterrupt:  # while everything was still being loaded
        sys.exit(130)
