"""Uptime Desktop: see from the tray whether your sites, services and cron jobs are up."""

__version__ = "0.1.0"
