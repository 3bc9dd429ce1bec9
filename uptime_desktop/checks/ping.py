"""The ping check: a few ICMP echo requests, how many are answered and how fast."""

import asyncio
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Final, cast

from uptime_desktop.checks.base import FieldSpec, FieldType, parse_fields
from uptime_desktop.checks.common_fields import IP_VERSION, LATENCY
from uptime_desktop.checks.failure import Failed, sentence
from uptime_desktop.checks.look import looked
from uptime_desktop.checks.net.address import parse_host
from uptime_desktop.checks.net.icmp import Echo, EchoAnswer, OpenSocket, icmp_socket
from uptime_desktop.checks.net.resolver import Endpoint, Resolver
from uptime_desktop.checks.trail import Trail
from uptime_desktop.checks.verdict import Verdict
from uptime_desktop.domain.model import Evidence, Outcome, Setting
from uptime_desktop.domain.status import Status
from uptime_desktop.domain.wording import duration_text, words

_LONGEST_WAIT_S: Final = 5.0
_SHORTEST_WAIT_S: Final = 1.0
# Silence is told by us, a little before the check would be cut off as too slow.
_USED_OF_TIMEOUT: Final = 0.9
_PACKETS: Final = "Packets: size, interval"

FIELDS: Final = (
    FieldSpec(
        "host",
        FieldType.TEXT,
        "the host to ping",
        lowest=1,
        highest=300,
        is_target=True,
        is_required=True,
        label="Host",
    ),
    FieldSpec(
        "count", FieldType.WHOLE, "how many packets to send", 3, lowest=1, highest=20, label="Count"
    ),
    FieldSpec(
        "max_loss",
        FieldType.WHOLE,
        "percent of packets that may be lost; more counts as degraded",
        0,
        highest=99,
        label="Most loss (%)",
    ),
    LATENCY,
    FieldSpec(
        "packet_interval",
        FieldType.DURATION,
        "the time between two packets",
        200,
        lowest=10,
        highest=5_000,
        label="Interval",
        group=_PACKETS,
    ),
    FieldSpec(
        "packet_size",
        FieldType.WHOLE,
        "bytes of data in each packet",
        56,
        highest=65_500,
        label="Size",
        group=_PACKETS,
    ),
    replace(IP_VERSION, group=""),
)


@dataclass(frozen=True, slots=True)
class PingSpec:
    host: str
    count: int = 3
    max_loss: int = 0
    latency_threshold_ms: int | None = None
    interval_ms: int = 200
    size: int = 56
    ip_version: str = "any"
    repeat_with: str = ""

    @property
    def sending_s(self) -> float:
        """From the first packet to the last."""
        return (self.count - 1) * self.interval_ms / 1_000


class Series:
    """The packets to one address, and what became of each so far."""

    __slots__ = ("address", "problems", "sent_at", "times_ms")

    def __init__(self, address: str) -> None:
        self.address = address
        self.sent_at: list[float] = []
        self.times_ms: dict[int, float] = {}
        self.problems: dict[int, EchoAnswer] = {}

    def take(self, answer: EchoAnswer) -> None:
        number = answer.sequence
        if number >= len(self.sent_at) or number in self.times_ms:
            return
        if answer.problem:
            self.problems[number] = answer
        else:
            self.times_ms[number] = (answer.at - self.sent_at[number]) * 1_000
            self.problems.pop(number, None)

    @property
    def is_settled(self) -> bool:
        return len(self.times_ms) + len(self.problems) == len(self.sent_at)

    @property
    def average_ms(self) -> float:
        return sum(self.times_ms.values()) / len(self.times_ms)

    def failure(self) -> Failed:
        """Why nothing was answered."""
        for answer in self.problems.values():
            return Failed(
                "{problem}, says {address}", problem=answer.problem, address=answer.source
            )
        return Failed("no answer from {address}", address=self.address)

    def report(self) -> str:
        lines = [
            f"packet {number + 1}: {self._fate(number)}" for number in range(len(self.sent_at))
        ]
        if self.times_ms:
            shortest, longest = min(self.times_ms.values()), max(self.times_ms.values())
            lines.append(
                f"min {_ms_text(shortest)}, average {_ms_text(self.average_ms)}, "
                f"max {_ms_text(longest)}"
            )
        return "\n".join(lines)

    def _fate(self, number: int) -> str:
        if number in self.times_ms:
            return _ms_text(self.times_ms[number])
        if number in self.problems:
            return f"{self.problems[number].problem}, says {self.problems[number].source}"
        return "no answer"


class PingKind:
    name: str = "ping"
    label: str = words("Ping (ICMP)")
    fields: tuple[FieldSpec, ...] = FIELDS
    is_passive: bool = False

    def __init__(
        self, resolver: Resolver | None = None, open_socket: OpenSocket = icmp_socket
    ) -> None:
        self._resolver = resolver or Resolver()
        self._open_socket = open_socket

    def parse(self, settings: Mapping[str, Setting]) -> PingSpec:
        values = parse_fields(FIELDS, settings)
        written = cast(str, values["host"]).strip()
        spec = PingSpec(
            parse_host("host", written.removeprefix("ping://").removesuffix("/")),
            cast(int, values["count"]),
            cast(int, values["max_loss"]),
            cast("int | None", values["latency_threshold"]),
            cast(int, values["packet_interval"]),
            cast(int, values["packet_size"]),
            cast(str, values["ip_version"]),
        )
        return replace(spec, repeat_with=_ping_line(spec))

    def origin(self, spec: PingSpec) -> str:
        return spec.host

    def describe(self, spec: PingSpec) -> str:
        return spec.host

    async def check(self, spec: PingSpec, timeout_s: float) -> Outcome:
        look = _Look(spec, self._open_socket)
        outcome = await looked(look.trail, look.run(self._resolver, timeout_s), look.evidence)
        if outcome.response_ms is None or look.series is None:
            return outcome
        return replace(outcome, response_ms=round(look.series.average_ms, 3))


