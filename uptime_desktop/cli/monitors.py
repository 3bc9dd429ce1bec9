"""Commands on monitors: list, show, check, pause, resume, hint, remove."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any, Final, cast

from uptime_desktop.cli.commands import Answer, Commands, Failed, add_command, ask
from uptime_desktop.cli.output import print_json, print_line, print_table, status_text
from uptime_desktop.domain.model import DAY_MS, MAX_INTERVAL_MS, SECOND_MS
from uptime_desktop.domain.notation import parse_duration, parse_instant
from uptime_desktop.domain.refusal import Refused, require_between
from uptime_desktop.domain.wording import countdown_text, unmet_text
from uptime_desktop.engine.clock import wall_now
from uptime_desktop.i18n import told, tr

_MOST_LINES: Final = 8
_LONGEST_LINE: Final = 200
_LONGEST_PAUSE_MS: Final = 3_650 * DAY_MS


def add_parser(commands: Commands, name: str, summary: str) -> None:
    parser = add_command(commands, name, summary)
    parser.set_defaults(command_name=name)
    _PARSERS[name](parser)


def _takes_monitor(parser: ArgumentParser) -> None:
    parser.add_argument("monitor", metavar="MONITOR", help=tr("an id or a unique name"))


def _add_list(parser: ArgumentParser) -> None:
    parser.set_defaults(command=_list)


def _add_show(parser: ArgumentParser) -> None:
    _takes_monitor(parser)
    parser.set_defaults(command=_show)


def _add_check(parser: ArgumentParser) -> None:
    parser.add_argument(
        "monitors", metavar="MONITOR|URL", nargs="*", help=tr("default: all monitors")
    )
    parser.set_defaults(command=_check)


def _add_act(parser: ArgumentParser) -> None:
    _takes_monitor(parser)
    parser.set_defaults(command=_act)


def _takes_monitor_or_site(parser: ArgumentParser) -> None:
    parser.add_argument("monitor", metavar="MONITOR", nargs="?", help=tr("an id or a unique name"))
    parser.add_argument("--site", metavar="SITE", help=tr("all monitors of a site instead"))


def _add_resume(parser: ArgumentParser) -> None:
    _takes_monitor_or_site(parser)
    parser.set_defaults(command=_resume)


def _add_pause(parser: ArgumentParser) -> None:
    _takes_monitor_or_site(parser)
    until = parser.add_mutually_exclusive_group()
    until.add_argument("--for", dest="duration", metavar="D", help=tr("resume after this long"))
    until.add_argument("--until", metavar="T", help=tr("resume at this instant"))
    parser.set_defaults(command=_pause)


def _add_hint(parser: ArgumentParser) -> None:
    _takes_monitor(parser)
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--every", metavar="D", help=tr("an interval"))
    how.add_argument("--at", metavar="T", help=tr("one extra run at this instant"))
    how.add_argument("--clear", action="store_true", help=tr("back to the schedule"))
    parser.add_argument("--for", dest="duration", metavar="D", help=tr("how long; default: 1h"))
    parser.set_defaults(command=_hint)


def _list(arguments: Namespace) -> int:
    answer = ask(arguments, "list")
    if arguments.json:
        print_json(answer)
        return 0
    monitors = cast("list[Answer]", answer["monitors"])
    if not monitors:
        print(tr("Nothing is watched yet. Add an address: uptime-desktop add https://example.org"))
        return 0
    rows = [
        [
            str(monitor["id"]),
            status_text(monitor["status"]),
            *(str(monitor[key]) for key in ("name", "site", "target")),
            _next(monitor),
            told(str(monitor["reason"] or "")),
        ]
        for monitor in monitors
    ]
    headers = [
        *(tr("Id"), tr("Status"), tr("Name"), tr("Site")),
        *(tr("Target"), tr("Next run"), tr("Reason")),
    ]
    print_table(headers, rows)
    return 0


def _next(monitor: Answer) -> str:
    at = monitor["next_run_at"]
    if monitor["running_since"]:
        return tr("checking")
    if at is None:
        return "–"
    return countdown_text(parse_instant("next_run_at", str(at)) - wall_now(), tr)


def _show(arguments: Namespace) -> int:
    answer = ask(arguments, "show", monitor=arguments.monitor)
    if arguments.json:
        print_json(answer)
    else:
        print_table([tr("Field"), tr("Value")], list(_fields(answer)))
    return 0


def _fields(answer: Answer, prefix: str = "") -> Iterator[list[str]]:
    """One row per field; what is inside another is indented under its name."""
    for key, value in answer.items():
        if key == "evidence" and isinstance(value, dict):
            yield [prefix + key, ""]
            yield from _evidence(value, prefix + "  ")
        elif key == "members" and isinstance(value, dict):
            yield [prefix + key, ""]
            yield from ([f"{prefix}  {name}", status_text(one)] for name, one in value.items())
        elif isinstance(value, dict):
            yield [prefix + key, ""]
            yield from _fields(value, prefix + "  ")
        elif value not in (None, "", [], "–"):
            is_status = key in ("status", "health")
            yield [prefix + key, status_text(value) if is_status else _text(value)]


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_text(one) for one in value)
    return str(value).replace("\n", " ")


def _evidence(seen: Answer, prefix: str) -> Iterator[list[str]]:
    """What the last run saw: what was amiss first, and long texts only as they begin."""
    for key, lines in (
        ("unmet", [_unmet(one) for one in _entries(seen, "unmet")]),
        ("timings_ms", [", ".join(_timing(one) for one in _entries(seen, "timings_ms"))]),
        ("address", [_text(seen.get("address", ""))]),
        ("status_line", [_text(seen.get("status_line", ""))]),
        ("certificate", [_text(seen.get("certificate", ""))]),
        ("headers", [": ".join(map(_text, one)) for one in _entries(seen, "headers")]),
        ("body", _beginning(str(seen.get("body", "")))),
        ("repeat_with", [_text(seen.get("repeat_with", ""))]),
    ):
        for place, line in enumerate(line for line in lines if line):
            yield [prefix + key if place == 0 else "", line]


def _entries(seen: Answer, key: str) -> list[Any]:
    value = seen.get(key)
    return value if isinstance(value, list) else []


def _unmet(one: Answer) -> str:
    return unmet_text(str(one["what"]), str(one["expected"]), str(one["actual"]), tr)


def _timing(one: tuple[str, float]) -> str:
    phase, spent_ms = one
    spent = tr("{n} ms").format(n=f"{spent_ms:.3g}" if spent_ms < 100 else round(spent_ms))
    return f"{phase} {spent}"


def _beginning(text: str) -> list[str]:
    lines = [line[:_LONGEST_LINE] for line in text.splitlines() if line.strip()]
    return lines if len(lines) <= _MOST_LINES else [*lines[:_MOST_LINES], "…"]


def _check(arguments: Namespace) -> int:
    answer = ask(arguments, "check", monitors=arguments.monitors)
    results = cast("list[Answer]", answer["results"])
    if arguments.json:
        print_json(answer)
    elif results:
        rows = [
            [
                str(one["name"]),
                status_text(one["status"]),
                _milliseconds(one),
                told(str(one["reason"] or "")),
            ]
            for one in results
        ]
        print_table([tr("Monitor"), tr("Status"), tr("Response"), tr("Reason")], rows)
    else:
        raise Failed(tr("there is no monitor to check; add one or name an address"))
    return int(any(one["status"] == "down" for one in results))


def _milliseconds(result: Answer) -> str:
    value = result["response_ms"]
    return tr("{n} ms").format(n=f"{value:.0f}") if isinstance(value, int | float) else "–"


def _pause(arguments: Namespace) -> int:
    until = None
    if arguments.duration is not None:
        duration_ms = parse_duration("for", arguments.duration)
        require_between("for", duration_ms, SECOND_MS, _LONGEST_PAUSE_MS)
        until = wall_now() + duration_ms
    elif arguments.until is not None:
        until = parse_instant("until", arguments.until)
    if until is not None and arguments.site is not None:
        raise Refused("site", "a site is paused until it is resumed", "no --for and no --until")
    return _done(arguments, ask(arguments, "pause", **_one_or_site(arguments), until=until))


def _resume(arguments: Namespace) -> int:
    return _done(arguments, ask(arguments, "resume", **_one_or_site(arguments)))


def _one_or_site(arguments: Namespace) -> dict[str, str | None]:
    if (arguments.monitor is None) == (arguments.site is None):
        raise Refused("site", "one thing is to be named", "a MONITOR, or --site SITE")
    return {"monitor": arguments.monitor, "site": arguments.site}


def _hint(arguments: Namespace) -> int:
    details: dict[str, int] = {}
    if arguments.every is not None:
        details["interval_ms"] = parse_duration("every", arguments.every)
    if arguments.at is not None:
        details["run_at"] = parse_instant("at", arguments.at)
    if arguments.duration is not None:
        details["for_ms"] = parse_duration("for", arguments.duration)
        require_between("for", details["for_ms"], SECOND_MS, MAX_INTERVAL_MS)
    return _done(arguments, ask(arguments, "hint", monitor=arguments.monitor, **details))


def _act(arguments: Namespace) -> int:
    name = arguments.command_name
    return _done(arguments, ask(arguments, name, monitor=arguments.monitor))


def _done(arguments: Namespace, answer: Answer) -> int:
    if arguments.json:
        print_json(answer)
    else:
        print_line(f"{answer['id']}: {status_text(answer['status'])}")
    return 0


_PARSERS: Final = {
    "list": _add_list,
    "show": _add_show,
    "check": _add_check,
    "pause": _add_pause,
    "resume": _add_resume,
    "hint": _add_hint,
    "remove": _add_act,
}
