"""The secrets that people keep by name, and where they agree to keep them."""

import re
from collections.abc import Callable
from typing import Final

from uptime_desktop.channel_book import ChannelBook
from uptime_desktop.checks.credentials import secret_names
from uptime_desktop.definitions import Definitions
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.engine.clock import Clock
from uptime_desktop.meanings import Meanings
from uptime_desktop.slices import in_slices
from uptime_desktop.store.secrets import Secrets

_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,100}")


class Vault:
    """`on_more` is called when what was missing may be there."""

    def __init__(
        self,
        secrets: Secrets,
        meanings: Meanings,
        definitions: Definitions,
        channels: ChannelBook,
        clock: Clock,
        on_more: Callable[[], None],
    ) -> None:
        self._secrets = secrets
        self._meanings = meanings
        self._definitions = definitions
        self._channels = channels
        self._clock = clock
        self._on_more = on_more

    async def keep(self, name: str, secret: str | None) -> None:
        """Keep a secret under a name that settings can refer to, or (None) forget it."""
        if not _NAME.fullmatch(name):
            raise Refused("name", "{value} is not a name", "letters, digits and . _ -", value=name)
        # Not while a change is made up: what it means may be known by what the secret was.
        async with self._definitions.changing(by_owner=True):
            await self._meanings.keep_secret(name, secret)
            await self._definitions.understand_anew(name)
        self._on_more()

    async def known(self) -> dict[str, bool]:
        """The names of secrets that were kept or are referred to, and whether each is there."""
        kept = set(await self._meanings.named_secrets())
        names = set(kept)
        async for job in in_slices(self._definitions.jobs):
            names.update(secret_names(job.monitor.settings))
        names.update(filter(None, map(self._channels.secret_of, self._channels.known)))
        return {
            name: name in kept or self._meanings.secret(name) is not None for name in sorted(names)
        }

    async def missing(self) -> list[str]:
        """What monitors and channels refer to and is not kept here."""
        known = await self.known()
        return [name for name, is_there in known.items() if not is_there] + [
            channel.id
            for channel in self._channels.known
            if self._channels.secret_of(channel) is None
            and not await self._channels.is_kept(channel)
        ]

    def agree_to_file(self) -> None:
        """A person agreed to keep secrets in a private file where there is no keyring."""
        self._secrets.record_consent(self._clock.wall())
        self._on_more()
