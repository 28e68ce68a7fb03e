"""Tests that listeners keep the same state as the run from the first message and the events."""

import msgspec
import pytest

from arena.events import (
    MAX_NOTICES,
    EngineDisabled,
    GameBegan,
    GameEnded,
    GameVoid,
    LiveGame,
    Moved,
    NextGames,
    Notice,
    Planned,
    RunEvent,
    RunState,
    Stopping,
    decode,
)
from arena.model import GameResult, Opening, Pairing, PlayerRecord, Stage
from referee.match.job import RunningGame, encode
from referee.outcome import Termination
from referee.ply import Ply

PAIRING = Pairing(0, "quoridor:a|b:0", "quoridor", ("a", "b"), Opening(None, ("e2",)))
GAME = LiveGame(PAIRING)
PLAYERS = tuple(
    PlayerRecord(name, "1", rank, points, None, "10+0.1", 50, 5, "", {"Hash": "16"})
    for name, rank, points in (("a", 1, 1.0), ("b", 2, 0.0))
)
ENDED = GameEnded(
    GameResult(None, "cup", 0, PAIRING.key, "quoridor", Termination.NORMAL, "goal", "", 2, PLAYERS),
    (),
    (900, 800),
)
PLIES = (Ply(0, "e3", 5), Ply(1, "e7", 6, "cp 3", 4))


def moved(*plies: Ply, first: int = 0, key: str = PAIRING.key, seen: float = 7.5) -> Moved:
    return Moved({key: RunningGame("1", first + len(plies), 1, (900, 800), first, plies)}, seen)


EVENTS: list[RunEvent] = [
    Planned(4, 4, 1),
    NextGames((PAIRING, Pairing(1, "quoridor:a|b:1", "quoridor", ("b", "a")))),
    GameBegan(GAME),
    moved(PLIES[0]),
    moved(PLIES[1], first=1),
    Stage("quoridor", "round 2 of 5"),
    Stage("hops", "rests: nothing to learn", rests=True),
    Notice("a", "it prints it"),
    EngineDisabled("b", "it ended"),
    Stopping(1),
]


def test_a_listener_that_comes_at_any_time_knows_what_the_run_knows() -> None:
    run = RunState("cup", "/x/arena.db")
    listeners = []
    for change in [*EVENTS, ENDED]:
        listeners.append(decode(encode(run)))
        run.apply(change)
        for listener in listeners:
            assert isinstance(listener, RunState)
            told = decode(encode(change))
            assert not isinstance(told, RunState)
            listener.apply(told)
    assert all(listener == run for listener in listeners)
    assert (run.total, run.stored, run.played, run.games, run.stopping) == (4, 1, 1, {}, True)


def test_plies_follow_those_that_are_known_and_replace_what_comes_again() -> None:
    run = RunState("cup", "/x/arena.db")
    for change in EVENTS:
        run.apply(change)
    assert run.games[PAIRING.key].plies == PLIES
    run.apply(moved(PLIES[0]))
    assert run.games[PAIRING.key].plies == PLIES[:1]
    run.apply(moved(*PLIES, key="another"))
    assert run.games.keys() == {PAIRING.key}


def test_a_database_whose_path_is_not_utf_8_can_be_sent() -> None:
    run = RunState("cup", "/x/\udcff\udcfe/arena.db")
    assert decode(encode(run)) == run


def test_a_game_that_will_be_played_again_is_not_counted() -> None:
    run = RunState("cup", "/x/arena.db")
    run.apply(GameBegan(GAME))
    run.apply(GameVoid(PAIRING, "the referee died", again=True))
    assert (run.played, run.games) == (0, {})


def test_only_the_last_notices_are_kept() -> None:
    run = RunState("cup", "/x/arena.db")
    for number in range(MAX_NOTICES + 3):
        run.apply(Notice("a", str(number)))
    assert run.notices == [f"a: {number}" for number in range(3, MAX_NOTICES + 3)]


@pytest.mark.parametrize("line", [b"", b"{}", b'{"type":"moved"}', b'["state"]'])
def test_another_line_is_refused(line: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        decode(line)
