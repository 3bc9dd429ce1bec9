"""Lines of a json_query for programs to which every value in JSON is a text."""

import json
import re
from typing import Final

import msgspec

_WHOLE_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)")


def equal_texts(query: str, operator: str, text: str) -> str:
    """The line that compares what is there as text, a number with a number by value."""
    if text in ("true", "false"):
        return f'to_string({query}) {operator} "{text}"'
    return f"{query} {operator} {_value(text)}"


def _value(text: str) -> str:
    """A text for the right of an operator, quoted where it would be taken for more."""
    if is_whole_number(text):
        return text
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        if text and text.isprintable() and text == text.strip():
            return text
    return json.dumps(text, ensure_ascii=False)


def is_whole_number(text: str) -> bool:
    """Whether it is written as every number of its value is: `1.10` and `1.1` are two texts."""
    return _WHOLE_NUMBER.fullmatch(text) is not None
