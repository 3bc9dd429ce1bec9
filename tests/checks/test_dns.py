"""The dns check: its settings, and name servers right, wrong and silent."""

import asyncio
import contextlib
import random
import socket
import ssl
from collections.abc import Callable, Sequence
from pathlib import Path

import dns.message
import dns.rcode
import dns.rrset
import pytest
import trustme

from tests.checks.dns_server import (
    Respond,
    answer_to,
    from_zone,
    http2_name_server,
    name_server,
    silent,
    truncated,
    web_name_server,
    with_rcode,
)
from tests.checks.servers import finish, server_context, serving
from uptime_desktop.checks.base import evidence_left
from uptime_desktop.checks.dns import DnsKind
from uptime_desktop.checks.dns_exchange import Exchange, system_name_servers
from uptime_desktop.checks.dns_message import read_answer
from uptime_desktop.checks.failure import Failed
from uptime_desktop.checks.net.resolver import Resolver
from uptime_desktop.domain.model import Outcome, Setting, Unmet
from uptime_desktop.domain.refusal import Refused
from uptime_desktop.domain.status import Status

KIND = DnsKind()


@pytest.mark.parametrize(
    ("settings", "described", "origin"),
    [
        ({"host": "Example.org"}, "A example.org", "dns:system"),
        ({"host": "dns://example.org/"}, "A example.org", "dns:system"),
        ({"host": ".", "record_type": "ns"}, "NS .", "dns:system"),
        ({"host": "bücher.example"}, "A xn--bcher-kva.example", "dns:system"),
        ({"host": "_dmarc.a.example", "record_type": "TXT"}, "TXT _dmarc.a.example", "dns:system"),
        ({"host": "192.0.2.7", "record_type": "PTR"}, "PTR 7.2.0.192.in-addr.arpa", "dns:system"),
        ({"host": "a", "resolver": "9.9.9.9"}, "A a @9.9.9.9:53", "dns:9.9.9.9:53"),
        ({"host": "a", "resolver": "9.9.9.9:5353"}, "A a @9.9.9.9:5353", "dns:9.9.9.9:5353"),
        ({"host": "a", "resolver": "::1"}, "A a @[::1]:53", "dns:[::1]:53"),
        ({"host": "a", "resolver": "udp://[::1]:5353/"}, "A a @[::1]:5353", "dns:[::1]:5353"),
        ({"host": "a", "resolver": "tcp://ns"}, "A a @tcp://ns:53", "dns:tcp://ns:53"),
        ({"host": "a", "resolver": "TLS://ns"}, "A a @tls://ns:853", "dns:tls://ns:853"),
        (
            {"host": "a", "resolver": "https://ns.example"},
            "A a @https://ns.example/dns-query",
            "https://ns.example:443",
        ),
        (
            {"host": "a", "resolver": "https://ns.example:8443/ask"},
            "A a @https://ns.example:8443/ask",
            "https://ns.example:8443",
        ),
    ],
)
def test_what_is_asked_of_whom(settings: dict[str, Setting], described: str, origin: str) -> None:
    spec = KIND.parse(settings)
    assert (KIND.describe(spec), KIND.origin(spec)) == (described, origin)


