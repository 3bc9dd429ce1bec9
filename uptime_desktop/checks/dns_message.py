"""DNS messages: the question as it is sent, and what an answer says. No sockets."""

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from uptime_desktop.checks.dns_settings import SUCCESS
from uptime_desktop.checks.failure import Failed

if TYPE_CHECKING:
    from dns.rdata import Rdata

HEADER_BYTES: Final = 12
# What fits through every network in one piece.
_LARGEST_DATAGRAM: Final = 1_232
_MOST_BODY: Final = 2_048
_LARGE_BYTES: Final = 2_048
_MANY_RECORDS: Final = 16
_MOST_RECORDS: Final = 1_000
_LONGEST_CHAIN: Final = 16
_CNAME, _OPT = 5, 41
_RECORD_HEAD: Final = struct.Struct("!HHIH")
_IS_ANSWER, _IS_TRUNCATED, _OPCODE, _RCODE = 0x80, 0x02, 0x78, 0x0F
# A server that could not read the question may leave it out: FORMERR, SERVFAIL, NOTIMP, REFUSED.
_WITHOUT_QUESTION: Final = frozenset({1, 2, 4, 5})


@dataclass(frozen=True, slots=True)
class Question:
    """A question as it goes out, but for its identifier."""

    wire: bytes
    name: bytes
    type_and_class: bytes

    def numbered(self, identifier: bytes) -> bytes:
        return identifier + self.wire[2:]

    def is_answered_by(self, data: bytes, identifier: bytes) -> bool:
        """Whether it is the answer to this very question; what is in it may still be wrong."""
        if len(data) < HEADER_BYTES or data[:2] != identifier:
            return False
        if not data[2] & _IS_ANSWER or data[2] & _OPCODE:
            return False
        questions = int.from_bytes(data[4:6], "big")
        if questions == 0:
            return data[3] & _RCODE in _WITHOUT_QUESTION
        end = HEADER_BYTES + len(self.name)
        return (
            questions == 1
            and data[HEADER_BYTES:end].lower() == self.name
            and data[end : end + 4] == self.type_and_class
        )


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """`records` are what was asked for, at the end of a chain of CNAMEs if there is one."""

    rcode: str
    status_line: str
    records: tuple[str, ...]
    body: str


def is_truncated(data: bytes) -> bool:
    return bool(data[2] & _IS_TRUNCATED)


def make_question(name_and_type: tuple[str, str]) -> Question:
    """Slow the first time: call it off the loop."""
    # dnspython takes 70 ms that a program without dns monitors never pays.
    import dns.message  # noqa: PLC0415
    import dns.rdatatype  # noqa: PLC0415

    name, record_type = name_and_type
    kind = dns.rdatatype.from_text(record_type)
    query = dns.message.make_query(name, kind, use_edns=0, payload=_LARGEST_DATAGRAM)
    query.id = 0
    wire, asked = query.to_wire(), query.question[0].name.to_digestable()
    end = HEADER_BYTES + len(asked)
    return Question(wire, asked, wire[end : end + 4])


def is_large(data: bytes) -> bool:
    """Whether reading it may take longer than a moment."""
    return len(data) > _LARGE_BYTES or sum(_counts(data)) > _MANY_RECORDS


def read_answer(data: bytes) -> DnsAnswer:
    """Record by record: what dnspython does with whole messages can be made to take seconds."""
    import dns.exception  # noqa: PLC0415
    import dns.flags  # noqa: PLC0415
    import dns.rcode  # noqa: PLC0415

    answers, authorities, others = _counts(data)
    if answers + authorities + others > _MOST_RECORDS:
        raise Failed("the answer holds more than {count} records", count=_MOST_RECORDS)
    reader = _Reader(data)
    try:
        asked = reader.question() if data[5] else None
        answer = [reader.record() for _ in range(answers)]
        authority = [reader.record() for _ in range(authorities)]
        code = data[3] & _RCODE | reader.extended_rcode(others)
        rcode = dns.rcode.to_text(dns.rcode.Rcode.make(code))
    except (dns.exception.DNSException, ValueError, struct.error):
        raise Failed("the answer is malformed") from None
    flags = dns.flags.to_text(int.from_bytes(data[2:4], "big")).lower()
    return DnsAnswer(
        rcode,
        f"status: {rcode}, flags: {flags}, answers: {answers}",
        _asked_for(answer, *asked) if asked and rcode == SUCCESS else (),
        _body(answer, authority),
    )


