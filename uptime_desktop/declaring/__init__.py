"""Makes what is watched be what a configuration file declares, and the other way round.

The file is understood completely before anything is compared, and compared completely before
anything is changed.
"""

from uptime_desktop.declaring.making_so import Declaring
from uptime_desktop.declaring.planning import Plan

__all__ = ["Declaring", "Plan"]
