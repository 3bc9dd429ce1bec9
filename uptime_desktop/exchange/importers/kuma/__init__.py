"""Uptime Kuma: the JSON backup of version 1, and the database of versions 1 and 2."""
