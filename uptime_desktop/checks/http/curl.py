"""A command line that repeats a check by hand, with its secrets hidden."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Final

from uptime_desktop.checks.http.request import Proxy, Request
from uptime_desktop.checks.net.trust import VERIFIED, TlsProfile
from uptime_desktop.checks.redaction import HIDDEN, looks_secret, shown_header, shown_url

_VERSIONS: Final = {"1.1": ("--http1.1",), "2": ("--http2",), "any": ()}
_WEAK_KEYS: Final = ("--ciphers", "DEFAULT:@SECLEVEL=0")


def curl_line(request: Request, given: Mapping[str, str], authorization: str, follow: int) -> str:
    """`given` are the headers a person configured; the others curl sends by itself."""
    words = ["curl", "--head" if request.method == "HEAD" else "--include"]
    if request.method not in {"GET", "HEAD"}:
        words += ["--request", request.method]
    if follow:
        words += ["--location", "--max-redirs", str(follow)]
    words.append("--compressed")
    if request.ip_version != "any":
        words.append("--ipv" + request.ip_version)
    if request.url.is_tls:
        words += _VERSIONS[request.http_version]
    words += _tls_options(request.tls)
    if request.proxy is not None:
        words += _proxy_options(request.proxy, request.tls)
    if authorization:
        words += ["--user" if authorization.startswith("Basic ") else "--oauth2-bearer", HIDDEN]
    for name, value in given.items():
        words += ["--header", ": ".join(shown_header(name, value))]
    if request.body:
        if "content-type" not in {name.lower() for name in given}:
            # Else curl calls it a form.
            words += ["--header", "Content-Type:"]
        body = request.body.decode("utf-8", "replace")
        words += ["--data-binary", HIDDEN if looks_secret(body) else body]
    words.append(shown_url(request.url.text))
    return shlex.join(words)


def _tls_options(tls: TlsProfile) -> Iterator[str]:
    if not tls.verify:
        yield "--insecure"
    elif tls.ca_file:
        yield from ("--cacert", tls.ca_file)
    if tls.client_certificate:
        yield from ("--cert", tls.client_certificate)
    if tls.client_key:
        yield from ("--key", tls.client_key)
    if tls.client_key_password:
        yield from ("--pass", HIDDEN)
    if tls.min_version != VERIFIED.min_version:
        yield "--tlsv" + tls.min_version
    if tls.min_version < VERIFIED.min_version:
        yield from _WEAK_KEYS


def _proxy_options(proxy: Proxy, tls: TlsProfile) -> Iterator[str]:
    yield from ("--proxy", proxy.shown)
    if proxy.is_tls and not tls.verify:
        yield "--proxy-insecure"
    elif proxy.is_tls and tls.ca_file:
        yield from ("--proxy-cacert", tls.ca_file)
