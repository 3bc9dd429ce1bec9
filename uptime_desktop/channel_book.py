"""The channels there are beside the screen, and where the address of each is kept."""

import asyncio
import logging
import os
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Final, Protocol

from uptime_desktop.alerts.apprise_channel import can_use
from uptime_desktop.changes import Changes, Changing
from uptime_desktop.domain.alerts import DESKTOP, SOUND, Channel
from uptime_desktop.domain.ids import free_id
from uptime_desktop.domain.notation import parse_name
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.store import channels
from uptime_desktop.store.db import Store
from uptime_desktop.store.errors import StoreError

_log = logging.getLogger(__name__)
_SECRET: Final = "secret:"
_ID: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LONGEST_ID: Final = 50
_VARIABLE: Final = re.compile(r"\$\{([^{}$\s]{1,200})\}")
_HARMLESS: Final = re.compile(r"([a-z0-9]+://)?[/@:?&=]*")
"""What may stand beside variables in an address that is no secret."""


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

    definitions: Changing
    """Through whom channels are changed; set by whoever made both."""

    def __init__(self, store: Store, keeper: Keeper, remember: Callable[[list[str]], None]) -> None:
        self._store = store
        self._keeper = keeper
        self._remember = remember
        self._channels: dict[str, Channel] = {}
        self._addresses: dict[str, str] = {}
        self._former: list[Channel] = []

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

    async def is_kept(self, channel: Channel) -> bool:
        """Whether its address is still known."""
        try:
            await self.written_address(channel.id)
        except Refused:
            return False
        return True

    def secret_of(self, channel: Channel) -> str | None:
        """The name that a person gave to the secret which its address is."""
        named = channel.url.removeprefix(_SECRET)
        return None if named in (channel.url, _secret_name(channel.id)) else named

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

    async def drafted(
        self, channel_id: str, name: str, url: str, *, is_on: bool
    ) -> tuple[Channel, dict[str, str]]:
        """The channel that this would be, and its address by name if that is to be kept."""
        _require_id(channel_id, (DESKTOP, SOUND))
        parse_name("name", name)
        known = self._channels.get(channel_id)
        if known is not None and url in (known.url, await self._address_if_kept(known)):
            _with_variables(await self.written_address(channel_id))
            return replace(known, name=name, is_on=is_on), {}
        await asyncio.to_thread(self._require_usable, url)
        if _is_harmless(url):
            return Channel(channel_id, name, url, is_on), {}
        secret_name = _secret_name(channel_id)
        return Channel(channel_id, name, _SECRET + secret_name, is_on), {secret_name: url}

    async def at(self, url: str) -> Channel | None:
        """The channel that has this address, if there is one."""
        for channel in self.known:
            if url in (channel.url, await self._address_if_kept(channel)):
                return channel
        return None

    async def _address_if_kept(self, channel: Channel) -> str | None:
        if channel.url != _SECRET + _secret_name(channel.id):
            return None
        return await asyncio.to_thread(self._keeper.get, _secret_name(channel.id))

    def know(self, saved: Sequence[Channel], removed: Sequence[Channel]) -> None:
        """Know what was stored of these; their old addresses are to be forgotten next."""
        self._former += [self._channels[one.id] for one in saved if one.id in self._channels]
        self._former += removed
        for channel in saved:
            self._channels[channel.id] = channel
            self._addresses.pop(channel.id, None)
        for channel in removed:
            del self._channels[channel.id]

    async def forget_former(self) -> None:
        """Forget addresses that no channel has any more."""
        still = {channel.url for channel in self._channels.values()}
        former, self._former = self._former, []
        for channel in former:
            if channel.url not in still:
                try:
                    await self._forget_address(channel)
                except StoreError as error:
                    # The channel is another one or gone already: nothing refers to it any more.
                    _log.error("A secret cannot be removed: %s", error)

    async def add(
        self, name: str, url: str, channel_id: str | None = None, *, is_on: bool = True
    ) -> Channel:
        """A new channel. An id that is not given is made from the name."""
        async with self.definitions.changing():
            parse_name("name", name)
            taken = (DESKTOP, SOUND, *self._channels)
            if channel_id is None:
                channel_id = free_id(name, set(taken), {})
            _require_id(channel_id, taken)
            channel, secrets = await self.drafted(channel_id, name, url, is_on=is_on)
            await self.definitions.change(Changes(channels=[channel], secrets=secrets))
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
        async with self.definitions.changing():
            old, secrets = self.named(channel_id), dict[str, str]()
            changed = replace(
                old,
                name=old.name if name is None else parse_name("name", name),
                is_on=old.is_on if is_on is None else is_on,
            )
            if url is not None:
                changed, secrets = await self.drafted(
                    channel_id, changed.name, url, is_on=changed.is_on
                )
            await self.definitions.change(Changes(channels=[changed], secrets=secrets))
            return changed

    async def remove(self, channel_id: str) -> None:
        async with self.definitions.changing():
            await self.definitions.change(Changes(removed_channels=[self.named(channel_id)]))

    async def _forget_address(self, channel: Channel) -> None:
        self._addresses.pop(channel.id, None)
        others = (one.url for one in self._channels.values() if one.id != channel.id)
        if channel.url.startswith(_SECRET + _secret_name("")) and channel.url not in others:
            await asyncio.to_thread(self._keeper.delete, channel.url.removeprefix(_SECRET))

    def _require_usable(self, url: str) -> None:
        """Refuse an address that nothing can be sent to; it is a secret, so it is not shown."""
        if url.startswith(_SECRET):
            name = url.removeprefix(_SECRET)
            found = self._keeper.get(name)
            if found is None:
                # The names of those that were taken out of addresses are not for people to use.
                kept = "one that was kept with: uptime-desktop secret set NAME"
                allowed = "the address itself" if "/" in name else kept
                raise Refused("url", "there is no secret {value}", allowed, value=name)
            url = found
        if not can_use(_with_variables(url)):
            allowed = "an Apprise address, as in slack://…, mailto://… or discord://…"
            raise Refused("url", "nothing can be sent to this address", allowed)

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


def _require_id(channel_id: str, taken: Collection[str]) -> None:
    if channel_id in taken or not _ID.fullmatch(channel_id) or len(channel_id) > _LONGEST_ID:
        allowed = "small letters, digits and -, and not one that is taken"
        raise Refused("id", "{value} cannot be the id of a channel", allowed, value=channel_id)


def _is_harmless(url: str) -> bool:
    """Whether nothing of an address is secret: it only says where to find it."""
    if url.startswith(_SECRET):
        return True
    return bool(_VARIABLE.search(url) and _HARMLESS.fullmatch(_VARIABLE.sub("", url)))


def _with_variables(text: str) -> str:
    def value(match: re.Match[str]) -> str:
        try:
            return os.environ[match[1]]
        except KeyError:
            problem = "the environment of the running app has no {value}"
            raise Refused("url", problem, "a variable that is set", value=match[1]) from None

    return _VARIABLE.sub(value, text)
