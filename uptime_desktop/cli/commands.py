"""What every group of commands shares."""

from argparse import ArgumentParser, _SubParsersAction
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    Commands: TypeAlias = _SubParsersAction[ArgumentParser]
else:
    # The class is generic to the type checker only.
    Commands = _SubParsersAction
