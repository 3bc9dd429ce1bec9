"""Asking a server in its own protocol to go over to TLS."""

import re
from dataclasses import dataclass
from typing import Final

from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.net.connection import Connection
from uptime_desktop.checks.trail import Trail

_MOST_BYTES: Final = 16_384
_MOST_SHOWN: Final = 80
_UNPRINTABLE: Final = re.compile(r"[^\x20-\x7e]+")

# The last line of a reply, after any that go before it.
_NUMBERED: Final = re.compile(rb"(?:[^\n]*\n)*?([0-9]{3}(?: [^\n]*)?\r?)\n")
_ONE_LINE: Final = re.compile(rb"([+*-][^\n]*)\n")
_TAGGED: Final = re.compile(rb"(?:\*[^\n]*\n)*(a1 [^\n]*)\n")


@dataclass(frozen=True, slots=True)
class _Step:
    """What is said, how the reply to it ends, and how that begins if all is well."""

    say: bytes
    reply: re.Pattern[bytes]
    welcome: bytes


@dataclass(frozen=True, slots=True)
class _Dialogue:
    name: str
    port: int
    steps: tuple[_Step, ...]


_POSTGRES: Final = "postgres"
_SSL_REQUEST: Final = bytes.fromhex("00000008 04d2162f")
_DIALOGUES: Final = {
    "smtp": _Dialogue(
        "SMTP",
        25,
        (
            _Step(b"", _NUMBERED, b"220"),
            _Step(b"EHLO uptime-desktop.invalid\r\n", _NUMBERED, b"250"),
            _Step(b"STARTTLS\r\n", _NUMBERED, b"220"),
        ),
    ),
    "imap": _Dialogue(
        "IMAP",
        143,
        (_Step(b"", _ONE_LINE, b"* OK"), _Step(b"a1 STARTTLS\r\n", _TAGGED, b"a1 OK")),
    ),
    "pop3": _Dialogue(
        "POP3",
        110,
        (_Step(b"", _ONE_LINE, b"+OK"), _Step(b"STLS\r\n", _ONE_LINE, b"+OK")),
    ),
    "ftp": _Dialogue(
        "FTP",
        21,
        (_Step(b"", _NUMBERED, b"220"), _Step(b"AUTH TLS\r\n", _NUMBERED, b"234")),
    ),
    _POSTGRES: _Dialogue("PostgreSQL", 5_432, ()),
}
STARTTLS: Final = tuple(_DIALOGUES)


def usual_port(protocol: str) -> int:
    return _DIALOGUES[protocol].port


async def start(connection: Connection, protocol: str, trail: Trail) -> None:
    """From the greeting up to where TLS begins; what the server says stays with the trail."""
    if protocol == _POSTGRES:
        await _ask_postgres(connection, trail)
        return
    dialogue = _DIALOGUES[protocol]
    rest = b""
    for step in dialogue.steps:
        said, rest = await _reply(connection, dialogue.name, step, trail, rest)
        if said.startswith(step.welcome):
            continue
        if step is dialogue.steps[-1]:
            raise Failed("the server does not offer STARTTLS: {said}", said=_shown(said))
        raise Failed("the server answers {said}", said=_shown(said))
    if rest:
        # Else it would be taken for what came through TLS.
        raise Failed("the server speaks on before TLS begins")


async def _reply(
    connection: Connection, name: str, step: _Step, trail: Trail, reply: bytes
) -> tuple[bytes, bytes]:
    """The last line of the reply, and what came after it."""
    if step.say:
        await connection.send(step.say)
    while not (match := step.reply.match(reply)):
        if len(reply) > _MOST_BYTES or not _can_become(step, reply):
            raise Failed("the server does not speak {protocol}", protocol=name)
        reply += await _more(connection, trail)
    return match[1].rstrip(), reply[match.end() :]


def _can_become(step: _Step, reply: bytes) -> bool:
    if step.reply is _NUMBERED:
        return re.match(rb"[0-9]{0,3}\Z|[0-9]{3}[ -]", reply) is not None
    return not reply or reply[:1] in b"+*-a"


async def _ask_postgres(connection: Connection, trail: Trail) -> None:
    await connection.send(_SSL_REQUEST)
    match await _more(connection, trail):
        case b"S":
            return
        case b"N":
            raise Failed("the server does not offer TLS")
        case said if said[:1] in b"SN":
            raise Failed("the server speaks on before TLS begins")
    raise Failed("the server does not speak {protocol}", protocol=_DIALOGUES[_POSTGRES].name)


async def _more(connection: Connection, trail: Trail) -> bytes:
    data = await connection.receive()
    if not data:
        raise Failed(
            "connection closed by {address} before TLS began", address=str(connection.endpoint)
        )
    trail.received += data
    return data


def _shown(said: bytes) -> str:
    return _UNPRINTABLE.sub(" ", said.decode("ascii", "replace"))[:_MOST_SHOWN].strip()
