"""argparse in our way: it complains in one line, and in the reader's language."""

import argparse
from typing import Final, NoReturn

from uptime_desktop.domain.wording import words
from uptime_desktop.i18n import tr

_OWN: Final = frozenset(
    (
        words("usage: "),
        words("options"),
        words("positional arguments"),
        words("show this help message and exit"),
        words("argument %(argument_name)s: %(message)s"),
        words("the following arguments are required: %s"),
        words("one of the arguments %s is required"),
        words("not allowed with argument %s"),
        words("unrecognized arguments: %s"),
        words("expected one argument"),
        words("ignored explicit argument %r"),
        words("invalid choice: %(value)r (choose from %(choices)s)"),
        words("unknown parser %(parser_name)r (choices: %(choices)s)"),
    )
)
"""What argparse says by itself."""


class UsageError(Exception):
    """The words on the command line do not fit together."""


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _said(text: str) -> str:
    return tr(text) if text in _OWN else text


# It would ask gettext, which knows neither our catalogue nor the language that we speak.
argparse._ = _said  # type: ignore[attr-defined]
