"""Tests of `check_game`: the built-in games pass, and each law is broken by a small game, which fails."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from referee import (
    GameInfo,
    IllegalMove,
    MoveError,
    MoveSyntaxError,
    Outcome,
    PositionError,
    game,
    game_ids,
)
from referee.testing import GameProblem, check_game

INFO = GameInfo("pile", "Pile", 2, "a pile of stones", None, 0.0, "", ())


class Pile:
    """Players take one to three stones from a pile, and the player who takes the last one wins."""

    seats = 2

    def __init__(self, stones: int, seat: int) -> None:
        self.stones = stones
        self.seat = seat

    @property
    def turn(self) -> int:
        return self.seat

    def legal_moves(self) -> Any:
        return iter(["t1", "t2", "t3"][: self.stones])

    def parse_move(self, text: str) -> Any:
        if not re.fullmatch("t[123]", text):
            raise MoveSyntaxError("a move is t1, t2 or t3")
        if int(text[1]) > self.stones:
            raise IllegalMove("there are too few stones")
        return text

    def play(self, move: Any) -> Any:
        return type(self)(self.stones - int(str(move)[1]), (self.seat + 1) % self.seats)

    def outcome(self) -> Any:
        return None if self.stones else Outcome.win((self.seat - 1) % self.seats, self.seats, "last")

    def key(self) -> Any:
        return self.stones, self.seat

    def skip_turn(self) -> Any:
        return type(self)(self.stones, (self.seat + 1) % self.seats)

    def diagram(self, *, ascii_only: bool = False) -> str:
        return f"{('o' if ascii_only else '●') * self.stones}\nplayer {self.seat + 1}"

    def __str__(self) -> str:
        return f"{self.stones} {self.seat + 1}"

    def __hash__(self) -> int:
        return hash((self.stones, self.seat))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pile) and (self.stones, self.seat) == (other.stones, other.seat)


class Rules:
    """The game of Pile, with one class of positions for play and another for parsed positions."""

    number = "0|[1-9][0-9]?"

    def __init__(self, position: Any = Pile, read: Any = None, **info: Any) -> None:
        self.position = position
        self.read = read or position
        self.info = replace(INFO, **({"players": position.seats} | info))

    def start(self, setup: str | None = None) -> Any:
        if setup not in (None, "many"):
            raise PositionError("setup", "there is none of this name")
        return self.position(20 if setup else 7, 0)

    def parse_position(self, text: str) -> Any:
        match = re.fullmatch(f"({self.number}) ([1-{self.position.seats}])", text)
        if not match:
            raise PositionError("position", "it is a number of stones and a player")
        return self.read(int(match[1]), int(match[2]) - 1)


class Three(Pile):
    seats = 3


def caught(broken: Any, **arguments: Any) -> GameProblem:
    with pytest.raises(GameProblem) as problem:
        check_game(broken, **{"games": 8, **arguments})
    assert str(problem.value).isprintable()
    return problem.value


# --- games that pass ---------------------------------------------------------------------------------------

ALIKE = ("movers-hoppers-expert", "rampants", "rodeurs-diagonal")
MORE = ("chess", "chess960")  # test_chess.py does the same, and starts at more positions
DIFFERENT = [pytest.param(id_, marks=[pytest.mark.slow] if id_ in ALIKE + MORE else []) for id_ in game_ids()]
"""All games. `make test-slow` tests those that share the code of another game, too."""


@pytest.mark.parametrize("game_id", DIFFERENT)
def test_our_games_keep_all_laws(game_id: str) -> None:
    check_game(game(game_id), games=1, examined=2)


@pytest.mark.slow  # the same in many games
@pytest.mark.parametrize("game_id", game_ids())
def test_our_games_keep_all_laws_in_many_games(game_id: str) -> None:
    check_game(game(game_id))


@pytest.mark.parametrize("position", [Pile, Three])
def test_the_game_that_is_broken_below_is_whole(position: type[Pile]) -> None:
    check_game(Rules(position), setups=["many"], positions=["0 1", "50 2"], perft={"3 1": [3, 3, 1]})


# --- the description of a game -----------------------------------------------------------------------------


class Described:
    def __init__(self, info: object) -> None:
        self.info = info

    start = parse_position = Rules.start


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (object(), "object: a game needs info, start and parse_position"),
        (Described("chess"), "Described: info must be a GameInfo"),
        (Rules(id="Pile"), "Rules: info.id must be lower-case words with hyphens, not 'Pile'"),
        (Rules(id="a--b"), "Rules: info.id must be lower-case words with hyphens, not 'a--b'"),
        (Rules(id=3), "Rules: info.id must be lower-case words with hyphens, not 3"),
        (Rules(title=""), "pile: info.title must be a printable line"),
        (Rules(board="a\nb"), "pile: info.board must be a printable line"),
        (Rules(sheet=None), "pile: info.sheet must be a printable line"),
        (Rules(players=0), "pile: info.players must be 1 to 9, not 0"),
        (Rules(players=10), "pile: info.players must be 1 to 9, not 10"),
        (Rules(ply_limit=0), "pile: info.ply_limit must be None or at least 1, not 0"),
        (Rules(draw_prior=1.5), "pile: info.draw_prior must be from 0 to 1, not 1.5"),
        (Rules(rulings=["a list"]), "pile: info.rulings must be a tuple of sentences"),
    ],
)
def test_a_description_that_makes_no_sense(broken: Any, law: str) -> None:
    problem = caught(broken)
    assert str(problem) == law
    assert (problem.position, problem.move) == (None, None)


# --- starts ------------------------------------------------------------------------------------------------


class Restless(Rules):
    """The start changes after a number of calls."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.calls = count(-calls)

    def start(self, setup: str | None = None) -> Pile:
        super().start(setup)
        return Pile(7 if next(self.calls) < 0 else 8, 0)