class _Look:
    """One check under way, and what it has seen."""

    __slots__ = ("_open_socket", "series", "spec", "trail", "verdict")

    def __init__(self, spec: PingSpec, open_socket: OpenSocket) -> None:
        self.spec = spec
        self.trail = Trail()
        self.verdict = Verdict()
        self.series: Series | None = None
        self._open_socket = open_socket

    async def run(self, resolver: Resolver, timeout_s: float) -> tuple[Status, str]:
        spec, trail = self.spec, self.trail
        trail.begin("dns")
        endpoints = await resolver.endpoints(spec.host, 0, spec.ip_version)
        return self._judged(await self._answered(endpoints, timeout_s * _USED_OF_TIMEOUT))

    async def _answered(self, endpoints: list[Endpoint], usable_s: float) -> Series:
        """One address after the other, as many as there is time for, until one answers."""
        sending_s = self.spec.sending_s
        if sending_s >= usable_s:
            raise Failed(
                "{count} packets, {interval} apart, take longer than the timeout allows",
                Status.UNKNOWN,
                count=self.spec.count,
                interval=duration_text(self.spec.interval_ms),
            )
        tried = endpoints[: max(1, int(usable_s / (sending_s + _SHORTEST_WAIT_S)))]
        wait_s = min(_LONGEST_WAIT_S, usable_s / len(tried) - sending_s)
        for endpoint in tried[:-1]:
            try:
                return await self._pinged(endpoint, wait_s)
            except Failed as failed:
                if failed.status is not Status.DOWN:
                    raise
                self.trail.addresses[-1] = failed.reason
        return await self._pinged(tried[-1], wait_s)

    async def _pinged(self, endpoint: Endpoint, wait_s: float) -> Series:
        self.series = series = Series(endpoint.sockaddr[0])
        self.trail.addresses.append(series.address)
        self.trail.begin("first_byte")
        echo = Echo(endpoint, self.spec.size, self._open_socket)
        try:
            for number in range(self.spec.count):
                began = perf_counter()
                await echo.send(number)
                series.sent_at.append(began)
                is_last = number == self.spec.count - 1
                await self._collect(echo, series, wait_s if is_last else None)
        finally:
            echo.close()
        if not series.times_ms:
            raise series.failure()
        return series

    async def _collect(self, echo: Echo, series: Series, wait_s: float | None) -> None:
        """Take answers until the next packet is due, or after the last one until all are in."""
        loop = asyncio.get_running_loop()
        until = loop.time() + (self.spec.interval_ms / 1_000 if wait_s is None else wait_s)
        try:
            async with asyncio.timeout_at(until):
                while not series.is_settled:
                    series.take(await echo.receive())
                    self.trail.begin(None)
        except TimeoutError:
            return
        if wait_s is None:
            await asyncio.sleep(until - loop.time())

    def _judged(self, series: Series) -> tuple[Status, str]:
        spec, verdict = self.spec, self.verdict
        answered = len(series.times_ms)
        lost = spec.count - answered
        if lost * 100 > spec.max_loss * spec.count:
            reason = sentence("{lost} of {count} packets lost", lost=lost, count=spec.count)
            actual = f"{round(lost * 100 / spec.count)} %"
            verdict.miss(reason, "loss", f"<= {spec.max_loss} %", actual, Status.DEGRADED)
        verdict.expect_fast(series.average_ms, spec.latency_threshold_ms)
        return verdict.judged(
            sentence(
                "{answered} of {count} answered, {average} on average",
                answered=answered,
                count=spec.count,
                average=_ms_text(series.average_ms),
            )
        )

    def evidence(self, total_ms: float) -> Evidence:
        series = self.series
        return Evidence(
            self.trail.timings_ms(total_ms),
            self.trail.address,
            _first_answer(series, self.spec.size) if series else "",
            body=series.report() if series else "",
            repeat_with=self.spec.repeat_with,
            unmet=tuple(self.verdict.unmet),
        )


def _first_answer(series: Series, size: int) -> str:
    """As ping itself says it."""
    for number, time_ms in series.times_ms.items():
        return f"{size + 8} bytes from {series.address}: seq={number + 1} time={_ms_text(time_ms)}"
    return ""


def _ms_text(duration_ms: float) -> str:
    return f"{duration_ms:.1f} ms" if duration_ms >= 10 else f"{duration_ms:.2f} ms"


def _ping_line(spec: PingSpec) -> str:
    options = ["-n", "-c", str(spec.count), "-i", f"{spec.interval_ms / 1_000:g}"]
    if spec.ip_version != "any":
        options.append("-" + spec.ip_version)
    return shlex.join(["ping", *options, "-s", str(spec.size), spec.host])
