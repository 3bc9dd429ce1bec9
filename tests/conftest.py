"""What tests of every part may ask for."""

import threading
from collections.abc import Iterator

import pytest

from tests.website import Website


@pytest.fixture
def website() -> Iterator[Website]:
    server = Website()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()
