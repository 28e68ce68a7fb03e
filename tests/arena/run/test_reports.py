"""What is reported when games end: nothing is reported that is not stored."""

from collections.abc import Callable

from arena.events import EngineDisabled, GameBegan, GameEnded, LiveGame, RunEvent
from arena.model import GameRecord, Pairing
from arena.run.tournament import StoredReports

MakeRecord = Callable[..., GameRecord]


def pairing(game: GameRecord) -> Pairing:
    return Pairing(game.result.number, game.result.key, game.result.game, ("a", "b"))


def ended(game: GameRecord) -> GameEnded:
    return GameEnded(game.result)


def test_a_game_is_reported_when_it_is_stored_and_in_order(record: MakeRecord) -> None:
    games = [record(number=number) for number in range(4)]
    seen: list[RunEvent] = []
    reports = StoredReports(seen.append)
    disabled, started = EngineDisabled("a", "it crashed"), GameBegan(LiveGame(pairing(games[3])))
    reports.observe(ended(games[0]))
    reports.observe(disabled)
    reports.observe(ended(games[1]))
    reports.observe(started)
    assert seen == [started]
    reports.committed(games[:2])
    assert seen == [started, ended(games[0]), disabled, ended(games[1])]
    reports.committed(games[2:3])  # the commit may come first
    reports.observe(ended(games[2]))
    reports.observe(disabled)
    assert seen[4:] == [ended(games[2]), disabled]
