"""The laws that every position of every game keeps."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Final

from protocol.plurals import counted
from protocol.wire.codec import NO_MOVE, is_removal
from referee.errors import MoveError, MoveSyntaxError, PositionError
from referee.game import MAX_MOVE_TEXT, Game, Move, Position
from referee.outcome import Outcome
from referee.testing.texts import STRANGE, huge, is_line, is_word, mutated, shorter, shown

__all__ = ["GameProblem", "Laws"]

_MUTATIONS = 20


class GameProblem(AssertionError):
    """A game breaks a law.

    Attributes:
        law: what is wrong, in a sentence.
        position: the position string where it shows; None when it shows before there is a position.
        move: the text of the move, or what was tried as one; None when no move is involved.
    """

    def __init__(self, game_id: str, law: str, position: str | None, move: str | None) -> None:
        where = "" if position is None else f"; position {shown(position)}"
        which = "" if move is None else f", move {shown(move)}"
        super().__init__(f"{game_id}: {law}{where}{which}")
        self.law = law
        self.position = position
        self.move = move


class Laws:
    """One game on trial; each method tries some laws and raises `GameProblem` at the first that is broken.

    Attributes:
        id: what the game is called in messages.
        players: how many seats it has.
        line: the moves that led to the position that is being looked at.
    """

    def __init__(self, game: Game) -> None:
        self.id = type(game).__name__
        self.players = 0
        self.line: list[str] = []
        self._game: Final = game
        self._position: str | None = None
        self._move: str | None = None
        self._keys: dict[Hashable, tuple[int, str]] = {}
        self._texts: dict[str, None] = {}  # every legal text seen, as an ordered set
        self._no_moves: dict[str, bool] = {}  # whether a strange text was no move of the game

    def problem(self, law: str) -> GameProblem:
        """A broken law, at the place where the trial is."""
        found = GameProblem(self.id, law, self._position, self._move)
        if self.line:
            found.add_note(f"the moves before: {' '.join(self.line)!a}")
        return found

    def law(self, holds: bool, sentence: str) -> None:
        """Raise the problem that the sentence tells unless the law holds."""
        if not holds:
            raise self.problem(sentence)

    def at(self, position: str | None, move: str | None = None) -> None:
        """Note where the trial is."""
        self._position = position
        self._move = move

    # --- every position ------------------------------------------------------------------------------------

    def look(self, position: Position) -> list[Move]:
        """What every position must keep; returns its legal moves."""
        text = str(position)
        self.at(text)
        self.law(isinstance(position, Position), "the position lacks a part of referee.game.Position")
        one_line = is_line(text) and text == " ".join(text.split())
        self.law(one_line, "the position string must be one line, with single spaces and none at its ends")
        ended = "moves" in text.split()
        self.law(not ended, "the position string has the word moves, which ends it on the wire")
        turn = position.turn
        self.law(type(turn) is int and 0 <= turn < self.players, f"turn is {turn!a}, which is no seat")
        outcome = position.outcome()
        self._outcome(outcome)
        moves = list(position.legal_moves())
        texts = [str(move) for move in moves]
        for word in texts:
            self._move_text(word)
        self._move = None
        twice = [word for word, count in Counter(texts).items() if count > 1]
        self.law(not twice, f"legal_moves lists a text twice: {', '.join(map(shown, twice))}")
        self.law(not moves or outcome is None, "the game is over, but legal_moves lists moves")
        self.law(bool(moves) or outcome is not None, "the game goes on, but legal_moves lists no move")
        self._texts.update(dict.fromkeys(texts))
        self._key(position, text)
        self._read_back(position, text, texts)
        return moves

    def _key(self, position: Position, text: str) -> None:
        key = position.key()
        try:
            hash(key)
        except TypeError as error:
            raise self.problem(f"key() must be hashable: {error!a}") from error
        turn, other = self._keys.setdefault(key, (position.turn, text))
        self.law(turn == position.turn, f"key() is that of {shown(other)}, where another seat is to move")

    def _outcome(self, outcome: Outcome | None) -> None:
        if outcome is None:
            return
        self.law(isinstance(outcome, Outcome), "outcome() must be an Outcome or None")
        count = len(outcome.ranks)
        self.law(count == self.players, f"the outcome has {counted(count, 'rank')}, not {self.players}")
        fit = outcome.scores is None or len(outcome.scores) == self.players
        self.law(fit, "the outcome must have one score a seat, or None")
        self.law(is_word(outcome.reason), f"the outcome's reason must be one word, not {outcome.reason!a}")

    def _move_text(self, text: str) -> None:
        self._move = text
        self.law(is_word(text), "the text of a move must be one printable word")
        self.law(len(text) <= MAX_MOVE_TEXT, f"the text of a move has more than {MAX_MOVE_TEXT} characters")
        taken = text == "resign" or is_removal(text) or text in NO_MOVE
        self.law(not taken, "the text of a move means something else on the wire")

    def _read_back(self, position: Position, text: str, texts: list[str]) -> None:
        """Printing and reading are inverse."""
        try:
            again = self._game.parse_position(text)
        except PositionError as error:
            raise self.problem(f"parse_position refuses the string of a position: {error!a}") from error
        read = "the position that is read from the position string"
        self.law(str(again) == text, f"{read} prints as {shown(str(again))}")
        self.law(again == position, f"{read} is not equal to the one that was printed")
        self.law(hash(again) == hash(position), f"{read} has another hash")
        self.law(again.key() == position.key(), f"{read} has another key()")
        self.law(again.turn == position.turn, f"{read} has another turn")
        self.law(again.outcome() == position.outcome(), f"{read} has another outcome")
        same = [str(move) for move in again.legal_moves()] == texts
        self.law(same, f"{read} lists other moves, or in another order")

    # --- some positions ------------------------------------------------------------------------------------

    def examine(self, position: Position, text: str, rng: random.Random) -> None:
        """What is too much for every position; ``text`` is what it was printed as when it was reached."""
        self.at(text)
        now = str(position)
        self.law(now == text, f"play changes earlier positions: this one prints as {shown(now)}")
        moves = list(position.legal_moves())
        texts = [str(move) for move in moves]
        successors = self._successors(position, moves)
        self._other_texts(position, texts, frozenset(successors), rng)
        self.at(text)
        count = getattr(position, "count_moves", None)
        if count is not None:
            self.law(count() == len(moves), f"count_moves() is {count()}, but legal_moves lists {len(moves)}")
        self._diagrams(position)
        if self.players > 2 and position.outcome() is None:
            self._skipping(position)
        for damaged in (*STRANGE, *mutated([text], " /-09x\u00b2\u0661", _MUTATIONS, rng), huge(text)):
            self._damaged_position(damaged)
        self.at(text)
        unchanged = str(position) == text and [str(move) for move in position.legal_moves()] == texts
        self.law(unchanged, "a position has changed while it was looked at and its moves were played")

    def _successors(self, position: Position, moves: list[Move]) -> list[Position]:
        """Every listed move is read by its text and leads where no other one does."""
        text = str(position)
        reached: dict[str, str] = {}
        before = position
        found = []
        for move in moves:
            word = str(move)
            self.at(text, word)
            after = position.play(move)
            self.law(position.play(move) == after, "play does not lead to the same position each time")
            other = reached.setdefault(str(after), word)
            self.law(other == word, f"the move {shown(other)} leads to the same position: list one of them")
            try:
                parsed = position.parse_move(word)
            except MoveError as error:
                raise self.problem(f"parse_move refuses a move that is listed: {error!a}") from error
            self.law(str(parsed) == word, f"parse_move gives a move with another text, {shown(str(parsed))}")
            equal = parsed == move and hash(parsed) == hash(move)
            self.law(equal, "parse_move gives a move that is not equal to the listed one")
            self.law(position.play(parsed) == after, "parse_move gives a move that leads elsewhere")
            self._equality(before, after)
            before = after
            found.append(after)
        self.at(text)
        self.law(len(set(found)) == len(reached), "positions with different position strings are equal")
        return found

    def _equality(self, one: Position, other: Position) -> None:
        same = str(one) == str(other)
        self.law((one == other) == same, "positions are not equal exactly when their strings are")
        self.law(one != str(one), "a position is equal to a string")

    def _other_texts(
        self, position: Position, listed: list[str], successors: frozenset[Position], rng: random.Random
    ) -> None:
        """What is no move is refused, and nothing is played that is not listed."""
        text = str(position)
        elsewhere = rng.sample(list(self._texts), min(_MUTATIONS, len(self._texts)))
        padded = [word + " " * MAX_MOVE_TEXT for word in listed[:1]]
        changed = mutated(listed or elsewhere, "a15,*#+>@- ", _MUTATIONS, rng)
        for word in (*STRANGE, *padded, *elsewhere, *changed):
            self.at(text, word)
            try:
                move = position.parse_move(word)
            except MoveError as error:
                self._sentence(error)
                self._kind_of_refusal(word, error)
            except Exception as error:
                kind = "parse_move must refuse what is no move by a MoveError"
                raise self.problem(f"{kind}, not by {shorter(ascii(error))}") from error
            else:
                self.law(0 < len(word) <= MAX_MOVE_TEXT, "parse_move takes a text of such a length")
                after = position.play(move)
                self.law(after in successors, "parse_move takes a move that no listed one agrees with")
                own = str(move)
                same = position.play(position.parse_move(own)) == after
                self.law(same, f"the move that is read has the text {shown(own)}, which leads elsewhere")

    def _kind_of_refusal(self, word: str, error: MoveError) -> None:
        """What is no move of the game is none in any position, finished ones included."""
        none = isinstance(error, MoveSyntaxError)
        known = word in self._texts
        self.law(not (none and known), "parse_move must answer a move of this game by an IllegalMove")
        if word in STRANGE:
            before = self._no_moves.setdefault(word, none)
            same = "parse_move must answer a text by a MoveSyntaxError in all positions, or in none"
            self.law(before == none, same)

    def _diagrams(self, position: Position) -> None:
        for ascii_only in (False, True):
            drawn = position.diagram(ascii_only=ascii_only)
            called = f"diagram(ascii_only={ascii_only})"
            printable = all(line.isprintable() for line in drawn.split("\n"))
            self.law(bool(drawn.strip()) and printable, f"{called} must be printable lines")
            self.law(not drawn.endswith("\n"), f"{called} ends with a newline")
            self.law(drawn.isascii() or not ascii_only, f"{called} has other characters")

    def _skipping(self, position: Position) -> None:
        """The referee passes over removed seats: going round comes back to the same position."""
        text = str(position)
        around = position
        for _ in range(self.players):
            before, around = around, around.skip_turn()
            self.look(around)
            self.at(text)
            self.law(around.outcome() is None, "skip_turn ends the game")
            self.law(around.turn != before.turn, "skip_turn does not pass the turn to another seat")
            if around.turn == position.turn:
                break
        home = around.turn == position.turn and around.key() == position.key()
        self.law(home, "skip_turn all the way round does not come back to the same position")

    def _damaged_position(self, text: str) -> None:
        """A damaged string is refused, or it is that of another position, which keeps all laws."""
        self.at(text)
        position = self.unless_refused(self._game.parse_position, text, "parse_position", "a damaged string")
        if position is not None:
            printed = str(position)
            as_written = printed.split() == text.split()
            self.law(as_written, f"parse_position reads a string that would be printed as {shown(printed)}")
            self.look(position)
            self._diagrams(position)

    def unless_refused(
        self, read: Callable[[str], Position], text: str, method: str, what: str
    ) -> Position | None:
        """The position that is read from a text; None when the text is refused as it must be.

        Args:
            read: the game's method.
            text: for it.
            method: its name.
            what: what the text is, if it is refused.
        """
        try:
            return read(text)
        except PositionError as error:
            self._sentence(error)
            named = is_line(getattr(error, "field", None))
            self.law(named, "a PositionError must name the damaged field")
            return None
        except Exception as error:
            kind = f"{method} must refuse {what} by a PositionError"
            raise self.problem(f"{kind}, not by {shorter(ascii(error))}") from error

    def _sentence(self, error: Exception) -> None:
        name, text = type(error).__name__, str(error)
        self.law(is_line(text), f"the message of {name} must be one printable line, not {shown(text)}")
