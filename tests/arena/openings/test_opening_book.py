"""Openings: lists, random moves and random set-ups."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from random import Random
from typing import get_args

import pytest

from arena.errors import OpeningError
from arena.model import Opening
from arena.openings.book import OpeningBook, OpeningSpec, _shuffled
from arena.openings.file import BookName, book_file, open_file
from referee import Game, GameInfo, IllegalMove, MoveSyntaxError, Outcome, PositionError, game
from referee.match.adjudication import Adjudication
from referee.registry import BUILT_IN
from tests.arena.openings.listed import listed

QUORIDOR = game("quoridor")


def book(*entries: str, order: str = "sequential", seed: int = 1) -> OpeningBook:
    assert order in {"sequential", "random"}
    return OpeningBook(OpeningSpec("list", listed(*entries), seed=seed, order=order), QUORIDOR)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", get_args(BookName))
def test_every_book_has_openings_of_its_game_that_differ_in_their_positions(name: BookName) -> None:
    openings = open_file(book_file(name))
    of_game = OpeningBook(OpeningSpec("list", openings), game(name))
    ends = set()
    for index in range(len(openings)):
        position = game(name).start()
        for move in of_game.entry(index).moves:
            position = position.play(position.parse_move(move))
        ends.add(str(position))
    assert len(ends) == len(openings) >= 50


def test_without_openings_every_game_starts_at_the_usual_position() -> None:
    start = OpeningBook(OpeningSpec(), QUORIDOR)
    start.check()
    assert {start.opening(number) for number in range(5)} == {Opening()}


def test_a_list_holds_moves_and_positions_and_starts_again_at_its_end() -> None:
    openings = book("e2 e8 e3", "/ / e5 e6 / 10 10 / 1")
    openings.check()
    assert openings.opening(0) == openings.opening(2) == Opening(moves=("e2", "e8", "e3"))
    assert openings.opening(1) == openings.opening(3) == Opening(position="/ / e5 e6 / 10 10 / 1")


def test_an_entry_may_be_a_position_and_the_moves_from_there() -> None:
    opening = book("/ / e5 e6 / 10 10 / 1 moves e4 e7").opening(0)
    assert opening == Opening("/ / e5 e6 / 10 10 / 1", ("e4", "e7"))


def test_a_random_order_is_the_order_of_random_keys() -> None:
    """It is part of what makes a tournament reproducible, so it never changes."""
    shuffled = _shuffled("1:order", 20_000)
    rng = Random("1:order")
    order = sorted(range(20_000), key=lambda _: rng.random())
    assert [shuffled[place] for place in range(0, 20_000, 97)] == order[::97]
    mixed = book("e2", "d1 d9", "f1", "e2 e8", "e2 d9", "d1 e8", order="random", seed=5)
    assert [" ".join(mixed.opening(number).moves) for number in range(7)] == [
        "d1 e8",
        "e2",
        "d1 d9",
        "f1",
        "e2 d9",
        "e2 e8",
        "d1 e8",
    ]


def test_a_position_is_stored_as_it_is_printed() -> None:
    assert book("/  /  e5 e6  / 10 10 / 1").opening(0).position == "/ / e5 e6 / 10 10 / 1"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("e2 e4", "move 2, 'e4'"),
        ("e2 zz", "move 2, 'zz'"),
        ("/ / e5 e6 / 10 10 / 3", "opening '/ / e5 e6 / 10 10 / 3': "),
        ("/ / e9 e5 / 10 10 / 2", "the game is over in this position"),
        ("/ / e5 e6 / 10 10 / 1 moves e4 e7 e9", "move 3, 'e9'"),
        ("e2 moves e8", "opening 'e2 moves e8': "),
        ("e2 d9 e3 d8 e4 d7 e5 d6 e6 d5 e7 d4 e8 d3 e9", "move 15, 'e9', ends the game"),
    ],
)
def test_what_the_rules_refuse_is_named_with_the_reason(entry: str, message: str) -> None:
    with pytest.raises(OpeningError) as caught:
        book("e2", entry).check()
    assert message in str(caught.value)
    assert ", line 2: quoridor refuses it: opening " in str(caught.value)


def test_an_opening_that_would_be_adjudicated_is_refused() -> None:
    there_and_back = "e2 e8 e1 e9 e2 e8 e1 e9"
    with pytest.raises(OpeningError, match="move 8, 'e9', ends the game"):
        book(there_and_back).check()
    spec = OpeningSpec("list", listed(there_and_back))
    OpeningBook(spec, QUORIDOR, adjudication=Adjudication(repetition=None)).check()
    OpeningBook(spec, QUORIDOR, adjudication=Adjudication(repetition=None, plies=9)).check()
    with pytest.raises(OpeningError, match="move 8, 'e9', ends the game"):
        OpeningBook(spec, QUORIDOR, adjudication=Adjudication(repetition=None, plies=8)).check()
    with pytest.raises(OpeningError, match="plies = 8: no random opening"):
        OpeningBook(OpeningSpec("random", plies=8), QUORIDOR, adjudication=Adjudication(plies=8)).check()


def test_an_opening_that_has_made_no_progress_for_too_long_is_refused() -> None:
    rules, kings = game("chess"), "4k3/8/8/8/8/8/4P3/4K3 w - -"
    fens = [f"{kings} {clock} 99" for clock in (100, 99)]
    entries = fens[0], f"{fens[1]} moves e1f1", f"{fens[1]} moves e2e3"
    book = OpeningBook(OpeningSpec("list", listed(*entries)), rules)
    assert book.opening(2) == Opening(fens[1], ("e2e3",))
    for number, problem in enumerate(("the game is over in this position", "move 1, 'e1f1', ends the game")):
        with pytest.raises(OpeningError, match=problem):
            book.opening(number)


def test_a_very_long_entry_is_not_quoted_whole() -> None:
    with pytest.raises(OpeningError) as caught:
        book("x" * 10_000).check()
    assert len(str(caught.value)) < 400


def test_a_random_order_holds_every_entry_once_and_depends_on_the_seed() -> None:
    entries = [f"{file}{rank}h" for file in "abcdefgh" for rank in (1, 2, 3)]
    orders = []
    for seed in (1, 1, 2):
        openings = book(*entries, order="random", seed=seed)
        orders.append([openings.opening(number).moves[0] for number in range(len(entries))])
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2]) == sorted(entries)
    assert orders[0] != entries


@pytest.mark.parametrize("game_id", ["quoridor", "quoridor4"])
@pytest.mark.parametrize("plies", [1, 6])
def test_random_openings_are_legal_differ_and_come_again_from_their_seed(game_id: str, plies: int) -> None:
    rules = game(game_id)
    spec = OpeningSpec("random", plies=plies, seed=7)
    openings = [OpeningBook(spec, rules).opening(number) for number in range(4)]
    assert openings == [OpeningBook(spec, rules).opening(number) for number in range(4)]
    assert openings != [
        OpeningBook(OpeningSpec("random", plies=plies, seed=8), rules).opening(n) for n in range(4)
    ]
    assert len(set(openings)) > 1
    for opening in openings:
        assert len(opening.moves) == plies
        position = rules.start()
        for move in opening.moves:
            position = position.play(position.parse_move(move))
        assert position.outcome() is None


# Recorded once. A change would give tournaments that have started other openings.
RECORDED = {
    "quoridor": "f2h d7h c1h f1v",
    "quoridor4": "e6h c4h f1h g4v",
    "movers-hoppers": "mmhhhm mhhhmm c2b3 b7b6",
    "movers-hoppers-expert": "mhmhmm hhhmhm c2b3 a8c6",
    "rampants": "hmhhmm hhmhmm c2b3 b7c6",
    "eclaircissement": "e5d4 b1b2 c5b4 d5c4",
    "quatre-en-ligne": "2,2 0,2 4,0 0,0",
    "rodeurs": "b7b5 d3d5,e3e5 e6e4,g6e6 b4b6,d6d4",
    "rodeurs-diagonal": "d3b5 a3a5,g3e5 c6a4,f7d5 e3c5,e1e3",
    "hops": "a1a2,d1e2 a7b6,g7g6 e2e3,e1e2 e7e6,g6g7",
}
RODEURS_DRAWN = (
    "bbbwwbb/wwbwwbb/wbbbbwb/bbbbbww/-------/wwwwwbb/bwwwwbw/bbwbbww/wwwbbww "
    "yggrggr/ryrygyg/rrgyygr/yggryyr/7/yggryyr/rrgyygr/ryrygyg/yggrggr 1"
)
RECORDED_SET_UPS = {
    "eclaircissement": "rrwrw/w3r/r3r/w3w/wwwrr w",
    "rodeurs": RODEURS_DRAWN,
    "rodeurs-diagonal": RODEURS_DRAWN,
}


@pytest.mark.parametrize(("game_id", "moves"), RECORDED.items())
def test_a_random_opening_is_the_same_on_every_machine(game_id: str, moves: str) -> None:
    openings = OpeningBook(OpeningSpec("random", plies=4, seed=1), game(game_id))
    assert openings.opening(0) == Opening(moves=tuple(moves.split()))


def test_a_late_random_opening_is_the_same_on_every_machine() -> None:
    openings = OpeningBook(OpeningSpec("random", plies=4, seed=1), QUORIDOR)
    assert openings.opening(1000).moves == ("b5v", "d2v", "c4h", "d7h")


@pytest.mark.parametrize(("game_id", "position"), RECORDED_SET_UPS.items())
def test_a_random_set_up_is_the_same_on_every_machine(game_id: str, position: str) -> None:
    assert OpeningBook(OpeningSpec("setups", seed=1), game(game_id)).opening(0) == Opening(position=position)


def test_a_random_opening_of_every_built_in_game_is_recorded() -> None:
    assert RECORDED.keys() == set(BUILT_IN)


@pytest.mark.parametrize(
    ("game_id", "plies", "count"),
    [("quoridor", 2, 100), ("movers-hoppers", 2, 100), ("hops", 1, 40), ("hops", 3, 10)],
)
def test_no_random_opening_comes_twice(game_id: str, plies: int, count: int) -> None:
    openings = OpeningBook(OpeningSpec("random", plies=plies), game(game_id))
    assert len({openings.opening(number) for number in range(count)}) == count


def test_openings_come_again_when_there_are_no_more() -> None:
    openings = OpeningBook(OpeningSpec("random", plies=1), game("movers-hoppers"))
    assert len({openings.opening(number) for number in range(50)}) == 20


def test_in_a_tree_of_uneven_width_no_opening_comes_twice_either() -> None:
    """After some first moves of this game the only move is a pass, so some branches have few lines."""
    openings = OpeningBook(OpeningSpec("random", plies=4, seed=3), game("movers-hoppers"))
    assert len({openings.opening(number) for number in range(600)}) == 600


# -- a short game: players take 1 or 2 from a heap, and whoever takes the last one wins ----------------------


@dataclass(frozen=True, slots=True)
class Heap:
    left: int
    turn: int = 0

    def legal_moves(self) -> Iterator[int]:
        return islice((1, 2), self.left)

    def parse_move(self, text: str) -> int:
        if text not in {"1", "2"}:
            raise MoveSyntaxError(f"{text!r} is not 1 or 2")
        if int(text) > self.left:
            raise IllegalMove("so many are not left")
        return int(text)

    def play(self, move: int) -> "Heap":
        return Heap(self.left - move, 1 - self.turn)

    def outcome(self) -> Outcome | None:
        return None if self.left else Outcome.win(1 - self.turn, 2, "taken")

    def key(self) -> "Heap":
        return self

    def skip_turn(self) -> "Heap":
        return Heap(self.left, 1 - self.turn)

    def diagram(self, *, ascii_only: bool = False) -> str:
        return "o" * self.left

    def __str__(self) -> str:
        return f"heap-{self.left}-{self.turn}"


class HeapGame:
    info = GameInfo("heap", "Heap", 2, "10", None, 0.0, "", ())

    def start(self, setup: str | None = None) -> Heap:
        if setup is not None and setup.startswith("random:"):
            return Heap(10 + int(setup.partition(":")[2]) % 1000)
        if setup not in {None, "small"}:
            raise PositionError("setup", "there is no such heap")
        return Heap(5 if setup else 10)

    def parse_position(self, text: str) -> Heap:
        head, _, rest = text.partition("-")
        left, _, turn = rest.partition("-")
        if head != "heap" or not left.isdecimal() or turn not in {"0", "1"}:
            raise PositionError("heap", "this is no heap")
        return Heap(int(left), int(turn))


HEAP: Game = HeapGame()


def test_a_random_opening_leaves_no_win_in_one() -> None:
    openings = OpeningBook(OpeningSpec("random", plies=5), HEAP)
    for number in range(50):
        assert sum(map(int, openings.opening(number).moves)) <= 7


def test_where_some_of_few_lines_cannot_be_used_all_others_come_before_any_comes_twice() -> None:
    openings = OpeningBook(OpeningSpec("random", plies=5), HEAP)
    lines = [openings.opening(number).moves for number in range(60)]
    usable = {line for line in product("12", repeat=5) if sum(map(int, line)) <= 7}
    assert len(usable) < 32
    assert set(lines[: len(usable)]) == usable
    assert lines[len(usable) :] == lines[: 60 - len(usable)]


def test_too_many_random_plies_are_an_error_instead_of_an_endless_search() -> None:
    with pytest.raises(OpeningError, match="plies = 9: no random opening of heap"):
        OpeningBook(OpeningSpec("random", plies=9), HEAP).check()


def test_positions_without_a_slash_are_recognised_by_their_game() -> None:
    openings = OpeningBook(OpeningSpec("list", listed("heap-4-1", "1 2")), HEAP)
    assert openings.opening(0) == Opening(position="heap-4-1")
    assert openings.opening(1) == Opening(moves=("1", "2"))


def test_another_set_up_is_where_moves_start() -> None:
    assert OpeningBook(OpeningSpec(), HEAP, "small").opening(3) == Opening(position="heap-5-0")
    moves = OpeningBook(OpeningSpec("list", listed("2 2")), HEAP, "small")
    assert moves.opening(0) == Opening(position="heap-5-0", moves=("2", "2"))
    with pytest.raises(OpeningError, match="ends the game"):
        OpeningBook(OpeningSpec("list", listed("2 2 1")), HEAP, "small").check()


def test_a_list_may_name_set_ups() -> None:
    openings = OpeningBook(OpeningSpec("list", listed("small", "1 2", "random:7")), HEAP)
    assert [openings.opening(number) for number in range(3)] == [
        Opening(position="heap-5-0"),
        Opening(moves=("1", "2")),
        Opening(position="heap-17-0"),
    ]


def test_random_set_ups_differ_by_number_and_seed_and_stay_what_they_are() -> None:
    drawn = [
        [OpeningBook(OpeningSpec("setups", seed=seed), HEAP).opening(number) for number in range(20)]
        for seed in (1, 2, 1)
    ]
    assert drawn[0] == drawn[2]
    assert len({*drawn[0], *drawn[1]}) > 35
    assert all(opening.position and not opening.moves for opening in drawn[0])


def test_a_game_without_random_set_ups_is_refused() -> None:
    with pytest.raises(OpeningError, match=r"^quoridor has no random set-ups$"):
        OpeningBook(OpeningSpec("setups"), game("quoridor")).check()


def test_settings_text_tells_lists_apart_but_not_by_where_they_came_from() -> None:
    spec, reordered = OpeningSpec("list", listed("e2", "d1")), OpeningSpec("list", listed("d1", "e2"))
    assert str(spec) != str(reordered)
    assert str(spec) == str(OpeningSpec("list", listed("e2", "d1")))
    assert str(OpeningSpec("random", plies=4, seed=3)) == "random, 4 plies, seed 3"
    assert str(OpeningSpec("setups", seed=3)) == "random set-ups, seed 3"


def test_random_openings_repeat_when_the_game_has_no_more() -> None:
    openings = OpeningBook(OpeningSpec("random", plies=2), QUORIDOR)  # which has fewer than 17,000
    assert [openings.opening(20_000 + number).moves for number in range(2)] == [
        openings.opening(10_000).moves for _ in range(2)
    ]
