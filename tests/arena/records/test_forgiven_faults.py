"""Games with forgiven faults are stored, shown, exported, imported and replayed like all others."""

from __future__ import annotations

import io
import random
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.model import GameRecord, GameResult, Opening, PlayerRecord
from arena.records import jsonl
from arena.records.entries import ReadEntry
from arena.records.files import read_records
from arena.records.lawful import Unlawful, verify
from arena.records.pgn import write
from arena.replay import clocks, positions
from arena.scoring import points
from arena.single import stored_turn, turn_text
from arena.store import Store
from arena.tables.statistics import GameStatistics, StatisticsCollector
from referee import Termination, game
from referee.match.adjudication import Adjudication
from referee.match.arbiter import Arbiter
from referee.match.clock import Clock
from referee.match.forfeits import Forfeit
from referee.match.forgiveness import Forgiveness, Forgiver
from referee.match.time_control import NS_PER_MS, TimeControl
from referee.ply import Ply

SECOND = 1_000_000_000
CONTROLS = ("10+1", "3/10+1", "1/2", "60", "0+1", "movetime=0.5", "depth=3", "none")
MARGIN = 100


def played(seed: int, control: str, plies: int = 40) -> tuple[GameRecord, list[int]]:
    """Return a game with random faults of both players, and the clock of its player after each ply."""
    rng = random.Random(f"{seed} {control}")
    rules = game("quoridor")
    clock = Clock([TimeControl.parse(control)] * 2, [MARGIN * NS_PER_MS] * 2)
    forgiveness = Forgiveness(illegal=rng.randrange(4), timeouts=rng.randrange(4), then="random")
    judge = Arbiter(
        rules, rules.start(), (), clock, Adjudication(plies=plies), (), Forgiver(forgiveness, str(seed))
    )
    lefts: list[int] = []
    while not judge.over:
        seat = judge.seat
        move = "z9" if rng.random() < 0.3 else str(rng.choice([*judge.position.legal_moves()]))
        match rng.randrange(6):
            case 0:
                judge.on_timeout(Forfeit(Termination.TIME, "did not answer before its time was up"))
            case 1:
                judge.on_move(move, 0, judge.budget() + rng.randrange(1, SECOND), "")
            case 2:
                judge.on_move(move, 0, judge.budget(), "")  # all of its margin
            case _:
                judge.on_move(move, 0, rng.randrange(1, max(judge.budget() // 4, 2)), "")
        lefts += [clock.left_ns(seat)] * (len(judge.record) - len(lefts))
    assert judge.verdict is not None
    assert judge.verdict.ranks is not None
    players = tuple(
        PlayerRecord(name, "1", rank, score, None, control, MARGIN, used)
        for name, rank, score, used in zip(
            ("ann", "bob"),
            judge.verdict.ranks,
            points(judge.verdict.ranks, (None, None)),
            judge.used,
            strict=True,
        )
    )
    result = GameResult(
        None,
        "cup",
        seed,
        f"key {seed} {control}",
        "quoridor",
        judge.verdict.termination,
        judge.verdict.reason,
        judge.verdict.detail,
        judge.plies,
        players,
    )
    return GameRecord(result, Opening(), tuple(judge.record), str(judge.position), 1.7e9, 5), lefts


@pytest.mark.parametrize("control", CONTROLS)
def test_the_clocks_of_a_stored_game_agree_with_the_referee(control: str) -> None:
    has_clock = TimeControl.parse(control).base_ns is not None
    for seed in range(20):
        record, lefts = played(seed, control)
        assert any(ply.fault for ply in record.record)
        shown = [left for _, left in clocks(record)]
        assert len(shown) == len(lefts)
        # The clock in the middle of a drawn move was never shown to anybody.
        drawn = {at for at, ply in enumerate(record.record) if ply.fault and not ply.time}
        for at, (left, told) in enumerate(zip(shown, lefts, strict=True)):
            assert left is None or at in drawn or left == told, (seed, at)
        assert all((left is None) != has_clock for left in shown)


@pytest.mark.parametrize("seed", range(10))
def test_a_game_survives_the_archive_and_is_the_same_by_the_rules(seed: int) -> None:
    record, _ = played(seed, "10+1")
    verify(record)
    assert [*positions(game("quoridor"), record)][-1] == game("quoridor").parse_position(
        record.final_position
    )
    (entry,) = jsonl.read([(2, jsonl.write(record))])
    assert isinstance(entry, ReadEntry)
    assert entry.entry == record


def test_a_stored_game_with_faults_is_read_as_it_was(tmp_path: Path) -> None:
    games = [played(seed, "10+1")[0] for seed in range(5)]
    with closing(Store.open(tmp_path / "a.db", create=True)) as store:
        store.begin_tournament("cup", {})
        store.add_games(games)
        stored = list(store.finder.records())
    assert [replace(one, result=replace(one.result, id=None)) for one in stored] == games
    for command in (["db", "check"], ["export", "--jsonl", "--db"]):
        result = CliRunner().invoke(main, [*command, str(tmp_path / "a.db")])
        assert result.exit_code == 0, result.output
    (tmp_path / "a.jsonl").write_text(result.stdout)
    added = CliRunner().invoke(main, ["import", str(tmp_path / "a.jsonl"), "--db", str(tmp_path / "b.db")])
    assert "5 games: 5 added, 0 there already, 0 refused" in added.output
    again = CliRunner().invoke(main, ["export", "--jsonl", "--db", str(tmp_path / "b.db")])
    assert again.stdout == result.stdout
    shown = CliRunner().invoke(main, ["show", "1", "--db", str(tmp_path / "b.db")]).output
    assert "?illegal played 'z9'" in shown
    boards = CliRunner().invoke(main, ["show", "1", "--board", "--db", str(tmp_path / "b.db")])
    assert boards.exit_code == 0, boards.output


def test_only_known_faults_of_the_player_to_move_are_imported() -> None:
    record, _ = played(1, "10+1")
    for ply, words in (
        (Ply(0, "?other", 0), "is one of illegal, time, random"),
        (Ply(1, "?time x", 0), "turn"),
    ):
        with pytest.raises(Unlawful, match=words):
            verify(replace(record, record=(ply, *record.record)))


@pytest.mark.parametrize("seed", range(3))
def test_each_entry_is_a_turn_that_can_be_tried_again_with_its_clock(seed: int) -> None:
    record, _ = played(seed, "10+1")
    before = [10 * SECOND] * 2
    for number, (ply, left) in enumerate(clocks(record), 1):
        turn = stored_turn(record, number)
        if ply.fault != "random" and (number < 2 or record.record[number - 2].fault != "random"):
            assert turn.arbiter.clock.left_ns(ply.seat) == before[ply.seat]
        assert turn.played == ply
        assert "?" not in turn_text(1, number, record, turn, ascii_only=True).splitlines()[1]
        if left is not None:
            before[ply.seat] = left


def chess_game(*plies: Ply) -> GameRecord:
    players = (
        PlayerRecord("Ann", "", 2, 0.0, None, "10", 0, 0),
        PlayerRecord("Bob", "", 1, 1.0, None, "10", 0, 0),
    )
    moves = sum(ply.is_move for ply in plies)
    end = Termination.NORMAL
    result = GameResult(None, "cup", 0, "k", "chess", end, "checkmate", "", moves, players)
    final = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
    return GameRecord(result, Opening(None, ("f2f3",)), plies, final, 1.7e9, 5)


FAULTY = (
    Ply(1, "?illegal played 'e7e9': {there} is, no e9", SECOND),
    Ply(1, "e7e5", SECOND),
    Ply(0, "g2g4", SECOND, "cp 5", 3),
    Ply(1, "?time was 5.0 ms over its time and margin", 0),
    Ply(1, "?random", 0),
    Ply(1, "d8h4", SECOND),
)


def test_pgn_has_the_faults_in_comments_and_an_import_knows_the_game(tmp_path: Path) -> None:
    record = chess_game(*FAULTY)
    verify(record)
    pgn = write(record).replace("\n", " ")
    assert "{1.000s, tl=8.000s, forgiven: illegal played 'e7e9': {there) is, no e9}" in pgn
    assert "normal: checkmate, forgiven: time was 5.0 ms over its time and margin, forgiven: random}" in pgn
    entries = [*read_records("x.pgn", io.BytesIO(write(record).encode()), tournament="cup")]
    (read,) = [
        one.entry for one in entries if isinstance(one, ReadEntry) and isinstance(one.entry, GameRecord)
    ]
    assert read.result.plies == 3
    assert read.opening == record.opening
    assert (read.result.termination, read.result.reason) == ("normal", "checkmate")
    assert [ply.text for ply in read.record] == ["e7e5", "g2g4", "d8h4"]
    assert [ply.time for ply in read.record] == [SECOND] * 3
    with closing(Store.open(tmp_path / "a.db", create=True)) as store:
        store.begin_tournament("cup", {})
        store.add_games([record])
    (tmp_path / "a.pgn").write_text(write(record))
    words = ["import", str(tmp_path / "a.pgn"), "--tournament", "cup", "--db", str(tmp_path / "a.db")]
    assert "1 game: 0 added, 1 there already, 0 refused" in CliRunner().invoke(main, words).output


def test_statistics_count_faults_and_only_real_moves() -> None:
    collected = StatisticsCollector()
    collected.add(chess_game(*FAULTY))
    assert collected.forgiven == {"Bob": {"illegal": 1, "time": 1, "random": 1}}
    assert collected.times["Bob"].moves == 2
    shown = GameStatistics(collected, "chess")
    table = shown.forfeits()
    assert table.headers[-3:] == ("forgiven illegal", "forgiven time", "random moves")
    assert [(row[1], row[2], *row[-3:]) for row in table.rows] == [("Bob", "0", "1", "1", "1")]
    assert shown.data()["forgiven"] == [{"engine": "Bob", "illegal": 1, "time": 1, "random": 1}]


def test_without_forgiven_faults_the_table_of_forfeits_has_no_columns_for_them() -> None:
    collected = StatisticsCollector()
    collected.add(chess_game(*(ply for ply in FAULTY if ply.is_move)))
    assert not any("forgiven" in column for column in GameStatistics(collected).forfeits().headers)
