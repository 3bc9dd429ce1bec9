"""What the settings of every monitor mean to its kind of check, with the secrets they refer to."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from uptime_desktop.checks.base import AnyKind, evidence_left, leave_evidence
from uptime_desktop.checks.credentials import (
    hidden_texts,
    is_ours,
    is_owned,
    possible_names,
    secret_names,
    with_secrets,
    without_secrets,
)
from uptime_desktop.checks.redaction import (
    filled_in,
    redacted_evidence,
    redacted_outcome,
    remember,
    without,
)
from uptime_desktop.checks.registry import kind_named
from uptime_desktop.checks.unusable import Unusable
from uptime_desktop.domain.model import Monitor, Outcome, Setting
from uptime_desktop.domain.refusal import Refused, Word
from uptime_desktop.slices import in_slices
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.secrets import Secrets

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Meaning:
    """A kind with its settings understood. `secrets` came in place of names a person wrote."""

    kind: AnyKind
    spec: Any
    secrets: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """What it looks at, as anyone may see it."""
        return without(self.kind.describe(self.spec), self.secrets)


class Meanings:
    """By the number of a monitor: its kind, and its settings as that kind understands them."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._known_secrets: dict[str, str] = {}
        self._troubles: dict[str, StoreError] = {}
        self._meanings: dict[int, Meaning] = {}

    async def fetch_secrets(self, settings: Iterable[Mapping[str, Setting]]) -> None:
        """Ask the keyring, which may take its time, for all that these refer to."""
        wanted = {name async for one in in_slices(settings) for name in possible_names(one)}
        missing = wanted - self._known_secrets.keys()
        if missing:
            await asyncio.to_thread(self._fetch, missing)

    def _fetch(self, names: Iterable[str]) -> None:
        """What cannot be had is a trouble of the monitors that need it, and of no other."""
        trouble: StoreError | None = None
        for name in names:
            self._troubles.pop(name, None)
            try:
                # A locked keyring would ask to be unlocked for each of them.
                secret = self._secrets.get(name, has_failed=trouble is not None)
            except StoreError as error:
                if trouble is None:
                    _log.error("Secrets cannot be read: %s", error)
                trouble = self._troubles[name] = error
            else:
                if secret is not None:
                    self._known_secrets[name] = secret

    def understand(self, monitor: Monitor, meaning: Meaning | None = None) -> None:
        """Know from now on what its settings mean, unless somebody knows it already; refused if
        they mean nothing."""
        if meaning is None:
            meaning = self._meaning(kind_named(monitor.kind), monitor.settings)
        self._meanings[monitor.number] = meaning

    def give_up(self, monitor: Monitor, reason: str) -> None:
        """Have every check of it say why nothing can be looked at."""
        self._meanings[monitor.number] = Meaning(Unusable(monitor.kind, reason), None)

    def forget(self, monitor: Monitor) -> None:
        del self._meanings[monitor.number]

    def spec_of(self, monitor: Monitor) -> Any:
        """The settings as the monitor's kind understands them; None if it does not."""
        return self._meanings[monitor.number].spec

    async def forget_secrets(self, before: Iterable[Monitor], now: Iterable[Monitor]) -> None:
        """Forget what was taken out of these monitors, as far as none that there is now refers to
        it."""
        owned = {
            name
            async for monitor in in_slices(before)
            for name in secret_names(monitor.settings)
            if is_owned(name, monitor.id)
        }
        if owned:
            still = {name async for one in in_slices(now) for name in secret_names(one.settings)}
            owned -= still
        for name in owned:
            self._known_secrets.pop(name, None)
            try:
                await asyncio.to_thread(self._secrets.delete, name)
            except StoreError as error:
                # The monitor is changed or gone already: nothing refers to it any more.
                _log.error("A secret cannot be removed: %s", error)

    async def keep_secret(self, name: str, secret: str | None) -> None:
        """Keep a secret that a person gave a name, or (None) forget the one of this name."""
        self._troubles.pop(name, None)
        if secret is None:
            if await asyncio.to_thread(self._secrets.get, name) is None:
                allowed = "one that is shown by: uptime-desktop secret list"
                raise Refused("name", "there is no secret {value}", allowed, value=name)
            await asyncio.to_thread(self._secrets.delete, name)
            self._known_secrets.pop(name, None)
        else:
            await asyncio.to_thread(self._secrets.set, name, secret)
            self._known_secrets[name] = secret

    async def named_secrets(self) -> list[str]:
        """The names that people gave to secrets, whether anything refers to them or not."""
        return await asyncio.to_thread(self._secrets.names)

    def secret(self, name: str) -> str | None:
        """The secret of this name, if it was fetched and is there."""
        return self._known_secrets.get(name)

    def is_understood(self, monitor: Monitor) -> bool:
        """Whether its settings mean something, as far as is known."""
        meaning = self._meanings.get(monitor.number)
        return meaning is not None and not isinstance(meaning.kind, Unusable)

    def target_of(self, monitor: Monitor) -> str:
        """What it looks at; nothing of one that was removed and is still being shown."""
        meaning = self._meanings.get(monitor.number)
        return "" if meaning is None else meaning.target

    def target_in(self, kind: AnyKind, settings: Mapping[str, Setting]) -> str:
        """What settings that nobody stored would look at, as `target_of` says it."""
        return self._meaning(kind, settings).target

    def origin_of(self, monitor: Monitor) -> str:
        meaning = self._meanings[monitor.number]
        return meaning.kind.origin(meaning.spec)

    async def check(self, monitor: Monitor) -> Outcome:
        """Look once."""
        meaning = self._meanings[monitor.number]
        looking = meaning.kind.check(meaning.spec, monitor.timeout_ms / 1_000)
        if not meaning.secrets:
            return await looking
        try:
            outcome = await looking
        except asyncio.CancelledError as stop:
            seen = evidence_left(stop)
            if seen is not None:
                leave_evidence(stop, redacted_evidence(seen, meaning.secrets))
            raise
        return redacted_outcome(outcome, meaning.secrets)

    def storable(self, monitor: Monitor) -> tuple[Monitor, dict[str, str], Meaning]:
        """The monitor checked, without its secrets; they by name, and what its settings mean."""
        kind = kind_named(monitor.kind)
        settings, secrets = without_secrets(kind, monitor.id, monitor.settings)
        meaning = self._meaning(kind, settings, secrets)
        if settings != monitor.settings:
            monitor = replace(monitor, settings=settings)
        return monitor, secrets, meaning

    @asynccontextmanager
    async def keeping(self, secrets: Mapping[str, str]) -> AsyncIterator[None]:
        """Secrets are there before what refers to them, and gone again if that could not be."""
        before: dict[str, str | None] = {}
        known = {name: self._known_secrets.get(name) for name in secrets}
        try:
            for name, secret in secrets.items():
                before[name] = await asyncio.to_thread(self._secrets.get, name)
                await asyncio.to_thread(self._secrets.set, name, secret)
            self._known_secrets |= secrets
            yield
        except BaseException:
            for name, old in known.items():
                self._known_secrets.pop(name, None)
                if old is not None:
                    self._known_secrets[name] = old
            for name, old in before.items():
                await self._put_back(name, old)
            raise

    async def _put_back(self, name: str, secret: str | None) -> None:
        try:
            if secret is None:
                await asyncio.to_thread(self._secrets.delete, name)
            else:
                await asyncio.to_thread(self._secrets.set, name, secret)
        except StoreError as error:
            # Why it came to this is what people are told.
            _log.error("A secret cannot be put back: %s", error)

    def _meaning(
        self,
        kind: AnyKind,
        settings: Mapping[str, Setting],
        unkept: Mapping[str, str] | None = None,
    ) -> Meaning:
        """The settings understood; what is secret in them is known as such from here on.

        `unkept` are secrets that they refer to and that are not kept yet.
        """
        new = unkept or {}

        def secret_named(name: str) -> str:
            return new[name] if name in new else self._secret_named(name)

        whole = with_secrets(kind, settings, secret_named, _variable_named)
        remember(hidden_texts(kind.fields, whole))
        return Meaning(kind, kind.parse(whole), filled_in(whole))

    def _secret_named(self, name: str) -> str:
        """Refused if there is none; whoever asks says for which setting."""
        if name in self._known_secrets:
            return self._known_secrets[name]
        if name in self._troubles:
            problem = "the secret {value} cannot be read: {trouble}"
            trouble = Word(self._troubles[name].text().removesuffix("."))
            allowed = "a keyring that is unlocked, or a file that can be read"
            raise Refused("secret", problem, allowed, value=name, trouble=trouble)
        problem = "there is no secret {value}"
        allowed = (
            "it entered again: edit the monitor, or remove it and add it anew"
            if is_ours(name)
            else "one that was kept with: uptime-desktop secret set NAME"
        )
        raise Refused("secret", problem, allowed, value=name)


def _variable_named(name: str) -> str:
    try:
        return os.environ[name]
    except KeyError:
        problem = "the environment of the running app has no {value}"
        allowed = "a variable that is set where the app is started"
        raise Refused("secret", problem, allowed, value=name) from None
