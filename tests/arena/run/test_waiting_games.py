"""Games that wait to be played again, and the failures in a row that disable an engine."""

from collections.abc import Callable

import pytest

from arena.model import GameResult, Pairing
from arena.run.failures.blame import Suspects
from arena.run.failures.strikes import Strikes
from arena.run.waiting_games import WaitingGames
from referee.outcome import Termination

CRASH, TIME = Termination.CRASH, Termination.TIME
MakeResult = Callable[..., GameResult]


def game(seats: str, number: int = 0) -> Pairing:
    return Pairing(number, f"{seats}:{number}", "quoridor", tuple(seats))


def waiting(*suspects: str) -> WaitingGames:
    """Return no games, with suspects: each pair has lost a game."""
    suspected = Suspects()
    for pair in suspects:
        suspected.start(pair)
        suspected.lose(pair, pair)
    return WaitingGames(suspected)


@pytest.mark.parametrize(("engines", "starts"), [(3, 3), (50, 50), (51, 50)])
def test_a_lost_game_waits_for_a_game_of_every_engine_and_for_50_at_most(engines: int, starts: int) -> None:
    games = waiting()
    games.start()
    games.lose(game("ab"), engines=engines)
    for _ in range(starts):
        assert games.due() is None
        games.start()
    assert games.due() == game("ab")
    assert games.due() is None


def test_a_game_between_suspects_alone_is_not_due_and_the_next_one_is() -> None:
    games = waiting("ab")
    for seats in ("ab", "ac"):
        games.lose(game(seats), engines=0)
    assert games.due() == game("ac")
    assert games.due() is None


def test_enough_games_wait_when_there_are_two_for_each_engine_all_of_suspects() -> None:
    games = waiting("ab")
    for number in range(4):
        assert not games.full(engines=2)
        games.lose(game("ab", number), engines=2)
    assert games.full(engines=2)
    assert not games.full(engines=3)
    games.lose(game("ac"), engines=3)
    assert not games.full(engines=2)


def test_a_game_of_suspects_is_postponed_if_others_could_play() -> None:
    games = waiting("ab")
    assert not games.postpone(game("ab"), engines=2)
    assert not games.postpone(game("ac"), engines=3)
    assert games.postpone(game("ab"), engines=3)
    assert games.best(idle=True) == game("ab")
    assert games.best(idle=True) is None


def test_a_postponed_game_is_due_as_soon_as_its_engines_are_no_suspects() -> None:
    suspects = Suspects()
    suspects.start("x")
    suspects.lose("x", "ab")
    games = WaitingGames(suspects)
    assert games.postpone(game("ab"), engines=3)
    assert games.due() is None
    suspects.end("y", "a")
    assert games.due() == game("ab")


def test_the_game_of_the_fewest_suspects_is_played_first_and_theirs_alone_last() -> None:
    games = waiting("ab")
    for seats in ("ab", "ac", "cd"):
        games.lose(game(seats), engines=4)
    assert games.best(idle=False) == game("cd")
    assert games.best(idle=False) == game("ac")
    assert games.best(idle=False) is None
    assert games.best(idle=True) == game("ab")


def test_waiting_games_are_taken_by_key_and_those_of_absent_engines_leave() -> None:
    games = waiting()
    for seats in ("ab", "ac", "bc"):
        games.lose(game(seats), engines=3)
    assert games.take({"ac:0", "x"}) == [game("ac")]
    assert games.without("ab") == [game("bc")]
    assert games.without("ab") == []
    assert games.best(idle=True) == game("ab")


def test_three_failures_in_a_row_are_too_many_and_a_loss_on_time_is_none(result: MakeResult) -> None:
    strikes = Strikes()
    crash = result(("a", 2), ("b", 1), forfeits={"a": CRASH})
    slow = result(("a", 2), ("b", 1), forfeits={"a": TIME})
    assert [strikes.count(one) for one in (crash, crash, slow, crash, crash, crash)] == [[]] * 5 + [["a"]]
    assert strikes.count(crash) == ["a"]
    strikes.clear(["a", "nobody"])
    assert strikes.add(["a", "b"]) == strikes.add(["a", "b"]) == []
    assert strikes.add(iter(["b"])) == ["b"]