@dataclass(frozen=True, slots=True)
class _Record:
    owner: str
    ttl: int
    kind: int
    data: "Rdata"


def _counts(data: bytes) -> tuple[int, int, int]:
    """How many records each section claims to have."""
    answers, authorities, others = (int.from_bytes(data[at : at + 2], "big") for at in (6, 8, 10))
    return answers, authorities, others


class _Reader:
    """Goes through a message from the question on."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = HEADER_BYTES

    def question(self) -> tuple[str, int]:
        name = self._name().lower()
        (kind,) = struct.unpack_from("!H2x", self._data, self._at)
        self._at += 4
        return name, kind

    def record(self) -> _Record:
        import dns.rdata  # noqa: PLC0415
        import dns.rdataclass  # noqa: PLC0415
        import dns.rdatatype  # noqa: PLC0415

        owner = self._name()
        kind, class_number, ttl, length = self._head()
        data = dns.rdata.from_wire(
            dns.rdataclass.RdataClass.make(class_number),
            dns.rdatatype.RdataType.make(kind),
            self._data,
            self._at,
            length,
        )
        self._at += length
        return _Record(owner, ttl, kind, data)

    def extended_rcode(self, count: int) -> int:
        """The upper bits of the response code, which stand with the extensions."""
        for _ in range(count):
            self._name()
            kind, _, ttl, length = self._head()
            self._at += length
            if kind == _OPT:
                return ttl >> 24 << 4
        return 0

    def _name(self) -> str:
        import dns.name  # noqa: PLC0415

        name, used = dns.name.from_wire(self._data, self._at)
        self._at += used
        return name.to_text()

    def _head(self) -> tuple[int, int, int, int]:
        kind, class_number, ttl, length = _RECORD_HEAD.unpack_from(self._data, self._at)
        self._at += _RECORD_HEAD.size
        return kind, class_number, ttl, length


def _asked_for(answer: list[_Record], name: str, kind: int) -> tuple[str, ...]:
    """The records of that name and type, found along the chain of CNAMEs as it was given."""
    by_owner: dict[tuple[str, int], list[_Record]] = {}
    for record in answer:
        by_owner.setdefault((record.owner.lower(), record.kind), []).append(record)
    for _ in range(_LONGEST_CHAIN):
        found = by_owner.get((name, kind))
        if found:
            return tuple(dict.fromkeys(_text(record.data) for record in found))
        chained = by_owner.get((name, _CNAME))
        if not chained:
            return ()
        name = chained[0].data.to_text().lower()
    raise Failed("the chain of CNAME records in the answer is too long")


def _text(data: "Rdata") -> str:
    """In the form of a zone file; a TXT record joined, without quotes."""
    strings = getattr(data, "strings", None)
    return data.to_text() if strings is None else b"".join(strings).decode("utf-8", "replace")


def _body(answer: list[_Record], authority: list[_Record]) -> str:
    """The answers as dig prints them; where there are none, who says so."""
    import dns.rdatatype  # noqa: PLC0415

    lines = [] if answer or not authority else [";; AUTHORITY SECTION:"]
    length = 0
    for record in answer or authority:
        kind = dns.rdatatype.to_text(dns.rdatatype.RdataType.make(record.kind))
        lines.append(f"{record.owner}\t{record.ttl}\tIN\t{kind}\t{record.data.to_text()}")
        length += len(lines[-1])
        if length > _MOST_BODY:
            break
    return "\n".join(lines)[:_MOST_BODY]
