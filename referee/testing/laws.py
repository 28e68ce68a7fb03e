"""The laws that every position of every game must keep, and their checks."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import chain
from typing import Any, Final

from protocol.wire.codec import RESERVED_MOVES, is_removal
from protocol.words import counted
from referee.drawn_board import Decision, Scene
from referee.errors import MoveError, MoveSyntaxError, PositionError
from referee.game import (
    MAX_MOVE_TEXT,
    CountingGame,
    CountsProgress,
    Drawable,
    Game,
    Move,
    Position,
    irreversibility,
)
from referee.outcome import Outcome
from referee.ply import is_fault

_MUTATIONS = 20
_MAX_COUNT = 10**15


class GameProblem(AssertionError):
    """A game breaks a law.

    Attributes:
        law: the problem, in one sentence.
        position: the string of the position in which it occurs; None if there is no position yet.
        move: the text that was tried as a move; None if the problem does not depend on a move.
    """

    def __init__(self, game_id: str, law: str, position: str | None, move: str | None) -> None:
        where = "" if position is None else f"; position {quote(position)}"
        which = "" if move is None else f", move {quote(move)}"
        super().__init__(f"{game_id}: {law}{where}{which}")
        self.law = law
        self.position = position
        self.move = move


class Laws:
    """Checks one game. Each method checks some laws, and raises `GameProblem` for the first broken one.

    Attributes:
        id: the name of the game in messages.
        players: the number of seats.
        line: the moves that led to the position under test.
    """

    def __init__(self, game: Game) -> None:
        self.id = type(game).__name__
        self.players = 0
        self.line: list[str] = []
        self._game: Final = game
        self._position: str | None = None
        self._move: str | None = None
        self._keys: dict[Hashable, tuple[int, str]] = {}
        self._texts: dict[str, None] = {}  # every legal text so far, as an ordered set
        self._is_syntax_error: dict[str, bool] = {}  # by strange text, whether it raised MoveSyntaxError

    def problem(self, law: str) -> GameProblem:
        """Return the error for a broken law, with the current position and move."""
        problem = GameProblem(self.id, law, self._position, self._move)
        if self.line:
            problem.add_note(f"the moves before: {' '.join(self.line)!a}")
        return problem

    def require(self, holds: bool, sentence: str) -> None:
        """Raise `GameProblem` with this sentence, unless the law holds."""
        if not holds:
            raise self.problem(sentence)

    def set_place(self, position: str | None, move: str | None = None) -> None:
        """Set the position string and the move that the next error names."""
        self._position = position
        self._move = move

    def unless_refused(
        self, read: Callable[[str], Position], text: str, method: str, kind: str
    ) -> Position | None:
        """Return the position of a text; None if the game raises the right error for it.

        Args:
            read: the method of the game that parses the text.
            text: the text.
            method: the name of the method.
            kind: the kind of text, for the message.
        """
        try:
            return read(text)
        except PositionError as error:
            self.require_sentence(error)
            named = is_line(getattr(error, "field", None))
            self.require(named, "a PositionError must name the damaged field")
            return None
        except Exception as error:
            law = f"{method} must raise a PositionError for {kind}"
            raise self.problem(f"{law}, not {shortened(ascii(error))}") from error

    def require_sentence(self, error: Exception) -> None:
        """Require that the message of an error is one line."""
        name, text = type(error).__name__, str(error)
        self.require(is_line(text), f"the message of {name} must be one printable line, not {quote(text)}")

    def is_irreversible(self, position: Position, move: Move) -> bool:
        """Return whether the rules call a move irreversible, and check that they return True or False."""
        answer = irreversibility(position)(position, move)
        self.require(isinstance(answer, bool), f"is_irreversible() must be True or False, not {answer!a}")
        return answer

    # --- every position ------------------------------------------------------------------------------------

    def check_position(self, position: Position) -> list[Move]:
        """Check the laws that are cheap enough for every position. Return the legal moves."""
        text = str(position)
        self.set_place(text)
        self.require(isinstance(position, Position), "the position lacks a method of referee.game.Position")
        one_line = is_line(text) and text == " ".join(text.split())
        self.require(
            one_line, "the position string must be one line, with single spaces and none at its ends"
        )
        ended = "moves" in text.split()
        self.require(not ended, "the position string must not contain the word moves")
        turn = position.turn
        self.require(type(turn) is int and 0 <= turn < self.players, f"turn is {turn!a}, which is not a seat")
        if self._game.info.no_progress is not None:
            count = position.plies_without_progress if isinstance(position, CountsProgress) else None
            counts = type(count) is int and count >= 0
            self.require(counts, "info has no_progress, so plies_without_progress must be a number from 0")
        self._scene(position)
        outcome = position.outcome()
        self._outcome(outcome)
        moves = list(position.legal_moves())
        texts = [str(move) for move in moves]
        for word in texts:
            self.set_place(text, word)
            self._move_text(word)
        self.set_place(text)
        twice = [word for word, count in Counter(texts).items() if count > 1]
        self.require(not twice, f"legal_moves lists a text twice: {', '.join(map(quote, twice))}")
        self.require(not moves or outcome is None, "the game is over, but legal_moves lists moves")
        self.require(bool(moves) or outcome is not None, "the game goes on, but legal_moves lists no move")
        self._texts.update(dict.fromkeys(texts))
        self._key(position, text)
        self._read_back(position, text, texts)
        return moves

    def _scene(self, position: Position) -> None:
        board = self._game.info.drawn
        if board is None:
            return
        drawable = isinstance(position, Drawable)
        self.require(drawable, "info has a drawn board, so positions must have the method scene()")
        scene = position.scene() if isinstance(position, Drawable) else Scene({})
        pieces = board.pieces
        strange = [place for place, key in scene.pieces.items() if not board.has(place) or key not in pieces]
        strange += [place for place in (*scene.tiles, *scene.setup) if not board.has(place)]
        strange += [wall for wall in scene.walls if not board.has_wall(wall)]
        decision = scene.decision or Decision()
        marked = (*decision.winning, *decision.losing, *chain.from_iterable(decision.lines))
        strange += [place for place in marked if not board.has(place)]
        strange += [key for key in (decision.gone,) if key and key not in pieces]
        self.require(not strange, f"scene() has what the board has not: {', '.join(map(quote, strange))}")
        self.require(is_line(scene.caption, empty=True), "the caption of scene() must be a printable line")

    def _counts(self, position: Position) -> tuple[int, ...] | None:
        """Check and return the numbers of the game's count; None without a count, and in a finished game."""
        game = self._game
        if not isinstance(game, CountingGame) or position.outcome() is not None:
            return None
        counts: Any = game.count(position)
        fits = isinstance(counts, tuple) and [type(count) for count in counts] == [int] * self.players
        short = fits and all(abs(count) < _MAX_COUNT for count in counts)
        self.require(short or not fits, "the numbers of count() must have 15 digits or less")
        wanted = f"a tuple of {counted(self.players, 'whole number')}"
        self.require(fits, f"count() must be {wanted}, not {shortened(ascii(counts))}")
        return tuple(counts)

    def _key(self, position: Position, text: str) -> None:
        key = position.key()
        try:
            hash(key)
        except TypeError as error:
            raise self.problem(f"key() must be hashable: {error!a}") from error
        turn, other = self._keys.setdefault(key, (position.turn, text))
        self.require(
            turn == position.turn,
            f"key() is equal to the key of {quote(other)}, where another seat is to move",
        )

    def _outcome(self, outcome: Outcome | None) -> None:
        if outcome is None:
            return
        self.require(isinstance(outcome, Outcome), "outcome() must be an Outcome or None")
        count = len(outcome.ranks)
        self.require(count == self.players, f"the outcome has {counted(count, 'rank')}, not {self.players}")
        fit = outcome.scores is None or len(outcome.scores) == self.players
        self.require(fit, "the outcome must have one score for each seat, or None")
        self.require(
            is_word(outcome.reason), f"the outcome's reason must be one word, not {outcome.reason!a}"
        )

    def _move_text(self, text: str) -> None:
        self.require(is_word(text), "the text of a move must be one printable word")
        self.require(
            len(text) <= MAX_MOVE_TEXT, f"the text of a move has more than {MAX_MOVE_TEXT} characters"
        )
        taken = text in RESERVED_MOVES or is_removal(text) or is_fault(text)
        self.require(not taken, "the text of a move has another meaning in the protocol")

    def _read_back(self, position: Position, text: str, texts: list[str]) -> None:
        """Check that `parse_position` is the inverse of ``str``."""
        try:
            again = self._game.parse_position(text)
        except PositionError as error:
            raise self.problem(f"parse_position rejects the string of a position: {error!a}") from error
        subject = "the position parsed from its own position string"
        self.require(str(again) == text, f"{subject} prints as {quote(str(again))}")
        self.require(again == position, f"{subject} is not equal to the one that was printed")
        self.require(hash(again) == hash(position), f"{subject} has another hash")
        self.require(again.key() == position.key(), f"{subject} has another key()")
        self.require(again.turn == position.turn, f"{subject} has another turn")
        self.require(again.outcome() == position.outcome(), f"{subject} has another outcome")
        self.require(self._counts(again) == self._counts(position), f"{subject} has another count()")
        same = [str(move) for move in again.legal_moves()] == texts
        self.require(same, f"{subject} lists other moves, or in another order")

    # --- some positions ------------------------------------------------------------------------------------

    def examine(self, position: Position, text: str, rng: random.Random) -> None:
        """Check the laws that are too expensive for every position.

        Args:
            position: the position.
            text: its position string when the game reached it.
            rng: chooses the mutated texts.
        """
        self.set_place(text)
        now = str(position)
        self.require(now == text, f"play changes earlier positions: this one prints as {quote(now)}")
        moves = list(position.legal_moves())
        texts = [str(move) for move in moves]
        successors = self._successors(position, moves)
        self._other_texts(position, texts, frozenset(successors), rng)
        self.set_place(text)
        count = getattr(position, "count_moves", None)
        if count is not None:
            self.require(
                count() == len(moves), f"count_moves() is {count()}, but legal_moves lists {len(moves)}"
            )
        self._diagrams(position)
        if self.players > 2 and position.outcome() is None:
            self._skipping(position)
        for damaged in (*STRANGE, *mutated([text], " /-09x\u00b2\u0661", _MUTATIONS, rng), huge(text)):
            self._damaged_position(damaged)
        self.set_place(text)
        unchanged = str(position) == text and [str(move) for move in position.legal_moves()] == texts
        self.require(unchanged, "a position has changed while its methods were called")

    def _successors(self, position: Position, moves: list[Move]) -> list[Position]:
        """Check that each listed move can be parsed from its text, and leads to a position of its own."""
        text = str(position)
        reached: dict[str, str] = {}
        before = position
        successors = []
        for move in moves:
            word = str(move)
            self.set_place(text, word)
            after = position.play(move)
            self.require(position.play(move) == after, "play does not lead to the same position each time")
            other = reached.setdefault(str(after), word)
            self.require(
                other == word, f"the move {quote(other)} leads to the same position: list only one of them"
            )
            try:
                parsed = position.parse_move(word)
            except MoveError as error:
                raise self.problem(f"parse_move rejects a listed move: {error!a}") from error
            self.require(
                str(parsed) == word, f"parse_move returns a move with another text, {quote(str(parsed))}"
            )
            equal = parsed == move and hash(parsed) == hash(move)
            self.require(equal, "parse_move returns a move that is not equal to the listed one")
            self.require(
                position.play(parsed) == after, "parse_move returns a move that leads to another position"
            )
            self._equality(before, after)
            before = after
            successors.append(after)
        self.set_place(text)
        distinct = len(set(successors)) == len(reached)
        self.require(distinct, "positions with different position strings are equal")
        return successors

    def _equality(self, first: Position, second: Position) -> None:
        same = str(first) == str(second)
        self.require(
            (first == second) == same, "positions must be equal exactly when their strings are equal"
        )
        self.require(first != str(first), "a position is equal to a string")

    def _other_texts(
        self, position: Position, listed: list[str], successors: frozenset[Position], rng: random.Random
    ) -> None:
        """Check that `parse_move` rejects texts that are not moves, and accepts only listed moves."""
        text = str(position)
        elsewhere = rng.sample(list(self._texts), min(_MUTATIONS, len(self._texts)))
        padded = [word + " " * MAX_MOVE_TEXT for word in listed[:1]]
        changed = mutated(listed or elsewhere, "a15,*#+>@- ", _MUTATIONS, rng)
        for word in (*STRANGE, *padded, *elsewhere, *changed):
            self.set_place(text, word)
            try:
                move = position.parse_move(word)
            except MoveError as error:
                self.require_sentence(error)
                self._kind_of_move_error(word, error)
            except Exception as error:
                law = "parse_move must raise a MoveError for a text that is not a move"
                raise self.problem(f"{law}, not {shortened(ascii(error))}") from error
            else:
                self.require(
                    0 < len(word) <= MAX_MOVE_TEXT, "parse_move accepts a text that is empty or too long"
                )
                after = position.play(move)
                self.require(
                    after in successors,
                    "parse_move accepts a move that leads to a position that no listed move leads to",
                )
                printed = str(move)
                same = position.play(position.parse_move(printed)) == after
                self.require(
                    same, f"the parsed move has the text {quote(printed)}, which leads to another position"
                )

    def _kind_of_move_error(self, word: str, error: MoveError) -> None:
        """Check that a text raises `MoveSyntaxError` in all positions, also in finished ones, or in none."""
        is_syntax_error = isinstance(error, MoveSyntaxError)
        is_move_elsewhere = word in self._texts
        self.require(
            not (is_syntax_error and is_move_elsewhere),
            "parse_move must raise IllegalMove for a text that is a move in another position",
        )
        if word in STRANGE:
            before = self._is_syntax_error.setdefault(word, is_syntax_error)
            law = "parse_move must raise MoveSyntaxError for a text in all positions, or in none"
            self.require(before == is_syntax_error, law)

    def _diagrams(self, position: Position) -> None:
        for ascii_only in (False, True):
            drawn = position.diagram(ascii_only=ascii_only)
            call = f"diagram(ascii_only={ascii_only})"
            printable = all(line.isprintable() for line in drawn.split("\n"))
            self.require(bool(drawn.strip()) and printable, f"{call} must be printable lines")
            self.require(not drawn.endswith("\n"), f"{call} ends with a newline")
            self.require(drawn.isascii() or not ascii_only, f"{call} has characters that are not ASCII")

    def _skipping(self, position: Position) -> None:
        """Check that `skip_turn`, once for each seat, leads back to the same position."""
        text = str(position)
        around = position
        for _ in range(self.players):
            before, around = around, around.skip_turn()
            self.check_position(around)
            self.set_place(text)
            self.require(around.outcome() is None, "skip_turn ends the game")
            self.require(around.turn != before.turn, "skip_turn does not pass the turn to another seat")
            if around.turn == position.turn:
                break
        same = around.turn == position.turn and around.key() == position.key()
        self.require(same, "skip_turn, once for each seat, does not lead back to the same position")

    def _damaged_position(self, text: str) -> None:
        """Check that a mutated string is rejected, or is the string of a position that keeps all laws."""
        self.set_place(text)
        position = self.unless_refused(self._game.parse_position, text, "parse_position", "a damaged string")
        if position is not None:
            printed = str(position)
            as_written = printed.split() == text.split()
            self.require(
                as_written, f"parse_position accepts a string whose position prints as {quote(printed)}"
            )
            self.check_position(position)
            self._diagrams(position)