def test_an_ipv6_address_is_turned_into_its_name() -> None:
    spec = KIND.parse({"host": "2001:db8::7", "record_type": "PTR"})
    assert spec.name.startswith("7.0.0.0.")
    assert spec.name.endswith(".8.b.d.0.1.0.0.2.ip6.arpa")


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({}, "host"),
        ({"host": "two words"}, "host"),
        ({"host": "192.0.2.7"}, "host"),
        ({"host": "a" * 64}, "host"),
        ({"host": "a", "record_type": "ANY"}, "record_type"),
        ({"host": "a", "resolver": "ftp://ns"}, "resolver"),
        ({"host": "a", "resolver": "ns:0"}, "resolver"),
        ({"host": "a", "resolver": "two words"}, "resolver"),
        ({"host": "a", "resolver": "https://me:secret@ns/"}, "resolver"),
        ({"host": "a", "resolver": "https://ns/?token=secret"}, "resolver"),
        ({"host": "a", "answers": "some"}, "answers"),
        ({"host": "a", "expected": ["2001:db8::1"]}, "expected"),
        ({"host": "a", "expected": ["mail"]}, "expected"),
        ({"host": "a", "record_type": "AAAA", "expected": ["192.0.2.1"]}, "expected"),
        ({"host": "a", "record_type": "MX", "expected": ["mail.example."]}, "expected"),
        ({"host": "a", "record_type": "SRV", "expected": ["1 2 sip.example."]}, "expected"),
        ({"host": "a", "record_type": "NS", "expected": ["ns1 ns2"]}, "expected"),
        ({"host": "a", "expected": ["192.0.2.1"], "expected_rcode": "NXDOMAIN"}, "expected"),
        ({"host": "a", "client_key": "k.pem"}, "client_key"),
        ({"host": "a", "port": 53}, "port"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(settings: dict[str, Setting], field: str) -> None:
    with pytest.raises(Refused) as refused:
        KIND.parse(settings)
    assert refused.value.field == field
    assert "secret" not in refused.value.text()


def test_an_example_is_not_taken_for_what_is_allowed() -> None:
    with pytest.raises(Refused) as refused:
        KIND.parse({"host": "a", "expected": ("mail",)})
    assert refused.value.text().endswith("Allowed: an address such as 192.0.2.7.")


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({}, "dig a.example A"),
        ({"resolver": "9.9.9.9"}, "dig @9.9.9.9 -p 53 a.example A"),
        ({"resolver": "tcp://[::1]:5353"}, "dig @::1 -p 5353 +tcp a.example A"),
        (
            {"resolver": "tls://ns.example"},
            "dig @ns.example -p 853 +tls +tls-ca +tls-hostname=ns.example a.example A",
        ),
        (
            {"resolver": "tls://192.0.2.1", "verify_certificate": False},
            "dig @192.0.2.1 -p 853 +tls a.example A",
        ),
        (
            {
                "resolver": "https://ns.example/ask",
                "ca_file": "ca.pem",
                "client_certificate": "me.pem",
            },
            (
                "dig @ns.example -p 443 +https=/ask +tls-ca=ca.pem "
                "+tls-hostname=ns.example +tls-certfile=me.pem +tls-keyfile=me.pem a.example A"
            ),
        ),
    ],
)
def test_the_line_that_repeats_it(settings: dict[str, Setting], line: str) -> None:
    assert KIND.parse({"host": "a.example", **settings}).repeat_with == line


async def checked(
    resolver: str, host: str = "example.org", kind: DnsKind = KIND, **settings: Setting
) -> Outcome:
    spec = kind.parse({"host": host, "resolver": resolver, **settings})
    async with asyncio.timeout(10):
        return await kind.check(spec, 10)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("host", "record_type", "reason"),
    [
        ("example.org", "A", "A 192.0.2.7, 192.0.2.8"),
        ("EXAMPLE.org.", "A", "A 192.0.2.7, 192.0.2.8"),
        ("example.org", "AAAA", "AAAA 2001:db8::7"),
        ("www.example.org", "CNAME", "CNAME web.example.org."),
        ("example.org", "MX", "MX 10 Mail.example.org., 20 mail2.example.org."),
        ("example.org", "TXT", 'TXT say "hi", v=spf1 include:example.net -all'),
        ("example.org", "NS", "NS ns1.example.org."),
        ("example.org", "SOA", "SOA ns1.example.org. admin.example.org. 7 3600 600 86400 300"),
        ("_sip._tcp.example.org", "SRV", "SRV 10 5 5060 sip.example.org."),
        ("example.org", "CAA", 'CAA 0 issue "ca.example.net"'),
        ("192.0.2.7", "PTR", "PTR www.example.org."),
    ],
)
@pytest.mark.parametrize("scheme", ["", "tcp://"])
async def test_every_type_of_record_is_answered(
    scheme: str, host: str, record_type: str, reason: str
) -> None:
    async with name_server() as server:
        outcome = await checked(scheme + server.address, host, record_type=record_type)
    assert (outcome.status, outcome.reason) == (Status.UP, reason)
    assert outcome.response_ms is not None
    assert server.ways == ["tcp" if scheme else "udp"]


