"""Lines of a json_query for programs to which every value in JSON is a text."""

import json

import msgspec


def equal_texts(query: str, operator: str, text: str) -> str:
    """The line that compares what is there as text, a number with a number by value."""
    if text in ("true", "false"):
        return f'to_string({query}) {operator} "{text}"'
    return f"{query} {operator} {_value(text)}"


def _value(text: str) -> str:
    """A text for the right of an operator, quoted where it would be taken for more."""
    try:
        is_plain = isinstance(msgspec.json.decode(text), int | float)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        is_plain = bool(text) and text.isprintable() and text == text.strip()
    return text if is_plain else json.dumps(text, ensure_ascii=False)
