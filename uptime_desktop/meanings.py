"""What the settings of every monitor mean to its kind of check, with the secrets they refer to."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from uptime_desktop.checks.base import AnyKind
from uptime_desktop.checks.credentials import (
    hidden_texts,
    is_owned,
    secret_names,
    with_secrets,
    without_secrets,
)
from uptime_desktop.checks.redaction import remember
from uptime_desktop.checks.registry import kind_named
from uptime_desktop.checks.unusable import Unusable
from uptime_desktop.domain.model import Monitor, Outcome, Setting
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.store.secrets import Secrets


class Meanings:
    """By the number of a monitor: its kind, and its settings as that kind understands them."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._known_secrets: dict[str, str] = {}
        self._specs: dict[int, tuple[AnyKind, Any]] = {}

    async def fetch_secrets(self, settings: Iterable[Mapping[str, Setting]]) -> None:
        """Ask the keyring, which may take its time, for all that these refer to."""
        wanted = {name for one in settings for name in secret_names(one)}
        missing = wanted - self._known_secrets.keys()
        if missing:
            await asyncio.to_thread(self._fetch, missing)

    def _fetch(self, names: Iterable[str]) -> None:
        for name in names:
            secret = self._secrets.get(name)
            if secret is not None:
                self._known_secrets[name] = secret

    def understand(self, monitor: Monitor) -> None:
        """Know from now on what its settings mean; refused if they mean nothing."""
        kind = kind_named(monitor.kind)
        self._specs[monitor.number] = kind, self._parsed(kind, monitor)

    def give_up(self, monitor: Monitor, reason: str) -> None:
        """Have every check of it say why nothing can be looked at."""
        self._specs[monitor.number] = Unusable(monitor.kind, reason), None

    def forget(self, monitor: Monitor) -> None:
        del self._specs[monitor.number]

    def spec_of(self, monitor: Monitor) -> Any:
        """The settings as the monitor's kind understands them; None if it does not."""
        return self._specs[monitor.number][1]

    async def forget_secrets(self, monitor: Monitor, kept: Monitor | None = None) -> None:
        """Forget what only this monitor refers to, but not what it keeps as it is from now on."""
        still = set() if kept is None else set(secret_names(kept.settings))
        for name in secret_names(monitor.settings):
            if is_owned(name, monitor.id) and name not in still:
                self._known_secrets.pop(name, None)
                await asyncio.to_thread(self._secrets.delete, name)

    async def keep_secret(self, name: str, secret: str | None) -> None:
        """Keep a secret that a person gave a name, or (None) forget it."""
        if secret is None:
            await asyncio.to_thread(self._secrets.delete, name)
            self._known_secrets.pop(name, None)
        else:
            await asyncio.to_thread(self._secrets.set, name, secret)
            self._known_secrets[name] = secret

    def has_secret(self, name: str) -> bool:
        return name in self._known_secrets

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
        self._parsed(kind, monitor)
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

    def _parsed(self, kind: AnyKind, monitor: Monitor) -> Any:
        """The settings understood; what is secret in them is known as such from here on."""
        whole = with_secrets(kind, monitor.settings, self._secret_named, _variable_named)
        remember(hidden_texts(kind.fields, whole))
        return kind.parse(whole)

    def _secret_named(self, name: str) -> str:
        try:
            return self._known_secrets[name]
        except KeyError:
            problem = "there is no secret {value}"
            allowed = "one that was kept with: uptime-desktop secret set NAME"
            raise Refused("secret", problem, allowed, value=name) from None


def _variable_named(name: str) -> str:
    try:
        return os.environ[name]
    except KeyError:
        problem = "the environment has no {value}"
        raise Refused("secret", problem, "a variable that is set", value=name) from None