@pytest.mark.asyncio
async def test_the_evidence_is_what_dig_prints() -> None:
    async with name_server() as server:
        evidence = (await checked(server.address)).evidence
    assert evidence is not None
    assert sorted(evidence.body.splitlines()) == [
        "example.org.\t300\tIN\tA\t192.0.2.7",
        "example.org.\t300\tIN\tA\t192.0.2.8",
    ]
    assert evidence.status_line == "status: NOERROR, flags: qr rd ra, answers: 2"
    assert evidence.address == server.address
    assert [name for name, _ in evidence.timings_ms] == ["dns", "first_byte", "total"]


@pytest.mark.asyncio
async def test_a_chain_of_names_is_followed_and_shown() -> None:
    async with name_server() as server:
        outcome = await checked(server.address, "www.example.org", expected="192.0.2.8")
    assert (outcome.status, outcome.reason) == (Status.UP, "A 192.0.2.7, 192.0.2.8")
    assert outcome.evidence is not None
    assert outcome.evidence.body.splitlines()[:2] == [
        "www.example.org.\t60\tIN\tCNAME\tweb.example.org.",
        "web.example.org.\t60\tIN\tCNAME\texample.org.",
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("record_type", "expected", "answers", "reason"),
    [
        ("A", ("192.0.2.8",), "contain", ""),
        ("A", ("192.0.2.8", "192.0.2.7"), "equal", ""),
        ("A", ("192.0.2.8",), "equal", "A 192.0.2.7 was not expected"),
        (
            "A",
            ("192.0.2.7", "192.0.2.9"),
            "contain",
            "A 192.0.2.9 is missing, the answer is 192.0.2.7, 192.0.2.8",
        ),
        (
            "A",
            ("192.0.2.9",),
            "equal",
            "A 192.0.2.9 is missing, the answer is 192.0.2.7, 192.0.2.8",
        ),
        ("AAAA", ("2001:0DB8:0::7",), "equal", ""),
        ("MX", ("10  mail.EXAMPLE.org",), "contain", ""),
        ("MX", ("10 mail.example.org.", "20 mail2.example.org"), "equal", ""),
        (
            "MX",
            ("20 mail.example.org",),
            "contain",
            (
                "MX 20 mail.example.org is missing, "
                "the answer is 10 Mail.example.org., 20 mail2.example.org."
            ),
        ),
        ("TXT", ("v=spf1 include:example.net -all",), "contain", ""),
        ("TXT", ('"v=spf1 include:" "example.net -all"',), "contain", ""),
        ("TXT", ('"say \\"hi\\""',), "contain", ""),
        ("TXT", ('say "hi"',), "contain", ""),
        ("CAA", ("0 issue ca.example.net",), "equal", ""),
        ("CAA", ('0 ISSUE "ca.example.net"',), "equal", ""),
        ("SOA", ("ns1.example.org admin.example.org 7 3600 600 86400 300",), "equal", ""),
    ],
)
async def test_expected_answers(
    record_type: str, expected: tuple[str, ...], answers: str, reason: str
) -> None:
    async with name_server() as server:
        outcome = await checked(
            server.address, record_type=record_type, expected=expected, answers=answers
        )
    assert outcome.status is (Status.DOWN if reason else Status.UP)
    assert outcome.response_ms is not None
    assert outcome.evidence is not None
    assert [unmet.what for unmet in outcome.evidence.unmet] == (["answers"] if reason else [])
    if reason:
        assert outcome.reason == reason


