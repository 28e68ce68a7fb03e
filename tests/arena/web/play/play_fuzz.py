"""Odd requests to the API of play, and what each of them may be answered."""

from __future__ import annotations

import gzip
import json
import random
from http.client import HTTPResponse
from socket import create_connection
from typing import Any

WORDS = ("move", "takeback", "hint", "end", "store")
READ = (
    *(
        "",
        "/why",
        "/why?place=e5",
        "/why?place=%ff&chosen=%00",
        "/why?place=[a&chosen=%F0%9F%98%80",
        "/moves",
    ),
    *("/record", "/record?format=jsonl", "/record?format=../x", "/record?format=%00"),
)
UNKNOWN = (
    *("x", "..", "%2e%2e", "%2e%2e%2fetc%2fpasswd", "%00", "%0d%0aX:%20y", "%ff", "%F0%9F%98%80"),
    *("a" * 3000, "-1", "*"),
)
METHODS = ("GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW")
KEYS = ("game", "seats", "time_control", "clock", "start", "move", "ply", "engine", "__class__", "", "\x00")
TEXTS = (
    *(
        "",
        " ",
        "quoridor",
        "mate-1",
        "e2",
        "resign",
        "person",
        "nowhere",
        "60+0",
        "movetime=",
        "none",
        "-1+-1",
    ),
    *("9" * 5000 + "+0", "1e999", "nodes=" + "9" * 30, "/ / e8 a9 / 10 10 / 1", "/ / z99 a9 / -1 10 / 7"),
    *("../../../etc/passwd", "/bin/sh", "{{7*7}}", "<script>alert(1)</script>", "' OR 1=1 --", "%s%n"),
    *("\x00", "\r\nquit\r\n", "\n", "\u202e", "é😀", "\ud800", "\udfff", "x" * 3000, "e" * 15_000),
)
VALUES = (None, True, False, 0, 1, -1, 2**63, -(2**64), 1.5, 1e308, [], {}, [[]], [None], {"": None})
RAW = (
    *(b"", b" ", b"null", b"true", b"1", b"[]", b'"x"', b"{", b"}", b'{"a"', b"{'a': 1}", b"{}{}", b"{}\x00"),
    *(b"\xff\xfe{}", b"\xef\xbb\xbf{}", b'{"move": "\xff"}', b'{"move": "\\ud800", "ply": 0}', b"NaN"),
    *(b'{"ply": NaN}', b'{"ply": ' + b"9" * 5000 + b"}", b'{"ply": 1e400}', b'{"move": "\\u0000", "ply": 0}'),
    *(b"[" * 9000, b'{"a":' * 3000, b'{"seats": ' + b"[" * 3000 + b"]" * 3000 + b"}"),
    *(b"\x00" * 300, b"x" * 20_000, b'{"move": "' + b"x" * 17_000 + b'"}', b" " * 16_384, b"game=quoridor"),
)
FOREIGN = (
    ({"Host": "evil.example"}, 421),
    ({"Host": ""}, 421),
    ({"Host": "localhost.evil.example"}, 421),
    ({"Origin": "https://evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Origin": ""}, 403),
    ({"Sec-Fetch-Site": "cross-site"}, 403),
    ({"Sec-Fetch-Site": "same-site"}, 403),
    ({"Sec-Fetch-Site": "none"}, 403),
    ({"Sec-Fetch-Site": ""}, 403),
    ({"Content-Type": "text/plain"}, 415),
    ({"Content-Type": ""}, 415),
    ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
    ({"Content-Type": "application/jsonp"}, 415),
)
"""Headers of requests that may change nothing, and the answer."""
HARMLESS = (
    *(
        ("Accept-Encoding", "gzip"),
        ("Content-Encoding", "gzip"),
        ("Cookie", "a=" + "b" * 3000),
        ("X", "\x7f"),
    ),
    *(("Accept", "text/html"), ("Last-Event-ID", "x-9"), ("Range", "bytes=-1"), ("If-None-Match", "*, W/")),
    *(("X-Forwarded-Host", "evil.example"), ("X-HTTP-Method-Override", "DELETE"), ("Expect", "x")),
)
# What a request may be answered. 307 leads to the address without a slash at its end. The part of the server
# that reads HTTP answers 408, 413, 414 and 431.
DONE, REFUSED = {200, 201, 304, 307}, {400, 404, 405, 408, 409, 413, 414, 431}


