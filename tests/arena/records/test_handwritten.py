"""Handwritten games with few tags, and files of other kinds."""

import gzip
import lzma
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from arena.model import GameRecord
from arena.store import Store
from referee import Termination

HEADER = "%leapfrog-arena records 1\n"
RUN = "1: e2 2: e8 1: e3 2: e7 1: e4 2: e6 1: e5 2: e4\n1: e6 2: e3 1: e7 2: e2 1: e8 2: e1\n"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "new.db"


def take(content: str | bytes, database: Path) -> Result:
    return CliRunner().invoke(main, ["import", "-", "--db", str(database)], input=content)


def stored(database: Path) -> list[GameRecord]:
    with closing(Store.open(database, create=False)) as store:
        return list(store.archive.games(store.archive.contents().last))


def test_moves_that_the_rules_end_are_a_game(database: Path) -> None:
    content = f'{HEADER}[Game "quoridor"]\n{RUN}end\n'
    done = take(content, database)
    assert (done.exit_code, done.stderr) == (0, "")
    (record,) = stored(database)
    result = record.result
    assert (result.tournament, result.number, result.termination) == ("games", 0, Termination.NORMAL)
    assert (result.reason, result.plies, record.started) == ("goal", 14, 0.0)
    players = [(player.name, player.rank, player.points, player.time_control) for player in result.players]
    assert players == [("player 1", 2, 0.0, "none"), ("player 2", 1, 1.0, "none")]
    assert take(content, database).stdout == "1 game: 0 added, 1 there already, 0 refused\n"


def test_the_game_of_the_page_is_taken(database: Path) -> None:
    page = Path(__file__).parents[3] / "docs/reference/records.md"
    block = page.read_text().partition("### By hand")[2].partition("```text\n")[2].partition("```")[0]
    assert take(block, database).stdout == "1 game: 1 added, 0 there already, 0 refused\n"


def test_tags_of_the_file_are_kept_and_missing_tags_are_added(database: Path) -> None:
    tags = '[Player1 "Ann"]\n[Player2 "Bob"]\n[Termination "resign"]\n[Rank1 "2"]\n[Rank2 "1"]\n'
    moves = "1: e2 {time 1.5} 2: e8 {time 0.25}\n1: e3 {time 2}\n"
    assert take(f'{HEADER}[Game "quoridor"]\n{tags}{moves}end\n', database).exit_code == 0
    (record,) = stored(database)
    assert [(player.name, player.points) for player in record.result.players] == [("Ann", 0.0), ("Bob", 1.0)]
    assert [player.time_used for player in record.result.players] == [3_500_000_000, 250_000_000]
    assert (record.result.reason, record.duration) == ("resign", 3_750_000_000)
    assert record.final_position == "/ / e3 e8 / 10 10 / 2"


def test_several_games_are_numbered_as_they_stand_and_have_keys_of_their_own(database: Path) -> None:
    games = [f'[Game "quoridor"]\n[Player1 "{name}"]\n[Player2 "b"]\n{RUN}end\n' for name in "axc"]
    assert take(HEADER + "".join(games), database).exit_code == 0
    records = stored(database)
    assert [record.result.number for record in records] == [0, 1, 2]
    assert len({record.result.key for record in records}) == 3


@pytest.mark.parametrize(
    ("entry", "line", "reason"),
    [
        (
            '[Game "quoridor"]\n1: e2 2: e8\n',
            4,
            "the rules do not end the game after its last move; add the tags Termination, Rank1",
        ),
        ('[Game "quoridor"]\n1: e2 2: e5\n', 3, "ply 2, 'e5': the pawn on e9 cannot reach e5"),
        ('[Game "quoridr"]\n1: e2 2: e5\n', 2, "no game has the id 'quoridr'; did you mean quoridor"),
        ('[Game "quoridor"]\n[Start "x"]\n1: e2\n', 2, "the start position: "),
        ('[Game "quoridor"]\n1. e2 e8\n', 3, "column 1: this is not a ply"),
        (
            f'[Game "quoridor"]\n[Player1 "a"]\n{RUN}',
            6,
            "there are tags of player 2, but no tag Player2",
        ),
        (f'[Game "quoridor"]\n[Event "x"]\n{RUN}', 2, "the tournament 'x' has no entry before this game"),
        (
            '[Game "quoridor"]\n[Termination "time"]\n1: e2\n',
            2,
            "its ranks None, None are not a valid ranking",
        ),
        (f'[Game "quoridor"]\n[Points1 "x"]\n{RUN}', 3, "the tag Points1: 'x' is not a number"),
    ],
)
def test_a_missing_tag_without_known_value_is_refused(
    entry: str, line: int, reason: str, database: Path
) -> None:
    done = take(f"{HEADER}{entry}end\n", database)
    assert done.exit_code == 1
    assert done.stderr.startswith(f"standard input:{line}: game 1: {reason}")
    assert done.stderr.count("\n") == 1
    assert done.stdout == "1 game: 0 added, 0 there already, 1 refused\n"


TEXT = HEADER.encode()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (gzip.compress(TEXT, mtime=0), "is compressed; use: gzip -dc FILE | arena import -"),
        (lzma.compress(TEXT), "is compressed; use: xz -dc FILE | arena import -"),
        (b"\x28\xb5\x2f\xfd\x04\x58", "is compressed; use: zstd -dc FILE | arena import -"),
        (HEADER.encode("utf-16"), "is UTF-16, but records must be UTF-8; use: "),
        (HEADER.encode("utf-16-be"), "is UTF-16, but records must be UTF-8; use: "),
        (HEADER.encode("utf-16-le"), "is UTF-16, but records must be UTF-8; use: "),
        (b"SQLite format 3\x00", "is a database, not text; use: arena export --db FILE | arena import -"),
        (b"", "is not a file of games: its first line must be %leapfrog-arena records 1 or"),
    ],
)
def test_a_file_in_another_dress_is_known(content: bytes, reason: str, database: Path) -> None:
    done = take(content, database)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: standard input: {reason}")
    assert not database.exists()


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(database: Path) -> None:
    content = f'{HEADER}[Game "quoridor"]\n{RUN}end\n'.replace("\n", "\r\n")
    assert take(content.encode("utf-8-sig"), database).exit_code == 0
    assert len(stored(database)) == 1


def test_an_entry_without_end_does_not_fill_the_memory(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.records.text.LONGEST", 1000)
    good = f'[Game "quoridor"]\n{RUN}end\n'
    endless = '[Game "quoridor"]\n' + "1: e2 2: e8\n" * 1000 + "end\n"
    done = take(HEADER + endless + good, database)
    assert (done.exit_code, done.stdout) == (1, "2 games: 1 added, 0 there already, 1 refused\n")
    assert "game 1: this entry is longer than 16 MiB" in done.stderr
    assert done.stderr.count("\n") == 1