@pytest.mark.asyncio
@pytest.mark.parametrize(("expected", "status"), [(r'"\"hi\""', Status.UP), ('"hi"', Status.DOWN)])
async def test_quotes_inside_a_text_count(expected: str, status: Status) -> None:
    async with name_server() as server:
        outcome = await checked(
            server.address, "quoted.example.org", record_type="TXT", expected=expected
        )
    assert outcome.status is status


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("respond", "host", "reason"),
    [
        (from_zone, "no.example", "no.example does not exist (NXDOMAIN)"),
        (from_zone, "empty.example.org", "empty.example.org has no A record"),
        (from_zone, "dangling.example.org", "dangling.example.org has no A record"),
        (
            from_zone,
            "circle.example.org",
            "the chain of CNAME records in the answer is too long",
        ),
        (
            with_rcode(dns.rcode.SERVFAIL),
            "a.example",
            "the name server could not find an answer (SERVFAIL)",
        ),
        (
            with_rcode(dns.rcode.REFUSED),
            "a.example",
            "the name server refuses to answer (REFUSED)",
        ),
        (with_rcode(dns.rcode.NOTIMP), "a.example", "the name server answers NOTIMP"),
        (with_rcode(dns.rcode.BADCOOKIE), "a.example", "the name server answers BADCOOKIE"),
    ],
)
async def test_each_way_to_have_no_answer_has_its_sentence(
    respond: Respond, host: str, reason: str
) -> None:
    async with name_server(respond) as server:
        outcome = await checked(server.address, host)
    assert (outcome.status, outcome.reason) == (Status.DOWN, reason)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("rcode", "status", "reason"),
    [
        ("NXDOMAIN", Status.UP, "answered NXDOMAIN, as expected"),
        ("REFUSED", Status.DOWN, "answered NXDOMAIN, REFUSED was expected"),
    ],
)
async def test_another_response_code_can_be_the_right_one(
    rcode: str, status: Status, reason: str
) -> None:
    async with name_server() as server:
        outcome = await checked(server.address, "no.example", expected_rcode=rcode)
    assert (outcome.status, outcome.reason) == (status, reason)
    assert outcome.evidence is not None
    assert outcome.evidence.body.startswith(";; AUTHORITY SECTION:\nexample.org.\t300\tIN\tSOA\t")
    if status is Status.DOWN:
        assert outcome.evidence.unmet == (Unmet("status", rcode, "NXDOMAIN"),)


@pytest.mark.asyncio
async def test_a_refusal_may_come_without_the_question() -> None:
    def respond(query: dns.message.Message) -> Sequence[bytes]:
        return [query.to_wire()[:2] + b"\x81\x05" + bytes(8)]

    async with name_server(respond) as server:
        outcome = await checked(server.address)
    assert outcome.reason == "the name server refuses to answer (REFUSED)"


def right(query: dns.message.Message) -> bytes:
    return answer_to(query).to_wire()


def other_question(query: dns.message.Message) -> bytes:
    asked = dns.message.make_query("other.example", "A", id=query.id)
    return dns.message.make_response(asked).to_wire()


def other_type(query: dns.message.Message) -> bytes:
    asked = dns.message.make_query("example.org", "AAAA", id=query.id)
    return right(asked)


STRANGE = [
    pytest.param(lambda query: bytes([right(query)[0] ^ 1]) + right(query)[1:], id="identifier"),
    pytest.param(other_question, id="another question"),
    pytest.param(other_type, id="another type"),
    pytest.param(lambda query: query.to_wire(), id="the question itself"),
    pytest.param(lambda query: right(query)[:11], id="cut in the header"),
    pytest.param(lambda query: right(query)[:2] + b"\x81\x80" + bytes(8), id="no question"),
    pytest.param(lambda _: b"garbage", id="garbage"),
]


@pytest.mark.asyncio
@pytest.mark.parametrize("strange", STRANGE)
async def test_what_does_not_fit_the_question_is_passed_over(
    strange: Callable[[dns.message.Message], bytes],
) -> None:
    async with name_server(lambda query: [strange(query)] * 9 + [right(query)]) as server:
        outcome = await checked(server.address)
    assert (outcome.status, outcome.reason) == (Status.UP, "A 192.0.2.7, 192.0.2.8")


@pytest.mark.asyncio
@pytest.mark.parametrize("strange", STRANGE)
async def test_a_server_that_never_answers_the_question_is_told(
    strange: Callable[[dns.message.Message], bytes],
) -> None:
    async with name_server(lambda query: [strange(query)] * 100) as server:
        by_udp = await checked(server.address)
    async with name_server(tcp=lambda query: [strange(query)]) as other:
        by_tcp = await checked("tcp://" + other.address)
    assert (by_udp.status, by_udp.reason) == (
        Status.DOWN,
        f"answers from {server.address} do not fit the question",
    )
    assert by_tcp.reason == "the answer does not fit the question"


@pytest.mark.asyncio
async def test_an_answer_from_elsewhere_is_not_heard() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as there:
        there.bind(("127.0.0.1", 0))
        there.setblocking(False)

        async def answer() -> None:
            loop = asyncio.get_running_loop()
            data, asker = await loop.sock_recvfrom(there, 1_000)
            query = dns.message.from_wire(data)
            lie = dns.message.make_response(query)
            lie.answer.append(dns.rrset.from_text("example.org.", 1, "IN", "A", "192.0.2.66"))
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as elsewhere:
                elsewhere.sendto(lie.to_wire(), asker)
            await loop.sock_sendto(there, right(query), asker)

        address = f"127.0.0.1:{there.getsockname()[1]}"
        outcome, _ = await asyncio.gather(checked(address), answer())
    assert outcome.reason == "A 192.0.2.7, 192.0.2.8"