class OverAtStart(Rules):
    def start(self, setup: str | None = None) -> Pile:
        super().start(setup)
        return Pile(0, 0)


class AnySetup(Rules):
    def start(self, _setup: str | None = None) -> Pile:
        return Pile(7, 0)


class SetupError(Rules):
    error: Exception = KeyError("no such set-up")

    def start(self, setup: str | None = None) -> Pile:
        if setup is not None:
            raise self.error
        return Pile(7, 0)


class TwoLines(SetupError):
    error = PositionError("setup", "one line\nand another")


class NoField(SetupError):
    error = PositionError("", "there is none of this name")


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (Restless(1), "start() does not give an equal position each time; position '7 1'"),
        (Restless(4), "start() has changed: before the games it gave '7 1'; position '8 1'"),
        (OverAtStart(), "the game is over at its start; position '0 1'"),
        (AnySetup(), "start accepts an unknown set-up: 'no such set-up'"),
        (
            SetupError(),
            "start must raise a PositionError for an unknown set-up, not KeyError('no such set-up')",
        ),
        (
            TwoLines(),
            "the message of PositionError must be one printable line, not 'setup: one line\\nand another'",
        ),
        (NoField(), "a PositionError must name the damaged field"),
    ],
)
def test_a_start_that_makes_no_sense(broken: Any, law: str) -> None:
    assert str(caught(broken)) == f"pile: {law}"


# --- every position ----------------------------------------------------------------------------------------


class Bare:
    seats = 2

    def __init__(self, *_: int) -> None:
        pass


class TwoSpaces(Pile):
    def __str__(self) -> str:
        return f"{self.stones}  {self.seat + 1}"


class Moving(Pile):
    def __str__(self) -> str:
        return f"moves {self.stones} {self.seat + 1}"


class ThirdOfTwo(Pile):
    turn = 2  # type: ignore[assignment]


def ending(value: Any) -> type[Pile]:
    class Ended(Pile):
        def outcome(self) -> Any:
            return None if self.stones else value

    return Ended


def listing(*texts: str, at: int = 7) -> type[Pile]:
    """Return Pile with other legal moves at one number of stones."""

    class Listed(Pile):
        def legal_moves(self) -> Any:
            return iter(texts) if self.stones == at else super().legal_moves()

    return Listed


