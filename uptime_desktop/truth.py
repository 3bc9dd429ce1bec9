"""What says what is watched: a file, as long as one is obeyed, or else the database."""

from collections.abc import Callable
from pathlib import Path

from uptime_desktop.declared_file import DeclaredFile
from uptime_desktop.declaring import Declaring
from uptime_desktop.definitions import Definitions
from uptime_desktop.domain.refusal import UserError
from uptime_desktop.engine.clock import Clock
from uptime_desktop.exchange.declared.described import PERSONAL


class Truth:
    def __init__(
        self,
        declaring: Declaring,
        definitions: Definitions,
        clock: Clock,
        faulty: Callable[[], None],
    ) -> None:
        self._declaring = declaring
        self._definitions = definitions
        self._clock = clock
        self._faulty = faulty
        self._file: DeclaredFile | None = None

    @property
    def path(self) -> Path | None:
        """The file that is obeyed, if one is."""
        owner = self._definitions.owner
        return None if owner is None else owner.path

    @property
    def fault(self) -> str | None:
        """Why the file cannot be obeyed as it is now."""
        return None if self._file is None else self._file.fault

    @property
    def error(self) -> UserError | None:
        """All that is wrong with it."""
        return None if self._file is None else self._file.error

    def declares(self, setting: str) -> bool:
        """Whether a file decides about this setting, so that it can only be changed there."""
        owner = self._definitions.owner
        return owner is not None and (setting not in PERSONAL or setting in owner.settings)

    async def obey(self, path: Path, *, accept_changes: bool) -> None:
        """Have this file say what is watched, beginning with what it says now."""
        file = DeclaredFile(path, self._declaring, self._definitions, self._clock, self._faulty)
        await file.take(accept_changes=accept_changes)
        self._file = file

    def try_again(self) -> None:
        """What was missing may be there now: try soon what was tried in vain."""
        if self._file is not None:
            self._file.try_again()

    async def follow(self) -> None:
        """Follow the file as it changes, if there is one, as long as it is obeyed."""
        if self._file is not None:
            await self._file.follow()

    def take_over(self) -> None:
        """Have the database say what is watched from now on, beginning with what the file said."""
        if self._file is not None:
            self._file.let_go()
            self._file = None