def broken(query: dns.message.Message) -> Sequence[bytes]:
    """Fits the question, but the records are cut off."""
    return [right(query)[:-20]]


@pytest.mark.asyncio
@pytest.mark.parametrize("scheme", ["", "tcp://"])
async def test_a_malformed_answer_is_told_and_shown(scheme: str) -> None:
    async with name_server(broken, broken) as server:
        outcome = await checked(scheme + server.address)
    assert (outcome.status, outcome.reason) == (Status.DOWN, "the answer is malformed")
    assert outcome.evidence is not None
    assert bytes.fromhex(outcome.evidence.body)[12:25] == b"\x07example\x03org\x00"


def test_no_answer_however_mangled_breaks_the_reader() -> None:
    chance = random.Random(7)
    wires = [
        right(dns.message.make_query("www.example.org", "A")),
        right(dns.message.make_query("example.org", "SOA", want_dnssec=True)),
        right(dns.message.make_query("example.org", "TXT")),
    ]
    for _ in range(3_000):
        wire = bytearray(chance.choice(wires))
        for _ in range(chance.randint(1, 4)):
            wire[chance.randrange(2, len(wire))] = chance.randrange(256)
        with contextlib.suppress(Failed):
            read_answer(bytes(wire[: chance.randint(12, len(wire))]))


@pytest.mark.asyncio
async def test_silence_is_told_after_asking_again() -> None:
    async with name_server(silent) as server:
        spec = KIND.parse({"host": "example.org", "resolver": server.address})
        outcome = await KIND.check(spec, 0.3)
    assert (outcome.status, outcome.reason) == (Status.DOWN, f"no answer from {server.address}")
    assert server.ways == ["udp"] * 3
    assert outcome.evidence is not None
    assert "first_byte" in dict(outcome.evidence.timings_ms)


@pytest.mark.asyncio
async def test_a_lost_question_is_asked_again() -> None:
    def respond(query: dns.message.Message) -> Sequence[bytes]:
        return [] if len(server.asked) == 1 else from_zone(query)

    async with name_server(respond) as server:
        spec = KIND.parse({"host": "example.org", "resolver": server.address})
        outcome = await KIND.check(spec, 5)
    assert outcome.status is Status.UP
    assert server.ways == ["udp", "udp"]


@pytest.mark.asyncio
@pytest.mark.parametrize("scheme", ["", "tcp://", "tls://"])
async def test_nobody_listens(scheme: str) -> None:
    async with name_server(None, None) as server:
        outcome = await checked(scheme + server.address)
    assert (outcome.status, outcome.reason) == (
        Status.DOWN,
        f"connection refused by {server.address}",
    )


@pytest.mark.asyncio
async def test_a_truncated_answer_is_asked_for_by_tcp() -> None:
    async with name_server(truncated) as server:
        outcome = await checked(server.address)
    assert (outcome.status, outcome.reason) == (Status.UP, "A 192.0.2.7, 192.0.2.8")
    assert server.ways == ["udp", "tcp"]
    assert outcome.evidence is not None
    assert outcome.evidence.address == f"{server.address}; {server.address}"
    timings = [name for name, _ in outcome.evidence.timings_ms]
    assert timings == ["dns", "first_byte", "connect", "total"]


