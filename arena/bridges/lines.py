"""Bridges to bots that get and print lines."""

from __future__ import annotations

import re
import subprocess
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Final

from arena.bridges.bot import PATIENCE, BotFailed
from arena.bridges.bridge import Program, add_listen, template
from arena.bridges.families import FAMILY_OF_GAME, FAMILY_VALUES, FamilyMoment
from arena.bridges.spelling import replacements
from arena.bridges.values import fill
from protocol.engine import Turn


class Lines(Program):
    """A bot that answers the lines of a turn with a line."""

    kind = "lines"
    needs_bot = True
    usual = "--colors white,black --turn {text} --process game"

    @classmethod
    def add_options(cls, parser: ArgumentParser) -> None:
        """Add what the bot is told, and where its answer has the move."""
        super().add_options(parser)
        add_listen(parser)
        parser.add_argument("--start", nargs="*", type=template(FAMILY_OF_GAME), default=())
        parser.add_argument("--played", type=template(("color", "move")), default="")
        parser.add_argument("--turn", nargs="*", type=template(FAMILY_VALUES))
        parser.add_argument("--after", nargs="*", type=template(FAMILY_VALUES), default=())
        parser.add_argument("--sent", nargs=2, action="append", default=[])
        parser.add_argument("--answer", default=".+")

    def start(self) -> None:
        """Start the bot."""
        self.bot = self.started(subprocess.PIPE)

    def new_game(self, info: Mapping[str, str]) -> None:
        """Start the game."""
        super().new_game(info)
        self._info = info
        self._known: tuple[str, ...] = ()
        for text in self.given.start:
            self._say(fill(text, self.at))

    def ask(self, moment: FamilyMoment) -> str:
        """Tell the bot the moves that it does not know, and the turn, and return the move in its answer."""
        if self.given.played:
            self._tell_moves(moment)
        for text in self.given.turn:
            self._say(fill(text, moment))
        told = self.told
        while not (match := re.search(self.given.answer, self._hear())):
            pass
        for text in self.given.after:
            self._say(fill(text, moment))
        self.told = told
        return str(match[match.re.groups and 1])

    def _tell_moves(self, moment: FamilyMoment) -> None:
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
        return str(self.bot.line(f"an answer is a line that fits {self.given.answer}"))


class Gtp(Lines):
    """A bot that speaks the Go Text Protocol, or one like it."""

    kind = "gtp"
    usual = (
        "--start 'boardsize {size}' clear_board --turn 'genmove {color}' --played 'play {color} {move}'"
        " --colors black,white"
    )
    farewell = "quit\n"

    _ANSWER: Final = re.compile(r"(?:[^=?]*[>:$%] ?)?([=?].*)")  # after a prompt
    _SIGN: Final = re.compile(r"[=?](?:\d+\s)?")  # with the number of a command
    _FORM: Final = "an answer starts with = or ?, and ends with an empty line"
    _BREAK: Final = 0.3  # seconds of silence after an answer without an empty line

    def __init__(self, given: Namespace) -> None:
        super().__init__(given)
        self._questions = ["name", "version"]
        self._asked = self._terse = False
        if given.process == "all":
            self.start()
            self._introduce(PATIENCE)

    def prepare(self) -> None:
        """Wait for a bot that was slow to say its name."""
        if self.bot is not None:
            self._introduce(None)

    def _introduce(self, seconds: float | None) -> None:
        """Ask for the name and the version; leave the rest for later if an answer takes longer than this."""
        while self._questions:
            if not self._asked:
                self.bot.send(self._questions[0])
            answer = self._answer(seconds)
            self._asked = answer is None
            if answer is None:
                return
            word = self._questions.pop(0)
            if answer.startswith("="):
                setattr(self, word, self._SIGN.sub("", answer, count=1).strip())

    def _say(self, line: str) -> None:
        super()._say(line)
        self._heard = str(self._answer())
        if self._heard.startswith("?"):
            raise BotFailed(f"the bot refused {self.told!r}: {self._heard[1:].strip()}")

    def _hear(self) -> str:
        heard = self._heard[1:].strip()
        if not self.spelling.meanings(heard):  # else it is a move in numbers
            heard = self._SIGN.sub("", self._heard, count=1).strip()
        self._heard = ""
        if not heard:
            raise BotFailed(f"the bot's answer has no move that fits {self.given.answer}")
        return heard

    def _answer(self, seconds: float | None = None) -> str | None:
        """Return an answer as one line that starts with = or ?; None if there is none in time."""
        match = None
        while match is None:
            line = self.bot.line(self._FORM, seconds)
            if line is None:
                return None
            match = self._ANSWER.fullmatch(line)
        answer = match[1]
        if not self._terse:
            while more := self.bot.line(self._FORM, self._BREAK):
                answer += f" {more}"
            self._terse = more is None  # the bot leaves out the empty line
        return answer