class Fuzzer:
    """Sends requests, and judges the answers.

    Args:
        address: the server.
        games: the addresses of games, in which everything may happen.
        guarded: the address of a game that only requests of other sites reach; nothing may happen in it.
        seed: of the draws.

    Attributes:
        begun: the addresses of the games that the requests have begun.
    """

    def __init__(self, address: str, games: list[str], guarded: str, seed: str) -> None:
        host, _, port = address.removeprefix("http://").partition(":")
        self._place = host, int(port)
        self.begun: list[str] = []
        self._games, self._guarded = games, guarded
        self._draw = random.Random(seed)

    def run(self, requests: int) -> set[int]:
        """Send requests; return the statuses of the answers."""
        seen = set()
        for _ in range(requests):
            kind = self._draw.random()
            if kind < 0.05:
                self._send_a_part()
            elif kind < 0.2:
                seen.add(self._foreign())
            elif kind < 0.3:
                seen.add(self._read())
            else:
                seen.add(self._change())
        return seen

    def _foreign(self) -> int:
        headers, status = self._draw.choice(FOREIGN)
        path = f"{self._guarded}/{self._draw.choice(WORDS)}"
        wish = {"move": self._draw.choice(("e2", "resign")), "ply": 0}
        found = self._send("POST", path, json.dumps(wish).encode(), headers)
        assert found == status, (path, headers, found)
        return found

    def _read(self) -> int:
        method, path = self._draw.choice(METHODS), self._draw.choice([*self._games, self._unknown()])
        path += self._draw.choice([*READ, *(f"/{word}" for word in WORDS)])
        found = self._send(method, path, b"", self._harmless())
        assert found in DONE | REFUSED, (method, path, found)
        assert method in ("GET", "HEAD") or found == 405, (method, path, found)
        return found

    def _change(self) -> int:
        draw = self._draw
        path = "/api/play/games"
        if draw.random() < 0.6:
            game = draw.choice([*self._games, *self.begun[-2:]]) if draw.random() < 0.8 else self._unknown()
            path = f"{game}/{draw.choice((*WORDS, *WORDS, '', 'x', 'move/', 'moves', 'record'))}"
        body, headers = self._body(), self._harmless()
        found = self._send("POST", path, body, headers)
        assert found in DONE | REFUSED, (path, body[:100], headers, found)
        return found

    def _unknown(self) -> str:
        return f"/api/play/games/{self._draw.choice(UNKNOWN)}"

    def _harmless(self) -> dict[str, str]:
        return dict(self._draw.sample(HARMLESS, self._draw.choice((0, 0, 1, 3))))

    def _body(self) -> bytes:
        draw = self._draw
        if draw.random() < 0.3:
            return draw.choice(RAW)
        wish: dict[str, Any] = {"game": "quoridor", "seats": [None, "mate-1"], "move": "e2", "ply": 0}
        for _ in range(draw.randrange(1, 4)):
            wish[draw.choice(KEYS)] = self._value()
        text = json.dumps(wish).encode()
        if draw.random() < 0.2:  # a byte that is not what it was
            place = draw.randrange(len(text))
            text = text[:place] + bytes([draw.randrange(256)]) + text[place + 1 :]
        return text

    def _value(self, depth: int = 0) -> Any:
        draw = self._draw
        kind = draw.random()
        if depth < 3 and kind < 0.2:
            return [self._value(depth + 1) for _ in range(draw.randrange(5))]
        if depth < 3 and kind < 0.3:
            return {draw.choice(KEYS): self._value(depth + 1) for _ in range(draw.randrange(3))}
        return draw.choice(TEXTS) if kind < 0.7 else draw.choice(VALUES)

    def _send(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> int:
        """Send a request; return the status of a whole answer without a traceback.

        Each request has a connection of its own, and is sent as a whole: the server may close a connection
        when it answers before it has read the body.
        """
        whole = self._request(method, path, body, headers)
        with create_connection(self._place, timeout=60) as connection:
            connection.sendall(whole)
            answer = HTTPResponse(connection, method=method)
            answer.begin()
            text = answer.read()
        if answer.getheader("content-encoding") == "gzip":
            text = gzip.decompress(text)
        assert b"Traceback" not in text
        assert b"root:x:0" not in text
        if answer.getheader("content-type") == "application/json" and text:
            answered = json.loads(text)
            if answer.status == 201:
                self.begun.append(f"/api/play/games/{answered['id']}")
            assert answer.status in DONE or isinstance(answered["error"], str)
        return answer.status

    def _send_a_part(self) -> None:
        """Send a part of a request, and go."""
        whole = self._request("POST", f"{self._guarded}/takeback", b"{}" + b" " * 200, {})
        with create_connection(self._place, timeout=60) as connection:
            connection.sendall(whole[: self._draw.randrange(len(whole))])

    def _request(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> bytes:
        """Return the bytes of a request."""
        host = f"{self._place[0]}:{self._place[1]}"
        headers = {"Content-Type": "application/json", "Host": host, "Connection": "close"} | headers
        if self._draw.random() < 0.1:
            headers["Transfer-Encoding"] = "chunked"
            body = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (*self._pieces(body), b""))
        else:
            headers["Content-Length"] = str(len(body))
        lines = (
            f"{method} {path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in headers.items()),
            "",
            "",
        )
        return "\r\n".join(lines).encode("latin-1") + body

    def _pieces(self, body: bytes) -> list[bytes]:
        size = self._draw.choice((100, 10_000))
        return [body[start : start + size] for start in range(0, len(body), size)]
