"""Regular expressions by RE2, which no pattern and no text can keep busy for ever."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from uptime_desktop.domain.refusal import Refused

MOST_CHARACTERS: Final = 1_000
# What a pattern may take when compiled: enough for any a person writes, too little for one that
# takes seconds to search a page for.
_MOST_BYTES: Final = 2_097_152


@dataclass(frozen=True, slots=True)
class Pattern:
    text: str
    _search: Callable[[bytes], object] = field(compare=False, repr=False)

    def is_in(self, data: bytes) -> bool:
        """Whether some part of the UTF-8 text matches. Other threads run meanwhile."""
        return self._search(data) is not None


def parse_pattern(field_key: str, text: str) -> Pattern:
    """Refused with RE2's own reason."""
    # 10 ms that a program without patterns never pays.
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415

    if len(text) > MOST_CHARACTERS:
        raise Refused(
            field_key, "{value} is too long", "{most} characters", value=text, most=MOST_CHARACTERS
        )
    options = re2.Options()
    options.max_mem = _MOST_BYTES
    options.log_errors = False
    # Only whether it is there matters; where costs far more.
    options.never_capture = True
    try:
        return Pattern(text, re2.compile(text.encode(), options).search)
    except re2.error as error:
        why = error.args[0].decode("utf-8", "replace")
    except UnicodeEncodeError:
        why = "invalid UTF-8"
    raise Refused(
        field_key, "{value} is not a pattern: {why}", "patterns of RE2", value=text, why=why
    )
