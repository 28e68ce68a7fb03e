"""The server of the door as a process: what slow and dishonest clients cost the others."""

from __future__ import annotations

import re
import signal
import socket
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from tests.arena.forked import forked

ENGINES = 'engines = [{ name = "a", command = "sh" }, { name = "b", command = "sh" }]'
BODY = b'--x\r\ncontent-disposition: form-data; name="file"; filename="a.py"\r\n\r\n'


def read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


@pytest.mark.slow  # a hundred connections to a real server; the quick tests need no server
def test_a_hundred_uploads_of_a_byte_a_time_delay_nobody(tmp_path: Path) -> None:
    file = tmp_path / "league.toml"
    file.write_text(f'game = "quoridor"\nformat = "ladder"\n{ENGINES}\n[door]\n')
    names = [f"p{number}" for number in range(100)]
    links = CliRunner().invoke(main, ["door", "invite", str(file), *names]).output.split()[1::2]
    output = tmp_path / "output"
    with ExitStack() as stack:
        server = stack.enter_context(forked("door", "pages", file, "--port", 0, cwd=tmp_path, stdout=output))
        try:
            deadline = time.monotonic() + 20
            while not (found := re.search(r"127\.0\.0\.1:(\d+)", read(output))):
                assert time.monotonic() < deadline
                time.sleep(0.05)
            port = int(found[1])
            sockets = []
            for link in links:
                one = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
                token = link.rpartition("/")[2]
                one.sendall(
                    f"POST /door/hand-in HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n"
                    "content-type: multipart/form-data; boundary=x\r\ncontent-length: 2000\r\n\r\n".encode()
                    + BODY
                )
                sockets.append(one)
            slowest = 0.0
            for _ in range(20):
                for one in sockets:
                    one.sendall(b"#")
                began = time.monotonic()
                urllib.request.urlopen(f"http://127.0.0.1:{port}/door/enter/{token}", timeout=10).close()
                slowest = max(slowest, time.monotonic() - began)
            assert slowest < 5  # not a measurement: a server that waits for one of them answers never
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(20)
