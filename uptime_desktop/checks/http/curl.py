"""A command line that repeats a check by hand, with its secrets hidden."""

import shlex

from uptime_desktop.checks.http.request import Request
from uptime_desktop.checks.redaction import HIDDEN, looks_secret, shown_header, shown_url


def curl_line(request: Request, given: dict[str, str], follow: int) -> str:
    """`given` are the headers a person configured; the others curl sends by itself."""
    words = ["curl", "--head" if request.method == "HEAD" else "--include"]
    if request.method not in {"GET", "HEAD"}:
        words += ["--request", request.method]
    if follow:
        words += ["--location", "--max-redirs", str(follow)]
    words.append("--compressed")
    if request.ip_version != "any":
        words.append("--ipv" + request.ip_version)
    if not request.tls.verify:
        words.append("--insecure")
    elif request.tls.ca_file:
        words += ["--cacert", request.tls.ca_file]
    if request.url.user or request.url.password:
        words += ["--user", HIDDEN]
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