@pytest.mark.asyncio
async def test_a_truncated_answer_without_tcp_is_told() -> None:
    async with name_server(truncated, None) as server:
        outcome = await checked(server.address)
    assert (outcome.status, outcome.reason) == (
        Status.DOWN,
        f"the answer is too long for UDP, and by TCP: connection refused by {server.address}",
    )


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (b"", "connection closed without an answer"),
        (b"\x01", "connection closed before the end of the answer"),
        (b"\xff\xff" + bytes(100), "connection closed before the end of the answer"),
        (b"\x00\x00", "the answer does not fit the question"),
    ],
)
async def test_an_answer_by_tcp_that_ends_early(sent: bytes, reason: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(2)
        await reader.read(1_000)
        writer.write(sent)
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with listening:
        port = listening.sockets[0].getsockname()[1]
        outcome = await checked(f"tcp://127.0.0.1:{port}")
    assert (outcome.status, outcome.reason) == (Status.DOWN, reason)


@pytest.mark.asyncio
async def test_hundreds_of_answers_are_read_and_shown_in_part() -> None:
    async with name_server(tcp=with_addresses(1_000)) as server:
        outcome = await checked("tcp://" + server.address, expected="10.0.3.231")
    assert outcome.status is Status.UP
    assert len(outcome.reason) < 200
    assert outcome.evidence is not None
    assert len(outcome.evidence.body) == 2_048


def with_addresses(count: int) -> Respond:
    addresses = [f"10.0.{number // 256}.{number % 256}" for number in range(count)]

    def respond(query: dns.message.Message) -> Sequence[bytes]:
        response = dns.message.make_response(query)
        response.use_edns(False)
        response.answer.append(dns.rrset.from_text("example.org.", 1, "IN", "A", *addresses))
        return [response.to_wire(max_size=65_535)]

    return respond


@pytest.mark.asyncio
async def test_thousands_of_answers_are_too_many() -> None:
    async with name_server(tcp=with_addresses(1_001)) as server:
        outcome = await checked("tcp://" + server.address)
    assert (outcome.status, outcome.reason) == (
        Status.DOWN,
        "the answer holds more than 1000 records",
    )


@pytest.mark.asyncio
async def test_control_characters_of_a_server_are_not_passed_on() -> None:
    async with name_server() as server:
        outcome = await checked(server.address, "rude.example.org", record_type="TXT")
    assert outcome.status is Status.UP
    assert outcome.evidence is not None
    assert outcome.reason == "TXT \N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}"
    assert "\x1b" not in outcome.evidence.body


@pytest.mark.asyncio
async def test_a_slow_answer_is_degraded() -> None:
    loop = asyncio.get_running_loop()

    def busy(query: dns.message.Message) -> Sequence[bytes]:
        until = loop.time() + 0.005
        while loop.time() < until:
            pass
        return from_zone(query)

    async with name_server(busy) as server:
        outcome = await checked(server.address, latency_threshold="1ms")
    assert outcome.status is Status.DEGRADED
    assert outcome.reason.startswith("took ")


@pytest.mark.asyncio
async def test_a_check_cut_off_leaves_what_it_had_seen() -> None:
    async with name_server(tcp=silent) as server:
        spec = KIND.parse({"host": "example.org", "resolver": "tcp://" + server.address})
        with pytest.raises(TimeoutError) as timeout:
            async with asyncio.timeout(0.2):
                await KIND.check(spec, 30)
    evidence = evidence_left(timeout.value)
    assert evidence is not None
    assert evidence.address == server.address
    assert evidence.repeat_with.startswith("dig @127.0.0.1 ")


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA(organization_name="Good Authority")


@pytest.fixture
def ca_file(authority: trustme.CA, tmp_path: Path) -> str:
    path = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(path)
    return str(path)


@pytest.fixture
def context(authority: trustme.CA) -> ssl.SSLContext:
    return server_context(authority, "ns.example")


def kind_at_loopback() -> DnsKind:
    """Whatever the server is called, it is here."""
    return DnsKind(Exchange(Resolver(lambda _: ["127.0.0.1"])))


@pytest.mark.asyncio
async def test_over_tls(context: ssl.SSLContext, ca_file: str) -> None:
    context.set_alpn_protocols(["dot"])
    async with name_server(tls=context) as server:
        outcome = await checked(
            f"tls://ns.example:{server.port}", kind=kind_at_loopback(), ca_file=ca_file
        )
    assert (outcome.status, outcome.reason) == (Status.UP, "A 192.0.2.7, 192.0.2.8")
    assert outcome.evidence is not None
    assert outcome.evidence.certificate.startswith("ns.example, for ns.example, issued by ")
    timings = [name for name, _ in outcome.evidence.timings_ms]
    assert timings == ["dns", "connect", "tls", "first_byte", "total"]


@pytest.mark.asyncio
@pytest.mark.parametrize("scheme", ["tls", "https"])
async def test_a_certificate_for_another_name_is_down_and_shown(
    scheme: str, context: ssl.SSLContext, ca_file: str
) -> None:
    async with name_server(tls=context) as server:
        outcome = await checked(
            f"{scheme}://other.example:{server.port}", kind=kind_at_loopback(), ca_file=ca_file
        )
    assert (outcome.status, outcome.reason) == (
        Status.DOWN,
        "certificate is for ns.example, not for other.example",
    )
    assert outcome.evidence is not None
    assert "ns.example" in outcome.evidence.certificate


@pytest.mark.asyncio
async def test_a_server_without_tls_is_down() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example ready\r\n")
        await finish(writer)

    async with serving(answer) as server:
        outcome = await checked(f"tls://127.0.0.1:{server.port}")
    assert outcome.status is Status.DOWN
    assert "TLS" in outcome.reason
    assert outcome.evidence is not None
    assert outcome.evidence.body == "220 mail.example ready\r\n"


@pytest.mark.asyncio
async def test_over_https(context: ssl.SSLContext, ca_file: str) -> None:
    async with web_name_server(context) as server:
        outcome = await checked(
            f"https://ns.example:{server.port}/ask", kind=kind_at_loopback(), ca_file=ca_file
        )
    assert (outcome.status, outcome.reason) == (Status.UP, "A 192.0.2.7, 192.0.2.8")
    assert server.requests[0].startswith(b"POST /ask HTTP/1.1\r\n")
    assert outcome.evidence is not None
    assert outcome.evidence.status_line.startswith("status: NOERROR, ")
    assert outcome.evidence.certificate


@pytest.mark.asyncio
async def test_over_https_to_a_server_that_speaks_http_2_only(
    context: ssl.SSLContext, ca_file: str
) -> None:
    async with http2_name_server(context) as server:
        outcome = await checked(
            f"https://ns.example:{server.port}", kind=kind_at_loopback(), ca_file=ca_file
        )
    assert (outcome.status, outcome.reason) == (Status.UP, "A 192.0.2.7, 192.0.2.8")
    assert len(server.requests) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("respond", "status", "media_type", "reason"),
    [
        (from_zone, "404 Not Found", "text/plain", "the server answers HTTP 404"),
        (from_zone, "200 OK", "text/html", "the server's answer is not DNS"),
        (silent, "200 OK", "application/dns-message", "the answer does not fit the question"),
        (broken, "200 OK", "application/dns-message; x=y", "the answer is malformed"),
    ],
)
async def test_a_web_server_that_gives_no_dns_answer(
    context: ssl.SSLContext,
    ca_file: str,
    respond: Respond,
    status: str,
    media_type: str,
    reason: str,
) -> None:
    async with web_name_server(context, respond, status, media_type) as server:
        outcome = await checked(
            f"https://ns.example:{server.port}", kind=kind_at_loopback(), ca_file=ca_file
        )
    assert (outcome.status, outcome.reason) == (Status.DOWN, reason)


