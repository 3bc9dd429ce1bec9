"""What the settings of every monitor mean to its kind of check, with the secrets they refer to."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from uptime_desktop.checks.base import AnyKind
from uptime_desktop.checks.credentials import secret_names, with_secrets, without_secrets
from uptime_desktop.checks.registry import kind_named
from uptime_desktop.checks.unusable import Unusable
from uptime_desktop.domain.model import Monitor, Outcome
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.store.monitors import MonitorRow
from uptime_desktop.store.secrets import Secrets
from uptime_desktop.stored import keys_of


class Meanings:
    """By the number of a monitor: its kind, and its settings as that kind understands them."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._known_secrets: dict[str, str] = {}
        self._specs: dict[int, tuple[AnyKind, Any]] = {}

    def fetch_secrets(self, rows: Iterable[MonitorRow]) -> None:
        """Ask the keyring, which may take its time, for all that these refer to."""
        for row in rows:
            for name in secret_names(keys_of(row.definition)):
                secret = self._secrets.get(name)
                if secret is not None:
                    self._known_secrets[name] = secret

    def understand(self, monitor: Monitor) -> None:
        """Know from now on what its settings mean; refused if they mean nothing."""
        kind = kind_named(monitor.kind)
        spec = kind.parse(with_secrets(monitor.settings, self._secret_named))
        self._specs[monitor.number] = kind, spec

    def give_up(self, monitor: Monitor, reason: str) -> None:
        """Have every check of it say why nothing can be looked at."""
        self._specs[monitor.number] = Unusable(monitor.kind, reason), None

    def forget(self, monitor: Monitor) -> None:
        del self._specs[monitor.number]

    async def forget_secrets(self, monitor: Monitor) -> None:
        for name in secret_names(monitor.settings):
            self._known_secrets.pop(name, None)
            await asyncio.to_thread(self._secrets.delete, name)

    def target_of(self, monitor: Monitor) -> str:
        kind, spec = self._specs[monitor.number]
        return kind.describe(spec)

    def origin_of(self, monitor: Monitor) -> str:
        kind, spec = self._specs[monitor.number]
        return kind.origin(spec)

    async def check(self, monitor: Monitor) -> Outcome:
        """Look once."""
        kind, spec = self._specs[monitor.number]
        return await kind.check(spec, monitor.timeout_ms / 1_000)

    def storable(self, monitor: Monitor, secrets: dict[str, str]) -> Monitor:
        """The monitor checked, and without its secrets, which are put where they are told."""
        kind = kind_named(monitor.kind)
        kind.parse(with_secrets(monitor.settings, self._secret_named))
        settings, found = without_secrets(kind, monitor.id, monitor.settings)
        secrets |= found
        return replace(monitor, settings=settings)

    @asynccontextmanager
    async def keeping(self, secrets: Mapping[str, str]) -> AsyncIterator[None]:
        """Secrets are there before what refers to them, and gone again if that could not be."""
        before = {name: self._known_secrets.get(name) for name in secrets}
        try:
            for name, secret in secrets.items():
                await asyncio.to_thread(self._secrets.set, name, secret)
            self._known_secrets |= secrets
            yield
        except BaseException:
            for name, old in before.items():
                self._known_secrets.pop(name, None)
                if old is None:
                    await asyncio.to_thread(self._secrets.delete, name)
                else:
                    await asyncio.to_thread(self._secrets.set, name, old)
                    self._known_secrets[name] = old
            raise

    def _secret_named(self, name: str) -> str:
        try:
            return self._known_secrets[name]
        except KeyError:
            problem = "the secret {value} is not in the keyring"
            raise Refused("secret", problem, "add the monitor anew", value=name) from None
