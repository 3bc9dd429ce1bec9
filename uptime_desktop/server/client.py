"""Asks the running program, over its control API. Plain `http.client`: it starts at once."""

import http.client
import json
from collections.abc import Iterator
from typing import Final

from uptime_desktop.domain.refusal import RefusedElsewhere
from uptime_desktop.server.instance import Endpoint

_PATIENCE_S: Final = 600


class ControlError(Exception):
    """The running program could not be asked, or could not answer."""


def call(endpoint: Endpoint, command: str, arguments: dict[str, object]) -> dict[str, object]:
    """Have the running program do it; a value it refuses is refused here."""
    connection = http.client.HTTPConnection("127.0.0.1", endpoint.port, timeout=_PATIENCE_S)
    try:
        body = json.dumps(arguments)
        connection.request("POST", f"/v1/{command}", body, _headers(endpoint))
        response = connection.getresponse()
        answer = json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise ControlError(f"the running program does not answer: {error}") from error
    finally:
        connection.close()
    if response.status == http.HTTPStatus.OK and isinstance(answer, dict):
        return answer
    complaint = answer.get("error") if isinstance(answer, dict) else answer
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
    except (OSError, http.client.HTTPException) as error:
        raise ControlError(f"the running program went away: {error}") from error
    finally:
        connection.close()


def _headers(endpoint: Endpoint) -> dict[str, str]:
    return {"Authorization": f"Bearer {endpoint.token}", "Content-Type": "application/json"}
