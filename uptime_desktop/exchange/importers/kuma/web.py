"""Monitors of Uptime Kuma that look at web addresses."""

import json
import re
from typing import Final

from uptime_desktop.checks.http.patterns import MOST_CHARACTERS
from uptime_desktop.domain.wording import Sentence
from uptime_desktop.exchange.importers.kuma.certificates import take_certificate_days
from uptime_desktop.exchange.importers.kuma.draft import Draft
from uptime_desktop.exchange.importers.kuma.json_queries import take_json_query
from uptime_desktop.exchange.importers.kuma.table import Table
from uptime_desktop.exchange.importers.patterns import literal
from uptime_desktop.exchange.report import NOT_IN_USE

_NO_BODY: Final = ("GET", "HEAD")
_REDIRECTS: Final = 10
_CONTENT_TYPES: Final = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "xml": "text/xml; charset=utf-8",
}
_IP_VERSIONS: Final = {"ipv4": "4", "ipv6": "6"}
_JSON_SIGN: Final = re.compile(r"(?<!\s)([{}\[\]:,])(?!\s)")
_OF_JSON: Final = frozenset('{}[]:,"')
_ANY_SPACES: Final = Sentence("spaces around the signs of JSON do not count")
_AS_WRITTEN: Final = Sentence("JSON is searched as it is written, with all spaces in it")
_BASIC: Final = "basic"
_BEARER: Final = "bearer"
_NTLM: Final = "ntlm"
_NAME_AND_PASSWORD: Final = ("basicauthuser", "basicauthpass")
_NO_SIGN_IN: Final = {
    _NTLM: Sentence("there is no sign-in with NTLM; the monitor is paused"),
    "oauth2-cc": Sentence("there is no sign-in with OAuth; the monitor is paused"),
    "mtls": Sentence("a client_certificate must be in a file; the monitor is paused"),
}
_NO_PROXY: Final = Sentence("there is no going through this proxy; the monitor is paused")
_PROXY_IS_OFF: Final = Sentence("there is no such proxy, or it is off")
_NO_CLOSING_CODE: Final = Sentence("that it opens counts, not the code it is closed with")
_MUST_ACCEPT: Final = Sentence("the answer must have the right header; the monitor is paused")
_BROWSER: Final = Sentence("the page is requested, not opened in a browser")


def http(draft: Draft) -> None:
    table, keys = draft.table, draft.keys
    keys["kind"] = "http"
    draft.text("url", "url")
    table.mapped("type", "kind")
    method = table.text("method").upper() or "GET"
    keys["method"] = method
    table.mapped("method", "method")
    _take_codes(draft)
    _take_redirects(draft)
    _take_tls(draft)
    headers = _take_headers(table)
    _take_body(draft, method, headers)
    _take_sign_in(draft, headers)
    if headers:
        keys["headers"] = headers
    _take_proxy(draft)
    version = _IP_VERSIONS.get(table.text("ipfamily").lower())
    if version:
        keys["ip_version"] = version
    table.mapped("ipfamily", "ip_version")


def keyword(draft: Draft) -> None:
    http(draft)
    table = draft.table
    is_absent = table.flag("invertkeyword")
    key = "keyword_absent" if is_absent else "keyword"
    table.mapped("invertkeyword", key)
    value = table.value("keyword")
    text = value if isinstance(value, str) else ""
    pattern = _without_regard_to_spaces(text)
    if pattern != literal(text) and not is_absent and len(pattern) <= MOST_CHARACTERS:
        draft.keys["regex"] = (pattern,)
        table.approximated("keyword", _ANY_SPACES)
        return
    if text:
        draft.keys[key] = text
    if _OF_JSON.isdisjoint(text):
        table.mapped("keyword", key)
    table.approximated("keyword", _AS_WRITTEN)


def json_query(draft: Draft) -> None:
    http(draft)
    take_json_query(draft)


def browser(draft: Draft) -> None:
    """A browser only ever had the address: it signs in nowhere and follows whatever leads on."""
    table, keys = draft.table, draft.keys
    keys["kind"] = "http"
    draft.text("url", "url")
    table.approximated("type", _BROWSER)
    keys["accepted_codes"], keys["certificate_days"] = ("200-399",), 0


def websocket(draft: Draft) -> None:
    """Uptime Kuma sends neither headers nor a password along, and trusts as ever."""
    table, keys = draft.table, draft.keys
    keys["kind"], keys["certificate_days"] = "websocket", 0
    table.mapped("type", "kind")
    draft.text("url", "url")
    offered = table.text("wssubprotocol")
    if offered:
        keys["subprotocol"] = tuple(part.strip() for part in offered.split(",") if part.strip())
    table.mapped("wssubprotocol", "subprotocol")
    table.approximated("acceptedstatuscodes", _NO_CLOSING_CODE)
    if table.flag("wsignoresecwebsocketacceptheader"):
        draft.must_pause = True
    table.unsupported("wsignoresecwebsocketacceptheader", _MUST_ACCEPT)


