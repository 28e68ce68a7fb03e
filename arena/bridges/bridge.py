"""What all bridges have: their options, and the way from a turn to a move."""

from __future__ import annotations

import re
import shlex
import socket
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NoReturn
from urllib.parse import urlsplit

from arena.bridges.bot import Bot, BotFailed
from arena.bridges.families import RECIPES, FamilyMoment, FamilySeat
from arena.bridges.spelling import LONGEST as LONGEST_ANSWER
from arena.bridges.spelling import PART, PARTS, Spelling, written
from arena.bridges.values import NAME, known
from protocol.engine import Engine, Turn
from referee import game

SHOWN_MOVES: Final = 3  # moves of a process for which the bridge says what the bot was told
_SHOWN: Final = 160  # characters of what the bot was told
_NOTHING: Final = "None_(nothing_returned)"  # of a function without `return`; `none` would say: no legal move


def template(names: Collection[str]) -> Callable[[str], str]:
    """Return the type of an option: a text with some of these names in braces."""
    return lambda text: known(text, NAME.findall(text), names)


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{self.prog}: {message}; `arena docs bridges` explains the options")


class Bridge(Engine):
    """An engine that asks a bot for its moves. A subclass has `ask`."""

    capabilities = ("legal", "delta", "resign")
    kind = ""
    needs_bot = False
    usual = "--colors white,black"
    """The options of this kind, unless others are given."""
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
        recipes = RECIPES.get(cls.kind, {})
        parser.add_argument("--like", choices=list(recipes))
        cut = [*words, "--"].index("--")
        like = parser.parse_known_args(words[:cut])[0].like
        cls.add_options(parser)
        parser.add_argument("bot", nargs="*")
        parser.add_argument("--move", nargs=2, action="append", default=[])
        parser.add_argument("--square", nargs=2, action="append", default=[])
        parser.add_argument("--case", action="store_true")
        parser.add_argument("--colors", type=lambda text: text.split(","))
        recipe = shlex.split(f"{cls.usual} {recipes.get(like, '')}")
        given = parser.parse_intermixed_args([*recipe, *words[:cut]])
        given.bot += words[cut + 1 :]
        if cls.needs_bot and not given.bot:
            parser.error("the command of the bot is missing; write it after --")
        cls.check(given, parser)
        try:
            for _, text in given.square:
                known(text, [name for name, _, _ in PART.findall(text)], PARTS)
            patterns = (*given.move, *getattr(given, "sent", ()), (getattr(given, "answer", ""), ""))
            for pattern, text in (*((pattern, "") for pattern, _ in given.square), *patterns):
                re.sub(pattern, text, "")
        except (re.error, ArgumentTypeError) as error:
            parser.error(f"a pattern or what replaces it is wrong: {error}")
        return given

    @classmethod
    def check(cls, given: Namespace, parser: ArgumentParser) -> None:
        """Let the parser refuse options that do not go together."""

    def new_game(self, info: Mapping[str, str]) -> None:
        """Learn which game starts."""
        rules, seat = game(info["game"]), int(info["seat"]) - 1
        if rules.info.players > len(self.given.colors):
            raise BotFailed(
                f"{rules.info.id} has {rules.info.players} players, so --colors must name as many"
            )
        if self.at is None or self.at.rules is not rules:
            self.spelling = Spelling(self.given.square, self.given.move, rules.info, case=self.given.case)
        self.at = FamilySeat(rules, seat, self.given.colors[seat], self.spelling)

    def choose(self, turn: Turn) -> str:
        """Return the move that the bot means; if it is not legal, the referee says why."""
        self.told = ""
        answer = self.ask(FamilyMoment(self.at, turn))
        self.spelling.learn(turn.legal)
        whole = written(answer)[:LONGEST_ANSWER]
        text = whole.encode(errors="replace").decode()  # half a character is no text
        moves = self.spelling.meanings(answer)
        if len(moves) == 1:
            (move,) = moves
        elif text.strip().casefold() == "resign":
            move = "resign"
        else:
            move = _NOTHING if answer is None and turn.legal else self.spelling.passed_on(text)
            several = f", which means {', '.join(sorted(moves))}" if moves else ""
            sys.stderr.write(f"bridge: the bot said {text!r}{several}\n")
        if self._shown < SHOWN_MOVES:
            self._shown += 1
            turn.info(string=f"bridge: the bot was told {self.told[:_SHOWN]!r} and said {text!r}: {move}")
        return move

    def ask(self, moment: FamilyMoment) -> object:
        """Return the bot's answer, and put what it was told in `told`."""
        raise NotImplementedError

    def close(self) -> None:
        """End the bot."""
        if self.bot is not None:
            self.bot.close(self.farewell)


class Program(Bridge):
    """A bot that is a program."""

    door: socket.socket | None = None

    @classmethod
    def add_options(cls, parser: ArgumentParser) -> None:
        """Add when the bot is started."""
        parser.add_argument("--process", choices=("game", "all"), default="all")

    def start(self) -> None:
        """Start the bot."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Start the bot, if it plays all games in one process."""
        if self.given.process == "all":
            self.start()

    def new_game(self, info: Mapping[str, str]) -> None:
        """Start the bot, if it plays one game in a process."""
        super().new_game(info)
        if self.given.process == "game":
            self.close()
            self.start()

    def started(self, output: int) -> Bot:
        """Return the bot; with ``--listen``, after it has connected to the bridge."""
        if not self.given.listen:
            return Bot(self.given.bot, output=output)
        if self.door is None:
            host, _, port = self.given.listen.rpartition(":")
            try:
                self.door = socket.create_server((host, int(port.replace("{port}", "0"))))
            except OSError as error:
                where = f"{self.given.listen}: {error.strerror}"
                raise BotFailed(f"the bridge cannot listen at {where}; use {{port}} for a free one") from None
        port = str(self.door.getsockname()[1])
        return Bot([word.replace("{port}", port) for word in self.given.bot], self.door)


def add_listen(parser: ArgumentParser) -> None:
    """Add the address to which a bot connects."""
    parser.add_argument("--listen", metavar="ADDRESS", type=address(HOST_PORT, "HOST:PORT"))


HOST_PORT: Final = r"[^/\s]+:(\d{1,5}|\{port\})"


def address(form: str, example: str) -> Callable[[str], str]:
    """Return the type of an option that is an address of this form."""

    def read(text: str) -> str:
        place = text if "//" in text else f"//{text}"
        with suppress(ValueError):  # a port can be too high
            if re.fullmatch(form, text) and urlsplit(place.replace("{port}", "0")).port is not False:
                return text
        raise ArgumentTypeError(f"{text!r} is no {example}")

    return read
