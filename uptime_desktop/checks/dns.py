"""The dns check: ask a name server for a record and judge what it answers."""

from collections.abc import Awaitable, Mapping, Sequence
from typing import Final

from uptime_desktop.checks.base import FieldSpec
from uptime_desktop.checks.dns_exchange import Exchange
from uptime_desktop.checks.dns_message import DnsAnswer, is_large, make_question, read_answer
from uptime_desktop.checks.dns_settings import FIELDS, SUCCESS, DnsSpec, normal, parse_dns
from uptime_desktop.checks.failure import Failed, sentence
from uptime_desktop.checks.look import looked
from uptime_desktop.checks.net.trust import certificate_of, known_certificate
from uptime_desktop.checks.net.workers import WORKERS, Kept
from uptime_desktop.checks.trail import Trail, beginning_text
from uptime_desktop.checks.verdict import Verdict
from uptime_desktop.domain.model import Evidence, Outcome, Setting
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import words

_KEEP_QUESTION_S: Final = 86_400.0
_MOST_SHOWN: Final = 160
_MOST_UNREAD: Final = 512
_UNPRINTABLE: Final = "\N{REPLACEMENT CHARACTER}"
_REFUSALS: Final = {
    "NXDOMAIN": words("{name} does not exist (NXDOMAIN)"),
    "SERVFAIL": words("the name server could not find an answer (SERVFAIL)"),
    "REFUSED": words("the name server refuses to answer (REFUSED)"),
}

_questions: Final = Kept(make_question, _KEEP_QUESTION_S, WORKERS)


class DnsKind:
    name: str = "dns"
    label: str = words("DNS record")
    fields: tuple[FieldSpec, ...] = FIELDS
    is_passive: bool = False

    def __init__(self, exchange: Exchange | None = None) -> None:
        self._exchange = exchange or Exchange()

    def parse(self, settings: Mapping[str, Setting]) -> DnsSpec:
        return parse_dns(settings)

    def origin(self, spec: DnsSpec) -> str:
        return spec.server.origin

    def describe(self, spec: DnsSpec) -> str:
        asked = f"{spec.record_type} {spec.name}"
        return f"{asked} @{spec.server.text}" if spec.server.text else asked

    async def check(self, spec: DnsSpec, timeout_s: float) -> Outcome:
        # What has to be loaded or read before is not the name server's time.
        asked = spec.name, spec.record_type
        question = _questions.known(asked) or await _questions.get(asked)
        servers = await self._exchange.servers(spec)
        look = _Look(spec)
        asking = self._exchange.ask(spec, servers, question, timeout_s, look.trail)
        return await looked(look.trail, look.run(asking), look.evidence)


class _Look:
    """One check under way, and what it has seen."""

    __slots__ = ("answer", "spec", "trail", "verdict")

    def __init__(self, spec: DnsSpec) -> None:
        self.spec = spec
        self.trail = Trail()
        self.verdict = Verdict()
        self.answer: DnsAnswer | None = None

    async def run(self, asking: Awaitable[bytes]) -> tuple[Status, str]:
        spec, trail = self.spec, self.trail
        try:
            data = await asking
        except Failed:
            await self._finish()
            raise
        took_ms = await self._finish()
        trail.received = data
        if is_large(data):
            said = await WORKERS.run(lambda: self._read(data))
        else:
            said = self._read(data)
        self.verdict.expect_fast(took_ms, spec.latency_threshold_ms)
        return self.verdict.judged(said)

    async def _finish(self) -> float:
        """The milliseconds it took. The certificate is read, so that evidence can name it."""
        took_ms = self.trail.finish()
        await certificate_of(self.trail.certificate)
        return took_ms

    def _read(self, data: bytes) -> str:
        self.answer = read_answer(data)
        return _judged(self.spec, self.answer, self.verdict)

    def evidence(self, total_ms: float) -> Evidence:
        trail, answer = self.trail, self.answer
        certificate = known_certificate(trail.certificate)
        return Evidence(
            trail.timings_ms(total_ms),
            trail.address,
            answer.status_line if answer else "",
            body=answer.body if answer else _unread(trail.received),
            certificate=certificate.summary if certificate else "",
            repeat_with=self.spec.repeat_with,
            unmet=tuple(self.verdict.unmet),
        )


def _unread(data: bytes) -> str:
    """What was no answer: a text as such, anything else as bytes."""
    text = beginning_text(data)
    return data[:_MOST_UNREAD].hex(" ") if _UNPRINTABLE in text else text


def _judged(spec: DnsSpec, answer: DnsAnswer, verdict: Verdict) -> str:
    """Note what was expected otherwise; what to say if nothing was."""
    if answer.rcode != spec.rcode:
        verdict.miss(_refusal(spec, answer.rcode), "status", spec.rcode, answer.rcode)
    elif spec.rcode != SUCCESS:
        return sentence("answered {rcode}, as expected", rcode=spec.rcode)
    elif not answer.records:
        reason = sentence("{name} has no {type} record", name=spec.name, type=spec.record_type)
        verdict.miss(reason, "answers", ", ".join(spec.expected) or "any", "none")
    else:
        _compare(spec, answer, verdict)
    return f"{spec.record_type} {_list(answer.records)}"


def _refusal(spec: DnsSpec, rcode: str) -> str:
    if spec.rcode != SUCCESS:
        return sentence(
            "answered {rcode}, {expected} was expected", rcode=rcode, expected=spec.rcode
        )
    template = _REFUSALS.get(rcode)
    if template is None:
        return sentence("the name server answers {rcode}", rcode=rcode)
    return sentence(template, name=spec.name)


def _compare(spec: DnsSpec, answer: DnsAnswer, verdict: Verdict) -> None:
    if not spec.expected:
        return
    found = {normal(spec.record_type, record): record for record in answer.records}
    missing = [record for record in spec.expected if record not in found]
    surplus = [record for form, record in found.items() if form not in spec.expected]
    wanted, actual = ", ".join(spec.expected), _list(answer.records)
    if missing:
        reason = sentence(
            "{type} {missing} is missing, the answer is {actual}",
            type=spec.record_type,
            missing=_list(missing),
            actual=actual,
        )
        verdict.miss(reason, "answers", wanted, actual)
    elif surplus and spec.must_equal:
        reason = sentence(
            "{type} {surplus} was not expected", type=spec.record_type, surplus=_list(surplus)
        )
        verdict.miss(reason, "answers", wanted, actual)


def _list(records: Sequence[str]) -> str:
    """Short and printable, and always in one order: servers take turns with theirs."""
    text = ", ".join(sorted(records))
    shown = text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…"
    return "".join(c if c.isprintable() else _UNPRINTABLE for c in shown)