class ListKey(Pile):
    def key(self) -> Any:
        return [self.stones, self.seat]


class TurnlessKey(Pile):
    def key(self) -> Any:
        return self.stones


@pytest.mark.parametrize(
    ("position", "law"),
    [
        (Bare, "the position lacks a method of referee.game.Position; position '<"),
        (TwoSpaces, "the position string must be one line, with single spaces and none at its ends"),
        (
            Moving,
            "the position string must not contain the word moves; position 'moves 7 1'",
        ),
        (ThirdOfTwo, "turn is 2, which is not a seat; position '7 1'"),
        (ending("draw"), "outcome() must be an Outcome or None; position '0 "),
        (ending(Outcome((1, 1, 1), "last")), "the outcome has 3 ranks, not 2; position '0 "),
        (ending(Outcome((1, 1), "last", (3,))), "the outcome must have one score for each seat, or None; "),
        (ending(Outcome((1, 1), "the end")), "the outcome's reason must be one word, not 'the end'; "),
        (ending(Outcome((1, 1), "")), "the outcome's reason must be one word, not ''; position '0 "),
        (
            listing("t1", "t 2"),
            "the text of a move must be one printable word; position '7 1', move 't 2'",
        ),
        (listing("t1", ""), "the text of a move must be one printable word; position '7 1', move ''"),
        (listing("t" * 201), "the text of a move has more than 200 characters; position '7 1', move 'tttt"),
        (
            listing("resign"),
            "the text of a move has another meaning in the protocol; position '7 1', move 'resign'",
        ),
        (listing("!1"), "the text of a move has another meaning in the protocol; position '7 1', move '!1'"),
        (listing("t1", "t2", "t1"), "legal_moves lists a text twice: 't1'; position '7 1'"),
        (listing(), "the game goes on, but legal_moves lists no move; position '7 1'"),
        (listing("t1", at=0), "the game is over, but legal_moves lists moves; position '0 "),
        (ListKey, "key() must be hashable: TypeError(\"unhashable type: 'list'\"); position '7 1'"),
        (TurnlessKey, "where another seat is to move; position '"),
    ],
)
def test_a_position_that_makes_no_sense(position: Any, law: str) -> None:
    assert law in str(caught(Rules(position)))


class Unread(Rules):
    def parse_position(self, text: str) -> Any:
        if text == "7 1":
            raise PositionError("stones", "seven is too many")
        return super().parse_position(text)


class OneMore(Pile):
    def __init__(self, stones: int, seat: int) -> None:
        super().__init__(stones + 1, seat)


class Identity(Pile):
    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = Pile.__hash__


class HashedByIdentity(Pile):
    def __hash__(self) -> int:
        return id(self)


class OtherKey(Pile):
    def key(self) -> Any:
        return -self.stones, self.seat


class OtherTurn(Pile):
    @property
    def turn(self) -> int:
        return 1 - self.seat


class NeverOver(Pile):
    def outcome(self) -> None:
        return None


class Reversed(Pile):
    def legal_moves(self) -> Any:
        return reversed([*super().legal_moves()])


READ = "the position parsed from its own position string"


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (
            Unread(),
            "parse_position rejects the string of a position: PositionError('stones: seven is too many')",
        ),
        (Rules(Pile, OneMore), f"{READ} prints as '8 1'"),
        (Rules(Identity), f"{READ} is not equal to the one that was printed"),
        (Rules(HashedByIdentity), f"{READ} has another hash"),
        (Rules(Pile, OtherKey), f"{READ} has another key()"),
        (Rules(Pile, OtherTurn), f"{READ} has another turn"),
        (Rules(Pile, Reversed), f"{READ} lists other moves, or in another order"),
    ],
)
def test_printing_and_reading_that_are_not_inverse(broken: Any, law: str) -> None:
    assert str(caught(broken)) == f"pile: {law}; position '7 1'"


