"""Where alerts come from and where they lead: the store's outbox, the app's monitors, channels."""

import asyncio
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from uptime_desktop.alerts.apprise_channel import can_use
from uptime_desktop.domain.alert_rules import completed
from uptime_desktop.domain.alerts import (
    DESKTOP,
    SOUND,
    Alert,
    Channel,
    Decision,
    Delivery,
    Key,
    Subject,
    Told,
    Waiting,
)
from uptime_desktop.domain.maintenance import InForce
from uptime_desktop.domain.model import Site
from uptime_desktop.domain.notation import parse_name
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status
from uptime_desktop.engine.scheduler import Job
from uptime_desktop.store import channels, deliveries, outbox
from uptime_desktop.store.db import Store
from uptime_desktop.store.errors import StoreError
from uptime_desktop.store.writer import Writer
from uptime_desktop.stored import free_id

_SECRET: Final = "secret:"
_VARIABLE: Final = re.compile(r"\$\{([^{}$\s]{1,200})\}")
_HARMLESS: Final = re.compile(r"([a-z0-9]+://)?[/@:?&=]*")
"""What may stand beside variables in an address that is no secret."""


class StoredOutbox:
    """Implements `domain.alerts.Outbox`. Reading works even where writing fails."""

    def __init__(self, store: Store, writer: Writer) -> None:
        self._store = store
        self._writer = writer

    async def waiting(self, now: int) -> Waiting:
        return await asyncio.to_thread(self._store.read, outbox.waiting, now)

    async def decide(self, decision: Decision, now: int) -> None:
        await asyncio.wrap_future(self._writer.call(outbox.decide, decision, now))

    async def claim(self, now: int, busy: Collection[str]) -> Sequence[Delivery]:
        return await asyncio.wrap_future(self._writer.call(deliveries.claim, now, tuple(busy)))

    async def next_at(self, busy: Collection[str]) -> int | None:
        found = self._writer.call(deliveries.next_delivery_at, tuple(busy))
        return await asyncio.wrap_future(found)

    async def mark_sent(self, sent: Sequence[Delivery], now: int) -> None:
        await asyncio.wrap_future(self._writer.call(deliveries.mark_sent, _numbers(sent), now))

    async def mark_failed(self, failed: Sequence[Delivery], now: int, error: str) -> None:
        marked = self._writer.call(deliveries.mark_failed, _numbers(failed), now, error)
        await asyncio.wrap_future(marked)

    async def mark_told(self, told: Sequence[Told], now: int) -> None:
        await asyncio.wrap_future(self._writer.call(outbox.mark_told, tuple(told), now))

    async def opening(self, monitor_number: int, kind: Status, now: int) -> Alert | None:
        try:
            return await asyncio.to_thread(
                self._store.read, outbox.opening, monitor_number, kind, now
            )
        except StoreError:
            return None


def _numbers(found: Sequence[Delivery]) -> tuple[int, ...]:
    return tuple(one.number for one in found if one.number is not None)


class Keeper(Protocol):
    """Who keeps secrets by name; may take its time."""

    def get(self, name: str) -> str | None: ...

    def set(self, name: str, secret: str) -> None: ...

    def delete(self, name: str) -> None: ...


