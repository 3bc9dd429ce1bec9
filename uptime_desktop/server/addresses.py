"""Under what each heartbeat monitor can be reached, looked up so that time tells nothing.

Tokens are found by a hash with a key that only this process has: how long a look-up takes has
nothing to do with how much of a token was right.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest
from typing import Final

_NOBODY: Final = b"\0"
_TO_DASH: Final = str.maketrans(dict.fromkeys("/_.,#+& ", "-"))


@dataclass(frozen=True, slots=True)
class Address:
    """A heartbeat monitor: its site and id, and the names jobs have for it.

    `ping_id` is a lower-case UUID, and the token of Uptime Kuma and Gatus clients too, which may
    have a `token` from before instead. `slug` goes with the ping key; `external_key` is what Gatus
    makes of group and name.
    """

    key: tuple[str, str]
    ping_id: str
    slug: str
    external_key: str
    token: str = ""


def external_key(group: str, name: str) -> str:
    """What Gatus calls an endpoint of this group and name in its addresses."""
    return "_".join(part.strip().lower().translate(_TO_DASH) for part in (group, name))


class AddressBook:
    """All addresses there are, by every name a request may claim."""

    def __init__(self, addresses: Iterable[Address] = (), ping_key: str = "") -> None:
        self._secret = secrets.token_bytes(32)
        self._ping_key = ping_key
        self._external_keys: set[str] = set()
        self._found: dict[bytes, tuple[bytes, list[Address]]] = {}
        for address in addresses:
            self.add(address)

    def add(self, address: Address) -> None:
        """Know this one too; twice is once."""
        tokens = [one for one in (address.ping_id, address.token) if one]
        for token in tokens:
            self._enter(address, "id", token)
        if address.external_key:
            self._external_keys.add(address.external_key)
            for token in tokens:
                self._enter(address, "token", address.external_key, token)
        if address.slug and self._ping_key:
            self._enter(address, "slug", self._ping_key, address.slug)

    def by_id(self, ping_id: str) -> list[Address]:
        return self._look_up("id", ping_id)

    def by_slug(self, ping_key: str, slug: str) -> list[Address]:
        return self._look_up("slug", ping_key, slug)

    def by_endpoint(self, external_key: str, token: str) -> list[Address]:
        return self._look_up("token", external_key, token)

    def has_endpoint(self, external_key: str) -> bool:
        """Whether there is one; its key is no secret."""
        return external_key in self._external_keys

    def is_ping_key(self, text: str) -> bool:
        right = compare_digest(_bytes(text), _bytes(self._ping_key))
        return right and bool(self._ping_key)

    def _enter(self, address: Address, *names: str) -> None:
        name = _joined(names)
        _, there = self._found.setdefault(self._hashed(name), (name, []))
        if address not in there:
            there.append(address)

    def _look_up(self, *names: str) -> list[Address]:
        name = _joined(names)
        known, there = self._found.get(self._hashed(name), (_NOBODY, []))
        return there if compare_digest(known, name) else []

    def _hashed(self, name: bytes) -> bytes:
        return blake2b(name, digest_size=16, key=self._secret).digest()


def _joined(names: tuple[str, ...]) -> bytes:
    return _bytes("\0".join(names))


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")
