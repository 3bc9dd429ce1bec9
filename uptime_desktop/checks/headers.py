"""Headers that people configure, and who they are to a server: pure."""

import re
from collections.abc import Collection, Mapping
from typing import Final, cast

from uptime_desktop.checks.net.address import Url
from uptime_desktop.checks.redaction import basic_credentials
from uptime_desktop.domain.model import Setting
from uptime_desktop.domain.refusal import Refused

_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}")
_VALUE: Final = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]*")
FRAMING: Final = frozenset({"connection", "content-length", "transfer-encoding", "upgrade"})
"""What says where a message ends is not for people to set."""


def parse_headers(given: Mapping[str, str], set_by_us: Collection[str] = FRAMING) -> dict[str, str]:
    """Refused unless each could only ever be read as one header."""
    seen = set()
    for name, value in given.items():
        lower = name.lower()
        require_header_name("headers", name)
        if not _VALUE.fullmatch(value):
            raise Refused(
                "headers", "the value of {name} has control characters", "one line", name=name
            )
        if lower in set_by_us:
            raise Refused("headers", "{name} is set by the program", "other headers", name=name)
        if lower in seen:
            raise Refused("headers", "{name} is given twice", "each name once", name=name)
        seen.add(lower)
    return {name: value.strip() for name, value in given.items()}


def require_header_name(field_key: str, name: str) -> None:
    if not _NAME.fullmatch(name):
        allowed = "letters, digits and -"
        raise Refused(field_key, "{name} is not a header's name", allowed, name=name)


def authorization(values: Mapping[str, Setting | None], url: Url, given: Collection[str]) -> str:
    """The header that signs us in; there must be one way only. `given` are those configured."""
    user, password = cast(str, values["username"] or ""), cast(str, values["password"] or "")
    token = cast(str, values["bearer_token"] or "").strip()
    in_headers = "authorization" in {name.lower() for name in given}
    if not user and not password and not token:
        has_userinfo = bool(url.user or url.password) and not in_headers
        return "Basic " + basic_credentials(url.user, url.password) if has_userinfo else ""
    key = "bearer_token" if token else "username" if user else "password"
    ways = "one of: user and password, bearer_token, those in the url, an Authorization header"
    if in_headers or url.user or url.password or (token and (user or password)):
        raise Refused(key, "there is another way to sign in", ways)
    if not token:
        if ":" in user:
            raise Refused("username", "{value} has a colon", "a name without one", value=user)
        return "Basic " + basic_credentials(user, password)
    if not _VALUE.fullmatch(token):
        raise Refused("bearer_token", "it has control characters", "one line")
    return "Bearer " + token
