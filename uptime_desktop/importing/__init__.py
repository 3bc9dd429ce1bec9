"""Moving in from other programs: what was found in a file becomes ours, all of it or nothing."""

from uptime_desktop.importing.moving_in import Brought, Importing, Sighted

__all__ = ["Brought", "Importing", "Sighted"]
