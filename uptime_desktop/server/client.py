"""Asks the running program, over its control API. Plain `http.client`: it starts at once."""

import http.client
import json
from collections.abc import Iterator
from typing import Final

from uptime_desktop.domain.refusal import RefusedElsewhere, RefusedFileElsewhere
from uptime_desktop.i18n import language, tr
from uptime_desktop.long_work import Progress, unheard
from uptime_desktop.server.instance import Endpoint

_PATIENCE_S: Final = 600


class ControlError(Exception):
    """The running program could not be asked, or could not answer."""


def call(
    endpoint: Endpoint,
    command: str,
    arguments: dict[str, object],
    progress: Progress = unheard,
) -> dict[str, object]:
    """Have the running program do it; a value it refuses is refused here."""
    connection = http.client.HTTPConnection("127.0.0.1", endpoint.port, timeout=_PATIENCE_S)
    try:
        headers = {**_headers(endpoint), "Accept": "application/x-ndjson"}
        connection.request("POST", f"/v1/{command}", json.dumps(arguments), headers)
        response = connection.getresponse()
        status, last = response.status, json.loads(response.readline())
        while "done" in last:
            progress(last["done"], last["total"])
            last = json.loads(response.readline())
    except (OSError, http.client.HTTPException, ValueError) as error:
        problem = tr("the running program does not answer: {error}")
        raise ControlError(problem.format(error=error)) from error
    finally:
        connection.close()
    # Who is turned away at the door gets no lines.
    status, answer = last.get("status", status), last.get("answer", last)
    if status == http.HTTPStatus.OK and isinstance(answer, dict):
        return answer
    complaint = answer.get("error") if isinstance(answer, dict) else answer
    if isinstance(complaint, dict) and "lines" in complaint:
        raise RefusedFileElsewhere([str(line) for line in complaint["lines"]])
    if isinstance(complaint, dict):
        raise RefusedElsewhere(str(complaint["field"]), str(complaint["text"]))
    raise ControlError(str(complaint))


def follow(endpoint: Endpoint) -> Iterator[dict[str, object]]:
    """Every event from now on, until the program ends."""
    connection = http.client.HTTPConnection("127.0.0.1", endpoint.port)
    try:
        connection.request("GET", "/v1/events", headers=_headers(endpoint))
        response = connection.getresponse()
        while line := response.readline():
            yield json.loads(line)
        raise ControlError(tr("the running program has ended"))
    except (OSError, http.client.HTTPException) as error:
        problem = tr("the running program went away: {error}")
        raise ControlError(problem.format(error=error)) from error
    finally:
        connection.close()


def _headers(endpoint: Endpoint) -> dict[str, str]:
    return {
        "Authorization": f"Bearer {endpoint.token}",
        "Content-Type": "application/json",
        "Accept-Language": language(),
    }
