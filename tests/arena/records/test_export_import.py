"""`arena export` and `arena import`: export and import of whole databases, and games that are refused."""

import errno
import json
import os
import re
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from arena.model import GameRecord, Opening, PlayerRecord, RatingListRecord
from arena.model import GameResult as GameResult
from arena.store import Store
from arena.store.rating_lists import RatingLists
from referee import Termination, game, game_ids
from referee.ply import Ply
from tests.arena.forked import forked


def arena(*words: str | Path, feed: bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words], input=feed)


def exported(database: Path, *words: str) -> str:
    done = arena("export", "--db", database, "--jsonl", *words)
    assert done.exit_code == 0, done.output
    return done.stdout


def summary(done: Result) -> tuple[int, int, int]:
    """Return the numbers of games that were added, were there already, and were refused."""
    added, known, refused = map(int, re.findall(r" (\d+) (?:added|there|refused)", done.stdout))
    return added, known, refused


def whole(database: Path) -> tuple[object, list[GameRecord]]:
    """Return everything that an export and import must keep."""
    with closing(Store.open(database, create=False)) as store:
        contents = store.contents()
        return contents, list(store.finder.records())


def playout(game_id: str, chance: Random, opening: int = 2, plies: int = 8) -> GameRecord:
    """Return a random game that was stopped, or that the rules ended."""
    rules = game(game_id)
    position, moves, record = rules.start(), [], []
    while len(moves) + len(record) < opening + plies and position.outcome() is None:
        move = chance.choice(list(position.legal_moves()))
        if len(moves) < opening:
            moves.append(str(move))
        else:
            record.append(Ply(position.turn, str(move), chance.randrange(2**40), "mate -3", 9))
        position = position.play(move)
    outcome = position.outcome()
    ranks = outcome.ranks if outcome else (1,) * rules.info.players
    players = tuple(
        PlayerRecord(f"ëngine {seat}", "1", rank, 0.1 + 0.2, None, "40/60", 7, 3, f"hash{seat}")
        for seat, rank in enumerate(ranks)
    )
    termination = Termination.NORMAL if outcome else Termination.ADJUDICATED
    reason = outcome.reason if outcome else "length"
    key = f"{game_id} {chance.random()}"
    result = GameResult(None, "all games", 3, key, game_id, termination, reason, "", len(record), players)
    return GameRecord(result, Opening(None, tuple(moves)), tuple(record), str(position), 1.7e9 + 1 / 3, 2**50)


@pytest.fixture
def league(whole_league: Path, tmp_path: Path) -> Path:
    """A new database with games of every kind, for each test."""
    return Path(shutil.copy(whole_league, tmp_path))


@pytest.fixture(scope="module")
def whole_league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = Random(5)
    games = [playout(game_id, chance) for game_id in game_ids()]
    games += [playout("quatre-en-ligne", chance, plies=400), playout("rodeurs", chance, plies=400)]
    assert any(record.result.termination is Termination.NORMAL for record in games)
    first = games[0]
    nobody = tuple(replace(player, rank=None, points=0.0) for player in first.result.players)
    void = replace(
        first, result=replace(first.result, termination=Termination.VOID, reason="void", players=nobody)
    )
    again = replace(void, started=void.started + 1)
    forfeits = (None, Termination.DISABLED)
    players = tuple(
        replace(player, rank=seat + 1, forfeit=forfeit)
        for seat, (player, forfeit) in enumerate(zip(first.result.players, forfeits, strict=True))
    )
    unplayed = GameResult(
        None,
        "all games",
        9,
        "unplayed",
        first.result.game,
        Termination.DISABLED,
        "disabled",
        "not\nplayed",
        0,
        players,
    )
    path = tmp_path_factory.mktemp("league") / "league.db"
    with closing(Store.open(path, create=True)) as store:
        store.begin_tournament("all games", {"seed": "1", "time_control": "40/60"}, '{"format":"x"}', 1.5e9)
        store.begin_tournament('empty "one"', {})
        store.rating_lists.set("quoridor", {"draw_probability": "0.4", "forfeits": "skip"})
        store.add_games([void, again])
        store.add_games([*games, GameRecord(unplayed, Opening(), (), "", 0.1, 0)])
    return path


# --- export and import -------------------------------------------------------------------------------------


