"""A stand-in for an endpoint of a language model, which answers as a function says."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """An answer: a text of the model, or a body as it is, piece by piece with a pause before each."""

    text: str = ""
    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    pause: float = 0.0
    piece: int = 1 << 20

    def bytes(self) -> bytes:
        usage = {"prompt_tokens": 100, "completion_tokens": 20}
        values = {"choices": [{"message": {"role": "assistant", "content": self.text}}], "usage": usage}
        return json.dumps(values).encode() if self.body is None else self.body


@dataclass
class Endpoint:
    """A running stand-in; ``requests`` has the bodies that came, ``headers`` the headers with them."""

    address: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def endpoint(answer: Callable[[int, str], Reply | str]) -> Iterator[Endpoint]:
    """Serve; ``answer`` gets the number of the request, from 0, and the prompt."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            number = len(served.requests)
            served.requests.append(asked)
            served.headers.append({name.lower(): value for name, value in self.headers.items()})
            reply = answer(number, asked["messages"][0]["content"])
            reply = Reply(reply) if isinstance(reply, str) else reply
            data = reply.bytes()
            try:
                self.send_response(reply.status)
                for name, value in ({"content-type": "application/json"} | reply.headers).items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                for start in range(0, len(data), reply.piece):
                    time.sleep(reply.pause)
                    self.wfile.write(data[start : start + reply.piece])
            except (BrokenPipeError, ConnectionResetError):
                pass  # the engine waits no longer

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served = Endpoint(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
