"""Bridges to bots that answer messages of JSON over the network."""

from __future__ import annotations

import json
import socket
import sys
import time
from argparse import ArgumentParser, Namespace
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from arena.bridges.bot import CONNECTING, LONGEST, PATIENCE, Bot, BotFailed
from arena.bridges.bridge import HOST_PORT, Program, add_listen, address, template
from arena.bridges.families import FAMILY_VALUES, FamilyMoment
from arena.bridges.values import fill_json


class Tcp(Program):
    """A bot that answers each line of JSON with one, on a connection."""

    kind = "tcp"
    form = HOST_PORT
    example = "HOST:PORT"
    _connection: socket.socket | None = None

    @classmethod
    def add_options(cls, parser: ArgumentParser) -> None:
        """Add where the bot listens, the message, and where its answer has the move."""
        super().add_options(parser)
        usual = '{"game": {game}, "text": {text}, "legal": {legal}, "player": {player}, "ms": {ms}}'
        parser.add_argument("where", metavar="ADDRESS", nargs="?", type=address(cls.form, cls.example))
        parser.add_argument("--message", type=template(FAMILY_VALUES), default=usual)
        parser.add_argument("--key", default="move")
        cls.add_ways(parser)

    @classmethod
    def add_ways(cls, parser: ArgumentParser) -> None:
        """Add how bot and bridge can find each other in another way."""
        add_listen(parser)
        parser.add_argument("--subscribe", action="store_true")

    @classmethod
    def check(cls, given: Namespace, parser: ArgumentParser) -> None:
        """Refuse a bridge without an address, or with a client that nobody starts."""
        listens = getattr(given, "listen", None)
        if bool(given.where) == bool(listens):
            parser.error(f"write the {cls.example} of the bot, or --listen ADDRESS if the bot connects to it")
        if listens and not given.bot:
            parser.error("the command of the bot is missing; write it after --")

    def start(self) -> None:
        """Start the bot, unless it runs elsewhere, and connect."""
        if getattr(self.given, "listen", None):
            self.bot = self.started(2)
            self.where = self.given.listen
            self._connection = self.bot.client
            if self.given.subscribe:
                self._subscribe()
            return
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        self.where, *command = (word.replace("{port}", port) for word in (self.given.where, *self.given.bot))
        self.bot = Bot(command) if command else None
        place = urlsplit(self.where if "//" in self.where else f"//{self.where}")
        self._connection = self._connected(
            place.hostname, place.port or (443 if place.scheme == "https" else 80)
        )

    def _connected(self, host: str | None, port: int) -> socket.socket:
        """Connect to the bot, which may need a while until it listens."""
        until = time.monotonic() + CONNECTING
        while True:
            try:
                return socket.create_connection((host, port))
            except (OSError, OverflowError) as error:
                if self.bot is None or time.monotonic() > until:
                    raise BotFailed(f"no bot listens at {self.where}: {error}") from None
                self.bot.check()
                time.sleep(0.02)

    def _subscribe(self) -> None:
        """Read on which port the bot listens, and answer ok, as the server of a contest."""
        assert self._connection is not None
        message, self._framed = received(self._connection)
        try:
            self._port = int(json.loads(message)["port"])
        except (ValueError, LookupError, TypeError):
            raise BotFailed(f"the bot subscribed with {message[:200]!r}, which has no port") from None
        self.where = f"127.0.0.1:{self._port}"
        self._connection.sendall(framed('{"response": "ok"}') if self._framed else b'{"response": "ok"}')
        self._connection.close()

    def exchange(self, message: str) -> str:
        """Send a message, and return the answer."""
        if getattr(self.given, "subscribe", False):
            with self._connected("127.0.0.1", self._port) as connection:
                connection.sendall(framed(message) if self._framed else message.encode())
                return received(connection)[0]
        assert self._connection is not None
        self._connection.sendall(f"{message}\n".encode())
        return received(self._connection)[0]

    def ask(self, moment: FamilyMoment) -> object:
        """Send the message, and return the move in the answer."""
        self.told = message = fill_json(self.given.message, moment)
        try:
            answer = self.exchange(message)
        except HTTPError as error:
            answer = f"{error}: {error.read(500).decode(errors='replace')}"
        except OSError:
            answer = ""
        except HTTPException as error:
            answer = repr(error)
        if not answer and self.bot is not None:
            self.bot.check(1)
        try:
            value = json.loads(answer)
            if isinstance(value, dict) and value.get("response") == "giveup":
                return "resign"
            for key in self.given.key.split("."):
                value = value[key]
        except (ValueError, LookupError, TypeError, RecursionError):
            text = f"answered {answer[:500]!r}, not JSON with {self.given.key!r}"
            raise BotFailed(f"the bot at {self.where} {text}") from None
        return value


def framed(message: str) -> bytes:
    """Return a message after the number of its bytes."""
    data = message.encode()
    return len(data).to_bytes(4, sys.byteorder) + data


def received(connection: socket.socket) -> tuple[str, bool]:
    """Return a line or a whole text of JSON, and whether the number of its bytes stands before it."""
    data = b""
    connection.settimeout(PATIENCE)
    while len(data) < LONGEST:
        try:
            more = connection.recv(LONGEST)
        except TimeoutError:
            connection.settimeout(None)
            if data:
                sys.stderr.write(f"bridge: the bot said {data[:200]!r}; a line or JSON does not end there\n")
            continue
        data += more
        if more and b"\0" in data[:4]:
            if len(data) - 4 >= int.from_bytes(data[:4], sys.byteorder):
                break
        elif not more or data.endswith(b"\n") or (data.endswith((b"}", b"]")) and _is_json(data)):
            break
    is_framed = b"\0" in data[:4]
    return data[4 * is_framed :].decode(errors="replace"), is_framed


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


class Http(Tcp):
    """A bot that answers POST requests with JSON."""

    kind = "http"
    form = r"https?://\S+"
    example = "URL such as http://127.0.0.1:8000/move"

    @classmethod
    def add_ways(cls, parser: ArgumentParser) -> None:
        """Add no other way."""

    def start(self) -> None:
        """Start the bot, and wait until it listens."""
        super().start()
        assert self._connection is not None
        self._connection.close()

    def exchange(self, message: str) -> str:
        """Send a message in a connection of its own."""
        request = Request(self.where, message.encode(), {"Content-Type": "application/json"})  # noqa: S310 - http
        with build_opener(ProxyHandler({})).open(request) as response:
            return str(response.read(LONGEST).decode(errors="replace"))