def _take_codes(draft: Draft) -> None:
    found = draft.table.parsed("acceptedstatuscodes")
    codes = tuple(str(code) for code in found) if isinstance(found, list) else ()
    # Its default is narrower than ours.
    draft.keys["accepted_codes"] = codes or ("200-299",)
    draft.table.mapped("acceptedstatuscodes", "accepted_codes")


def _take_redirects(draft: Draft) -> None:
    table = draft.table
    most = table.whole("maxredirects")
    draft.keys["follow_redirects"] = most != 0
    if most in (0, _REDIRECTS, None):
        table.mapped("maxredirects", "follow_redirects")
    else:
        how = Sentence("redirects are followed, {n} at most", n=_REDIRECTS)
        table.approximated("maxredirects", how)


def _take_tls(draft: Draft) -> None:
    table, keys = draft.table, draft.keys
    is_ignored = table.flag("ignoretls")
    keys["verify_certificate"] = not is_ignored
    table.mapped("ignoretls", "verify_certificate")
    if is_ignored:
        # Of a certificate that does not count nobody is told when it ends.
        keys["certificate_days"] = 0
        table.unsupported("expirynotification", NOT_IN_USE)
    else:
        take_certificate_days(draft)


def _take_headers(table: Table) -> dict[str, str]:
    given = table.table("headers")
    if given or table.is_unused("headers"):
        table.mapped("headers", "headers")
    else:
        table.unsupported("headers", Sentence("they are not JSON"))
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in given.items()
    }


def _take_body(draft: Draft, method: str, headers: dict[str, str]) -> None:
    table = draft.table
    value = table.value("body")
    body = value if isinstance(value, str) else ""
    if body and method in _NO_BODY:
        table.unsupported("body", Sentence("a {method} request has none", method=method))
        table.unsupported("httpbodyencoding")
        return
    if body:
        draft.keys["body"] = body
        names = {name.lower() for name in headers}
        content_type = _CONTENT_TYPES.get(table.text("httpbodyencoding") or "json")
        if content_type and "content-type" not in names:
            headers["Content-Type"] = content_type
    table.mapped("body", "body")
    table.mapped("httpbodyencoding", "headers")


def _take_sign_in(draft: Draft, headers: dict[str, str]) -> None:
    table = draft.table
    method = table.text("authmethod").lower()
    if "authmethod" in table and method not in (_BASIC, _NTLM):
        for name in _NAME_AND_PASSWORD:
            table.unsupported(name, NOT_IN_USE)
    if method in _NO_SIGN_IN:
        table.unsupported("authmethod", _NO_SIGN_IN[method])
        draft.must_pause = True
        return
    if method == _BEARER:
        _take_bearer(draft, headers)
    table.mapped("authmethod", "username")
    for name in table:
        if name.startswith(("auth", "bearer", "oauth", "tls")):
            table.unsupported(name, NOT_IN_USE)
    # Before there were methods, a name was enough.
    if method == _BASIC or "authmethod" not in table:
        _take_basic(draft, headers)


def _take_bearer(draft: Draft, headers: dict[str, str]) -> None:
    """What the headers say counts for more."""
    table = draft.table
    token = table.text("bearertoken")
    if token and not _own_sign_in(headers):
        draft.keys["bearer_token"] = token
        table.mapped("authmethod", "bearer_token")
        table.mapped("bearertoken", "bearer_token")


def _own_sign_in(headers: dict[str, str]) -> list[str]:
    return [name for name in headers if name.lower() == "authorization"]


def _take_basic(draft: Draft, headers: dict[str, str]) -> None:
    table = draft.table
    user = table.text("basicauthuser")
    own = _own_sign_in(headers)
    if user and own and "oauthclientid" in table:
        # Since it knows OAuth, what the headers say counts; before it did not.
        for name in _NAME_AND_PASSWORD:
            table.unsupported(name, NOT_IN_USE)
        return
    if user:
        for name in own:
            del headers[name]
        draft.keys["username"] = user
        draft.keys["password"] = str(table.value("basicauthpass") or "")
    table.mapped("basicauthuser", "username")
    table.mapped("basicauthpass", "password")


def _take_proxy(draft: Draft) -> None:
    """Uptime Kuma goes without one that is off."""
    table = draft.table
    number = table.text("proxyid")
    url = draft.known.proxies.get(number, "") if number else ""
    if url is None:
        draft.must_pause = True
        table.unsupported("proxyid", _NO_PROXY)
    elif url:
        draft.keys["proxy"] = url
        table.mapped("proxyid", "proxy")
    table.unsupported("proxyid", _PROXY_IS_OFF)


def _without_regard_to_spaces(text: str) -> str:
    """Uptime Kuma searches JSON as it writes it itself: without any between its signs. Where a
    keyword has some, it can only be meant for other pages."""
    parts = _JSON_SIGN.split(text)
    return "".join(
        rf"\s*{literal(part)}\s*" if at % 2 else literal(part) for at, part in enumerate(parts)
    ).replace(r"\s*\s*", r"\s*")
