"""What is as large or as odd as it can be is stored, exported and imported as it was."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.model import GameRecord, Opening
from arena.store import Store
from arena.web.pages.game import game_view
from protocol.wire.codec import parse_report
from referee import Termination
from referee.ply import Ply

EQUAL = ("a", 1), ("b", 1)
HUGE = "9" * 20

REPORTS = [
    f"depth 3 score cp {HUGE} nodes 5",
    f"depth {HUGE} score mate 1{'0' * 30} nodes {HUGE} nps {HUGE} hashfull {HUGE}",
    f"depth {'9' * 9000} score cp 1",
    "depth -3 seldepth -4 score cp -0 nodes -5 nps -6 hashfull -7",
    f"depth {'9' * 15} seldepth {'9' * 15} score cp -{'9' * 15} nodes {'9' * 15} nps {'9' * 15} pv e2 e8",
    f"score mate -{'9' * 15} depth -{'9' * 15}",
    "depth 007 score cp -007 nodes 000",
    f"depth 3 score wdl {'9' * 15} -5 0",
    "depth ٣ score cp ٣ nodes ٣",
    "depth\u00a03 score\u2007cp\u202f5 pv e2\u00a0e8\u200b \ufeffe7",
    "depth 3 score cp 5 pv e2 \ufffd\ufffd string \x1b[31m<script>\u202e",
    f"depth 3 score cp 5 pv {'e2 ' * 20_000}",
]


def again(path: Path, form: str) -> tuple[bytes, bytes]:
    """Export a database, import that into another one, and return the exports of both."""
    first, second, other = path.parent / "first", path.parent / "second", path.parent / f"{form}.db"
    options = ["--jsonl"] if form == "jsonl" else []
    for words in (
        ("export", "--db", path, "-o", first, *options),
        ("import", "--db", other, first, *(["--tournament", "cup"] if form == "pgn" else [])),
        ("export", "--db", other, "-o", second, *options),
    ):
        done = CliRunner().invoke(main, list(map(str, words)))
        assert done.exit_code == 0, done.output
    return first.read_bytes(), second.read_bytes()


def stored(path: Path, game: GameRecord) -> GameRecord:
    with closing(Store.open(path, create=True)) as store:
        store.begin_tournament("cup", {})
        store.add_games([game])
        (found,) = store.finder.records(last=1, verify=True)
    return found


def walked(game: GameRecord, reports: Sequence[str]) -> GameRecord:
    """The game with a ply for each report, a number that four divides: both pawns go to and fro."""
    plies = tuple(
        Ply(number % 2, move, 1_000, *parse_report(report))
        for number, (move, report) in enumerate(zip(cycle(("e2", "e8", "e1", "e9")), reports, strict=False))
    )
    return replace(
        game,
        opening=Opening(None, ()),
        record=plies,
        final_position="/ / e1 e9 / 10 10 / 1",
        result=replace(game.result, plies=len(plies), reason="length"),
    )


def test_all_that_engines_report_is_kept_or_left_out_and_comes_back_the_same(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    game, path = walked(record(*EQUAL, termination=Termination.ADJUDICATED), REPORTS), tmp_path / "a.db"
    assert stored(path, game).record == game.record
    first, second = again(path, "jsonl")
    assert first == second
    again(path, "pgn")  # it has no nanoseconds
    shown = CliRunner().invoke(main, ["show", "1", "--db", str(path)])
    assert shown.exit_code == 0
    assert not {"\x1b", "\u202e", "<"} & set(shown.output)


@pytest.mark.slow  # the film of a long game takes seconds
def test_a_game_of_twenty_thousand_plies_is_as_good_as_any(
    tmp_path: Path, record: Callable[..., GameRecord]
) -> None:
    game, path = (
        walked(
            record(*EQUAL, termination=Termination.ADJUDICATED),
            ["depth 5 score cp 12 nodes 1000 pv e2 e8"] * 20_000,
        ),
        tmp_path / "a.db",
    )
    assert stored(path, game).record == game.record
    first, second = again(path, "jsonl")
    assert first == second
    again(path, "pgn")
    shown = CliRunner().invoke(main, ["show", "1", "--db", str(path)]).stdout.splitlines()
    assert "20000  2       e9    0.000  1009.990  cp 12      5   1000           e2 e8" in shown
    film = tmp_path / "game.gif"
    done = CliRunner().invoke(main, ["show", "1", "--gif", str(film), "--db", str(path)])
    assert done.exit_code == 0, done.output
    assert film.stat().st_size < 1_000_000
    view = game_view(game)
    assert view.boards is not None
    assert len(view.boards.frames["positions"]) == 20_001
    assert len(view.boards.frames["items"]) < 200  # each drawing is told once


def test_a_value_of_any_length_is_refused_in_a_few_lines(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    file.write_text(
        f'[Variant "quoridor"]\n[White "a"]\n[Black "b"]\n[FEN "{"9" * 100_000}"]\n\n1. {"e2" * 100_000} *\n'
    )
    done = CliRunner().invoke(main, ["import", "--db", str(tmp_path / "a.db"), str(file)])
    assert done.exit_code == 1
    assert "1: game 1: the tag FEN is no position: " in done.output
    assert len(done.output) < 1500