def test_a_result_that_is_not_in_the_position_string() -> None:
    assert str(caught(Rules(Pile, NeverOver))).startswith(f"pile: {READ} has another outcome; position '0 ")


# --- moves -------------------------------------------------------------------------------------------------


class InPlace(Pile):
    def play(self, move: str) -> Pile:
        self.stones -= int(move[1])
        self.seat = 1 - self.seat
        return self


class Parental(Pile):
    """Playing adds a stone to the position before."""

    before: Pile | None = None

    def play(self, move: str) -> Pile:
        after: Parental = super().play(move)
        after.before = self
        if self.before is not None:
            self.before.stones += 1
        return after


class Remembering(Pile):
    """Parsing a move changes the list of legal moves afterwards."""

    lister = Pile.legal_moves

    def legal_moves(self) -> Any:
        return self.lister()

    def parse_move(self, text: str) -> Any:
        move = super().parse_move(text)
        self.lister = lambda: iter(["t1"])  # type: ignore[method-assign,assignment]
        return move


class Synonyms(Pile):
    """The move of four stones takes only three."""

    def legal_moves(self) -> Any:
        return iter([*super().legal_moves(), *(["t4"] if self.stones > 3 else [])])

    def play(self, move: str) -> Any:
        return super().play(move.replace("4", "3"))


class Wavering(Pile):
    calls = count()

    def play(self, move: str) -> Any:
        return super().play("t1" if next(self.calls) % 2 else move)


class Refusing(Pile):
    def parse_move(self, text: str) -> Any:
        if text == "t3":
            raise IllegalMove("three is too many")
        return super().parse_move(text)


class Shouting(Pile):
    def parse_move(self, text: str) -> Any:
        return super().parse_move(text).upper()


