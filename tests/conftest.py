"""What tests of every part may ask for."""

import os
import threading
from collections.abc import Iterator

import pytest

from tests.website import Website

# The keyring of whoever runs the tests is not touched, by us or by what we start.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
# Nor is their language spoken.
os.environ["LANGUAGE"] = "en"


@pytest.fixture
def website() -> Iterator[Website]:
    server = Website()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()
