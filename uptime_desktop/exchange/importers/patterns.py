"""Texts of other programs as regular expressions of RE2, each on one line."""

import re


def literal(text: str) -> str:
    """A pattern that finds just this text."""
    return re.escape(text).replace("\\\n", "\\n")