# --- texts -------------------------------------------------------------------------------------------------

STRANGE: Final = (
    "",
    " ",
    "zzz",
    "0000",
    "resign",
    "!1",
    "\x1b[2J",
    "a\nb",
    "\u0661",
    "\ud800",
    "z" * 10_000,
    "9" * 10_000,
)
"""Texts that are neither moves nor positions in most games. A game must list such a text if it is a move."""

_MAX_QUOTED = 1000


def mutated(texts: Sequence[str], more: str, count: int, rng: random.Random) -> Iterator[str]:
    """Yield ``count`` mutated texts: random texts with a few characters replaced, removed or inserted.

    Args:
        texts: the texts to mutate, whose characters are also inserted.
        more: more characters to insert.
        count: how many mutated texts to yield.
        rng: makes the random choices.
    """
    letters = sorted({*more, *"".join(texts)})
    for _ in range(count if texts else 0):
        text = rng.choice(texts)
        for _ in range(rng.randint(1, 3)):
            place = rng.randint(0, len(text))
            new = "".join(rng.choices(letters, k=rng.randint(0, 2)))
            text = text[:place] + new + text[place + rng.randint(0, 2) :]
        yield text


def huge(text: str) -> str:
    """Return the text with its first number replaced by one too long for `int`."""
    return re.sub(r"[0-9]+", "9" * 5000, text, count=1)


def is_line(text: object, *, empty: bool = False) -> bool:
    """Return whether ``text`` is a printable string without line breaks."""
    return isinstance(text, str) and text.isprintable() and (empty or bool(text.strip()))


def is_word(text: object) -> bool:
    """Return whether ``text`` is a printable string without spaces."""
    return isinstance(text, str) and text.isprintable() and text != "" and " " not in text


def are_lines(texts: object) -> bool:
    """Return whether ``texts`` is a tuple of printable lines."""
    return isinstance(texts, tuple) and all(map(is_line, texts))


def shortened(text: str) -> str:
    """Return the text, cut if it is very long."""
    return text if len(text) <= _MAX_QUOTED else f"{text[:_MAX_QUOTED]}... ({len(text)} characters)"


def quote(text: str) -> str:
    """Return the text for a message: printable, in quotation marks, and cut if it is very long."""
    return shortened(ascii(text))
