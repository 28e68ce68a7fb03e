"""Tests that listeners keep the same state as the run from the first message and the changes."""

import msgspec
import pytest

from arena.live.messages import (
    MAX_NOTICES,
    Change,
    GameBegan,
    GameOver,
    LiveGame,
    Moved,
    NoticeGiven,
    Planned,
    RunState,
    StageBegan,
    Stopping,
    decode,
    encode,
)
from referee.ply import Ply

GAME = LiveGame("quoridor:a|b:0", 0, "quoridor", ("a", "b"), None, ("e2",))
PLIES = (Ply(0, "e3", 5), Ply(1, "e7", 6, "cp 3", 4))
CHANGES: list[Change] = [
    Planned(4, 1),
    GameBegan(GAME),
    Moved(GAME.key, 0, PLIES[:1], 1, (900, 1000), 7.5),
    Moved(GAME.key, 1, PLIES[1:], 0, (900, 800), 7.75),
    StageBegan("quoridor", "round 2 of 5"),
    NoticeGiven("a: it says so"),
    Stopping(),
]


def test_a_listener_that_comes_at_any_time_knows_what_the_run_knows() -> None:
    run = RunState("cup", "/x/arena.db")
    listeners = []
    for change in [*CHANGES, GameOver(GAME.key, stored=True, text="goal")]:
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
    for change in CHANGES:
        run.apply(change)
    assert run.games[GAME.key].plies == PLIES
    run.apply(Moved(GAME.key, 0, PLIES[:1], 1, (1, 2), 8.0))
    assert run.games[GAME.key].plies == PLIES[:1]
    run.apply(Moved("another", 0, PLIES, 1, (1, 2), 8.0))
    assert run.games.keys() == {GAME.key}


def test_a_database_whose_path_is_not_utf_8_can_be_told() -> None:
    run = RunState("cup", "/x/\udcff\udcfe/arena.db")
    assert decode(encode(run)) == run


def test_a_game_that_will_be_played_again_is_not_counted() -> None:
    run = RunState("cup", "/x/arena.db")
    run.apply(GameBegan(GAME))
    run.apply(GameOver(GAME.key, stored=False, text="void"))
    assert (run.played, run.games) == (0, {})


def test_only_the_last_notices_are_kept() -> None:
    run = RunState("cup", "/x/arena.db")
    for number in range(MAX_NOTICES + 3):
        run.apply(NoticeGiven(str(number)))
    assert run.notices == [str(number) for number in range(3, MAX_NOTICES + 3)]


@pytest.mark.parametrize("line", [b"", b"{}", b'{"type":"moved"}', b'["state"]'])
def test_another_line_is_refused(line: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        decode(line)
