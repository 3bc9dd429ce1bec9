"""Moving in from Gatus: its YAML, of now and of the days when endpoints were called services."""

from uptime_desktop.exchange.importers.gatus.config import read, recognises
from uptime_desktop.exchange.importers.gatus.document import document_of

__all__ = ["document_of", "read", "recognises"]