class ChannelBook:
    """The channels there are; implements `domain.alerts.Channels`.

    The address of one is a secret, and so kept as one. In it, or instead of it, `${NAME}` stands
    for a variable of the environment. Whatever of it comes to be known is given to `remember`.
    """

    def __init__(
        self, store: Store, writer: Writer, keeper: Keeper, remember: Callable[[list[str]], None]
    ) -> None:
        self._store = store
        self._writer = writer
        self._keeper = keeper
        self._remember = remember
        self.on_changed: Callable[[], None] = lambda: None
        """Called when there are other channels than before."""
        self._channels: dict[str, Channel] = {}
        self._addresses: dict[str, str] = {}

    @property
    def known(self) -> Sequence[Channel]:
        return tuple(self._channels.values())

    async def load(self) -> None:
        found = await asyncio.to_thread(self._store.read, channels.all_channels)
        self._channels = {one.id: one for one in found}

    async def address(self, channel_id: str) -> str:
        if channel_id not in self._addresses:
            text = await self.written_address(channel_id)
            address = _with_variables(text)
            self._remember([address])
            self._addresses[channel_id] = address
        return self._addresses[channel_id]

    async def written_address(self, channel_id: str) -> str:
        """As a person wrote it, with names where variables are meant."""
        url = self.named(channel_id).url
        if not url.startswith(_SECRET):
            return url
        text = await asyncio.to_thread(self._keeper.get, url.removeprefix(_SECRET))
        if text is None:
            problem = "the address of {value} is not kept any more"
            raise Refused("url", problem, "write it anew", value=channel_id)
        return text

    async def add(
        self, name: str, url: str, channel_id: str | None = None, *, is_on: bool = True
    ) -> Channel:
        """A new channel. An id that is not given is made from the name."""
        parse_name("name", name)
        taken = {DESKTOP, SOUND, *self._channels}
        if channel_id is None:
            channel_id = free_id(name, taken, {})
        elif channel_id in taken or free_id(channel_id, set(), {}) != channel_id:
            allowed = "small letters, digits and -, and not one that is taken"
            raise Refused("id", "{value} cannot be the id of a channel", allowed, value=channel_id)
        await asyncio.to_thread(_require_usable, url)
        channel = Channel(channel_id, name, await self._kept(channel_id, url), is_on)
        try:
            await self._write(channels.add_channel, channel)
        except BaseException:
            await self._forget_address(channel)
            raise
        self._channels[channel_id] = channel
        self.on_changed()
        return channel

    async def edit(
        self,
        channel_id: str,
        *,
        name: str | None = None,
        url: str | None = None,
        is_on: bool | None = None,
    ) -> Channel:
        """Change what is given of a channel."""
        old = self.named(channel_id)
        changed = replace(
            old,
            name=old.name if name is None else parse_name("name", name),
            is_on=old.is_on if is_on is None else is_on,
        )
        if url is None:
            await self._write(channels.edit_channel, changed)
        else:
            await asyncio.to_thread(_require_usable, url)
            changed = await self._with_address(old, changed, url)
        self._channels[channel_id] = changed
        self.on_changed()
        return changed

    async def _with_address(self, old: Channel, changed: Channel, url: str) -> Channel:
        """The channel at another address; what was kept before stays if it cannot be stored."""
        before = await asyncio.to_thread(self._keeper.get, _secret_name(old.id))
        changed = replace(changed, url=await self._kept(old.id, url))
        try:
            await self._write(channels.edit_channel, changed)
        except BaseException:
            if before is not None:
                await asyncio.to_thread(self._keeper.set, _secret_name(old.id), before)
            raise
        if changed.url != old.url:
            await self._forget_address(old)
        self._addresses.pop(old.id, None)
        return changed

    async def remove(self, channel_id: str) -> None:
        channel = self.named(channel_id)
        await self._write(channels.remove_channel, channel_id)
        del self._channels[channel_id]
        self.on_changed()
        await self._forget_address(channel)

    async def _kept(self, channel_id: str, url: str) -> str:
        """What to store of an address: itself only if nothing of it is secret."""
        if _VARIABLE.search(url) and _HARMLESS.fullmatch(_VARIABLE.sub("", url)):
            return url
        await asyncio.to_thread(self._keeper.set, _secret_name(channel_id), url)
        return _SECRET + _secret_name(channel_id)

    async def _forget_address(self, channel: Channel) -> None:
        self._addresses.pop(channel.id, None)
        if channel.url.startswith(_SECRET):
            name = channel.url.removeprefix(_SECRET)
            await asyncio.to_thread(self._keeper.delete, name)

    async def _write(self, act: Callable[[Any, Any], None], what: object) -> None:
        await asyncio.wrap_future(self._writer.call(act, what))

    def named(self, channel_id: str) -> Channel:
        try:
            return self._channels[channel_id]
        except KeyError:
            known = ", ".join(self._channels) or "-"
            raise Refused(
                "channel", "there is no channel {value}", known, value=channel_id
            ) from None


def _secret_name(channel_id: str) -> str:
    return f"channel/{channel_id}"


def _require_usable(url: str) -> None:
    """Refuse an address that nothing can be sent to; it is a secret, so it is not shown."""
    if not can_use(_with_variables(url)):
        allowed = "an Apprise address, as in slack://…, mailto://… or discord://…"
        raise Refused("url", "nothing can be sent to this address", allowed)


def _with_variables(text: str) -> str:
    def value(match: re.Match[str]) -> str:
        try:
            return os.environ[match[1]]
        except KeyError:
            problem = "the environment of the running app has no {value}"
            raise Refused("url", problem, "a variable that is set", value=match[1]) from None

    return _VARIABLE.sub(value, text)


class Acts(Protocol):
    """What of the app an answer to an alert can ask for."""

    @property
    def jobs(self) -> Sequence[Job]: ...

    @property
    def sites(self) -> Mapping[str, Site]: ...

    def on_redefined(self, listener: Callable[[], None]) -> Callable[[], None]: ...

    def check_now(self, job: Job) -> object: ...

    def maintenance_of(self, job: Job) -> InForce | None: ...

    async def acknowledge(self, job: Job) -> None: ...

    async def snooze(self, job: Job, for_ms: int | None) -> None: ...


class MonitorDesk:
    """Where alerts lead; implements `domain.alerts.Desk`."""

    def __init__(self, app: Acts) -> None:
        self._app = app
        self._by_number: dict[int, Job] = {}
        app.on_redefined(self._by_number.clear)

    def number_of(self, key: Key) -> int | None:
        job = self._job(key)
        return None if job is None else job.monitor.number

    def subject(self, monitor_number: int) -> Subject | None:
        if not self._by_number:
            self._by_number |= {job.monitor.number: job for job in self._app.jobs}
        job = self._by_number.get(monitor_number)
        if job is None:
            return None
        state, monitor = job.state, job.monitor
        site = self._app.sites[monitor.site_id]
        rule = completed(monitor.alert, site.alert)
        if monitor.is_passive and monitor.grace_ms is None:
            # What follows from others is not run, so no number of its runs can be waited for.
            rule = replace(rule, after=1)
        return Subject(
            job.key,
            monitor.name,
            state.next_run_at if state.running_since is None else None,
            state.incidents,
            site.name,
            rule,
            state.consecutive_failures,
            state.pause is not None,
            None if (planned := self._app.maintenance_of(job)) is None else planned.ends_at,
        )

    def check_now(self, key: Key) -> None:
        job = self._job(key)
        if job is not None:
            self._app.check_now(job)

    async def acknowledge(self, key: Key) -> None:
        job = self._job(key)
        if job is not None:
            await self._app.acknowledge(job)

    async def snooze(self, key: Key, for_ms: int) -> None:
        job = self._job(key)
        if job is not None:
            await self._app.snooze(job, for_ms)

    def _job(self, key: Key) -> Job | None:
        return next((job for job in self._app.jobs if job.key == key), None)
