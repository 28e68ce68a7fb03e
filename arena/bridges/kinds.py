"""The bridges: each is an engine that asks a bot of its kind for moves.

A bridge fills its values into templates that its options give, and finds the move whose spelling the bot's
answer is.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Collection, Mapping, Sequence
from http.client import HTTPException
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NoReturn
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from arena.bridges import startable
from arena.bridges.spelling import LONGEST as LONGEST_ANSWER
from arena.bridges.spelling import PART, PARTS, Spelling, replacements, written
from arena.bridges.values import NAME, OF_GAME, VALUES, Moment, Seat, fill, fill_json, known
from protocol.engine import Engine, Turn, run
from protocol.errors import EngineStartError
from referee import game

LONGEST: Final = 1 << 20  # characters of a line, and bytes of a message, from a bot
SHOWN_MOVES: Final = 3  # moves of a process for which the bridge says what the bot was told
_SHOWN: Final = 160  # characters of what the bot was told


class BotFailed(Exception):
    """The bot, or what the bridge needs, cannot go on. The process ends: the hub counts a crash."""


class Bot:
    """A running bot."""

    def __init__(self, command: Sequence[str], output: int = subprocess.PIPE) -> None:
        self._last = ""  # what was sent or heard last
        try:
            words = startable(command, str(Path.cwd()))
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=output, encoding="utf-8", errors="replace"
            )
        except (EngineStartError, OSError) as error:
            raise BotFailed(f"the bot cannot be started: {error}") from None

    def send(self, text: str) -> None:
        """Write a line."""
        self._last = f" after it got {text!r}"
        try:
            print(text, file=self._process.stdin, flush=True)
        except BrokenPipeError:
            self.check(1)

    def line(self) -> str:
        """Return the bot's next line, without white space around it."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline(LONGEST)
        if not line:
            self.check(1)
        if len(line) == LONGEST:
            raise BotFailed(f"the bot printed a line of {LONGEST} characters")
        self._last = f" after it said {line.strip()!r}"
        return line.strip()

    def check(self, seconds: float = 0) -> None:
        """Fail if the bot has ended; with seconds, in which it should end, fail in any case."""
        try:
            status = self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            if seconds:
                raise BotFailed(f"the bot closed its input or output{self._last}") from None
        else:
            raise BotFailed(f"the bot ended with status {status}{self._last}")

    def close(self, farewell: str) -> None:
        """End the bot: its input ends with some last words, and after half a second it is killed."""
        try:
            self._process.communicate(farewell, timeout=0.5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def template(names: Collection[str]) -> Callable[[str], str]:
    """Return the type of an option: a text with some of these names in braces."""

    def read(text: str) -> str:
        try:
            return known(text, NAME.findall(text), names)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from None

    return read


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{self.prog}: {message}; `arena docs bridges` explains the options")


class Bridge(Engine):
    """An engine that asks a bot for its moves. A subclass has `ask`."""

    capabilities = ("legal", "delta", "resign")
    kind = ""
    needs_bot = False
    colors = "white,black"
    farewell = ""
    bot: Any = None
    at: Any = None
    """What is known since the start of the game."""

    def __init__(self, given: Namespace) -> None:
        self.given: Namespace = given
        self.told = ""  # the last line or call of a turn
        self._shown = 0
        self.name = " ".join(given.bot).rpartition("/")[2] or f"bridge:{self.kind}"

    @classmethod
    def add_options(cls, parser: ArgumentParser) -> None:
        """Add the options of this kind alone."""

    @classmethod
    def read(cls, words: Sequence[str]) -> Namespace:
        """Read the words after ``bridge:KIND``; those after ``--`` are the command of the ``bot``."""
        parser = _Parser(f"bridge:{cls.kind}", add_help=False, allow_abbrev=False)
        cls.add_options(parser)
        parser.add_argument("bot", nargs="*")
        parser.add_argument("--move", nargs=2, action="append", default=[])
        parser.add_argument("--square", nargs=2, action="append", default=[])
        parser.add_argument("--case", action="store_true")
        parser.add_argument("--colors", type=lambda text: text.split(","), default=cls.colors.split(","))
        cut = [*words, "--"].index("--")
        given = parser.parse_intermixed_args(words[:cut])
        given.bot += words[cut + 1 :]
        if cls.needs_bot and not given.bot:
            parser.error("the command of the bot is missing; write it after --")
        if given.bot and "make" in given:
            parser.error(f"the class is the bot, so remove {given.bot[0]!r}")
        try:
            for _, text in given.square:
                known(text, [name for name, _, _ in PART.findall(text)], PARTS)
            patterns = (*given.move, *getattr(given, "sent", ()), (getattr(given, "answer", ""), ""))
            for pattern, text in (*((pattern, "") for pattern, _ in given.square), *patterns):
                re.sub(pattern, text, "")
        except (re.error, ValueError) as error:
            parser.error(f"a pattern or what replaces it is wrong: {error}")
        return given

    def new_game(self, info: Mapping[str, str]) -> None:
        """Learn which game starts."""
        rules, seat = game(info["game"]), int(info["seat"]) - 1
        if rules.info.players > len(self.given.colors):
            raise BotFailed(
                f"{rules.info.id} has {rules.info.players} players, so --colors must name as many"
            )
        if self.at is None or self.at.rules is not rules:
            self.spelling = Spelling(self.given.square, self.given.move, rules.info, case=self.given.case)
        self.at = Seat(rules, seat, self.given.colors[seat], self.spelling)

    def choose(self, turn: Turn) -> str:
        """Return the move that the bot means; if it is not legal, the referee says why."""
        self.told = ""
        answer = self.ask(Moment(self.at, turn))
        self.spelling.learn(turn.legal)
        whole = written(answer)[:LONGEST_ANSWER]
        text = whole.encode(errors="replace").decode()  # half a character is no text
        moves = self.spelling.meanings(answer)
        if len(moves) == 1:
            (move,) = moves
        elif text.strip().casefold() == "resign":
            move = "resign"
        else:
            move = self.spelling.passed_on(text)
            several = f", which means {', '.join(sorted(moves))}" if moves else ""
            sys.stderr.write(f"bridge: the bot said {text!r}{several}\n")
        if self._shown < SHOWN_MOVES:
            self._shown += 1
            turn.info(string=f"bridge: the bot was told {self.told[:_SHOWN]!r} and said {text!r}: {move}")
        return move

    def ask(self, moment: Moment) -> object:
        """Return the bot's answer, and put what it was told in `told`."""
        raise NotImplementedError

    def close(self) -> None:
        """End the bot."""
        if self.bot is not None:
            self.bot.close(self.farewell)


class Lines(Bridge):
    """A bot that is started for each game, and answers the lines of a turn with a line."""

    kind = "lines"
    needs_bot = True
    renews = True
    start: Sequence[str] = ()
    played = ""
    turn: Sequence[str] = ("{text}",)

    @classmethod
    def add_options(cls, parser: ArgumentParser) -> None:
        """Add what the bot is told, and where its answer has the move."""
        parser.add_argument("--start", nargs="*", type=template(OF_GAME), default=cls.start)
        parser.add_argument("--played", type=template(("color", "move")), default=cls.played)
        parser.add_argument("--turn", nargs="+", type=template(VALUES), default=cls.turn)
        parser.add_argument("--sent", nargs=2, action="append", default=[])
        parser.add_argument("--answer", default=".+")

    def new_game(self, info: Mapping[str, str]) -> None:
        """Start the game."""
        super().new_game(info)
        self._info = info
        self._known: tuple[str, ...] = ()
        if self.renews:
            self.close()
            self.bot = Bot(self.given.bot)
        for text in self.given.start:
            self._say(fill(text, self.at))

    def ask(self, moment: Moment) -> str:
        """Tell the bot the moves that it does not know, and the turn, and return the move in its answer."""
        if self.given.played:
            self._tell_moves(moment)
        for text in self.given.turn:
            self._say(fill(text, moment))
        while not (match := re.search(self.given.answer, self._hear())):
            pass
        return str(match[match.re.groups and 1])

    def _tell_moves(self, moment: Moment) -> None:
        """Tell the bot each move that it does not know, and in another game all of them."""
        turn = moment.turn
        if turn.start is not None or moment.rules.info.players != 2:
            raise BotFailed("a bot that is told each move can only play games for two from their usual start")
        if turn.moves[: len(self._known)] != self._known:
            self.new_game(self._info)
        new = turn.moves[len(self._known) :]
        for number, move in enumerate(new):
            color = self.given.colors[(self.at.seat + len(new) - number) % 2]
            line = self.given.played.replace("{color}", color)
            self._say(line.replace("{move}", self.spelling.told(move)))

    def choose(self, turn: Turn) -> str:
        """Remember that the bot knows its move."""
        self._known = (*turn.moves, move := super().choose(turn))
        return move

    def _say(self, line: str) -> None:
        self.told = replacements(line, self.given.sent)[0]
        self.bot.send(self.told)

    def _hear(self) -> str:
        return str(self.bot.line())


class Gtp(Lines):
    """A bot that speaks the Go Text Protocol, or one like it. It plays all games in one process."""

    kind = "gtp"
    renews = False
    colors = "black,white"
    farewell = "quit\n"
    start = ("boardsize {size}", "clear_board")
    played = "play {color} {move}"
    turn = ("genmove {color}",)

    def __init__(self, given: Namespace) -> None:
        super().__init__(given)
        self.bot = Bot(given.bot)
        name, version = self._answer("name"), self._answer("version")
        self.name = name[1:].strip() if name.startswith("=") else self.name
        self.version = version[1:].strip() if version.startswith("=") else ""

    def _say(self, line: str) -> None:
        self._heard = self._answer(line)
        if self._heard.startswith("?"):
            raise BotFailed(f"the bot refused {self.told!r}: {self._heard[1:].strip()}")

    def _hear(self) -> str:
        heard, self._heard = self._heard[1:].strip(), ""
        if not heard:
            raise BotFailed(f"the bot's answer has no move that fits {self.given.answer}")
        return heard

    def _answer(self, command: str) -> str:
        """Return the answer to a command as one line, which starts with = or ?."""
        super()._say(command)
        while not (answer := super()._hear()).startswith(("=", "?")):
            pass
        while more := super()._hear():
            answer += f" {more}"
        return answer


Call = tuple[str, list[tuple[str, str]]]
"""A name; and for each argument, a keyword, or "", and the name of a value."""


def _call(names: Collection[str]) -> Callable[[str], Call]:
    """Return the type of an option of the form ``NAME(VALUE, KEYWORD=VALUE)``."""

    def read(text: str) -> Call:
        name, *parts = re.findall(r"[^\s(,)]+", text) or [text]
        if not name.isidentifier():
            raise ArgumentTypeError(f"{text!r} is not of the form NAME(VALUE, KEYWORD=VALUE)")
        arguments = [part.rpartition("=") for part in parts]
        try:
            known(text, [value for _, _, value in arguments], names)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from None
        return name, [(keyword, value) for keyword, _, value in arguments]

    return read


class PythonClass(Bridge):
    """A class in Python: an object is made for each game, and its method is called for each turn."""

    kind = "class"

    @classmethod
    def add_options(cls, parser: ArgumentParser) -> None:
        """Add the class and its method."""
        parser.add_argument("where", metavar="MODULE")
        parser.add_argument("make", metavar="CLASS", type=_call(OF_GAME))
        parser.add_argument("--method", type=_call(VALUES), required=True)

    def __init__(self, given: Namespace) -> None:
        super().__init__(given)
        self.name = given.make[0]
        wire = os.dup(1)
        os.dup2(2, 1)  # all that the bot prints goes to standard error
        sys.stdout = os.fdopen(wire, "w")

    def prepare(self) -> None:
        """Import the class from a file, or from a module as Python finds it in the current folder."""
        sys.stdin = Path(os.devnull).open()  # noqa: SIM115 - what the hub writes is not for the bot
        file = Path(self.given.where).absolute()
        sys.path[:0] = [str(file.parent), str(Path.cwd())]
        module = import_module(file.stem if file.suffix == ".py" else self.given.where)
        if not hasattr(module, self.name):
            raise BotFailed(f"{module.__file__} has no class {self.name}")
        self._class = getattr(module, self.name)

    def new_game(self, info: Mapping[str, str]) -> None:
        """Make the bot of this game."""
        super().new_game(info)
        self._player = self._called(self._class, self.given.make, self.at)

    def ask(self, moment: Moment) -> object:
        """Call the method."""
        method = getattr(self._player, self.given.method[0])
        return self._called(method, self.given.method, moment)

    def _called(self, function: Callable[..., object], call: Call, values: Seat) -> object:
        given = [(keyword, getattr(values, value)) for keyword, value in call[1]]
        keywords = {keyword: value for keyword, value in given if keyword}
        places = [value for keyword, value in given if not keyword]
        self.told = f"{call[0]}({', '.join(f'{keyword}={value}'.lstrip('=') for keyword, value in given)})"
        return function(*places, **keywords)


class Tcp(Bridge):
    """A bot that listens to a port, and answers each line of JSON with one."""

    kind = "tcp"
    form = r"[^/\s]+:(\d{1,5}|\{port\})"
    example = "HOST:PORT"
    _lines: Any = None

    @classmethod
    def add_options(cls, parser: ArgumentParser) -> None:
        """Add where the bot listens, the message, and where its answer has the move."""

        def address(text: str) -> str:
            if re.fullmatch(cls.form, text):
                return text
            raise ArgumentTypeError(f"{text!r} is no {cls.example}")

        usual = '{"game": {game}, "text": {text}, "legal": {legal}, "player": {player}, "ms": {ms}}'
        parser.add_argument("where", metavar="ADDRESS", type=address)
        parser.add_argument("--message", type=template(VALUES), default=usual)
        parser.add_argument("--key", default="move")

    def prepare(self) -> None:
        """Start the bot, unless it runs elsewhere, and connect."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = str(free.getsockname()[1])
        self.where, *command = (word.replace("{port}", port) for word in (self.given.where, *self.given.bot))
        self.bot = Bot(command, output=2) if command else None
        place = urlsplit(self.where if "//" in self.where else f"//{self.where}")
        usual = 443 if place.scheme == "https" else 80
        until = time.monotonic() + 30
        while self._lines is None:
            try:
                connection = socket.create_connection((place.hostname, place.port or usual))
                self._lines = connection.makefile("rw", encoding="utf-8", errors="replace")
            except (OSError, ValueError) as error:
                if self.bot is None or time.monotonic() > until:
                    raise BotFailed(f"no bot listens at {self.where}: {error}") from None
                self.bot.check()
                time.sleep(0.02)

    def exchange(self, message: str) -> str:
        """Send a message, and return the answer."""
        print(message, file=self._lines, flush=True)
        return str(self._lines.readline(LONGEST))

    def ask(self, moment: Moment) -> object:
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
            for key in self.given.key.split("."):
                value = value[key]
        except (ValueError, LookupError, TypeError, RecursionError):
            text = f"answered {answer[:500]!r}, not JSON with {self.given.key!r}"
            raise BotFailed(f"the bot at {self.where} {text}") from None
        return value


class Http(Tcp):
    """A bot that answers POST requests with JSON."""

    kind = "http"
    form = r"https?://\S+"
    example = "URL such as http://127.0.0.1:8000/move"

    def prepare(self) -> None:
        """Start the bot, and wait until it listens."""
        super().prepare()
        self._lines.close()

    def exchange(self, message: str) -> str:
        """Send a message in a connection of its own."""
        request = Request(self.where, message.encode(), {"Content-Type": "application/json"})  # noqa: S310 - http
        with build_opener(ProxyHandler({})).open(request) as response:
            return str(response.read(LONGEST).decode(errors="replace"))


BRIDGES: Final[dict[str, type[Bridge]]] = {
    bridge.kind: bridge for bridge in (Gtp, Lines, PythonClass, Http, Tcp)
}


def _tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print why the bot failed, in one line: the hub quotes standard error, which the bot uses, too."""
    if isinstance(error, BotFailed):
        sys.stderr.write(f"bridge: {error}\n")
    else:
        sys.__excepthook__(kind, error, trace)


if __name__ == "__main__":
    sys.excepthook = _tell
    engine = BRIDGES[sys.argv[1]](BRIDGES[sys.argv[1]].read(sys.argv[2:]))
    run(engine)
    engine.close()