class Word:
    """A move without equality."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


class Words(Pile):
    def legal_moves(self) -> Any:
        return map(Word, super().legal_moves())

    def parse_move(self, text: str) -> Any:
        return Word(super().parse_move(text))


class Read(str):
    """A parsed move. It is equal to a listed one, but takes one stone."""

    __slots__ = ()


class Elsewhere(Pile):
    def parse_move(self, text: str) -> Any:
        return Read(super().parse_move(text))

    def play(self, move: str) -> Any:
        return super().play("t1" if isinstance(move, Read) else move)


class EqualByTurn(Pile):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pile) and self.seat == other.seat

    def __hash__(self) -> int:
        return hash(self.seat)


class EqualByParity(Pile):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pile) and (self.stones % 2, self.seat) == (other.stones % 2, other.seat)

    def __hash__(self) -> int:
        return hash((self.stones % 2, self.seat))


class EqualToText(Pile):
    def __eq__(self, other: object) -> bool:
        return str(other) == str(self)

    __hash__ = Pile.__hash__


@pytest.mark.parametrize(
    ("position", "law", "move"),
    [
        (InPlace, "play changes the position that it is called on", "t"),
        (Parental, "play changes earlier positions: this one prints as '", None),
        (Remembering, "a position has changed while its methods were called", None),
        (Synonyms, "the move 't3' leads to the same position: list only one of them", "t4"),
        (Wavering, "play does not lead to the same position each time", "t"),
        (Refusing, "parse_move rejects a listed move: IllegalMove('three is too many')", "t3"),
        (Shouting, "parse_move returns a move with another text, 'T1'", "t1"),
        (Words, "parse_move returns a move that is not equal to the listed one", "t1"),
        (Elsewhere, "parse_move returns a move that leads to another position", "t2"),
        (EqualByTurn, "positions must be equal exactly when their strings are equal", "t2"),
        (EqualByParity, "positions with different position strings are equal", None),
        (EqualToText, "a position is equal to a string", "t1"),
    ],
)
def test_moves_that_do_not_lead_where_they_should(position: Any, law: str, move: str | None) -> None:
    problem = caught(Rules(position))
    assert problem.law.startswith(law)
    assert problem.position is not None
    assert (problem.move is None) == (move is None)
    assert (problem.move or "").startswith(move or "")


# --- texts that are not moves ------------------------------------------------------------------------------


def reading(text: str, then: Any) -> type[Pile]:
    """Return Pile with a ``parse_move`` that raises or returns ``then`` for matching texts."""

    class Readers(Pile):
        def parse_move(self, word: str) -> Any:
            if not re.fullmatch(text, word, re.DOTALL) or word in self.legal_moves():
                return super().parse_move(word)
            if isinstance(then, Exception):
                raise then
            return then(word)

    return Readers


class Overcome(Pile):
    """In a finished game, ``parse_move`` raises IllegalMove for every text."""

    def parse_move(self, text: str) -> Any:
        if not self.stones:
            raise IllegalMove("the game is over")
        return super().parse_move(text)


class Lying(Pile):
    """``zzz`` becomes a move that takes one stone, but whose text says two."""

    def parse_move(self, text: str) -> Any:
        return Read("t2") if text == "zzz" and self.stones > 1 else super().parse_move(text)

    def play(self, move: str) -> Any:
        return super().play("t1" if isinstance(move, Read) else move)


@pytest.mark.parametrize(
    ("position", "law"),
    [
        (
            reading("", IndexError("out of range")),
            "parse_move must raise a MoveError for a text that is not a move, not IndexError('out of range')",
        ),
        (
            reading("9+", int),
            "parse_move must raise a MoveError for a text that is not a move, not ValueError('Exceeds",
        ),
        (
            reading("zzz", MoveError("one line\nand another")),
            "the message of MoveError must be one printable line, not 'one line\\nand another'",
        ),
        (reading("0000", IllegalMove("")), "the message of IllegalMove must be one printable line, not ''"),
        (
            reading("", lambda _: "t1"),
            "parse_move accepts a text that is empty or too long; position '7 1', move ''",
        ),
        (
            reading("t. +", lambda word: word[:2]),
            "parse_move accepts a text that is empty or too long; position '",
        ),
        (
            reading("zzz", lambda _: "t5"),
            "parse_move accepts a move that leads to a position that no listed move leads to; position '",
        ),
        (
            reading("t3", lambda word: word),
            "parse_move accepts a move that leads to a position that no listed move leads to; position '",
        ),
        (
            reading("t[23]", MoveSyntaxError("no such move")),
            "parse_move must raise IllegalMove for a text that is a move in another position; position '",
        ),
        (
            Overcome,
            "parse_move must raise MoveSyntaxError for a text in all positions, or in none; position '",
        ),
        (Lying, "the parsed move has the text 't2', which leads to another position; position '"),
    ],
)
def test_a_text_that_should_have_been_refused_or_refused_otherwise(position: Any, law: str) -> None:
    problem = caught(Rules(position))
    assert str(problem).startswith(f"pile: {law}")
    assert problem.move is not None


def test_another_text_for_a_legal_move_is_no_problem() -> None:
    check_game(Rules(reading("T1", lambda word: word.lower())), games=4)


# --- damaged position strings ------------------------------------------------------------------------------


class LeadingZeros(Rules):
    number = "[0-9]{1,2}"


class Unlimited(Rules):
    number = "0|[1-9][0-9]*"


class NoFieldNamed(Rules):
    def parse_position(self, text: str) -> Any:
        try:
            return super().parse_position(text)
        except PositionError:
            raise PositionError("", "it is damaged") from None


class Small(Pile):
    """The diagram fails for more than seven stones."""

    def diagram(self, *, ascii_only: bool = False) -> str:
        return ["none", "I", "II", "III", "IV", "V", "VI", "VII"][self.stones]


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (
            LeadingZeros(),
            "parse_position accepts a string whose position prints as '[0-9] [12]'; position '0",
        ),
        (Unlimited(), "parse_position must raise a PositionError for a damaged string, not ValueError"),
        (NoFieldNamed(), "a PositionError must name the damaged field; position ''"),
        (
            Rules(Small),
            r"Small.diagram raised IndexError\('list index out of range'\); position '[0-9]+ [12]'",
        ),
    ],
)
def test_a_damaged_position_string_that_is_not_refused_well(broken: Any, law: str) -> None:
    assert re.match(f"pile: {law}", str(caught(broken)))


# --- the rest of the interface -----------------------------------------------------------------------------


class Miscounting(Pile):
    def count_moves(self) -> int:
        return 3


def drawing(text: str) -> type[Pile]:
    class Drawn(Pile):
        def diagram(self, *, ascii_only: bool = False) -> str:
            return text

    return Drawn


class SkippingNobody(Three):
    def skip_turn(self) -> Any:
        return self


class SkippingToTheEnd(Three):
    def skip_turn(self) -> Any:
        return type(self)(0, (self.seat + 1) % 3)


class Thieving(Three):
    def skip_turn(self) -> Any:
        return type(self)(max(1, self.stones - 1), (self.seat + 1) % 3)


@pytest.mark.parametrize(
    ("position", "law"),
    [
        (Miscounting, "count_moves() is 3, but legal_moves lists "),
        (drawing("\n"), "diagram(ascii_only=False) must be printable lines"),
        (drawing("board\n"), "diagram(ascii_only=False) ends with a newline"),
        (drawing("●"), "diagram(ascii_only=True) has characters that are not ASCII"),
        (SkippingNobody, "skip_turn does not pass the turn to another seat"),
        (SkippingToTheEnd, "skip_turn ends the game"),
        (Thieving, "skip_turn, once for each seat, does not lead back to the same position"),
    ],
)
def test_a_method_that_breaks_its_promise(position: Any, law: str) -> None:
    problem = caught(Rules(position))
    assert problem.law.startswith(law)
    assert problem.position is not None
    assert problem.move is None


class Counting(Rules):
    """Pile with a count that a test chooses."""

    def __init__(self, numbers: Any, position: Any = Pile, read: Any = None) -> None:
        super().__init__(position, read)
        self.numbers = numbers

    def count(self, position: Any) -> Any:
        return self.numbers(position)


def test_a_game_may_have_a_count() -> None:
    check_game(Counting(lambda position: (position.stones, -1)), games=2)
    check_game(Counting(lambda _: (2, 0, 1), Three), games=2)
    unfinished = lambda position: (6 // position.stones, 0)  # noqa: E731 - finished games are not counted
    check_game(Counting(unfinished), games=2)


class Parsed(Pile):
    pass


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (Counting(lambda _: (1,)), "count() must be a tuple of 2 whole numbers, not (1,)"),
        (Counting(lambda _: (1, 0.5)), "count() must be a tuple of 2 whole numbers, not (1, 0.5)"),
        (Counting(lambda _: None), "count() must be a tuple of 2 whole numbers, not None"),
        (Counting(lambda _: (10**6000, 0)), "the numbers of count() must have 15 digits or less"),
        (
            Counting(lambda position: (isinstance(position, Parsed) + 0, 0), read=Parsed),
            "the position parsed from its own position string has another count()",
        ),
    ],
)
def test_a_count_that_breaks_its_promise(broken: Any, law: str) -> None:
    problem = caught(broken)
    assert problem.law == law
    assert problem.position is not None


class Endless(Pile):
    def legal_moves(self) -> Any:
        return iter(["t1"] if self.stones else [])

    def parse_move(self, text: str) -> Any:
        if text != "t1":
            raise MoveSyntaxError("a move is t1")
        if not self.stones:
            raise IllegalMove("the game is over")
        return text

    def play(self, _move: Any) -> Any:
        return type(self)(self.stones, 1 - self.seat)


def test_a_game_without_an_end_needs_a_ply_limit() -> None:
    problem = caught(Rules(Endless), longest=50)
    assert str(problem) == (
        "pile: the game has no ply limit, and did not end within 50 plies; position '7 1'"
    )
    check_game(Rules(Endless, ply_limit=30), games=2)


def test_a_count_that_is_not_the_known_one() -> None:
    problem = caught(Rules(), perft={"3 1": [3, 3, 1], "2 2": [2, 2]})
    assert str(problem) == "pile: perft of depth 2 is 1, not 2; position '2 2'"


# --- the message of a problem ------------------------------------------------------------------------------


class Stumbling(Pile):
    def play(self, move: Any) -> Any:
        if self.stones == 3:
            raise KeyError("three\nstones")
        return super().play(move)


def test_an_exception_of_the_rules_is_the_cause_and_is_shown_with_its_place() -> None:
    problem = caught(Rules(Stumbling))
    assert re.fullmatch(
        r"pile: Stumbling.play raised KeyError\('three\\nstones'\); position '3 [12]', move 't[123]'",
        str(problem),
    )
    assert isinstance(problem.__cause__, KeyError)


def test_one_line_and_the_moves_before_are_enough_to_see_it_again() -> None:
    rules = Rules(Stumbling)
    problem = caught(rules)
    assert problem.position is not None
    with pytest.raises(KeyError):
        rules.parse_position(problem.position).play(problem.move)
    position = rules.start()
    (note,) = problem.__notes__
    for move in re.findall("t[123]", note):
        position = position.play(move)
    assert str(position) == problem.position


def test_the_same_arguments_find_the_same_problem_and_another_seed_plays_other_games() -> None:
    problems = [(str(problem), problem.__notes__) for problem in (caught(Rules(Stumbling)) for _ in range(2))]
    assert problems[0] == problems[1]
    others = {tuple(caught(Rules(Stumbling), seed=seed).__notes__) for seed in range(8)}
    assert len(others) > 1


def test_a_very_long_text_is_cut_in_the_message() -> None:
    problem = caught(Rules(reading("z+", lambda _: "t1")))
    assert problem.move == "z" * 10_000
    assert str(problem).endswith("... (10002 characters)")
    assert len(str(problem)) < 1200


class Broken20(Pile):
    def diagram(self, *, ascii_only: bool = False) -> str:
        return "" if self.stones == 20 else super().diagram(ascii_only=ascii_only)


def test_set_ups_and_positions_that_random_games_do_not_meet_can_be_named() -> None:
    class Careful(Rules):
        def parse_position(self, text: str) -> Any:
            position = super().parse_position(text)
            if position.stones > 20:
                raise PositionError("stones", "there are at most twenty")
            return position

    rules = Careful(Broken20)
    named: list[dict[str, Any]] = [
        {"setups": ["many"]},
        {"positions": ["20 2"]},
        {"perft": {"20 2": [3]}},
    ]
    for arguments in named:
        problem = caught(rules, games=1, examined=99, **arguments)
        assert problem.law == "diagram(ascii_only=False) must be printable lines"
        assert problem.position in ("20 1", "20 2")


def test_it_needs_no_event_loop_and_no_test_runner() -> None:
    code = "import sys, referee.testing; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"trio", "asyncio", "pytest", "hypothesis"} & set(done.stdout.split())


class Circling(Pile):
    """The players go round in a circle of four positions until one of them takes three stones."""

    answer: Any = True

    def legal_moves(self) -> Any:
        return iter(["t1", "t3"] if self.stones else [])

    def parse_move(self, text: str) -> Any:
        if text not in ("t1", "t3"):
            raise MoveSyntaxError("a move is t1 or t3")
        if not self.stones:
            raise IllegalMove("there are no stones left")
        return text

    def play(self, move: Any) -> Any:
        left = 0 if str(move) == "t3" else self.stones % 4 + 1
        return type(self)(left, (self.seat + 1) % self.seats)

    def is_irreversible(self, move: Any) -> Any:
        return self.answer


class Silent(Circling):
    answer = None


class Right(Circling):
    def is_irreversible(self, move: Any) -> Any:
        return str(move) == "t3"


def test_moves_are_irreversible_if_the_rules_declare_it_and_no_position_comes_again() -> None:
    check_game(Rules(Right))
    law = "a position occurs again after a move for which is_irreversible() returned True"
    assert law in str(caught(Rules(Circling), games=99))
    assert "is_irreversible() must be True or False, not None" in str(caught(Rules(Silent)))
