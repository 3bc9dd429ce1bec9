"""Passwords and tokens by name: in the keyring of the computer, never in the database.

Where there is no keyring, and only if the user agreed, they are in a file beside the database
that nobody else may read. A keyring may ask the user to unlock it and wait: call from a thread.
All databases of a user share a keyring, so each has a service of its own there. It cannot say
what it holds: the names that people gave are in an entry of their own.
"""

import contextlib
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

import keyring
import msgspec
from keyring.backends import fail, null

from uptime_desktop.domain.wording import Sentence
from uptime_desktop.store.errors import NoPlace, StoreError

SERVICE: Final = "uptime-desktop"
_INDEX: Final = "/names"
_DIGEST_CHARACTERS: Final = 12
_T = TypeVar("_T")


class _SecretFile(msgspec.Struct):
    """The whole file; that it exists says when the user agreed to it."""

    agreed_at: int
    secrets: dict[str, str] = {}


class _Index(msgspec.Struct):
    """What the keyring holds for one database, by the names that people gave.

    `not_ours` are names under which another database still has a secret the way it was kept
    when all shared one service.
    """

    named: list[str] = []
    not_ours: list[str] = []


@dataclass
class Secrets:
    """The secrets that belong to one database."""

    database: Path
    service: str = SERVICE
    _trouble: Sentence | None = field(default=None, init=False)

    @property
    def path(self) -> Path:
        """Where the file is, if there is one."""
        return self.database.with_name(f"{self.database.name}.secrets.json")

    def trouble(self) -> Sentence | None:
        """Why the keyring cannot be used, in a sentence; None if nothing speaks against it."""
        if self._trouble is None and not _has_backend():
            return Sentence("This computer has no keyring to keep passwords in.")
        return self._trouble

    def has_consent(self) -> bool:
        """Whether the user agreed to a file."""
        return self._read() is not None

    def record_consent(self, now: int) -> None:
        """The user agreed to a file where there is no keyring."""
        if self._read() is None:
            self._write(_SecretFile(now))

    def withdraw_consent(self) -> None:
        """Remove the file with all that is in it."""
        self.path.unlink(missing_ok=True)

    def get(self, name: str, *, has_failed: bool = False) -> str | None:
        """The secret, None if there is none of this name.

        A keyring that `has_failed` just now is not asked again.
        """
        damage: StoreError | None = None
        try:
            file = self._read()
        except StoreError as error:
            file, damage = None, error
        if file is not None and name in file.secrets:
            return file.secrets[name]
        found = None
        if _has_backend():
            if not has_failed or self._trouble is None:
                found = self._ask(lambda: self._found(name))
            if self._trouble is not None:
                raise damage or StoreError("{trouble}", trouble=self._trouble)
        if found is None and damage is not None:
            raise damage
        return found

    def names(self) -> list[str]:
        """The names that people gave to what is kept here, as far as the keyring tells."""
        file = self._read()
        found = set() if file is None else {name for name in file.secrets if _is_given(name)}
        if _has_backend():
            found.update((self._ask(self._index) or _Index()).named)
        return sorted(found)

    def set(self, name: str, secret: str) -> None:
        """Keep a secret, in the keyring if that takes it."""
        file = self._read()
        if _has_backend():
            self._ask(lambda: self._put(name, secret))
            if self._trouble is None:
                self._forget_in_file(file, name)
                return
        if file is None:
            raise NoPlace(
                "{trouble} Allow a private file instead (on the command line with"
                " --allow-secret-file), or set up a keyring.",
                trouble=self.trouble() or "",
            )
        file.secrets[name] = secret
        self._write(file)

    def delete(self, name: str) -> None:
        """Forget a secret wherever it is; nothing happens if there is none."""
        self._forget_in_file(self._read(), name)
        if _has_backend():
            self._ask(lambda: self._drop(name))

    @property
    def _own_service(self) -> str:
        """What the keyring calls this database: the same wherever the program is started."""
        path = str(self.database.resolve()).encode("utf-8", "surrogateescape")
        return f"{self.service}:{hashlib.sha256(path).hexdigest()[:_DIGEST_CHARACTERS]}"

    def _found(self, name: str) -> str | None:
        """What the keyring holds; if it does so in the service of all, it moves to our own."""
        found = keyring.get_password(self._own_service, name)
        if found is not None:
            return found
        found = keyring.get_password(self.service, name)
        if found is None or name in self._index().not_ours:
            return None
        self._put(name, found)
        keyring.delete_password(self.service, name)
        return found

    def _put(self, name: str, secret: str) -> None:
        keyring.set_password(self._own_service, name, secret)
        if _is_given(name):
            index = self._index()
            if name not in index.named:
                index.named.append(name)
                self._write_index(index)

    def _drop(self, name: str) -> None:
        if self._found(name) is None:
            return
        keyring.delete_password(self._own_service, name)
        index = self._index()
        is_named = name in index.named
        if is_named:
            index.named.remove(name)
        is_elsewhere = keyring.get_password(self.service, name) is not None
        if is_elsewhere:
            # Else the next question would find, and take, what is not ours.
            index.not_ours.append(name)
        if is_named or is_elsewhere:
            self._write_index(index)

    def _index(self) -> _Index:
        written = keyring.get_password(self._own_service, _INDEX)
        try:
            return msgspec.json.decode(written or "{}", type=_Index)
        except msgspec.DecodeError:
            return _Index()

    def _write_index(self, index: _Index) -> None:
        keyring.set_password(self._own_service, _INDEX, msgspec.json.encode(index).decode())

    def _ask(self, act: Callable[[], _T]) -> _T | None:
        """Ask the keyring; whatever it raises becomes `trouble`."""
        try:
            found = act()
        except Exception as error:  # noqa: BLE001, backends raise what they like
            self._trouble = Sentence(
                "The keyring of this computer does not work ({name}: {error}).",
                name=type(error).__name__,
                error=str(error),
            )
            return None
        self._trouble = None
        return found

    def _forget_in_file(self, file: _SecretFile | None, name: str) -> None:
        if file is not None and file.secrets.pop(name, None) is not None:
            self._write(file)

    def _read(self) -> _SecretFile | None:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=_SecretFile)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError) as error:
            problem = "{path} cannot be read: {error}"
            raise StoreError(problem, path=str(self.path), error=str(error)) from error

    def _write(self, file: _SecretFile) -> None:
        """Replace the file in one step, so that a crash leaves the old one or the new."""
        unfinished = self.path.with_name(f"{self.path.name}.unfinished")
        try:
            with contextlib.suppress(FileNotFoundError):
                unfinished.unlink()
            handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as stream:
                stream.write(msgspec.json.format(msgspec.json.encode(file), indent=2))
                stream.flush()
                os.fsync(stream.fileno())
            unfinished.replace(self.path)
        except OSError as error:
            problem = "{path} cannot be written: {error}"
            raise StoreError(
                problem, path=str(self.path), error=error.strerror or "unknown"
            ) from error


def _is_given(name: str) -> bool:
    """Whether a person gave this name; those that are made hold a slash."""
    return "/" not in name


def _has_backend() -> bool:
    """Whether this computer has a keyring at all, working or not."""
    try:
        return not isinstance(keyring.get_keyring(), fail.Keyring | null.Keyring)
    except Exception:  # noqa: BLE001, a backend may fail while it is looked for
        return False
