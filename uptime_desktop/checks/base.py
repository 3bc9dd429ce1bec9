"""What every kind of check offers, and how its settings are described.

Flags, file keys and dialogs are made from the field specs, so they declare and never do I/O.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Protocol, TypeAlias, TypeVar

from uptime_desktop.checks.redaction import HIDDEN, is_secret_name, looks_secret, shown_url
from uptime_desktop.domain.definition import COMMON_KEYS, TIMING_KEYS
from uptime_desktop.domain.model import Evidence, Outcome, Setting
from uptime_desktop.domain.notation import parse_duration, parse_whole
from uptime_desktop.domain.refusal import Refused, require_between, unknown_key
from uptime_desktop.domain.wording import duration_text

_YES = frozenset({"yes", "true", "on", "1"})
_NO = frozenset({"no", "false", "off", "0"})
_SHORT_UNITS = {"d": "d", "h": "h", "min": "m", "s": "s", "ms": "ms"}


class FieldType(StrEnum):
    TEXT = "text"
    WHOLE = "whole"
    DURATION = "duration"
    CHOICE = "choice"
    FLAG = "flag"
    LIST = "list"
    LINES = "lines"
    MAPPING = "mapping"
    MONITORS = "monitors"


@dataclass(frozen=True, slots=True, eq=False)
class FieldSpec:
    """One setting of a kind of check.

    `default` None means that the setting may be left out and then says nothing. `lowest` and
    `highest` bound a number, a duration in milliseconds or the characters of a text.
    `is_secret` says that the value may hold a secret: show it through `shown` only. All of an
    `is_password` is one. A dialog calls the field `title` and folds away what has a `group`, one
    fold for each. `LINES` are texts that may hold commas, `MONITORS` the ids of other monitors.
    A text that `is_file` is the path of one.
    """

    key: str
    type: FieldType
    help: str
    default: Setting | None = None
    lowest: int = 0
    highest: int = 65_536
    choices: tuple[str, ...] = ()
    is_secret: bool = False
    is_password: bool = False
    is_target: bool = False
    is_required: bool = False
    label: str = ""
    group: str = ""
    has_lines: bool = False
    is_file: bool = False

    @property
    def title(self) -> str:
        """What people call it: its label, or one made from the key."""
        return self.label or self.key.replace("_", " ").capitalize()

    @property
    def flag(self) -> str:
        return "--" + self.key.replace("_", "-")

    def parse(self, given: object) -> Setting:
        """What was written in a flag (`str`), a file or a database, as the typed value."""
        match self.type:
            case FieldType.TEXT:
                return self._text(given)
            case FieldType.WHOLE:
                return self._whole(given)
            case FieldType.DURATION:
                return self._duration(given)
            case FieldType.CHOICE:
                return self._choice(given)
            case FieldType.FLAG:
                return self._flag(given)
            case FieldType.LIST | FieldType.MONITORS:
                return self._list(given, ",")
            case FieldType.LINES:
                return self._list(given, "\n")
            case FieldType.MAPPING:
                return self._mapping(given)

    def written(self, value: Setting) -> Setting:
        """A typed value the way a file holds it, so that `parse` reads it back."""
        if self.type is FieldType.DURATION and isinstance(value, int):
            number, unit = duration_text(value).split()
            return number + _SHORT_UNITS[unit]
        return value

    def shown(self, value: Setting) -> Setting:
        """The value as people, logs and exports may see it."""
        if isinstance(value, str):
            return HIDDEN if self._hides(value) else shown_url(value)
        if isinstance(value, tuple):
            return tuple(map(shown_url, value))
        if isinstance(value, Mapping):
            return {k: HIDDEN if is_secret_name(k) else shown_url(v) for k, v in value.items()}
        return value

    def hides(self, name: str) -> bool:
        """Whether what stands under this name of a table must not be seen."""
        return self.is_secret and is_secret_name(name)

    def _hides(self, text: str) -> bool:
        if self.is_password:
            return bool(text)
        # Of a target only parts are secret: a list must still name it.
        return self.is_secret and not self.is_target and looks_secret(text)

    def _text(self, given: object) -> str:
        if isinstance(given, int) and not isinstance(given, bool):
            given = str(given)
        if not isinstance(given, str):
            raise Refused(self.key, "{value} is not a text", "a text", value=self._said(given))
        if not self.lowest <= len(given) <= self.highest:
            raise Refused(
                self.key,
                "{count} characters are out of range",
                "{least} to {most} characters",
                count=len(given),
                least=self.lowest,
                most=self.highest,
            )
        return given

    def _whole(self, given: object) -> int:
        if isinstance(given, bool) or not isinstance(given, int | str):
            raise Refused(
                self.key,
                "{value} is not a whole number",
                "{least} to {most}",
                value=self._said(given),
                least=self.lowest,
                most=self.highest,
            )
        return parse_whole(self.key, str(given).strip(), self.lowest, self.highest)

    def _duration(self, given: object) -> int:
        if not isinstance(given, str):
            raise Refused(
                self.key,
                "{value} has no unit",
                "a duration as in 500ms 30s 5m 1h 2d",
                value=self._said(given),
            )
        duration_ms = parse_duration(self.key, given.strip())
        require_between(self.key, duration_ms, self.lowest, self.highest)
        return duration_ms

    def _choice(self, given: object) -> str:
        text = str(given).strip()
        for choice in self.choices:
            if choice.lower() == text.lower():
                return choice
        allowed = ", ".join(self.choices)
        raise Refused(self.key, "{value} is not a choice", allowed, value=self._said(given))

    def _flag(self, given: object) -> bool:
        text = str(given).strip().lower()
        if text in _YES or text in _NO:
            return text in _YES
        raise Refused(self.key, "{value} is neither yes nor no", "yes, no", value=self._said(given))

    def _list(self, given: object, separator: str) -> tuple[str, ...]:
        """Items, or texts with separators in them: flags can be given more than once."""
        if isinstance(given, str | int) and not isinstance(given, bool):
            given = [given]
        if not isinstance(given, list | tuple):
            raise Refused(
                self.key, "{value} is not a list", "a list of texts", value=self._said(given)
            )
        for item in given:
            if isinstance(item, bool) or not isinstance(item, str | int):
                raise Refused(
                    self.key, "{value} is not a text", "a list of texts", value=self._said(item)
                )
        texts = [text.strip() for item in given for text in str(item).split(separator)]
        for text in texts:
            if len(text) > self.highest:
                raise Refused(
                    self.key,
                    "{value} is too long",
                    "{most} characters",
                    value=text,
                    most=self.highest,
                )
        return tuple(text for text in texts if text)

    def _mapping(self, given: object) -> Mapping[str, str]:
        """A table, or lines (or a list) of `Name: value`."""
        if isinstance(given, Mapping):
            pairs = list(given.items())
        elif isinstance(given, str | list | tuple):
            lines = given.splitlines() if isinstance(given, str) else given
            pairs = [self._pair(line) for line in lines if line != ""]
        else:
            raise Refused(
                self.key, "{value} is not a table", "lines of Name: value", value=self._said(given)
            )
        for name, value in pairs:
            if not isinstance(name, str) or not isinstance(value, str):
                raise Refused(
                    self.key,
                    "{value} is not followed by a text",
                    "lines of Name: value",
                    value=self._said(name),
                )
        return dict(pairs)

    def _pair(self, line: object) -> tuple[str, str]:
        name, colon, value = str(line).partition(":")
        if not colon:
            raise Refused(self.key, "{value} has no colon", "lines of Name: value", value=HIDDEN)
        return name.strip(), value.strip()

    def _said(self, given: object) -> str:
        """What was given, as a refusal may show it."""
        is_plain = isinstance(given, str | int) or not self.is_secret
        return str(self.shown(str(given))) if is_plain else HIDDEN


def parse_fields(
    fields: tuple[FieldSpec, ...], settings: Mapping[str, Setting]
) -> dict[str, Setting | None]:
    """Every field's typed value or default; refused if a key is unknown or one is missing."""
    known = _by_key(fields)
    if not settings.keys() <= known.keys():
        wrong = next(key for key in settings if key not in known)
        problem = "there is no such setting for this kind"
        raise unknown_key(wrong, problem, sorted(known), (*COMMON_KEYS, *TIMING_KEYS))
    values = dict(_defaults(fields))
    for key, value in settings.items():
        values[key] = known[key].parse(value)
    for field in _required(fields):
        if field.key not in settings:
            raise Refused(field.key, "it is missing", field.help)
    return values


