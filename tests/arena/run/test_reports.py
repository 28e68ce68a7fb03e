"""What is reported and what is saved when games end: nothing is reported that is not stored."""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.errors import StoreError
from arena.events import EngineDisabled, GameBegan, GameEnded, GameOver, LiveGame, RunEvent
from arena.model import GameRecord, Pairing, TournamentRecord
from arena.run.tournament import StoredFirst, with_saved_games
from tests.sample_games import spring

MakeRecord = Callable[..., GameRecord]
SPRING = TournamentRecord("spring", 1_700_000_000.0, {"time_control": "10+0.1"})


def pairing(game: GameRecord) -> Pairing:
    return Pairing(game.result.number, game.result.key, game.result.game, ("a", "b"))


def ended(game: GameRecord) -> GameEnded:
    return GameEnded(game.result)


def test_a_game_is_reported_when_it_is_stored_and_in_order(record: MakeRecord) -> None:
    games = [record(number=number) for number in range(4)]
    seen: list[RunEvent] = []
    reports = StoredFirst(seen.append)
    disabled, started = EngineDisabled("a", "it crashed"), GameBegan(LiveGame(pairing(games[3])))
    reports.observe(ended(games[0]))
    reports.observe(disabled)
    reports.observe(ended(games[1]))
    reports.observe(started)
    assert seen == [started]
    over = GameOver(games[1].result, (), ())
    reports.observe(over)  # its slot is free before it is stored
    assert seen.pop() == over
    reports.committed(games[:2])
    assert seen == [started, ended(games[0]), disabled, ended(games[1])]
    reports.committed(games[2:3])  # the commit may come first
    reports.observe(ended(games[2]))
    reports.observe(disabled)
    assert seen[4:] == [ended(games[2]), disabled]


def saved(message: str) -> Path:
    """Return the file that a message names; it must also be in the command."""
    words = shlex.split(message.partition(" later with: ")[2])
    assert words[:2] == ["arena", "import"]
    assert f"saved in {words[2]};" in message
    return Path(words[2])


def message(database: Path, games: list[GameRecord]) -> str:
    return str(with_saved_games(StoreError(f"{database}: the disk is full"), database, SPRING, games))


def test_games_that_are_not_stored_are_saved_beside_the_database_and_can_be_imported(tmp_path: Path) -> None:
    database = tmp_path / "my arena.db"
    text = message(database, spring())
    assert text.startswith(f"{database}: the disk is full; 6 finished games are not stored but saved in ")
    file = saved(text)
    assert file.parent == tmp_path
    done = CliRunner().invoke(main, shlex.split(text.partition("with: ")[2])[1:])
    assert done.stdout == "6 games: 6 added, 0 there already, 0 refused\n"


def test_an_earlier_file_of_games_is_never_replaced(tmp_path: Path) -> None:
    first = saved(message(tmp_path / "arena.db", spring()[:1]))
    content = first.read_bytes()
    second = saved(message(tmp_path / "arena.db", spring()[1:2]))
    assert first != second
    assert first.read_bytes() == content


def test_the_file_goes_to_the_current_folder_if_that_of_the_database_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert saved(message(tmp_path / "gone" / "arena.db", spring())).parent == tmp_path


def test_the_file_goes_to_the_temporary_folder_if_the_current_one_is_gone_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "current").mkdir()
    (tmp_path / "temporary").mkdir()
    monkeypatch.chdir(tmp_path / "current")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "current").rmdir()
    assert saved(message(tmp_path / "gone" / "arena.db", spring())).parent == tmp_path / "temporary"


def test_games_that_can_be_saved_nowhere_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    text = message(tmp_path / "arena.db", spring()[:1])
    assert text.endswith("; 1 finished game is not stored, could be saved nowhere, and will be played again")
    assert list(tmp_path.iterdir()) == []


def test_without_such_games_the_message_stays_as_it_is(tmp_path: Path) -> None:
    assert message(tmp_path / "arena.db", []) == f"{tmp_path / 'arena.db'}: the disk is full"