def test_a_database_comes_back_whole_and_again_nothing_changes(league: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    text = exported(league)
    once = arena("import", "-", "--db", copy, feed=text.encode())
    count = len(whole(league)[1])
    assert (once.exit_code, once.stderr, summary(once)) == (0, "", (count, 0, 0))
    assert whole(copy) == whole(league)
    assert exported(copy) == text
    twice = arena("import", "-", "--db", copy, feed=text.encode())
    assert (twice.exit_code, summary(twice)) == (0, (0, count, 0))
    assert whole(copy) == whole(league)


def test_processes_are_joined_by_a_pipe(sample_database: Path, tmp_path: Path) -> None:
    copy, pipe = tmp_path / "copy.db", tmp_path / "pipe"
    os.mkfifo(pipe)
    with (
        forked("export", "--db", sample_database, "--jsonl", cwd=tmp_path, stdout=pipe) as writer,
        forked("import", "-", "--db", copy, cwd=tmp_path, stdin=pipe) as reader,
    ):
        out, err = reader.communicate(60)
        assert (writer.wait(60), writer.stderr) == (0, "exported 7 games\n")
        assert (reader.returncode, err) == (0, "")
    assert out == "7 games: 7 added, 0 there already, 0 refused\n"
    assert whole(copy) == whole(sample_database)


def test_a_tournament_or_a_game_can_be_had_alone(league: Path, sample_database: Path) -> None:
    autumn = exported(sample_database, "autumn")
    entries = [json.loads(line) for line in autumn.splitlines()[1:]]
    assert [list(entry) for entry in entries] == [["tournament"], ["game"]]
    assert entries[0]["tournament"]["name"] == "autumn"
    hops = exported(league, "--game", "hops")
    assert re.findall(r'"game":"(\w+)"', hops) == ["hops"]
    assert "rating_list" not in hops
    pgn = arena("export", "--db", league, "--game", "hops").stdout
    assert re.findall(r'^\[Variant "(.*)"\]', pgn, re.MULTILINE) == ["hops"]


def test_a_file_is_there_whole_or_not_at_all(sample_database: Path, tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    assert arena("export", "--db", sample_database, "--jsonl", "-o", file).exit_code == 0
    assert file.read_text() == exported(sample_database)
    nowhere = tmp_path / "no folder" / "games.txt"
    done = arena("export", "--db", sample_database, "-o", nowhere)
    assert (done.exit_code, done.stderr) == (
        2,
        f"error: {nowhere}: cannot be written: No such file or directory\n",
    )
    assert [path.name for path in tmp_path.iterdir()] == ["games.txt"]


def test_a_file_that_can_neither_be_written_nor_removed_gets_one_sentence(
    sample_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "replace", fail)
    monkeypatch.setattr(Path, "unlink", fail)
    path = tmp_path / "games.txt"
    done = CliRunner().invoke(main, ["export", "--db", str(sample_database), "-o", str(path)])
    assert (done.exit_code, done.stderr) == (2, f"error: {path}: cannot be written: Read-only file system\n")


def test_an_unknown_tournament_is_asked_back(sample_database: Path) -> None:
    done = arena("export", "sprung", "--db", sample_database)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "there is no tournament 'sprung'; did you mean spring?" in done.stderr


def test_many_games_are_read_a_few_at_a_time(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Store.open(league, create=False)) as store:
        at_once = list(store.finder.records())
        monkeypatch.setattr("arena.store.finder.GAMES_AT_ONCE", 2)
        assert list(store.finder.records()) == at_once
        assert list(store.finder.records(last=3)) == at_once[:3]
    numbers = [record.result.id for record in at_once]
    assert all(one < other for one, other in pairwise(numbers))


def test_an_import_leaves_checkpoints_of_the_ratings(
    league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.records.load.EVERY", 2)
    monkeypatch.setattr("arena.ratings.lists.EVERY", 2)
    fed = []
    keep = RatingLists.keep
    monkeypatch.setattr(
        RatingLists,
        "keep",
        lambda self, game, *args, **keys: (fed.append(game), keep(self, game, *args, **keys)),
    )
    text = exported(league)
    copy = tmp_path / "copy.db"
    arena("import", "-", "--db", copy, feed=text.encode())
    assert fed == ["quoridor", "quatre-en-ligne", "rodeurs"]
    arena("import", "-", "--db", copy, feed=text.encode())
    assert len(fed) == 3


def test_an_import_that_is_stopped_ends_with_a_message_and_goes_on_later(
    league: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = exported(league)
    copy = tmp_path / "copy.db"
    monkeypatch.setattr("arena.records.load.GAMES_AT_ONCE", 2)
    judged = []

    def stop(record: GameRecord) -> None:
        judged.append(record)
        if len(judged) == 6:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("arena.records.load.verify", stop)
        done = arena("import", "-", "--db", copy, feed=text.encode())
    assert done.exit_code == 130
    assert done.stderr.startswith("stopped: 4 games added; continue with: ")
    assert done.stderr.endswith(f" import - --db {copy}\n")
    done = arena("import", "-", "--db", copy, feed=text.encode())
    assert summary(done) == (len(whole(league)[1]) - 4, 4, 0)
    assert whole(copy) == whole(league)


# --- refused entries ---------------------------------------------------------------------------------------


@pytest.fixture
def take(sample_database: Path, tmp_path: Path) -> Callable[..., tuple[Result, Path]]:
    """Return a function that imports the text of the sample database with some replacements."""

    def taken(*changes: tuple[str, str], into: str = "new.db") -> tuple[Result, Path]:
        text = exported(sample_database)
        for old, new in changes:
            assert old in text
            text = text.replace(old, new, 1)
        file = tmp_path / "games.txt"
        file.write_text(text, encoding="utf-8")
        return arena("import", file, "--db", tmp_path / into), tmp_path / into

    return taken


def test_an_illegal_move_costs_its_game_and_no_other(take, tmp_path: Path) -> None:
    done, database = take(('"text":"e8"', '"text":"e7"'))
    text = (tmp_path / "games.txt").read_text()
    line = text[: text.index('"text":"e7"')].count("\n") + 1
    assert done.exit_code == 1
    problem = "ply 2, 'e7': the pawn on e9 cannot reach e7: e8 is empty"
    assert done.stderr == f"{tmp_path}/games.txt:{line}: game 1: {problem}\n"
    assert summary(done) == (6, 0, 1)
    assert [record.result.key for record in whole(database)[1]][:1] == ["quoridor:beta|alpha:0"]


def test_another_game_with_the_same_key_does_not_replace_the_one_that_is_there(take) -> None:
    first, database = take()
    before = whole(database)
    done, _ = take(('"duration":1260000000', '"duration":1270000000'))
    assert (first.exit_code, done.exit_code) == (0, 1)
    assert "game 1: the database has another game with the key 'quoridor:alpha|beta:0'\n" in done.stderr
    assert summary(done) == (0, 6, 1)
    assert whole(database) == before


def test_a_tournament_with_other_settings_is_refused_with_its_games_in_one_sentence(take) -> None:
    _, database = take()
    before = whole(database)
    done, _ = take(('"time_control":"10+0.1"', '"time_control":"1+0.1"'))
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert "games.txt:2: tournament 'spring' is left out with its games: " in done.stderr
    assert "was started with time_control = 10+0.1, and now it is 1+0.1" in done.stderr
    assert summary(done) == (0, 1, 6)
    assert whole(database) == before


def test_what_is_known_of_who_meets_whom_is_kept(league: Path) -> None:
    text = exported(league).replace('\\"x\\"', '\\"y\\"')
    assert arena("import", "-", "--db", league, feed=text.encode()).exit_code == 0
    with closing(Store.open(league, create=False)) as store:
        assert store.outline("all games") == '{"format":"x"}'


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"draw_probability": "0.5"}, "the database has other settings for it, and keeps them"),
        ({"bета": "5"}, "ratings have no setting "),
        ({"draw_probability": "-1"}, "the draw probability must lie between 0.001 and 0.95"),
    ],
)
def test_a_rating_list_that_is_set_otherwise_stays_so(
    league: Path, settings: dict[str, str], reason: str
) -> None:
    entry = {"rating_list": {"game": "quoridor", "settings": settings}}
    text = f'{{"leapfrog-arena records":1}}\n{json.dumps(entry, separators=(",", ":"))}\n'
    done = arena("import", "-", "--db", league, feed=text.encode())
    assert done.exit_code == 1
    assert done.stderr.startswith("standard input:2: rating list 'quoridor': ")
    assert reason in done.stderr
    contents = whole(league)[0]
    assert contents.rating_lists == (
        RatingListRecord("quoridor", {"draw_probability": "0.4", "forfeits": "skip"}),
    )  # type: ignore[attr-defined]


def test_a_key_that_comes_twice_in_a_file_is_stored_once(take, tmp_path: Path) -> None:
    done, database = take(("quoridor:beta|alpha:0", "quoridor:alpha|beta:0"))
    assert done.exit_code == 1
    assert "game 2: the database has another game with the key 'quoridor:alpha|beta:0'" in done.stderr
    assert len(whole(database)[1]) == 6


def test_a_file_of_something_else_makes_no_database(tmp_path: Path) -> None:
    file = tmp_path / "games.sgf"
    file.write_text("(;FF[4]GM[1])\n")
    done = arena("import", file, "--db", tmp_path / "new.db")
    assert done.exit_code == 2
    assert done.stderr.startswith(f"error: {file}: is not a file of games: ")
    missing = arena("import", tmp_path / "missing", "--db", tmp_path / "new.db")
    assert (missing.exit_code, missing.stderr) == (
        2,
        f"error: {tmp_path}/missing: there is no such file\n",
    )
    assert not (tmp_path / "new.db").exists()