@cache
def _by_key(fields: tuple[FieldSpec, ...]) -> dict[str, FieldSpec]:
    return {field.key: field for field in fields}


@cache
def _defaults(fields: tuple[FieldSpec, ...]) -> dict[str, Setting | None]:
    return {field.key: field.default for field in fields}


@cache
def _required(fields: tuple[FieldSpec, ...]) -> tuple[FieldSpec, ...]:
    return tuple(field for field in fields if field.is_required)


Spec = TypeVar("Spec")


class CheckKind(Protocol[Spec]):
    """One kind of check. A `Spec` is its settings understood: frozen, parsed once, used often."""

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def fields(self) -> tuple[FieldSpec, ...]: ...

    @property
    def is_passive(self) -> bool:
        """Nothing is scheduled: its outcome follows from other monitors, or is reported to us."""

    def parse(self, settings: Mapping[str, Setting]) -> Spec:
        """The settings understood, or `Refused`. Pure: no file or socket is touched."""

    def origin(self, spec: Spec) -> str:
        """What checks of one server have in common, to limit how many run against it."""

    def describe(self, spec: Spec) -> str:
        """The target as a list shows it, without secrets."""

    async def check(self, spec: Spec, timeout_s: float) -> Outcome:
        """Look once. A failure is an outcome; only a cancellation ends in an exception.

        The caller enforces the timeout by cancelling; here it only divides the time between
        several addresses. What was seen by then is in `evidence_left`.
        """


# A table of kinds cannot name each one's type of spec.
AnyKind: TypeAlias = CheckKind[Any]


def leave_evidence(stop: BaseException, evidence: Evidence) -> None:
    """Let a cancellation carry what the check had seen: where it hung is worth keeping."""
    stop.args = (evidence,)


def evidence_left(stop: BaseException | None) -> Evidence | None:
    """What a cancelled check had seen, also from the `TimeoutError` made of the cancellation."""
    while stop is not None:
        if stop.args and isinstance(stop.args[0], Evidence):
            return stop.args[0]
        stop = stop.__cause__ or stop.__context__
    return None