@pytest.mark.asyncio
async def test_a_silent_name_server_of_the_computer_is_followed_by_the_next() -> None:
    async with (
        name_server(silent) as first,
        name_server(None, None) as second,
        name_server() as third,
    ):
        servers = [("127.0.0.1", server.port) for server in (first, second, third)]
        kind = DnsKind(Exchange(read_system=lambda _: servers))
        outcome = await kind.check(kind.parse({"host": "example.org"}), 2)
    assert outcome.status is Status.UP
    assert outcome.evidence is not None
    assert outcome.evidence.address == (
        f"no answer from {first.address}; connection refused by {second.address}; {third.address}"
    )


@pytest.mark.asyncio
async def test_a_computer_without_name_servers_knows_nothing() -> None:
    kind = DnsKind(Exchange(read_system=lambda _: ()))
    outcome = await kind.check(kind.parse({"host": "example.org"}), 2)
    assert (outcome.status, outcome.reason) == (
        Status.UNKNOWN,
        "this computer has no name server configured",
    )


def test_the_name_servers_of_a_computer_are_read(tmp_path: Path) -> None:
    file = tmp_path / "resolv.conf"
    file.write_text("search example.org\nnameserver 192.0.2.1\nnameserver 2001:db8::1\n")
    assert system_name_servers(str(file)) == (("192.0.2.1", 53), ("2001:db8::1", 53))
    assert system_name_servers(str(tmp_path / "missing")) == ()
