"""A website to watch, on loopback."""

import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Website(ThreadingHTTPServer):
    """Answers `/up` and, unless it is told to recover, fails `/down`; counts what it is asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.asked: list[str] = []
        self.answered_at: dict[str, float] = {}
        self.has_recovered = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answer(BaseHTTPRequestHandler):
    server: Website

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        is_down = self.path.startswith("/down") and not self.server.has_recovered
        self.send_response(503 if is_down else 200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
        self.wfile.flush()
        self.server.answered_at[self.path] = time.time()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass
